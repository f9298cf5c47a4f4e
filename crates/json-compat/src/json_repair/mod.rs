//! The rules of `json_repair`: never an error, a value at any price, decided by lookahead at quotation marks.
//!
//! Its results depend on earlier values: a value replaces a similar one before it, and rows without brackets are
//! grouped like earlier rows. So this reader builds a tree and writes it at its end. The library's tests (version 0.64)
//! define the rules; a budget replaces unbounded lookahead.

mod brackets;
mod elements;
mod marks;
mod members;
mod parens;
mod scan;
mod string;
mod tree;

use std::borrow::Cow;

use crate::failure::{Expected, RepairFailure};
use scan::is_mark;
use string::Read;
use toolglot_json::Repair;
use toolglot_json::Shape;
use toolglot_json::internal::Writer;
use toolglot_json::internal::value_end;
use tree::{Id, Node, Tree};

/// The maximum number of open containers: about the number that CPython's recursion limit allows the library.
const DEEPEST: usize = 240;

/// The kind of syntax that is being read; the reader has a stack of them, innermost last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    Key,
    Value,
    Array,
}

#[derive(Debug)]
enum Frame {
    Object(ObjectFrame),
    Array(ArrayFrame),
}

#[derive(Debug)]
struct ObjectFrame {
    node: Id,
    start: usize,
    /// Whether the object is the value of a member.
    is_value: bool,
    stage: Stage,
    key: String,
    key_at: usize,
    /// The object that gets the members of this one when it ends.
    into: Option<Id>,
    /// Whether the object is read a second time, with its quotation marks unescaped.
    is_second: bool,
    deferred: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Before a member.
    Member,
    /// During the search for a key, a list continues.
    Continuation,
    /// A value is expected.
    Value,
    /// Members after the closing bracket are expected.
    More,
}

#[derive(Debug)]
struct ArrayFrame {
    node: Id,
    closer: char,
    /// Whether the array is the value of a member.
    is_value: bool,
    /// `Some(whether it is a tuple)` for an array in parentheses.
    parens: Option<bool>,
    /// Whether it continues the previous list.
    continues: bool,
    /// Whether an object without members is read again as this list.
    is_second: bool,
    deferred: usize,
}

enum Next {
    /// Read a value.
    Value,
    /// A value has ended.
    Ended(Id),
    /// Continue with the innermost frame.
    Frame,
}

pub(super) struct Reader<'a> {
    text: Cow<'a, str>,
    i: usize,
    tree: Tree,
    frames: Vec<Frame>,
    context: Vec<Context>,
    n_key: usize,
    n_value: usize,
    n_array: usize,
    /// Extra contexts of the next value.
    deferred: usize,
    /// The position of an implied opening brace.
    brace_at: Option<usize>,
    has_tried_suffix: bool,
    cache: [Option<(usize, usize)>; 4],
    writer: Writer,
    shape: &'a Shape,
    work: u64,
    patience: u64,
    /// Whether the text was changed, so that positions do not refer to the input.
    is_spliced: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, shape: &'a Shape) -> Reader<'a> {
        Reader {
            text: Cow::Borrowed(text),
            i: 0,
            tree: Tree::default(),
            frames: Vec::new(),
            context: Vec::new(),
            n_key: 0,
            n_value: 0,
            n_array: 0,
            deferred: 0,
            brace_at: None,
            has_tried_suffix: false,
            cache: [None; 4],
            writer: Writer::default(),
            shape,
            work: 0,
            patience: 64 * text.len() as u64 + 16_384,
            is_spliced: false,
        }
    }

    pub(super) fn run(mut self) -> Result<(Writer, u64), RepairFailure> {
        let mut values = Vec::from([self.value()?]);
        while self.i < self.text.len() {
            self.clear_context();
            let is_separated = self.is_comma_separated();
            let value = self.value()?;
            if self.tree.is_nothing(value) {
                self.step();
                continue;
            }
            let last = values.last().copied();
            let mut work = 0;
            let replaces = last.is_some_and(|last| {
                self.tree.is_nothing(last)
                    || !is_separated && self.tree.is_same(last, value, &mut work)
            });
            self.work += work;
            if replaces {
                values.pop();
            }
            values.push(value);
        }
        let root = if values.len() == 1 {
            values[0]
        } else {
            self.fix(Repair::MultipleValues, 0, self.text.len(), "[..]");
            self.tree.add(Node::Array(values))
        };
        let mut out = String::with_capacity(self.text.len());
        self.tree.write(root, self.shape, &mut out);
        self.note_the_rest(&out);
        *self.writer.out() = out;
        let work = self.work + self.text.len() as u64;
        Ok((self.writer, work))
    }

    /// Lookahead skips text without a note. If nothing was noted, the span that differs gets a note, apart from blanks.
    fn note_the_rest(&mut self, out: &str) {
        if self.writer.has_notes() {
            return;
        }
        let (from, came_from) = same_head(&self.text, out);
        let (was, is) = (&self.text[from..], &out[came_from..]);
        let (gone, came) = without_same_tail(was, is);
        let from = from + (was.len() - was.trim_ascii_start().len());
        let gone = gone.trim_ascii();
        let to = from + gone.len();
        let came: String = came.split_ascii_whitespace().collect();
        let mut solid = gone.bytes().filter(|byte| !byte.is_ascii_whitespace());
        let is_number = |byte: u8| byte.is_ascii_digit() || b"+-._eE".contains(&byte);
        let repair = if self.text.trim_ascii().is_empty() {
            Repair::MissingValue
        } else if solid.clone().any(|byte| byte < b' ') || gone.is_empty() && came.contains('\\') {
            Repair::ControlCharacter
        } else if !gone.is_empty() && solid.all(is_number) {
            Repair::InvalidNumber
        } else if !gone.is_empty() {
            Repair::Junk
        } else if came == "," {
            Repair::MissingComma
        } else {
            Repair::TruncatedJson
        };
        self.fix(repair, from, to, &came);
    }

    fn fix(&mut self, repair: Repair, start: usize, end: usize, after: &str) {
        let (start, end) = if self.is_spliced {
            (0, 0)
        } else {
            (start.min(self.text.len()), end.min(self.text.len()))
        };
        self.writer.note(repair, start, end, String::from(after));
    }

    fn enter(&mut self, context: Context) {
        self.context.push(context);
        *self.count(context) += 1;
    }

    fn leave(&mut self) {
        if let Some(context) = self.context.pop() {
            *self.count(context) -= 1;
        }
    }

    fn count(&mut self, context: Context) -> &mut usize {
        match context {
            Context::Key => &mut self.n_key,
            Context::Value => &mut self.n_value,
            Context::Array => &mut self.n_array,
        }
    }

    fn current(&self) -> Option<Context> {
        self.context.last().copied()
    }

    fn clear_context(&mut self) {
        self.context.clear();
        (self.n_key, self.n_value, self.n_array, self.deferred) = (0, 0, 0, 0);
    }

    fn is_comma_separated(&self) -> bool {
        self.at(self.scroll(self.i)) == Some(',')
            || self
                .text
                .get(..self.i)
                .is_some_and(|text| text.trim_end().ends_with(','))
    }

    /// Reads a value of the document, with everything in it.
    fn value(&mut self) -> Result<Id, RepairFailure> {
        let mut next = Next::Value;
        loop {
            next = match next {
                Next::Value => self.begin_value()?,
                Next::Frame => match self.frames.last() {
                    Some(Frame::Object(_)) => self.member()?,
                    Some(Frame::Array(_)) => self.element()?,
                    None => Next::Ended(self.tree.add(Node::String(String::new()))),
                },
                Next::Ended(value) => match self.frames.last() {
                    None => return Ok(value),
                    Some(Frame::Object(_)) => self.member_ended(value),
                    Some(Frame::Array(_)) => self.element_ended(value),
                },
            };
        }
    }

    fn string_node(&mut self, text: String) -> Next {
        Next::Ended(self.tree.add(Node::String(text)))
    }

    fn begin_value(&mut self) -> Result<Next, RepairFailure> {
        if self.deferred > 0 {
            let n = core::mem::take(&mut self.deferred);
            for _ in 0..n {
                self.enter(Context::Key);
            }
            match self.frames.last_mut() {
                Some(Frame::Object(frame)) => frame.deferred = n,
                Some(Frame::Array(frame)) => frame.deferred = n,
                None => {}
            }
        }
        if self.brace_at == Some(self.i) {
            self.brace_at = None;
            return self.open_object(None);
        }
        let mut may_miss_brace = self.i == 0 && self.context.is_empty();
        loop {
            let Some(c) = self.here() else {
                return Ok(self.string_node(String::new()));
            };
            if matches!(c, '{' | '[')
                && !self.has_tried_suffix
                && self.context.is_empty()
                && (self.i != 0 || self.has_trailing_content())
            {
                self.has_tried_suffix = true;
                if let Some(end) = value_end(&self.text, self.i) {
                    let node = self.tree.read(&self.text[self.i..end]);
                    self.i = end;
                    return Ok(Next::Ended(node));
                }
            }
            match c {
                '{' => {
                    self.i += 1;
                    return self.open_object(None);
                }
                '[' => {
                    self.i += 1;
                    return self.open_array(']', None, false, false);
                }
                '(' => {
                    if !self.context.is_empty() || self.parens_can_begin() {
                        let is_tuple = self.parens_are_tuple();
                        self.i += 1;
                        self.fix(Repair::PythonLiteral, self.i - 1, self.i, "[");
                        return self.open_array(')', Some(is_tuple), false, false);
                    }
                    self.i += 1;
                    continue;
                }
                _ => {}
            }
            if !self.context.is_empty() && (is_mark(Some(c)) || c.is_alphabetic()) {
                return Ok(match self.string() {
                    Read::Text(text) => self.string_node(text),
                    Read::Literal(node) => Next::Ended(self.tree.add(node)),
                    Read::Fence => Next::Value,
                });
            }
            if !self.context.is_empty() && (c.is_numeric() || matches!(c, '-' | '.')) {
                return Ok(self.number());
            }
            if matches!(c, '#' | '/') {
                loop {
                    self.skip_comment();
                    if !self.context.is_empty() {
                        return Ok(self.string_node(String::new()));
                    }
                    self.skip_space();
                    if !matches!(self.here(), Some('#' | '/')) {
                        break;
                    }
                }
                may_miss_brace = self.i == 0;
                continue;
            }
            if is_mark(Some(c)) && may_miss_brace {
                may_miss_brace = false;
                if let Some(text) = self.with_its_brace(c) {
                    self.fix(Repair::MissingBracket, 0, 0, "{");
                    self.i = self.text.len();
                    let node = self.tree.read(text.trim_end());
                    return Ok(Next::Ended(node));
                }
            }
            self.step();
        }
    }

    /// The text with an opening brace, if the brace alone makes the text JSON.
    fn with_its_brace(&mut self, quote: char) -> Option<String> {
        if !self.text[..self.i].trim().is_empty() {
            return None;
        }
        let end = self.skip_to(&[quote], self.after(self.i));
        let colon = self.scroll(self.after(end));
        if self.at(colon) != Some(':') || !self.text.trim_end().ends_with('}') {
            return None;
        }
        let mut candidate = String::with_capacity(self.text.len() + 1);
        candidate.push('{');
        candidate.push_str(&self.text);
        let end = value_end(&candidate, 0)?;
        candidate[end..].trim().is_empty().then_some(candidate)
    }

    /// Whether the container at the start of the text is followed by anything but a comma.
    fn has_trailing_content(&self) -> bool {
        match value_end(&self.text, 0) {
            Some(end) => {
                let rest = self.text[end..].trim_start();
                !rest.is_empty() && !rest.starts_with(',')
            }
            None => false,
        }
    }

    fn too_deep(&self) -> Result<(), RepairFailure> {
        if self.frames.len() < DEEPEST {
            return Ok(());
        }
        Err(RepairFailure {
            at: self.i.min(self.text.len()),
            expected: Expected::Depth,
        })
    }
}

/// A number in a spelling that Python's `int` and `float` read; otherwise a string.
fn number(text: &str) -> Node {
    if toolglot_json::internal::is_number(text) {
        return Node::Number(String::from(text));
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let plain = digits.trim_start_matches('0');
    let mut json = String::from(sign);
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        json.push_str(if plain.is_empty() { "0" } else { plain });
        return Node::Number(json);
    }
    let (mantissa, exponent) = digits
        .find(['e', 'E'])
        .map_or((digits, ""), |at| digits.split_at(at));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches('0');
    if whole.is_empty() && fraction.is_empty() && !mantissa.contains('0') {
        return Node::String(String::from(text));
    }
    json.push_str(if whole.is_empty() { "0" } else { whole });
    json.push('.');
    json.push_str(if fraction.is_empty() { "0" } else { fraction });
    json.push_str(exponent);
    if toolglot_json::internal::is_number(&json) {
        Node::Number(json)
    } else {
        Node::String(String::from(text))
    }
}

/// `body` without comments outside of strings.
fn without_comments(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut quote = None;
    let mut is_escaped = false;
    let mut rest = body;
    while let Some(c) = rest.chars().next() {
        if quote.is_none() && !is_escaped {
            if c == '#' || rest.starts_with("//") {
                rest = rest.find(['\n', '\r']).map_or("", |n| &rest[n..]);
                continue;
            }
            if rest.starts_with("/*") {
                rest = rest[2..].find("*/").map_or("", |n| &rest[n + 4..]);
                continue;
            }
        }
        if c == '\\' {
            is_escaped = !is_escaped;
        } else {
            if !is_escaped {
                match quote {
                    Some(open) if open == c => quote = None,
                    None if is_mark(Some(c)) => quote = Some(c),
                    _ => {}
                }
            }
            is_escaped = false;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// Whether a colon occurs outside of strings.
fn has_colon(body: &str) -> bool {
    let mut quote = None;
    let mut is_escaped = false;
    for c in body.chars() {
        if c == '\\' {
            is_escaped = !is_escaped;
            continue;
        }
        if !is_escaped {
            match quote {
                Some(open) if open == c => quote = None,
                Some(_) => {}
                None if is_mark(Some(c)) => quote = Some(c),
                None if c == ':' => return true,
                None => {}
            }
        }
        is_escaped = false;
    }
    false
}

/// The positions where two texts start to differ, ignoring blanks.
fn same_head(a: &str, b: &str) -> (usize, usize) {
    let (mut i, mut j) = (0, 0);
    let is_blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
    loop {
        match (a.as_bytes().get(i), b.as_bytes().get(j)) {
            (Some(one), Some(other)) if one == other => (i, j) = (i + 1, j + 1),
            (one, _) if is_blank(one) => i += 1,
            (_, other) if is_blank(other) => j += 1,
            _ => break,
        }
    }
    // Different characters may share their first bytes.
    while !a.is_char_boundary(i) {
        (i, j) = (i - 1, j - 1);
    }
    (i, j)
}

/// Two texts without their common suffix, ignoring blanks.
fn without_same_tail<'a, 'b>(a: &'a str, b: &'b str) -> (&'a str, &'b str) {
    let (mut i, mut j) = (a.len(), b.len());
    let before = |text: &str, at: usize| at.checked_sub(1).map(|at| text.as_bytes()[at]);
    let is_blank = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_whitespace());
    loop {
        match (before(a, i), before(b, j)) {
            (Some(one), Some(other)) if one == other => (i, j) = (i - 1, j - 1),
            (one, _) if is_blank(one) => i -= 1,
            (_, other) if is_blank(other) => j -= 1,
            _ => break,
        }
    }
    while !a.is_char_boundary(i) || !b.is_char_boundary(j) {
        (i, j) = (i + 1, j + 1);
    }
    (&a[..i], &b[..j])
}
