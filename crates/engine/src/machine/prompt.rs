//! The part of a prompt that the message continues: the prompt's last turn.

use super::Parser;
use crate::program::{Finder, Program, RuleRole};

impl Parser {
    /// Where the last turn of `prompt` starts: after the last marker that ends a turn. All before that marker has
    /// ended, reasoning included.
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

    /// Whether a marker may start after the bytes that were read of the prompt. A template writes a marker after
    /// another or after `assistant: `; prose that mentions a marker has a word and a blank before the marker.
    pub(super) fn follows_marker(&self) -> bool {
        let emitter = &self.emitter;
        let is_after_role = emitter.last == b' ' && emitter.last_solid == b':';
        emitter.mute && (is_after_role || matches!(emitter.last, 0 | b'>' | b']' | b'}' | b':'))
    }
}

/// The length of the longest opener of a `stop` rule at the start of `bytes`, or 0.
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
        });
        if ends_turn {
            length = n + 1;
        }
    }
    length
}
