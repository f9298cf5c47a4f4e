//! Whether a file may run: its signature, what the user trusted, what was seen before, the lock.

use sha2::{Digest, Sha256};

use crate::version::version_numbers as version;
use crate::{Origin, Record, Refusal, Space, Subject, Trust};
use toolglot_signature::{Generation, Header, Keyring, SignatureError, Verified, verify};

/// Why a tool may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It came with toolglot.
    System,
    /// A trusted key signed it.
    Signed(Verified),
    /// The user trusted exactly this text.
    Trusted,
    /// It lies in the user's own directory.
    Own,
}

impl Standing {
    /// One word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Standing::System => "system",
            Standing::Signed(_) => "signed",
            Standing::Trusted => "trusted",
            Standing::Own => "own",
        }
    }
}

impl Trust {
    /// Whether a file may run, and why.
    ///
    /// # Errors
    /// Why not.
    pub fn standing(
        &self,
        found: &impl Subject,
        its_version: Option<&str>,
    ) -> Result<Standing, Refusal> {
        let id = found.id();
        if found.origin() != Origin::File {
            return self.standing_of_server(found);
        }
        if found.space() == Space::System {
            return self.verified(found, &self.keys).map(|_| Standing::System);
        }
        let here = its_version.unwrap_or("0.0.0");
        let actual = found.digest();
        let record = self.record(found);
        let needs_signature = (self.demands.signed)(id);
        let is_trusted = record.as_ref().is_some_and(|record| {
            record.trusted && record.trusted_digest() == found.whole_digest()
        });
        let locked = self
            .lock
            .get(id)
            .filter(|_| found.space() == Space::Project);
        let is_locked = |locked: &Record| {
            let whole = locked.whole.as_deref();
            locked.digest == actual
                && locked.version == here
                && whole.is_none_or(|whole| whole == found.whole_digest())
        };
        let as_locked = || match locked {
            Some(locked) if !is_locked(locked) => Err(Refusal::NotLocked {
                id: id.to_owned(),
                version: here.to_owned(),
                locked: Box::new(locked.clone()),
                actual: actual.clone().into_owned(),
            }),
            _ => Ok(()),
        };
        if is_trusted && !needs_signature {
            return as_locked().map(|()| Standing::Trusted);
        }
        let is_signed = Header::find(found.text(), found.style()).is_some();
        if !is_signed {
            let id = id.to_owned();
            // The lock does not say whether what it names was ever signed: what is here was only trusted elsewhere, it may be.
            if record.is_none() && !needs_signature {
                as_locked()?;
            }
            return match (record.as_ref(), found.space()) {
                _ if is_trusted => Err(Refusal::SignatureRequired { id }),
                (Some(before), _) if before.trusted => Err(Refusal::Changed {
                    id,
                    version: before.version.clone(),
                }),
                (Some(before), _) => Err(Refusal::Stripped {
                    id,
                    version: before.version.clone(),
                    is_malformed: toolglot_signature::is_malformed(found.text(), found.style()),
                }),
                (None, Space::User) if !needs_signature => Ok(Standing::Own),
                (None, _) if needs_signature => Err(Refusal::SignatureRequired { id }),
                (None, _) => Err(SignatureError::Unsigned { id }.into()),
            };
        }
        let keys = self.counted.as_ref().unwrap_or(&self.keys);
        let verified = self.verified(found, keys)?;
        if found.space() == Space::Project && locked.is_none() {
            // Which of several with the same text it was, nobody knows.
            let same = self.lock.iter().filter(|(_, other)| other.digest == actual);
            let same: Vec<&str> = same.map(|(other, _)| other.as_str()).collect();
            if !same.is_empty() {
                return Err(SignatureError::Moved {
                    id: id.to_owned(),
                    signed_as: same.join("` or `"),
                }
                .into());
            }
        }
        // What the line itself binds to its place needs nobody who remembers it.
        if verified.generation != Generation::V2
            && let Some(signed_as) = self.seen_as(found)
        {
            return Err(SignatureError::Moved {
                id: id.to_owned(),
                signed_as: signed_as.to_owned(),
            }
            .into());
        }
        if let Some(before) = &record
            && verified.generation == Generation::V2
            && before.digest != actual
            && let Some(seen) = before.time.as_ref().filter(|seen| **seen > verified.time)
        {
            return Err(Refusal::Replayed {
                id: id.to_owned(),
                version: format!("{here} of {}", verified.time),
                seen: format!("{} of {seen}", before.version),
            });
        }
        for before in record.iter().chain(locked) {
            if before.digest != actual && version(here) < version(&before.version) {
                return Err(Refusal::Replayed {
                    id: id.to_owned(),
                    version: here.to_owned(),
                    seen: before.version.clone(),
                });
            }
        }
        as_locked().map(|()| Standing::Signed(verified))
    }

    /// Checks a signature, once for the same file and keys.
    pub(crate) fn verified(
        &self,
        found: &impl Subject,
        keys: &Keyring,
    ) -> Result<Verified, Refusal> {
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
