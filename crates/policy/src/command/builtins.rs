//! How the builtin commands of a shell change the reading of a text.

use super::shell::{Simple, Variables, is_unknown};
use super::wrappers::is_setting;

/// Commands that change what words mean or what programs are called.
const CHANGE_WORDS: &[&str] = &[
    "bind", "compgen", "complete", "enable", "fc", "let", "shopt",
];

/// Records the variables that a command sets. Returns why it is unknown what runs after the command.
pub(super) fn builtin(command: &Simple, variables: &mut Variables) -> Option<String> {
    let (name, arguments) = command.words.split_first()?;
    let options = || arguments.iter().filter(|word| word.starts_with(['-', '+']));
    let has = |letter: char| options().any(|word| !word.starts_with("--") && word.contains(letter));
    match name.as_str() {
        _ if CHANGE_WORDS.contains(&name.as_str()) => {
            return Some(format!("`{name}` changes what words mean"));
        }
        "hash" if has('p') => return Some("`hash -p` gives a program another name".to_owned()),
        "set" if has('k') || arguments.iter().any(|word| word == "keyword") => {
            return Some("`set -k` changes what words mean".to_owned());
        }
        "declare" | "typeset" | "local" | "export" | "readonly" => {
            if has('i') || has('n') {
                return Some(format!("`{name}` makes a variable an expression"));
            }
            for word in arguments
                .iter()
                .filter(|word| !word.starts_with(['-', '+']))
            {
                let (variable, value) = word.split_once('=').unwrap_or((word, ""));
                if is_unknown(variable) || variable.contains('[') {
                    return Some(format!("`{name}` with a name that is not literal"));
                }
                if is_setting(word) && !value.chars().all(|c| c.is_ascii_digit()) {
                    variables
                        .texts
                        .insert(variable.trim_end_matches('+').to_owned());
                }
            }
        }
        "mapfile" | "readarray" if has('C') => return Some(format!("`{name} -C` runs a text")),
        "read" | "mapfile" | "readarray" | "getopts" => {
            variables.any = true;
            return computed(name, arguments);
        }
        "printf" if arguments.first().is_some_and(|word| word.starts_with("-v")) => {
            variables.any = true;
            return computed(name, &arguments[..arguments.len().min(2)]);
        }
        "unset" => return computed(name, arguments),
        "test" | "[" if arguments.iter().any(|word| word == "-v" || word == "-R") => {
            let arguments = arguments
                .strip_suffix(&["]".to_owned()])
                .unwrap_or(arguments);
            return computed(name, arguments);
        }
        _ => {}
    }
    None
}

/// The doubt about a name with an index, or an unknown name: the shell computes the index, which can run commands.
fn computed(name: &str, arguments: &[String]) -> Option<String> {
    arguments
        .iter()
        .any(|word| is_unknown(word) || word.contains('['))
        .then(|| format!("`{name}` with a name that is not literal"))
}
