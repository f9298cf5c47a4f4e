//! The user's ledger of tools, and the order of a signed text relative to a record.
//!
//! The ledger is in the user's directory, outside of every project: a program that writes a project and its lock cannot
//! make it forget. By project and tool it has the digest and the signing time of the newest text that was seen.

use toolglot_tool_signature::{Generation, Verification};
use toolglot_value::{Map, Value, json};

use crate::version::version_numbers;

/// The ledger's key for the pins of servers; no project's path is equal to it.
const PINS: &str = "servers";
/// How many earlier texts of a tool are remembered.
const MAX_BEFORE: usize = 64;

/// The ledger's record of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LedgerRecord {
    /// Its version at that time.
    pub version: String,
    /// The digest of its body.
    pub digest: String,
    /// The digest of the whole text, if that was trusted or locked. `None` for a signed text, and in records of older
    /// versions of toolglot, which noted the body only.
    pub whole: Option<String>,
    /// Whether the user trusted it without a signature.
    pub trusted: bool,
    /// The latest time that a signature of version 2 bound to the tool, by any of its texts.
    pub time: Option<String>,
    /// The latest time that a signature of version 1 stated when its text was first seen. No signature covers it.
    pub declared: Option<String>,
    /// The digests of the earlier texts, the latest last.
    pub before: Vec<String>,
}

/// When a text was signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SigningTime {
    /// The signature covers the time.
    Covered(String),
    /// The line states the time, and anybody may change it.
    Declared(String),
}

impl SigningTime {
    pub(crate) fn of(verified: &Verification) -> SigningTime {
        let time = verified.time.clone();
        match verified.generation {
            Generation::V2 => SigningTime::Covered(time),
            _ => SigningTime::Declared(time),
        }
    }

    fn covered(&self) -> Option<&str> {
        match self {
            SigningTime::Covered(time) => Some(time),
            SigningTime::Declared(_) => None,
        }
    }

    fn declared(&self) -> Option<&str> {
        match self {
            SigningTime::Covered(_) => None,
            SigningTime::Declared(time) => Some(time),
        }
    }
}

/// The order of a signed text relative to the newest one that was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// It is that text.
    Same,
    /// It was signed after the other text.
    Later,
    /// It was signed before the other text.
    Earlier,
    /// Another text that states a lower version.
    LowerVersion,
    /// No value that a signature covers decides.
    Unknown,
}

impl LedgerRecord {
    /// The digest of the trusted text. In an older record it is the digest of the body: it matches only a text that is
    /// body as a whole.
    pub fn trusted_digest(&self) -> &str {
        self.whole.as_ref().unwrap_or(&self.digest)
    }

    /// The order of another signed text relative to this one.
    ///
    /// Only values that a signature covers count: the time of version 2, and the version in the body. A text that was
    /// replaced before is earlier, unless a covered time shows that it was signed again.
    pub(crate) fn order(&self, digest: &str, version: &str, time: &SigningTime) -> Order {
        if self.digest == digest {
            return Order::Same;
        }
        let was_replaced = self.before.iter().any(|before| before == digest);
        let (here, seen) = (version_numbers(version), version_numbers(&self.version));
        let newest = self.time.as_deref().max(self.declared.as_deref());
        match (time.covered(), newest) {
            (Some(time), Some(newest)) if time < newest => Order::Earlier,
            (Some(time), Some(newest)) if time > newest && here < seen => Order::LowerVersion,
            (Some(time), Some(newest)) if time > newest => Order::Later,
            (Some(_), Some(_)) => Order::Unknown,
            _ if was_replaced => Order::Earlier,
            (_, _) if here < seen => Order::LowerVersion,
            (Some(_), None) => Order::Later,
            (None, _) if here > seen => Order::Later,
            (None, _) => Order::Unknown,
        }
    }

    /// Reads the ledger's record of a tool.
    fn read(record: &Value) -> Option<LedgerRecord> {
        let text = |key: &str| record.get(key)?.as_str().map(str::to_owned);
        let before = record.get("before").and_then(Value::as_array);
        Some(LedgerRecord {
            version: text("version")?,
            digest: text("digest")?,
            whole: text("whole"),
            trusted: record.get("trusted")?.as_bool()?,
            time: text("time"),
            declared: text("declared"),
            before: before
                .into_iter()
                .flatten()
                .filter_map(|digest| digest.as_str().map(str::to_owned))
                .collect(),
        })
    }

    fn write(&self) -> Value {
        let mut record =
            json!({"version": self.version, "digest": self.digest, "trusted": self.trusted});
        for (key, text) in [
            ("whole", &self.whole),
            ("time", &self.time),
            ("declared", &self.declared),
        ] {
            if let Some(text) = text {
                record[key] = json!(text);
            }
        }
        if !self.before.is_empty() {
            record["before"] = json!(self.before);
        }
        record
    }
}

/// A text to be noted, and where it was found.
#[derive(Clone, Debug)]
pub(crate) struct Sighting {
    /// The project, or `~`.
    pub(crate) place: String,
    pub(crate) id: String,
    pub(crate) version: String,
    pub(crate) digest: String,
    /// When it was signed, if its signature is valid.
    pub(crate) time: Option<SigningTime>,
}

/// The ledger's JSON: the tools by place and id, and under reserved names the definitions of servers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger(pub(crate) Map<String, Value>);

impl Ledger {
    /// The record of a tool.
    pub(crate) fn record(&self, place: &str, id: &str) -> Option<LedgerRecord> {
        LedgerRecord::read(self.0.get(place)?.get(id)?)
    }

    /// Another tool of the place that the text was seen as, if it was never seen as this one.
    pub(crate) fn seen_as(&self, place: &str, id: &str, digest: &str) -> Option<&str> {
        let knows = |record: &Value| {
            LedgerRecord::read(record).is_some_and(|record| {
                record.digest == digest || record.before.iter().any(|before| before == digest)
            })
        };
        let tools = self.0.get(place)?.as_object()?;
        if tools.get(id).is_some_and(knows) {
            return None;
        }
        let mut others = tools.iter().filter(|(_, record)| knows(record));
        others.next().map(|(id, _)| id.as_str())
    }

    /// Whether a text that ran is to be noted: it is signed, and it or its signature is later than the record.
    pub(crate) fn is_news(&self, sighting: &Sighting) -> bool {
        let Some(time) = &sighting.time else {
            return false;
        };
        let Some(record) = self.record(&sighting.place, &sighting.id) else {
            return true;
        };
        match record.order(&sighting.digest, &sighting.version, time) {
            Order::Same => time.covered() > record.time.as_deref(),
            Order::Later => true,
            Order::Earlier | Order::LowerVersion | Order::Unknown => false,
        }
    }

    /// Notes a text that ran, if it is news. Returns whether the ledger changed.
    pub(crate) fn see(&mut self, sighting: &Sighting) -> bool {
        let is_news = self.is_news(sighting);
        if is_news {
            let trusted = self.trusted_as(sighting);
            self.put(sighting, trusted.as_deref(), false);
        }
        is_news
    }

    /// The digest by which the same text is trusted.
    fn trusted_as(&self, sighting: &Sighting) -> Option<String> {
        let known = self.record(&sighting.place, &sighting.id)?;
        let is_same = known.trusted && known.digest == sighting.digest;
        is_same.then(|| known.trusted_digest().to_owned())
    }

    /// Notes that the user trusts a text, whatever was there before, by the digest of the whole text.
    pub(crate) fn trust(&mut self, sighting: &Sighting, whole: &str) {
        self.put(sighting, Some(whole), true);
    }

    /// Notes that the user signed a text, whatever was there before. Returns whether the ledger changed.
    pub(crate) fn sign(&mut self, sighting: &Sighting) -> bool {
        let known = self.record(&sighting.place, &sighting.id);
        let trusted = self.trusted_as(sighting);
        self.put(sighting, trusted.as_deref(), true);
        self.record(&sighting.place, &sighting.id) != known
    }

    fn put(&mut self, sighting: &Sighting, trusted: Option<&str>, by_user: bool) {
        let known = self.record(&sighting.place, &sighting.id);
        let known = known.unwrap_or_default();
        let latest = |known: Option<String>, now: Option<&str>| known.max(now.map(str::to_owned));
        let time = sighting.time.as_ref();
        let mut before = known.before;
        before.push(known.digest);
        before.retain(|digest| !digest.is_empty() && *digest != sighting.digest);
        before.drain(..before.len().saturating_sub(MAX_BEFORE));
        let record = LedgerRecord {
            version: sighting.version.clone(),
            digest: sighting.digest.clone(),
            whole: trusted.map(str::to_owned),
            trusted: trusted.is_some(),
            time: latest(known.time, time.and_then(SigningTime::covered)),
            // A time that nothing covers does not count against the user's own decision.
            declared: latest(
                known.declared.filter(|_| !by_user),
                time.and_then(SigningTime::declared),
            ),
            before,
        };
        let tools = self
            .0
            .entry(sighting.place.clone())
            .or_insert_with(|| json!({}));
        if let Value::Object(tools) = tools {
            tools.insert(sighting.id.clone(), record.write());
        }
    }

    /// The pinned digest of a server's definition of a tool.
    pub(crate) fn pinned(&self, pin: &str) -> Option<&str> {
        let pin = self.0.get(PINS)?.get(pin)?.as_str();
        // In an older format an empty pin accepted any definition.
        pin.filter(|pin| !pin.is_empty())
    }

    /// Pins a server's definition of a tool, or removes the pin.
    pub(crate) fn pin(&mut self, pin: &str, digest: Option<&str>) {
        let pins = self.0.entry(PINS).or_insert_with(|| json!({}));
        if let Value::Object(pins) = pins {
            match digest {
                Some(digest) => pins.insert(pin.to_owned(), json!(digest)),
                None => pins.shift_remove(pin),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T1: &str = "2026-02-23T05:24:41Z";
    const T2: &str = "2026-02-23T05:24:42Z";

    fn sighting(digest: &str, version: &str, time: impl Into<Option<SigningTime>>) -> Sighting {
        Sighting {
            place: "/p".to_owned(),
            id: "a/b".to_owned(),
            version: version.to_owned(),
            digest: digest.to_owned(),
            time: time.into(),
        }
    }

    fn covered(time: &str) -> SigningTime {
        SigningTime::Covered(time.to_owned())
    }

    fn by_line(time: &str) -> SigningTime {
        SigningTime::Declared(time.to_owned())
    }

    fn known(ledger: &Ledger) -> LedgerRecord {
        ledger.record("/p", "a/b").expect("it was noted")
    }

    #[test]
    fn what_ran_is_noted_if_it_is_later() {
        let mut ledger = Ledger::default();
        assert!(!ledger.see(&sighting("1", "1.0.0", None::<SigningTime>)));
        assert_eq!(ledger.record("/p", "a/b"), None);
        // In order: the text that ran, whether it is news, and the digest and times in the record afterwards.
        let rows: &[(Sighting, bool, [&str; 3])] = &[
            (sighting("1", "1.0.0", by_line(T1)), true, ["1", "", T1]),
            (sighting("1", "1.0.0", by_line(T2)), false, ["1", "", T1]),
            (sighting("2", "1.0.0", by_line(T2)), false, ["1", "", T1]),
            (sighting("2", "1.0.0", covered(T1)), false, ["1", "", T1]),
            (sighting("2", "1.1.0", by_line(T1)), true, ["2", "", T1]),
            (sighting("1", "1.0.0", by_line(T2)), false, ["2", "", T1]),
            (sighting("2", "1.1.0", covered(T1)), true, ["2", T1, T1]),
            (sighting("3", "1.1.0", covered(T1)), false, ["2", T1, T1]),
            (sighting("3", "1.0.0", covered(T2)), false, ["2", T1, T1]),
            (sighting("3", "1.1.0", covered(T2)), true, ["3", T2, T1]),
        ];
        for (n, (sighting, is_news, [digest, time, declared])) in rows.iter().enumerate() {
            assert_eq!(ledger.is_news(sighting), *is_news, "row {n}");
            assert_eq!(ledger.see(sighting), *is_news, "row {n}");
            let record = known(&ledger);
            let of = |time: &Option<String>| time.clone().unwrap_or_default();
            let found = [
                record.digest.clone(),
                of(&record.time),
                of(&record.declared),
            ];
            assert_eq!(found, [*digest, *time, *declared], "row {n}");
        }
        assert_eq!(known(&ledger).before, ["1", "2"]);
    }

    #[test]
    fn the_users_word_counts_whatever_was_there() {
        let mut ledger = Ledger::default();
        ledger.see(&sighting("2", "2.0.0", by_line(T2)));
        ledger.trust(&sighting("1", "1.0.0", None::<SigningTime>), "whole");
        let record = known(&ledger);
        assert!(record.trusted);
        assert_eq!(record.trusted_digest(), "whole");
        assert_eq!((record.version.as_str(), record.declared), ("1.0.0", None));
        assert_eq!(record.before, ["2"]);
        assert!(!ledger.see(&sighting("3", "0.9.0", covered(T2))), "lower");
        // A run of the trusted text keeps it trusted; the user's signature on another text does not make that one
        // trusted.
        assert!(ledger.see(&sighting("1", "1.0.0", covered(T1))));
        assert_eq!(known(&ledger).trusted_digest(), "whole");
        assert!(ledger.sign(&sighting("2", "1.0.0", covered(T2))));
        assert!(!ledger.sign(&sighting("2", "1.0.0", covered(T2))));
        let record = known(&ledger);
        assert!(!record.trusted);
        assert_eq!(record.time.as_deref(), Some(T2));
        assert!(ledger.sign(&sighting("1", "1.0.0", covered(T1))));
        assert_eq!(known(&ledger).time.as_deref(), Some(T2), "the latest stays");
    }

    #[test]
    fn a_text_is_known_by_all_the_names_it_had() {
        let mut ledger = Ledger::default();
        ledger.sign(&sighting("1", "1.0.0", None::<SigningTime>));
        ledger.sign(&sighting("2", "1.0.0", None::<SigningTime>));
        for digest in ["1", "2"] {
            assert_eq!(ledger.seen_as("/p", "a/c", digest), Some("a/b"));
            assert_eq!(ledger.seen_as("/p", "a/b", digest), None);
            assert_eq!(ledger.seen_as("/q", "a/c", digest), None);
        }
        assert_eq!(ledger.seen_as("/p", "a/c", "3"), None);
    }

    #[test]
    fn sixty_four_earlier_texts_are_remembered() {
        let mut ledger = Ledger::default();
        for n in 0..100 {
            ledger.sign(&sighting(&n.to_string(), "1.0.0", None::<SigningTime>));
        }
        let before = known(&ledger).before;
        assert_eq!(before.len(), MAX_BEFORE);
        assert_eq!((&*before[0], &*before[63]), ("35", "98"));
    }

    #[test]
    fn pins_are_kept_and_forgotten() {
        let mut ledger = Ledger::default();
        ledger.pin("a", Some("1"));
        ledger.pin("b", Some(""));
        assert_eq!((ledger.pinned("a"), ledger.pinned("b")), (Some("1"), None));
        ledger.pin("a", None);
        assert_eq!(ledger.pinned("a"), None);
    }
}
