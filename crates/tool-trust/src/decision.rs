//! Decides whether a file may run: by its signature, the user's trust, the ledger and the lock. Pure.

use std::collections::BTreeMap;

use toolglot_tool_signature::{Header, SignatureError, Style, Verification, is_malformed};

use crate::ledger::{LedgerRecord, Order, SigningTime};
use crate::version::version_numbers;
use crate::{Space, TrustBasis, TrustRefusal};

/// All inputs of the decision. Expensive inputs are functions, and are called only where they decide.
pub(crate) struct Facts<'a> {
    pub(crate) id: &'a str,
    pub(crate) space: Space,
    /// The version that the file states.
    pub(crate) version: &'a str,
    pub(crate) text: &'a str,
    pub(crate) style: Style,
    /// The digest of what a signature covers.
    pub(crate) digest: &'a str,
    /// The digest of the whole text.
    pub(crate) whole: &'a str,
    /// The ledger's record of the tool.
    pub(crate) record: Option<&'a LedgerRecord>,
    /// The lock of the project; empty for tools of other spaces.
    pub(crate) lock: &'a BTreeMap<String, LedgerRecord>,
    /// Whether the policy requires a signature.
    pub(crate) needs_signature: bool,
    pub(crate) verify: &'a dyn Fn() -> Result<Verification, SignatureError>,
    /// Another tool that the same text was seen as.
    pub(crate) seen_as: &'a dyn Fn() -> Option<String>,
}

/// Why a file may run, or the first reason why not.
pub(crate) fn decide(facts: &Facts<'_>) -> Result<TrustBasis, TrustRefusal> {
    let is_trusted = facts
        .record
        .is_some_and(|record| record.trusted && record.trusted_digest() == facts.whole);
    if is_trusted && !facts.needs_signature {
        return facts.as_locked().map(|()| TrustBasis::Trusted);
    }
    if Header::find(facts.text, facts.style).is_none() {
        return unsigned(facts, is_trusted);
    }
    let verified = (facts.verify)()?;
    facts.at_its_place(&verified)?;
    facts.is_newest(&verified)?;
    Ok(TrustBasis::Signed(verified))
}

/// Decides about an unsigned file that the user does not trust, or whose trust is not enough.
fn unsigned(facts: &Facts<'_>, is_trusted: bool) -> Result<TrustBasis, TrustRefusal> {
    // The lock does not record signatures: its entry may be a text that was only trusted, on another machine.
    if facts.record.is_none() && !facts.needs_signature {
        facts.as_locked()?;
    }
    let id = facts.id.to_owned();
    match (facts.record, facts.space) {
        _ if is_trusted => Err(TrustRefusal::SignatureRequired { id }),
        (Some(before), _) if before.trusted => Err(TrustRefusal::Changed {
            id,
            version: before.version.clone(),
        }),
        (Some(before), _) => Err(TrustRefusal::Stripped {
            id,
            version: before.version.clone(),
            is_malformed: is_malformed(facts.text, facts.style),
        }),
        (None, Space::User) if !facts.needs_signature => Ok(TrustBasis::Own),
        (None, _) if facts.needs_signature => Err(TrustRefusal::SignatureRequired { id }),
        (None, _) => Err(SignatureError::Unsigned { id }.into()),
    }
}

impl Facts<'_> {
    fn locked(&self) -> Option<&LedgerRecord> {
        self.lock.get(self.id)
    }

    /// The lock can only forbid.
    fn as_locked(&self) -> Result<(), TrustRefusal> {
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
        Err(TrustRefusal::NotLocked {
            id: self.id.to_owned(),
            version: self.version.to_owned(),
            locked: Box::new(locked.clone()),
            actual: self.digest.to_owned(),
        })
    }

    /// Whether the text was signed as this tool, as far as the lock and the ledger show.
    fn at_its_place(&self, verified: &Verification) -> Result<(), TrustRefusal> {
        let moved = |signed_as: String| SignatureError::Moved {
            id: self.id.to_owned(),
            signed_as,
        };
        if self.space == Space::Project && self.locked().is_none() {
            // Of several tools with the same text, nothing shows which one was moved.
            let same = self
                .lock
                .iter()
                .filter(|(_, other)| other.digest == self.digest);
            let same: Vec<&str> = same.map(|(other, _)| other.as_str()).collect();
            if !same.is_empty() {
                return Err(moved(same.join("` or `")).into());
            }
        }
        // A line that covers its place needs no ledger.
        if matches!(SigningTime::of(verified), SigningTime::Declared(_))
            && let Some(signed_as) = (self.seen_as)()
        {
            return Err(moved(signed_as).into());
        }
        Ok(())
    }

    /// Whether no newer text was seen: by the ledger, which the project cannot change, and by the lock.
    fn is_newest(&self, verified: &Verification) -> Result<(), TrustRefusal> {
        let time = SigningTime::of(verified);
        let order = self
            .record
            .map(|record| (record, record.order(self.digest, self.version, &time)));
        if let (Some((before, Order::Earlier)), SigningTime::Covered(time)) = (order, &time) {
            let seen = match before.time.as_ref().max(before.declared.as_ref()) {
                Some(seen) => format!("{} of {seen}", before.version),
                None => before.version.clone(),
            };
            return Err(TrustRefusal::Replayed {
                id: self.id.to_owned(),
                version: format!("{} of {time}", self.version),
                seen,
            });
        }
        for before in self.record.into_iter().chain(self.locked()) {
            let is_older = version_numbers(self.version) < version_numbers(&before.version);
            if before.digest != self.digest && is_older {
                return Err(TrustRefusal::Replayed {
                    id: self.id.to_owned(),
                    version: self.version.to_owned(),
                    seen: before.version.clone(),
                });
            }
        }
        self.as_locked()?;
        match order {
            Some((before, Order::Earlier | Order::Unknown)) => Err(TrustRefusal::OrderUnknown {
                id: self.id.to_owned(),
                version: self.version.to_owned(),
                seen: before.version.clone(),
                was_replaced: before.before.iter().any(|digest| digest == self.digest),
            }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use toolglot_tool_signature::Generation;

    use super::*;

    const ID: &str = "work/greet-it";
    const SIGNED: &str = "# rye:signed:2026-02-23T05:24:41Z:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:AAAA:aaaaaaaaaaaaaaaa\nx\n";
    const UNSIGNED: &str = "x\n";
    const T1: &str = "2026-02-23T05:24:41Z";
    const T2: &str = "2026-02-23T05:24:42Z";
    const T3: &str = "2026-02-23T05:24:43Z";

    /// A case of the decision with all its facts: digest `now`, whole digest `now-whole`, version 1.1.0.
    #[derive(Clone)]
    struct Case {
        text: &'static str,
        space: Space,
        generation: Generation,
        time: &'static str,
        record: Option<LedgerRecord>,
        lock: Vec<(&'static str, LedgerRecord)>,
        needs_signature: bool,
        holds: bool,
        seen_as: Option<&'static str>,
    }

    impl Case {
        fn new(text: &'static str) -> Case {
            Case {
                text,
                space: Space::Project,
                generation: Generation::V1,
                time: T2,
                record: None,
                lock: Vec::new(),
                needs_signature: false,
                holds: true,
                seen_as: None,
            }
        }

        fn v2(time: &'static str) -> Case {
            Case {
                generation: Generation::V2,
                time,
                ..Case::new(SIGNED)
            }
        }

        fn with(mut self, change: impl FnOnce(&mut Case)) -> Case {
            change(&mut self);
            self
        }

        fn after(self, record: LedgerRecord) -> Case {
            self.with(|case| case.record = Some(record))
        }

        fn locked(self, id: &'static str, record: LedgerRecord) -> Case {
            self.with(|case| case.lock.push((id, record)))
        }

        /// The word for the basis of trust, or the code of the refusal.
        fn answer(&self) -> &'static str {
            let lock = self.lock.iter();
            let lock = lock.map(|(id, record)| ((*id).to_owned(), record.clone()));
            let decided = decide(&Facts {
                id: ID,
                space: self.space,
                version: "1.1.0",
                text: self.text,
                style: Style::Hash,
                digest: "now",
                whole: "now-whole",
                record: self.record.as_ref(),
                lock: &lock.collect(),
                needs_signature: self.needs_signature,
                verify: &|| {
                    if !self.holds {
                        let (id, key) = (ID.to_owned(), "k".to_owned());
                        return Err(SignatureError::BadSignature { id, key });
                    }
                    Ok(Verification {
                        generation: self.generation,
                        owner: "me".to_owned(),
                        key: "k".to_owned(),
                        digest: "now".to_owned(),
                        time: self.time.to_owned(),
                    })
                },
                seen_as: &|| self.seen_as.map(str::to_owned),
            });
            match decided {
                Ok(standing) => standing.word(),
                Err(refusal) => refusal.code(),
            }
        }
    }

    /// A text that was seen.
    fn seen(digest: &str, version: &str) -> LedgerRecord {
        LedgerRecord {
            version: version.to_owned(),
            digest: digest.to_owned(),
            ..LedgerRecord::default()
        }
    }

    fn at(time: &str, record: LedgerRecord) -> LedgerRecord {
        LedgerRecord {
            time: Some(time.to_owned()),
            ..record
        }
    }

    fn declared(time: &str, record: LedgerRecord) -> LedgerRecord {
        LedgerRecord {
            declared: Some(time.to_owned()),
            ..record
        }
    }

    fn trusted(whole: &str, record: LedgerRecord) -> LedgerRecord {
        LedgerRecord {
            trusted: true,
            whole: Some(whole.to_owned()),
            ..record
        }
    }

    fn whole(whole: &str, record: LedgerRecord) -> LedgerRecord {
        LedgerRecord {
            whole: Some(whole.to_owned()),
            ..record
        }
    }

    fn replaced(digest: &str, record: LedgerRecord) -> LedgerRecord {
        LedgerRecord {
            before: vec!["other".to_owned(), digest.to_owned()],
            ..record
        }
    }

    #[test]
    fn every_fact_decides_where_it_should() {
        let (signed, unsigned) = (Case::new(SIGNED), Case::new(UNSIGNED));
        let users = |case: &Case| case.clone().with(|case| case.space = Space::User);
        let needs = |case: Case| case.with(|case| case.needs_signature = true);
        let now = || seen("now", "1.1.0");
        let rows = [
            // Without a signature.
            ("unsigned", unsigned.clone()),
            ("own", users(&unsigned)),
            ("signature_required", needs(unsigned.clone())),
            ("signature_required", needs(users(&unsigned))),
            ("stripped", unsigned.clone().after(now())),
            ("stripped", users(&unsigned).after(now())),
            ("stripped", needs(unsigned.clone().after(now()))),
            (
                "trusted",
                unsigned.clone().after(trusted("now-whole", now())),
            ),
            (
                "trusted",
                users(&unsigned).after(trusted("now-whole", now())),
            ),
            ("changed", unsigned.clone().after(trusted("other", now()))),
            ("changed", users(&unsigned).after(trusted("other", now()))),
            (
                "stripped",
                unsigned.clone().after(whole("now-whole", now())),
            ),
            (
                "signature_required",
                needs(unsigned.clone().after(trusted("now-whole", now()))),
            ),
            ("unsigned", unsigned.clone().locked(ID, now())),
            (
                "not_locked",
                unsigned.clone().locked(ID, seen("other", "1.1.0")),
            ),
            (
                "signature_required",
                needs(unsigned.clone().locked(ID, seen("other", "1.1.0"))),
            ),
            (
                "not_locked",
                unsigned
                    .clone()
                    .after(trusted("now-whole", now()))
                    .locked(ID, seen("other", "1.1.0")),
            ),
            // With one.
            ("signed", signed.clone()),
            ("signed", needs(signed.clone())),
            ("signed", users(&signed)),
            (
                "bad_signature",
                signed.clone().with(|case| case.holds = false),
            ),
            (
                "trusted",
                signed
                    .clone()
                    .after(trusted("now-whole", now()))
                    .with(|case| case.holds = false),
            ),
            (
                "bad_signature",
                needs(signed.clone().after(trusted("now-whole", now())))
                    .with(|case| case.holds = false),
            ),
            // The lock.
            ("signed", signed.clone().locked(ID, now())),
            (
                "signed",
                signed.clone().locked(ID, whole("now-whole", now())),
            ),
            (
                "not_locked",
                signed.clone().locked(ID, whole("other", now())),
            ),
            (
                "not_locked",
                signed.clone().locked(ID, seen("other", "1.1.0")),
            ),
            (
                "not_locked",
                signed.clone().locked(ID, seen("now", "1.2.0")),
            ),
            (
                "not_locked",
                signed.clone().locked(ID, seen("now", "1.0.0")),
            ),
            (
                "replayed",
                signed.clone().locked(ID, seen("other", "1.2.0")),
            ),
            (
                "not_locked",
                signed.clone().locked(ID, seen("other", "1.0.0")),
            ),
            // Moved texts.
            ("moved", signed.clone().locked("work/other", now())),
            (
                "signed",
                signed.clone().locked("work/other", seen("other", "1.1.0")),
            ),
            (
                "signed",
                signed.clone().locked("work/other", now()).locked(ID, now()),
            ),
            ("signed", users(&signed).locked("work/other", now())),
            ("moved", Case::v2(T2).locked("work/other", now())),
            (
                "moved",
                signed
                    .clone()
                    .with(|case| case.seen_as = Some("work/other")),
            ),
            (
                "signed",
                Case::v2(T2).with(|case| case.seen_as = Some("work/other")),
            ),
            // With an earlier text, signed by version 1.
            ("signed", signed.clone().after(now())),
            ("signed", signed.clone().after(at(T3, now()))),
            ("signed", signed.clone().after(declared(T3, now()))),
            ("signed", signed.clone().after(seen("other", "1.0.9"))),
            ("replayed", signed.clone().after(seen("other", "1.1.0"))),
            ("replayed", signed.clone().after(seen("other", "1.1.1"))),
            (
                "replayed",
                signed.clone().after(at(T1, seen("other", "1.1.0"))),
            ),
            (
                "replayed",
                signed
                    .clone()
                    .after(replaced("now", seen("other", "1.0.0"))),
            ),
            (
                "signed",
                signed.clone().after(replaced("it", seen("other", "1.0.0"))),
            ),
            (
                "replayed",
                signed
                    .clone()
                    .after(trusted("other", seen("other", "1.1.0"))),
            ),
            // With an earlier text, signed by version 2.
            ("signed", Case::v2(T2).after(now())),
            ("signed", Case::v2(T1).after(at(T2, now()))),
            ("signed", Case::v2(T2).after(at(T1, seen("other", "1.1.0")))),
            (
                "replayed",
                Case::v2(T2).after(at(T2, seen("other", "1.1.0"))),
            ),
            (
                "replayed",
                Case::v2(T2).after(at(T3, seen("other", "1.1.0"))),
            ),
            (
                "replayed",
                Case::v2(T2).after(at(T3, seen("other", "1.0.0"))),
            ),
            (
                "replayed",
                Case::v2(T2).after(at(T1, seen("other", "1.2.0"))),
            ),
            (
                "signed",
                Case::v2(T2).after(declared(T1, seen("other", "1.1.0"))),
            ),
            (
                "replayed",
                Case::v2(T2).after(declared(T2, seen("other", "1.1.0"))),
            ),
            (
                "replayed",
                Case::v2(T2).after(declared(T3, at(T1, seen("other", "1.1.0")))),
            ),
            (
                "replayed",
                Case::v2(T2).after(declared(T1, at(T3, seen("other", "1.1.0")))),
            ),
            ("signed", Case::v2(T2).after(seen("other", "1.1.0"))),
            ("replayed", Case::v2(T2).after(seen("other", "1.2.0"))),
            (
                "replayed",
                Case::v2(T2).after(replaced("now", seen("other", "1.1.0"))),
            ),
            (
                "signed",
                Case::v2(T2).after(replaced("now", at(T1, seen("other", "1.1.0")))),
            ),
            // The lock does not override the ledger, nor the ledger the lock.
            (
                "replayed",
                signed
                    .clone()
                    .after(seen("other", "1.1.0"))
                    .locked(ID, now()),
            ),
            (
                "not_locked",
                signed
                    .clone()
                    .after(now())
                    .locked(ID, seen("other", "1.1.0")),
            ),
        ];
        for (n, (expected, case)) in rows.iter().enumerate() {
            assert_eq!(case.answer(), *expected, "row {n}: {:?}", case.record);
        }
    }

    #[test]
    fn a_refusal_names_what_was_seen_and_what_to_do() {
        let message = |case: Case| {
            let record = case.record.clone();
            let lock = BTreeMap::new();
            let verified = Verification {
                generation: case.generation,
                owner: "me".to_owned(),
                key: "k".to_owned(),
                digest: "now".to_owned(),
                time: case.time.to_owned(),
            };
            let decided = decide(&Facts {
                id: ID,
                space: Space::Project,
                version: "1.1.0",
                text: SIGNED,
                style: Style::Hash,
                digest: "now",
                whole: "now-whole",
                record: record.as_ref(),
                lock: &lock,
                needs_signature: false,
                verify: &|| Ok(verified.clone()),
                seen_as: &|| None,
            });
            decided.expect_err("it is older").to_string()
        };
        let v1 = Case::new(SIGNED);
        for (case, parts) in [
            (
                Case::v2(T2).after(at(T3, seen("other", "1.1.0"))),
                [
                    "1.1.0 of 2026-02-23T05:24:42Z",
                    "1.1.0 of 2026-02-23T05:24:43Z",
                ],
            ),
            (
                v1.clone().after(seen("other", "1.2.0")),
                ["is version 1.1.0 here", "version 1.2.0 was there before"],
            ),
            (
                v1.clone().after(replaced("it", seen("other", "1.1.0"))),
                ["seen as version 1.1.0", "does not say that it is newer"],
            ),
            (
                v1.after(replaced("now", seen("other", "1.0.0"))),
                ["seen as version 1.0.0", "one that it has replaced"],
            ),
        ] {
            let message = message(case);
            for part in parts.iter().chain(&["toolglot tools trust work/greet-it"]) {
                assert!(message.contains(part), "{part}: {message}");
            }
        }
    }
}
