//! The edits from the input text to the output text, piece by piece.

use std::collections::HashMap;
use std::ops::Range;

use similar::DiffOp;
use similar::algorithms::{Capture, Compact, Replace, myers};

/// Longer texts, in bytes, are not compared: the cost is their length times the number of differences.
const LONGEST: usize = 128 << 10;

/// The edits between two texts. The pieces tile both, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edits<'t> {
    before: &'t str,
    /// The pieces, which tile both texts.
    pub pieces: Vec<EditPiece>,
}

/// A span of the input, and the span of the output that replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditPiece {
    /// Its place in the input.
    pub before: Range<usize>,
    /// Its place in the output.
    pub after: Range<usize>,
    /// Whether both spans have the same text.
    pub is_same: bool,
}

/// A token: its start, and its text.
type Token<'t> = (usize, &'t str);

impl<'t> Edits<'t> {
    /// The edits from `before` to `after`. The parts `gone` of `before`, in order, are known to be left out. `None` for
    /// long texts.
    pub fn between(before: &'t str, after: &str, gone: &[Range<usize>]) -> Option<Edits<'t>> {
        if before.len().max(after.len()) > LONGEST {
            return None;
        }
        let is_gone = |at: usize| gone.iter().any(|gone| gone.contains(&at));
        let old: Vec<Token<'_>> = tokens(before).filter(|(at, _)| !is_gone(*at)).collect();
        let new: Vec<Token<'_>> = tokens(after).collect();
        let mut edits = Edits {
            before,
            pieces: Vec::new(),
        };
        let place = |tokens: &[Token<'_>], n: usize, end: usize| tokens.get(n).map_or(end, |t| t.0);
        for op in operations(&old, &new) {
            let (old_range, new_range) = (op.old_range(), op.new_range());
            let is_same = matches!(op, DiffOp::Equal { .. });
            if is_same {
                for (o, n) in old_range.zip(new_range) {
                    let (at, text) = old[o];
                    edits.add(at..at + text.len(), new[n].0..new[n].0 + text.len(), true);
                }
                continue;
            }
            let after_end = place(&new, new_range.end, after.len());
            let after_range = place(&new, new_range.start, after.len())..after_end;
            let first = old_range.start;
            let last = old_range.clone().next_back();
            let reached = edits.pieces.last().map_or(0, |piece| piece.before.end);
            let before_range = last.map_or(reached..reached, |last| {
                old[first].0..old[last].0 + old[last].1.len()
            });
            edits.add(before_range, after_range, false);
        }
        let at = edits.pieces.last().map_or(0, |piece| piece.after.end);
        edits.add(before.len()..before.len(), at..at, false);
        Some(edits)
    }

    /// Appends a piece; the input between the last piece and this one was left out.
    fn add(&mut self, before: Range<usize>, after: Range<usize>, is_same: bool) {
        let (from, to) = self
            .pieces
            .last()
            .map_or((0, 0), |piece| (piece.before.end, piece.after.end));
        if from < before.start {
            self.append(from..before.start, to..to, false);
        }
        self.append(before, after, is_same);
    }

    fn append(&mut self, before: Range<usize>, after: Range<usize>, is_same: bool) {
        match self.pieces.last_mut() {
            Some(last) if last.is_same == is_same && last.before.end == before.start => {
                last.before.end = before.end;
                last.after.end = after.end;
            }
            _ if before.is_empty() && after.is_empty() => {}
            _ => self.pieces.push(EditPiece {
                before,
                after,
                is_same,
            }),
        }
    }

    /// The place in the input of a part of the output.
    pub fn origin(&self, part: &Range<usize>) -> Option<Range<usize>> {
        let mut found: Option<Range<usize>> = None;
        for piece in &self.pieces {
            if piece.after.end <= part.start || part.end <= piece.after.start {
                // The closing quote of a string that became a number belongs to the value, too.
                if let Some(found) = &mut found
                    && piece.after.is_empty()
                    && piece.after.start == part.end
                    && found.end == piece.before.start
                    && self.before[piece.before.clone()].starts_with(['"', '\'', '”', '’', '`'])
                {
                    found.end += self.before[found.end..]
                        .chars()
                        .next()
                        .map_or(0, char::len_utf8);
                }
                continue;
            }
            let range = if piece.is_same {
                let cut = part.start.saturating_sub(piece.after.start);
                let left = piece.after.end.saturating_sub(part.end);
                piece.before.start + cut..piece.before.end - left
            } else {
                piece.before.clone()
            };
            found = Some(match found {
                None => range,
                Some(found) => found.start..range.end,
            });
        }
        found.filter(|found| !found.is_empty())
    }
}

/// The operations from the old tokens to the new ones. Numbers are compared, by one algorithm:
/// `similar::capture_diff_slices` would compile all of its algorithms.
fn operations<'t>(old: &[Token<'t>], new: &[Token<'t>]) -> Vec<DiffOp> {
    let mut numbers: HashMap<&'t str, usize> = HashMap::new();
    let mut numbered = |tokens: &[Token<'t>]| -> Vec<usize> {
        let number = |(_, text): &Token<'t>| {
            let next = numbers.len();
            *numbers.entry(text).or_insert(next)
        };
        tokens.iter().map(number).collect()
    };
    let (old, new) = (numbered(old), numbered(new));
    let (old, new) = (old.as_slice(), new.as_slice());
    let mut captured = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = myers::diff(&mut captured, old, 0..old.len(), new, 0..new.len());
    captured.into_inner().into_inner().into_ops()
}

/// Words, JSON escapes, and single other characters.
fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let length = token(rest)?;
        let token = (at, &rest[..length]);
        at += length;
        Some(token)
    })
}

/// The length of the first token.
fn token(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if is_word(first) {
        return Some(text.find(|c| !is_word(c)).unwrap_or(text.len()));
    }
    Some(match text.as_bytes() {
        [b'\\', b'u', rest @ ..] => {
            let digits = rest
                .iter()
                .take(4)
                .take_while(|byte| byte.is_ascii_hexdigit());
            2 + digits.count()
        }
        [
            b'\\',
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't',
            ..,
        ] => 2,
        _ => first.len_utf8(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unchanged text as it is, removed text between `-` and added text between `+`.
    fn shown(before: &str, after: &str, gone: &[Range<usize>]) -> String {
        let edits = Edits::between(before, after, gone).expect("they are short");
        let mut out = String::new();
        let (mut came, mut went) = (String::new(), String::new());
        for piece in &edits.pieces {
            came.push_str(&before[piece.before.clone()]);
            went.push_str(&after[piece.after.clone()]);
            if piece.is_same {
                assert_eq!(before[piece.before.clone()], after[piece.after.clone()]);
                out.push_str(&before[piece.before.clone()]);
            } else {
                let (before, after) = (&before[piece.before.clone()], &after[piece.after.clone()]);
                out.extend(["-", before, "+", after, "|"]);
            }
        }
        assert_eq!((came.as_str(), went.as_str()), (before, after), "they tile");
        out
    }

    #[test]
    fn pieces_tile_both_texts() {
        for (before, after, gone, want) in [
            ("{'a': 1,}", "{\"a\": 1}", vec![], "{-'+\"|a-'+\"|: 1-,+|}"),
            ("", "", vec![], ""),
            ("x", "\"x\"", vec![], "-+\"|x-+\"|"),
            (
                "see {} there",
                "{}",
                vec![0..4, 6..12],
                "-see +|{}- there+|",
            ),
            ("\"a\nb\"", "\"a\\nb\"", vec![], "\"a-\n+\\n|b\""),
            ("é, “è”", "é, \"è\"", vec![], "é, -“+\"|è-”+\"|"),
            (
                "\"\\d\\ud83d\"",
                "\"\\\\d\\ufffd\"",
                vec![],
                "\"-\\+\\\\|d-\\ud83d+\\ufffd|\"",
            ),
        ] {
            assert_eq!(shown(before, after, &gone), want);
        }
    }

    #[test]
    fn parts_of_what_went_out_have_an_origin() {
        let (before, after) = ("oh {'a': 1_0, b: x}", "{\"a\": 10, \"b\": \"x\"}");
        let edits = Edits::between(before, after, &[]).expect("they are short");
        for (part, want) in [
            ("\"a\": 10", "'a': 1_0"),
            ("\"b\": \"x\"", "b: x"),
            ("10", "1_0"),
        ] {
            let at = after.find(part).expect("it is there");
            let origin = edits.origin(&(at..at + part.len())).expect("it has one");
            assert_eq!(&before[origin], want);
        }
    }
}
