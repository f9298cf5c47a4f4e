//! Whether a file may run: its signature, what the user trusted, what was seen before, the lock. Pure.

use std::collections::BTreeMap;

use toolglot_signature::{Header, SignatureError, Style, Verified, is_malformed};

use crate::ledger::{Order, Record, SigningTime};
use crate::version::version_numbers;
use crate::{Refusal, Space, Standing};

/// All that the answer follows from. What costs more than a look is a function, and is asked only where it decides.
pub(crate) struct Facts<'a> {
    pub(crate) id: &'a str,
    pub(crate) space: Space,
    /// The version that the file states.
    pub(crate) version: &'a str,
    pub(crate) text: &'a str,
    pub(crate) style: Style,
    /// The digest of what a signature covers.
    pub(crate) digest: &'a str,
    /// The digest of all of the text.
    pub(crate) whole: &'a str,
    /// What is known of the tool from before.
    pub(crate) record: Option<&'a Record>,
    /// The lock of the project; empty for tools of other spaces.
    pub(crate) lock: &'a BTreeMap<String, Record>,
    /// Whether the policy runs it only with a signature.
    pub(crate) needs_signature: bool,
    pub(crate) verify: &'a dyn Fn() -> Result<Verified, SignatureError>,
    /// Another tool that the text was seen as.
    pub(crate) seen_as: &'a dyn Fn() -> Option<String>,
}

/// Whether a file may run, and why; or the first reason why not.
pub(crate) fn decide(facts: &Facts<'_>) -> Result<Standing, Refusal> {
    let is_trusted = facts
        .record
        .is_some_and(|record| record.trusted && record.trusted_digest() == facts.whole);
    if is_trusted && !facts.needs_signature {
        return facts.as_locked().map(|()| Standing::Trusted);
    }
    if Header::find(facts.text, facts.style).is_none() {
        return unsigned(facts, is_trusted);
    }
    let verified = (facts.verify)()?;
    facts.at_its_place(&verified)?;
    facts.is_newest(&verified)?;
    Ok(Standing::Signed(verified))
}

/// The answer for a file without a signature that the user does not trust as it is, or not enough.
fn unsigned(facts: &Facts<'_>, is_trusted: bool) -> Result<Standing, Refusal> {
    // The lock does not say whether what it names was ever signed: what is here was only trusted elsewhere, it may be.
    if facts.record.is_none() && !facts.needs_signature {
        facts.as_locked()?;
    }
    let id = facts.id.to_owned();
    match (facts.record, facts.space) {
        _ if is_trusted => Err(Refusal::SignatureRequired { id }),
        (Some(before), _) if before.trusted => Err(Refusal::Changed {
            id,
            version: before.version.clone(),
        }),
        (Some(before), _) => Err(Refusal::Stripped {
            id,
            version: before.version.clone(),
            is_malformed: is_malformed(facts.text, facts.style),
        }),
        (None, Space::User) if !facts.needs_signature => Ok(Standing::Own),
        (None, _) if facts.needs_signature => Err(Refusal::SignatureRequired { id }),
        (None, _) => Err(SignatureError::Unsigned { id }.into()),
    }
}

impl Facts<'_> {
    fn locked(&self) -> Option<&Record> {
        self.lock.get(self.id)
    }

    /// The lock can only forbid.
    fn as_locked(&self) -> Result<(), Refusal> {
        let Some(locked) = self.locked() else {
            return Ok(());
        };
        let whole = locked.whole.as_deref();
        let is_locked = locked.digest == self.digest
            && locked.version == self.version
            && whole.is_none_or(|whole| whole == self.whole);
        if is_locked {
            return Ok(());
        }
        Err(Refusal::NotLocked {
            id: self.id.to_owned(),
            version: self.version.to_owned(),
            locked: Box::new(locked.clone()),
            actual: self.digest.to_owned(),
        })
    }

    /// Whether the text was signed as this tool, as far as anybody remembers.
    fn at_its_place(&self, verified: &Verified) -> Result<(), Refusal> {
        let moved = |signed_as: String| SignatureError::Moved {
            id: self.id.to_owned(),
            signed_as,
        };
        if self.space == Space::Project && self.locked().is_none() {
            // Which of several with the same text it was, nobody knows.
            let same = self
                .lock
                .iter()
                .filter(|(_, other)| other.digest == self.digest);
            let same: Vec<&str> = same.map(|(other, _)| other.as_str()).collect();
            if !same.is_empty() {
                return Err(moved(same.join("` or `")).into());
            }
        }
        // What the line itself binds to its place needs nobody who remembers it.
        if matches!(SigningTime::of(verified), SigningTime::Declared(_))
            && let Some(signed_as) = (self.seen_as)()
        {
            return Err(moved(signed_as).into());
        }
        Ok(())
    }

    /// Whether nothing newer was seen: by the user's memory, which the project cannot change, and by the lock.
    fn is_newest(&self, verified: &Verified) -> Result<(), Refusal> {
        let time = SigningTime::of(verified);
        let order = self
            .record
            .map(|record| (record, record.order(self.digest, self.version, &time)));
        if let (Some((before, Order::Earlier)), SigningTime::Covered(time)) = (order, &time) {
            let seen = match before.time.as_ref().max(before.declared.as_ref()) {
                Some(seen) => format!("{} of {seen}", before.version),
                None => before.version.clone(),
            };
            return Err(Refusal::Replayed {
                id: self.id.to_owned(),
                version: format!("{} of {time}", self.version),
                seen,
            });
        }
        for before in self.record.into_iter().chain(self.locked()) {
            let is_older = version_numbers(self.version) < version_numbers(&before.version);
            if before.digest != self.digest && is_older {
                return Err(Refusal::Replayed {
                    id: self.id.to_owned(),
                    version: self.version.to_owned(),
                    seen: before.version.clone(),
                });
            }
        }
        self.as_locked()?;
        match order {
            Some((before, Order::Earlier | Order::Unknown)) => Err(Refusal::OrderUnknown {
                id: self.id.to_owned(),
                version: self.version.to_owned(),
                seen: before.version.clone(),
                was_replaced: before.before.iter().any(|digest| digest == self.digest),
            }),
            _ => Ok(()),
        }
    }
}
