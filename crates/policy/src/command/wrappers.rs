//! Programs that run another program which stands among their arguments.

/// A program that runs the rest of its line.
struct Wrapper {
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
    wrapper("busybox", &[], 0),
    wrapper("caffeinate", &["-t", "-w"], 0),
    wrapper("capsh", &[], 0),
    wrapper("cgexec", &["-g"], 0),
    wrapper("choom", &["-n"], 0),
    wrapper("chronic", &[], 0),
    wrapper("chroot", &[], 1),
    wrapper("chrt", &["-T", "-P", "-D"], 1),
    wrapper("command", &[], 0),
    wrapper("coproc", &[], 0),
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
    wrapper("flock", &["-w", "--timeout", "-E"], 1),
    wrapper("gdb", &[], 0),
    wrapper("gosu", &[], 1),
    wrapper("i386", &[], 0),
    wrapper("ionice", &["-c", "-n", "-p", "-P", "-u"], 0),
    wrapper(
        "ld-linux.so.2",
        &["--library-path", "--preload", "--argv0", "--audit"],
        0,
    ),
    wrapper("linux32", &[], 0),
    wrapper("linux64", &[], 0),
    wrapper("ltrace", &["-o", "-e", "-p"], 0),
    wrapper("nice", &["-n", "--adjustment"], 0),
    wrapper("nohup", &[], 0),
    wrapper("nsenter", &["-t", "--target", "-S", "-G"], 0),
    wrapper("numactl", &["-m", "-N", "-C"], 0),
    wrapper("parallel", &["-j", "--jobs", "-a", "-I", "-n"], 0),
    wrapper("pkexec", &["--user"], 0),
    wrapper("prlimit", &["-p", "--pid"], 0),
    wrapper("proxychains", &["-f"], 0),
    wrapper("rlwrap", &["-f"], 0),
    wrapper("runuser", &["-u", "-g", "-G"], 0),
    wrapper("setarch", &[], 1),
    wrapper("setpriv", &["--reuid", "--regid", "--groups"], 0),
    wrapper("setsid", &[], 0),
    wrapper("ssh-agent", &["-a", "-t", "-E"], 0),
    wrapper("stdbuf", &["-i", "-o", "-e"], 0),
    wrapper("strace", &["-o", "-e", "-p", "-s", "-u", "-E", "-P"], 0),
    wrapper("su-exec", &[], 1),
    wrapper(
        "sudo",
        &[
            "-u", "-g", "-h", "-p", "-C", "-T", "-r", "-t", "-U", "-D", "-R", "--user", "--group",
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
            "--max-args",
            "--max-procs",
            "--replace",
            "--delimiter",
        ],
        0,
    ),
    wrapper("xvfb-run", &["-n", "-e", "-f", "-s"], 0),
];

/// Programs that run the text behind `-c` as a script.
const SHELLS: &[&str] = &[
    "ash",
    "bash",
    "busybox-sh",
    "csh",
    "dash",
    "fish",
    "flock",
    "ksh",
    "mksh",
    "rbash",
    "runuser",
    "script",
    "sh",
    "su",
    "tcsh",
    "yash",
    "zsh",
];

/// Options of other programs whose value is a command: the program, the option, and what stands before the command in it. An
/// option that begins with `--` may have its value behind `=`, one of a single letter right behind it.
const HOOKS: &[(&str, &str, &str)] = &[
    ("tar", "--to-command", ""),
    ("tar", "--checkpoint-action", "exec="),
    ("tar", "--use-compress-program", ""),
    ("tar", "-I", ""),
    ("tar", "--rsh-command", ""),
    ("tar", "--info-script", ""),
    ("tar", "--new-volume-script", ""),
    ("tar", "-F", ""),
    ("rsync", "--rsh", ""),
    ("rsync", "-e", ""),
    ("rg", "--pre", ""),
    ("sort", "--compress-program", ""),
    ("man", "--pager", ""),
    ("man", "-P", ""),
    ("git", "--upload-pack", ""),
    ("git", "--receive-pack", ""),
    ("git", "--exec", ""),
    ("git", "-x", ""),
    ("git", "-O", ""),
    ("git", "--open-files-in-pager", ""),
    ("zip", "-TT", ""),
    ("zip", "--unzip-command", ""),
    ("split", "--filter", ""),
    ("ssh", "-o", "ProxyCommand="),
    ("ssh", "-o", "LocalCommand="),
    ("scp", "-S", ""),
    ("hyperfine", "--prepare", ""),
    ("xterm", "-e", ""),
    ("vim", "-c", "!"),
    ("vi", "-c", "!"),
];

/// Programs of which every word that is no option is a text for a shell.
const TEXTS: &[&str] = &["hyperfine", "watch", "entr"];

/// What a command runs besides itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    /// Another command.
    Command(Vec<String>),
    /// A text for a shell.
    Text(String),
    /// Something, but what cannot be said.
    Unknown,
}

/// The last part of a program's path.
pub(super) fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// All that a command runs besides itself, as its words tell.
pub(super) fn inner(command: &[String]) -> Vec<Inner> {
    let Some((program, arguments)) = command.split_first() else {
        return Vec::new();
    };
    let name = base(program);
    let mut found = Vec::new();
    match name {
        "eval" => found.push(Inner::Text(arguments.join(" "))),
        "trap" => found.extend(arguments.first().map(|text| Inner::Text(text.clone()))),
        "source" | "." => found.push(Inner::Unknown),
        "alias" => found.extend(
            arguments
                .iter()
                .filter_map(|word| Some(Inner::Text(word.split_once('=')?.1.to_owned()))),
        ),
        "find" | "fd" | "fdfind" => find(arguments, &mut found),
        _ => {}
    }
    if SHELLS.contains(&name) {
        found.push(script(arguments));
    }
    hooks(name, arguments, &mut found);
    if TEXTS.contains(&name) {
        let texts = arguments.iter().filter(|word| !word.starts_with('-'));
        found.extend(texts.map(|text| Inner::Text(text.clone())));
    }
    if name == "env" {
        let text = split_string(arguments);
        if let Some(text) = text {
            found.push(Inner::Text(text));
            return found;
        }
    }
    // The loader has the machine's name in its own.
    let name = if name.starts_with("ld-") && name.contains(".so") {
        "ld-linux.so.2"
    } else {
        name
    };
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name) {
        let rest = behind(wrapper, arguments);
        if !rest.is_empty() {
            found.push(Inner::Command(rest.to_vec()));
        }
    }
    found
}

/// The commands in values of options.
fn hooks(name: &str, arguments: &[String], found: &mut Vec<Inner>) {
    let own = || HOOKS.iter().filter(|(program, ..)| *program == name);
    if own().next().is_none() {
        return;
    }
    let texts = own().flat_map(|(_, option, before)| {
        let value = move |(index, word): (usize, &String)| -> Option<String> {
            let rest = if word == option {
                arguments.get(index + 1)?.as_str()
            } else {
                let rest = word.strip_prefix(option)?;
                if option.starts_with("--") {
                    rest.strip_prefix('=')?
                } else {
                    rest
                }
            };
            Some(rest.strip_prefix(before)?.to_owned())
        };
        arguments.iter().enumerate().filter_map(value)
    });
    found.extend(texts.map(Inner::Text));
    // An alias among git's own settings is a command for a shell.
    if name == "git" {
        let settings = arguments.iter().filter_map(|word| word.split_once("=!"));
        found.extend(settings.map(|(_, text)| Inner::Text(text.to_owned())));
    }
}

/// The program of a wrapper and its arguments.
fn behind<'a>(wrapper: &Wrapper, arguments: &'a [String]) -> &'a [String] {
    let mut rest = arguments;
    let mut n_words = wrapper.n_words;
    while let Some((word, behind)) = rest.split_first() {
        if word == "--" {
            rest = behind;
            while n_words > 0 && !rest.is_empty() {
                rest = &rest[1..];
                n_words -= 1;
            }
            return rest;
        }
        if word.starts_with('-') && word.len() > 1 {
            let has_value = wrapper.with_value.contains(&word.as_str());
            rest = if has_value {
                behind.get(1..).unwrap_or_default()
            } else {
                behind
            };
        } else if wrapper.name == "env" && word.contains('=') && !word.starts_with('=') {
            rest = behind;
        } else if n_words > 0 {
            n_words -= 1;
            rest = behind;
        } else {
            return rest;
        }
    }
    rest
}

/// The commands behind `-exec` and its like, which end in `;` or `+`.
fn find(arguments: &[String], found: &mut Vec<Inner>) {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if matches!(
            word.as_str(),
            "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch"
        ) {
            let command: Vec<String> = rest
                .by_ref()
                .take_while(|word| *word != ";" && *word != "+")
                .cloned()
                .collect();
            if !command.is_empty() {
                found.push(Inner::Command(command));
            }
        }
    }
}

/// What a shell is asked to run: the text behind `-c`, otherwise a file or its input, which cannot be seen.
fn script(arguments: &[String]) -> Inner {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        if (is_short && word.ends_with('c')) || word == "--command" {
            // Options may stand between.
            let text = words
                .by_ref()
                .find(|word| !word.starts_with('-') && !word.starts_with('+'));
            return text.map_or(Inner::Unknown, |text| Inner::Text(text.clone()));
        }
        if let Some(text) = word.strip_prefix("--command=") {
            return Inner::Text(text.to_owned());
        }
    }
    Inner::Unknown
}

/// The text of `env -S`, with what stands behind it.
fn split_string(arguments: &[String]) -> Option<String> {
    for (index, word) in arguments.iter().enumerate() {
        let rest = || arguments[index + 1..].join(" ");
        if word == "-S" || word == "--split-string" {
            return Some(rest());
        }
        let text = word
            .strip_prefix("-S")
            .or_else(|| word.strip_prefix("--split-string="))
            // Of options in one word the last may take a value.
            .or_else(|| {
                word.strip_prefix('-')
                    .filter(|word| !word.starts_with('-'))
                    .and_then(|word| word.split_once('S'))
                    .map(|(_, text)| text)
            });
        if let Some(text) = text {
            return Some(format!("{text} {}", rest()));
        }
        if !word.starts_with('-') && !word.contains('=') {
            return None;
        }
    }
    None
}
