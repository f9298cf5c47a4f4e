//! What a person reads: nothing in it drives the terminal but our own colours.

use std::borrow::Cow;
use std::io::{self, Stderr, Write};

use toolglot_policy::is_hidden;

/// A stream for people. What is written goes through [`harmless`], whoever wrote it: a model, a project, a server.
#[derive(Debug)]
pub(crate) struct Screen<W>(pub(crate) W);

/// Standard error.
pub(crate) fn stderr() -> Screen<Stderr> {
    Screen(io::stderr())
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .write_all(harmless(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Control characters as pictures, and what else is hidden or turns the text as escapes; line breaks, tabs, our colours and
/// what scripts and emoji need stay.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    // Nearly all text is plain, and whole texts are shown.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text.bytes().all(is_plain) || !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let n = match c {
            '\x1b' => colour(rest).unwrap_or(0),
            c if is_harmful(c) => 0,
            c => c.len_utf8(),
        };
        if n == 0 {
            shown.extend(picture(c));
        }
        shown.push_str(&rest[..n]);
        rest = &rest[n.max(c.len_utf8())..];
    }
    Cow::Owned(shown)
}

/// [`harmless`], on one line.
pub(crate) fn one_line(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) {
        return text.to_owned();
    }
    let text = text.replace('\n', "\u{2424}").replace('\x1b', "\u{241b}");
    harmless(&text).into_owned()
}

fn is_harmful(c: char) -> bool {
    is_hidden(c)
        && !matches!(
            c,
            // Layout; blanks, joiners and selectors that people write.
            '\n' | '\t'
                | '\u{a0}'
                | '\u{202f}'
                | '\u{3000}'
                | '\u{200c}'
                | '\u{200d}'
                | '\u{fe0e}'
                | '\u{fe0f}'
        )
}

/// Unicode has a picture for each of the first 32 characters; any other is shown by its number.
fn picture(c: char) -> impl Iterator<Item = char> {
    let picture = match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)),
        '\x7f' => Some('\u{2421}'),
        _ => None,
    };
    let number = picture.is_none().then(|| c.escape_unicode());
    picture.into_iter().chain(number.into_iter().flatten())
}

/// How long the colour is that begins `text`: SGR (ECMA-48, 8.3.117) with what only colours, so that nothing is hidden by it.
fn colour(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\x1b[")?;
    let (parameters, _) = parameters.split_once('m')?;
    let mut numbers = parameters.split(';');
    while let Some(number) = numbers.next() {
        match number {
            "0" | "1" | "2" | "3" | "9" => {}
            // One of 256: what diagnostics are painted with.
            "38" if numbers.next() == Some("5") && numbers.next().is_some_and(|n| n.len() < 4) => {}
            _ if matches!(number.as_bytes(), [b'3' | b'9', b'1'..=b'7']) => {}
            _ => return None,
        }
    }
    Some("\x1b[m".len() + parameters.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_drive_the_terminal_is_shown() {
        for (written, shown) in [
            ("a\tb\nc", "a\tb\nc"),
            ("a\x1b[2Jb\x7f\rc", "a␛[2Jb␡␍c"),
            ("\x1b]52;c;eA==\x07", "␛]52;c;eA==␇"),
            ("a\u{202e}b\u{2069}\u{9b}", r"a\u{202e}b\u{2069}\u{9b}"),
            ("a\u{e0041}\u{200b}\u{2800}", r"a\u{e0041}\u{200b}\u{2800}"),
            ("👨\u{200d}👩 ❤\u{fe0f}", "👨\u{200d}👩 ❤\u{fe0f}"),
        ] {
            assert_eq!(harmless(written), shown);
        }
        assert_eq!(one_line("a\nb\x1b[1mc"), "a␤b␛[1mc");
    }

    #[test]
    fn colours_stay_and_what_hides_by_colour_does_not() {
        let ours = "\x1b[1;33mname\x1b[0m \x1b[38;5;9merror\x1b[0m";
        assert_eq!(harmless(ours), ours);
        for other in [
            "\x1b[8mx",
            "\x1b[30mx",
            "\x1b[41mx",
            "\x1b[m",
            "\x1b[38;2;0;0;0m",
            "\x1b[1",
        ] {
            assert!(harmless(other).starts_with('␛'), "{other:?}");
        }
    }
}
