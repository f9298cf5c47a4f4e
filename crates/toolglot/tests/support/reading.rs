//! One text read in every way that must not matter.

use std::sync::Arc;

use toolglot::{Finish, Input, Parser, Program};

use super::recorder::Recorder;

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

/// Reads `text` in pieces.
///
/// # Errors
/// The first promise that the events broke.
pub(crate) fn read(
    program: &Arc<Program>,
    text: &str,
    cut: Cut,
    why: Finish,
) -> Result<Recorder, String> {
    let mut recorder = Recorder::default();
    let mut parser = Parser::new(Arc::clone(program));
    for piece in cut.pieces(text) {
        parser.push(Input::Text(piece), &mut recorder);
    }
    parser.finish(why, &mut recorder);
    recorder
        .finish(text)
        .map_err(|fault| format!("{fault}, cut {cut:?}"))?;
    Ok(recorder)
}

/// Reads `text` whole and cut in several ways.
///
/// # Errors
/// The first promise that was broken, or the first difference.
pub(crate) fn read_all_ways(
    program: &Arc<Program>,
    text: &str,
    seed: u64,
    why: Finish,
) -> Result<Recorder, String> {
    let whole = read(program, text, Cut::Whole, why)?;
    for cut in [
        Cut::Bytes(1),
        Cut::Random(seed),
        Cut::Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
    ] {
        let cut_up = read(program, text, cut, why)?;
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
