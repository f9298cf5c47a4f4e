//! A closer after the one that ends a value, with no opener for it: where nothing but that closer ends what a file holds,
//! the file may have held the first one.

use alloc::string::String;

use crate::machine::Parser;
use crate::machine::log::Log;
use crate::machine::view::View;
use crate::program::{Fits, NodeId, Program, TextNode, Trim};

/// Looking for one.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnmatchedCloser {
    /// Where the value ends.
    pub(super) at: u64,
    /// Up to there none was found.
    pub(super) pos: u64,
}

/// Whether one is looked for: the value is kept to the byte, or but for a line break at each end, and its closer is the only one
/// of its call, and ends it.
pub(super) fn may_follow(program: &Program, text: &TextNode) -> bool {
    let is_alone = text.is_last && text.own.is_some() && !text.fence;
    matches!(text.trim, Trim::None | Trim::PairedNl)
        && is_alone
        && !program.leads_to_values(text.next)
}

impl Parser {
    /// Whether one stands before the next opener of such a value or of a call, within the usual cap. `None`: more bytes are
    /// needed.
    pub(super) fn look_for_orphan(
        &mut self,
        (node, text): (NodeId, &TextNode),
        orphan: &mut UnmatchedCloser,
        view: View<'_>,
    ) -> Option<bool> {
        let cap = view.program.limits.undecided as u64;
        let found = self.seek_closer(text, &mut orphan.pos, view);
        let at = orphan.pos;
        if at - orphan.at > cap {
            return Some(false);
        }
        match found {
            Some(found) if found.is_whole => {
                let closers = self.closers_at(text.follow, Log::ROOT, view);
                let (fits, ..) = self.closer_fits(&closers, view.from(at));
                let between = view.slice(orphan.at, at);
                let is_call = |start: &String| between.contains(start.as_str());
                Some(fits != Fits::Not && !view.program.starts(node).iter().any(is_call))
            }
            _ => view.eof.then_some(false),
        }
    }
}
