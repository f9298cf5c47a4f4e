//! Whether a program of awk runs commands.

/// Names of awk.
pub(super) const NAMES: &[&str] = &["awk", "gawk", "mawk", "nawk", "original-awk"];

/// Options whose value is the next word and no program.
const WITH_VALUE: &[&str] = &[
    "-F",
    "-v",
    "-f",
    "-E",
    "-i",
    "-l",
    "--assign",
    "--exec",
    "--field-separator",
    "--file",
    "--include",
    "--load",
];

/// Words behind which a `/` begins a pattern.
const BEFORE_PATTERN: &[&str] = &["case", "in", "print", "printf", "return"];

/// Whether one of the programs in these words has `system(..)`, a pipe, or a call of a function by a name that is computed.
pub(super) fn runs_commands(arguments: &[String]) -> bool {
    let mut has_program = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let program = match word.as_str() {
            "-e" | "--source" => words.next().map(String::as_str),
            "--" => continue,
            _ if WITH_VALUE.contains(&word.as_str()) => {
                has_program |= matches!(word.as_str(), "-f" | "-E" | "--file" | "--exec");
                words.next();
                continue;
            }
            option if option.starts_with('-') && option.len() > 1 => option
                .strip_prefix("--source=")
                .or(option.strip_prefix("-e")),
            _ if has_program => return false,
            program => Some(program),
        };
        if let Some(program) = program {
            has_program = true;
            if asks_a_shell(program) {
                return true;
            }
        }
    }
    false
}

fn asks_a_shell(program: &str) -> bool {
    let mut rest = program;
    // Whether a value may begin here, and so a `/` a pattern.
    let mut is_open = true;
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        match c {
            '"' => {
                rest = behind_text(behind, '"');
                is_open = false;
                continue;
            }
            '/' if is_open => {
                rest = behind_text(behind, '/');
                is_open = false;
                continue;
            }
            '#' => {
                rest = behind.find('\n').map_or("", |at| &behind[at..]);
                continue;
            }
            '@' => return true,
            '|' => match behind.strip_prefix('|') {
                Some(behind) => {
                    rest = behind;
                    is_open = true;
                    continue;
                }
                None => return true,
            },
            _ if c.is_ascii_alphanumeric() || c == '_' => {
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let (word, behind) = rest.split_at(end);
                if word == "system" && behind.trim_start().starts_with('(') {
                    return true;
                }
                is_open = BEFORE_PATTERN.contains(&word);
                rest = behind;
                continue;
            }
            ')' | ']' | '$' => is_open = false,
            _ if c.is_whitespace() && c != '\n' => {}
            _ => is_open = true,
        }
        rest = behind;
    }
    false
}

/// What stands behind a text or a pattern that ends with this sign; in brackets of a pattern the sign ends nothing.
fn behind_text(text: &str, end: char) -> &str {
    let mut is_bracket = false;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '[' if end == '/' => is_bracket = true,
            ']' => is_bracket = false,
            '\n' => return &text[at..],
            _ if c == end && !is_bracket => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::runs_commands;

    fn runs(words: &[&str]) -> bool {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        runs_commands(&words)
    }

    #[test]
    fn commands_are_found_and_bars_in_texts_are_none() {
        for words in [
            &["BEGIN{system(\"rm x\")}"][..],
            &["BEGIN { system (c) }"],
            &["BEGIN{\"rm x\" | getline}"],
            &["{print|\"rm x\"}"],
            &["{print $1 \"a\"|\"rm x\"}"],
            &["/\"/{print | c}"],
            &["/[/\"]/{print | c}"],
            &["{print |& c}"],
            &["BEGIN{f=\"system\"; @f(\"rm x\")}"],
            &["-F", ":", "-v", "a=1", "{system(a)}", "file"],
            &["-e", "{}", "-e", "{system(a)}"],
            &["--source={system(a)}"],
            &["{a = b / 2; print | c} # /"],
        ] {
            assert!(runs(words), "{words:?}");
        }
        for words in [
            &["{print $1 \"|\" $2 \" | \" $3}"][..],
            &["/a|b/ && $1 ~ /c|d/ || $2 !~ /[/|]/"],
            &["{print /a|b/ ? 1 : 2}"],
            &["-F|", "{print $1}"],
            &["-F", "|", "{print $1}", "a|b"],
            &["{print \"system(x)\", $2 / 3 # a | b\n}"],
            &["{subsystem(x)}"],
            &["-f", "file", "a|b"],
        ] {
            assert!(!runs(words), "{words:?}");
        }
    }
}
