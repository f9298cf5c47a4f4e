//! Arithmetic: `((..))` and `$((..))`.

use super::Variables;

/// The maximum number of letters in arithmetic.
const MOST: usize = 1024;

/// Reads arithmetic from `start`, after `((`. Returns the index after `))`. `None`: it contains more than names,
/// numbers and operators, and may not be arithmetic at all.
pub(super) fn skip(
    chars: &[char],
    start: usize,
    is_loop: bool,
    variables: &mut Variables,
) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = start;
    let mut name = String::new();
    let mut names = Vec::new();
    loop {
        let c = *chars.get(at).filter(|_| at - start < MOST)?;
        if c.is_ascii_alphanumeric() || c == '_' {
            name.push(c);
            at += 1;
            continue;
        }
        if name.starts_with(|c: char| !c.is_ascii_digit()) {
            names.push(std::mem::take(&mut name));
        }
        name.clear();
        match c {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            ')' if chars.get(at + 1) == Some(&')') => {
                variables.counted.extend(names);
                return Some(at + 2);
            }
            ';' if is_loop => {}
            '$' => {
                let next = chars.get(at + 1).copied().unwrap_or(' ');
                if !(next.is_ascii_alphanumeric() || matches!(next, '_' | '#' | '?')) {
                    return None;
                }
                // `$1` and similar parameters may have any value.
                variables.any |= next.is_ascii_digit();
                if next.is_ascii_digit() {
                    names.push("1".to_owned());
                }
            }
            ' ' | '\t' | '\n' | '+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '!' | '&' | '|'
            | '?' | ':' | ',' | '~' | '^' | '#' => {}
            _ => return None,
        }
        at += 1;
    }
}
