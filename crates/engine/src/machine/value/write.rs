//! How a raw value is written: as text, as JSON coerced to its shape, or held until its type is certain.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use toolglot_json::internal::{Fit, Fitted, Target, escape_into, fitted, quoted};
use toolglot_json::{Fields, Output, Repair, RepairSpan, Root, Shape, Step, Transducer};

use super::indent::Unindenter;
use super::quoted::QuotedString;
use crate::body::{EscapeDecoder, Escaped, elements_to_json};
use crate::grammar::Values;
use crate::machine::typing::{How, infer, json_or_text, takes_text, typed};
use crate::{Code, End, Recovery, Span};

/// Whether the value may be an object of all arguments, under a key that is no parameter:
/// `{"arguments": {"path": ..}}`. The key is written once this is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Wrapper {
    #[default]
    No,
    Maybe,
    /// Like `Maybe`, for a value that is text unless it is an object.
    Text,
    /// The value is an object: `Fit` reads it with its key, and decides whether its keys are parameters.
    Object,
    /// The value is not a wrapper: the key was written.
    Keyed,
}

/// JSON inside a raw value, coerced to its shape.
#[derive(Debug)]
pub(super) struct Nested {
    pub(super) json: Transducer,
    escaped: Escaped,
    pub(super) output: Output,
    pub(super) fit: Fit,
}

impl Nested {
    fn new(quote: Option<&str>, undecided: usize) -> Box<Nested> {
        Box::new(Nested {
            json: Transducer::new(Root::Value).with_quote(quote),
            escaped: Escaped::default(),
            output: Output::default(),
            fit: Fit::new(undecided),
        })
    }
}

/// Writes the bytes of a value, and holds how they are read.
#[derive(Debug, Default)]
pub(in crate::machine) struct ValueWriter {
    pub(in crate::machine) key: String,
    /// Bytes before this position are written.
    pub(in crate::machine) emitted: u64,
    pub(super) how: How,
    /// The value may be JSON, or text in one of these quotes; `How` applies otherwise.
    pub(super) literal: Option<(Box<[String]>, How)>,
    /// Removes the indentation of the value's lines.
    pub(super) indent: Option<Unindenter>,
    /// Decodes the value's escapes.
    pub(super) escapes: Option<EscapeDecoder>,
    /// Rewrites a string in other quotes than JSON's.
    pub(super) quoted: Option<QuotedString>,
    pub(super) held: String,
    pub(super) json: Option<Box<Nested>>,
    /// The JSON ended before the value: it is complete, or stuck at a byte that fits no JSON.
    pub(super) json_over: bool,
    /// The tool has no such parameter and takes no others: the value is markup.
    pub(in crate::machine) dropped: bool,
    pub(super) wrote: bool,
    pub(super) wrapper: Wrapper,
}

impl ValueWriter {
    /// Whether the value is JSON with an open string: a possible closer may be part of the string.
    pub(in crate::machine) fn is_in_string(&self) -> bool {
        !self.json_over && self.has_open_string()
    }

    /// Whether the bytes are text that is written as it is.
    pub(super) fn is_plain(&self) -> bool {
        self.how == How::Text && !self.dropped && self.json.is_none()
    }

    /// Whether the JSON has an open string; a string is not open after a quote that may be doubled.
    fn has_open_string(&self) -> bool {
        let may_end = (self.quoted.as_ref()).is_some_and(QuotedString::may_be_over);
        let nested = self.json.as_ref().filter(|_| !may_end);
        nested.is_some_and(|nested| nested.json.has_open_string())
    }

    /// Whether a string or a bracket is open, which contains no closer.
    pub(super) fn is_open(&self) -> bool {
        let is_open = |nested: &Nested| nested.json.depth() > 0;
        let in_brackets = self.json.as_deref().is_some_and(is_open);
        self.literal.is_some() && (in_brackets || self.has_open_string())
    }

    /// Writes bytes of the value.
    pub(super) fn write(&mut self, piece: &str, at: u64, out: &mut Out<'_>) {
        match self.indent.take() {
            Some(mut indent) => {
                indent.feed(piece, at, |text, at| self.write_line(text, at, out));
                self.indent = Some(indent);
            }
            None => self.write_line(piece, at, out),
        }
    }

    pub(super) fn write_line(&mut self, piece: &str, at: u64, out: &mut Out<'_>) {
        match self.escapes.take() {
            Some(mut escapes) => {
                escapes.feed(piece, at, |text, at| self.write_decoded(text, at, out));
                self.escapes = Some(escapes);
            }
            None => self.write_decoded(piece, at, out),
        }
    }

    fn write_decoded(&mut self, piece: &str, at: u64, out: &mut Out<'_>) {
        match self.quoted.take() {
            Some(mut quoted) => {
                quoted.feed(piece, at, |text, at| self.write_typed(text, at, out));
                self.quoted = Some(quoted);
            }
            None => self.write_typed(piece, at, out),
        }
    }

    fn write_typed(&mut self, piece: &str, at: u64, out: &mut Out<'_>) {
        if self.dropped {
            return;
        }
        match &self.how {
            How::Text => {
                escape_into(out.args, piece);
                self.feed_json(piece, at, out);
            }
            How::Held(_) | How::Infer | How::Json => {
                self.held.push_str(piece);
                let cap = match self.held.trim_start().as_bytes().first() {
                    None => out.undecided,
                    Some(b'{' | b'[') if self.how != How::Infer => out.undecided,
                    _ => out.scalar,
                };
                if self.held.len() > cap {
                    let end = match &self.how {
                        How::Held(Shape::OneOf(_)) | How::Infer | How::Json => End::Closed,
                        _ => End::Recovered,
                    };
                    let message = "the value is too long for its type and became a string";
                    out.remarks
                        .push((Code::OversizedScalar, message.into(), end));
                    self.become_text(out);
                }
            }
            How::Structured(_) => self.structured(piece, at, out),
        }
    }

    /// Writes the pending key, if there is one.
    fn write_key(&mut self, out: &mut Out<'_>) {
        if matches!(self.wrapper, Wrapper::Maybe | Wrapper::Text) {
            self.wrapper = Wrapper::Keyed;
            out.args.push('{');
            out.args.push_str(&quoted(&self.key));
            out.args.push(':');
        }
    }

    /// Makes the held text a string.
    fn become_text(&mut self, out: &mut Out<'_>) {
        self.write_key(out);
        let trim = self.how == How::Infer;
        self.how = How::Text;
        out.args.push('"');
        self.wrote = true;
        let held = core::mem::take(&mut self.held);
        escape_into(out.args, if trim { held.trim_start() } else { &held });
    }

    /// An object or an array: JSON passes the transducer, elements are held.
    fn structured(&mut self, piece: &str, at: u64, out: &mut Out<'_>) {
        if self.json.is_some() {
            return self.feed_json(piece, at, out);
        }
        self.held.push_str(piece);
        let start = self.held.trim_start();
        let is_text = self.wrapper == Wrapper::Text
            && start.as_bytes().first().is_some_and(|&byte| byte != b'{');
        if is_text {
            self.become_text(out);
            return;
        }
        let mut quote = None;
        if let Some((quotes, how)) = &self.literal {
            let may_start = |quote: &&String| quote.starts_with(start) && quote.len() > start.len();
            if start.is_empty() || quotes.iter().any(|quote| may_start(&quote)) {
                return;
            }
            let is_quote = |quote: &&String| start.starts_with(quote.as_str());
            quote = quotes.iter().find(is_quote).cloned();
            let is_list = start.starts_with(['{', '[']);
            let is_bare = !is_list || *how == How::Text;
            if quote.is_none() && !start.starts_with('"') && is_bare {
                self.how = how.clone();
                self.wrote = self.how == How::Text;
                out.args.push_str(if self.wrote { "\"" } else { "" });
                self.json = is_list.then(|| Nested::new(None, out.undecided));
                self.literal.take_if(|_| !is_list);
                let held = core::mem::take(&mut self.held);
                return self.write_typed(&held, at, out);
            }
        }
        let json = match start.as_bytes().first() {
            Some(_) if self.literal.is_some() => true,
            None => false,
            Some(b'{' | b'[') => true,
            Some(b'<') => false,
            Some(_) => matches!(self.how, How::Structured(Shape::Any)),
        };
        if json {
            let is_object = start.starts_with('{');
            let may_wrap = matches!(self.wrapper, Wrapper::Maybe | Wrapper::Text);
            if may_wrap && is_object && out.fields.is_some() {
                self.wrapper = Wrapper::Object;
            }
            self.write_key(out);
            let held = core::mem::take(&mut self.held);
            let skipped = (held.len() - held.trim_start().len()) as u64;
            let mut nested = Nested::new(quote.as_deref(), out.undecided);
            if self.wrapper == Wrapper::Object {
                nested.output.text = format!("{{{}:", quoted(&self.key));
            }
            self.json = Some(nested);
            let from = at + piece.len() as u64 - held.len() as u64 + skipped;
            self.feed_json(held.trim_start(), from, out);
        } else if self.held.len() > out.undecided {
            let message = "the value is too long to be read as elements and became a string";
            out.remarks
                .push((Code::OversizedScalar, message.into(), End::Recovered));
            self.become_text(out);
        }
    }

    fn feed_json(&mut self, piece: &str, at: u64, out: &mut Out<'_>) {
        let (Some(nested), false) = (&mut self.json, self.json_over) else {
            return;
        };
        let nested = &mut **nested;
        let (json, output) = (&mut nested.json, &mut nested.output);
        let (used, step) = nested.escaped.feed(true, json, (piece, at), output);
        let How::Structured(shape) = &self.how else {
            // A text that starts with a bracket has no closer before its brackets are balanced.
            *output = Output::default();
            self.json_over = step == Step::Stuck;
            self.json.take_if(|_| step != Step::More);
            return;
        };
        self.json_over =
            step == Step::Stuck || (step == Step::Done && !piece[used..].trim_start().is_empty());
        if self.json_over {
            out.recovered(Recovery::MoreThanJson);
        }
        out.repairs.append(&mut output.repairs);
        let target = self.wrapper.target(shape, out.fields);
        nested.fit.feed(target, &output.text, out.args);
        output.text.clear();
        out.changes.append(&mut nested.fit.changes);
    }

    /// Ends the value: writes the rest.
    pub(super) fn close(&mut self, at: u64, values: &Values, out: &mut Out<'_>) {
        if self.indent.take().is_some_and(|indent| indent.is_short) {
            out.recovered(Recovery::ShortIndent);
        }
        if let Some(escapes) = self.escapes.take() {
            self.write_decoded(&escapes.finish(), at, out);
        }
        if self
            .quoted
            .take()
            .is_some_and(|quoted| quoted.may_be_over())
        {
            self.write_typed("\"", at, out);
        }
        if self.dropped {
            return;
        }
        self.write_key(out);
        if let (How::Structured(shape), Some(nested)) = (&self.how, &mut self.json) {
            let nested = &mut **nested;
            let (fit, output) = (&mut nested.fit, &mut nested.output);
            nested.json.complete(at, output);
            nested.escaped.place(&mut output.repairs, Span::empty(at));
            let target = self.wrapper.target(shape, out.fields);
            fit.feed(target, &output.text, out.args);
            if self.wrapper == Wrapper::Object {
                // The bracket of the arguments is written where the call ends.
                let mut end = String::new();
                fit.feed(target, "}", &mut end);
                out.args.push_str(end.strip_suffix('}').unwrap_or(&end));
            }
            fit.finish(target, true, out.args);
            out.changes.append(&mut fit.changes);
            out.repairs.append(&mut output.repairs);
            return;
        }
        let structured = match &self.how {
            How::Text => return out.args.push('"'),
            How::Held(shape) if self.held.trim_start().starts_with(['{', '[']) => {
                structure(&self.held, shape, self.emitted, out)
            }
            How::Structured(shape) => elements_to_json(values, &self.held, shape),
            _ => None,
        };
        let is_untyped = matches!(self.how, How::Infer | How::Json);
        let word = values.word(&self.held).filter(|_| is_untyped);
        let structured = structured.or(word.map(String::from));
        let (json, remark): (Cow<'_, str>, _) = match (structured, &self.how) {
            (Some(json), _) => (json.into(), None),
            (None, How::Held(shape) | How::Structured(shape)) => typed(&self.held, shape, values),
            (None, How::Infer) => infer(&self.held),
            (None, How::Json | How::Text) => json_or_text(&self.held),
        };
        out.args.push_str(&json);
        let remark = remark.map(|(code, message)| (code, message, End::Closed));
        out.remarks.extend(remark);
    }
}

impl Wrapper {
    /// What the JSON of the value is coerced to.
    fn target<'s>(self, shape: &'s Shape, fields: Option<&'s Fields>) -> Target<'s> {
        match (self, fields) {
            (Wrapper::Object, Some(fields)) => Target::Fields(fields),
            _ => Target::Shape(shape),
        }
    }
}

/// A held text that starts like JSON and ends at `end`, repaired, if it is one document.
fn structure(held: &str, shape: &Shape, end: u64, out: &mut Out<'_>) -> Option<String> {
    let text = held.trim_start();
    let at = end - text.len() as u64;
    let text = text.trim_end();
    let mut output = Output::default();
    let mut json = Transducer::new(Root::Value);
    let (used, step) = Escaped::default().feed(true, &mut json, (text, at), &mut output);
    // Where the shape allows text, JSON with a structural repair is text, and so is a guess (`[\d]`, `[see below]`).
    let is_guess = |repaired: &RepairSpan| repaired.repair == Repair::UnquotedString;
    let is_text =
        takes_text(shape) && (json.is_structural() || output.repairs.iter().any(is_guess));
    (step == Step::Done && used == text.len() && !is_text).then(|| {
        out.repairs.append(&mut output.repairs);
        let (json, mut changes) = fitted(Target::Shape(shape), &output.text);
        out.changes.append(&mut changes);
        json
    })
}

/// Where a value writes, and its remarks.
pub(super) struct Out<'a> {
    pub(super) args: &'a mut String,
    /// Code, message, and the best end that the call may still have.
    pub(super) remarks: Vec<(Code, String, End)>,
    pub(super) repairs: Vec<toolglot_json::RepairSpan>,
    pub(super) changes: Vec<Fitted>,
    pub(super) scalar: usize,
    pub(super) undecided: usize,
    /// The parameters of the call's tool.
    pub(super) fields: Option<&'a Fields>,
}

impl Out<'_> {
    fn recovered(&mut self, recovery: Recovery) {
        let rule = recovery.rule();
        self.remarks
            .push((rule.code, rule.message.into(), rule.end));
    }
}
