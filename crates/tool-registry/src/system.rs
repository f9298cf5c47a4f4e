//! The tools that come with toolglot: the files of `system/`, signed.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use toolglot_tool_files::{EXTENSIONS, ItemId, Language};

use crate::{Entry, Space, ToolSource};

macro_rules! files {
    ($($id:literal $extension:literal;)*) => {
        /// Id, extension and text, in order of id.
        const FILES: &[(&str, &str, &str)] = &[$((
            $id,
            $extension,
            include_str!(concat!("../system/", $id, ".", $extension)),
        )),*];
    };
}

files! {
    "rye/bash/bash" "yaml";
    "rye/core/primitives/filesystem" "yaml";
    "rye/core/primitives/http_client" "yaml";
    "rye/core/primitives/subprocess" "yaml";
    "rye/core/runtimes/bash/bash" "yaml";
    "rye/core/runtimes/mcp/http" "yaml";
    "rye/core/runtimes/mcp/stdio" "yaml";
    "rye/core/runtimes/node/node" "yaml";
    "rye/core/runtimes/python/function" "yaml";
    "rye/core/runtimes/python/script" "yaml";
    "rye/file-system/edit_lines" "yaml";
    "rye/file-system/glob" "yaml";
    "rye/file-system/grep" "yaml";
    "rye/file-system/ls" "yaml";
    "rye/file-system/read" "yaml";
    "rye/file-system/write" "yaml";
}

/// The system's file with an id, even if another space has that id.
pub fn system_file(id: &ItemId) -> Option<ToolSource> {
    find(id)
}

pub(crate) fn find(id: &ItemId) -> Option<ToolSource> {
    // A parsed file stays in memory: nearly every call uses two.
    static FOUND: LazyLock<BTreeMap<ItemId, ToolSource>> = LazyLock::new(|| {
        let found = FILES.iter().filter_map(|(id, extension, text)| {
            let (entry, language) = entry(id, extension)?;
            let id = entry.id.clone();
            Some((
                id,
                ToolSource::new(entry, language, None, (*text).to_owned()),
            ))
        });
        found.collect()
    });
    // All copies share the parsed content.
    FOUND.get(id).cloned()
}

pub(crate) fn entries() -> impl Iterator<Item = Entry> {
    FILES
        .iter()
        .filter_map(|(id, extension, _)| Some(entry(id, extension)?.0))
}

fn entry(id: &str, extension: &str) -> Option<(Entry, Language)> {
    let (extension, language) = EXTENSIONS.iter().find(|(known, _)| *known == extension)?;
    let entry = Entry {
        id: ItemId::new(id).ok()?,
        space: Space::System,
        extension,
    };
    Some((entry, *language))
}
