//! Objects: members, lists that continue between members, sets, members after the closing bracket.

use std::borrow::Cow;

use super::scan::is_mark;
use super::string::Read;
use super::tree::{self, Id, Node, Tree};
use super::{Context, Frame, Next, ObjectFrame, Reader, Stage, has_colon, without_comments};
use crate::failure::RepairFailure;
use toolglot_json::Repair;

impl Reader<'_> {
    /// Continues in the innermost object, up to the next value that it needs or its end.
    pub(super) fn member(&mut self) -> Result<Next, RepairFailure> {
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
                    self.fix(Repair::MismatchedBracket, self.i - 1, self.i, "");
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
                    // Every iteration consumes something.
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
                self.fix(Repair::DuplicateKey, key_at, self.i, "");
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
                return Ok(Next::Ended(self.tree.add(Node::MissingValue)));
            }
            return Ok(Next::Value);
        }
    }

    pub(super) fn last_is_list(&mut self, node: Id) -> bool {
        let Some(members) = self.tree.object(node) else {
            return false;
        };
        let Some(&(ref key, value)) = members.list.last() else {
            return false;
        };
        !key.is_empty() && matches!(self.tree.get(value), Node::Array(_))
    }

    /// Whether a repeated key starts another object. A key in regular syntax does not.
    pub(super) fn splits_at(&self, key_at: usize) -> bool {
        let before = self.text[..key_at].trim_end().chars().next_back();
        let next = self.at(self.scroll(self.i));
        !(is_mark(self.at(key_at)) && before == Some(',') && next == Some(':'))
    }

    pub(super) fn member_ended(&mut self, value: Id) -> Next {
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
                // The members of `value` are in this object already.
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

    /// A list continues after its bracket: its new items are grouped into rows like the earlier rows.
    pub(super) fn continue_list(&mut self, node: Id, more: Id) {
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
            if tail.len().is_multiple_of(width) {
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
    pub(super) fn object_ended(&mut self) -> Result<Next, RepairFailure> {
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

    /// A nonempty object without members is a set, or was escaped once too often.
    pub(super) fn read_again(&mut self, start: usize) -> Result<Option<Next>, RepairFailure> {
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

    /// Completes an object; at the document's level, members after it may follow.
    pub(super) fn complete(&mut self, node: Id) -> Next {
        let (into, is_second) = self
            .object()
            .map_or((None, false), |frame| (frame.into, frame.is_second));
        if is_second {
            self.leave();
            self.deferred += 1;
        } else if !self.context.is_empty() {
            if self.here() == Some('}') && self.current() == Some(Context::Array) {
                self.fix(Repair::MismatchedBracket, self.i, self.i + 1, "");
                self.i += 1;
            }
        } else {
            self.skip_space();
            if self.here() == Some(',') {
                self.i += 1;
                self.skip_space();
                if is_mark(self.here()) {
                    self.fix(Repair::MismatchedBracket, self.i, self.i, "");
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

    pub(super) fn object(&mut self) -> Option<&mut ObjectFrame> {
        match self.frames.last_mut() {
            Some(Frame::Object(frame)) => Some(frame),
            _ => None,
        }
    }

    pub(super) fn open_object(&mut self, into: Option<Id>) -> Result<Next, RepairFailure> {
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
}
