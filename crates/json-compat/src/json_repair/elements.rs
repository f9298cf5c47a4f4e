//! Lists and numbers.

use super::scan::is_mark;
use super::string::Read;
use super::tree::{Id, Node};
use super::{ArrayFrame, Context, Frame, Next, Reader, number};
use crate::failure::RepairFailure;
use toolglot_json::Repair;

impl Reader<'_> {
    /// Continues in the innermost array.
    pub(super) fn element(&mut self) -> Result<Next, RepairFailure> {
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
                self.fix(Repair::MismatchedBracket, self.i, self.i + 1, "]");
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

    pub(super) fn element_ended(&mut self, value: Id) -> Next {
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

    pub(super) fn array_ended(&mut self, consumes: bool) -> Next {
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

    pub(super) fn open_array(
        &mut self,
        closer: char,
        parens: Option<bool>,
        continues: bool,
        is_second: bool,
    ) -> Result<Next, RepairFailure> {
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

    pub(super) fn number(&mut self) -> Next {
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
            self.fix(Repair::InvalidNumber, start, self.i, &text);
        }
        Next::Ended(self.tree.add(node))
    }
}
