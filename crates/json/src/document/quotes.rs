//! The quotes there are, and the keys between them.

use crate::scan::blanks_end;

/// Longest key that is looked for, in bytes.
const LONGEST_KEY: usize = 256;

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
    /// The quotes that a string beginning with the quote at `at` has, and how many bytes that quote is.
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

    /// How many bytes the quote at `at` has, if it can close such a string.
    pub fn close(self, bytes: &[u8], at: usize) -> Option<usize> {
        let (mark, length) = Quotes::at(bytes, at)?;
        let closes = match self {
            Quotes::Double | Quotes::Single => mark == self,
            Quotes::DoubleLike => matches!(mark, Quotes::Double | Quotes::DoubleLike),
            Quotes::SingleLike => matches!(mark, Quotes::Single | Quotes::SingleLike),
        };
        closes.then_some(length)
    }
}

/// Whether a key and its colon stand at `at`, in quotes or bare.
pub(crate) fn starts_member(bytes: &[u8], at: usize) -> bool {
    let near = &bytes[..bytes.len().min(at + LONGEST_KEY)];
    let Some((quotes, length)) = Quotes::at(near, at) else {
        let is_name = |b: &&u8| {
            b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'$' | b'.') || **b >= 0x80
        };
        let rest = near.get(at..).unwrap_or_default();
        let end = at + rest.iter().take_while(is_name).count();
        let quote = usize::from(bytes.get(end) == Some(&b'"'));
        let colon = blanks_end(bytes, end + quote);
        // `http://..` is no key.
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
