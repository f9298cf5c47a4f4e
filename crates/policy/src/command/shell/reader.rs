//! The state machine that parses the grammar.

use super::list::{Case, Kind, List, Next};
use super::word::{Word, is_name};
use super::{Input, Script, Simple, arithmetic, is_unknown};

/// Reads a text as a shell would.
pub(in crate::command) fn read(text: &str) -> Script {
    let mut reader = Reader::new(text);
    reader.run();
    reader.finish()
}

/// Reads the body of a here-document: only substitutions count.
pub(in crate::command) fn read_data(text: &str) -> Script {
    let mut reader = Reader::new(text);
    reader.frames.push(Frame::Double { is_data: true });
    reader.run();
    reader
        .frames
        .retain(|frame| !matches!(frame, Frame::Double { is_data: true }));
    reader.lists.truncate(1);
    reader.lists[0].word = None;
    reader.finish()
}

/// An open construct; the innermost is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// The innermost of the open lists.
    List,
    /// A part in double quotes, or a text in which quotes mean nothing.
    Double { is_data: bool },
    /// `${ .. }` after its name.
    Parameter { is_quoted: bool },
}

/// A here-document whose body starts on the next line.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) delimiter: String,
    pub(super) is_plain: bool,
    pub(super) strips: bool,
    pub(super) number: usize,
    /// The number of lists that were open.
    pub(super) depth: usize,
}

pub(super) struct Reader {
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    /// The number of letters without the blanks at the end.
    pub(super) n_letters: usize,
    pub(super) frames: Vec<Frame>,
    pub(super) lists: Vec<List>,
    pub(super) script: Script,
    pub(super) commands: Vec<Option<Simple>>,
    pub(super) documents: Vec<Document>,
    /// Bodies of here-documents; `None` for a body that the text does not show.
    pub(super) bodies: Vec<Option<String>>,
}

impl Reader {
    pub(super) fn new(text: &str) -> Reader {
        Reader {
            chars: text.chars().collect(),
            at: 0,
            n_letters: text.trim_end().chars().count(),
            frames: vec![Frame::List],
            lists: vec![List::new(Kind::Text)],
            script: Script::default(),
            commands: Vec::new(),
            documents: Vec::new(),
            bodies: Vec::new(),
        }
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    /// Takes the next letter if it is `c`.
    pub(super) fn takes(&mut self, c: char) -> bool {
        let is_next = self.peek(0) == Some(c);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn list(&mut self) -> &mut List {
        self.lists
            .last_mut()
            .expect("the text itself is never closed")
    }

    /// The current word. The first word of a command reserves the command's index.
    pub(super) fn word(&mut self) -> &mut Word {
        let n_commands = self.commands.len();
        let list = self
            .lists
            .last_mut()
            .expect("the text itself is never closed");
        if list.slot.is_none() {
            list.slot = Some(n_commands);
            self.commands.push(None);
        }
        list.word()
    }

    pub(super) fn run(&mut self) {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match self.frames.last().copied().unwrap_or(Frame::List) {
                Frame::List => self.in_list(c),
                Frame::Double { is_data } => self.in_double(c, is_data),
                Frame::Parameter { is_quoted } => self.in_parameter(c, is_quoted),
            }
        }
    }

    pub(super) fn finish(mut self) -> Script {
        if self.frames.len() > 1 {
            self.script.doubt("a quote or bracket that is never closed");
        }
        while !self.lists.is_empty() {
            self.end_command();
            if let Some(list) = self.lists.pop()
                && (!list.cases.is_empty() || list.test.is_some())
            {
                self.script.doubt("a `case` or `[[` that is never closed");
            }
        }
        for mut command in self.commands.into_iter().flatten() {
            if let Input::Document(number) = command.input {
                let body = self.bodies.get_mut(number).and_then(Option::take);
                command.input = body.map_or(Input::Unknown, Input::Text);
            }
            self.script.commands.push(command);
        }
        self.script
    }

    // Lists of commands.

    pub(super) fn in_list(&mut self, c: char) {
        if self.list().test.is_some() && self.in_test(c) {
            return;
        }
        match c {
            ' ' | '\t' | '\r' => self.end_word(),
            '\n' => self.line(),
            ';' => self.semicolon(),
            '&' => self.ampersand(),
            '|' => self.bar(),
            '(' => self.open(),
            ')' => self.close(),
            '<' | '>' => self.redirection(c),
            '#' if self.list().word.is_none() => {
                while self.peek(0).is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
            }
            _ => self.part(c),
        }
    }

    pub(super) fn line(&mut self) {
        if self.list().kind == Kind::Array && self.documents.is_empty() {
            self.end_word();
            return;
        }
        self.script.needs_shell |= self.at < self.n_letters;
        self.end_command();
        let depth = self.lists.len();
        if self
            .documents
            .iter()
            .any(|document| document.depth != depth)
        {
            self.script
                .doubt("a here-document whose text starts inside of another command");
        }
        for document in std::mem::take(&mut self.documents) {
            self.body(&document);
        }
    }

    pub(super) fn semicolon(&mut self) {
        self.script.needs_shell = true;
        self.end_command();
        let is_double = self.takes(';');
        let falls_through = self.takes('&');
        if is_double || falls_through {
            match self.list().cases.last_mut() {
                Some(case) => *case = Case::Patterns,
                None => self.script.doubt("`;;` without a `case`"),
            }
        }
        if self.list().kind == Kind::Array {
            self.script.doubt("`;` inside of a list of values");
        }
    }

    pub(super) fn ampersand(&mut self) {
        self.script.needs_shell = true;
        if self.peek(0) == Some('>') {
            self.at += 1;
            self.end_word();
            self.takes('>');
            let list = self.list();
            list.is_redirected = true;
            list.next = Next::Target { is_input: false };
            return;
        }
        self.end_command();
        self.takes('&');
    }

    pub(super) fn bar(&mut self) {
        if self.list().is_in_patterns() {
            self.end_word();
            return;
        }
        self.script.needs_shell = true;
        self.end_command();
        if !self.takes('|') {
            self.takes('&');
            self.list().piped = true;
        }
    }

    pub(super) fn open(&mut self) {
        let Reader {
            chars, at, script, ..
        } = self;
        let list = self
            .lists
            .last_mut()
            .expect("the text itself is never closed");
        let is_arithmetic = chars.get(*at) == Some(&'(');
        if list.word.is_none() && list.is_in_patterns() {
            return;
        }
        if list.word.is_none() && list.next == Next::Variable && is_arithmetic {
            match arithmetic::skip(chars, *at + 1, true, &mut script.variables) {
                Some(end) => {
                    *at = end;
                    list.next = Next::Word;
                }
                None => script.doubt("arithmetic that cannot be read"),
            }
            return;
        }
        if list.word.is_none() && list.is_fresh() && is_arithmetic {
            match arithmetic::skip(chars, *at + 1, false, &mut script.variables) {
                // Some shells have no arithmetic here, and run the contents.
                Some(end) => {
                    let inside = chars[*at + 1..end.saturating_sub(2)].iter().collect();
                    script.scripts.push(inside);
                    *at = end;
                    return;
                }
                None => script.doubt("`((` that may be arithmetic or commands"),
            }
        }
        let is_value = list
            .word
            .as_ref()
            .and_then(Word::as_plain)
            .is_some_and(|text| {
                text.strip_suffix('=')
                    .is_some_and(|name| is_name(name.trim_end_matches('+')))
            });
        if is_value {
            self.push(Kind::Array);
            return;
        }
        let is_word = list.word.is_some();
        if is_word {
            self.end_word();
        }
        let list = self
            .lists
            .last_mut()
            .expect("the text itself is never closed");
        let closes = self.chars[self.at..]
            .iter()
            .take(64)
            .find(|c| **c != ' ' && **c != '\t')
            == Some(&')');
        if closes && list.command.words.len() <= 1 && list.command.assignments.is_empty() {
            // A function: its name is not a command, and its body follows.
            if list
                .command
                .words
                .first()
                .is_some_and(|name| is_unknown(name))
            {
                self.script.doubt("a function whose name is not literal");
            }
            let list = self.list();
            list.command = Simple::default();
            list.is_split = false;
            while self.peek(0).is_some_and(|c| c != ')') {
                self.at += 1;
            }
            self.at += 1;
            return;
        }
        if list.is_coproc && list.command.words.len() == 1 {
            list.command = Simple::default();
        } else if !list.is_fresh() || list.next != Next::Word {
            self.script.doubt("a parenthesis inside of a command");
        }
        self.push(Kind::Subshell);
    }

    pub(super) fn push(&mut self, kind: Kind) {
        self.lists.push(List::new(kind));
        self.frames.push(Frame::List);
    }

    pub(super) fn close(&mut self) {
        if self.list().is_in_patterns() {
            self.end_word();
            if let Some(case) = self.list().cases.last_mut() {
                *case = Case::Body;
            }
            return;
        }
        self.end_command();
        if self.lists.len() == 1 {
            self.script.doubt("a parenthesis that nothing opened");
            return;
        }
        let depth = self.lists.len();
        if self
            .documents
            .iter()
            .any(|document| document.depth == depth)
        {
            self.script
                .doubt("a here-document that ends with a parenthesis");
            self.documents.retain(|document| document.depth != depth);
        }
        let list = self.lists.pop().expect("there is more than one");
        if !list.cases.is_empty() || list.test.is_some() {
            self.script.doubt("a `case` or `[[` that is never closed");
        }
        // All frames inside of the list are closed, or the `)` would belong to one of them.
        self.frames.pop();
    }

    pub(super) fn redirection(&mut self, c: char) {
        self.script.needs_shell = true;
        if self.takes('(') {
            self.word().unknown(true);
            self.push(Kind::Substitution);
            return;
        }
        let list = self.list();
        let is_descriptor = |text: &str| {
            let inside = text
                .strip_prefix('{')
                .and_then(|text| text.strip_suffix('}'));
            (!text.is_empty() && text.chars().all(|c| c.is_ascii_digit()))
                || inside.is_some_and(is_name)
        };
        let is_input = c == '<';
        let own = list
            .word
            .as_ref()
            .and_then(Word::as_plain)
            .filter(|text| is_descriptor(text))
            .map(str::to_owned);
        let is_standard = own.as_deref().is_none_or(|own| own == "0");
        if own.is_some() {
            list.word = None;
        }
        self.end_word();
        let list = self.list();
        if list.next != Next::Word {
            self.script.doubt("a redirection where a word belongs");
        }
        self.list().is_redirected = true;
        let next = if is_input && self.takes('<') {
            if self.takes('<') {
                Next::HereString
            } else {
                Next::Delimiter {
                    strips: self.takes('-'),
                }
            }
        } else {
            while matches!(self.peek(0), Some('>' | '|' | '&')) {
                self.at += 1;
            }
            Next::Target {
                is_input: is_input && is_standard,
            }
        };
        self.list().next = next;
    }

    /// Reads the body of a here-document.
    pub(super) fn body(&mut self, document: &Document) {
        let mut body = String::new();
        while self.at < self.chars.len() {
            let rest = &self.chars[self.at..];
            let end = rest.iter().position(|&c| c == '\n').unwrap_or(rest.len());
            let mut line: String = rest[..end].iter().collect();
            self.at += (end + 1).min(rest.len());
            if document.strips {
                line = line.trim_start_matches('\t').to_owned();
            }
            if line == document.delimiter {
                break;
            }
            if document.is_plain && line.ends_with('\\') {
                self.script
                    .doubt("a here-document with a backslash at the end of a line");
            }
            body.push_str(&line);
            body.push('\n');
        }
        let is_known = !document.is_plain || !body.contains(['$', '`', '\\']);
        if !is_known {
            self.script.data.push(body.clone());
        }
        self.bodies[document.number] = is_known.then_some(body);
    }

    /// Reads one letter of `[[ .. ]]`. Returns whether the letter is handled.
    pub(super) fn in_test(&mut self, c: char) -> bool {
        match c {
            '<' | '>' if self.peek(0) == Some('(') => false,
            ' ' | '\t' | '\n' | '<' | '>' | '(' | ')' | '|' | '&' | ';' => {
                self.end_word();
                if self.list().test.is_none() {
                    // The `[[ .. ]]` ended directly before this letter.
                    return false;
                }
                self.script.needs_shell |= matches!(c, '|' | '&');
                if c == ';' || (c == '\n' && !self.documents.is_empty()) {
                    self.script
                        .doubt("`[[` that continues after the end of its line");
                    self.list().test = None;
                    return false;
                }
                true
            }
            '#' if self.list().word.is_none() => {
                self.script.doubt("`#` inside of `[[`");
                true
            }
            _ => false,
        }
    }

    // Words.

    pub(super) fn part(&mut self, c: char) {
        match c {
            '\'' => self.single(),
            '"' => {
                self.word().quote();
                self.frames.push(Frame::Double { is_data: false });
            }
            '\\' => self.escaped(),
            '$' => self.dollar(false),
            '`' => self.backtick(false),
            _ => self.word().plain(c),
        }
    }

    pub(super) fn single(&mut self) {
        self.word().quote();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == '\'' {
                return;
            }
            self.word().quoted(c);
        }
        self.script.doubt("a quote that is never closed");
    }

    pub(super) fn escaped(&mut self) {
        let Some(c) = self.peek(0) else { return };
        self.at += 1;
        if c != '\n' {
            self.word().quoted(c);
            return;
        }
        // The line continues. Where two letters become one operator, shells differ.
        let is_sign = |c: Option<&char>| c.is_some_and(|c| "$<>&|;()-{".contains(*c));
        let before = self.at.checked_sub(3).and_then(|at| self.chars.get(at));
        if before == Some(&'$') || (is_sign(before) && is_sign(self.chars.get(self.at))) {
            self.script
                .doubt("a sign of the shell that is broken over two lines");
        }
    }

    pub(super) fn in_double(&mut self, c: char, is_data: bool) {
        match c {
            '"' if !is_data => {
                self.frames.pop();
            }
            '\\' => match self.peek(0) {
                Some('\n') => self.at += 1,
                Some(c) if matches!(c, '$' | '`' | '\\') || (c == '"' && !is_data) => {
                    self.at += 1;
                    self.word().quoted(c);
                }
                _ => self.word().quoted('\\'),
            },
            '$' => self.dollar(true),
            '`' => self.backtick(true),
            _ => self.word().quoted(c),
        }
    }
}
