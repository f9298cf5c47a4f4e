//! A line of literal words, or why it is none.

use thiserror::Error;

use crate::letters::{is_hidden, is_presentation};

/// A line of commands, each of literal words, that can be run without a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// What is run, in order; never empty.
    pub pipelines: Vec<Pipeline>,
}

/// Commands that run at once, the output of each the input of the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// When it runs.
    pub join: Join,
    /// Program and arguments of each; neither list is ever empty.
    pub commands: Vec<Vec<String>>,
    /// Where the output of each goes.
    pub streams: Vec<Streams>,
    /// The words that are patterns of file names, in order.
    pub patterns: Vec<FilePattern>,
}

/// Where the output of a command goes: no other redirection is done without a shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    /// Standard output.
    pub output: Stream,
    /// Standard error.
    pub error: Stream,
}

impl Default for Streams {
    fn default() -> Streams {
        Streams {
            output: Stream::Output,
            error: Stream::Error,
        }
    }
}

/// Where something is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// The standard output of the command.
    Output,
    /// Its standard error.
    Error,
    /// `/dev/null`.
    Null,
}

/// A word that stands for the names of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePattern {
    /// Which command of its pipeline.
    pub command: usize,
    /// Where among the words of the command the names begin.
    pub word: usize,
    /// How many words they are; one where the pattern has not been expanded, or no name fits.
    pub n_words: usize,
    /// The pattern, with a backslash before what stands for itself.
    pub pattern: String,
    /// Where in the text, in bytes.
    pub at: usize,
}

/// When a pipeline runs, by how the one before it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// In any case: it is the first, or stands behind `;` or a line break.
    Then,
    /// If the one before succeeded: `&&`.
    And,
    /// If the one before failed: `||`.
    Or,
}

/// Why a line is not made of literal words alone.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what} at byte {at} needs a shell")]
pub struct NotLiteral {
    /// Where, in bytes.
    pub at: usize,
    /// What stands there.
    pub what: &'static str,
    /// Whether no shell would help: the text shows something else than it holds, or nothing at all.
    pub is_hopeless: bool,
}

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

impl CommandLine {
    /// Reads a line without patterns of file names.
    ///
    /// # Errors
    /// If any part of it would be read by a shell as more than itself.
    pub fn read(text: &str) -> Result<CommandLine, NotLiteral> {
        let line = CommandLine::read_patterns(text)?;
        let what = "a pattern for file names outside of quotes";
        let pattern = line.patterns().next().map(|pattern| not(pattern.at, what));
        pattern.map_or(Ok(line), Err)
    }

    /// Reads a line in which arguments may be patterns of file names.
    ///
    /// # Errors
    /// If any other part of it would be read by a shell as more than itself.
    pub fn read_patterns(text: &str) -> Result<CommandLine, NotLiteral> {
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
        if let Some((at, _)) = text.char_indices().find(|&(_, c)| deceives(c)) {
            return Err(NotLiteral {
                at,
                what: "a character that is not visible or reverses the text",
                is_hopeless: true,
            });
        }
        reader.line()?;
        if reader.pipelines.is_empty() {
            return Err(NotLiteral {
                at: 0,
                what: "an empty command",
                is_hopeless: true,
            });
        }
        Ok(CommandLine {
            pipelines: reader.pipelines,
        })
    }

    /// The commands, in order.
    pub fn commands(&self) -> impl Iterator<Item = &[String]> {
        self.pipelines
            .iter()
            .flat_map(|pipeline| pipeline.commands.iter().map(Vec::as_slice))
    }

    /// The patterns, in order.
    pub fn patterns(&self) -> impl Iterator<Item = &FilePattern> {
        let pipelines = self.pipelines.iter();
        pipelines.flat_map(|pipeline| &pipeline.patterns)
    }

    /// Puts the names of files in the place of each pattern, in the order of a shell that finds nothing: then the word stays.
    /// The function gets the directories that were changed to before, and the pattern.
    ///
    /// # Errors
    /// It cannot be told beforehand which names these are.
    pub fn expand(
        &mut self,
        mut names: impl FnMut(&[String], &str) -> Result<Vec<String>, &'static str>,
    ) -> Result<(), NotLiteral> {
        let mut moves: Vec<String> = Vec::new();
        // Whether it is sure that the commands after a `cd` run in its directory: joined by `&&` they do.
        let mut is_sure = true;
        for pipeline in &mut self.pipelines {
            let is_move = matches!(pipeline.commands.as_slice(), [words] if words[0] == "cd");
            is_sure &= moves.is_empty() || pipeline.join == Join::And;
            if let Some(pattern) = pipeline.patterns.first().filter(|_| is_move || !is_sure) {
                let what = "a pattern for file names where the directory is not known";
                return Err(not(pattern.at, what));
            }
            if is_move {
                is_sure &= pipeline.join != Join::Or;
                moves.extend(pipeline.commands[0].get(1).cloned());
            }
            let mut grown = (0, 0);
            for pattern in &mut pipeline.patterns {
                if grown.0 != pattern.command {
                    grown = (pattern.command, 0);
                }
                pattern.word += grown.1;
                let found =
                    names(&moves, &pattern.pattern).map_err(|what| not(pattern.at, what))?;
                if found.is_empty() {
                    continue;
                }
                pattern.n_words = found.len();
                grown.1 += found.len() - 1;
                let words = &mut pipeline.commands[pattern.command];
                words.splice(pattern.word..=pattern.word, found);
            }
        }
        Ok(())
    }

    /// The line as a text that every shell reads as exactly these words.
    pub(crate) fn quoted(&self) -> String {
        let mut text = String::new();
        for pipeline in &self.pipelines {
            text.push_str(match pipeline.join {
                Join::Then => "\n",
                Join::And => " && ",
                Join::Or => " || ",
            });
            for (index, words) in pipeline.commands.iter().enumerate() {
                if index > 0 {
                    text.push_str(" | ");
                }
                for word in words {
                    text.push('\'');
                    text.push_str(&word.replace('\'', "'\\''"));
                    text.push_str("' ");
                }
            }
        }
        text.trim_start().to_owned()
    }
}

/// The braces that begin `text`, if they are no choice and no range: `{1}` as in `HEAD@{1}`, `{}`.
fn plain_braces(text: &str) -> Option<&str> {
    let (inside, _) = text.strip_prefix('{')?.split_once('}')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/');
    inside
        .chars()
        .all(is_plain)
        .then(|| &text[..inside.len() + 2])
}

/// Whether a character hides in a command or changes how it looks.
fn deceives(c: char) -> bool {
    is_hidden(c) && !is_presentation(c) && !matches!(c, '\n' | '\t')
}

/// A word under way.
#[derive(Debug, Default)]
struct Word {
    text: String,
    at: usize,
    /// Whether any of it stood in quotes: then it is no keyword and no assignment.
    is_quoted: bool,
    /// The same as a pattern: what stood in quotes has a backslash before each sign.
    pattern: String,
}

impl Word {
    /// Whether it stands for the names of files: a bracket that nothing closes is a letter.
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

fn not(at: usize, what: &'static str) -> NotLiteral {
    NotLiteral {
        at,
        what,
        is_hopeless: false,
    }
}

impl Reader<'_> {
    fn line(&mut self) -> Result<(), NotLiteral> {
        let mut at = 0;
        // What an operator that has no right side yet says.
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
                        // A line may break behind an operator.
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
            return Err(not(at, "an operator without a command behind it"));
        }
        Ok(())
    }

    /// One character of a word, or a quoted part. How many bytes that were.
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
                // It quotes the character after it, in every shell; only a line break it takes away.
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
                    // In front of any other it stays, and so does the other.
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

    /// Whether the program `[` stands here, and no pattern.
    fn is_test(&self, at: usize, c: char) -> bool {
        c == '[' && self.word.is_none() && self.text[at + 1..].starts_with([' ', '\t'])
    }

    /// A redirection to `/dev/null` or to the other output. How many bytes it has.
    fn redirection(&mut self, at: usize) -> Result<usize, NotLiteral> {
        let error = not(at, "a redirection");
        // Digits right before it are no word.
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
        let operator = operator.expect("it begins with a sign of one");
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
            // The first of a pipeline reads nothing else.
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

    /// Whether the line begins here and holds nothing else than this one command.
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

/// Commands that only change the shell they run in: alone in a line they do nothing that lasts.
pub(super) fn is_about_the_shell(name: &str) -> bool {
    matches!(name, "export" | "source" | "." | "cd")
}

/// `NAME=..`, `NAME+=..`, `NAME[..]=..`
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else {
        return false;
    };
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split('[').next().unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::{CommandLine, Join, Stream, Streams};

    fn shown(line: &CommandLine) -> String {
        let pipelines = line.pipelines.iter().map(|pipeline| {
            let sign = match pipeline.join {
                Join::Then => ";",
                Join::And => "&&",
                Join::Or => "||",
            };
            let commands: Vec<String> = pipeline
                .commands
                .iter()
                .map(|words| words.join("·"))
                .collect();
            format!("{sign} {}", commands.join(" | "))
        });
        pipelines.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn literal_words_are_read_as_bash_reads_them() {
        let cases = [
            ("ls", "; ls"),
            ("  git   status  ", "; git·status"),
            ("a && b || c ; d", "; a && b || c ; d"),
            ("a|b | c\nd\n\n e", "; a | b | c ; d ; e"),
            ("a &&\n b", "; a && b"),
            (
                "echo 'a;b && c | d $(x) `y`'",
                "; echo·a;b && c | d $(x) `y`",
            ),
            (r#"echo "it's \"x\" \\ \n""#, r#"; echo·it's "x" \ \n"#),
            ("find a -'del'ete", "; find·a·-delete"),
            (
                "git log HEAD~1 a#b x=y --z=~",
                "needs `~`, which stands for a home, at byte 27",
            ),
            (
                "git log HEAD~1 a#b x=y -n 1",
                "; git·log·HEAD~1·a#b·x=y·-n·1",
            ),
            ("echo '' \"\" x", "; echo···x"),
            ("find . ! -name x", "; find·.·!·-name·x"),
            ("cat 'we ird é日 name.txt'", "; cat·we ird é日 name.txt"),
            (r"cat my\ file.txt", "; cat·my file.txt"),
            (
                r"cat 'my file.txt' my\ \'file\'",
                "; cat·my file.txt·my 'file'",
            ),
            (
                r"find . -name \*.rs -exec wc {} \; ; \ls",
                "; find·.·-name·*.rs·-exec·wc·{}·; ; ls",
            ),
            (r"a \&\& b \~ \$x é\é", "; a·&&·b·~·$x·éé"),
            (r"\if x", "; if·x"),
            ("cd sub && make", "; cd·sub && make"),
            ("cd sub", "; cd·sub"),
            ("export A=1", "; export·A=1"),
            ("ls;", "; ls"),
            ("a # b; c\nd && # e\nf", "; a ; d && f"),
            (
                "git diff HEAD@{1} {} a{b-c}",
                "; git·diff·HEAD@{1}·{}·a{b-c}",
            ),
        ];
        for (text, expected) in cases {
            let read = match CommandLine::read(text) {
                Ok(line) => shown(&line),
                Err(error) => format!("needs {} at byte {}", error.what, error.at),
            };
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn everything_else_needs_a_shell() {
        for text in [
            "a &",
            "a & b",
            "a |& b",
            "a > b",
            "a < b",
            "a 2>x",
            "a 3>&1",
            "a 2>&3",
            "a > /dev/null/x",
            "a >/dev/nullx",
            "a >\"/dev/null\"",
            "a >/dev/null\"x\"",
            "a >/dev/null$x",
            "a >&x",
            "a <&0",
            "a <>/dev/null",
            "a | b </dev/null",
            ">/dev/null",
            "2>/dev/null a",
            "a; >/dev/null",
            "a 2>&-",
            "a 2>&1x",
            "'2'>x",
            "* a",
            "a? b",
            "[a] b",
            "a | b*",
            "a >| b",
            "a <<EOF\nEOF",
            "a <<< b",
            "$x",
            "a $x",
            "\"$x\"",
            "`a`",
            "a `b`",
            "\"`b`\"",
            "$(a)",
            "<(a)",
            "(a)",
            "{ a; }",
            "a {b,c}",
            "a {1..3}",
            "a {b",
            "a *",
            "a ?",
            "a [b]",
            "~",
            "a ~/b",
            "a=~/b c",
            "A=1",
            "A=1 b",
            "A+=1 b",
            "a[0]=1",
            "a\\\nb",
            "a\\",
            "a \\x *",
            "A\\=1",
            "if a; then b; fi",
            "for i in 1; do a; done",
            "! a",
            "time a",
            "[[ a ]]",
            "case x in x) a;; esac",
            "eval a",
            "exec a",
            "command a",
            "alias a=b",
            "trap a EXIT",
            "source a; b",
            "export A=1; b",
            "; a",
            "a ;; b",
            "a && ; b",
            "a &&",
            "a |",
            "| a",
            "&& a",
            "'a",
            "\"a",
            "\"a\\",
            "a'b",
            "",
            " \n ",
            "''",
            "function f { a; }",
            "coproc a",
            "a\u{b}b",
        ] {
            assert!(
                CommandLine::read(text).is_err(),
                "{text:?}: {:?}",
                CommandLine::read(text)
            );
        }
    }

    #[test]
    fn output_goes_nowhere_or_to_the_other_without_a_shell() {
        let own = Streams::default();
        let of = |output, error| Streams { output, error };
        for (text, words, streams) in [
            ("a 2>/dev/null", "; a", own_error(Stream::Null)),
            (
                "a x>/dev/null y",
                "; a·x·y",
                of(Stream::Null, Stream::Error),
            ),
            ("a 1>/dev/null", "; a", of(Stream::Null, Stream::Error)),
            ("a >>/dev/null", "; a", of(Stream::Null, Stream::Error)),
            ("a > /dev/null 2>&1", "; a", of(Stream::Null, Stream::Null)),
            ("a 2>&1 >/dev/null", "; a", of(Stream::Null, Stream::Output)),
            ("a 2>&1", "; a", own_error(Stream::Output)),
            ("a 2>& 1;", "; a", own_error(Stream::Output)),
            ("a &>/dev/null", "; a", of(Stream::Null, Stream::Null)),
            ("a >&/dev/null", "; a", of(Stream::Null, Stream::Null)),
            ("a >&2", "; a", of(Stream::Error, Stream::Error)),
            ("a </dev/null", "; a", own),
            ("a x2>/dev/null", "; a·x2", of(Stream::Null, Stream::Error)),
            ("a '2'>/dev/null", "; a·2", of(Stream::Null, Stream::Error)),
        ] {
            let line = CommandLine::read(text).expect(text);
            assert_eq!(shown(&line), words, "{text}");
            assert_eq!(line.pipelines[0].streams, [streams], "{text}");
        }
        let line = CommandLine::read("a 2>/dev/null | b 2>&1 && c").expect("literal");
        let streams: Vec<Stream> = line
            .pipelines
            .iter()
            .flat_map(|pipeline| pipeline.streams.iter().map(|streams| streams.error))
            .collect();
        assert_eq!(streams, [Stream::Null, Stream::Output, Stream::Error]);
    }

    fn own_error(error: Stream) -> Streams {
        Streams {
            error,
            ..Streams::default()
        }
    }

    #[test]
    fn patterns_become_names_and_the_rest_stays() {
        for (text, expected) in [
            ("ls *.rs x", "; ls·D|*.rs·D2·x"),
            ("ls *.a *.b 'c*'", "; ls·D|*.a·D2·D|*.b·D2·c*"),
            ("a *.a | b *.b", "; a·D|*.a·D2 | b·D|*.b·D2"),
            ("ls 'a b'*.rs", "; ls·D|\\a\\ \\b*.rs·D2"),
            ("ls none* x", "; ls·none*·x"),
            ("[ -f a ]", "; [·-f·a·]"),
            ("ls a[b x", "; ls·a[b·x"),
            ("ls a[bc] \\*", "; ls·D|a[bc]·D2·*"),
            ("cd s && ls *.rs", "; cd·s && ls·Ds|*.rs·D2"),
            (
                "a && cd s && cd t && ls ?",
                "; a && cd·s && cd·t && ls·Dst|?·D2",
            ),
            ("ls * && cd s", "; ls·D|*·D2 && cd·s"),
            (
                "cd s; ls *",
                "needs a pattern for file names where the directory is not known at byte 9",
            ),
            (
                "a || cd s && ls *",
                "needs a pattern for file names where the directory is not known at byte 16",
            ),
            (
                "cd s && a || ls *",
                "needs a pattern for file names where the directory is not known at byte 16",
            ),
            (
                "cd s*",
                "needs a pattern for file names where the directory is not known at byte 3",
            ),
            ("ls much*", "needs too much at byte 3"),
        ] {
            let mut line = CommandLine::read_patterns(text).expect(text);
            let done = line.expand(|moves, pattern| match pattern {
                "none*" => Ok(Vec::new()),
                "much*" => Err("too much"),
                _ => Ok(vec![
                    format!("D{}|{pattern}", moves.concat()),
                    "D2".to_owned(),
                ]),
            });
            let read = match done {
                Ok(()) => shown(&line),
                Err(error) => format!("needs {} at byte {}", error.what, error.at),
            };
            assert_eq!(read, expected, "{text}");
            assert_eq!(
                CommandLine::read(text).is_ok(),
                line.patterns().next().is_none(),
                "{text}"
            );
            for pipeline in &line.pipelines {
                for pattern in pipeline
                    .patterns
                    .iter()
                    .filter(|pattern| pattern.n_words == 2)
                {
                    let words = &pipeline.commands[pattern.command][pattern.word..];
                    assert!(
                        words[0].ends_with(&pattern.pattern) && words[1] == "D2",
                        "{text}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_quoted_line_reads_as_the_same_words() {
        for text in [
            "a 'b c' \"it's\" | d && e || f; g",
            "find . -name '*.rs' -exec wc {} \\;",
        ] {
            let line = CommandLine::read(text).expect(text);
            let again = CommandLine::read(&line.quoted()).expect(text);
            assert_eq!(shown(&again), shown(&line), "{text}");
        }
    }

    #[test]
    fn what_deceives_is_refused_for_good() {
        for text in [
            "ls -la\u{202e}",
            "l\u{200b}s",
            "g\u{456}t status",
            "a\u{a0}b",
            "a\u{0}",
            "'\u{1b}[2J'",
            "ls\r\nrm",
        ] {
            assert!(
                CommandLine::read(text).expect_err(text).is_hopeless,
                "{text:?}"
            );
        }
    }
}
