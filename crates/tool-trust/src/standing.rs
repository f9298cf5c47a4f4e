//! Decides whether a file may run, from what the store knows of it.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use toolglot_tool_signature::{Keyring, SignatureError, Verification, verify};

use crate::decision::{Facts, decide};
use crate::{Origin, Space, Subject, Trust, TrustBasis, TrustRefusal};

impl Trust {
    /// Whether a file may run, and why.
    ///
    /// # Errors
    /// Why not.
    pub fn standing(
        &self,
        found: &impl Subject,
        its_version: Option<&str>,
    ) -> Result<TrustBasis, TrustRefusal> {
        let id = found.id();
        if found.origin() != Origin::File {
            return self.standing_of_server(found);
        }
        if found.space() == Space::System {
            return self
                .verified(found, &self.keys)
                .map(|_| TrustBasis::System)
                .map_err(TrustRefusal::from);
        }
        let record = self.record(found);
        let (digest, whole) = (found.digest(), found.whole_digest());
        let keys = self.counted.as_ref().unwrap_or(&self.keys);
        let none = BTreeMap::new();
        decide(&Facts {
            id,
            space: found.space(),
            version: its_version.unwrap_or("0.0.0"),
            text: found.text(),
            style: found.style(),
            digest: &digest,
            whole: &whole,
            record: record.as_ref(),
            lock: if found.space() == Space::Project {
                &self.lock
            } else {
                &none
            },
            needs_signature: (self.demands.signed)(id),
            verify: &|| self.verified(found, keys),
            seen_as: &|| {
                let place = self.place(found.space());
                self.ledger.seen_as(place, id, &digest).map(str::to_owned)
            },
        })
    }

    /// Checks a signature, once for the same file and keys.
    pub(crate) fn verified(
        &self,
        found: &impl Subject,
        keys: &Keyring,
    ) -> Result<Verification, SignatureError> {
        let id = found.id();
        let mut hash = Sha256::new();
        hash.update(id);
        hash.update([0, u8::from(found.space() == Space::System)]);
        hash.update(found.text());
        let key: [u8; 32] = hash.finalize().into();
        if let Ok(held) = self.held.lock()
            && let Some(verified) = held.get(&key)
        {
            return Ok(verified.clone());
        }
        let verified = verify(id, found.text(), found.style(), keys)?;
        if let Ok(mut held) = self.held.lock() {
            held.insert(key, verified.clone());
        }
        Ok(verified)
    }
}
