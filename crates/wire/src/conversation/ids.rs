//! The ids of calls in a conversation: written ids are retained, missing ids are created.

use std::collections::BTreeSet;

use toolglot_engine::{Dialect, IdForm};

/// The ids that were assigned so far.
#[derive(Debug, Default)]
pub(super) struct Ids {
    taken: BTreeSet<String>,
    /// The number of the next call: a dialect's counter continues over the conversation, after the highest written
    /// number.
    counter: u64,
}

impl Ids {
    /// The ids that a conversation contains: none of them is created again.
    pub(super) fn of(written: impl Iterator<Item = String>) -> Ids {
        Ids {
            taken: written.collect(),
            ..Ids::default()
        }
    }

    /// The id of the next call, for the tool `name`.
    pub(super) fn next(
        &mut self,
        written: Option<&str>,
        name: &str,
        target: Option<&Dialect>,
    ) -> String {
        let form = target.map_or(Form::Any, Form::of);
        match written {
            Some(written) if form.fits(written, name) => {
                let number = form.number(written, name).map_or(0, |number| number + 1);
                self.counter = number.max(self.counter + 1);
                written.to_owned()
            }
            _ => self.minted(name, form),
        }
    }

    /// A new id in this form that is unique in the conversation.
    fn minted(&mut self, name: &str, form: Form<'_>) -> String {
        loop {
            let id = form.id(self.counter, name);
            self.counter += 1;
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}

/// The form of ids.
#[derive(Clone, Copy, Debug)]
enum Form<'d> {
    Any,
    /// The dialect's `id_spelling`, with the name and a number.
    Spelt(&'d str),
    /// The dialect's `id_form`.
    Of(IdForm),
}

impl<'d> Form<'d> {
    fn of(dialect: &'d Dialect) -> Form<'d> {
        match (dialect.id_spelling(), dialect.id_form()) {
            (Some(spelling), _) => Form::Spelt(spelling),
            (None, Some(form)) => Form::Of(form),
            (None, None) => Form::Any,
        }
    }

    fn fits(self, id: &str, name: &str) -> bool {
        match self {
            Form::Any => true,
            Form::Spelt(spelling) => {
                counted(id, name, spelling).is_some_and(|counted| !counted.is_empty())
            }
            Form::Of(form) => form.fits(id),
        }
    }

    /// The counter value in an id, if the form counts.
    fn number(self, id: &str, name: &str) -> Option<u64> {
        match self {
            Form::Spelt(spelling) => number(id, name, spelling),
            Form::Of(IdForm::Count) => id.parse().ok(),
            Form::Any | Form::Of(IdForm::Letters(_)) => None,
        }
    }

    fn id(self, n: u64, name: &str) -> String {
        match self {
            Form::Any => format!("call_{n}"),
            Form::Spelt(spelling) => {
                let spelling = spelling.replace("{name}", name);
                spelling.replace("{id}", &n.to_string())
            }
            Form::Of(form) => form.id(n),
        }
    }
}

/// The number in an id; a number above `u32` does not count.
fn number(id: &str, name: &str, spelling: &str) -> Option<u64> {
    let number: u32 = counted(id, name, spelling)?.parse().ok()?;
    Some(u64::from(number))
}

/// The part of an id at the place of `{id}`.
fn counted<'i>(id: &'i str, name: &str, spelling: &str) -> Option<&'i str> {
    let spelling = spelling.replace("{name}", name);
    let (before, after) = spelling.split_once("{id}")?;
    id.strip_prefix(before)?.strip_suffix(after)
}
