//! Signatures: the line that says who vouches for a file, and what it covers.
//!
//! Version 1 is Rye's, byte for byte: Ed25519 over the hexadecimal SHA-256 of the file without its signature line.
//! Its time and its key id are not covered, and neither is the place of the file.
//! Version 2 covers id, version, time and body. Two later headers of Rye are read.

mod body;
mod header;
mod keys;
mod parts;
mod verify;

pub(crate) use body::{BOM, hex};
pub use body::{Item, Style, body, digest};
pub use header::{Generation, Header};
pub use keys::{BadKey, PrivateKey, PublicKey};
pub use verify::{Keyring, Refusal, Signer, Verified, sign, verify};

use crate::Language;

/// The line, from 0, that a signature of this file stands on, if there is one.
pub(crate) fn signature_line(text: &str, language: Language) -> Option<usize> {
    let header = Header::find(text, Style::of(language))?;
    Some(text[..header.line.start].matches('\n').count())
}

/// Whether a line that only looks like a signature stands where one would.
pub(crate) fn is_malformed(text: &str, language: Language) -> bool {
    let lines = text.lines().skip_while(|line| line.starts_with("#!"));
    let is_like = lines.take(1).any(is_signature_like);
    is_like && Header::find(text, Style::of(language)).is_none()
}

/// Whether a line is a comment that begins as a signature does.
pub(crate) fn is_signature_like(line: &str) -> bool {
    let line = line.trim_start_matches(BOM).trim_start();
    let body = line
        .strip_prefix("<!--")
        .or_else(|| line.strip_prefix("//"))
        .or_else(|| line.strip_prefix('#'));
    body.is_some_and(|body| header::begins_as_signature(body.trim_start()))
}
