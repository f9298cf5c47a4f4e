//! Signing and verifying a text.

use base64::Engine as _;
use thiserror::Error;

use crate::body::{body, digest};
use crate::header::{Generation, Header, URL_SAFE};
use crate::keys::{PrivateKey, PublicKey};
use crate::parts::Parts;
use crate::style::{BOM, Style};

/// Trusted keys, and revoked keys.
#[derive(Clone, Debug, Default)]
pub struct Keyring {
    signers: Vec<Signer>,
}

/// A key, its owner and its revocation.
#[derive(Clone, Debug)]
pub struct Signer {
    /// The key.
    pub key: PublicKey,
    /// The owner of the key.
    pub owner: String,
    /// The time since which it is revoked.
    pub revoked: Option<String>,
}

/// A valid signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The form of the line.
    pub generation: Generation,
    /// The owner of the key.
    pub owner: String,
    /// The key's fingerprint.
    pub key: String,
    /// The SHA-256 of the body.
    pub digest: String,
    /// The signing time in the line; only version 2 covers it.
    pub time: String,
}

/// Why a text has no valid signature.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// No signature line.
    #[error(
        "`{id}` is not signed; read it, then `toolglot tools trust {id}` or `toolglot tools sign {id}`"
    )]
    Unsigned {
        /// The tool.
        id: String,
    },
    /// The body differs from the signed body.
    #[error(
        "`{id}` was changed after it was signed: its body is {actual:.16}.., the signature is for {declared:.16}..{}",
        if *.is_by_line_ends { "; only its line endings are others, as a checkout may make them: bring them back (`git config core.autocrlf input`)" } else { "" }
    )]
    Edited {
        /// The tool.
        id: String,
        /// The hash in the line.
        declared: String,
        /// The hash of the body.
        actual: String,
        /// Whether the signature would be valid with other line ends.
        is_by_line_ends: bool,
    },
    /// The key is not a trusted one.
    #[error(
        "`{id}` is signed with the key {key}, which is not trusted; `toolglot tools keys list` shows those that are, `toolglot tools keys pin {key}` trusts one that the project brings"
    )]
    UntrustedKey {
        /// The tool.
        id: String,
        /// The fingerprint.
        key: String,
    },
    /// The key was revoked.
    #[error("`{id}` is signed with the key {key}, which was revoked at {since}")]
    Revoked {
        /// The tool.
        id: String,
        /// The fingerprint.
        key: String,
        /// When.
        since: String,
    },
    /// The signature is not valid for that key.
    #[error("the signature of `{id}` is not one of the key {key}")]
    BadSignature {
        /// The tool.
        id: String,
        /// The fingerprint.
        key: String,
    },
    /// It was signed as another tool.
    #[error(
        "`{id}` was signed as `{signed_as}`: a signed file cannot be moved or renamed; `toolglot tools sign {id}` or `toolglot tools trust {id}` takes it at its new place"
    )]
    Moved {
        /// The tool.
        id: String,
        /// The id that it was signed as.
        signed_as: String,
    },
}

impl SignatureError {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            SignatureError::Unsigned { .. } => "unsigned",
            SignatureError::Edited { .. } => "hash_mismatch",
            SignatureError::UntrustedKey { .. } => "untrusted_key",
            SignatureError::Revoked { .. } => "revoked_key",
            SignatureError::BadSignature { .. } => "bad_signature",
            SignatureError::Moved { .. } => "moved",
        }
    }
}

impl Keyring {
    /// Adds a key. A revoked one stays revoked, even if it is trusted elsewhere.
    pub fn add(&mut self, signer: Signer) {
        match self
            .signers
            .iter_mut()
            .find(|known| known.key == signer.key)
        {
            Some(known) => known.revoked = known.revoked.take().or(signer.revoked),
            None => self.signers.push(signer),
        }
    }

    /// The key with that fingerprint, in either form.
    pub fn find(&self, fingerprint: &str) -> Option<&Signer> {
        self.signers.iter().find(|signer| {
            signer.key.fingerprint() == fingerprint || signer.key.long_fingerprint() == fingerprint
        })
    }

    /// All keys.
    pub fn iter(&self) -> impl Iterator<Item = &Signer> {
        self.signers.iter()
    }
}

/// Checks the signature of a text that is found as `id`.
///
/// # Errors
/// The first reason not to run it, in the order: unsigned, edited, key, signature, place.
pub fn verify(
    id: &str,
    text: &str,
    style: Style,
    keys: &Keyring,
) -> Result<Verification, SignatureError> {
    let Some(header) = Header::find(text, style) else {
        return Err(SignatureError::Unsigned { id: id.to_owned() });
    };
    let actual = digest(body(text, style));
    if actual != header.hash {
        // The file must equal the signed bytes; if only line ends differ, the error says so.
        let unix = text.replace("\r\n", "\n");
        let is_by_line_ends = [unix.replace('\n', "\r\n"), unix]
            .iter()
            .any(|other| digest(body(other, style)) == header.hash);
        return Err(SignatureError::Edited {
            id: id.to_owned(),
            declared: header.hash,
            actual,
            is_by_line_ends,
        });
    }
    let Some(signer) = keys.find(&header.key) else {
        return Err(SignatureError::UntrustedKey {
            id: id.to_owned(),
            key: header.key,
        });
    };
    if let Some(since) = &signer.revoked {
        return Err(SignatureError::Revoked {
            id: id.to_owned(),
            key: header.key,
            since: since.clone(),
        });
    }
    let message = match &header.binding {
        Some((id, version)) => bound(id, version, &header.time, &header.hash),
        None => header.hash.clone(),
    };
    let holds = header
        .signature
        .as_deref()
        .is_some_and(|signature| signer.key.verifies(message.as_bytes(), signature));
    if !holds {
        return Err(SignatureError::BadSignature {
            id: id.to_owned(),
            key: header.key,
        });
    }
    if let Some((signed_as, _)) = header.binding
        && signed_as != id
    {
        return Err(SignatureError::Moved {
            id: id.to_owned(),
            signed_as,
        });
    }
    Ok(Verification {
        generation: header.generation,
        owner: signer.owner.clone(),
        key: header.key,
        digest: actual,
        time: header.time,
    })
}

/// Signs a text at `time` (`2026-02-23T05:24:41Z`), and replaces a signature that it has.
///
/// With `binding`, the tool's id and version, the signature is version 2; otherwise it is Rye's version 1.
pub fn sign(
    text: &str,
    style: Style,
    key: &PrivateKey,
    time: &str,
    binding: Option<(&str, &str)>,
) -> String {
    let text = text.strip_prefix(BOM).unwrap_or(text);
    let hash = digest(body(text, style));
    let fingerprint = key.public().fingerprint();
    let words = if let Some((id, version)) = binding {
        let signature = key.sign(bound(id, version, time, &hash).as_bytes());
        let signature = URL_SAFE.encode(signature);
        format!("toolglot:signed:2:{time}:{id}:{version}:{hash}:{signature}:{fingerprint}")
    } else {
        let signature = URL_SAFE.encode(key.sign(hash.as_bytes()));
        format!("rye:signed:{time}:{hash}:{signature}:{fingerprint}")
    };
    let line = format!("{}{words}{}\n", style.prefix(), style.suffix());
    let Parts { shebang, body, .. } = Parts::of(text, style);
    format!("{shebang}{line}{body}")
}

/// The message that version 2 signs.
fn bound(id: &str, version: &str, time: &str, hash: &str) -> String {
    format!("toolglot signature 2\nid {id}\nversion {version}\ntime {time}\nbody {hash}\n")
}
