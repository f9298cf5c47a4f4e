//! A second closer after the one that ends a value, without an opener. If only such a closer ends a file's text, the
//! first one may be part of that text.

use alloc::string::String;

use crate::machine::Parser;
use crate::machine::log::Log;
use crate::machine::view::View;
use crate::program::{Fits, NodeId, TextNode, Trim};

/// The lookahead for an unmatched closer.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnmatchedCloser {
    /// Where the value ends.
    pub(super) at: u64,
    /// No unmatched closer was found before this position.
    pub(super) pos: u64,
}

/// Whether the lookahead runs: the value is kept to the byte, line breaks at its ends aside. Its closer is the only one
/// of its call, and ends that call.
pub(super) fn may_follow(text: &TextNode) -> bool {
    let is_alone = text.is_last && text.own.is_some() && !text.fence;
    matches!(text.trim, Trim::None | Trim::PairedNl) && is_alone
}

impl Parser {
    /// Whether an unmatched closer comes before the next opener of such a value or of a call, within
    /// `Limits::undecided`. `None`: more bytes are needed.
    pub(super) fn seek_unmatched(
        &mut self,
        (node, text): (NodeId, &TextNode),
        closer: &mut UnmatchedCloser,
        view: View<'_>,
    ) -> Option<bool> {
        let cap = view.program.limits.undecided as u64;
        let found = self.seek_closer(text, &mut closer.pos, view);
        let at = closer.pos;
        if at - closer.at > cap {
            return Some(false);
        }
        match found {
            Some(found) if found.is_whole => {
                let closers = self.closers_at(text.follow, Log::ROOT, view);
                let (fits, ..) = self.closer_fits(&closers, view.from(at));
                let between = view.slice(closer.at, at);
                let is_call = |start: &String| between.contains(start.as_str());
                Some(fits != Fits::Not && !view.program.starts(node).iter().any(is_call))
            }
            _ => view.eof.then_some(false),
        }
    }
}
