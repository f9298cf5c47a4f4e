//! Commands in the values of options, settings and words.

mod rows;

use super::language::is_stream;
use super::{Inner, unknown};
use rows::{HOOKS, LISTS, MARKED, SETTINGS, STREAMS, UNSEEN};

/// Adds the commands in the values of options, settings and words.
pub(super) fn hooks(name: &str, arguments: &[String], found: &mut Vec<Inner>) {
    let name = match name {
        "bsdtar" | "gtar" => "tar",
        name => name,
    };
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
    for (_, option, between) in LISTS.iter().filter(|row| is_family(row.0, name)) {
        for value in values(option, arguments) {
            found.push(Inner::Text(value.replace(*between, " ")));
        }
    }
    for (_, options, parts) in SETTINGS.iter().filter(|row| is_family(row.0, name)) {
        for value in options.iter().flat_map(|option| values(option, arguments)) {
            let Some((setting, command)) = value.split_once('=') else {
                continue;
            };
            let setting = setting.to_ascii_lowercase();
            if parts.iter().any(|part| has_part(&setting, part)) {
                let command = command
                    .trim_start_matches(['=', '|', '"'])
                    .trim_end_matches('"')
                    .replace(';', " ");
                if !super::is_shell(&command) {
                    found.push(Inner::Text(command));
                }
            }
        }
    }
    for (_, options, signs) in UNSEEN.iter().filter(|row| is_family(row.0, name)) {
        for option in *options {
            let shows =
                |value: &str| signs.is_empty() || signs.iter().any(|sign| value.contains(sign));
            if plain_values(option, arguments).any(shows) {
                found.push(Inner::Unknown(format!(
                    "`{name} {option}` runs a program that the command does not name"
                )));
            }
        }
    }
    if name == "go" {
        // `go env -w` stores variables.
        for (name, value) in arguments.iter().filter_map(|word| word.split_once('=')) {
            super::setting(name, value, found);
        }
    }
    for (_, options) in STREAMS.iter().filter(|row| is_family(row.0, name)) {
        let mut files = options.iter().flat_map(|option| values(option, arguments));
        if files.any(is_stream) {
            found.push(Inner::Unknown(format!("`{name}` runs what it reads")));
        }
    }
    if matches!(name, "make" | "gmake" | "bmake") {
        make(arguments, found);
    }
    if name == "tar" {
        // The letters of the first word may have no `-`, and their values follow in order.
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
    if let Some((_, markers)) = MARKED.iter().find(|(program, _)| *program == name) {
        for word in arguments {
            // The markers of addresses are read in either case.
            let upper = word.to_ascii_uppercase();
            let texts = markers.iter().filter_map(|marker| {
                let at = upper.find(&marker.to_ascii_uppercase())?;
                word.get(at + marker.len()..)
            });
            found.extend(texts.map(|text| Inner::Text(text.to_owned())));
        }
    }
}

/// Adds what the words of `make` run: texts of its own language, and variables, which recipes pass to a shell.
fn make(arguments: &[String], found: &mut Vec<Inner>) {
    for option in ["--eval", "-E"] {
        for text in values(option, arguments) {
            found.push(unknown("`make --eval` runs a text that is not read here"));
            let recipes = text.split(['\n', ';']).map(str::trim);
            let recipes = recipes.filter(|recipe| !recipe.is_empty() && !recipe.ends_with(':'));
            found.extend(recipes.map(|recipe| Inner::Text(recipe.to_owned())));
        }
    }
    for (name, value) in arguments.iter().filter_map(|word| word.split_once('=')) {
        let is_computed = name.ends_with('!') || name == "MAKEFLAGS" || name == ".SHELLFLAGS";
        if !name.starts_with('-') && (is_computed || is_active(value)) {
            found.push(unknown("`make` runs the contents of a variable"));
        }
    }
}

/// Whether a shell would see more than words in a value.
pub(super) fn is_active(value: &str) -> bool {
    value.contains([';', '|', '&', '`', '<', '>', '\n'])
        || value.contains("$(")
        || value.contains("${")
}

/// Whether a program is one of these, with or without a version at the end and a machine at the start of its name.
fn is_family(names: &[&str], name: &str) -> bool {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    names.iter().any(|known| {
        name == *known
            || bare == *known
            || bare
                .strip_suffix(known)
                .is_some_and(|rest| rest.ends_with('-') && known.len() > 2)
    })
}

/// Whether a setting's name contains a part: anywhere, or as its last word if the part starts with `=`.
fn has_part(setting: &str, part: &str) -> bool {
    let Some(word) = part.strip_prefix('=') else {
        return setting.contains(part);
    };
    let before = setting.strip_suffix(word);
    before.is_some_and(|before| !before.ends_with(|c: char| c.is_ascii_alphanumeric()))
}

/// All values of an option; for the empty option, all words.
fn values<'a>(option: &'a str, arguments: &'a [String]) -> impl Iterator<Item = &'a str> {
    arguments
        .iter()
        .enumerate()
        .filter_map(move |(index, word)| {
            if option.is_empty() {
                return Some(word.as_str());
            }
            value_of(option, word, || {
                Some(arguments.get(index + 1).map_or("", String::as_str))
            })
        })
}

/// The same, but letters before the option in its word must be flags of `ssh` or a similar program.
fn plain_values<'a>(option: &'a str, arguments: &'a [String]) -> impl Iterator<Item = &'a str> {
    let is_plain = move |word: &&str| {
        let before = word.split(option.trim_start_matches('-')).next();
        option.starts_with("--")
            || option.is_empty()
            || word.starts_with(option)
            || before.is_some_and(|before| before.chars().all(|c| "-vqntTaACNfk46".contains(c)))
    };
    arguments
        .iter()
        .enumerate()
        .filter_map(move |(index, word)| {
            if option.is_empty() {
                return Some(word.as_str());
            }
            let next = || Some(arguments.get(index + 1).map_or("", String::as_str));
            Some(word.as_str())
                .filter(is_plain)
                .and_then(|word| value_of(option, word, next))
        })
}

/// The value of an option in this word, or in the next: a long option may be abbreviated, a short one clustered.
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
            .is_some_and(|name| super::is_shortened(name, long));
        return if is_it { value.or_else(next) } else { None };
    }
    if word == option {
        return next();
    }
    // `-toolexec=rm`, `-TTrm`; Go accepts two dashes as well.
    if option.len() > 2 {
        let word = word
            .strip_prefix('-')
            .filter(|word| word.starts_with('-'))
            .unwrap_or(word);
        if word == option {
            return next();
        }
        let value = word.strip_prefix(option)?;
        return Some(value.strip_prefix('=').unwrap_or(value));
    }
    let letter = option
        .strip_prefix('-')
        .filter(|rest| rest.chars().count() == 1)?;
    let cluster = word
        .strip_prefix('-')
        .filter(|word| !word.starts_with('-'))?;
    let (before, value) = cluster.split_once(letter)?;
    // Letters before the option are options without a value; any other character is part of the first option's value.
    if !before.chars().all(|c| c.is_ascii_alphabetic()) {
        return None;
    }
    if value.is_empty() {
        next()
    } else {
        Some(value)
    }
}
