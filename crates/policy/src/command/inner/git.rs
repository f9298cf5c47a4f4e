//! What git runs: its options, settings, aliases and subcommands that hold a command.

use super::Inner;
use super::hooks::value_of;

/// Short options that take a command only after some of git's subcommands, and the letters after which the rest of a
/// word is a value.
const GIT_HOOKS: &[(&str, &[&str], &str)] = &[
    ("-O", &["grep"], "ABCefm"),
    ("-u", &["clone", "fetch-pack", "ls-remote"], "bcjo"),
    ("-x", &["difftool", "rebase"], "CSXst"),
];

/// Suffixes of git's settings whose value is run.
const GIT_RUNS: &[&str] = &[
    "askpass",
    "clean",
    "cmd",
    "command",
    "driver",
    "editor",
    "external",
    "fsmonitor",
    "helper",
    "pager",
    "process",
    "program",
    "smudge",
    "textconv",
];

/// Adds what git runs: values of its options and settings, aliases, and commands of its subcommands.
pub(super) fn runs(arguments: &[String], found: &mut Vec<Inner>) {
    for (option, subcommands, with_value) in GIT_HOOKS {
        let is_there = |word: &String| subcommands.contains(&word.as_str());
        let Some(at) = arguments.iter().position(is_there) else {
            continue;
        };
        for (index, word) in arguments.iter().enumerate().skip(at + 1) {
            let next = || arguments.get(index + 1).map(String::as_str);
            let is_value = |(before, _): (&str, &str)| before.contains(|c| with_value.contains(c));
            if !word.split_once(&option[1..]).is_some_and(is_value) {
                let value = value_of(option, word, next);
                found.extend(value.map(|text| Inner::Text(text.to_owned())));
            }
        }
    }
    for (key, value) in arguments
        .windows(2)
        .filter(|pair| matches!(pair[0].as_str(), "-c" | "--config"))
        .filter_map(|pair| pair[1].split_once('='))
    {
        unseen(key, found);
        if is_run(key) {
            found.push(Inner::Text(value.trim_start_matches('!').to_owned()));
        }
    }
    // A value that is set here is run later.
    let is_setting = arguments.iter().any(|word| word == "config");
    for pair in arguments.windows(2).filter(|_| is_setting) {
        let (key, value) = (&pair[0], &pair[1]);
        unseen(key, found);
        if is_run(key) {
            found.push(Inner::Text(value.trim_start_matches('!').to_owned()));
        } else if key.to_ascii_lowercase().starts_with("alias.") {
            found.push(match value.strip_prefix('!') {
                Some(text) => Inner::Text(text.to_owned()),
                None => Inner::Text(format!("git {value}")),
            });
        }
    }
    let helpers = arguments
        .iter()
        .filter_map(|word| word.strip_prefix("ext::"));
    found.extend(helpers.map(|text| Inner::Text(text.to_owned())));
    for setting in arguments
        .iter()
        .filter_map(|word| word.strip_prefix("alias."))
    {
        let Some((alias, value)) = setting.split_once('=') else {
            continue;
        };
        if let Some(text) = value.strip_prefix('!') {
            found.push(Inner::Text(text.to_owned()));
            continue;
        }
        let at = arguments.iter().position(|word| word == alias);
        let rest = at.map_or(&[][..], |at| &arguments[at + 1..]);
        let words = std::iter::once("git").chain(value.split_ascii_whitespace());
        found.push(Inner::Command(
            words
                .map(str::to_owned)
                .chain(rest.iter().cloned())
                .collect(),
        ));
    }
    if let Some(at) = arguments
        .iter()
        .position(|word| word == "--config-env" || word.starts_with("--config-env="))
    {
        found.push(Inner::Unknown(format!(
            "`{}` sets what git runs",
            arguments[at]
        )));
    }
    // Hooks are copied from a template, and `--exec-path` is where git finds its programs.
    let takes_template = arguments
        .iter()
        .any(|word| word == "clone" || word == "init");
    let unseen = arguments.iter().find(|word| {
        word.starts_with("--exec-path=") || (takes_template && word.starts_with("--template"))
    });
    if let Some(word) = unseen {
        found.push(Inner::Unknown(format!(
            "`git {word}` runs a program that the command does not name"
        )));
    }
    for (first, second) in [("submodule", "foreach"), ("bisect", "run")] {
        let at = arguments.iter().position(|word| word == first);
        let after = at.and_then(|at| {
            let rest = &arguments[at + 1..];
            let at = rest.iter().position(|word| word == second)?;
            Some(&rest[at + 1..])
        });
        if let Some(rest) = after {
            let rest: Vec<&str> = rest
                .iter()
                .map(String::as_str)
                .skip_while(|word| word.starts_with('-'))
                .collect();
            found.push(Inner::Text(rest.join(" ")));
        }
    }
}

/// Adds a doubt for a setting that names a place with commands or more settings.
fn unseen(key: &str, found: &mut Vec<Inner>) {
    let lower = key.to_ascii_lowercase();
    let is_include = lower.starts_with("include") && lower.rsplit('.').next() == Some("path");
    if lower == "core.hookspath" || lower == "init.templatedir" || is_include {
        found.push(Inner::Unknown(format!(
            "git runs the program that `{key}` leads to"
        )));
    }
}

/// Whether git runs the value of this setting.
fn is_run(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let is_key = key.contains('.') && !key.starts_with('-');
    is_key && (key.starts_with("pager.") || GIT_RUNS.iter().any(|end| key.ends_with(end)))
}
