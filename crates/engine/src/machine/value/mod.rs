//! A raw value: text that ends at a confirmed closer.

mod closer;
mod end;
mod indent;
mod quoted;
mod truncated_opener;
mod unmatched_closer;
mod write;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use toolglot_json::internal::is_wrapper;
use toolglot_json::{Fields, Shape};

use super::closer_decision::Decision;
use super::closer_lookahead::CloserLookahead;
use super::emitter::OpenCall;
use super::fence::FenceLookahead;
use super::fitting::remark;
use super::thread::{Registers, Thread};
use super::typing::{How, how, takes_text};
use super::view::View;
use super::{Mode, Parser};
use crate::body::EscapeDecoder;
use crate::grammar::lists::InList;
use crate::grammar::{Capture, Delimiter, Typing};
use crate::program::{Fits, Lead, LeadRole, Node, NodeId, Program, TextNode, Trim, fits, is_blank};
use crate::tools::item_of;
use crate::{Code, End, Recovery, Sink, Span};
use closer::Closer;
pub(super) use closer::find_closer;
pub(super) use end::{AfterValue, ValueEnd};
use indent::Unindenter;
use quoted::QuotedString;
use truncated_opener::TruncatedOpener;
use unmatched_closer::{UnmatchedCloser, may_follow};
pub(super) use write::ValueWriter;
use write::{Out, Wrapper};

/// A value being read.
#[derive(Debug, Default)]
pub(crate) struct Value {
    pub(super) node: NodeId,
    pub(super) start: u64,
    /// All bytes before this position were looked at.
    pub(super) scan: u64,
    /// Where the run of blanks before `scan` starts, or `scan`.
    blank_from: u64,
    /// The run of blanks is longer than may be trimmed.
    overlong: bool,
    /// The byte before `scan`.
    last: u8,
    /// A line break was left out before the value.
    broke: bool,
    /// The value's own openers inside it that were not closed.
    pub(super) nest: u32,
    /// A closer in the value was data.
    pub(super) passed_closer: bool,
    pub(super) probe: Option<CloserLookahead>,
    /// A value of the same kind was nested in this one.
    pub(super) has_nested: bool,
    /// End of the prose that was searched for the next entry, and belongs to the value.
    pub(super) prose_to: u64,
    /// Only blanks since the line's start.
    pub(super) line_blank: bool,
    /// No line break since the entry's start (for fences).
    pub(super) one_line: bool,
    /// The lookahead over the lines after a run of backticks.
    pub(super) ahead: Option<FenceLookahead>,
    /// The value's first bytes, where they may be a damaged marker that belongs before the value.
    edge: Option<TruncatedOpener>,
    /// The value is the first of its call.
    is_first: bool,
    /// The value's closer was found: an unmatched one may follow.
    unmatched: Option<UnmatchedCloser>,
    /// The value ends at a fence that may be part of it: it may hold too little.
    pub(super) cut_in_doubt: bool,
    /// Where the value ends, if its length was given.
    counted: Option<u64>,
    /// Whether the value ends with its line, once known.
    ends_line: Option<bool>,
    /// A byte of the value that is not blank was written.
    is_started: bool,
    /// What writes the value's bytes.
    pub(super) writer: ValueWriter,
}

impl Value {
    /// Starts the value of `body` at `at`: decides its key and how it is read, and writes the key.
    pub(super) fn start(
        program: &Program,
        parser: &mut Parser,
        body: Thread,
        at: u64,
        sink: &mut dyn Sink,
    ) -> Value {
        let Node::Text(text) = program.node(body.node) else {
            unreachable!("only text starts a value")
        };
        if let (None, Some(call)) = (&text.argument, &mut parser.emitter.call) {
            call.flag = None;
        }
        let registers = &parser.set.registers;
        let (read, key_at) = (registers.get(Capture::Key), registers.key_at);
        let mut key = String::from(text.argument.as_deref().unwrap_or(read.trim()));
        let fields = parser.parameters(program);
        // A tag is a parameter only by its exact name.
        let is_exact = text.own_needs_same_key || text.argument.is_some();
        let near = fields
            .filter(|_| !is_exact)
            .and_then(|fields| fields.nearest(&key));
        if let Some((_, name)) = near {
            let message = format!("no parameter is called `{key}`; it was read as `{name}`");
            parser.note(Code::NearName, key_at, message, sink);
            key = name.into();
        }
        let shape = fields.and_then(|fields| fields.get(&key).or(fields.others.as_deref()));
        let values = &program.dialect_of(body.node).values;
        let is_repeated = values.repeated && text.argument.is_none();
        let is_list = text.list == InList::Always;
        let item = match shape {
            None | Some(Shape::Any) if is_list => Some(None),
            Some(shape) if is_repeated || text.list != InList::No => {
                item_of(shape, is_list).map(Some)
            }
            _ => None,
        };
        let is_text = |shape: &Shape| text.is_string && takes_text(shape);
        let shape = item.unwrap_or(shape);
        let shape = shape.map(|one| if is_text(one) { &Shape::Text } else { one });
        let is_unknown = fields
            .is_some_and(|fields| !fields.properties.is_empty() && fields.get(&key).is_none());
        // An unknown tag that is the key is not a parameter. Other unknown keys are, and validation refuses them.
        let takes_others = fields.is_some_and(|fields| fields.others.is_some());
        let dropped =
            is_unknown && !takes_others && text.own_needs_same_key && text.argument.is_none();
        let how = how(
            shape,
            match text.quotes {
                Some(_) => &Typing::Json,
                None => &values.typing,
            },
            parser.set.registers.get(Capture::Type),
        );
        // A first value under an unknown key, without a known type, may wrap all arguments.
        let call = parser.emitter.call.as_ref();
        let is_first = call.is_some_and(|call| !call.opened);
        let literal = text.quotes.clone().map(|quotes| (quotes, how.clone()));
        let may_wrap = item.is_none()
            && literal.is_none()
            && is_first
            && is_unknown
            && text.argument.is_none()
            && !dropped;
        let wrapper = match &how {
            How::Structured(Shape::Any) if may_wrap => Wrapper::Maybe,
            How::Text if may_wrap && is_wrapper(&key) => Wrapper::Text,
            _ => Wrapper::No,
        };
        let how = match (wrapper, &literal) {
            (Wrapper::Text, _) => How::Structured(Shape::Any),
            (_, Some(_)) => How::Structured(shape.cloned().unwrap_or(Shape::Any)),
            _ => how,
        };
        if dropped {
            let refused = &program.dialect_of(body.node).refuse;
            let (code, message) = if refused.contains(&key) {
                (
                    Code::PlaceholderTag,
                    format!(
                        "`{key}` is a placeholder for a parameter's name; its value was left out"
                    ),
                )
            } else {
                (
                    Code::UnknownParameter,
                    format!("the tool has no parameter `{key}`; its value was left out"),
                )
            };
            parser.note(code, key_at, message, sink);
        } else if wrapper == Wrapper::No {
            match item {
                Some(_) => parser.emitter.start_item(&key, key_at, sink),
                None => parser.emitter.start_key(&key, key_at, sink),
            }
        }
        let mut writer = ValueWriter {
            key,
            emitted: at,
            how,
            literal,
            indent: text.delimiter.indent().cloned().map(Unindenter::new),
            escapes: EscapeDecoder::new(values, body.starts_line).filter(|_| !text.is_cdata),
            quoted: (!text.spelt_quotes.is_empty()).then(|| QuotedString::new(&text.spelt_quotes)),
            dropped,
            wrapper,
            ..ValueWriter::default()
        };
        if writer.how == How::Text && !dropped {
            parser.emitter.args().push('"');
            writer.wrote = true;
        }
        let value = Value {
            node: body.node,
            start: at,
            scan: at,
            blank_from: at,
            broke: body.broke,
            prose_to: at,
            line_blank: body.starts_line,
            one_line: body.one_line,
            edge: text.lead_in.as_deref().map(TruncatedOpener::new),
            is_first: (parser.emitter.call.as_mut())
                .is_some_and(|call| !core::mem::replace(&mut call.has_value, true)),
            counted: (text.delimiter == Delimiter::Length).then(|| {
                let length = parser.set.registers.get(Capture::Length).parse();
                at.saturating_add(length.unwrap_or(u64::MAX))
            }),
            ends_line: match text.delimiter {
                Delimiter::Line => Some(true),
                // The first byte decides: a value without quotes and brackets ends with its line.
                _ if text.may_end_line => None,
                _ => Some(false),
            },
            writer,
            ..Value::default()
        };
        if let Typing::Kind(kinds) = &values.typing
            && let kind = parser.set.registers.get(Capture::Type)
            && !(kind.is_empty() || kinds.iter().any(|(known, _)| known == kind || known == "*"))
            && !matches!(shape, Some(Shape::Text | Shape::Scalar(_)))
            && parser.emitter.call.is_some()
        {
            let at = Span::empty(at);
            (parser.emitter).recovered(Recovery::UnknownKind, at, kind, sink);
        }
        value
    }

    /// How many of `bytes`, which start where the next bytes are emitted, are surely text of the value; these count as
    /// emitted. `None`: a closer may be among the bytes, or they are more than text. Nothing is changed then.
    pub(super) fn continues(
        &mut self,
        text: &TextNode,
        registers: &Registers,
        bytes: &[u8],
        blanks: usize,
    ) -> Option<usize> {
        let is_plain = self.writer.is_plain();
        let is_read = self.writer.escapes.is_some() || self.ends_line != Some(false);
        let is_read = is_read || !text.delimiter.is_closer() || self.scan == self.start;
        if !is_plain || is_read || self.probe.is_some() || self.unmatched.is_some() {
            return None;
        }
        let start = (self.scan - self.writer.emitted) as usize;
        let new = bytes.get(start..)?;
        // In most pushes, no literal can start.
        let literal = text.prefilter.find(new, 0);
        let new = match literal.and_then(|_| find_closer(text, registers, new)) {
            None => new,
            Some(Closer {
                at,
                is_whole: false,
                ..
            }) => &new[..at],
            Some(_) => return None,
        };
        self.pass(text, new, blanks);
        let emitted = self.writer.emitted;
        self.writer.emitted = self.certain(text).max(emitted);
        Some((self.writer.emitted - emitted) as usize)
    }

    /// Whether the value may end where it starts: after a line break that its closer may start with.
    pub(in crate::machine) fn may_be_over(&self, text: &TextNode) -> bool {
        self.scan == self.start && self.line_blank && text.leads.iter().any(Lead::breaks_line)
    }

    /// How the value, which starts a line, starts with a literal that starts with a line break elsewhere, and whether the
    /// literal puts it in doubt.
    fn literal_at_start(&self, text: &TextNode, view: View<'_>) -> Option<(Fits, bool)> {
        let found = view.from(self.start);
        text.leads.iter().find_map(|lead| {
            let literal = lead.start().strip_prefix(b"\n")?;
            let (fits, doubts) = (
                fits(literal, found, lead.fold),
                lead.role == LeadRole::Doubts,
            );
            (fits != Fits::Not && !literal.is_empty()).then_some((fits, doubts))
        })
    }

    /// Whether the value ends with its line; `None` while only blanks came.
    fn ends_line(&mut self, text: &TextNode, view: View<'_>) -> Option<bool> {
        if self.ends_line.is_none() {
            let rest = view.slice(self.start, view.end());
            let first = rest.trim_start_matches([' ', '\t']).chars().next();
            self.ends_line = first.map(|first| !text.may_be_quoted(first));
        }
        self.ends_line
    }

    /// The position up to which the bytes are surely the value's.
    fn certain(&self, text: &TextNode) -> u64 {
        match text.trim {
            Trim::None => self.scan,
            _ if self.overlong => self.scan,
            Trim::Blanks | Trim::Lines => self.blank_from,
            Trim::PairedNl if !self.broke => self.scan,
            Trim::PairedNl | Trim::OwnNl => self.blank_from,
        }
    }

    /// Takes the bytes up to `to` as data, and writes the certain ones.
    fn advance(&mut self, text: &TextNode, to: u64, view: View<'_>, cap: usize, out: &mut Out<'_>) {
        self.pass(text, view.bytes(self.scan, to), cap);
        self.write(text, self.certain(text), view, out);
    }

    /// Writes the bytes up to `to`. Within quotes only entities are decoded.
    fn write(&mut self, text: &TextNode, to: u64, view: View<'_>, out: &mut Out<'_>) {
        if to <= self.writer.emitted {
            return;
        }
        let piece = view.slice(self.writer.emitted, to);
        let first = piece.trim_start().chars().next();
        if let (Some(first), false) = (first, self.is_started) {
            self.is_started = true;
            if let Some(escapes) = &mut self.writer.escapes
                && text.may_be_quoted(first)
            {
                escapes.only_entities();
            }
        }
        self.writer.write(piece, self.writer.emitted, out);
        self.writer.emitted = to;
    }

    /// Takes the next bytes as data, and tracks trailing blanks; up to `cap` bytes of them may be trimmed.
    fn pass(&mut self, text: &TextNode, bytes: &[u8], cap: usize) {
        let Some(&last) = bytes.last() else {
            return;
        };
        if let Some(edge) = &mut self.edge {
            edge.feed(bytes);
        }
        let to = self.scan + bytes.len() as u64;
        let trailing = text.trim.trailing(bytes);
        let carried = match text.trim {
            // The carriage return of this line break came before.
            Trim::PairedNl | Trim::OwnNl => bytes == b"\n" && self.last == b'\r',
            _ => trailing == bytes.len(),
        };
        if !carried {
            self.blank_from = to - trailing as u64;
        }
        self.overlong = to - self.blank_from > cap as u64;
        self.last = last;
        let is_lead = |&byte: &u8| is_blank(byte) && byte != b'\n';
        if let Some(at) = bytes.iter().rposition(|byte| !is_lead(byte)) {
            self.line_blank = bytes[at] == b'\n';
        }
        self.one_line = self.one_line && !bytes.contains(&b'\n');
        self.scan = to;
    }

    /// Ends the value before `at`: pending blanks belong to the value if the trimming part cannot take them.
    fn settle(&mut self, text: &TextNode, at: u64, view: View<'_>, out: &mut Out<'_>) {
        let held = view.bytes(self.writer.emitted, at);
        // A carriage return alone is not a line break.
        let is_cr = text.trim != Trim::Blanks && held.ends_with(b"\r");
        let n_taken = if is_cr { 0 } else { text.trim.trailing(held) };
        self.write(text, at - n_taken as u64, view, out);
    }
}

impl Parser {
    pub(super) fn value(
        &mut self,
        mut value: Box<Value>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        let Node::Text(text) = view.program.node(value.node) else {
            return false;
        };
        if let Some(end) = value.counted {
            self.advance(text, &mut value, end.min(view.end()), view, sink);
            if end > view.end() {
                return self.wait_in_value(value, view);
            }
            let at = value.scan;
            self.end_value(text, value, ValueEnd::at(at), view, sink);
            if at > end {
                self.doubt(at, Recovery::SplitCharacter, sink);
            }
            return true;
        }
        if value.ends_line(text, view).unwrap_or(true) {
            let line = view.from(value.scan);
            let end = memchr::memchr(b'\n', line);
            let line = &line[..end.unwrap_or(line.len())];
            // A carriage return belongs to the line's end.
            let n_bytes = line.strip_suffix(b"\r").unwrap_or(line).len();
            let at = value.scan + n_bytes as u64;
            if value.ends_line.is_some() {
                self.advance(text, &mut value, at, view, sink);
            }
            if end.is_none() {
                return self.wait_in_value(value, view);
            }
            self.end_value(text, value, ValueEnd::at(at), view, sink);
            return true;
        }
        loop {
            if let Some(mut closer) = value.unmatched.take() {
                let Some(is_there) = self.seek_unmatched((value.node, text), &mut closer, view)
                else {
                    value.unmatched = Some(closer);
                    return self.wait_in_value(value, view);
                };
                let at = closer.at;
                self.end_value(text, value, ValueEnd::at(at), view, sink);
                if is_there {
                    self.doubt(at, Recovery::AnotherCloser, sink);
                }
                return true;
            }
            if value.scan == value.start && value.line_blank && value.probe.is_none() {
                match value.literal_at_start(text, view) {
                    Some((Fits::SoFar, _)) if !view.eof => return self.wait_in_value(value, view),
                    Some((Fits::Whole, true)) => {
                        self.doubt(value.start, Recovery::MarkerInside, sink);
                    }
                    _ => {}
                }
            }
            // An empty line is part of a block that follows it.
            let next = view.byte(value.scan).unwrap_or(b'\n');
            let is_blank = text.delimiter.indent().is_some() && b"\r\n".contains(&next);
            let is_escape = |(written, _): &(String, _)| written.as_bytes()[0] == next;
            let is_part = is_blank || text.escapes.iter().any(is_escape);
            let may_be_over =
                value.may_be_over(text) || value.scan == value.start && text.after_blank.has(next);
            if value.probe.is_none() && !is_part && may_be_over {
                let at = value.start;
                self.start_probe(text, &mut value, at, view);
            } else if value.probe.is_none() {
                let mut at = value.scan;
                let closer = self.seek_closer(text, &mut at, view);
                self.advance(text, &mut value, at, view, sink);
                // A quote or bracket that opens the value is not a closer.
                let first = view.slice(at, view.end()).chars().next();
                let opens = at == value.start && first.is_some_and(|c| text.may_be_quoted(c));
                // What the length limit cuts off may be an escape, or more of a block.
                let is_more =
                    |(written, _): &(String, _)| written.starts_with(view.slice(at, view.end()));
                let may_go_on =
                    text.delimiter.indent().is_some() || text.escapes.iter().any(is_more);
                let is_end = view.eof && !(self.ending.is_cut_off && may_go_on);
                if !closer.is_some_and(|closer| closer.is_whole || is_end) {
                    return self.wait_in_value(value, view);
                }
                if opens || value.writer.is_open() {
                    value.passed_closer |= value.writer.how == How::Text;
                    self.advance(text, &mut value, at + 1, view, sink);
                    continue;
                }
                let role = closer.map_or(LeadRole::Ends, |closer| closer.role);
                if role != LeadRole::Ends {
                    if self.is_doubt(role, value.line_blank, view) {
                        self.doubt(at, Recovery::MarkerInside, sink);
                    }
                    self.advance(text, &mut value, at + 1, view, sink);
                    continue;
                }
                self.start_probe(text, &mut value, at, view);
            }
            match self.probe(text, &mut value, view) {
                Decision::Pending => return self.wait_in_value(value, view),
                Decision::Data { upto, doubt } => {
                    self.advance(text, &mut value, upto, view, sink);
                    if doubt {
                        self.doubt(value.scan, Recovery::PassedCloser, sink);
                    }
                }
                Decision::Ends(end) if !end.recovered && value.is_first && may_follow(text) => {
                    let (at, pos) = (end.at, end.at + 1);
                    value.unmatched = Some(UnmatchedCloser { at, pos });
                }
                Decision::Ends(end) => {
                    let doubt = value.cut_in_doubt && end.after != AfterValue::Closer;
                    self.end_value(text, value, end, view, sink);
                    if doubt {
                        self.doubt(end.at, Recovery::AnotherFence, sink);
                    }
                    return true;
                }
            }
        }
    }

    /// Whether a literal inside a value puts it in doubt: an opener only if the call lacks its argument.
    fn is_doubt(&self, role: LeadRole, line_blank: bool, view: View<'_>) -> bool {
        let LeadRole::Opens { value, starts_line } = role else {
            return true;
        };
        let text = view.program.text(value);
        let argument = text.and_then(|text| text.argument.as_deref());
        let lacks = |call: &OpenCall| argument.is_some_and(|argument| !call.has_key(argument));
        (line_blank || !starts_line) && self.emitter.call.as_ref().is_some_and(lacks)
    }

    /// The value waits for more bytes, which decide.
    fn wait_in_value(&mut self, value: Box<Value>, view: View<'_>) -> bool {
        self.pos = view.end();
        self.wait_in(Mode::Value(value))
    }

    /// Notes that the value may be wrong and worsens the call's end, unless that is worse than `Closed` already.
    pub(super) fn doubt(&mut self, at: u64, why: Recovery, sink: &mut dyn Sink) {
        if (self.emitter.call.as_ref()).is_some_and(|call| call.at_best == End::Closed) {
            self.recovered(why, Span::empty(at), "", sink);
        }
    }

    fn advance(
        &mut self,
        text: &TextNode,
        value: &mut Value,
        to: u64,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        let (to, blanks) = (view.boundary(to), view.program.limits.blanks);
        self.write_value(view.program, value, sink, |value, out| {
            value.advance(text, to, view, blanks, out);
        });
    }

    /// Lets a value write arguments, and emits the notes on it.
    fn write_value(
        &mut self,
        program: &Program,
        value: &mut Value,
        sink: &mut dyn Sink,
        write: impl FnOnce(&mut Value, &mut Out<'_>),
    ) {
        let mut out = Out {
            fields: self.parameters(program),
            args: self.emitter.args(),
            remarks: Vec::new(),
            repairs: Vec::new(),
            changes: Vec::new(),
            scalar: program.limits.scalar,
            undecided: program.limits.undecided,
        };
        write(value, &mut out);
        let (remarks, repairs, mut changes) = (out.remarks, out.repairs, out.changes);
        // The pending key was written, or an object in its place: the arguments have started.
        if let Wrapper::Object | Wrapper::Keyed = value.writer.wrapper {
            self.emitter.opened_by(&value.writer.key);
        }
        self.emitter.repaired(&repairs, sink);
        for (code, message, end) in remarks {
            self.emitter.worsen(end);
            // The place where a value became text depends on the pushes; only the value's start does not.
            let end = match code {
                Code::OversizedScalar | Code::MalformedJson | Code::AmbiguousValue => value.start,
                _ => value.writer.emitted.max(value.start),
            };
            self.note(code, Span::new(value.start, end), message, sink);
        }
        let key = (value.writer.wrapper != Wrapper::Object).then_some(value.writer.key.as_str());
        remark(&mut self.emitter, &mut changes, key, value.start);
    }

    /// The parameters of the call's tool.
    pub(super) fn parameters<'p>(&self, program: &'p Program) -> Option<&'p Fields> {
        let tool = self.emitter.tool();
        tool.map(|tool| &program.tools.tool(tool).parameters)
    }
}
