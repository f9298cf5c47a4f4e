//! The reading of `json_repair`: never an error, a value at any price, decided by looking ahead at quotation marks.
//!
//! Its results depend on values already read (a value replaces a similar one before it, rows without their brackets
//! are grouped by the rows before them), so that this reading builds a tree and writes at its end. The rules are those
//! that the library's tests (version 0.64) pin; where they look ahead without bound, a budget stands here.

mod parens;
mod scan;
mod string;
mod tree;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::options::Options;
use super::valid::value_end;
use super::writer::Writer;
use super::{Expected, Unrepairable};
use crate::repair::Repair;
use crate::shape::Shape;
use scan::is_mark;
use string::Read;
use tree::{Id, Node, Tree};

/// What is being read, innermost last.
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
    /// The object is itself a member's value.
    is_value: bool,
    stage: Stage,
    key: String,
    key_at: usize,
    /// Members of this one go to another object when it ends.
    into: Option<Id>,
    /// It is read a second time, its quotation marks unescaped.
    is_second: bool,
    deferred: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Before a member.
    Member,
    /// In the search for a key, a list goes on.
    Continuation,
    /// A value was asked for.
    Value,
    /// Members behind the closing bracket were asked for.
    More,
}

#[derive(Debug)]
struct ArrayFrame {
    node: Id,
    closer: char,
    /// The array is a member's value.
    is_value: bool,
    /// `Some(whether it is a tuple)` for one in parentheses.
    parens: Option<bool>,
    /// It continues the list before it.
    continues: bool,
    /// An object that had no members is read again as a list.
    is_second: bool,
    deferred: usize,
}

enum Next {
    /// Read a value.
    Value,
    /// A value ended.
    Ended(Id),
    /// Go on with the innermost frame.
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
    /// Contexts that the next value has in addition.
    deferred: usize,
    /// An opening brace is read as if it stood here.
    brace_at: Option<usize>,
    has_tried_suffix: bool,
    cache: [Option<(usize, usize)>; 4],
    writer: Writer,
    options: &'a Options,
    shape: &'a Shape,
    work: u64,
    patience: u64,
    /// The text was changed: places are none of the input's.
    is_spliced: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, options: &'a Options, shape: &'a Shape) -> Reader<'a> {
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
            options,
            shape,
            work: 0,
            patience: 64 * text.len() as u64 + 16_384,
            is_spliced: false,
        }
    }

    pub(super) fn run(mut self) -> Result<(Writer, u64), Unrepairable> {
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
            self.fix(Repair::SeveralValues, 0, self.text.len(), "[..]");
            self.tree.add(Node::Array(values))
        };
        let mut out = String::with_capacity(self.text.len());
        self.tree.write(root, self.shape, &mut out);
        self.writer.out = out;
        let work = self.work + self.text.len() as u64;
        Ok((self.writer, work))
    }

    fn fix(&mut self, repair: Repair, start: usize, end: usize, after: &str) {
        let (start, end) = if self.is_spliced {
            (0, 0)
        } else {
            (start.min(self.text.len()), end.min(self.text.len()))
        };
        self.writer.note(repair, start, end, after);
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
    fn value(&mut self) -> Result<Id, Unrepairable> {
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

    fn begin_value(&mut self) -> Result<Next, Unrepairable> {
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

    /// The text with an opening brace, if that alone makes it JSON.
    fn with_its_brace(&mut self, mark: char) -> Option<String> {
        if !self.text[..self.i].trim().is_empty() {
            return None;
        }
        let end = self.skip_to(&[mark], self.after(self.i));
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

    /// Whether the container that the text begins with is followed by anything but a comma.
    fn has_trailing_content(&self) -> bool {
        match value_end(&self.text, 0) {
            Some(end) => {
                let rest = self.text[end..].trim_start();
                !rest.is_empty() && !rest.starts_with(',')
            }
            None => false,
        }
    }

    fn too_deep(&self) -> Result<(), Unrepairable> {
        match self.options.depth {
            Some(most) if self.frames.len() >= most => Err(Unrepairable {
                at: self.i.min(self.text.len()),
                expected: Expected::Depth,
            }),
            _ => Ok(()),
        }
    }

    fn open_object(&mut self, into: Option<Id>) -> Result<Next, Unrepairable> {
        self.too_deep()?;
        let node = self.tree.add(Node::Object(tree::Members::default()));
        self.frames.push(Frame::Object(ObjectFrame {
            node,
            start: self.i,
            is_value: self.current() == Some(Context::Value),
            stage: Stage::Member,
            key: String::new(),
            key_at: self.i,
            into,
            is_second: false,
            deferred: 0,
        }));
        Ok(Next::Frame)
    }

    fn open_array(
        &mut self,
        closer: char,
        parens: Option<bool>,
        continues: bool,
        is_second: bool,
    ) -> Result<Next, Unrepairable> {
        self.too_deep()?;
        let node = self.tree.add(Node::Array(Vec::new()));
        let is_value = self.current() == Some(Context::Value);
        self.frames.push(Frame::Array(ArrayFrame {
            node,
            closer,
            is_value,
            parens,
            continues,
            is_second,
            deferred: 0,
        }));
        self.enter(Context::Array);
        Ok(Next::Frame)
    }

    fn object(&mut self) -> Option<&mut ObjectFrame> {
        match self.frames.last_mut() {
            Some(Frame::Object(frame)) => Some(frame),
            _ => None,
        }
    }

    /// Reads on in the innermost object, up to the next value it needs or its end.
    fn member(&mut self) -> Result<Next, Unrepairable> {
        loop {
            let Some((node, stage, is_value)) = self
                .object()
                .map(|frame| (frame.node, frame.stage, frame.is_value))
            else {
                return Ok(Next::Frame);
            };
            if stage != Stage::Continuation {
                self.skip_space_and_comments();
                match self.here() {
                    None | Some('}') => return self.object_ended(),
                    Some(',') => {
                        self.i += 1;
                        continue;
                    }
                    Some(':') => {
                        self.fix(Repair::Junk, self.i, self.i + 1, "");
                        self.i += 1;
                    }
                    _ => {}
                }
                self.enter(Context::Key);
                let here = self.i;
                if let Some(frame) = self.object() {
                    frame.key_at = here;
                }
            }
            // The search for a key.
            let mut key = String::new();
            let here = self.i;
            let mut key_at = self.object().map_or(here, |frame| frame.key_at);
            if stage == Stage::Continuation
                && let Some(frame) = self.object()
            {
                frame.stage = Stage::Member;
            }
            let mut n_empty = 0usize;
            while self.here().is_some() {
                key_at = self.i;
                if self.here() == Some('[') && key.is_empty() && self.last_is_list(node) {
                    self.i += 1;
                    self.fix(Repair::WrongBracket, self.i - 1, self.i, "");
                    if let Some(frame) = self.object() {
                        frame.stage = Stage::Continuation;
                    }
                    return self.open_array(']', None, true, false);
                }
                let from = self.i;
                key = match self.string() {
                    Read::Text(text) => text,
                    Read::Literal(_) | Read::Fence => String::new(),
                };
                if key.is_empty() {
                    self.skip_space_and_comments();
                    // Every turn reads something.
                    n_empty = if self.i == from { n_empty + 1 } else { 0 };
                    if n_empty > 1 {
                        self.step();
                    }
                }
                if !key.is_empty() || matches!(self.here(), Some(':' | '}')) {
                    break;
                }
            }
            self.leave();
            let is_double = self
                .tree
                .object(node)
                .is_some_and(|members| members.position(&key).is_some());
            if is_double {
                self.fix(Repair::DoubleKey, key_at, self.i, "");
                if self.n_array > 0 && !is_value && self.splits_at(key_at) {
                    self.fix(Repair::MissingBracket, key_at, key_at, "}, {");
                    self.i = key_at;
                    self.brace_at = Some(key_at);
                    return Ok(self.complete(node));
                }
            }
            self.skip_space_and_comments();
            match self.here() {
                None | Some('}') => continue,
                Some(':') => {}
                Some(_) => self.fix(Repair::MissingColon, self.i, self.i, ":"),
            }
            self.step();
            if let Some(frame) = self.object() {
                (frame.key, frame.key_at, frame.stage) = (key, key_at, Stage::Value);
            }
            self.enter(Context::Value);
            self.skip_space_and_comments();
            if matches!(self.here(), Some(',' | '}')) {
                self.fix(Repair::MissingValue, self.i, self.i, "\"\"");
                return Ok(Next::Ended(self.tree.add(Node::Missing)));
            }
            return Ok(Next::Value);
        }
    }

    fn last_is_list(&mut self, node: Id) -> bool {
        let Some(members) = self.tree.object(node) else {
            return false;
        };
        let Some(&(ref key, value)) = members.list.last() else {
            return false;
        };
        !key.is_empty() && matches!(self.tree.get(value), Node::Array(_))
    }

    /// Whether a key that came before begins another object: unless it stands as a key should.
    fn splits_at(&self, key_at: usize) -> bool {
        let before = self.text[..key_at].trim_end().chars().next_back();
        let next = self.at(self.scroll(self.i));
        !(is_mark(self.at(key_at)) && before == Some(',') && next == Some(':'))
    }

    fn member_ended(&mut self, value: Id) -> Next {
        let Some(frame) = self.object() else {
            return Next::Frame;
        };
        let node = frame.node;
        let deferred = core::mem::take(&mut frame.deferred);
        let stage = core::mem::replace(&mut frame.stage, Stage::Member);
        let key = core::mem::take(&mut frame.key);
        for _ in 0..deferred {
            self.leave();
        }
        match stage {
            Stage::More => {
                // `value` went into this object already.
                self.frames.pop();
                Next::Ended(node)
            }
            Stage::Continuation => {
                self.continue_list(node, value);
                self.skip_space_and_comments();
                if self.here() == Some(',') {
                    self.i += 1;
                }
                self.skip_space_and_comments();
                if let Some(frame) = self.object() {
                    frame.stage = Stage::Continuation;
                }
                Next::Frame
            }
            Stage::Member | Stage::Value => {
                self.leave();
                if let Some(members) = self.tree.object(node) {
                    members.set(key, value);
                }
                if matches!(self.here(), Some(',' | '\'' | '"')) {
                    self.i += 1;
                }
                if self.here() == Some(']') && self.n_array > 0 {
                    self.fix(Repair::MissingBracket, self.i, self.i, "}");
                    return self.complete(node);
                }
                Next::Frame
            }
        }
    }

    /// A list goes on behind its bracket: rows are grouped like the rows before them.
    fn continue_list(&mut self, node: Id, more: Id) {
        let Some(list) = self
            .tree
            .object(node)
            .and_then(|members| members.list.last().map(|&(_, value)| value))
        else {
            return;
        };
        let new = self
            .tree
            .array(more)
            .map(core::mem::take)
            .unwrap_or_default();
        let items = self
            .tree
            .array(list)
            .map(core::mem::take)
            .unwrap_or_default();
        let mut items = items;
        if self.work > self.patience {
            items.extend(new);
            if let Some(list) = self.tree.array(list) {
                *list = items;
            }
            return;
        }
        self.work += items.len() as u64;
        let row_length = |id: &Id| match self.tree.get(*id) {
            Node::Array(row) => Some(row.len()),
            _ => None,
        };
        let mut lengths = items.iter().filter_map(row_length);
        let width = lengths
            .next()
            .filter(|&width| width > 0 && lengths.all(|n| n == width));
        let is_row = |tree: &Tree, id: Id| matches!(tree.get(id), Node::Array(_));
        if let Some(width) = width {
            let rows = items
                .iter()
                .rposition(|&id| is_row(&self.tree, id))
                .map_or(0, |n| n + 1);
            let tail = items.split_off(rows);
            if tail.len() % width == 0 {
                for row in tail.chunks(width) {
                    let row = self.tree.add(Node::Array(row.to_vec()));
                    items.push(row);
                }
            } else {
                items.extend(tail);
            }
            if !new.is_empty() {
                if new.iter().all(|&id| is_row(&self.tree, id)) {
                    items.extend(new);
                } else {
                    let row = self.tree.add(Node::Array(new));
                    items.push(row);
                }
            }
        } else {
            match *new {
                [only] if is_row(&self.tree, only) => {
                    let inner = self
                        .tree
                        .array(only)
                        .map(core::mem::take)
                        .unwrap_or_default();
                    items.extend(inner);
                }
                _ => items.extend(new),
            }
        }
        if let Some(list) = self.tree.array(list) {
            *list = items;
        }
    }

    /// The closing brace, or the end of the text.
    fn object_ended(&mut self) -> Result<Next, Unrepairable> {
        if self.here().is_none() {
            self.fix(Repair::MissingBracket, self.i, self.i, "}");
        }
        self.i += 1;
        let Some((node, start)) = self.object().map(|frame| (frame.node, frame.start)) else {
            return Ok(Next::Frame);
        };
        if self.tree.is_empty(node)
            && self.i - start > 2
            && let Some(next) = self.read_again(start)?
        {
            return Ok(next);
        }
        Ok(self.complete(node))
    }

    /// An object without members that is not empty is a set, or was escaped once too often.
    fn read_again(&mut self, start: usize) -> Result<Option<Next>, Unrepairable> {
        let end = self.text.len();
        if self.work > self.patience {
            return Ok(None);
        }
        self.work += 2 * (self.i.min(end) - start) as u64;
        let closed = self.i <= end && self.text.as_bytes().get(self.i - 1) == Some(&b'}');
        let body = &self.text[start..(self.i - 1).min(end)];
        if closed && without_comments(body).trim().is_empty() {
            return Ok(None);
        }
        let mut upto = (self.i + 1).min(end);
        while !self.text.is_char_boundary(upto) {
            upto += 1;
        }
        let is_second = self.object().is_some_and(|frame| frame.is_second);
        let attempted = &self.text[start..upto];
        let body = attempted
            .strip_suffix('}')
            .unwrap_or(attempted)
            .trim_start();
        if body.is_empty() {
            return Ok(None);
        }
        if !is_second
            && (body.starts_with("\\\"") && body.contains("\\\":")
                || body.starts_with("\\'") && body.contains("\\':"))
        {
            let normal = attempted.replace("\\\"", "\"").replace("\\'", "'");
            let mut text = String::with_capacity(self.text.len());
            text.push_str(&self.text[..start]);
            text.push_str(&normal);
            text.push_str(&self.text[upto..]);
            self.fix(Repair::EscapedDocument, start, upto, "");
            self.work += text.len() as u64;
            self.text = Cow::Owned(text);
            self.is_spliced = true;
            self.i = start;
            self.enter(Context::Key);
            if let Some(frame) = self.object() {
                frame.is_second = true;
                frame.stage = Stage::Member;
                frame.is_value = false;
            }
            return Ok(Some(Next::Frame));
        }
        let body = without_comments(body);
        let body = body.trim_start();
        if body.is_empty() || has_colon(body) {
            return Ok(None);
        }
        self.fix(Repair::PythonLiteral, start.saturating_sub(1), start, "[");
        self.i = start;
        self.frames.pop();
        self.enter(Context::Key);
        self.open_array(']', None, false, true).map(Some)
    }

    /// An object is whole; at the document's level, members behind it may go on.
    fn complete(&mut self, node: Id) -> Next {
        let (into, is_second) = self
            .object()
            .map_or((None, false), |frame| (frame.into, frame.is_second));
        if is_second {
            self.leave();
            self.deferred += 1;
        } else if !self.context.is_empty() {
            if self.here() == Some('}') && self.current() == Some(Context::Array) {
                self.fix(Repair::WrongBracket, self.i, self.i + 1, "");
                self.i += 1;
            }
        } else {
            self.skip_space();
            if self.here() == Some(',') {
                self.i += 1;
                self.skip_space();
                if is_mark(self.here()) {
                    self.fix(Repair::WrongBracket, self.i, self.i, "");
                    if let Some(frame) = self.object() {
                        frame.stage = Stage::More;
                    }
                    let into = into.unwrap_or(node);
                    if let Ok(next) = self.open_object(Some(into)) {
                        return next;
                    }
                }
            }
        }
        self.frames.pop();
        if let Some(into) = into {
            let members = self.tree.object(node).map(|m| core::mem::take(&mut m.list));
            if let Some(target) = self.tree.object(into) {
                for (key, value) in members.unwrap_or_default() {
                    target.set(key, value);
                }
            }
        }
        Next::Ended(node)
    }

    /// Reads on in the innermost array.
    fn element(&mut self) -> Result<Next, Unrepairable> {
        loop {
            let Some(Frame::Array(frame)) = self.frames.last() else {
                return Ok(Next::Frame);
            };
            let (node, closer, is_value) = (frame.node, frame.closer, frame.is_value);
            if self.brace_at == Some(self.i) {
                return Ok(Next::Value);
            }
            self.skip_space_and_comments();
            let Some(c) = self.here() else {
                self.fix(Repair::MissingBracket, self.i, self.i, "]");
                return Ok(self.array_ended(true));
            };
            if c == closer {
                return Ok(self.array_ended(true));
            }
            if c == '}' {
                self.fix(Repair::WrongBracket, self.i, self.i + 1, "]");
                return Ok(self.array_ended(true));
            }
            if c == ',' {
                self.i += 1;
                continue;
            }
            if !is_mark(Some(c)) {
                return Ok(Next::Value);
            }
            let end = self.skip_to(&[c], self.after(self.i));
            let colon = self.scroll(self.after(end));
            if self.at(colon) == Some(':') {
                let has_scalars_only = match self.tree.get(node) {
                    Node::Array(ids) => {
                        !ids.is_empty() && ids.iter().all(|&id| !self.tree.is_container(id))
                    }
                    _ => false,
                };
                if is_value && has_scalars_only {
                    self.fix(Repair::MissingBracket, self.i, self.i, "]");
                    return Ok(self.array_ended(false));
                }
                self.fix(Repair::MissingBracket, self.i, self.i, "{");
                return self.open_object(None);
            }
            return Ok(match self.string() {
                Read::Text(text) => self.string_node(text),
                Read::Literal(node) => Next::Ended(self.tree.add(node)),
                Read::Fence => Next::Value,
            });
        }
    }

    fn element_ended(&mut self, value: Id) -> Next {
        let Some(Frame::Array(frame)) = self.frames.last_mut() else {
            return Next::Frame;
        };
        let (node, closer) = (frame.node, frame.closer);
        let deferred = core::mem::take(&mut frame.deferred);
        for _ in 0..deferred {
            self.leave();
        }
        let here = self.here();
        if self.tree.is_empty(value) && here != Some(closer) && here != Some(',') {
            self.step();
        } else if matches!(self.tree.get(value), Node::String(text) if text == "...")
            && self.before(self.i) == Some('.')
        {
            self.fix(Repair::Ellipsis, self.i - 3, self.i, "");
        } else if let Some(items) = self.tree.array(node) {
            items.push(value);
        }
        Next::Frame
    }

    fn array_ended(&mut self, consumes: bool) -> Next {
        if consumes {
            self.step();
        }
        self.leave();
        let Some(Frame::Array(frame)) = self.frames.pop() else {
            return Next::Frame;
        };
        if frame.is_second {
            self.leave();
            self.deferred += 1;
        }
        let node = frame.node;
        if frame.continues {
            return Next::Ended(node);
        }
        if frame.parens == Some(false)
            && let Node::Array(items) = self.tree.get(node)
            && let [only] = items[..]
        {
            return Next::Ended(only);
        }
        Next::Ended(node)
    }

    fn number(&mut self) -> Next {
        let start = self.i;
        let in_array = self.current() == Some(Context::Array);
        let mut text = String::new();
        while let Some(c) = self.here() {
            let fits = c.is_ascii_digit()
                || matches!(c, '-' | '.' | 'e' | 'E' | '/' | '_')
                || c == ',' && !in_array
                || c == '+' && text.ends_with(['e', 'E']);
            if !fits {
                break;
            }
            if c != '_' {
                text.push(c);
            }
            self.i += 1;
        }
        if self.here().is_some_and(char::is_alphabetic) || self.i == start {
            self.i = start;
            return match self.string() {
                Read::Text(text) => self.string_node(text),
                Read::Literal(node) => Next::Ended(self.tree.add(node)),
                Read::Fence => Next::Value,
            };
        }
        if text.ends_with(['+', '-', 'e', 'E', '/', ',']) {
            text.pop();
            self.i -= 1;
        }
        let node = number(&text);
        if self.text[start..self.i] != *text || matches!(node, Node::String(_)) {
            self.fix(Repair::BadNumber, start, self.i, &text);
        }
        Next::Ended(self.tree.add(node))
    }
}

/// A number in the spellings that Python's `int` and `float` read; a string otherwise.
fn number(text: &str) -> Node {
    if crate::word::is_number(text) {
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
    if crate::word::is_number(&json) {
        Node::Number(json)
    } else {
        Node::String(String::from(text))
    }
}

/// `body` without comments outside of strings.
fn without_comments(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut mark = None;
    let mut is_escaped = false;
    let mut rest = body;
    while let Some(c) = rest.chars().next() {
        if mark.is_none() && !is_escaped {
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
                match mark {
                    Some(open) if open == c => mark = None,
                    None if is_mark(Some(c)) => mark = Some(c),
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

/// Whether a colon stands outside of strings.
fn has_colon(body: &str) -> bool {
    let mut mark = None;
    let mut is_escaped = false;
    for c in body.chars() {
        if c == '\\' {
            is_escaped = !is_escaped;
            continue;
        }
        if !is_escaped {
            match mark {
                Some(open) if open == c => mark = None,
                Some(_) => {}
                None if is_mark(Some(c)) => mark = Some(c),
                None if c == ':' => return true,
                None => {}
            }
        }
        is_escaped = false;
    }
    false
}
