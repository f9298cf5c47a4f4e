//! Whether a program of awk runs commands.

use super::super::Inner;
use super::Runs;

/// Words after which a `/` starts a pattern.
const BEFORE_PATTERN: &[&str] = &["case", "do", "else", "in", "print", "printf", "return"];

/// Words after whose parentheses a `/` starts a pattern.
const CONDITIONS: &[&str] = &["for", "if", "switch", "while"];

/// How brackets in a pattern are read: implementations of awk disagree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brackets {
    /// Brackets end at the first `]`.
    Short,
    /// A `]` at the start of brackets, or of a class in them, is a letter.
    Posix,
}

/// Whether a program has `system(..)`, a pipe, or a call of a function by a name that is computed.
pub(super) fn read(program: &str, _: &mut Vec<Inner>) -> Runs {
    if asks_a_shell(program) {
        Runs::Commands
    } else {
        Runs::Nothing
    }
}

fn asks_a_shell(program: &str) -> bool {
    asks(program, Brackets::Short) || asks(program, Brackets::Posix)
}

fn asks(program: &str, brackets: Brackets) -> bool {
    let mut rest = program;
    // Whether a value may start here, so that a `/` starts a pattern.
    let mut is_open = true;
    // For each open parenthesis, whether a statement comes after it.
    let mut conditions = Vec::new();
    let mut last_word = "";
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let before = std::mem::take(&mut last_word);
        match c {
            '"' => {
                rest = after_text(after);
                is_open = false;
                continue;
            }
            '/' if is_open => {
                rest = after_pattern(after, brackets);
                is_open = false;
                continue;
            }
            '#' => {
                rest = after.find('\n').map_or("", |at| &after[at..]);
                continue;
            }
            '@' => return true,
            '|' => match after.strip_prefix('|') {
                Some(after) => {
                    rest = after;
                    is_open = true;
                    continue;
                }
                None => return true,
            },
            // `++` and `--` belong to a value: nothing else can be counted.
            '+' | '-' if after.starts_with(c) => {
                rest = &after[1..];
                is_open = false;
                continue;
            }
            '\\' => {
                rest = after.trim_start_matches(['\r', '\n']);
                continue;
            }
            '(' => {
                conditions.push(CONDITIONS.contains(&before));
                is_open = true;
            }
            ')' => is_open = conditions.pop().unwrap_or_default(),
            _ if c.is_ascii_alphanumeric() || c == '_' => {
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                let mut next = after.trim_start();
                // A line may be continued.
                while let Some(more) = next.strip_prefix('\\') {
                    next = more.trim_start();
                }
                if word == "system" && next.starts_with('(') {
                    return true;
                }
                is_open = BEFORE_PATTERN.contains(&word);
                last_word = word;
                rest = after;
                continue;
            }
            ']' | '$' => is_open = false,
            _ if c.is_whitespace() && c != '\n' => last_word = before,
            _ => is_open = true,
        }
        rest = after;
    }
    false
}

/// The rest after a text; the opening quote is already consumed.
fn after_text(text: &str) -> &str {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '\n' => return &text[at..],
            '"' => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}

/// The rest after a pattern; the opening `/` is already consumed. A `/` in brackets ends nothing.
fn after_pattern(text: &str, brackets: Brackets) -> &str {
    let mut at = 0;
    let mut is_bracket = false;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        at += c.len_utf8();
        match c {
            '\\' => at += text[at..].chars().next().map_or(0, char::len_utf8),
            '\n' => return &text[start..],
            '/' if !is_bracket => return &text[at..],
            '[' if is_bracket && brackets == Brackets::Posix => {
                let sign = text[at..].chars().next();
                let sign = sign.filter(|sign| matches!(sign, ':' | '.' | '='));
                let end = sign.and_then(|sign| {
                    let end = text[at + 1..].find(&format!("{sign}]"))?;
                    Some(at + 1 + end + 2)
                });
                at = end.unwrap_or(at);
            }
            '[' => {
                is_bracket = true;
                if brackets == Brackets::Posix {
                    at += usize::from(text[at..].starts_with('^'));
                    at += usize::from(text[at..].starts_with(']'));
                }
            }
            ']' => is_bracket = false,
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
            "BEGIN{if(1)/\"/;system(\"rm x\")}",
            "BEGIN{x=(a)/2; if(1)/\"/;system(\"rm x\")}",
            "BEGIN{if (0) a; else /\"/;system(\"rm x\")}",
            "BEGIN{while ((a)) /\"/;system(\"rm x\")}",
            "{y = x++ / 2; \"rm x\" | getline; z = 1 / 3}",
            "{y = x \\\n / 2; \"rm x\" | getline; z = 1 / 3}",
            "/[]/{\"]/; system(\"rm x\")",
            "/[[:alpha:]/\"]/;{system(\"rm x\")}",
            "BEGIN{system \\\n (\"rm x\")}",
        ] {
            assert!(asks_a_shell(program), "{program}");
        }
        for program in [
            "{print $1 \"|\" $2 \" | \" $3}",
            "/a|b/ && $1 ~ /c|d/ || $2 !~ /[/|]/",
            "{print /a|b/ ? 1 : 2}",
            "{print \"system(x)\", $2 / 3 # a | b\n}",
            "{subsystem(x)}",
            "{print (a + b) / 2 \" | \" c / 3}",
            "/[^]|]/ && /[[:space:]|]/",
        ] {
            assert!(!asks_a_shell(program), "{program}");
        }
    }
}
