//! A cache of files by their bytes, so that equal bytes are not parsed again.
//!
//! A file is opened and read at every lookup. If its bytes are the cached ones, the values that follow from the bytes
//! alone are reused: fields, schemas, imports, the digest. Whether it may run does not follow from its bytes, and is
//! decided each time.
//! The cache is in the memory of this process: nothing in it comes from a disk.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::{ItemId, Space, ToolSource};

/// The most files, and the most bytes, in the cache. Beyond either limit the cache is cleared.
const MAX_FILES: usize = 128;
const MAX_BYTES: usize = 8 << 20;

#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<Files>);

#[derive(Debug, Default)]
struct Files {
    by_place: HashMap<(Space, ItemId, &'static str), ToolSource>,
    n_bytes: usize,
}

impl Memory {
    /// The cached file with the same place and text, or else `found` itself.
    pub(super) fn of(&self, found: ToolSource) -> ToolSource {
        if found.path.is_none() {
            // It is on no disk, and its maker keeps it.
            return found;
        }
        let Ok(mut files) = self.0.lock() else {
            return found;
        };
        let place = (found.space, found.id.clone(), found.extension);
        if let Some(known) = files.by_place.get(&place)
            && known.text() == found.text()
        {
            return known.clone();
        }
        files.n_bytes += found.text().len();
        if files.by_place.len() >= MAX_FILES || files.n_bytes > MAX_BYTES {
            *files = Files {
                n_bytes: found.text().len(),
                ..Files::default()
            };
        }
        // A place with new bytes counts twice until the cache is cleared, so the total is never too low.
        files.by_place.insert(place, found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_FILES, Memory};
    use crate::{Entry, ItemId, Language, Space, ToolSource};

    fn found(name: &str, text: &str) -> ToolSource {
        let entry = Entry {
            id: ItemId::new(name).expect("an id"),
            space: Space::Project,
            extension: "py",
        };
        let path = Some(format!("/p/.ai/tools/{name}.py").into());
        ToolSource::new(entry, Language::Python, path, text.to_owned())
    }

    #[test]
    fn other_bytes_are_another_file() {
        let memory = Memory::default();
        let first = memory.of(found("a/b-c", "__version__ = \"1.0.0\"\n"));
        assert_eq!(first.tool().metadata.version.as_deref(), Some("1.0.0"));
        let again = memory.of(found("a/b-c", "__version__ = \"1.0.0\"\n"));
        assert!(std::ptr::eq(first.tool(), again.tool()));
        let other = memory.of(found("a/b-c", "__version__ = \"2.0.0\"\n"));
        assert_eq!(other.tool().metadata.version.as_deref(), Some("2.0.0"));
        assert_ne!(first.digest(), other.digest());
        let elsewhere = memory.of(found("a/b-d", "__version__ = \"2.0.0\"\n"));
        assert_eq!(elsewhere.tool().id.as_str(), "a/b-d");
    }

    #[test]
    fn it_never_holds_more_than_it_says() {
        let memory = Memory::default();
        for number in 0..3 * MAX_FILES {
            memory.of(found(&format!("a/tool-{number}"), ""));
            let files = memory.0.lock().expect("nobody panicked");
            assert!(files.by_place.len() <= MAX_FILES);
        }
    }
}
