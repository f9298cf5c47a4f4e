//! Finds what a script of sed runs: the command `e`, and the flag `e` of the command `s`.
//!
//! Implementations of sed disagree on whether a delimiter may be in brackets, and on the meaning of a backslash there.
//! A script is read in each way. The script runs nothing if every way that can read it finds no command.

use super::super::Inner;
use super::Runs;

/// How brackets in a pattern are read.
#[derive(Clone, Copy)]
enum Brackets {
    /// Brackets are ordinary letters.
    Ignored,
    /// A delimiter inside brackets is a letter, and a backslash is a letter.
    Posix,
    /// A delimiter inside brackets is a letter, and a backslash escapes.
    Quoting,
}

/// The script cannot be read in this way.
struct Malformed;

/// What a script runs; commands that it names are added to the list.
pub(super) fn read(script: &str, found: &mut Vec<Inner>) -> Runs {
    let ways = [Brackets::Ignored, Brackets::Posix, Brackets::Quoting];
    let mut is_read = false;
    let mut makes_commands = false;
    for brackets in ways {
        let mut reader = Reader {
            rest: script,
            brackets,
            texts: Vec::new(),
            makes_commands: false,
        };
        is_read |= reader.script().is_ok();
        // Commands before an error count: another program may continue.
        makes_commands |= reader.makes_commands;
        for text in reader.texts {
            let text = Inner::Text(text.to_owned());
            if !found.contains(&text) {
                found.push(text);
            }
        }
    }
    match (makes_commands, is_read) {
        (true, _) => Runs::Commands,
        (false, true) => Runs::Nothing,
        (false, false) => Runs::Unread,
    }
}

struct Reader<'a> {
    rest: &'a str,
    brackets: Brackets,
    /// Commands in the script.
    texts: Vec<&'a str>,
    /// Whether the script makes commands of its data.
    makes_commands: bool,
}

impl<'a> Reader<'a> {
    fn script(&mut self) -> Result<(), Malformed> {
        loop {
            self.skip(|c| c.is_whitespace() || matches!(c, ';' | '{' | '}'));
            if self.rest.is_empty() {
                return Ok(());
            }
            if self.address()? {
                self.skip(char::is_whitespace);
                if self.take(',') {
                    self.skip(char::is_whitespace);
                    self.skip(|c| matches!(c, '+' | '~'));
                    if !self.address()? {
                        return Err(Malformed);
                    }
                }
            }
            self.skip(|c| c.is_whitespace() || c == '!');
            self.command()?;
        }
    }

    /// Reads an address, if there is one.
    fn address(&mut self) -> Result<bool, Malformed> {
        if self.take('$') {
            return Ok(true);
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            self.skip(|c| c.is_ascii_digit() || c == '~');
            return Ok(true);
        }
        let delimiter = if self.take('/') {
            '/'
        } else if self.take('\\') {
            self.next()?
        } else {
            return Ok(false);
        };
        self.pattern(delimiter)?;
        self.skip(|c| matches!(c, 'I' | 'M'));
        Ok(true)
    }

    fn command(&mut self) -> Result<(), Malformed> {
        match self.next()? {
            '{' | '}' => {}
            '#' | 'r' | 'R' | 'w' | 'W' => self.line(),
            'a' | 'i' | 'c' => {
                self.text();
            }
            ':' | 'b' | 't' | 'T' | 'v' => self.skip(|c| !matches!(c, ';' | '\n' | '}')),
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
                self.end()?;
            }
            'q' | 'Q' | 'l' | 'L' => {
                self.skip(|c| c.is_ascii_digit() || c == ' ');
                self.end()?;
            }
            'y' => {
                let delimiter = self.next()?;
                self.replacement(delimiter)?;
                self.replacement(delimiter)?;
                self.end()?;
            }
            's' => {
                let delimiter = self.next()?;
                self.pattern(delimiter)?;
                self.replacement(delimiter)?;
                self.flags()?;
            }
            'e' => {
                let text = self.text().trim_start_matches(['\\', '\n']).trim();
                if text.is_empty() {
                    self.makes_commands = true;
                } else {
                    self.texts.push(text);
                }
            }
            _ => return Err(Malformed),
        }
        Ok(())
    }

    /// Reads the flags after `s/../../`.
    fn flags(&mut self) -> Result<(), Malformed> {
        loop {
            match self.rest.chars().next() {
                Some('e') => self.makes_commands = true,
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {}
                Some('w') => {
                    self.line();
                    return Ok(());
                }
                _ => return self.end(),
            }
            self.next()?;
        }
    }

    /// The end of a command.
    fn end(&mut self) -> Result<(), Malformed> {
        self.skip(|c| c == ' ' || c == '\t' || c == '\r');
        let is_end = self.rest.is_empty() || self.rest.starts_with([';', '\n', '}', '#']);
        is_end.then_some(()).ok_or(Malformed)
    }

    /// A pattern up to its delimiter.
    fn pattern(&mut self, delimiter: char) -> Result<(), Malformed> {
        loop {
            match self.next()? {
                c if c == delimiter => return Ok(()),
                '\\' => {
                    self.next()?;
                }
                '\n' => return Err(Malformed),
                '[' => match self.brackets {
                    Brackets::Ignored => {}
                    Brackets::Posix => self.bracket(false)?,
                    Brackets::Quoting => self.bracket(true)?,
                },
                _ => {}
            }
        }
    }

    /// Reads the contents of brackets and the closing bracket.
    fn bracket(&mut self, is_quoting: bool) -> Result<(), Malformed> {
        self.take('^');
        self.take(']');
        loop {
            match self.next()? {
                ']' => return Ok(()),
                '\\' if is_quoting => {
                    self.next()?;
                }
                '\n' => return Err(Malformed),
                '[' if self.rest.starts_with([':', '.', '=']) => {
                    let sign = self.next()?;
                    let close = [sign, ']'].iter().collect::<String>();
                    let at = self.rest.find(&close).ok_or(Malformed)?;
                    self.rest = &self.rest[at + close.len()..];
                }
                _ => {}
            }
        }
    }

    /// Reads a replacement up to its delimiter.
    fn replacement(&mut self, delimiter: char) -> Result<(), Malformed> {
        loop {
            match self.next()? {
                c if c == delimiter => return Ok(()),
                '\\' => {
                    self.next()?;
                }
                '\n' => return Err(Malformed),
                _ => {}
            }
        }
    }

    /// Skips the rest of the line.
    fn line(&mut self) {
        self.skip(|c| c != '\n');
    }

    /// Reads a text up to a line break that no backslash escapes.
    fn text(&mut self) -> &'a str {
        let mut end = self.rest.len();
        let mut is_quoted = false;
        for (at, c) in self.rest.char_indices() {
            if c == '\n' && !is_quoted {
                end = at;
                break;
            }
            is_quoted = c == '\\' && !is_quoted;
        }
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        text
    }

    fn take(&mut self, c: char) -> bool {
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn next(&mut self) -> Result<char, Malformed> {
        let c = self.rest.chars().next().ok_or(Malformed)?;
        self.rest = &self.rest[c.len_utf8()..];
        Ok(c)
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(is_skipped);
    }
}

#[cfg(test)]
mod tests {
    use super::{Inner, Runs, read};

    #[test]
    fn commands_of_a_script_are_found() {
        for script in [
            "1e rm x",
            "e rm x",
            "$!{p;e rm x\n}",
            "s/a/b/;1,2e rm x",
            "\\,a,e rm x",
            "/[/]/e rm x",
            "0~1!e rm x",
            "/a/,+1 e rm x",
            "/a/Ie rm x",
            "y/a/b/;e rm x",
            ":x;e rm x",
            "bx;e rm x",
            "a text\ne rm x",
            "a\\\ntext\\\ne no\ne rm x",
            "e\\\nrm x",
            "#n\ne rm x",
            "s/a/b/w f\ne rm x",
            "s|[|]|b|;e rm x",
        ] {
            let mut found = Vec::new();
            read(script, &mut found);
            let expected = Inner::Text("rm x".to_owned());
            assert!(found.contains(&expected), "{script:?}: {found:?}");
        }
    }

    #[test]
    fn what_makes_commands_is_told_from_what_makes_none() {
        for (script, expected) in [
            ("s/a/b/", Runs::Nothing),
            ("s/a/b/gI;s,e,e,2p", Runs::Nothing),
            ("s/e/e/g; s|[^/]*$||", Runs::Nothing),
            ("s/[\\/e]/x/g", Runs::Nothing),
            ("s/[[:space:]]*$//", Runs::Nothing),
            ("1,5p", Runs::Nothing),
            ("$d", Runs::Nothing),
            ("/a/,/b/{s/e/f/;p}", Runs::Nothing),
            ("/e/!d", Runs::Nothing),
            ("\\,/x,d", Runs::Nothing),
            ("a e rm x", Runs::Nothing),
            ("$a\\\ne rm x", Runs::Nothing),
            ("s/a/b/w e", Runs::Nothing),
            ("r e", Runs::Nothing),
            (":e;N;$!be;s/\\n/ /g", Runs::Nothing),
            ("y/abc/def/", Runs::Nothing),
            ("q5", Runs::Nothing),
            ("# e rm x", Runs::Nothing),
            ("", Runs::Nothing),
            ("e", Runs::Commands),
            ("1!e", Runs::Commands),
            ("s/a/b/e", Runs::Commands),
            ("s/a/b/2ge", Runs::Commands),
            ("s/a/b/eg", Runs::Commands),
            ("s/[/]/b/e", Runs::Commands),
            ("s/[\\]/x/e;s/]/y/", Runs::Commands),
            ("s,a,b,;s/x/\\/y/pe", Runs::Commands),
            ("s/a/b", Runs::Unread),
            ("k", Runs::Unread),
            ("s/a/b/?", Runs::Unread),
            ("1,d", Runs::Unread),
        ] {
            assert_eq!(read(script, &mut Vec::new()), expected, "{script:?}");
        }
    }
}
