//! Text between two values of a call: `<path>a</path>, and <content>b</content>`. The first value ends at its closer if
//! the tag of a declared parameter without a value follows the text.

use alloc::vec::Vec;

use super::Parser;
use super::closer_lookahead::{CloserLookahead, Stage};
use super::log::Log;
use super::thread::{NamePolicy, Thread};
use super::view::View;
use crate::Span;
use crate::grammar::Capture;
use crate::program::{Fits, Program, TextNode, is_blank};
use crate::thresholds::{INTERVENING_MAX, INTERVENING_UNDECLARED_MAX};

/// Skips the text between two values.
#[derive(Debug)]
pub(super) struct InterveningText {
    /// The positions after the value's closer.
    after: Vec<Thread>,
    /// The text, as far as it was read.
    pub(super) text: Span,
    /// The positions in the tag after the text, and the offset of the next byte.
    tag: Option<(Vec<Thread>, u64)>,
}

/// The first of the threads that is at a value, and that value.
pub(super) fn value_at<'t, 'p>(
    program: &'p Program,
    threads: &'t [Thread],
) -> Option<(&'t Thread, &'p TextNode)> {
    let mut threads = threads.iter();
    threads.find_map(|thread| Some((thread, program.text(thread.node)?)))
}

impl Parser {
    /// Starts to skip text after the value's closer, if the closer is a tag. Returns whether it starts.
    pub(super) fn start_gap(
        &mut self,
        text: &TextNode,
        probe: &mut CloserLookahead,
        view: View<'_>,
    ) -> bool {
        let may_start = !probe.was_gap && probe.missing.is_none();
        let Some(at) = probe.closer_end.filter(|_| may_start) else {
            return false;
        };
        probe.was_gap = true;
        if view.byte(at - 1) != Some(b'>') {
            return false;
        }
        let found = view.from(probe.at);
        let closers = self.closers_at(text.follow, Log::ROOT, view);
        let (Fits::Whole, _, next) = self.closer_fits(&closers, found) else {
            return false;
        };
        probe.stage = Stage::Text(InterveningText {
            after: self.closure(view, Thread::at(next, Log::ROOT, at)),
            text: Span::empty(at),
            tag: None,
        });
        true
    }

    /// Whether a declared parameter without a value opens after the text. `None`: more bytes are needed.
    pub(super) fn run_gap(&mut self, gap: &mut InterveningText, view: View<'_>) -> Option<bool> {
        let tool = self.emitter.tool();
        while gap.tag.is_none() {
            let end = gap.text.end;
            let Some(byte) = view.byte(end) else {
                return view.eof.then_some(false);
            };
            self.set.found.work += 1;
            if byte == b'<' {
                gap.tag = Some((gap.after.clone(), end));
                break;
            }
            let longest = match tool {
                Some(_) => INTERVENING_MAX,
                None => INTERVENING_UNDECLARED_MAX,
            };
            let is_text = tool.is_some() || byte.is_ascii_punctuation() || is_blank(byte);
            if !is_text || end - gap.text.start >= longest {
                return Some(false);
            }
            gap.text.end += 1;
        }
        let (threads, pos) = gap.tag.as_mut()?;
        loop {
            let Some(byte) = view.byte(*pos) else {
                return view.eof.then_some(false);
            };
            self.step_set((view, NamePolicy::Evidence), threads, byte, *pos);
            *pos += 1;
            if let Some((thread, value)) = value_at(view.program, threads) {
                let captured = self.set.log.newest(thread.log, Log::ROOT, Capture::Key);
                let key = match (&value.argument, captured) {
                    (Some(key), _) => key,
                    (None, Some(at)) => view.at(at),
                    (None, None) => "",
                };
                let call = self.emitter.call.as_ref();
                return Some(!call.is_some_and(|call| call.has_key(key)));
            }
            if threads.is_empty() {
                return Some(false);
            }
        }
    }
}
