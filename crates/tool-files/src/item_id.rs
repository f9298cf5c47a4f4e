//! Ids of tools: the path of the file below `tools/`, without its extension.

use std::fmt;

use thiserror::Error;

/// The longest id: the most bytes that a call's name can hold.
const MAX_BYTES: usize = 160;

/// The id of a file below `tools/`; it cannot lead out of that directory: `rye/file-system/write`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(String);

/// Why a text is not an id.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IdError {
    /// The text is empty.
    #[error("an id is not empty")]
    Empty,
    /// The id is longer than a call's name can be.
    #[error("the id has {0} bytes; {MAX_BYTES} are the most")]
    TooLong(usize),
    /// `/x`, `C:\x`.
    #[error("`{0}` is an absolute path, and an id is relative to `.ai/tools`")]
    Absolute(String),
    /// `a//b`, `a/`.
    #[error("`{0}` has an empty part between its slashes")]
    EmptyPart(String),
    /// `..`, `.`
    #[error("`{0}` would lead out of `.ai/tools`: the parts of an id are neither `.` nor `..`")]
    Traversal(String),
    /// A part that starts with a dot.
    #[error("a part of `{0}` starts with a dot, which no part of an id may")]
    Hidden(String),
    /// A character that no id may have.
    #[error(
        "`{id}` holds {character:?}; the parts of an id have letters, digits, `-`, `_` and `.`"
    )]
    Character {
        /// The id.
        id: String,
        /// The character.
        character: char,
    },
}

impl ItemId {
    /// Parses an id.
    ///
    /// # Errors
    /// [`IdError`] for a text that could lead elsewhere or that no call can name.
    pub fn new(text: &str) -> Result<ItemId, IdError> {
        if is_plain(text) {
            return Ok(ItemId(text.to_owned()));
        }
        if text.is_empty() {
            return Err(IdError::Empty);
        }
        if text.len() > MAX_BYTES {
            return Err(IdError::TooLong(text.len()));
        }
        let has_drive = text.as_bytes().get(1) == Some(&b':');
        if text.starts_with(['/', '\\', '~']) || has_drive {
            return Err(IdError::Absolute(text.to_owned()));
        }
        for part in text.split(['/', '\\']) {
            if part.is_empty() {
                return Err(IdError::EmptyPart(text.to_owned()));
            }
            if part == "." || part == ".." {
                return Err(IdError::Traversal(text.to_owned()));
            }
        }
        let bad = |c: char| !(c.is_alphanumeric() || "-_./".contains(c));
        if let Some(character) = text.chars().find(|c| bad(*c)) {
            return Err(IdError::Character {
                id: text.to_owned(),
                character,
            });
        }
        if text.split('/').any(|part| part.starts_with('.')) {
            return Err(IdError::Hidden(text.to_owned()));
        }
        Ok(ItemId(text.to_owned()))
    }

    /// The whole id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The directory below `tools/`; empty for a file directly in `tools/`.
    pub fn category(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(category, _)| category)
    }

    /// The last part.
    pub fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a text is an id of ASCII characters alone, as nearly all ids are. One pass over the bytes decides it.
fn is_plain(text: &str) -> bool {
    let mut before = b'/';
    for byte in text.bytes() {
        let fits = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => true,
            b'.' | b'/' => before != b'/',
            _ => false,
        };
        if !fits {
            return false;
        }
        before = byte;
    }
    before != b'/' && text.len() <= MAX_BYTES
}

/// Whether a word may come after the dot of `tool-id.action`.
pub(crate) fn is_name(word: &str) -> bool {
    !word.is_empty()
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_elsewhere_is_no_id() {
        for (text, kind) in [
            ("", "Empty"),
            ("/etc/passwd", "Absolute"),
            ("C:/x", "Absolute"),
            ("~/x", "Absolute"),
            ("a//b", "EmptyPart"),
            ("a/", "EmptyPart"),
            ("../x", "Traversal"),
            ("a/../../x", "Traversal"),
            ("a/./b", "Traversal"),
            ("a\\..\\b", "Traversal"),
            ("a b", "Character"),
            ("a\0b", "Character"),
            (".git/config", "Hidden"),
            ("a/.b", "Hidden"),
            ("a/%2e%2e/b", "Character"),
        ] {
            let error = ItemId::new(text).expect_err(text);
            assert!(format!("{error:?}").starts_with(kind), "{text}: {error:?}");
        }
        let id = ItemId::new("rye/file-system/edit_lines").expect("an id of the origin");
        assert_eq!(
            (id.category(), id.name()),
            ("rye/file-system", "edit_lines")
        );
        assert!(ItemId::new(&"a".repeat(161)).is_err());
    }
}
