//! Commands in the values of options.

use super::Inner;

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
    ("gdb", "--ex", "shell "),
    ("gdb", "--ex", "!"),
    ("gdb", "-iex", "shell "),
    ("gdb", "-iex", "!"),
    ("gdb", "-eval-command", "shell "),
    ("gdb", "-eval-command", "!"),
    ("gdb", "--eval-command", "shell "),
    ("gdb", "--eval-command", "!"),
    ("gdb", "--init-eval-command", "shell "),
    ("gdb", "--init-eval-command", "!"),
    ("strace", "-o", "|"),
    ("strace", "-o", "!"),
    ("strace", "--output", "|"),
    ("strace", "--output", "!"),
    ("docker", "--entrypoint", ""),
    ("docker", "--health-cmd", ""),
    ("podman", "--entrypoint", ""),
    ("podman", "--health-cmd", ""),
    ("nix-shell", "--run", ""),
    ("nix-shell", "--command", ""),
    ("vagrant", "-c", ""),
    ("vagrant", "--command", ""),
    ("nodemon", "-x", ""),
    ("nodemon", "--exec", ""),
    ("cargo", "-s", ""),
    ("cargo", "--shell", ""),
    ("nc", "-e", ""),
    ("nc", "-c", ""),
    ("ncat", "-e", ""),
    ("ncat", "-c", ""),
    ("ncat", "--exec", ""),
    ("ncat", "--sh-exec", ""),
    ("tcpdump", "-z", ""),
    ("flatpak", "--command", ""),
    ("ack", "--pager", ""),
    ("ag", "--pager", ""),
    ("bat", "--pager", ""),
    ("delta", "--pager", ""),
    ("fzf", "--preview", ""),
    ("bpftrace", "-c", ""),
    ("chokidar", "-c", ""),
    ("chokidar", "--command", ""),
    ("go", "-exec", ""),
    ("go", "-toolexec", ""),
    ("bazel", "--run_under", ""),
    ("hyperfine", "--setup", ""),
    ("hyperfine", "--cleanup", ""),
    ("hyperfine", "--conclude", ""),
    ("wget", "--use-askpass", ""),
    ("sqlite3", "-cmd", ".shell "),
    ("sqlite3", "-cmd", ".system "),
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

/// Programs of which a word may hold a command of theirs that runs one, and the signs behind which that stands.
const MARKED: &[(&str, &[&str])] = &[
    ("ex", &["!"]),
    ("expect", &["spawn ", "exec ", "system "]),
    ("ftp", &["!"]),
    ("less", &["!"]),
    ("lldb", &["shell "]),
    ("more", &["!"]),
    ("most", &["!"]),
    ("mysql", &["!"]),
    ("nvim", &["!"]),
    ("psql", &["!"]),
    ("socat", &["EXEC:", "SYSTEM:", "SHELL:"]),
    ("sqlite3", &[".shell ", ".system "]),
    ("vi", &["!"]),
    ("view", &["!"]),
    ("vim", &["!"]),
];

/// The commands in values of options.
pub(super) fn hooks(name: &str, arguments: &[String], found: &mut Vec<Inner>) {
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
    if let Some((_, marks)) = MARKED.iter().find(|(program, _)| *program == name) {
        for word in arguments {
            // The signs of addresses are read in either case.
            let upper = word.to_ascii_uppercase();
            let behind = marks.iter().filter_map(|mark| {
                let at = upper.find(&mark.to_ascii_uppercase())?;
                word.get(at + mark.len()..)
            });
            found.extend(behind.map(|text| Inner::Text(text.to_owned())));
        }
    }
}

/// The value of an option in this word, or in the next: a long option may be cut short, a short one stand behind others.
pub(super) fn value_of<'a>(
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
