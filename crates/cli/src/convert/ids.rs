//! The ids of calls over a conversation: those that were written are kept, the others are minted.

use std::collections::BTreeSet;

use toolglot::Dialect;

/// Ids given so far.
#[derive(Debug, Default)]
pub(super) struct Ids {
    taken: BTreeSet<String>,
    /// The number of the next call: a counter of the dialect's goes on over the history, and behind what that wrote.
    counter: u64,
}

impl Ids {
    /// The ids that a conversation names: none is minted twice.
    pub(super) fn of(written: impl Iterator<Item = String>) -> Ids {
        Ids {
            taken: written.collect(),
            ..Ids::default()
        }
    }

    /// The id of the next call, of the tool `name`.
    pub(super) fn next(
        &mut self,
        written: Option<&str>,
        name: &str,
        target: Option<&Dialect>,
    ) -> String {
        let spelling = target.and_then(|dialect| dialect.setting("id"));
        match (written, spelling) {
            (Some(written), None) => {
                self.counter += 1;
                written.to_owned()
            }
            (Some(written), Some(spelling)) if is_spelt(written, name, spelling) => {
                let number = number(written, name, spelling).map_or(0, |number| number + 1);
                self.counter = number.max(self.counter + 1);
                written.to_owned()
            }
            (_, spelling) => self.minted(name, spelling.unwrap_or("call_{id}")),
        }
    }

    /// An id of this spelling that nothing else in the conversation has.
    fn minted(&mut self, name: &str, spelling: &str) -> String {
        loop {
            let id = spelling
                .replace("{name}", name)
                .replace("{id}", &self.counter.to_string());
            self.counter += 1;
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}

fn is_spelt(id: &str, name: &str, spelling: &str) -> bool {
    counted(id, name, spelling).is_some_and(|counted| !counted.is_empty())
}

/// The number in an id; one past any count is none.
fn number(id: &str, name: &str, spelling: &str) -> Option<u64> {
    let number: u32 = counted(id, name, spelling)?.parse().ok()?;
    Some(u64::from(number))
}

/// What stands in the place of `{id}`.
fn counted<'i>(id: &'i str, name: &str, spelling: &str) -> Option<&'i str> {
    let spelling = spelling.replace("{name}", name);
    let (before, behind) = spelling.split_once("{id}")?;
    id.strip_prefix(before)?.strip_suffix(behind)
}
