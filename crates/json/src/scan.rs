//! Wide steps over the inside of strings.

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// How many bytes at the begin of `bytes` can stand in a JSON string as they are.
///
/// Eight bytes a step: a byte is special if it is `"`, `\` or below 0x20.
#[inline]
pub(crate) fn plain(bytes: &[u8]) -> usize {
    let mut at = 0;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = u64::from_le_bytes(chunk.try_into().unwrap_or([b'"'; 8]));
        let special = zero_bytes(word ^ (LOW * u64::from(b'"')))
            | zero_bytes(word ^ (LOW * u64::from(b'\\')))
            | below_space(word);
        if special != 0 {
            return at + (special.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    at + chunks
        .remainder()
        .iter()
        .position(|&b| b == b'"' || b == b'\\' || b < 0x20)
        .unwrap_or(chunks.remainder().len())
}

/// The high bit of the lowest zero byte, and perhaps of bytes above it: the lowest is exact.
#[inline]
const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & HIGH
}

#[inline]
const fn below_space(word: u64) -> u64 {
    word.wrapping_sub(LOW * 0x20) & !word & HIGH
}

#[cfg(test)]
mod tests {
    use super::plain;
    use alloc::vec;

    #[test]
    fn every_special_byte_is_found_at_every_place() {
        for length in 0..40 {
            for special in [b'"', b'\\', 0x1f, b'\n', 0] {
                for at in 0..length {
                    let mut bytes = vec![b'x'; length];
                    bytes[at] = special;
                    assert_eq!(plain(&bytes), at, "{special} at {at} of {length}");
                }
            }
            assert_eq!(plain(&vec![0xe9; length]), length);
            assert_eq!(plain(&vec![b' '; length]), length);
        }
    }
}
