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
    /// Reads a line.
    ///
    /// # Errors
    /// If any part of it would be read by a shell as more than itself.
    pub fn read(text: &str) -> Result<CommandLine, NotLiteral> {
        let mut reader = Reader {
            text,
            pipelines: Vec::new(),
            join: Join::Then,
            commands: Vec::new(),
            words: Vec::new(),
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
}

struct Reader<'a> {
    text: &'a str,
    pipelines: Vec<Pipeline>,
    join: Join,
    commands: Vec<Vec<String>>,
    words: Vec<String>,
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
                        self.commands.push(std::mem::take(&mut self.words));
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
            self.unquoted(at).push_str(braces);
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
                    self.quoted(at).push(escaped);
                    return Ok(1 + escaped.len_utf8());
                }
                _ => "a backslash at the end of a line",
            },
            '<' | '>' => "a redirection",
            '(' | ')' => "a parenthesis",
            '*' | '?' | '[' => "a pattern for file names outside of quotes",
            '{' | '}' => "a brace outside of quotes",
            '~' if is_first || matches!(before, Some('=' | ':')) => "`~`, which stands for a home,",
            _ => {
                self.unquoted(at).push(c);
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
        self.quoted(at).push_str(&inside[..end]);
        Ok(end + 2)
    }

    fn double(&mut self, at: usize) -> Result<usize, NotLiteral> {
        let mut text = String::new();
        let mut inside = self.text[at + 1..].char_indices();
        while let Some((offset, c)) = inside.next() {
            match c {
                '"' => {
                    self.quoted(at).push_str(&text);
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

    fn unquoted(&mut self, at: usize) -> &mut String {
        &mut self.word(at).text
    }

    fn quoted(&mut self, at: usize) -> &mut String {
        let word = self.word(at);
        word.is_quoted = true;
        &mut word.text
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

    fn end_pipeline(&mut self) {
        let mut commands = std::mem::take(&mut self.commands);
        commands.push(std::mem::take(&mut self.words));
        self.pipelines.push(Pipeline {
            join: self.join,
            commands,
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
    use super::{CommandLine, Join};

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
            "a 2>&1",
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
