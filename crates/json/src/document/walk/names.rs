//! Names with their colons, as nearly all keys are written: what needs no other evidence to be a key.

/// Longest name that is read so, in bytes.
const LONGEST: usize = 64;

/// What stands in names that need neither escapes nor quotes.
const IS_IN_NAMES: [bool; 256] = {
    let mut is_in = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        is_in[byte] =
            (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'_' | b'-' | b'$' | b'.');
        byte += 1;
    }
    is_in
};

/// A name and its colon, with nothing between: `"path":`, `'path':`, `path:`. Places in the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) colon: usize,
}

impl Name {
    /// The name that stands at `at`. Looks at most 64 bytes ahead.
    #[inline]
    pub(super) fn at(bytes: &[u8], at: usize) -> Option<Name> {
        let mark = *bytes.get(at)?;
        let is_quoted = matches!(mark, b'"' | b'\'');
        let from = at + usize::from(is_quoted);
        let length = name_length(&bytes[from..]);
        let to = from + length;
        let colon = to + usize::from(is_quoted);
        let is_one = length > 0
            && (!is_quoted || bytes.get(to) == Some(&mark))
            && bytes.get(colon) == Some(&b':');
        is_one.then_some(Name { from, to, colon })
    }
}

/// How many bytes of a name `bytes` start with; at most 64.
#[inline]
pub(super) fn name_length(bytes: &[u8]) -> usize {
    let is_in = |byte: &&u8| IS_IN_NAMES[usize::from(**byte)];
    bytes.iter().take(LONGEST).take_while(is_in).count()
}
