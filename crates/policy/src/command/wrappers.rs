//! Programs that run another program which stands among their arguments.

/// A program that runs the rest of its line.
struct Wrapper {
    name: &'static str,
    /// Options whose value is the next word.
    with_value: &'static [&'static str],
    /// Words before the program that are no options.
    n_words: usize,
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "builtin",
        with_value: &[],
        n_words: 0,
    },
    Wrapper {
        name: "busybox",
        with_value: &[],
        n_words: 0,
    },
    Wrapper {
        name: "cgexec",
        with_value: &["-g"],
        n_words: 0,
    },
    Wrapper {
        name: "chroot",
        with_value: &[],
        n_words: 1,
    },
    Wrapper {
        name: "chrt",
        with_value: &["-T", "-P", "-D"],
        n_words: 1,
    },
    Wrapper {
        name: "command",
        with_value: &[],
        n_words: 0,
    },
    Wrapper {
        name: "coproc",
        with_value: &[],
        n_words: 0,
    },
    Wrapper {
        name: "doas",
        with_value: &["-u", "-C"],
        n_words: 0,
    },
    Wrapper {
        name: "env",
        with_value: &["-u", "--unset", "-C", "--chdir", "-a", "--argv0"],
        n_words: 0,
    },
    Wrapper {
        name: "exec",
        with_value: &["-a"],
        n_words: 0,
    },
    Wrapper {
        name: "faketime",
        with_value: &["-f"],
        n_words: 1,
    },
    Wrapper {
        name: "firejail",
        with_value: &[],
        n_words: 0,
    },
    Wrapper {
        name: "flock",
        with_value: &["-w", "--timeout", "-E"],
        n_words: 1,
    },
    Wrapper {
        name: "gdb",
        with_value: &[],
        n_words: 0,
    },
    Wrapper {
        name: "ionice",
        with_value: &["-c", "-n", "-p", "-P", "-u"],
        n_words: 0,
    },
    Wrapper {
        name: "ltrace",
        with_value: &["-o", "-e", "-p"],
        n_words: 0,
    },
    Wrapper {
        name: "nice",
        with_value: &["-n", "--adjustment"],
        n_words: 0,
    },
    Wrapper {
        name: "nohup",
        with_value: &[],
        n_words: 0,
    },
    Wrapper {
        name: "nsenter",
        with_value: &["-t", "--target", "-S", "-G"],
        n_words: 0,
    },
    Wrapper {
        name: "parallel",
        with_value: &["-j", "--jobs", "-a", "-I", "-n"],
        n_words: 0,
    },
    Wrapper {
        name: "proxychains",
        with_value: &["-f"],
        n_words: 0,
    },
    Wrapper {
        name: "runuser",
        with_value: &["-u", "-g", "-G"],
        n_words: 0,
    },
    Wrapper {
        name: "setarch",
        with_value: &[],
        n_words: 1,
    },
    Wrapper {
        name: "setpriv",
        with_value: &["--reuid", "--regid", "--groups"],
        n_words: 0,
    },
    Wrapper {
        name: "setsid",
        with_value: &[],
        n_words: 0,
    },
    Wrapper {
        name: "stdbuf",
        with_value: &["-i", "-o", "-e"],
        n_words: 0,
    },
    Wrapper {
        name: "strace",
        with_value: &["-o", "-e", "-p", "-s", "-u", "-E", "-P"],
        n_words: 0,
    },
    Wrapper {
        name: "sudo",
        with_value: &[
            "-u", "-g", "-h", "-p", "-C", "-T", "-r", "-t", "-U", "-D", "-R", "--user", "--group",
        ],
        n_words: 0,
    },
    Wrapper {
        name: "systemd-run",
        with_value: &["-p", "--property", "--unit"],
        n_words: 0,
    },
    Wrapper {
        name: "taskset",
        with_value: &[],
        n_words: 1,
    },
    Wrapper {
        name: "time",
        with_value: &["-f", "-o", "--format", "--output"],
        n_words: 0,
    },
    Wrapper {
        name: "timeout",
        with_value: &["-k", "-s", "--kill-after", "--signal"],
        n_words: 1,
    },
    Wrapper {
        name: "torsocks",
        with_value: &[],
        n_words: 0,
    },
    Wrapper {
        name: "unshare",
        with_value: &["-S", "-G", "-w", "-R"],
        n_words: 0,
    },
    Wrapper {
        name: "valgrind",
        with_value: &[],
        n_words: 0,
    },
    Wrapper {
        name: "watch",
        with_value: &["-n", "--interval"],
        n_words: 0,
    },
    Wrapper {
        name: "xargs",
        with_value: &[
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
        n_words: 0,
    },
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
    if name == "env" {
        let text = split_string(arguments);
        if let Some(text) = text {
            found.push(Inner::Text(text));
            return found;
        }
    }
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name) {
        let rest = behind(wrapper, arguments);
        if !rest.is_empty() {
            found.push(Inner::Command(rest.to_vec()));
        }
    }
    found
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
