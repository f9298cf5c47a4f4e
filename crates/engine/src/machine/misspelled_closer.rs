//! A closing tag after a value's own that is misspelt: `</parameter></functoin>`. The probe reads on after it, and what it
//! finds is recovered.

use super::Parser;
use super::closer_lookahead::CloserLookahead;
use super::thread::{NamePolicy, Thread};
use super::view::View;
use crate::program::{Node, NodeId, Program};

/// A tag that broke off where a closer was due.
#[derive(Clone, Copy, Debug)]
pub(super) struct MisspelledCloser {
    /// Where it begins.
    from: u64,
    /// The closer, and what stands after it.
    closer: Thread,
    next: NodeId,
}

/// Bytes of a tag's word, at most.
const LONGEST: usize = 64;

/// Letters in a row that may be others, or missing, or too many.
const LETTERS: usize = 2;

impl Parser {
    /// The closing tag among `follow` that the byte at `at` spoils, after its first letters.
    pub(super) fn bend(
        &self,
        program: &Program,
        follow: &[Thread],
        at: u64,
    ) -> Option<MisspelledCloser> {
        let is_begun = |thread: &&Thread| thread.off > 2;
        follow.iter().filter(is_begun).find_map(|thread| {
            let (bytes, next) = self.literal(program, thread)?;
            let is_tag = bytes.starts_with(b"</") && bytes.ends_with(b">");
            is_tag.then_some(MisspelledCloser {
                from: at - u64::from(thread.off),
                closer: *thread,
                next,
            })
        })
    }

    fn literal<'a>(&'a self, program: &'a Program, thread: &Thread) -> Option<(&'a [u8], NodeId)> {
        match program.node(thread.node) {
            Node::Literal { bytes, next, .. } => Some((bytes, *next)),
            Node::Template { next, .. } => Some((self.set.instances.get(thread.instance), *next)),
            _ => None,
        }
    }

    /// Reads the tag to its end. Whether it is near enough to the closer, once that is known: what stands after it is read.
    pub(super) fn run_bent(
        &mut self,
        program: &Program,
        probe: &mut CloserLookahead,
        bent: MisspelledCloser,
        view: View<'_>,
        eof: bool,
    ) -> Option<bool> {
        let tag = view.from(bent.from + 2);
        let is_word = |&&byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let length = tag.iter().take(LONGEST).take_while(is_word).count();
        self.set.found.work += length as u64;
        match tag.get(length) {
            None if !eof => return None,
            Some(b'>') => {}
            _ => return Some(false),
        }
        let Some((bytes, _)) = self.literal(program, &bent.closer) else {
            return Some(false);
        };
        if !is_near(&tag[..length], &bytes[2..bytes.len() - 1]) {
            return Some(false);
        }
        let end = bent.from + 2 + length as u64 + 1;
        let behind = Thread {
            node: bent.next,
            off: 0,
            ..bent.closer
        };
        probe.follow.clear();
        self.stepper(program, view, NamePolicy::Evidence)
            .add_closure(behind, end, &mut probe.follow);
        (probe.pos, probe.last, probe.is_bent) = (end, Some(end), true);
        Some(true)
    }
}

/// Whether two words are one, but for a few letters in one place.
fn is_near(word: &[u8], other: &[u8]) -> bool {
    let same = |(a, b): &(&u8, &u8)| a.eq_ignore_ascii_case(b);
    let n_begin = word.iter().zip(other).take_while(same).count();
    let (word, other) = (&word[n_begin..], &other[n_begin..]);
    let ends = word.iter().rev().zip(other.iter().rev());
    let n_end = ends.take_while(same).count();
    word.len().max(other.len()) - n_end <= LETTERS && n_begin + n_end > LETTERS
}
