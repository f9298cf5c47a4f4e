//! A policy's requirements for tools, beyond the user's own trust.

use std::fmt;

use toolglot_tool_signature::{Keyring, PublicKey, Signer};

use crate::TrustError;

/// Requirements for tools, beyond being signed, trusted or the user's own.
pub struct TrustRequirements {
    /// The only keys that count: fingerprints, or keys written as `ed25519:<base64>`, which this list makes trusted.
    pub keys: Option<Vec<String>>,
    /// Whether a tool of this id must be signed; trust in its text is not enough then.
    pub signed: Box<dyn Fn(&str) -> bool + Send + Sync>,
    /// Whether a server's definition of a tool is accepted on first use.
    pub first_use: bool,
}

impl Default for TrustRequirements {
    fn default() -> TrustRequirements {
        TrustRequirements {
            keys: None,
            signed: Box::new(|_| false),
            first_use: true,
        }
    }
}

impl fmt::Debug for TrustRequirements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Demands")
            .field("keys", &self.keys)
            .field("first_use", &self.first_use)
            .finish_non_exhaustive()
    }
}

/// The keys of `keys` that are named, and the keys that are written out. A revoked key stays revoked.
pub(crate) fn counted(keys: &Keyring, named: &[String]) -> Result<Keyring, TrustError> {
    let mut counted = Keyring::default();
    for name in named {
        let signer = if name.starts_with("ed25519:") {
            let key = PublicKey::from_text(name).map_err(|source| TrustError::BadPolicyKey {
                name: name.clone(),
                source,
            })?;
            let known = keys.find(&key.fingerprint()).cloned();
            known.unwrap_or(Signer {
                key,
                owner: "policy".to_owned(),
                revoked: None,
            })
        } else {
            let is_fingerprint = [16, 64].contains(&name.len())
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
            if !is_fingerprint {
                return Err(TrustError::BadPolicyKey {
                    name: name.clone(),
                    source: toolglot_tool_signature::KeyError::NoKey,
                });
            }
            match keys.find(name) {
                Some(signer) => signer.clone(),
                // A fingerprint alone is not a key: its signatures stay untrusted.
                None => continue,
            }
        };
        counted.add(signer);
    }
    Ok(counted)
}
