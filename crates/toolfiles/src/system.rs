//! The tools that come with toolglot: the files of `system/`, signed.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::language::EXTENSIONS;
use crate::sign::{PublicKey, Signer};
use crate::{Entry, Found, Space};
use crate::{ItemId, Language};

/// The key that signed them. The other half was thrown away: a change of the files comes with a new key.
const KEY: &str = include_str!("../system/public_key.pem");

macro_rules! files {
    ($($id:literal $extension:literal;)*) => {
        /// Id, extension, text; in the order of ids.
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

/// Short names of executors, as tool files write them.
const SHORT: &[(&str, &str)] = &[
    ("python/function", "rye/core/runtimes/python/function"),
    ("python_function", "rye/core/runtimes/python/function"),
    ("python/script", "rye/core/runtimes/python/script"),
    ("python_script", "rye/core/runtimes/python/script"),
    ("python_runtime", "rye/core/runtimes/python/script"),
    ("python", "rye/core/runtimes/python/script"),
    ("node/node", "rye/core/runtimes/node/node"),
    ("node_runtime", "rye/core/runtimes/node/node"),
    ("node", "rye/core/runtimes/node/node"),
    ("bash", "rye/core/runtimes/bash/bash"),
    ("bash/bash", "rye/core/runtimes/bash/bash"),
    ("bash_runtime", "rye/core/runtimes/bash/bash"),
    ("rye/core/runtimes/bash", "rye/core/runtimes/bash/bash"),
    ("mcp/http", "rye/core/runtimes/mcp/http"),
    ("mcp_http", "rye/core/runtimes/mcp/http"),
    ("mcp/stdio", "rye/core/runtimes/mcp/stdio"),
    ("mcp_stdio", "rye/core/runtimes/mcp/stdio"),
    ("subprocess", "rye/core/primitives/subprocess"),
    ("http_client", "rye/core/primitives/http_client"),
    ("filesystem", "rye/core/primitives/filesystem"),
];

/// The id that a short name of an executor stands for; any other name stands for itself.
pub fn executor_id(name: &str) -> &str {
    SHORT
        .iter()
        .find(|(short, _)| *short == name)
        .map_or(name, |(_, id)| id)
}

/// The executors of the system, as files name them.
pub const EXECUTORS: &str =
    "python/function, python/script, node, bash, subprocess, http_client, mcp/stdio and mcp/http";

/// The executor that was probably meant by a name that none has: one of the system's or of `others`.
///
/// Long paths are alike by what they begin with, so that only what differs is compared.
pub fn nearest_executor<'a>(
    name: &str,
    mut others: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let last = |id: &str| id.rsplit('/').next().unwrap_or(id).to_owned();
    let inside = name.strip_prefix("rye/core/");
    let bare = inside.and_then(|inside| Some(inside.split_once('/')?.1));
    let short = SHORT.iter().map(|(short, _)| *short);
    toolglot_tools::nearest(bare.unwrap_or(name), short).or_else(|| {
        let own = last(name);
        let is_near =
            |id: &str| toolglot_tools::nearest(&own, std::iter::once(last(id).as_str())).is_some();
        others.find(|id| is_near(id))
    })
}

/// The file of the system that has an id, whoever else has one of that id.
pub fn system_file(id: &ItemId) -> Option<Found> {
    find(id)
}

pub(crate) fn find(id: &ItemId) -> Option<Found> {
    // What was read of one of them stays read: nearly every call passes two.
    static FOUND: LazyLock<BTreeMap<ItemId, Found>> = LazyLock::new(|| {
        let found = FILES.iter().filter_map(|(id, extension, text)| {
            let (entry, language) = entry(id, extension)?;
            let id = entry.id.clone();
            Some((id, Found::new(entry, language, None, (*text).to_owned())))
        });
        found.collect()
    });
    // What is read of a copy is read of them all.
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

pub(crate) fn signer() -> Signer {
    Signer {
        key: PublicKey::from_pem(KEY).expect("a test reads the embedded key"),
        owner: "toolglot".to_owned(),
        revoked: None,
    }
}
