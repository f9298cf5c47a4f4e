//! Notes that say why a possible call is not a call.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Parser;
use super::log::{Act, Log};
use super::thread::Thread;
use super::view::View;
use crate::grammar::Capture;
use crate::program::{Node, Program, RuleRole};
use crate::{Code, Sink, Span};

impl Parser {
    /// Drops entries in a quotation: a call at its marker, with a note. A call without a marker continues until its
    /// name is certain.
    pub(super) fn drop_quoted(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        let program = view.program;
        let is_of_entry =
            |thread: &Thread| !thread.extra && !matches!(program.node(thread.node), Node::Trie);
        if !self.candidate.quoted || !self.set.next.iter().any(is_of_entry) {
            return;
        }
        let end = self.pos + 1;
        let text: String = view.slice(self.candidate.at, end).into();
        // A bracket alone is no sign of a call, nor is a function around a call.
        let call = text.len() >= 3
            && !text.contains('(')
            && self.set.next.iter().any(|thread| {
                // Nor is the first word of a name.
                let is_py = matches!(program.node(thread.node), Node::Py { .. });
                !thread.extra
                    && (thread.since >= end || !is_py)
                    && self.enters(thread, |role| role == RuleRole::Call)
            });
        let fence = text.bytes().all(|byte| byte == b'`');
        // An alternative to the reasoning's end starts here, too, and is distinguished by its name.
        let waited = self.set.next.iter().any(|thread| thread.extra);
        if call && !fence && !waited && !self.candidate.is_noted {
            self.candidate.is_noted = true;
            let span = Span::new(self.candidate.at, end);
            if self.candidate.is_in_code {
                let mut lines = text.trim_start_matches('\n').split('\n');
                let line = lines.next().unwrap_or_default();
                self.note_quoted(&format!("`{line}`"), span, sink);
            } else {
                let message = format!("`{text}` is in reasoning: it is not read as a call");
                let help = Some(String::from("end the reasoning before the call"));
                self.emitter
                    .note_with_help(Code::ReasoningCall, span, message, help, sink);
            }
        }
        let ends_here = call || fence || !self.candidate.is_in_code;
        self.retain_next(|parser, thread| !ends_here && !parser.enters_channel(thread));
    }

    fn note_quoted(&mut self, what: &str, at: Span, sink: &mut dyn Sink) {
        self.emitter.quote.is_noted = true;
        let message = format!("{what} is in quoted code: it is text, not a call");
        let help = "write the call outside of backticks, fences, block quotes and comments";
        self.emitter
            .note_with_help(Code::QuotedCall, at, message, Some(help.into()), sink);
    }

    /// Notes that the candidate is certainly a call of `name` in a quotation. In a quotation that has a note, the call
    /// is part of the same example.
    pub(super) fn remark_quoted(&mut self, name: &str, at: Span, sink: &mut dyn Sink) {
        if !self.emitter.quote.is_noted {
            self.note_quoted(&format!("a call of `{name}`"), at, sink);
        }
    }

    /// Notes a token's spelling in plain letters.
    #[cold]
    pub(super) fn remark_spelled(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        if self.candidate.is_noted || self.is_aside() {
            return;
        }
        let span = Span::new(self.candidate.at, self.pos + 1);
        let text = view.slice(span.start, span.end);
        let message = format!("`{text}` is a special token; in plain letters it is text");
        self.note(Code::PlainTextMarker, span, message, sink);
        self.candidate.is_noted = true;
    }

    /// Notes a placeholder in place of a name.
    pub(super) fn remark_names(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        // Other readings of the candidate may continue.
        let is_dead = !self.set.next.iter().any(|thread| !thread.extra);
        let placeholder = self.set.found.placeholder.take();
        if let Some(at) = placeholder.filter(|_| is_dead && !self.is_aside()) {
            let text = view.at(at);
            let message =
                format!("`{text}` is a placeholder: no tool and no parameter is called so");
            let help = String::from("write the tool's own name, and the names of its parameters");
            self.emitter
                .note_with_help(Code::PlaceholderTag, at, message, Some(help), sink);
            self.candidate.is_noted = true;
        }
    }

    /// Emits the text before the candidate, then notes at a name why the candidate is not a call.
    pub(super) fn remark_at_name(
        &mut self,
        code: Code,
        (start, end): (u64, u64),
        message: String,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        if self.candidate.is_undecided {
            return;
        }
        self.emit_text(view, self.candidate.at, sink);
        let at = Span::new(start.min(end), end);
        self.note(code, at, message, sink);
    }

    /// The candidate's threads after a call's marker, or in a known tool's name if the call has no marker. A rule for
    /// one tool is not a marker, and neither is a fence that wraps calls.
    fn marked(&self, view: View<'_>, at: u64) -> Vec<Thread> {
        let program = view.program;
        let excludes = |act: Act| {
            let rule = act.entered(program);
            rule.is_some_and(|(role, tool)| role == RuleRole::Stop || tool.is_some())
        };
        let enters = |act| matches!(act, Act::Enter(_));
        let is_marked = |thread: &Thread| {
            !thread.extra
                && !self.set.log.any(Log::ROOT, thread.log, excludes)
                && (thread.marked
                    || self.set.log.any(Log::ROOT, thread.log, enters)
                        && self.is_named(thread, view, at))
        };
        self.set.threads.iter().copied().filter(is_marked).collect()
    }

    /// Whether a thread has a name, or is in a name that is known as far as it was read (`<read_file path=..>`).
    fn is_named(&self, thread: &Thread, view: View<'_>, at: u64) -> bool {
        let program = view.program;
        let flushed = self.set.flushed;
        let named = self.set.log.newest(thread.log, flushed, Capture::Name);
        named.is_some()
            || matches!(program.node(thread.node), Node::Capture(capture) if capture.what == Capture::Name)
                && thread.since <= at
                && program.knows(
                    program.dialect_of(thread.node),
                    view.slice(thread.since, view.char_start(at)),
                )
    }

    /// Whether the candidate certainly starts a call: outside quotations, a call's marker was read whole, and the rest
    /// fits so far. Words after the marker are prose, because no name has a blank.
    pub(super) fn is_started_call(&self, view: View<'_>, at: u64) -> bool {
        let is_word = |text: &str| !text.trim().contains(char::is_whitespace);
        let is_head = |thread: &Thread| {
            let read = || view.slice(thread.since.min(at), at);
            match view.program.node(thread.node) {
                Node::Capture(_) => is_word(read()),
                Node::Attrs(_) => is_word(unquoted_end(read())),
                _ => true,
            }
        };
        let is_words = |act| matches!(act, Act::Captured { at, .. } if !is_word(view.at(at)));
        let is_started = |thread: &Thread| {
            let is_prose = self.set.log.any(self.set.flushed, thread.log, is_words);
            thread.marked && is_head(thread) && !is_prose
        };
        !self.is_aside() && self.marked(view, at).iter().any(is_started)
    }

    /// Whether a line of prose mentions the markers: `use <tool_call> and </tool_call>`. Between the markers is a word
    /// with blanks around it that is no tool's name, and no arguments.
    pub(super) fn is_mentioned(&self, view: View<'_>) -> bool {
        let is_gap = |byte: Option<u8>| matches!(byte, Some(b' ' | b'\t'));
        let is_word = |thread: &Thread| {
            let (log, flushed) = (&self.set.log, self.set.flushed);
            let has_ended = thread.marked && log.any(flushed, thread.log, Act::is_exit);
            let named = log.newest(thread.log, flushed, Capture::Name);
            named.filter(|_| has_ended).is_some_and(|at| {
                let name = view.at(at);
                name.chars().all(char::is_alphabetic)
                    && at.start > self.candidate.at
                    && is_gap(view.byte(at.start - 1))
                    && is_gap(view.byte(at.end))
                    && view.program.tools.find(name).is_none()
            })
        };
        !self.candidate.bol && !self.set.threads.is_empty() && self.set.threads.iter().all(is_word)
    }

    /// Notes why a candidate with a call's marker is not a call.
    pub(super) fn explain_rejection(&mut self, view: View<'_>, at: u64, sink: &mut dyn Sink) {
        if self.candidate.is_noted || self.is_aside() {
            return;
        }
        let marked = self.marked(view, at);
        if marked.is_empty() {
            return;
        }
        let dialect = &view.program.dialect_of(marked[0].node).name;
        let named = marked.iter().any(|thread| self.is_named(thread, view, at));
        // After a complete name, what follows the name is missing.
        let due = |thread: &Thread| match view.program.node(thread.node) {
            Node::Capture(capture) if named && capture.what == Capture::Name => {
                thread.after(capture.next)
            }
            _ => *thread,
        };
        let due: Vec<Thread> = marked.iter().map(due).collect();
        let help = expected(view.program, due.iter());
        let is_json = |node: &Node| matches!(node, Node::Object(_) | Node::Json { .. });
        let mut nodes = marked.iter().map(|thread| view.program.node(thread.node));
        let json = nodes.any(is_json);
        let (code, lacks) = match (named, json) {
            (false, true) => (Code::MalformedJson, "JSON object"),
            (false, false) => (Code::MissingToolName, "tool name"),
            _ => (Code::NotACall, "call"),
        };
        let opener_end = self.candidate.checkpoint.max(self.candidate.at);
        let opener = view.slice(self.candidate.at, opener_end).trim_end();
        let opener: String = opener.chars().take(40).collect();
        // A text that may occur anywhere opens nothing alone: `functools`, `>>>`.
        let word = opener.trim_end_matches('[');
        let is_ordinary =
            word.chars().all(char::is_alphabetic) || !word.chars().any(char::is_alphanumeric);
        if is_ordinary {
            return;
        }
        let message = format!("`{opener}` opens a call of `{dialect}`, but no {lacks} follows");
        self.emitter
            .note_with_help(code, Span::new(self.candidate.at, at), message, help, sink);
        self.candidate.is_noted = true;
    }
}

/// The text after the last complete attribute.
fn unquoted_end(text: &str) -> &str {
    let mut rest = text;
    while let Some(open) = rest.find(['"', '\'']) {
        let quote = &rest[open..=open];
        let Some(length) = rest[open + 1..].find(quote) else {
            break;
        };
        rest = &rest[open + length + 2..];
    }
    rest
}

/// A help text: what the threads expect, the first four. Blanks before a line's end are no more than that end.
pub(super) fn expected<'a>(
    program: &Program,
    threads: impl Iterator<Item = &'a Thread>,
) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    for wanted in threads.filter_map(|thread| wanted(program, thread)) {
        if all.len() < 4 && !all.contains(&wanted) && !wanted.ends_with(" \\n`") {
            all.push(wanted);
        }
    }
    (!all.is_empty()).then(|| format!("expected {}", all.join(" or ")))
}

fn wanted(program: &Program, thread: &Thread) -> Option<String> {
    let name = |node: &Node, is_next: bool| match node {
        Node::Capture(one) if is_next && one.what == Capture::Key => Some("a parameter's name"),
        Node::Capture(one) if one.what == Capture::Name => Some("a tool's name"),
        Node::Object(_) | Node::Json { .. } => Some("a JSON object"),
        _ => None,
    };
    let node = program.node(thread.node);
    let Node::Literal { bytes, next, .. } = node else {
        return name(node, false).map(String::from);
    };
    let literal = core::str::from_utf8(bytes).ok()?.escape_debug();
    match program.node(*next) {
        // A comment, or another capture without meaning, has no name.
        next @ Node::Capture(_) => Some(format!("`{literal}` and {}", name(next, true)?)),
        _ => Some(format!("`{literal}`")),
    }
}
