//! The ids of an answer, unique in the conversation.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::{Api, Request};

/// Makes the ids of one answer.
#[derive(Debug)]
pub(super) struct AnswerIds {
    /// The ids that the conversation already contains.
    taken: Arc<BTreeSet<String>>,
    base: u64,
    n: u32,
}

impl AnswerIds {
    pub(super) fn new(request: &Request, seed: &[u8]) -> AnswerIds {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        request.digest().hash(&mut hasher);
        AnswerIds {
            taken: Arc::clone(request.taken_ids()),
            base: hasher.finish(),
            n: 0,
        }
    }

    /// The id of a call, in the form of the client's API.
    pub(super) fn call(&mut self, api: Api) -> String {
        self.item(match api {
            Api::Chat | Api::Responses => "call_",
            Api::Messages => "toolu_",
        })
    }

    /// An id with this prefix.
    pub(super) fn item(&mut self, prefix: &str) -> String {
        loop {
            // The number distinguishes ids of one answer, the base those of two answers. The last characters also
            // distinguish calls: templates of Mistral use nine of them.
            let mut hasher = DefaultHasher::new();
            (self.base, self.n).hash(&mut hasher);
            let id = format!("{prefix}{:08x}{:016x}", self.n, hasher.finish());
            self.n += 1;
            if !self.taken.contains(&id) {
                return id;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_in_their_last_nine_characters() {
        let mut seen = BTreeSet::new();
        for base in 0..100 {
            let taken = Arc::default();
            let mut ids = AnswerIds { taken, base, n: 0 };
            for _ in 0..10 {
                let id = ids.call(Api::Chat);
                assert!(seen.insert(id[id.len() - 9..].to_owned()), "{id}");
            }
        }
    }
}
