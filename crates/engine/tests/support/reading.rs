//! One text read in every way that must not matter.

use std::ops::Range;
use std::sync::Arc;

use toolglot_engine::{Finish, Input, Parser, Program};

use super::recorder::Recorder;

/// A text, and where in it special tokens stand, in order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Message<'a> {
    pub(crate) text: &'a str,
    pub(crate) tokens: &'a [Range<usize>],
    /// Its text may be strings, which are decoded: what is emitted is not what the message says.
    pub(crate) has_strings: bool,
}

impl<'a> From<&'a str> for Message<'a> {
    fn from(text: &'a str) -> Message<'a> {
        Message {
            text,
            ..Message::default()
        }
    }
}

impl<'a> From<&'a String> for Message<'a> {
    fn from(text: &'a String) -> Message<'a> {
        text.as_str().into()
    }
}

impl<'a> Message<'a> {
    /// What is pushed: the tokens as they are, and the text between them in pieces.
    fn inputs(self, cut: Cut) -> impl Iterator<Item = Input<'a>> {
        let token = |token: &Range<usize>| Input::Special {
            text: &self.text[token.clone()],
            id: None,
        };
        let ends = self.tokens.iter().map(|token| token.start);
        let ends = ends.chain([self.text.len()]);
        let mut begin = 0;
        ends.enumerate().flat_map(move |(n, end)| {
            let plain = cut.pieces(&self.text[begin..end]).map(Input::Text);
            begin = self.tokens.get(n).map_or(end, |token| token.end);
            plain.chain(self.tokens.get(n).map(token))
        })
    }
}

/// How a text is cut into pushes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cut {
    Whole,
    /// Pushes of this many bytes, or up to the end of the character.
    Bytes(usize),
    /// Pushes of 1 to 40 bytes, by a seed.
    Random(u64),
}

impl Cut {
    /// The pieces of `text`, whole characters each.
    pub(crate) fn pieces(self, text: &str) -> impl Iterator<Item = &str> {
        let mut rest = text;
        let mut state = if let Cut::Random(seed) = self {
            seed | 1
        } else {
            1
        };
        std::iter::from_fn(move || {
            let length = match self {
                Cut::Whole => rest.len(),
                Cut::Bytes(bytes) => bytes,
                Cut::Random(_) => {
                    // Xorshift: short pieces more often than long ones.
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    let most = [1, 3, 8, 40][(state >> 40) as usize % 4];
                    1 + (state >> 20) as usize % most
                }
            };
            let end =
                (length.min(rest.len())..=rest.len()).find(|&end| rest.is_char_boundary(end))?;
            let (piece, after) = rest.split_at(end);
            rest = after;
            (!piece.is_empty()).then_some(piece)
        })
    }
}

/// Reads a message in pieces.
///
/// # Errors
/// The first promise that the events broke.
pub(crate) fn read<'a>(
    program: &Arc<Program>,
    message: impl Into<Message<'a>>,
    cut: Cut,
    why: Finish,
) -> Result<Recorder, String> {
    read_by(
        &|| Parser::new(Arc::clone(program)),
        message.into(),
        cut,
        why,
    )
}

fn read_by(
    parser: &impl Fn() -> Parser,
    message: Message<'_>,
    cut: Cut,
    why: Finish,
) -> Result<Recorder, String> {
    let mut recorder = Recorder::default();
    let mut parser = parser();
    for input in message.inputs(cut) {
        parser.push(input, &mut recorder);
    }
    parser.finish(why, &mut recorder);
    recorder
        .finish(message.text, message.has_strings)
        .map_err(|fault| format!("{fault}, cut {cut:?}"))?;
    Ok(recorder)
}

/// Reads a message whole and cut in several ways.
///
/// # Errors
/// The first promise that was broken, or the first difference.
pub(crate) fn read_all_ways<'a>(
    program: &Arc<Program>,
    message: impl Into<Message<'a>>,
    seed: u64,
    why: Finish,
) -> Result<Recorder, String> {
    read_all_ways_by(
        &|| Parser::new(Arc::clone(program)),
        message.into(),
        seed,
        why,
    )
}

/// The same with a parser that is told more than its program.
///
/// # Errors
/// The first promise that was broken, or the first difference.
pub(crate) fn read_all_ways_by(
    parser: &impl Fn() -> Parser,
    message: Message<'_>,
    seed: u64,
    why: Finish,
) -> Result<Recorder, String> {
    let whole = read_by(parser, message, Cut::Whole, why)?;
    for cut in [
        Cut::Bytes(1),
        Cut::Random(seed),
        Cut::Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
    ] {
        let cut_up = read_by(parser, message, cut, why)?;
        if whole.told != cut_up.told {
            let at = whole
                .told
                .iter()
                .zip(&cut_up.told)
                .take_while(|(a, b)| a == b)
                .count();
            let (a, b) = (whole.told.get(at), cut_up.told.get(at));
            return Err(format!(
                "cut {cut:?}, event {at}:\n  whole {a:?}\n  cut   {b:?}"
            ));
        }
        if whole.notes != cut_up.notes {
            let only = |a: &Recorder, b: &Recorder| {
                a.notes
                    .iter()
                    .filter(|note| !b.notes.contains(note))
                    .cloned()
                    .collect::<Vec<_>>()
            };
            return Err(format!(
                "cut {cut:?}, notes:\n  only whole {:?}\n  only cut   {:?}",
                only(&whole, &cut_up),
                only(&cut_up, &whole)
            ));
        }
    }
    Ok(whole)
}
