//! Whether a program of awk runs commands.

use super::super::Inner;
use super::Runs;

/// Words behind which a `/` begins a pattern.
const BEFORE_PATTERN: &[&str] = &["case", "in", "print", "printf", "return"];

/// Whether a program has `system(..)`, a pipe, or a call of a function by a name that is computed.
pub(super) fn read(program: &str, _: &mut Vec<Inner>) -> Runs {
    if asks_a_shell(program) {
        Runs::Commands
    } else {
        Runs::Nothing
    }
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
    use super::asks_a_shell;

    #[test]
    fn commands_are_found_and_bars_in_texts_are_none() {
        for program in [
            "BEGIN{system(\"rm x\")}",
            "BEGIN { system (c) }",
            "BEGIN{\"rm x\" | getline}",
            "{print|\"rm x\"}",
            "{print $1 \"a\"|\"rm x\"}",
            "/\"/{print | c}",
            "/[/\"]/{print | c}",
            "{print |& c}",
            "BEGIN{f=\"system\"; @f(\"rm x\")}",
            "{a = b / 2; print | c} # /",
        ] {
            assert!(asks_a_shell(program), "{program}");
        }
        for program in [
            "{print $1 \"|\" $2 \" | \" $3}",
            "/a|b/ && $1 ~ /c|d/ || $2 !~ /[/|]/",
            "{print /a|b/ ? 1 : 2}",
            "{print \"system(x)\", $2 / 3 # a | b\n}",
            "{subsystem(x)}",
        ] {
            assert!(!asks_a_shell(program), "{program}");
        }
    }
}
