//! The commands that a command runs.

mod git;
mod hooks;
mod language;

use super::shell::{Input, Simple, UNKNOWN, is_unknown};
use super::{CommandLine, wrappers};

/// Shells of one grammar that run the text after `-c`, a file, or their input.
const SHELLS: &[&str] = &["ash", "bash", "busybox-sh", "dash", "rbash", "sh"];

/// Shells of other grammars: only a literal line is understood.
const OTHER_SHELLS: &[&str] = &[
    "csh", "elvish", "fish", "ksh", "ksh93", "mksh", "nu", "pwsh", "tcsh", "xonsh", "yash", "zsh",
];

/// Programs that run the text after `-c` in a shell.
const WITH_TEXT: &[&str] = &["flock", "runuser", "script", "sg", "su"];

/// Options of shells whose value is the next word.
const SHELL_OPTIONS: &[&str] = &["-o", "+o", "-O", "+O"];

/// Programs whose words, joined, are a text for a shell; and their options whose value is the next word.
const TEXTS: &[(&str, &[&str])] = &[
    (
        "hyperfine",
        &[
            "-w", "-r", "-m", "-M", "-s", "-p", "-c", "-i", "-n", "-N", "-S", "-L", "-P",
        ],
    ),
    ("watch", &["-n", "--interval", "-q", "--equexit"]),
    ("entr", &[]),
    ("pee", &[]),
    ("mispipe", &[]),
    ("concurrently", &["-n", "-c", "--names", "--prefix"]),
];

/// Wrappers that start a shell if they get nothing to run.
const STARTS_SHELL: &[&str] = &[
    "chroot",
    "dbus-run-session",
    "fakeroot",
    "firejail",
    "linux32",
    "linux64",
    "lxc-attach",
    "nsenter",
    "proot",
    "runuser",
    "setarch",
    "systemd-nspawn",
    "unshare",
];

/// Wrappers that start a shell if an option of these letters requests it.
const AS_OTHERS: &[(&str, &[char])] = &[
    ("doas", &['s']),
    ("sudo", &['s', 'i']),
    ("systemd-run", &['S']),
];

/// Programs that run commands from their input, at once or later.
const OBEY_INPUT: &[&str] = &["at", "batch", "crontab", "newgrp"];

/// Variables whose value programs run: these by the end of the name, the next table by the whole name.
const HOOKED_ENDS: &[&str] = &[
    "PAGER",
    "EDITOR",
    "_COMMAND",
    "ASKPASS",
    "_RSH",
    "_RUNNER",
    "_WRAPPER",
    "_LINKER",
    "_LAUNCHER",
    "_SHELL",
    "_shell",
];
const HOOKED: &[&str] = &[
    "AR",
    "BROWSER",
    "CC",
    "CPP",
    "CXX",
    "GIT_EXTERNAL_DIFF",
    "GIT_SSH",
    "LD",
    "LESSCLOSE",
    "LESSOPEN",
    "LINKER",
    "RUSTC",
    "RUSTDOC",
    "SHELL",
    "VISUAL",
];
const PROMPTS: &[&str] = &["PS0", "PS1", "PS2", "PS4"];
/// Variables that decide what programs run.
const OBEYED: &[&str] = &[
    "APT_CONFIG",
    "BASHOPTS",
    "BASH_ENV",
    "BC_ENV_ARGS",
    "BUN_OPTIONS",
    "DC_ENV_ARGS",
    "ELIXIR_ERL_OPTIONS",
    "ERL_AFLAGS",
    "ERL_FLAGS",
    "ERL_ZFLAGS",
    "EXINIT",
    "GCONV_PATH",
    "GVIMINIT",
    "JAVA_TOOL_OPTIONS",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "MAKEFILES",
    "NODE_OPTIONS",
    "NODE_REPL_EXTERNAL_MODULE",
    "PERL5DB",
    "PERL5OPT",
    "PSQLRC",
    "PYTHONBREAKPOINT",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "SHELLOPTS",
    "TAR_OPTIONS",
    "VIMINIT",
];
/// Variables that hold options of programs, and the parts that decide what runs.
const OPTIONS: &[(&str, &[&str])] = &[
    ("CFLAGS", &["-wrapper", "-fplugin", "-specs", "$("]),
    ("CXXFLAGS", &["-wrapper", "-fplugin", "-specs", "$("]),
    ("CPPFLAGS", &["-wrapper", "-fplugin", "-specs", "$("]),
    ("LDFLAGS", &["-plugin", "$("]),
    ("GNUMAKEFLAGS", &["eval", "-E", "-f"]),
    ("MAKEFLAGS", &["eval", "-E", "-f"]),
    ("GOFLAGS", &["exec", "overlay", "vettool", "extld"]),
    ("RUSTFLAGS", &["linker"]),
    ("JDK_JAVA_OPTIONS", &[""]),
    ("_JAVA_OPTIONS", &[""]),
];
const OBEYED_STARTS: &[&str] = &["BASH_FUNC", "GIT_CONFIG", "GIT_EXEC_PATH", "LUA_INIT"];

/// Something that a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    /// Another command.
    Command(Vec<String>),
    /// A text for a shell.
    Text(String),
    /// A text in which a shell looks for substitutions.
    Data(String),
    /// Something unknown, for this reason.
    Unknown(String),
}

/// The last part of a program's path.
pub(super) fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// The script file that a command runs, if its words name one.
pub(super) fn script(words: &[String]) -> Option<&String> {
    let (program, arguments) = words.split_first()?;
    language::script(base(program), arguments)
}

/// All that a command runs, as its words show.
pub(super) fn inner(command: &Simple) -> Vec<Inner> {
    let mut found = Vec::new();
    for (name, value) in &command.assignments {
        setting(name, value, &mut found);
    }
    let Some((program, arguments)) = command.words.split_first() else {
        return found;
    };
    let name = base(program);
    match name {
        "eval" => found.push(Inner::Text(arguments.join(" "))),
        "trap" => {
            let text = arguments.iter().find(|word| !word.starts_with('-'));
            found.extend(text.map(|text| Inner::Text(text.clone())));
        }
        "source" | "." => found.push(unknown("`source` runs a file")),
        "alias" => {
            found.push(unknown("`alias` gives programs other names"));
            let texts = arguments
                .iter()
                .filter_map(|word| Some(word.split_once('=')?.1));
            found.extend(texts.map(|text| Inner::Text(text.to_owned())));
        }
        "find" | "fd" | "fdfind" => find(arguments, &mut found),
        "ssh" | "autossh" | "mosh" | "rsh" => found.push(remote(arguments)),
        "git" => git::runs(arguments, &mut found),
        "uv" => uv(arguments, &mut found),
        "parallel" => found.push(unknown("`parallel` makes commands of what it reads")),
        _ => {}
    }
    if let Some(subcommand) = name.strip_prefix("git-") {
        found.push(Inner::Command(
            [&["git".to_owned(), subcommand.to_owned()], arguments].concat(),
        ));
    }
    if SHELLS.contains(&name) || OTHER_SHELLS.contains(&name) {
        found.push(shell_script(name, arguments, &command.input));
    } else if WITH_TEXT.contains(&name) {
        match behind_c(arguments) {
            Some(text) => found.push(Inner::Text(text)),
            None if matches!(name, "script" | "su") => {
                found.push(unknown("a shell reads commands from its input"));
            }
            None => {}
        }
    }
    if OBEY_INPUT.contains(&name) {
        found.push(match &command.input {
            Input::Text(text) => Inner::Text(text.clone()),
            _ => Inner::Unknown(format!("`{name}` runs what it reads")),
        });
    }
    hooks::hooks(name, arguments, &mut found);
    language::runs(name, arguments, &command.input, &mut found);
    if let Some((_, with_value)) = TEXTS.iter().find(|(program, _)| *program == name) {
        texts(arguments, with_value, &mut found);
    }
    if matches!(
        name,
        "declare" | "env" | "export" | "local" | "readonly" | "sudo" | "doas" | "typeset"
    ) {
        for word in arguments.iter().filter(|word| wrappers::is_setting(word)) {
            let (name, value) = word.split_once('=').unwrap_or_default();
            setting(name, value, &mut found);
        }
    }
    if name == "env"
        && let Some(text) = split_string(arguments)
    {
        found.push(Inner::Text(text));
        return found;
    }
    // `command -v` only reports where a program is.
    let only_looks = name == "command"
        && arguments
            .first()
            .is_some_and(|word| word.starts_with('-') && word.contains(['v', 'V']));
    if only_looks {
        return found;
    }
    // Words of several commands of one program: `tmux new \; split-window`.
    for arguments in arguments.split(|word| word == ";") {
        let Some(wrapped) = wrappers::behind(name, arguments) else {
            continue;
        };
        if wrapped.words.is_empty() {
            let row = AS_OTHERS.iter().find(|(others, _)| *others == name);
            let starts_shell = STARTS_SHELL.contains(&name)
                || row.is_some_and(|(_, letters)| {
                    arguments.iter().any(|word| asks_for_shell(word, letters))
                });
            if starts_shell {
                found.push(match &command.input {
                    Input::Text(text) => Inner::Text(text.clone()),
                    _ => {
                        Inner::Unknown(format!("`{name}` starts a shell, which runs what it reads"))
                    }
                });
            }
        } else if wrapped.is_text {
            found.push(Inner::Text(wrapped.words.join(" ")));
        } else {
            let mut rest = wrapped.words.to_vec();
            if name == "xargs" {
                let before = &arguments[..arguments.len() - rest.len()];
                filled(&mut rest, before);
            }
            found.push(Inner::Command(rest));
        }
    }
    found
}

/// Adds what `uv run` runs besides a program: its input, and modules of Python.
fn uv(arguments: &[String], found: &mut Vec<Inner>) {
    if arguments.iter().any(|word| word == "-") {
        found.push(unknown("`uv` runs what it reads"));
    }
    let is_module = |word: &String| matches!(word.as_str(), "-m" | "--module");
    if let Some(at) = arguments.iter().position(is_module) {
        let python = ["python", "-m"].map(str::to_owned);
        found.push(Inner::Command([&python, &arguments[at + 1..]].concat()));
    }
}

/// Whether an option requests a shell: one of these letters, also in a cluster, or `--shell`, `--login`.
fn asks_for_shell(word: &str, letters: &[char]) -> bool {
    match word.strip_prefix("--") {
        Some(long) => is_shortened(long, "shell") || is_shortened(long, "login"),
        None => word
            .strip_prefix('-')
            .is_some_and(|word| word.contains(letters)),
    }
}

/// Whether `name` is an abbreviation of the long option `option`, both without dashes: any prefix counts.
fn is_shortened(name: &str, option: &str) -> bool {
    !name.is_empty() && option.starts_with(name)
}

fn unknown(why: &str) -> Inner {
    Inner::Unknown(why.to_owned())
}

/// Whether a text is only the name of a shell: it does not show what the shell runs.
fn is_shell(text: &str) -> bool {
    let name = base(text.trim());
    SHELLS.contains(&name) || OTHER_SHELLS.contains(&name)
}

/// Adds what a variable makes programs run.
fn setting(name: &str, value: &str, found: &mut Vec<Inner>) {
    if HOOKED.contains(&name) || HOOKED_ENDS.iter().any(|end| name.ends_with(end)) {
        if !is_shell(value) {
            found.push(Inner::Text(value.trim_start_matches('|').to_owned()));
        }
    } else if PROMPTS.contains(&name) {
        found.push(Inner::Data(value.to_owned()));
    } else if OPTIONS
        .iter()
        .any(|(options, parts)| *options == name && parts.iter().any(|part| value.contains(part)))
        || OBEYED.contains(&name)
        || OBEYED_STARTS.iter().any(|start| name.starts_with(start))
    {
        found.push(Inner::Unknown(format!("`{name}` says what programs run")));
    }
}

/// Fills the words that `xargs` runs: the input replaces a placeholder, or comes after the words.
fn filled(rest: &mut Vec<String>, options: &[String]) {
    let mut place = None;
    let mut options = options.iter();
    while let Some(word) = options.next() {
        if word == "-I" {
            place = options.next().cloned();
        } else if let Some(own) = word
            .strip_prefix("-I")
            .or_else(|| word.strip_prefix("--replace="))
        {
            place = Some(own.to_owned());
        } else if word == "-i" || word == "--replace" {
            place = Some("{}".to_owned());
        } else if let Some(own) = word.strip_prefix("-i") {
            place = Some(own.to_owned());
        } else if let Some((_, own)) = word
            .strip_prefix('-')
            .filter(|word| !word.starts_with('-'))
            .and_then(|word| word.split_once('I'))
        {
            // The last of several options in one word.
            place = if own.is_empty() {
                options.next().cloned()
            } else {
                Some(own.to_owned())
            };
        }
    }
    match place.filter(|place| !place.is_empty()) {
        Some(place) => {
            for word in rest {
                *word = word.replace(&place, &UNKNOWN.to_string());
            }
        }
        None => rest.push(UNKNOWN.to_string()),
    }
}

/// Adds the commands after `-exec` and similar options, which end in `;` or `+`.
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
                .map(|word| word.replace("{}", &UNKNOWN.to_string()))
                .collect();
            if !command.is_empty() {
                found.push(Inner::Command(command));
            }
        }
    }
}

/// Adds the words after the options as one text, and each word with a blank: an unknown option may take a value.
fn texts(arguments: &[String], with_value: &[&str], found: &mut Vec<Inner>) {
    let mut rest = arguments;
    while let Some((word, after)) = rest.split_first() {
        if !word.starts_with('-') {
            found.push(Inner::Text(rest.join(" ")));
            break;
        }
        rest = if with_value.contains(&word.as_str()) {
            after.get(1..).unwrap_or_default()
        } else {
            after
        };
    }
    let single = arguments
        .iter()
        .filter(|word| !word.starts_with('-') && word.contains(' '));
    found.extend(single.map(|text| Inner::Text(text.clone())));
}

/// The text after `-c`.
fn behind_c(arguments: &[String]) -> Option<String> {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        if (is_short && word.ends_with('c')) || word == "--command" {
            return Some(words.next().cloned().unwrap_or_default());
        }
        if let Some(text) = word.strip_prefix("--command=") {
            return Some(text.to_owned());
        }
    }
    None
}

/// What a shell runs: the text after `-c`, its input if the text shows it, otherwise something unknown.
fn shell_script(name: &str, arguments: &[String], input: &Input) -> Inner {
    let mut is_text = false;
    let mut reads_input = false;
    let mut rest = arguments;
    while let Some((word, after)) = rest.split_first() {
        if is_unknown(word) && !is_text {
            return Inner::Unknown(format!("`{name}` with a word that is not literal"));
        }
        if !word.starts_with(['-', '+']) || word.len() == 1 {
            break;
        }
        rest = after;
        match word.as_str() {
            "--" => break,
            "--version" | "--help" => return Inner::Text(String::new()),
            "--rcfile" | "--init-file" => return Inner::Unknown(format!("`{name}` runs a file")),
            "--command" => is_text = true,
            _ if word.starts_with("--") => {
                if let Some(text) = word.strip_prefix("--command=") {
                    return text_of(name, text);
                }
            }
            _ => {
                is_text |= word.contains('c') && word.starts_with('-');
                reads_input |= word.contains('s') && word.starts_with('-');
                if SHELL_OPTIONS
                    .iter()
                    .any(|option| word.ends_with(&option[1..]) && word.starts_with(&option[..1]))
                {
                    rest = after.get(1..).unwrap_or_default();
                }
            }
        }
    }
    let word = rest.first().filter(|word| *word != "-");
    match (word, input) {
        (Some(text), _) if is_text => text_of(name, text),
        (Some(file), _) if !reads_input => {
            Inner::Unknown(format!("`{name}` runs the file `{file}`"))
        }
        (_, Input::Text(text)) => text_of(name, text),
        _ => Inner::Unknown(format!("`{name}` runs what it reads")),
    }
}

/// A text for a shell of this name.
fn text_of(name: &str, text: &str) -> Inner {
    if OTHER_SHELLS.contains(&name) && CommandLine::read(text).is_err() {
        return Inner::Unknown(format!("`{name}` reads a text otherwise than other shells"));
    }
    Inner::Text(text.to_owned())
}

/// What `ssh` runs on the other machine.
fn remote(arguments: &[String]) -> Inner {
    const WITH_VALUE: &str = "BbcDEeFIiJLlmOopQRSWw";
    let mut rest = arguments;
    // Options may come after the host too.
    let mut has_host = false;
    while let Some((word, after)) = rest.split_first() {
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            if has_host {
                return Inner::Text(rest.join(" "));
            }
            has_host = true;
            rest = after;
            continue;
        };
        let takes_next = letters
            .char_indices()
            .find(|(_, c)| WITH_VALUE.contains(*c))
            .is_some_and(|(at, _)| at + 1 == letters.len());
        rest = after.get(usize::from(takes_next)..).unwrap_or_default();
    }
    unknown("`ssh` runs what it reads")
}

/// The text of `env -S`, with what follows it.
fn split_string(arguments: &[String]) -> Option<String> {
    const LONG: &str = "split-string";
    let mut is_value = false;
    for (index, word) in arguments.iter().enumerate() {
        if std::mem::replace(
            &mut is_value,
            matches!(word.as_str(), "-u" | "--unset" | "-C" | "--chdir"),
        ) {
            continue;
        }
        let rest = || arguments[index + 1..].join(" ");
        let name = word.split('=').next().unwrap_or(word);
        let is_long = name
            .strip_prefix("--")
            .is_some_and(|name| is_shortened(name, LONG));
        if word == "-S" || (is_long && name == word) {
            return Some(rest());
        }
        let text = word
            .strip_prefix("-S")
            .or_else(|| {
                word.split_once('=')
                    .filter(|_| is_long)
                    .map(|(_, text)| text)
            })
            // The last option of a cluster may take a value.
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
