//! What of a prompt the message goes on with: its last turn.

use super::Parser;
use super::reasoning_resume::is_over;
use crate::program::{Finder, Program, RuleRole};

impl Parser {
    /// Where the last turn of `prompt` begins: after the last marker that ends one. What stands before it is over, the
    /// reasoning that it speaks of with it.
    pub(super) fn last_turn(&self, prompt: &str) -> usize {
        let program = &self.program;
        let bytes = prompt.as_bytes();
        let nothing = Finder::default();
        let (mut turn, mut at) = (0, 0);
        while let Some(step) = program.openers.find(&bytes[at..], &nothing) {
            at += step;
            let length = stop(program, &bytes[at..]);
            at += length.max(1);
            if length > 0 {
                turn = at;
            }
        }
        turn
    }

    /// Whether a marker may begin after what was read of the prompt: a template writes one after another or after
    /// `assistant: `, and prose that speaks of one has a word and a blank before it.
    pub(super) fn follows_marker(&self) -> bool {
        let emitter = &self.emitter;
        let is_after_role = emitter.last == b' ' && emitter.last_solid == b':';
        emitter.mute && (is_after_role || matches!(emitter.last, 0 | b'>' | b']' | b'}' | b':'))
    }
}

/// The length of the literal at the begin of `bytes` that ends a turn all by itself; 0 if none does.
fn stop(program: &Program, bytes: &[u8]) -> usize {
    let is_stop = |node| matches!(program.entered(node), Some((RuleRole::Stop, _)));
    let (mut state, mut length) = (0, 0);
    for (n, &byte) in bytes.iter().enumerate() {
        let Some(next) = program.trie.step(state, byte) else {
            break;
        };
        state = next;
        let mut openers = program.trie.complete(state).iter();
        let ends_turn = openers.any(|opener| {
            !(opener.start || opener.bol)
                && opener.fits(&bytes[..=n])
                && opener.enters.iter().any(|&node| is_stop(node))
                && is_over(program, opener.target)
        });
        if ends_turn {
            length = n + 1;
        }
    }
    length
}
