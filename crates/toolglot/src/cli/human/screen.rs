//! Output for people: only the colours of toolglot control the terminal.
//!
//! Every command writes to [`stdout`], so no command has to escape its output.
//! Bytes to a pipe or a file pass unchanged.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, BufWriter, IsTerminal, Stderr, StdoutLock, Write};

use toolglot_policy::is_hidden;

/// A stream for people. It escapes all text with [`harmless`], whether a model, a project or a server wrote the text.
#[derive(Debug)]
pub(crate) struct Screen<W> {
    inner: W,
    /// The start of a character whose other bytes are not yet written.
    partial: Vec<u8>,
}

impl<W: Write> Screen<W> {
    pub(crate) fn new(inner: W) -> Screen<W> {
        Screen {
            inner,
            partial: Vec::new(),
        }
    }

    fn show(&mut self, bytes: &[u8]) -> io::Result<()> {
        let text = String::from_utf8_lossy(bytes);
        let shown = escaped(&text, KEEPS_COLORS.get());
        self.inner.write_all(shown.as_bytes())
    }
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut joined = std::mem::take(&mut self.partial);
        let text = if joined.is_empty() {
            bytes
        } else {
            joined.extend_from_slice(bytes);
            &joined
        };
        let (text, partial) = text.split_at(text.len() - n_partial(text));
        self.partial = partial.to_vec();
        self.show(text)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let partial = std::mem::take(&mut self.partial);
        self.show(&partial)?;
        self.inner.flush()
    }
}

/// How many bytes at the end of `bytes` are the start of an incomplete character.
fn n_partial(bytes: &[u8]) -> usize {
    let is_start = |byte: u8| byte & 0xc0 != 0x80;
    let Some(n) = (1..=bytes.len().min(3)).find(|n| is_start(bytes[bytes.len() - n])) else {
        return 0;
    };
    match std::str::from_utf8(&bytes[bytes.len() - n..]) {
        Err(error) if error.error_len().is_none() => n,
        _ => 0,
    }
}

thread_local! {
    /// Whether the current write comes from a [`ColorScreen`], so that the screens below keep the colours.
    static KEEPS_COLORS: Cell<bool> = const { Cell::new(false) };
}

/// A stream for a coloured report. Its caller first escapes all foreign text with [`harmless`] or [`one_line`], so that
/// only the colours of toolglot remain.
#[derive(Debug)]
pub(crate) struct ColorScreen<W>(pub(crate) W);

impl<W: Write> Write for ColorScreen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let before = KEEPS_COLORS.replace(true);
        let written = self.0.write_all(escaped(&text, true).as_bytes());
        KEEPS_COLORS.set(before);
        written.map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Standard output, buffered: a [`Screen`] where it is a terminal.
#[derive(Debug)]
pub(crate) enum Output {
    Terminal(Screen<BufWriter<StdoutLock<'static>>>),
    Data(BufWriter<StdoutLock<'static>>),
}

/// Standard output.
pub(crate) fn stdout() -> Output {
    let out = io::stdout().lock();
    let is_terminal = out.is_terminal();
    let out = BufWriter::new(out);
    if is_terminal {
        Output::Terminal(Screen::new(out))
    } else {
        Output::Data(out)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Terminal(screen) => screen.write(bytes),
            Output::Data(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Terminal(screen) => screen.flush(),
            Output::Data(out) => out.flush(),
        }
    }
}

/// Standard error: it has no data, only notes for people.
pub(crate) fn stderr() -> Screen<Stderr> {
    Screen::new(io::stderr())
}

/// Replaces control characters by pictures, and other characters that hide or turn text by escapes. Line breaks, tabs,
/// and the joiners that scripts and emoji need stay.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    escaped(text, false)
}

fn escaped(text: &str, keeps_colors: bool) -> Cow<'_, str> {
    // Fast path: nearly all text is plain, and a text may be long.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text.bytes().all(is_plain) || !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let n = match c {
            '\x1b' if keeps_colors => color(rest).unwrap_or(0),
            c if is_harmful(c, before, after) => 0,
            c => c.len_utf8(),
        };
        if n == 0 {
            shown.extend(picture(c));
        }
        shown.push_str(&rest[..n]);
        rest = &rest[n.max(c.len_utf8())..];
        before = Some(c);
    }
    Cow::Owned(shown)
}

/// [`harmless`], on one line.
pub(crate) fn one_line(text: &str) -> String {
    harmless(text).replace('\n', "\u{2424}")
}

/// Whether `c` is harmful between `before` and `after`.
fn is_harmful(c: char, before: Option<char>, after: &str) -> bool {
    let joins = |c: char| !c.is_ascii() && !is_hidden(c) || is_selector(c);
    match c {
        // Layout, and visible blanks.
        '\n' | '\t' | '\u{a0}' | '\u{202f}' | '\u{3000}' => false,
        // No script in ASCII has joiners.
        '\u{200c}' | '\u{200d}' => {
            !(before.is_some_and(joins) && after.chars().next().is_some_and(joins))
        }
        // `#`, `*` and digits become keycap emoji.
        c if is_selector(c) => !before.is_some_and(|before| {
            joins(before) || before.is_ascii_digit() || matches!(before, '#' | '*')
        }),
        c => is_hidden(c),
    }
}

/// Whether `c` is a variation selector, which chooses how the previous character is drawn.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

/// Unicode has a picture for each of the first 32 characters and for DEL; any other character is shown by its number.
fn picture(c: char) -> impl Iterator<Item = char> {
    let picture = match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)),
        '\x7f' => Some('\u{2421}'),
        _ => None,
    };
    let number = picture.is_none().then(|| c.escape_unicode());
    picture.into_iter().chain(number.into_iter().flatten())
}

/// The length of the colour sequence at the start of `text`: SGR (ECMA-48, 8.3.117) with parameters that hide nothing.
fn color(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\x1b[")?;
    let (parameters, _) = parameters.split_once('m')?;
    let mut numbers = parameters.split(';');
    while let Some(number) = numbers.next() {
        match number {
            "0" | "1" | "2" | "3" | "9" => {}
            // One of 256 colours, which diagnostics use.
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
            ("\x1b[32mgreen\x1b[0m", "␛[32mgreen␛[0m"),
            ("\x1b]52;c;eA==\x07", "␛]52;c;eA==␇"),
            ("a\u{202e}b\u{2069}\u{9b}", r"a\u{202e}b\u{2069}\u{9b}"),
            ("a\u{e0041}\u{200b}\u{2800}", r"a\u{e0041}\u{200b}\u{2800}"),
            ("👨\u{200d}👩 ❤\u{fe0f}", "👨\u{200d}👩 ❤\u{fe0f}"),
            (
                "❤\u{fe0f}\u{200d}🔥 1\u{fe0f}",
                "❤\u{fe0f}\u{200d}🔥 1\u{fe0f}",
            ),
            ("क्\u{200d}ष", "क्\u{200d}ष"),
            (
                "r\u{200d}m -\u{fe0f}r é\u{200c}",
                r"r\u{200d}m -\u{fe0f}r é\u{200c}",
            ),
        ] {
            assert_eq!(harmless(written), shown);
        }
        assert_eq!(one_line("a\nb\x1b[1mc"), "a␤b␛[1mc");
    }

    #[test]
    fn colors_of_reports_stay_and_what_hides_by_color_does_not() {
        let ours = "\x1b[1;33mname\x1b[0m \x1b[38;5;9merror\x1b[0m";
        assert_eq!(escaped(ours, true), ours);
        for other in [
            "\x1b[8mx",
            "\x1b[30mx",
            "\x1b[41mx",
            "\x1b[m",
            "\x1b[38;2;0;0;0m",
            "\x1b[1",
        ] {
            assert!(escaped(other, true).starts_with('␛'), "{other:?}");
        }
    }

    fn screened(write: impl Fn(&mut dyn Write)) -> String {
        let mut screen = Screen::new(Vec::new());
        write(&mut screen);
        screen.flush().expect("it is memory");
        String::from_utf8(screen.inner).expect("only whole characters are written")
    }

    #[test]
    fn only_a_report_has_colors_on_a_screen() {
        let text = "\x1b[32mx\x1b[0m";
        let shown = screened(|out| {
            let _ = write!(ColorScreen(&mut *out), "{text}");
            let _ = write!(out, "{text}");
        });
        assert_eq!(shown, format!("{text}␛[32mx␛[0m"));
    }

    #[test]
    fn characters_may_come_in_pieces() {
        let text = "aé漢🦀\u{202e}\x1b]0;b\x07";
        let bytes = text.as_bytes();
        for n in 1..=bytes.len() {
            let shown = screened(|out| {
                for piece in bytes.chunks(n) {
                    out.write_all(piece).expect("it is memory");
                }
            });
            assert_eq!(shown, r"aé漢🦀\u{202e}␛]0;b␇", "{n}");
        }
        let torn = screened(|out| out.write_all(b"a\xe6\xbc").expect("it is memory"));
        assert_eq!(torn, "a\u{fffd}");
        let raw = screened(|out| out.write_all(b"a\x9b2J\xff\xe6b").expect("it is memory"));
        assert_eq!(raw, "a\u{fffd}2J\u{fffd}\u{fffd}b");
    }
}
