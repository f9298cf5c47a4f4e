//! Scans bytes of strings and blanks, many bytes a step.

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The number of bytes at the start of `bytes` that a JSON string can contain unescaped.
///
/// Eight bytes a step: a byte is special if it is `"`, `\` or below 0x20.
#[inline]
pub(crate) fn plain(bytes: &[u8]) -> usize {
    run(bytes, |word| {
        quotes_and_controls(word) | zero_bytes(word ^ (LOW * u64::from(b'\\')))
    })
}

/// Like [`plain`], but `]`, `}` and `|` end the run too. The brackets may be structure if the string lost its quote.
/// `|` is included because one test finds all four of `\ ] | }`.
#[inline]
pub(crate) fn plain_data(bytes: &[u8]) -> usize {
    run(bytes, |word| {
        quotes_and_controls(word) | zero_bytes((word | (LOW * 0x21)) ^ (LOW * 0x7d))
    })
}

/// The length of a block, in bytes.
pub(crate) const BLOCK: usize = 64;

/// A bit for each byte of the block, set if the byte ends a run of [`plain_data`].
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without branches, one instruction compares many bytes"
)]
#[inline]
pub(crate) fn stops(block: &[u8; BLOCK]) -> u64 {
    // Flipping one bit makes `"` and the bytes below 0x20 one range.
    bits(block, |byte| (byte ^ 0x02 < 0x21) | (byte | 0x21 == 0x7d))
}

/// The indices of the bytes for which `is` holds, in order. One step reads a whole block.
#[inline]
pub(crate) fn places<F: Fn(u8) -> bool + Copy>(bytes: &[u8], is: F) -> impl Iterator<Item = usize> {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let from = bytes.len() - rest.len();
    let in_block = move |(n, block)| {
        let mut bits = bits(block, is);
        core::iter::from_fn(move || {
            let at = (bits != 0).then(|| n * BLOCK + bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            Some(at)
        })
    };
    let in_rest = (from..).zip(rest);
    let in_rest = in_rest.filter_map(move |(at, &byte)| is(byte).then_some(at));
    blocks.iter().enumerate().flat_map(in_block).chain(in_rest)
}

/// A bit for each byte of the block, set if `is` holds for the byte.
///
/// The code has no branches, so that one instruction compares many bytes.
#[inline]
fn bits(block: &[u8; BLOCK], is: impl Fn(u8) -> bool) -> u64 {
    let flags = block.map(|byte| u8::from(is(byte)));
    let words = flags.as_chunks::<8>().0;
    // Packs the lowest bits of eight bytes into one byte.
    let bits = |word: &[u8; 8]| u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    u64::from_le_bytes(core::array::from_fn(|n| bits(&words[n]) as u8))
}

/// The index after the blanks at `at`.
///
/// Most runs are empty, one space, or the line break and indentation of a pretty-printed document.
#[inline]
pub fn blanks_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&(b' ' | b'\t' | b'\n' | b'\r')) = bytes.get(at) {
        at += 1;
        if bytes.get(at).is_some_and(|&byte| byte > b' ') {
            break;
        }
        if let Some(chunk) = bytes[at..].first_chunk::<8>() {
            let others = u64::from_le_bytes(*chunk) ^ (LOW * 0x20);
            at += (others.trailing_zeros() / 8) as usize;
        }
    }
    at
}

/// The length of the blank at `at` that JSON does not allow: no-break and similar spaces, the byte order mark.
pub fn odd_blank(bytes: &[u8], at: usize) -> Option<usize> {
    match *bytes.get(at)? {
        0xc2 if bytes.get(at + 1) == Some(&0xa0) => Some(2),
        0xe1 if bytes.get(at + 1..at + 3) == Some(&[0xa0, 0x8e]) => Some(3),
        0xe2 => match (bytes.get(at + 1)?, bytes.get(at + 2)?) {
            (0x80, 0x80..=0x8b | 0xaf) | (0x81, 0x9f) => Some(3),
            _ => None,
        },
        0xe3 if bytes.get(at + 1..at + 3) == Some(&[0x80, 0x80]) => Some(3),
        0xef if bytes.get(at + 1..at + 3) == Some(&[0xbb, 0xbf]) => Some(3),
        _ => None,
    }
}

/// Whether an ASCII byte may be part of a bare name.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$')
}

/// The first character boundary of `text` from `at` on, or the end of `text`.
pub(crate) fn boundary(text: &str, at: usize) -> usize {
    let mut places = at..text.len();
    places
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(text.len())
}

/// The length of the run before the first special byte. `wide` sets the high bit of special bytes; its lowest is exact.
#[inline]
fn run(bytes: &[u8], wide: impl Fn(u64) -> u64) -> usize {
    let (words, mut rest) = bytes.as_chunks();
    for (n, word) in words.iter().enumerate() {
        let found = wide(u64::from_le_bytes(*word));
        if found != 0 {
            return 8 * n + (found.trailing_zeros() / 8) as usize;
        }
    }
    if let Some((word, last)) = rest.split_first_chunk::<4>() {
        // The upper four bytes are `.`, which is not special.
        let found = wide(u64::from(u32::from_le_bytes(*word)) | (LOW * 0x2e) << 32);
        if found != 0 {
            return bytes.len() - rest.len() + (found.trailing_zeros() / 8) as usize;
        }
        rest = last;
    }
    let is_special = |&byte: &u8| wide(LOW * u64::from(byte)) != 0;
    let length = rest.iter().position(is_special).unwrap_or(rest.len());
    bytes.len() - rest.len() + length
}

/// Finds `"` and bytes below 0x20: flipping one bit makes them one range.
#[inline]
const fn quotes_and_controls(word: u64) -> u64 {
    let flipped = word ^ (LOW * 0x02);
    flipped.wrapping_sub(LOW * 0x21) & !flipped & HIGH
}

/// Sets the high bit of the lowest zero byte, and perhaps of bytes above that one.
#[inline]
const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & HIGH
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, blanks_end, places, plain, plain_data, stops};
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn blanks_are_counted_up_to_the_first_byte_that_is_none() {
        for length in 0..40 {
            for blank in [b' ', b'\t', b'\n', b'\r'] {
                let mut bytes = vec![b' '; length];
                if let Some(middle) = bytes.get_mut(length / 2) {
                    *middle = blank;
                }
                assert_eq!(blanks_end(&bytes, 0), length);
                bytes.extend(b"x    ");
                assert_eq!(blanks_end(&bytes, 0), length);
            }
        }
    }

    #[test]
    fn every_special_byte_is_found_at_every_place() {
        for length in 0..40 {
            for special in [b'"', b'\\', 0x1f, b'\n', 0] {
                for at in 0..length {
                    let mut bytes = vec![b'x'; length];
                    bytes[at] = special;
                    assert_eq!(plain(&bytes), at, "{special} at {at} of {length}");
                    assert_eq!(plain_data(&bytes), at, "{special} at {at} of {length}");
                }
            }
            for special in *b"]|}" {
                for at in 0..length {
                    let mut bytes = vec![b'!'; length];
                    bytes[at] = special;
                    assert_eq!(plain_data(&bytes), at, "{special} at {at} of {length}");
                    assert_eq!(plain(&bytes), length, "{special} at {at} of {length}");
                }
            }
            assert_eq!(plain(&vec![0xe9; length]), length);
            assert_eq!(plain(&vec![b' '; length]), length);
        }
    }

    #[test]
    fn all_places_are_found_in_order() {
        for length in 0..4 * BLOCK {
            let bytes: Vec<u8> = (0..length).map(|n| (n * 7 % 251) as u8).collect();
            let is = |byte: u8| byte.is_multiple_of(5);
            let found: Vec<usize> = places(&bytes, is).collect();
            let picked: Vec<usize> = (0..length).filter(|&at| is(bytes[at])).collect();
            assert_eq!(found, picked);
        }
    }

    #[test]
    fn a_run_and_a_block_stop_at_the_same_bytes() {
        for byte in 0..=u8::MAX {
            let is_stop = byte < b' ' || b"\"\\]|}".contains(&byte);
            for at in 0..BLOCK {
                let mut block = [b'!'; BLOCK];
                block[at] = byte;
                assert_eq!(stops(&block), u64::from(is_stop) << at, "{byte} at {at}");
                for length in at + 1..=BLOCK {
                    let end = if is_stop { at } else { length };
                    assert_eq!(
                        plain_data(&block[..length]),
                        end,
                        "{byte} at {at} of {length}"
                    );
                }
            }
        }
    }
}
