//! The signature line.

use std::ops::Range;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::parts::{Parts, begins_as_signature, without_end};
use crate::style::{BOM, Style};

/// With or without padding: an interim form of Rye has none.
const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
pub(crate) const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);
pub(crate) const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);

/// The fields of a signature line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The form of the line.
    pub generation: Generation,
    /// `2026-02-23T05:24:41Z`. Covered by the signature in version 2 only.
    pub time: String,
    /// The SHA-256 in the line.
    pub hash: String,
    /// The signature, decoded; `None` if it is not base64.
    pub signature: Option<Vec<u8>>,
    /// The key's fingerprint: 16 digits of the PEM's hash, or 64 of the raw key's.
    pub key: String,
    /// `provider@user`, which no signature covers.
    pub provenance: Option<(String, String)>,
    /// The values that version 2 covers beside the body: the tool's id and its version.
    pub binding: Option<(String, String)>,
    /// The bytes of the line, without its line break.
    pub line: Range<usize>,
}

/// The forms of a signature line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// `rye:signed:`, base64url, with or without padding.
    V1,
    /// `ryeos:signed:`, standard base64, the fingerprint of the raw key: Rye's Rust rewrite.
    Ryeos,
    /// `toolglot:signed:2:`.
    V2,
}

impl Header {
    /// The signature line of a file: line 1, or line 2 after a shebang if comments start with `#`.
    ///
    /// `None` if there is none, or if it is malformed: then the file is unsigned.
    pub fn find(text: &str, style: Style) -> Option<Header> {
        let parts = Parts::of(text, style);
        let start = parts.shebang.len();
        let end = start
            + parts
                .signature
                .strip_suffix('\n')
                .unwrap_or(parts.signature)
                .len();
        let words = without_end(parts.signature).strip_prefix(style.prefix())?;
        let words = match style.suffix() {
            "" => words,
            suffix => words.strip_suffix(suffix)?,
        };
        let mut header = Header::read(words)?;
        header.line = start..end;
        Some(header)
    }

    fn read(words: &str) -> Option<Header> {
        if let Some(rest) = words.strip_prefix("toolglot:signed:2:") {
            let (time, rest) = time(rest)?;
            let mut fields = rest.split(':');
            let (id, version, hash) = (fields.next()?, fields.next()?, fields.next()?);
            let (signature, key) = (fields.next()?, fields.next()?);
            let is_whole = fields.next().is_none() && !id.is_empty() && !version.is_empty();
            return (is_whole && is_hex(hash, 64) && is_hex(key, 16) && is_base64url(signature))
                .then(|| Header {
                    generation: Generation::V2,
                    time: time.to_owned(),
                    hash: hash.to_owned(),
                    signature: URL_SAFE.decode(signature).ok(),
                    key: key.to_owned(),
                    provenance: None,
                    binding: Some((id.to_owned(), version.to_owned())),
                    line: 0..0,
                });
        }
        let (generation, rest) = match words.strip_prefix("ryeos:signed:") {
            Some(rest) => (Generation::Ryeos, rest),
            None => (Generation::V1, words.strip_prefix("rye:signed:")?),
        };
        let (time, rest) = time(rest)?;
        let mut fields = rest.split(':');
        let (hash, signature, key) = (fields.next()?, fields.next()?, fields.next()?);
        if fields.next().is_some() || !is_hex(hash, 64) {
            return None;
        }
        let (key, provenance) = match key.split_once('|') {
            Some((key, from)) => {
                let (provider, user) = from.split_once('@')?;
                if !is_word(provider) || !is_word(user) {
                    return None;
                }
                (key, Some((provider.to_owned(), user.to_owned())))
            }
            None => (key, None),
        };
        let signature = match generation {
            Generation::Ryeos => {
                let fits = is_hex(key, 64)
                    && signature
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
                fits.then(|| STANDARD.decode(signature).ok())?
            }
            _ => (is_hex(key, 16) && is_base64url(signature))
                .then(|| URL_SAFE.decode(signature).ok())?,
        };
        Some(Header {
            generation,
            time: time.to_owned(),
            hash: hash.to_owned(),
            signature,
            key: key.to_owned(),
            provenance,
            binding: None,
            line: 0..0,
        })
    }
}

/// The number of the signature line, from 0, if the file has one.
pub fn signature_line(text: &str, style: Style) -> Option<usize> {
    let header = Header::find(text, style)?;
    Some(text[..header.line.start].matches('\n').count())
}

/// Whether the line at the place of a signature only looks like one.
pub fn is_malformed(text: &str, style: Style) -> bool {
    let lines = text.lines().skip_while(|line| line.starts_with("#!"));
    let is_like = lines.take(1).any(is_signature_like);
    is_like && Header::find(text, style).is_none()
}

/// Whether a line is a comment that starts like a signature.
pub fn is_signature_like(line: &str) -> bool {
    let line = line.trim_start_matches(BOM).trim_start();
    let body = line
        .strip_prefix("<!--")
        .or_else(|| line.strip_prefix("//"))
        .or_else(|| line.strip_prefix('#'));
    body.is_some_and(|body| begins_as_signature(body.trim_start()))
}

/// A time of 20 bytes, which contains colons itself, and the rest.
fn time(text: &str) -> Option<(&str, &str)> {
    let (time, rest) = text.split_at_checked(20)?;
    let shape: String = time
        .chars()
        .map(|c| if c.is_ascii_digit() { 'd' } else { c })
        .collect();
    (shape == "dddd-dd-ddTdd:dd:ddZ").then_some(())?;
    Some((time, rest.strip_prefix(':')?))
}

fn is_hex(text: &str, len: usize) -> bool {
    text.len() == len
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn is_base64url(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    text.len() - body.len() <= 2
        && !body.is_empty()
        && body
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}
