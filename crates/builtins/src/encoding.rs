//! Detects the encoding of a file's text, decodes it and encodes it again.
//!
//! A file is UTF-8 unless its bytes show otherwise: a byte order mark, the zero bytes of UTF-16, or invalid UTF-8 that
//! is valid Latin-1. Ambiguous bytes have no encoding.

/// An encoding of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    /// With a byte order mark, which is not part of the text.
    Utf8Mark,
    Utf16 {
        is_big: bool,
        has_mark: bool,
    },
    /// ISO 8859-1: a byte for a letter.
    Latin1,
}

impl Encoding {
    /// The encoding's name in tool results.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf8Mark => "utf-8 with a byte order mark",
            Encoding::Utf16 { is_big: false, .. } => "utf-16le",
            Encoding::Utf16 { is_big: true, .. } => "utf-16be",
            Encoding::Latin1 => "latin-1",
        }
    }

    /// Detects an encoding from the start of a file: a byte order mark, or a zero in every second byte.
    pub(crate) fn of_head(head: &[u8]) -> Option<Encoding> {
        let utf16 = |is_big, has_mark| Some(Encoding::Utf16 { is_big, has_mark });
        match head {
            [0xef, 0xbb, 0xbf, ..] => return Some(Encoding::Utf8Mark),
            // The same two bytes start UTF-32, where two zeros follow.
            [0xff, 0xfe, 0, 0, ..] => return None,
            [0xff, 0xfe, ..] => return utf16(false, true),
            [0xfe, 0xff, ..] => return utf16(true, true),
            _ => {}
        }
        let pairs = head.chunks_exact(2);
        let n = pairs.len();
        let zeros = |which: usize| pairs.clone().filter(|pair| pair[which] == 0).count();
        let (first, second) = (zeros(0), zeros(1));
        // European letters in UTF-16 have one zero byte each. Other data has zeros on both sides, or few.
        if n >= 2 && first == 0 && second * 10 >= n * 9 {
            return utf16(false, false);
        }
        if n >= 2 && second == 0 && first * 10 >= n * 9 {
            return utf16(true, false);
        }
        None
    }

    /// The encoding of a whole file, with its text; `None` if no encoding fits.
    pub(crate) fn read(bytes: &[u8]) -> Option<(Encoding, String)> {
        let encoding = Encoding::of_head(bytes);
        let text = match encoding {
            Some(Encoding::Utf8Mark) => std::str::from_utf8(&bytes[3..]).ok()?.to_owned(),
            Some(Encoding::Utf16 { is_big, has_mark }) => {
                utf16_text(&bytes[if has_mark { 2 } else { 0 }..], is_big)?
            }
            _ => match std::str::from_utf8(bytes) {
                Ok(text) => return Some((Encoding::Utf8, text.to_owned())),
                Err(_) => return Some((Encoding::Latin1, latin1(bytes)?)),
            },
        };
        Some((encoding?, text))
    }

    /// A text in this encoding; the error is the first letter that the encoding lacks.
    pub(crate) fn write(self, text: &str) -> Result<Vec<u8>, char> {
        Ok(match self {
            Encoding::Utf8 => text.as_bytes().to_vec(),
            Encoding::Utf8Mark => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            Encoding::Utf16 { is_big, has_mark } => {
                let units = has_mark
                    .then_some(0xfeff)
                    .into_iter()
                    .chain(text.encode_utf16());
                units
                    .flat_map(|unit| {
                        if is_big {
                            unit.to_be_bytes()
                        } else {
                            unit.to_le_bytes()
                        }
                    })
                    .collect()
            }
            Encoding::Latin1 => text
                .chars()
                .map(|c| u8::try_from(u32::from(c)).map_err(|_| c))
                .collect::<Result<_, _>>()?,
        })
    }

    /// The same encoding without a byte order mark, for appending.
    pub(crate) fn unmarked(self) -> Encoding {
        match self {
            Encoding::Utf8Mark => Encoding::Utf8,
            Encoding::Utf16 { is_big, .. } => Encoding::Utf16 {
                is_big,
                has_mark: false,
            },
            other => other,
        }
    }
}

/// Decodes UTF-16. Half a unit at the end, or an unpaired surrogate, is an error.
fn utf16_text(bytes: &[u8], is_big: bool) -> Option<String> {
    let pairs = bytes.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    let units = pairs.map(|pair| {
        let pair = [pair[0], pair[1]];
        if is_big {
            u16::from_be_bytes(pair)
        } else {
            u16::from_le_bytes(pair)
        }
    });
    char::decode_utf16(units).collect::<Result<_, _>>().ok()
}

/// The text of bytes in Latin-1. `None` if the bytes may be broken UTF-8, another 8-bit encoding, or binary.
pub(crate) fn latin1(bytes: &[u8]) -> Option<String> {
    let is_letter = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x20..=0x7e | 0xa0..);
    let has_utf8 = bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
    (bytes.iter().all(is_letter) && !has_utf8)
        .then(|| bytes.iter().map(|byte| char::from(*byte)).collect())
}

#[cfg(test)]
mod tests {
    use super::Encoding;

    #[test]
    fn what_is_read_is_written_to_the_byte() {
        let le = |has_mark| Encoding::Utf16 {
            is_big: false,
            has_mark,
        };
        let be = |has_mark| Encoding::Utf16 {
            is_big: true,
            has_mark,
        };
        let cases: &[(&[u8], Encoding, &str)] = &[
            (b"", Encoding::Utf8, ""),
            (b"a\n", Encoding::Utf8, "a\n"),
            ("é\u{1f600}".as_bytes(), Encoding::Utf8, "é\u{1f600}"),
            (b"\xef\xbb\xbfa", Encoding::Utf8Mark, "a"),
            (b"\xff\xfea\0\n\0", le(true), "a\n"),
            (b"\xfe\xff\0a\0\n", be(true), "a\n"),
            (b"a\0b\0\n\0", le(false), "ab\n"),
            (b"\0a\0b\0\n", be(false), "ab\n"),
            (b"\xff\xfe=\xd8\0\xde", le(true), "\u{1f600}"),
            (b"caf\xe9\n", Encoding::Latin1, "café\n"),
        ];
        for (bytes, encoding, text) in cases {
            assert_eq!(
                Encoding::read(bytes),
                Some((*encoding, (*text).to_owned())),
                "{bytes:?}"
            );
            assert_eq!(encoding.write(text).as_deref(), Ok(*bytes));
        }
    }

    #[test]
    fn what_could_be_several_is_none() {
        for bytes in [
            &b"\xff\xfe\0\0a\0\0\0"[..],
            b"\xff\xfea",
            b"\xff\xfe\0\xd8",
            b"caf\xc3\xa9 \xe9",
            b"a\x93b\x94",
            b"\x00\x01\x02\x03\xff",
        ] {
            assert_eq!(Encoding::read(bytes), None, "{bytes:?}");
        }
        assert_eq!(Encoding::Latin1.write("\u{20ac}"), Err('\u{20ac}'));
    }
}
