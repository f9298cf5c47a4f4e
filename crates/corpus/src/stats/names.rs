//! The frequency of names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The maximum number of names that are counted separately.
const MOST: usize = 10_000;

/// The maximum number of bytes of a name.
const LONGEST: usize = 160;

/// The frequency of names. After 10,000 names, further ones are counted together, so that the memory is bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Names {
    /// By name, cut to 160 bytes.
    pub counts: BTreeMap<String, u64>,
    /// The count of all further names.
    pub others: u64,
}

impl Names {
    /// Increments the count of a name.
    pub(crate) fn count(&mut self, name: &str) {
        let name = start(name, LONGEST);
        if let Some(n) = self.counts.get_mut(name) {
            *n += 1;
        } else {
            self.insert(name.to_owned(), 1);
        }
    }

    pub(crate) fn add(&mut self, later: Names) {
        for (name, n) in later.counts {
            match self.counts.get_mut(&name) {
                Some(before) => *before += n,
                None => self.insert(name, n),
            }
        }
        self.others += later.others;
    }

    fn insert(&mut self, name: String, n: u64) {
        if self.counts.len() < MOST {
            self.counts.insert(name, n);
        } else {
            self.others += n;
        }
    }

    /// The most frequent names, with their counts; equal counts in order of name.
    pub fn most(&self, n: usize) -> Vec<(&str, u64)> {
        let mut names: Vec<(&str, u64)> = self
            .counts
            .iter()
            .map(|(name, n)| (name.as_str(), *n))
            .collect();
        names.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        names.truncate(n);
        names
    }

    /// The total count.
    pub fn total(&self) -> u64 {
        self.counts.values().sum::<u64>() + self.others
    }
}

/// The start of a text, with at most this many bytes.
fn start(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_names_are_counted_together() {
        let mut names = Names::default();
        for n in 0..MOST + 5 {
            names.count(&format!("tool_{n}"));
        }
        names.count("tool_0");
        assert_eq!((names.counts.len(), names.others), (MOST, 5));
        assert_eq!(names.most(1), [("tool_0", 2)]);
        let mut more = Names::default();
        more.count("another");
        names.add(more);
        assert_eq!(names.others, 6);
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        let mut names = Names::default();
        names.count(&"é".repeat(200));
        assert_eq!(names.most(1), [("é".repeat(80).as_str(), 1)]);
    }
}
