//! Near misses of parameter names: only letter case, `_`, `-`, `.` and blanks differ.

use alloc::string::String;
use alloc::vec::Vec;

use crate::reader::members;
use crate::shape::Fields;

/// Keys that models put around all arguments.
const WRAPPERS: &[&str] = &[
    "arguments",
    "parameters",
    "input",
    "inputs",
    "args",
    "kwargs",
    "params",
    "tool_input",
    "tool_args",
    "tool_arguments",
    "properties",
];

/// Whether an undeclared `key` may wrap all arguments (`input`, `parameters`).
#[must_use]
pub fn is_wrapper(key: &str) -> bool {
    WRAPPERS.contains(&key)
}

impl Fields {
    /// The one declared property, with its index, that differs from an undeclared `key` only in letter case, `_`, `-`,
    /// `.` or blanks (`filePath`, `file-path` for `file_path`); `None` if no property or several fit. Linear in the
    /// number of properties.
    pub fn nearest(&self, key: &str) -> Option<(usize, &str)> {
        if self.get(key).is_some() {
            return None;
        }
        let names = self.properties.iter().map(|(name, _)| name.as_str());
        let mut fits = names.enumerate().filter(|(_, name)| is_near(name, key));
        let found = fits.next()?;
        fits.next().is_none().then_some(found)
    }

    /// Whether `key` is declared, or is a near miss of one declared key.
    pub(crate) fn is_known(&self, key: &str) -> bool {
        self.get(key).is_some() || self.nearest(key).is_some()
    }
}

fn is_near(a: &str, b: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = char> + '_ {
        text.chars()
            .filter(|c| !matches!(c, '_' | '-' | '.' | ' '))
            .flat_map(char::to_lowercase)
    }
    letters(a).next().is_some() && letters(a).eq(letters(b))
}

/// The keys of `object` that may be renamed: each is the only near miss of a declared key that `object` does not have.
pub(super) fn renamable(object: &str, fields: &Fields) -> Vec<String> {
    let all: Vec<_> = members(object)
        .map(|(key, _)| {
            let near = fields.nearest(&key).map(|(place, _)| place);
            let claim = near.or(fields.place(&key));
            (key, near, claim)
        })
        .collect();
    let mut claims: Vec<usize> = all.iter().filter_map(|(_, _, claim)| *claim).collect();
    claims.sort_unstable();
    let is_only = |near: usize| {
        let from = claims.partition_point(|&claim| claim < near);
        claims.get(from + 1) != Some(&near)
    };
    let all = all.into_iter();
    let only = all.filter(|(_, near, _)| near.is_some_and(is_only));
    only.map(|(key, ..)| key.into_owned()).collect()
}
