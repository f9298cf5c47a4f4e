//! What a command runs besides itself.

mod git;

use super::shell::{Input, Simple, UNKNOWN, is_unknown};
use super::{CommandLine, wrappers};

/// Shells of one grammar that run the text behind `-c`, a file, or their input.
const SHELLS: &[&str] = &["ash", "bash", "busybox-sh", "dash", "rbash", "sh"];

/// Shells of other grammars: of them only a literal line is understood.
const OTHER_SHELLS: &[&str] = &[
    "csh", "elvish", "fish", "ksh", "ksh93", "mksh", "nu", "pwsh", "tcsh", "xonsh", "yash", "zsh",
];

/// Programs that run the text behind `-c` in a shell.
const WITH_TEXT: &[&str] = &["flock", "runuser", "script", "su"];

/// Options of shells whose value is the next word.
const SHELL_OPTIONS: &[&str] = &["-o", "+o", "-O", "+O"];

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
    ("tar", "--rmt-command", ""),
    ("cpio", "--rsh-command", ""),
    ("cpio", "--rmt-command", ""),
    ("rsync", "--rsync-path", ""),
    ("start-stop-daemon", "--exec", ""),
    ("start-stop-daemon", "-x", ""),
    ("start-stop-daemon", "--startas", ""),
    ("start-stop-daemon", "-a", ""),
    ("capsh", "-c", ""),
    ("rsync", "--rsh", ""),
    ("rsync", "-e", ""),
    ("rg", "--pre", ""),
    ("sort", "--compress-program", ""),
    ("man", "--pager", ""),
    ("man", "-P", ""),
    ("git", "--upload-pack", ""),
    ("git", "--receive-pack", ""),
    ("git", "--exec", ""),
    ("git", "--extcmd", ""),
    ("git", "--tree-filter", ""),
    ("git", "--index-filter", ""),
    ("git", "--env-filter", ""),
    ("git", "--msg-filter", ""),
    ("git", "--commit-filter", ""),
    ("git", "--parent-filter", ""),
    ("git", "--tag-name-filter", ""),
    ("git", "--open-files-in-pager", ""),
    ("gdb", "-ex", "shell "),
    ("gdb", "-ex", "!"),
    ("npm", "-c", ""),
    ("npm", "--call", ""),
    ("npx", "-c", ""),
    ("npx", "--call", ""),
    ("zip", "-TT", ""),
    ("zip", "--unzip-command", ""),
    ("split", "--filter", ""),
    ("scp", "-S", ""),
    ("sftp", "-S", ""),
    ("hyperfine", "--prepare", ""),
    ("xterm", "-e", ""),
];
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
];

/// Programs that run what their input says, at once or later.
const OBEY_INPUT: &[&str] = &["at", "batch", "crontab"];

/// Programs that run what stands in a variable, by the end of its name, by its beginning, or as a whole.
const HOOKED_ENDS: &[&str] = &["PAGER", "EDITOR", "_COMMAND", "ASKPASS", "_RSH"];
const HOOKED: &[&str] = &[
    "BROWSER",
    "GIT_EXTERNAL_DIFF",
    "GIT_SSH",
    "LESSCLOSE",
    "LESSOPEN",
    "VISUAL",
];
const PROMPTS: &[&str] = &["PS0", "PS1", "PS2", "PS4"];
/// Variables that say where programs are told what to run.
const OBEYED: &[&str] = &[
    "BASHOPTS",
    "BASH_ENV",
    "GCONV_PATH",
    "JAVA_TOOL_OPTIONS",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "NODE_OPTIONS",
    "PERL5OPT",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "SHELLOPTS",
    "TAR_OPTIONS",
];
const OBEYED_STARTS: &[&str] = &["BASH_FUNC", "GIT_CONFIG", "GIT_EXEC_PATH"];

/// What a command runs besides itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    /// Another command.
    Command(Vec<String>),
    /// A text for a shell.
    Text(String),
    /// A text in which a shell looks for substitutions.
    Data(String),
    /// Something, but what cannot be said, for this reason.
    Unknown(String),
}

/// The last part of a program's path.
pub(super) fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// All that a command runs besides itself, as its words tell.
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
        "ssh" => found.push(remote(arguments)),
        "git" => git::runs(arguments, &mut found),
        "parallel" => found.push(unknown("`parallel` makes commands of what it reads")),
        _ => {}
    }
    if let Some(subcommand) = name.strip_prefix("git-") {
        found.push(Inner::Command(
            [&["git".to_owned(), subcommand.to_owned()], arguments].concat(),
        ));
    }
    if SHELLS.contains(&name) || OTHER_SHELLS.contains(&name) {
        found.push(script(name, arguments, &command.input));
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
    hooks(name, arguments, &mut found);
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
    // `command -v` only says where a program is.
    let only_looks = name == "command"
        && arguments
            .first()
            .is_some_and(|word| word.starts_with('-') && word.contains(['v', 'V']));
    if let Some(wrapper) = wrappers::of(name).filter(|_| !only_looks) {
        let rest = wrapper.behind(arguments);
        if !rest.is_empty() {
            let mut rest = rest.to_vec();
            if name == "xargs" {
                let before = &arguments[..arguments.len() - rest.len()];
                filled(&mut rest, before);
            }
            found.push(Inner::Command(rest));
        }
    }
    found
}

fn unknown(why: &str) -> Inner {
    Inner::Unknown(why.to_owned())
}

/// What a variable makes others run.
fn setting(name: &str, value: &str, found: &mut Vec<Inner>) {
    if HOOKED.contains(&name) || HOOKED_ENDS.iter().any(|end| name.ends_with(end)) {
        found.push(Inner::Text(value.trim_start_matches('|').to_owned()));
    } else if PROMPTS.contains(&name) {
        found.push(Inner::Data(value.to_owned()));
    } else if OBEYED.contains(&name) || OBEYED_STARTS.iter().any(|start| name.starts_with(start)) {
        found.push(Inner::Unknown(format!("`{name}` says what programs run")));
    }
}

/// What `xargs` runs: its words with something in the place of one, or behind them.
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

/// The commands in values of options.
fn hooks(name: &str, arguments: &[String], found: &mut Vec<Inner>) {
    for (_, option, before) in HOOKS.iter().filter(|(program, ..)| *program == name) {
        for (index, word) in arguments.iter().enumerate() {
            let next = || arguments.get(index + 1).map(String::as_str);
            let Some(value) = value_of(option, word, next) else {
                continue;
            };
            if let Some(text) = value.strip_prefix(before) {
                found.push(Inner::Text(text.to_owned()));
            }
        }
    }
    if name == "tar" {
        // The letters of its first word may stand without a `-`, and their values behind it in order.
        let letters = arguments.first().filter(|word| !word.starts_with('-'));
        if letters.is_some_and(|letters| letters.contains(['I', 'F'])) {
            found.extend(arguments[1..].iter().map(|word| Inner::Text(word.clone())));
        }
    }
    if matches!(name, "ssh" | "scp" | "sftp") {
        let values = arguments.iter().enumerate().filter_map(|(index, word)| {
            value_of("-o", word, || arguments.get(index + 1).map(String::as_str))
        });
        for value in values {
            let at = value.find(['=', ' ']).unwrap_or(value.len());
            if value[..at].to_ascii_lowercase().ends_with("command") {
                found.push(Inner::Text(
                    value[at..].trim_start_matches(['=', ' ']).to_owned(),
                ));
            }
        }
    }
    if matches!(name, "vim" | "vi" | "view" | "ex" | "nvim") {
        let texts = arguments.iter().filter_map(|word| word.split_once('!'));
        found.extend(texts.map(|(_, text)| Inner::Text(text.to_owned())));
    }
}

/// The value of an option in this word, or in the next: a long option may be cut short, a short one stand behind others.
fn value_of<'a>(
    option: &str,
    word: &'a str,
    next: impl Fn() -> Option<&'a str>,
) -> Option<&'a str> {
    if let Some(long) = option.strip_prefix("--") {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let is_it = name
            .strip_prefix("--")
            .is_some_and(|name| !name.is_empty() && long.starts_with(name));
        return if is_it { value.or_else(next) } else { None };
    }
    if word == option {
        return next();
    }
    let letter = option
        .strip_prefix('-')
        .filter(|rest| rest.chars().count() == 1)?;
    let cluster = word
        .strip_prefix('-')
        .filter(|word| !word.starts_with('-'))?;
    let (before, value) = cluster.split_once(letter)?;
    // Letters before it are options without a value; anything else is the value of the first.
    if !before.chars().all(|c| c.is_ascii_alphabetic()) {
        return None;
    }
    if value.is_empty() {
        next()
    } else {
        Some(value)
    }
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
                .map(|word| word.replace("{}", &UNKNOWN.to_string()))
                .collect();
            if !command.is_empty() {
                found.push(Inner::Command(command));
            }
        }
    }
}

/// Every beginning of the words that may be a text: where an option has a value that is not known here, the text begins later.
fn texts(arguments: &[String], with_value: &[&str], found: &mut Vec<Inner>) {
    let mut rest = arguments;
    while let Some((word, behind)) = rest.split_first() {
        if !word.starts_with('-') {
            found.push(Inner::Text(rest.join(" ")));
            break;
        }
        rest = if with_value.contains(&word.as_str()) {
            behind.get(1..).unwrap_or_default()
        } else {
            behind
        };
    }
    let single = arguments
        .iter()
        .filter(|word| !word.starts_with('-') && word.contains(' '));
    found.extend(single.map(|text| Inner::Text(text.clone())));
}

/// The text behind `-c`.
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

/// What a shell is asked to run: the text behind `-c`, its input where the text tells it, otherwise something that cannot be seen.
fn script(name: &str, arguments: &[String], input: &Input) -> Inner {
    let mut is_text = false;
    let mut reads_input = false;
    let mut rest = arguments;
    while let Some((word, behind)) = rest.split_first() {
        if is_unknown(word) && !is_text {
            return Inner::Unknown(format!("`{name}` with a word that the text does not tell"));
        }
        if !word.starts_with(['-', '+']) || word.len() == 1 {
            break;
        }
        rest = behind;
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
                    rest = behind.get(1..).unwrap_or_default();
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
    while let Some((word, behind)) = rest.split_first() {
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            return if behind.is_empty() {
                unknown("`ssh` runs what it reads")
            } else {
                Inner::Text(behind.join(" "))
            };
        };
        let takes_next = letters
            .char_indices()
            .find(|(_, c)| WITH_VALUE.contains(*c))
            .is_some_and(|(at, _)| at + 1 == letters.len());
        rest = behind.get(usize::from(takes_next)..).unwrap_or_default();
    }
    unknown("`ssh` runs what it reads")
}

/// The text of `env -S`, with what stands behind it.
fn split_string(arguments: &[String]) -> Option<String> {
    const LONG: &str = "--split-string";
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
        let is_long = name.len() > 2 && LONG.starts_with(name);
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
