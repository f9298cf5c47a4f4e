//! A tag within a line that alone opens a call of one tool (`<bash>`): prose mentions such tags.
//!
//! The tag is a call if its closer comes before the same tag again. The lookahead decides between text and call, so it
//! runs before the call starts.

use super::log::Act;
use super::thread::Thread;

use super::view::View;
use super::{Mode, Parser};
use crate::Sink;
use crate::grammar::Piece;
use crate::program::{Lead, Program, RuleRole};

/// The lookahead for the closer of the value that starts at `Parser::pos`.
#[derive(Clone, Copy, Debug)]
pub(super) struct MidLineTag {
    pub(super) body: Thread,
    /// All bytes before this position were read.
    pub(super) pos: u64,
}

impl Parser {
    /// Whether the value of `body` is the whole call that a mid-line tag opens.
    pub(super) fn is_mid_line_tag(&self, program: &Program, body: &Thread) -> bool {
        let Some(text) = program.text(body.node) else {
            return false;
        };
        let fixes = |act: Act| matches!(act.entered(program), Some((RuleRole::Call, Some(_))));
        let is_closing_tag = |lead: &Lead| matches!(&*lead.pieces, [Piece::Bytes(text), ..] if text.as_bytes().get(1) == Some(&b'/'));
        let has_more = |act| matches!(act, Act::Argument { .. } | Act::Captured { .. });
        !self.candidate.committed
            && !self.candidate.bol
            && !self.candidate.start
            && text.argument.is_some()
            && text.leads.iter().any(is_closing_tag)
            && self.set.log.any(self.set.flushed, body.log, fixes)
            && !self.set.log.any(self.set.flushed, body.log, has_more)
    }

    pub(super) fn mid_line_tag(
        &mut self,
        mut tag: MidLineTag,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        let Some(text) = view.program.text(tag.body.node) else {
            return true;
        };
        let at = self.pos;
        let closer = self.seek_closer(text, &mut tag.pos, view);
        let is_long = tag.pos - at > view.program.limits.undecided as u64;
        let is_whole = closer.is_some_and(|closer| closer.is_whole);
        if !is_whole && !is_long && !view.eof {
            return self.wait_in(Mode::MidLineTag(tag));
        }
        let has_closer = is_whole && view.byte(tag.pos + 1) == Some(b'/');
        if !is_long && !has_closer {
            self.reject(at);
            return true;
        }
        self.choose_body(tag.body);
        self.leave_only(tag.body);
        if self.commit(view, None, sink) {
            self.enter_body(view, sink);
        }
        true
    }
}
