//! A raw value: text that ends at a confirmed closer.

mod write;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use toolglot_json::{Fields, Shape, escape_into, is_wrapper};

use super::fitting::remark;
use super::probe::{Probe, Verdict};
use super::thread::{Judge, Registers, Thread};
use super::typing::{How, how};
use super::view::View;
use super::{Mode, Parser};
use crate::program::{Node, NodeId, Program, TextNode, Trim, is_blank};
use crate::{Code, End, Sink, Span};
use write::{Nested, Out, Wrapper};

/// A value being read.
#[derive(Debug)]
pub(crate) struct Value {
    pub(super) node: NodeId,
    pub(super) key: String,
    start: u64,
    /// All bytes before it were looked at.
    pub(super) scan: u64,
    /// Where the run of blanks before `scan` begins; `scan` if there is none.
    blank_from: u64,
    /// That run is longer than may be trimmed.
    overlong: bool,
    /// The byte before `scan`.
    last: u8,
    /// A line break was left out before the value.
    broke: bool,
    /// Bytes before it are written.
    pub(super) told: u64,
    /// The value's own openers inside it that were not closed.
    pub(super) nest: u32,
    /// A closer was passed over: it was data.
    pub(super) passed_closer: bool,
    pub(super) probe: Option<Probe>,
    /// Only blanks since the line's begin (for fences).
    pub(super) line_blank: bool,
    how: How,
    held: String,
    json: Option<Box<Nested>>,
    /// The JSON is over before the value is: whole, or stuck at a byte that fits none.
    json_over: bool,
    /// The tool has no such parameter and takes no others: the value is markup.
    pub(super) dropped: bool,
    wrote: bool,
    wrapper: Wrapper,
}

impl Value {
    /// Begins the value of `body` at `at`: decides its key and how it is read, and writes the key.
    pub(super) fn begin(
        program: &Program,
        parser: &mut Parser,
        body: Thread,
        at: u64,
        sink: &mut dyn Sink,
    ) -> Value {
        let Node::Text(text) = program.node(body.node) else {
            unreachable!("only text begins a value")
        };
        let key: String = text
            .argument
            .as_deref()
            .map_or_else(|| parser.registers.key.trim().into(), String::from);
        let tool = parser.teller.call.as_ref().and_then(|call| call.tool);
        let fields = tool.map(|tool| &program.tools.tool(tool).parameters);
        // A tag is a parameter by its very name only.
        let near = fields
            .filter(|_| !text.own_needs_same_key && text.argument.is_none())
            .and_then(|fields| fields.nearest(&key));
        let key = match near {
            Some((_, name)) => {
                let message = format!("no parameter is called `{key}`; it was read as `{name}`");
                let at = parser.registers.key_at;
                parser.teller.note(Code::NearName, at, message, None, sink);
                String::from(name)
            }
            None => key,
        };
        let shape = fields.and_then(|fields| fields.get(&key).or(fields.others.as_deref()));
        let unknown = fields.is_some_and(|fields| {
            fields.get(&key).is_none() && fields.others.is_none() && !fields.properties.is_empty()
        });
        // Where the key is the tag, an unknown tag is no parameter. Elsewhere it is one, and validation refuses it.
        let dropped = unknown && text.own_needs_same_key && text.argument.is_none();
        let how = how(
            shape,
            &program.dialect_of(body.node).values.typing,
            &parser.registers.kind,
        );
        // The first value, of no type that is known, under a key that is unknown.
        let is_first = parser.teller.call.as_ref().is_some_and(|call| !call.opened);
        let is_unknown = fields
            .is_some_and(|fields| !fields.properties.is_empty() && fields.get(&key).is_none());
        let may_wrap = is_first && is_unknown && text.argument.is_none() && !dropped;
        let wrapper = match &how {
            How::Structured(Shape::Any) if may_wrap => Wrapper::Maybe,
            How::Text if may_wrap && is_wrapper(&key) => Wrapper::Text,
            _ => Wrapper::No,
        };
        let how = if wrapper == Wrapper::Text {
            How::Structured(Shape::Any)
        } else {
            how
        };
        if dropped {
            let message = format!("the tool has no parameter `{key}`; its value was left out");
            parser.teller.note(
                Code::UnknownParameter,
                parser.registers.key_at,
                message,
                None,
                sink,
            );
        } else if wrapper == Wrapper::No && !parser.teller.key(&key) {
            let message = format!("`{key}` came before; the last value counts");
            parser.teller.note(
                Code::DoubleKey,
                parser.registers.key_at,
                message,
                None,
                sink,
            );
        }
        let mut value = Value {
            node: body.node,
            key,
            start: at,
            scan: at,
            blank_from: at,
            overlong: false,
            last: 0,
            broke: body.broke,
            told: at,
            nest: 0,
            passed_closer: false,
            probe: None,
            line_blank: body.broke || parser.teller.quote.at_bol(),
            how,
            held: String::new(),
            json: None,
            json_over: false,
            dropped,
            wrote: false,
            wrapper,
        };
        if value.how == How::Text && !dropped {
            parser.teller.args().push('"');
            value.wrote = true;
        }
        value
    }

    /// Whether all of `piece` is text of the value, begins no closer and ends in nothing that may be trimmed; it is read
    /// then.
    pub(super) fn goes_on(&mut self, text: &TextNode, registers: &Registers, piece: &str) -> bool {
        let bytes = piece.as_bytes();
        let inside = self.how == How::Text
            && !self.dropped
            && self.probe.is_none()
            && self.told == self.scan
            && !bytes.last().is_some_and(|&byte| match text.trim {
                Trim::None => false,
                Trim::Blanks => is_blank(byte),
                Trim::PairedNl | Trim::Lines => matches!(byte, b'\n' | b'\r'),
            })
            && !(text.fence && bytes.contains(&b'\n'))
            && find_closer(text, registers, bytes).is_none();
        if inside {
            self.scan += bytes.len() as u64;
            (self.told, self.blank_from) = (self.scan, self.scan);
            (self.overlong, self.line_blank) = (false, false);
            self.last = bytes[bytes.len() - 1];
        }
        inside
    }

    /// Whether it is JSON that stands inside a string: what looks like a closer may be the string's.
    pub(super) fn is_in_string(&self) -> bool {
        let nested = self.json.as_ref();
        nested.is_some_and(|nested| !self.json_over && nested.json.has_open_string())
    }

    /// The position up to which the bytes are surely the value's.
    fn certain(&self, text: &TextNode) -> u64 {
        match text.trim {
            Trim::None => self.scan,
            _ if self.overlong => self.scan,
            Trim::Blanks | Trim::Lines => self.blank_from,
            Trim::PairedNl if !self.broke => self.scan,
            Trim::PairedNl => self.blank_from,
        }
    }

    /// Bytes up to `to` are data: keeps track of trailing blanks, and writes what is certain.
    fn advance(&mut self, text: &TextNode, to: u64, view: View<'_>, cap: usize, out: &mut Out<'_>) {
        let bytes = view.bytes(self.scan, to);
        if bytes.is_empty() {
            return;
        }
        let trailing = match text.trim {
            Trim::Blanks => bytes.iter().rev().take_while(|&&b| is_blank(b)).count(),
            Trim::Lines => bytes
                .iter()
                .rev()
                .take_while(|&&b| b == b'\n' || b == b'\r')
                .count(),
            Trim::PairedNl => match bytes {
                [.., b'\r', b'\n'] => 2,
                [.., b'\n' | b'\r'] => 1,
                _ => 0,
            },
            Trim::None => 0,
        };
        let carried = match text.trim {
            // The return that this line break belongs to came before.
            Trim::PairedNl => bytes == b"\n" && self.last == b'\r',
            _ => trailing == bytes.len(),
        };
        if !carried {
            self.blank_from = to - trailing as u64;
        }
        self.overlong = to - self.blank_from > cap as u64;
        self.last = bytes[bytes.len() - 1];
        if text.fence {
            let (line, reset) = match memchr::memrchr(b'\n', bytes) {
                Some(at) => (&bytes[at + 1..], true),
                None => (bytes, false),
            };
            self.line_blank = (reset || self.line_blank) && line.iter().all(|&b| is_blank(b));
        }
        self.scan = to;
        let certain = self.certain(text);
        if certain > self.told {
            self.write(view.slice(self.told, certain), self.told, out);
            self.told = certain;
        }
    }

    /// The value ends before `at`: of the blanks that wait, those that the trimming part cannot take are the value's.
    fn settle(&mut self, text: &TextNode, at: u64, view: View<'_>, out: &mut Out<'_>) {
        let waiting = view.bytes(self.told, at);
        let taken = match text.trim {
            Trim::None => 0,
            Trim::Blanks => waiting.len(),
            Trim::PairedNl => match waiting {
                [.., b'\r', b'\n'] => 2,
                [.., b'\n'] => 1,
                _ => 0,
            },
            Trim::Lines => {
                let mut rest = waiting;
                while let Some(shorter) = rest.strip_suffix(b"\n") {
                    rest = shorter.strip_suffix(b"\r").unwrap_or(shorter);
                }
                waiting.len() - rest.len()
            }
        };
        let end = at - taken as u64;
        if end > self.told {
            self.write(view.slice(self.told, end), self.told, out);
            self.told = end;
        }
    }
}

impl Parser {
    /// Returns whether the mode changed.
    pub(super) fn value(
        &mut self,
        program: &Program,
        view: View<'_>,
        eof: bool,
        sink: &mut dyn Sink,
    ) -> bool {
        let Mode::Value(mut value) = core::mem::take(&mut self.mode) else {
            return false;
        };
        let Node::Text(text) = program.node(value.node) else {
            return false;
        };
        loop {
            if value.probe.is_none() {
                let Some(at) = next_closer(text, &self.registers, view, value.scan) else {
                    self.work += view.end() - value.scan;
                    self.advance(program, text, &mut value, view.end(), view, sink);
                    self.pos = view.end();
                    self.mode = Mode::Value(value);
                    return false;
                };
                self.work += at - value.scan + 1;
                self.advance(program, text, &mut value, at, view, sink);
                self.begin_probe(program, text, &mut value, at, view);
            }
            match self.probe(program, text, &mut value, view, eof, sink) {
                Verdict::Pending => {
                    self.pos = view.end();
                    self.mode = Mode::Value(value);
                    return false;
                }
                Verdict::Data { upto, doubt } => {
                    value.probe = None;
                    self.advance(program, text, &mut value, upto, view, sink);
                    if doubt {
                        self.doubt(upto, sink);
                    }
                }
                Verdict::Ends {
                    at,
                    recovered,
                    enclosing,
                } => {
                    let behind = if enclosing {
                        Behind::Enclosing
                    } else {
                        Behind::Value
                    };
                    self.end_value(program, text, value, at, recovered, behind, view, sink);
                    return true;
                }
                Verdict::Forgotten { at } => {
                    self.end_value(program, text, value, at, true, Behind::Closer, view, sink);
                    return true;
                }
            }
        }
    }

    fn doubt(&mut self, at: u64, sink: &mut dyn Sink) {
        let first = self
            .teller
            .call
            .as_ref()
            .is_some_and(|call| call.at_best == End::Closed);
        if let Some(call) = &mut self.teller.call {
            call.worsen(End::Recovered);
        }
        if first {
            let message = String::from(
                "a closer was passed over because no known parameter follows it; the value may hold too much",
            );
            self.teller
                .note(Code::ValueInDoubt, Span::empty(at), message, None, sink);
        }
    }

    fn advance(
        &mut self,
        program: &Program,
        text: &TextNode,
        value: &mut Value,
        to: u64,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        let limits = &program.limits;
        let fields = self.parameters(program);
        let mut out = Out {
            fields,
            args: self.teller.args(),
            remarks: alloc::vec::Vec::new(),
            repairs: alloc::vec::Vec::new(),
            changes: alloc::vec::Vec::new(),
            refused: false,
            scalar: limits.scalar,
            undecided: limits.undecided,
        };
        value.advance(text, to, view, limits.blanks, &mut out);
        let Out {
            remarks,
            repairs,
            mut changes,
            refused,
            ..
        } = out;
        self.open_arguments(value);
        self.say(value, remarks, &repairs, refused, sink);
        remark(
            &mut self.teller,
            &mut changes,
            (value.wrapper != Wrapper::Object).then_some(value.key.as_str()),
            value.start,
            sink,
        );
    }

    /// The parameters of the call's tool.
    fn parameters<'p>(&self, program: &'p Program) -> Option<&'p Fields> {
        let tool = self.teller.call.as_ref().and_then(|call| call.tool);
        tool.map(|tool| &program.tools.tool(tool).parameters)
    }

    /// A key that waited was written, or what stands in its place: the arguments have begun.
    fn open_arguments(&mut self, value: &Value) {
        if let Wrapper::Object | Wrapper::Keyed = value.wrapper {
            self.teller.opened_by(&value.key);
        }
    }

    fn say(
        &mut self,
        value: &Value,
        remarks: alloc::vec::Vec<(Code, String, bool)>,
        repairs: &[toolglot_json::Mended],
        refused: bool,
        sink: &mut dyn Sink,
    ) {
        for (code, message, doubt) in remarks {
            // A value that became text did so at some byte of some push: only its begin is the same in all of them.
            let end = if matches!(code, Code::UndecidedText | Code::MalformedJson) {
                value.start
            } else {
                value.told.max(value.start)
            };
            let span = Span::new(value.start, end);
            if doubt && let Some(call) = &mut self.teller.call {
                call.worsen(End::Recovered);
            }
            self.teller.note(code, span, message, None, sink);
        }
        self.teller.mended(repairs, sink);
        if let (true, Some(call)) = (refused, &mut self.teller.call) {
            call.worsen(End::Truncated);
        }
    }

    /// The value ends before the closer at `at`; the set goes on behind it.
    #[expect(
        clippy::too_many_arguments,
        reason = "the verdict's parts, and where to tell them"
    )]
    fn end_value(
        &mut self,
        program: &Program,
        text: &TextNode,
        mut value: Box<Value>,
        at: u64,
        recovered: bool,
        behind: Behind,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        value.probe = None;
        let fields = self.parameters(program);
        let mut out = Out {
            fields,
            args: self.teller.args(),
            remarks: alloc::vec::Vec::new(),
            repairs: alloc::vec::Vec::new(),
            changes: alloc::vec::Vec::new(),
            refused: false,
            scalar: program.limits.scalar,
            undecided: program.limits.undecided,
        };
        if !value.overlong {
            value.settle(text, at, view, &mut out);
        }
        value.close(at, &program.dialect_of(value.node).values, &mut out);
        let Out {
            remarks,
            repairs,
            mut changes,
            refused,
            ..
        } = out;
        self.open_arguments(&value);
        self.say(&value, remarks, &repairs, refused, sink);
        remark(
            &mut self.teller,
            &mut changes,
            (value.wrapper != Wrapper::Object).then_some(value.key.as_str()),
            value.start,
            sink,
        );
        let end = value.told;
        if value.dropped {
            self.teller.markup(view, end, sink);
        } else {
            self.teller.flush_args(end, sink);
        }
        if recovered {
            if let Some(call) = &mut self.teller.call {
                call.worsen(End::Recovered);
            }
            let span = Span::empty(at);
            let message = match behind {
                Behind::Value => "the call's closers are incomplete; they were supplied",
                _ => "the value's closer is missing; it was supplied",
            };
            self.teller
                .note(Code::MissingCloser, span, String::from(message), None, sink);
        }
        // The closers are read by the same threads that read everything else.
        self.log.clear();
        self.flushed = super::Log::ROOT;
        self.instances.clear();
        self.threads.clear();
        let from = if behind == Behind::Value { end } else { at };
        let mut threads = core::mem::take(&mut self.threads);
        let mut thread = Thread::at(text.next, super::Log::ROOT, from);
        thread.marked = true;
        let nodes: alloc::vec::Vec<NodeId> = match behind {
            Behind::Value => alloc::vec![text.next],
            Behind::Enclosing => text.enclosing.clone(),
            Behind::Closer => {
                let follow = Thread::at(text.follow, super::Log::ROOT, from);
                let mut closers = alloc::vec::Vec::new();
                self.stepper(program, view, Judge::Reading)
                    .close(follow, from, &mut closers);
                let behind = |closer: &Thread| match program.node(closer.node) {
                    Node::Literal { next, .. } | Node::Template { next, .. } => Some(*next),
                    _ => None,
                };
                closers.iter().filter_map(behind).collect()
            }
        };
        for node in nodes {
            let thread = Thread { node, ..thread };
            self.stepper(program, view, Judge::Reading)
                .close(thread, from, &mut threads);
        }
        self.threads = threads;
        self.pos = from;
        self.safe = from;
        self.safe_threads.clone_from(&self.threads);
        self.committed = true;
        self.fallback = None;
        self.mode = Mode::Between;
    }

    /// Whether the message's end ends the value.
    pub(super) fn ends_with_message(program: &Program, value: &Value) -> bool {
        matches!(program.node(value.node), Node::Text(text) if program.ends_message(text.follow))
    }

    /// The value ends with the message.
    pub(super) fn close_value(
        &mut self,
        program: &Program,
        mut value: Box<Value>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        let Node::Text(text) = program.node(value.node) else {
            return;
        };
        value.probe = None;
        self.advance(program, text, &mut value, view.end(), view, sink);
        let at = view.end();
        self.end_value(program, text, value, at, false, Behind::Value, view, sink);
    }

    /// The message ends inside the value: what was read is told, the string stays open.
    pub(super) fn truncate_value(
        &mut self,
        program: &Program,
        mut value: Box<Value>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        let Node::Text(text) = program.node(value.node) else {
            return;
        };
        value.probe = None;
        self.advance(program, text, &mut value, view.end(), view, sink);
        if let Wrapper::Maybe | Wrapper::Text = value.wrapper {
            value.wrapper = Wrapper::No;
            self.teller.key(&value.key);
        }
        // Held blanks are the value's as far as anybody knows; a held scalar is cut, and stays out.
        let told = value.told;
        if value.dropped {
            self.teller.markup(view, view.end(), sink);
        } else {
            if value.how != How::Text
                && !value.wrote
                && value.json.is_none()
                && !value.held.is_empty()
            {
                // Show what arrived: a prefix of a string.
                self.teller.args().push('"');
                let held = core::mem::take(&mut value.held);
                escape_into(self.teller.args(), held.trim());
            }
            self.teller.flush_args(told, sink);
            self.teller.markup(view, view.end(), sink);
        }
    }
}

/// Where the reading goes on when a value has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind {
    /// Behind the value: at its closer.
    Value,
    /// At an enclosing closer: the value's own is missing.
    Enclosing,
    /// Behind the value's closer, which is missing: at the next value.
    Closer,
}

/// The next place where a closer, an enclosing closer or the value's own opener can begin.
pub(super) fn next_closer(
    text: &TextNode,
    registers: &Registers,
    view: View<'_>,
    from: u64,
) -> Option<u64> {
    find_closer(text, registers, view.from(from)).map(|at| from + at as u64)
}

fn find_closer(text: &TextNode, registers: &Registers, bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text.first.find(&bytes[at..])?;
        if text
            .leads
            .iter()
            .any(|lead| lead.fits(&bytes[at..], |what| registers.get(what)))
        {
            return Some(at);
        }
        at += 1;
    }
}
