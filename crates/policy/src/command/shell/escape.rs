//! `$'..'`: a text with the escapes of C.

/// Reads the inside of `$'..'` from `at`, up to the quote. Returns the letters and the index after the quote. `None`: a
/// letter is not text, shells differ, or the quote is missing.
pub(super) fn ansi(chars: &[char], mut at: usize) -> Option<(String, usize)> {
    let mut text = String::new();
    loop {
        let c = *chars.get(at)?;
        at += 1;
        match c {
            '\'' => return Some((text, at)),
            '\\' => {
                let escape = *chars.get(at)?;
                at += 1;
                let plain = match escape {
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    'e' | 'E' => '\u{1b}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'v' => '\u{b}',
                    '\\' | '"' | '?' => escape,
                    // A shell without `$'..'` ends the quote here.
                    '\'' => return None,
                    '0'..='7' => number(chars, &mut at, escape.to_digit(8)?, 8, 2)?,
                    'x' => number(chars, &mut at, 0, 16, 2)?,
                    'u' => number(chars, &mut at, 0, 16, 4)?,
                    'U' => number(chars, &mut at, 0, 16, 8)?,
                    _ => return None,
                };
                text.push(plain);
            }
            c => text.push(c),
        }
    }
}

/// A letter by its number; `None` for a byte that is not a letter alone, and for the zero that ends a text.
fn number(chars: &[char], at: &mut usize, first: u32, radix: u32, most: usize) -> Option<char> {
    let mut value = first;
    for _ in 0..most {
        let Some(digit) = chars.get(*at).and_then(|c| c.to_digit(radix)) else {
            break;
        };
        value = value.checked_mul(radix)?.checked_add(digit)?;
        *at += 1;
    }
    let is_byte = most == 2 && value >= 0x80;
    char::from_u32(value).filter(|c| *c != '\0' && !is_byte)
}
