//! The commands in any text that a shell might run.

use super::wrappers::{self, Inner};

/// Texts within texts that are looked at; more than that is nobody's honest command.
const MOST_TEXTS: usize = 256;

/// The commands in a text that a shell might run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Every command found, with its words: first those that stand in the text, then what stands inside of them.
    pub commands: Vec<Vec<String>>,
    /// Where redirections lead.
    pub targets: Vec<String>,
    /// Whether the text holds more than one command's words: operators, redirections, substitutions. Parentheses alone
    /// do not count. It is what AXE calls so.
    pub needs_shell: bool,
    /// Whether something is run that the text does not tell.
    pub is_opaque: bool,
}

/// Words before a command that are none.
const BEFORE_COMMANDS: &[&str] = &[
    "!", "{", "}", "if", "then", "elif", "else", "fi", "do", "done", "while", "until", "esac",
    "coproc",
];

/// Words whose line holds no command until the next separator.
const HEADS: &[&str] = &["for", "case", "select", "function", "in"];

impl Survey {
    /// Looks at a text.
    pub fn of(text: &str) -> Survey {
        let mut survey = Survey::default();
        let mut texts = vec![text.to_owned()];
        let mut n_texts = 0;
        while let Some(text) = texts.pop() {
            n_texts += 1;
            if n_texts > MOST_TEXTS {
                survey.is_opaque = true;
                break;
            }
            let first = survey.commands.len();
            Scan::new(&text, &mut survey, &mut texts).run();
            if n_texts == 1 && survey.commands.is_empty() {
                survey.is_opaque = true;
            }
            // What is inside of commands may be inside of others: the list grows while it is walked.
            let mut index = first;
            while index < survey.commands.len() && survey.commands.len() <= 16 * MOST_TEXTS {
                for inner in wrappers::inner(&survey.commands[index]) {
                    match inner {
                        Inner::Command(command) => survey.commands.push(command),
                        Inner::Text(text) => texts.push(text),
                        Inner::Unknown => survey.is_opaque = true,
                    }
                }
                index += 1;
            }
        }
        survey
    }

    /// The names of the programs, without their directories, in order of appearance, each once.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for command in &self.commands {
            let name = command
                .first()
                .map_or("", |program| wrappers::base(program));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// What the next word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Word,
    /// Where a redirection leads.
    Target,
    /// The delimiter of a here-document.
    Delimiter,
    /// Part of the head of a loop or a case.
    Head,
}

struct Scan<'a> {
    chars: Vec<char>,
    at: usize,
    survey: &'a mut Survey,
    texts: &'a mut Vec<String>,
    command: Vec<String>,
    word: Option<String>,
    is_quoted: bool,
    next: Next,
    /// Delimiters of here-documents whose bodies begin on the next line, and whether they were quoted.
    bodies: Vec<(String, bool)>,
}

impl<'a> Scan<'a> {
    fn new(text: &str, survey: &'a mut Survey, texts: &'a mut Vec<String>) -> Scan<'a> {
        Scan {
            chars: text.chars().collect(),
            at: 0,
            survey,
            texts,
            command: Vec::new(),
            word: None,
            is_quoted: false,
            next: Next::Word,
            bodies: Vec::new(),
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn run(mut self) {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                ' ' | '\t' | '\r' => self.end_word(),
                '\n' => {
                    let is_last = self.chars[self.at..].iter().all(|c| c.is_whitespace());
                    self.end_command();
                    self.survey.needs_shell |= !is_last;
                    self.skip_bodies();
                }
                ';' | '&' | '|' => {
                    self.survey.needs_shell = true;
                    if c == '&' && matches!(self.peek(0), Some('>')) {
                        self.end_word();
                    } else {
                        self.end_command();
                    }
                }
                '(' | ')' => self.end_command(),
                '<' | '>' => self.redirection(c),
                '#' if self.word.is_none() => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => self.part(c),
            }
        }
        self.end_command();
    }

    fn part(&mut self, c: char) {
        match c {
            '\'' => {
                self.is_quoted = true;
                self.word.get_or_insert_default();
                while let Some(c) = self.peek(0) {
                    self.at += 1;
                    if c == '\'' {
                        break;
                    }
                    self.push(c);
                }
            }
            '"' => {
                self.is_quoted = true;
                self.word.get_or_insert_default();
                while let Some(c) = self.peek(0) {
                    self.at += 1;
                    match c {
                        '"' => break,
                        '\\' => self.escaped(),
                        '$' => self.dollar(),
                        '`' => self.backtick(),
                        _ => self.push(c),
                    }
                }
            }
            '\\' => self.escaped(),
            '$' => self.dollar(),
            '`' => self.backtick(),
            _ => self.push(c),
        }
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn escaped(&mut self) {
        match self.peek(0) {
            Some('\n') => self.at += 1,
            Some(c) => {
                self.at += 1;
                self.push(c);
            }
            None => {}
        }
    }

    /// Behind a `$`: a substitution is looked at on its own, and leaves `$` in the word.
    fn dollar(&mut self) {
        self.push('$');
        match self.peek(0) {
            Some(open @ ('(' | '{')) => {
                self.survey.needs_shell = true;
                let close = if open == '(' { ')' } else { '}' };
                self.at += 1;
                let inside = self.balanced(open, close);
                if open == '(' {
                    self.texts.push(inside);
                } else {
                    self.substitutions(&inside);
                }
            }
            Some('\'' | '"') => {}
            Some(_) => self.survey.needs_shell = true,
            None => {}
        }
    }

    fn backtick(&mut self) {
        self.push('$');
        self.survey.needs_shell = true;
        let mut inside = String::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '`' => break,
                '\\' => {
                    inside.extend(self.peek(0));
                    self.at += 1;
                }
                _ => inside.push(c),
            }
        }
        self.texts.push(inside);
    }

    /// To the closer that belongs to the opener before this, which is skipped.
    fn balanced(&mut self, open: char, close: char) -> String {
        let mut depth = 1;
        let mut quote = None;
        let start = self.at;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match (c, quote) {
                ('\\', None | Some('"')) => self.at += 1,
                (c, Some(open)) if c == open => quote = None,
                (_, Some(_)) => {}
                ('\'' | '"', None) => quote = Some(c),
                (c, None) if c == open => depth += 1,
                (c, None) if c == close => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return self.chars[start..self.at - 1].iter().collect();
            }
        }
        self.chars[start.min(self.chars.len())..].iter().collect()
    }

    /// Looks only for substitutions in a text that is no command: a here-document, a parameter's default.
    fn substitutions(&mut self, text: &str) {
        for (index, c) in text.char_indices() {
            let inside = match c {
                '$' if text[index..].starts_with("$(") => &text[index + 2..],
                '$' if text[index..].ends_with("@P}") || text[index..].contains("@P") => {
                    self.survey.is_opaque = true;
                    continue;
                }
                '`' => &text[index + 1..],
                _ => continue,
            };
            // Too much of it at worst: what stands behind its end is taken for commands too.
            self.texts
                .push(inside.trim_end_matches(['`', ')']).to_owned());
        }
    }

    fn redirection(&mut self, c: char) {
        if self
            .word
            .as_ref()
            .is_some_and(|word| word.chars().all(|c| c.is_ascii_digit()))
            && !self.is_quoted
        {
            // The number of a descriptor.
            self.word = None;
        }
        self.end_word();
        self.survey.needs_shell = true;
        if self.peek(0) == Some('(') {
            self.at += 1;
            let inside = self.balanced('(', ')');
            self.texts.push(inside);
            self.push('$');
            return;
        }
        self.next = Next::Target;
        if c == '<' && self.peek(0) == Some('<') {
            self.at += 1;
            if self.peek(0) == Some('<') {
                self.at += 1;
                // A here-string is data.
                self.next = Next::Head;
            } else {
                self.next = Next::Delimiter;
                if self.peek(0) == Some('-') {
                    self.at += 1;
                }
            }
            return;
        }
        while matches!(self.peek(0), Some('>' | '|' | '&')) {
            self.at += 1;
        }
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        let is_quoted = std::mem::take(&mut self.is_quoted);
        match self.next {
            Next::Target => {
                if !word.chars().all(|c| c.is_ascii_digit() || c == '-') {
                    self.survey.targets.push(word);
                }
                self.next = Next::Word;
            }
            Next::Delimiter => {
                self.bodies.push((word, is_quoted));
                self.next = Next::Word;
            }
            Next::Head => {
                if !self.command.is_empty() {
                    self.next = Next::Word;
                }
            }
            Next::Word => {
                if self.command.is_empty() && !is_quoted {
                    if BEFORE_COMMANDS.contains(&word.as_str()) || is_assignment(&word) {
                        return;
                    }
                    if HEADS.contains(&word.as_str()) {
                        self.next = Next::Head;
                        return;
                    }
                }
                if self.command.is_empty() && word.contains('$') {
                    self.survey.is_opaque = true;
                }
                self.command.push(word);
            }
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.next = Next::Word;
        if !self.command.is_empty() {
            self.survey.commands.push(std::mem::take(&mut self.command));
        }
    }

    /// Past the bodies of here-documents that begin here.
    fn skip_bodies(&mut self) {
        for (delimiter, is_quoted) in std::mem::take(&mut self.bodies) {
            let mut body = String::new();
            while self.at < self.chars.len() {
                let rest = &self.chars[self.at..];
                let end = rest.iter().position(|&c| c == '\n').unwrap_or(rest.len());
                let line: String = rest[..end].iter().collect();
                self.at += (end + 1).min(rest.len());
                if line.trim_start_matches('\t') == delimiter {
                    break;
                }
                body.push_str(&line);
                body.push('\n');
            }
            if !is_quoted {
                self.substitutions(&body);
            }
        }
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | ']' | '+'))
    })
}

#[cfg(test)]
mod tests {
    use super::Survey;

    #[test]
    fn commands_are_found_wherever_they_hide() {
        let cases = [
            ("ls -la", "ls"),
            ("a | b && c; d & e\nf", "a b c d e f"),
            ("(a | b) || ((c))", "a b c"),
            ("a<b>c 2>&1", "a"),
            ("sudo -u x rm y", "sudo rm"),
            ("env -i A=1 rm x", "env rm"),
            ("env -S 'rm x'", "env rm"),
            ("env -iS'rm x'", "env rm"),
            ("timeout -k 1 5 nice -n 3 rm x", "timeout nice rm"),
            ("x | xargs -n 1 -I{} rm {}", "x xargs rm"),
            ("bash -lc \"rm x; ls\"", "bash rm ls"),
            ("sh -c 'bash -c \"rm x\"'", "sh bash rm"),
            ("echo $(rm x)", "echo rm"),
            ("echo \"`rm x`\"", "echo rm"),
            ("echo ${x:=$(rm x)}", "echo rm"),
            ("cat <(rm x)", "cat rm"),
            ("cat <<EOF\n$(rm x)\nEOF\nls", "cat ls rm"),
            ("cat <<'EOF'\n$(rm x)\nEOF", "cat"),
            ("cat << EOF > out.txt\nrm -rf /\nEOF", "cat"),
            ("grep<<<'text'", "grep"),
            ("find . -exec rm {} \\;", "find rm"),
            (
                "find . -name x -execdir sh -c 'rm y' ';' -o -ok z +",
                "find sh z rm",
            ),
            ("eval rm x", "eval rm"),
            ("trap 'rm x' EXIT", "trap rm"),
            ("! rm x", "rm"),
            ("{ rm x; }", "rm"),
            ("if a; then rm x; fi", "a rm"),
            ("for i in 1 2; do rm $i; done", "rm"),
            ("while true; do rm x; done", "true rm"),
            ("case x in x) rm x;; esac", "rm"),
            ("A=1 B=2 rm x", "rm"),
            ("r\\m x", "rm"),
            ("'r'm x", "rm"),
            ("/bin/rm x", "rm"),
            ("busybox rm x", "busybox rm"),
            (
                "/lib64/ld-linux-x86-64.so.2 /bin/rm x",
                "ld-linux-x86-64.so.2 rm",
            ),
            ("tar cf x --checkpoint-action=exec='rm x' y", "tar rm"),
            ("tar -I 'rm x' -cf y", "tar rm"),
            ("watch 'ls; rm x'", "watch ls rm"),
            ("git -c alias.x='!rm y' x", "git rm"),
            ("rsync -e 'rm x' a b", "rsync rm"),
            ("rg --pre=rm x", "rg rm"),
            ("prlimit --cpu=1 rm x", "prlimit rm"),
            ("git status # rm x", "git"),
            ("echo 'a; rm x'", "echo"),
            ("a &> b", "a"),
        ];
        for (text, names) in cases {
            assert_eq!(Survey::of(text).names().join(" "), names, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_told_is_said_to_be_so() {
        for text in [
            "$x",
            "$(echo rm) x",
            "bash script.sh",
            "source x",
            "${a}m x",
            "",
            "echo ${x@P}",
        ] {
            assert!(
                Survey::of(text).is_opaque || Survey::of(text).needs_shell,
                "{text}"
            );
        }
        assert!(!Survey::of("ls -la").is_opaque);
    }

    #[test]
    fn any_text_comes_to_an_end() {
        for text in [
            "'",
            "\"",
            "`",
            "$(",
            "${",
            "<(",
            "<<",
            "<<<",
            "\\",
            "$(\"",
            "a$",
            "((((",
            "$($($($(",
            "<<a\n<<b\n",
        ] {
            let _ = Survey::of(text);
            let _ = Survey::of(&text.repeat(1000));
        }
    }
}
