//! The kinds of quotes, and the keys between them.

use crate::scan::{blanks_end, is_name_byte};
use crate::thresholds::KEY;

/// Quotes that can close one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// `"`
    Double,
    /// `'`
    Single,
    /// `“ ”`, closed by `"` as well.
    DoubleLike,
    /// `‘ ’`, a backtick and an acute accent, closed by `'` as well.
    SingleLike,
}

impl Quotes {
    /// The kind of the quote at `at`, and its length in bytes.
    pub fn at(bytes: &[u8], at: usize) -> Option<(Quotes, usize)> {
        match *bytes.get(at)? {
            b'"' => Some((Quotes::Double, 1)),
            b'\'' => Some((Quotes::Single, 1)),
            b'`' => Some((Quotes::SingleLike, 1)),
            0xc2 if bytes.get(at + 1) == Some(&0xb4) => Some((Quotes::SingleLike, 2)),
            0xe2 if bytes.get(at + 1) == Some(&0x80) => match bytes.get(at + 2)? {
                0x98 | 0x99 => Some((Quotes::SingleLike, 3)),
                0x9c | 0x9d => Some((Quotes::DoubleLike, 3)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The length in bytes of the quote at `at`, if it can close a string with these quotes.
    pub fn close(self, bytes: &[u8], at: usize) -> Option<usize> {
        let (quote, length) = Quotes::at(bytes, at)?;
        let closes = match self {
            Quotes::Double | Quotes::Single => quote == self,
            Quotes::DoubleLike => matches!(quote, Quotes::Double | Quotes::DoubleLike),
            Quotes::SingleLike => matches!(quote, Quotes::Single | Quotes::SingleLike),
        };
        closes.then_some(length)
    }
}

/// Whether a key and its colon are at `at`. The key is quoted or bare.
pub(crate) fn starts_member(bytes: &[u8], at: usize) -> bool {
    let near = &bytes[..bytes.len().min(at + KEY)];
    let Some((quotes, length)) = Quotes::at(near, at) else {
        let is_name = |b: &&u8| is_name_byte(**b) || **b >= 0x80;
        let rest = near.get(at..).unwrap_or_default();
        let end = at + rest.iter().take_while(is_name).count();
        let quote = usize::from(bytes.get(end) == Some(&b'"'));
        let colon = blanks_end(bytes, end + quote);
        // `http://..` is not a key.
        return end > at
            && bytes.get(colon) == Some(&b':')
            && (quote > 0 || bytes.get(blanks_end(bytes, colon + 1)) != Some(&b'/'));
    };
    let mut end = at + length;
    while let Some(&byte) = near.get(end) {
        if let Some(length) = quotes.close(near, end) {
            return bytes.get(blanks_end(bytes, end + length)) == Some(&b':');
        }
        end += if byte == b'\\' { 2 } else { 1 };
    }
    false
}
