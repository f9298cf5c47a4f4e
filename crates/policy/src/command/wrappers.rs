//! Programs that run the rest of their line.

/// A program that runs the rest of its line.
pub(super) struct Wrapper {
    name: &'static str,
    /// Options whose value is the next word.
    with_value: &'static [&'static str],
    /// Words before the program that are no options.
    n_words: usize,
}

/// A row of [`WRAPPERS`].
const fn wrapper(
    name: &'static str,
    with_value: &'static [&'static str],
    n_words: usize,
) -> Wrapper {
    Wrapper {
        name,
        with_value,
        n_words,
    }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper("builtin", &[], 0),
    wrapper("bundle", &[], 1),
    wrapper("busybox", &[], 0),
    wrapper("caffeinate", &["-t", "-w"], 0),
    wrapper("capsh", &[], 0),
    wrapper("cgexec", &["-g"], 0),
    wrapper("choom", &["-n"], 0),
    wrapper("chronic", &[], 0),
    wrapper("chroot", &[], 1),
    wrapper(
        "chrt",
        &[
            "-T",
            "-P",
            "-D",
            "--sched-runtime",
            "--sched-period",
            "--sched-deadline",
        ],
        1,
    ),
    wrapper("command", &[], 0),
    wrapper("conda", &["-n", "--name", "-p", "--prefix", "--cwd"], 1),
    wrapper("coproc", &[], 0),
    wrapper(
        "cpulimit",
        &["-l", "--limit", "-p", "--pid", "-e", "--exe"],
        0,
    ),
    wrapper("dbus-run-session", &["--config-file"], 0),
    wrapper("doas", &["-u", "-C"], 0),
    wrapper("dumb-init", &[], 0),
    wrapper("eatmydata", &[], 0),
    wrapper(
        "env",
        &["-u", "--unset", "-C", "--chdir", "-a", "--argv0"],
        0,
    ),
    wrapper("exec", &["-a"], 0),
    wrapper("fakeroot", &["-l", "-s", "-i"], 0),
    wrapper("faketime", &["-f"], 1),
    wrapper("firejail", &[], 0),
    wrapper(
        "flock",
        &["-w", "--timeout", "--wait", "-E", "--conflict-exit-code"],
        1,
    ),
    wrapper("gdb", &[], 0),
    wrapper("gosu", &[], 1),
    wrapper("i386", &[], 0),
    wrapper(
        "ionice",
        &["-c", "-n", "-p", "-P", "-u", "--class", "--classdata"],
        0,
    ),
    wrapper(
        "ld-linux.so.2",
        &["--library-path", "--preload", "--argv0", "--audit"],
        0,
    ),
    wrapper("ifne", &[], 0),
    wrapper("linux32", &[], 0),
    wrapper("linux64", &[], 0),
    wrapper("ltrace", &["-o", "-e", "-p"], 0),
    wrapper("mise", &[], 1),
    wrapper("nice", &["-n", "--adjustment"], 0),
    wrapper("nohup", &[], 0),
    wrapper("npx", &["-p", "--package", "-w", "--workspace"], 0),
    wrapper("nsenter", &["-t", "--target", "-S", "-G"], 0),
    wrapper("numactl", &["-m", "-N", "-C"], 0),
    wrapper("parallel", &["-j", "--jobs", "-a", "-I", "-n"], 0),
    wrapper(
        "perf",
        &["-e", "-o", "-p", "-r", "--event", "--output", "--repeat"],
        1,
    ),
    wrapper("pipenv", &[], 1),
    wrapper("pkexec", &["--user"], 0),
    wrapper("poetry", &[], 1),
    wrapper("prlimit", &["-p", "--pid"], 0),
    wrapper("proxychains", &["-f"], 0),
    wrapper("pyenv", &[], 1),
    wrapper("rlwrap", &["-f"], 0),
    wrapper("runuser", &["-u", "-g", "-G"], 0),
    wrapper("setarch", &[], 1),
    wrapper("setpriv", &["--reuid", "--regid", "--groups"], 0),
    wrapper("setsid", &[], 0),
    wrapper("sshpass", &["-p", "-f", "-d", "-P"], 0),
    wrapper("ssh-agent", &["-a", "-t", "-E"], 0),
    wrapper(
        "stdbuf",
        &["-i", "-o", "-e", "--input", "--output", "--error"],
        0,
    ),
    wrapper("strace", &["-o", "-e", "-p", "-s", "-u", "-E", "-P"], 0),
    wrapper("su-exec", &[], 1),
    wrapper(
        "sudo",
        &[
            "-u",
            "-g",
            "-h",
            "-p",
            "-C",
            "-T",
            "-r",
            "-t",
            "-U",
            "-D",
            "-R",
            "--user",
            "--group",
            "--host",
            "--prompt",
            "--chdir",
            "--chroot",
            "--role",
            "--type",
            "--other-user",
            "--command-timeout",
            "--close-from",
        ],
        0,
    ),
    wrapper("systemd-inhibit", &[], 0),
    wrapper("systemd-run", &["-p", "--property", "--unit"], 0),
    wrapper("taskset", &[], 1),
    wrapper("time", &["-f", "-o", "--format", "--output"], 0),
    wrapper("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    wrapper("tini", &[], 0),
    wrapper("torsocks", &[], 0),
    wrapper("toybox", &[], 0),
    wrapper("trickle", &["-d", "-u"], 0),
    wrapper("unbuffer", &[], 0),
    wrapper("unshare", &["-S", "-G", "-w", "-R"], 0),
    wrapper("uv", &[], 1),
    wrapper("valgrind", &[], 0),
    wrapper("x86_64", &[], 0),
    wrapper(
        "xargs",
        &[
            "-I",
            "-n",
            "-P",
            "-L",
            "-d",
            "-E",
            "-s",
            "-a",
            "--arg-file",
            "--delimiter",
            "--max-args",
            "--max-chars",
            "--max-procs",
            "--process-slot-var",
        ],
        0,
    ),
    wrapper("xvfb-run", &["-n", "-e", "-f", "-s"], 0),
];

/// The wrapper of this name.
pub(super) fn of(name: &str) -> Option<&'static Wrapper> {
    // The loader has the machine's name in its own.
    let name = if name == "ld.so" || (name.starts_with("ld-") && name.contains(".so")) {
        "ld-linux.so.2"
    } else {
        name
    };
    WRAPPERS.iter().find(|wrapper| wrapper.name == name)
}

impl Wrapper {
    /// The program that it runs, with its arguments.
    pub(super) fn behind<'a>(&self, arguments: &'a [String]) -> &'a [String] {
        let mut rest = arguments;
        let mut n_words = self.n_words;
        let mut is_behind_options = false;
        while let Some((word, behind)) = rest.split_first() {
            if word == "--" && !is_behind_options {
                is_behind_options = true;
                rest = behind;
            } else if !is_behind_options && word.starts_with('-') && word.len() > 1 {
                let n_taken = usize::from(self.takes_value(word));
                rest = behind.get(n_taken..).unwrap_or_default();
            } else if word == "-" && self.name == "env" {
                rest = behind;
            } else if n_words > 0 && (self.name != "setarch" || is_machine(word)) {
                n_words -= 1;
                rest = behind;
            } else if is_setting(word) {
                rest = behind;
            } else {
                return rest;
            }
        }
        rest
    }

    /// Whether the next word is the value of this option, or of the last of several in one word. A long option may be cut short.
    fn takes_value(&self, word: &str) -> bool {
        if let Some(long) = word.strip_prefix("--") {
            let is_it = |known: &&str| {
                known
                    .strip_prefix("--")
                    .is_some_and(|known| known.starts_with(long))
            };
            return !word.contains('=') && self.with_value.iter().any(is_it);
        }
        let Some((at, _)) = word.char_indices().skip(1).find(|(_, letter)| {
            self.with_value
                .iter()
                .any(|known| is_letter(known, *letter))
        }) else {
            return false;
        };
        at + 1 == word.len()
    }
}

/// Whether a word names a kind of machine, which `setarch` takes before its program or not.
fn is_machine(word: &str) -> bool {
    let starts = [
        "x86", "i", "linux", "aarch", "arm", "ppc", "s390", "sparc", "mips", "riscv", "uname",
    ];
    starts.iter().any(|start| word.starts_with(start))
        && word.contains(|c: char| c.is_ascii_digit())
}

fn is_letter(known: &str, letter: char) -> bool {
    known
        .strip_prefix('-')
        .is_some_and(|rest| rest.chars().eq([letter]))
}

/// Whether a word sets a variable: `NAME=value`.
pub(super) fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}
