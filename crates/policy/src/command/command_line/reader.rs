//! Splits a line as bash does, and refuses what bash reads as more than words.

use super::{FilePattern, Join, NotLiteral, Pipeline, Stream, Streams, not};

/// Words that mean something to a shell where a command is expected.
const KEYWORDS: &[&str] = &[
    "!", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
    "if", "in", "select", "then", "time", "until", "while",
];

/// Commands that only a shell has, or that change the shell itself.
const BUILTINS: &[&str] = &[
    ".",
    ":",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "command",
    "compgen",
    "complete",
    "continue",
    "declare",
    "dirs",
    "disown",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "times",
    "trap",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// The pipelines of a line.
pub(super) fn read(text: &str) -> Result<Vec<Pipeline>, NotLiteral> {
    let mut reader = Reader {
        text,
        pipelines: Vec::new(),
        join: Join::Then,
        commands: Vec::new(),
        streams: Vec::new(),
        patterns: Vec::new(),
        words: Vec::new(),
        own_streams: Streams::default(),
        word: None,
    };
    reader.line()?;
    Ok(reader.pipelines)
}

/// The word that is being read.
#[derive(Debug, Default)]
struct Word {
    text: String,
    at: usize,
    /// Whether a part is quoted: then the word is not a keyword.
    is_quoted: bool,
    /// The word as a pattern: each quoted letter has a backslash before it.
    pattern: String,
}

impl Word {
    /// Whether the word is a pattern of file names: an unclosed bracket is a letter.
    fn is_pattern(&self) -> bool {
        let mut is_escaped = false;
        let mut bracket = None;
        for (at, c) in self.pattern.char_indices() {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '*' | '?' => return true,
                '[' if bracket.is_none() => bracket = Some(at),
                ']' if bracket.is_some() => return true,
                _ => {}
            }
        }
        false
    }
}

struct Reader<'a> {
    text: &'a str,
    pipelines: Vec<Pipeline>,
    join: Join,
    commands: Vec<Vec<String>>,
    streams: Vec<Streams>,
    patterns: Vec<FilePattern>,
    words: Vec<String>,
    own_streams: Streams,
    word: Option<Word>,
}

impl Reader<'_> {
    fn line(&mut self) -> Result<(), NotLiteral> {
        let mut at = 0;
        // The offset of an operator that has no right side so far.
        let mut open: Option<usize> = None;
        while let Some(c) = self.text[at..].chars().next() {
            let rest = &self.text[at + c.len_utf8()..];
            let mut length = c.len_utf8();
            match c {
                ' ' | '\t' => self.end_word()?,
                '\n' | ';' => {
                    self.end_word()?;
                    if c == ';' && self.words.is_empty() {
                        return Err(not(at, "`;` without a command before it"));
                    }
                    if self.words.is_empty() && open.is_some() {
                        // A line may break after an operator.
                    } else if !self.words.is_empty() {
                        self.end_pipeline();
                        self.join = Join::Then;
                        open = None;
                    }
                }
                '>' | '<' => length = self.redirection(at)?,
                '&' if rest.starts_with('>') => length = self.redirection(at)?,
                '&' | '|' => {
                    self.end_word()?;
                    if self.words.is_empty() {
                        return Err(not(at, "an operator without a command before it"));
                    }
                    open = Some(at);
                    if rest.starts_with(c) {
                        length += 1;
                        self.end_pipeline();
                        self.join = if c == '&' { Join::And } else { Join::Or };
                    } else if c == '&' {
                        return Err(not(at, "`&`, which leaves a command in the background,"));
                    } else if rest.starts_with('&') {
                        return Err(not(at, "`|&`"));
                    } else {
                        self.end_command();
                    }
                }
                '#' if self.word.is_none() => {
                    length = self.text[at..].find('\n').unwrap_or(self.text.len() - at);
                }
                _ => {
                    if self.words.is_empty() && self.word.is_none() {
                        open = None;
                    }
                    length = self.part(at, c)?;
                }
            }
            at += length;
        }
        self.end_word()?;
        if !self.words.is_empty() {
            self.end_pipeline();
        } else if let Some(at) =
            open.filter(|_| !self.commands.is_empty() || self.join != Join::Then)
        {
            return Err(not(at, "an operator without a command after it"));
        }
        Ok(())
    }

    /// Reads one character of a word, or a quoted part. Returns its length in bytes.
    fn part(&mut self, at: usize, c: char) -> Result<usize, NotLiteral> {
        let is_first = self.word.is_none();
        let before = self
            .word
            .as_ref()
            .and_then(|word| word.text.chars().next_back());
        if let Some(braces) = plain_braces(&self.text[at..]) {
            self.unquoted(at, braces);
            return Ok(braces.len());
        }
        let what = match c {
            '\'' => return self.single(at),
            '"' => return self.double(at),
            '$' => "`$`, which stands for something else,",
            '`' => "a backtick, which runs a command,",
            '\\' => match self.text[at + 1..].chars().next() {
                // A backslash quotes the next character in every shell; a line break after it is removed.
                Some(escaped) if escaped != '\n' => {
                    self.quoted(at, escaped.encode_utf8(&mut [0; 4]));
                    return Ok(1 + escaped.len_utf8());
                }
                _ => "a backslash at the end of a line",
            },
            '(' | ')' => "a parenthesis",
            '*' | '?' | '[' if self.words.is_empty() && !self.is_test(at, c) => {
                "a pattern for file names where a program belongs"
            }
            '{' | '}' => "a brace outside of quotes",
            '~' if is_first || matches!(before, Some('=' | ':')) => "`~`, which stands for a home,",
            _ => {
                self.unquoted(at, c.encode_utf8(&mut [0; 4]));
                return Ok(c.len_utf8());
            }
        };
        Err(not(at, what))
    }

    fn single(&mut self, at: usize) -> Result<usize, NotLiteral> {
        let inside = &self.text[at + 1..];
        let Some(end) = inside.find('\'') else {
            return Err(not(at, "a quote that is never closed"));
        };
        self.quoted(at, &inside[..end]);
        Ok(end + 2)
    }

    fn double(&mut self, at: usize) -> Result<usize, NotLiteral> {
        let mut text = String::new();
        let mut inside = self.text[at + 1..].char_indices();
        while let Some((offset, c)) = inside.next() {
            match c {
                '"' => {
                    self.quoted(at, &text);
                    return Ok(offset + 2);
                }
                '$' => {
                    return Err(not(
                        at + 1 + offset,
                        "`$`, which stands for something else,",
                    ));
                }
                '`' => return Err(not(at + 1 + offset, "a backtick, which runs a command,")),
                '\\' => match inside.next() {
                    Some((_, escaped @ ('"' | '\\' | '$' | '`'))) => text.push(escaped),
                    Some((_, '\n')) | None => {
                        return Err(not(at + 1 + offset, "a backslash at the end of a line"));
                    }
                    // Before any other character the backslash stays, and so does the character.
                    Some((_, other)) => text.extend(['\\', other]),
                },
                _ => text.push(c),
            }
        }
        Err(not(at, "a quote that is never closed"))
    }

    fn word(&mut self, at: usize) -> &mut Word {
        self.word.get_or_insert_with(|| Word {
            at,
            ..Word::default()
        })
    }

    fn unquoted(&mut self, at: usize, text: &str) {
        let word = self.word(at);
        word.text.push_str(text);
        word.pattern.push_str(text);
    }

    fn quoted(&mut self, at: usize, text: &str) {
        let word = self.word(at);
        word.is_quoted = true;
        word.text.push_str(text);
        for c in text.chars() {
            word.pattern.extend(['\\', c]);
        }
    }

    /// Whether the program `[` is here, and not a pattern.
    fn is_test(&self, at: usize, c: char) -> bool {
        c == '[' && self.word.is_none() && self.text[at + 1..].starts_with([' ', '\t'])
    }

    /// Reads a redirection to `/dev/null` or to the other output. Returns its length in bytes.
    fn redirection(&mut self, at: usize) -> Result<usize, NotLiteral> {
        let error = not(at, "a redirection");
        // Digits directly before the operator are not a word.
        let number = self
            .word
            .take_if(|word| !word.is_quoted && word.text.bytes().all(|byte| byte.is_ascii_digit()));
        self.end_word()?;
        if self.words.is_empty() {
            return Err(error);
        }
        let rest = &self.text[at..];
        let operators = [
            "&>>", "&>", ">>", ">|", ">&", "<<", "<&", "<>", "<(", ">(", ">", "<",
        ];
        let operator = operators
            .into_iter()
            .find(|operator| rest.starts_with(operator));
        let operator = operator.expect("it starts with a sign of one");
        let after = &rest[operator.len()..];
        let blanks = after.len() - after.trim_start_matches([' ', '\t']).len();
        let after = &after[blanks..];
        let end = after.find(|c: char| c.is_whitespace() || "&|;<>()".contains(c));
        let target = &after[..end.unwrap_or(after.len())];
        let number = number.map(|word| word.text);
        let streams = &mut self.own_streams;
        match (number.as_deref(), operator, target) {
            (None | Some("1"), ">" | ">>" | ">|", "/dev/null") => streams.output = Stream::Null,
            (Some("2"), ">" | ">>" | ">|", "/dev/null") => streams.error = Stream::Null,
            (None, "&>" | "&>>" | ">&", "/dev/null") => {
                *streams = Streams {
                    output: Stream::Null,
                    error: Stream::Null,
                };
            }
            (Some("2"), ">&", "1") => streams.error = streams.output,
            (None | Some("1"), ">&", "2") => streams.output = streams.error,
            // The first command of a pipeline has no other input.
            (None | Some("0"), "<", "/dev/null") if self.commands.is_empty() => {}
            _ => return Err(error),
        }
        Ok(operator.len() + blanks + target.len())
    }

    fn end_word(&mut self) -> Result<(), NotLiteral> {
        let Some(word) = self.word.take() else {
            return Ok(());
        };
        if self.words.is_empty() {
            if !word.is_quoted && KEYWORDS.contains(&word.text.as_str()) {
                return Err(not(word.at, "a keyword of the shell"));
            }
            if BUILTINS.contains(&word.text.as_str())
                && !(is_about_the_shell(&word.text) && self.is_alone(word.at))
            {
                return Err(not(word.at, "a command that only a shell has"));
            }
            if is_assignment(&word.text) {
                return Err(not(word.at, "a variable that is set"));
            }
            if word.text.is_empty() {
                return Err(not(word.at, "a command without a name"));
            }
            if !word.text.is_ascii() {
                return Err(NotLiteral {
                    at: word.at,
                    what: "a program whose name is not plain ASCII",
                    is_hopeless: true,
                });
            }
        }
        if word.is_pattern() {
            self.patterns.push(FilePattern {
                command: self.commands.len(),
                word: self.words.len(),
                n_words: 1,
                pattern: word.pattern,
                at: word.at,
            });
        }
        self.words.push(word.text);
        Ok(())
    }

    /// Whether the line contains only this command, which starts here.
    fn is_alone(&self, at: usize) -> bool {
        let is_first = self.pipelines.is_empty()
            && self.commands.is_empty()
            && self.text[..at].trim().is_empty();
        is_first && !self.text[at..].trim_end().contains(['&', '|', ';', '\n'])
    }

    fn end_command(&mut self) {
        self.commands.push(std::mem::take(&mut self.words));
        self.streams.push(std::mem::take(&mut self.own_streams));
    }

    fn end_pipeline(&mut self) {
        self.end_command();
        self.pipelines.push(Pipeline {
            join: self.join,
            commands: std::mem::take(&mut self.commands),
            streams: std::mem::take(&mut self.streams),
            patterns: std::mem::take(&mut self.patterns),
        });
    }
}

/// The braces at the start of `text`, if they are neither a list nor a range: `{1}` as in `HEAD@{1}`, `{}`.
fn plain_braces(text: &str) -> Option<&str> {
    let (inside, _) = text.strip_prefix('{')?.split_once('}')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/');
    inside
        .chars()
        .all(is_plain)
        .then(|| &text[..inside.len() + 2])
}

/// Whether a command only changes its own shell: alone in a line it does nothing that lasts.
pub(in crate::command) fn is_about_the_shell(name: &str) -> bool {
    matches!(name, "export" | "source" | "." | "cd")
}

/// Whether a word is an assignment: `NAME=..`, `NAME+=..`, `NAME[..]=..`.
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else {
        return false;
    };
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split('[').next().unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
