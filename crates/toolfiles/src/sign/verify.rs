//! Signing and verifying a text.

use base64::Engine as _;
use thiserror::Error;

use super::body::{BOM, Style, body, digest};
use super::header::{Generation, Header, URL_SAFE};
use super::keys::{PrivateKey, PublicKey};
use super::parts::Parts;
use crate::Record;

/// Keys that are trusted, and keys that no longer are.
#[derive(Clone, Debug, Default)]
pub struct Keyring {
    signers: Vec<Signer>,
}

/// A key and what is known of it.
#[derive(Clone, Debug)]
pub struct Signer {
    /// The key.
    pub key: PublicKey,
    /// Whose it is.
    pub owner: String,
    /// Since when it is revoked.
    pub revoked: Option<String>,
}

/// A signature that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The form of the line.
    pub generation: Generation,
    /// Whose key it is.
    pub owner: String,
    /// The key's fingerprint.
    pub key: String,
    /// The SHA-256 of the body.
    pub digest: String,
    /// When it was signed, as the line says; covered in version 2 only.
    pub time: String,
}

/// Why a file is not run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// No signature line.
    #[error(
        "`{id}` is not signed; read it, then `toolglot tools trust {id}` or `toolglot tools sign {id}`"
    )]
    Unsigned {
        /// The tool.
        id: String,
    },
    /// A server of `.mcp.json` that the user has not approved.
    #[error(
        "the server `{name}` is not approved; `toolglot mcp approve {name}` shows what it offers and approves it"
    )]
    NotApproved {
        /// The server.
        name: String,
    },
    /// Its definition is not the one that was approved.
    #[error(
        "the server `{name}` is not defined as it was approved; `toolglot mcp approve {name}` shows what it offers and approves it as it is now"
    )]
    Redefined {
        /// The server.
        name: String,
    },
    /// The policy wants a signature.
    #[error(
        "`{id}` is not signed, and the policy runs signed tools only; read it, then `toolglot tools sign {id}`"
    )]
    SignatureRequired {
        /// The tool.
        id: String,
    },
    /// It was signed, and the line is gone.
    #[error(
        "{}; it was signed or trusted as {version} before: `toolglot tools sign {id}` or `toolglot tools trust {id}` takes it as it is now",
        if *.is_malformed { format!("the signature line of `{id}` cannot be read") } else { format!("the signature of `{id}` was taken out of its file") }
    )]
    Stripped {
        /// The tool.
        id: String,
        /// The version that was signed.
        version: String,
        /// Whether a line stands in its place that only looks like one.
        is_malformed: bool,
    },
    /// It has no signature, and is not the text that was trusted.
    #[error(
        "`{id}` was changed since it was trusted as {version}; `toolglot tools trust {id}` shows what changed"
    )]
    Changed {
        /// The tool.
        id: String,
        /// The version that was trusted.
        version: String,
    },
    /// The body is not what was signed.
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
        /// Whether the signature would hold if lines ended as they did.
        is_by_line_ends: bool,
    },
    /// Nobody who is trusted has that key.
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
    /// The signature is not that key's.
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
        /// What it was signed as.
        signed_as: String,
    },
    /// It is older than what was seen before.
    #[error(
        "`{id}` is version {version} here, and version {seen} was there before: an old version is not taken back without `toolglot tools trust {id}`"
    )]
    Replayed {
        /// The tool.
        id: String,
        /// Its version.
        version: String,
        /// The version that was seen.
        seen: String,
    },
    /// It is not what the lock file says.
    #[error(
        "`{id}` is not the file that the lock names: {}; `toolglot tools sign {id}` or `toolglot tools trust {id}` locks it anew",
        if (&locked.digest, &locked.version) == (actual, version) {
            "its shebang or the line that signs it is another".to_owned()
        } else {
            format!("its body is {actual:.16}.. in version {version}, locked is {:.16}.. in version {}", locked.digest, locked.version)
        }
    )]
    NotLocked {
        /// The tool.
        id: String,
        /// Its version.
        version: String,
        /// What the lock names.
        locked: Box<Record>,
        /// The hash of the body.
        actual: String,
    },
}

impl Refusal {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::Unsigned { .. } => "unsigned",
            Refusal::NotApproved { .. } => "not-approved",
            Refusal::Redefined { .. } => "redefined",
            Refusal::SignatureRequired { .. } => "signature_required",
            Refusal::Stripped { .. } => "stripped",
            Refusal::Changed { .. } => "changed",
            Refusal::Edited { .. } => "hash_mismatch",
            Refusal::UntrustedKey { .. } => "untrusted_key",
            Refusal::Revoked { .. } => "revoked_key",
            Refusal::BadSignature { .. } => "bad_signature",
            Refusal::Moved { .. } => "moved",
            Refusal::Replayed { .. } => "replayed",
            Refusal::NotLocked { .. } => "not_locked",
        }
    }
}

impl Keyring {
    /// Adds a key. A revoked one stays revoked, wherever else it is trusted.
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

    /// The key with that fingerprint, of either kind.
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
pub fn verify(id: &str, text: &str, style: Style, keys: &Keyring) -> Result<Verified, Refusal> {
    let Some(header) = Header::find(text, style) else {
        return Err(Refusal::Unsigned { id: id.to_owned() });
    };
    let actual = digest(body(text, style));
    if actual != header.hash {
        // What was signed is what stands in the file, byte for byte; why it is another is worth a word.
        let unix = text.replace("\r\n", "\n");
        let is_by_line_ends = [unix.replace('\n', "\r\n"), unix]
            .iter()
            .any(|other| digest(body(other, style)) == header.hash);
        return Err(Refusal::Edited {
            id: id.to_owned(),
            declared: header.hash,
            actual,
            is_by_line_ends,
        });
    }
    let Some(signer) = keys.find(&header.key) else {
        return Err(Refusal::UntrustedKey {
            id: id.to_owned(),
            key: header.key,
        });
    };
    if let Some(since) = &signer.revoked {
        return Err(Refusal::Revoked {
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
        return Err(Refusal::BadSignature {
            id: id.to_owned(),
            key: header.key,
        });
    }
    if let Some((signed_as, _)) = header.binding
        && signed_as != id
    {
        return Err(Refusal::Moved {
            id: id.to_owned(),
            signed_as,
        });
    }
    Ok(Verified {
        generation: header.generation,
        owner: signer.owner.clone(),
        key: header.key,
        digest: actual,
        time: header.time,
    })
}

/// Signs a text at `time` (`2026-02-23T05:24:41Z`); a signature that it has is replaced.
///
/// With `binding`, the tool's id and version, it is version 2, else Rye's version 1.
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

/// What version 2 signs.
fn bound(id: &str, version: &str, time: &str, hash: &str) -> String {
    format!("toolglot signature 2\nid {id}\nversion {version}\ntime {time}\nbody {hash}\n")
}
