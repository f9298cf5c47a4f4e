//! The ids of calls over a conversation: those that were written are kept, the others are minted.

use std::collections::BTreeSet;

use toolglot::Dialect;

/// Ids given so far.
#[derive(Debug, Default)]
pub(super) struct Ids {
    taken: BTreeSet<String>,
    /// Calls of the conversation so far: a counter of the dialect's goes on over the history.
    n_calls: usize,
}

impl Ids {
    /// The ids that a conversation names: none is minted twice.
    pub(super) fn of<'a>(written: impl Iterator<Item = &'a str>) -> Ids {
        Ids {
            taken: written.map(str::to_owned).collect(),
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
        let number = self.n_calls;
        self.n_calls += 1;
        match (written, spelling) {
            (Some(written), None) => written.to_owned(),
            (Some(written), Some(spelling)) if is_spelt(written, name, spelling) => {
                written.to_owned()
            }
            (_, Some(spelling)) => spelling
                .replace("{name}", name)
                .replace("{id}", &number.to_string()),
            (None, None) => {
                let mut n = number;
                let mut minted = format!("call_{n}");
                while self.taken.contains(&minted) {
                    n += 1;
                    minted = format!("call_{n}");
                }
                self.taken.insert(minted.clone());
                minted
            }
        }
    }
}

fn is_spelt(id: &str, name: &str, spelling: &str) -> bool {
    let spelling = spelling.replace("{name}", name);
    let Some((before, behind)) = spelling.split_once("{id}") else {
        return false;
    };
    id.strip_prefix(before)
        .and_then(|rest| rest.strip_suffix(behind))
        .is_some_and(|rest| !rest.is_empty())
}
