//! Parameter names that miss by a little: letter case, `_` and `-` aside.

use crate::shape::Fields;

/// Names under which models put all arguments once more.
const WRAPPERS: &[&str] = &[
    "arguments",
    "parameters",
    "input",
    "args",
    "kwargs",
    "params",
];

/// Whether an undeclared `key` may hold the arguments.
pub(super) fn is_wrapper(key: &str) -> bool {
    WRAPPERS.contains(&key)
}

impl Fields {
    /// The declared property that an undeclared `key` misses by letter case, `_` or `-` only (`filePath`, `file-path` for
    /// `file_path`), with its place; `None` if there is none, or more than one. Linear in the number of properties.
    pub fn nearest(&self, key: &str) -> Option<(usize, &str)> {
        if self.get(key).is_some() {
            return None;
        }
        let mut fits = self
            .properties
            .iter()
            .enumerate()
            .filter(|(_, (name, _))| is_near(name, key));
        let (place, (name, _)) = fits.next()?;
        fits.next().is_none().then_some((place, name))
    }
}

fn is_near(a: &str, b: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = u8> + '_ {
        let letters = text.bytes().filter(|byte| !matches!(byte, b'_' | b'-'));
        letters.map(|byte| byte.to_ascii_lowercase())
    }
    letters(a).next().is_some() && letters(a).eq(letters(b))
}
