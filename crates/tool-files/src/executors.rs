//! The executors that come with toolglot, by the names that tool files give them.

/// The start of the ids of the system's runtimes and primitives.
pub(crate) const SYSTEM: &str = "rye/core/";

/// The start of the ids of the Python runtimes.
pub(crate) const PYTHON: &str = "rye/core/runtimes/python/";

/// The ids of all executors of the system, in order.
pub const SYSTEM_EXECUTORS: &[&str] = &[
    "rye/core/primitives/filesystem",
    "rye/core/primitives/http_client",
    "rye/core/primitives/subprocess",
    "rye/core/runtimes/bash/bash",
    "rye/core/runtimes/mcp/http",
    "rye/core/runtimes/mcp/stdio",
    "rye/core/runtimes/node/node",
    "rye/core/runtimes/python/function",
    "rye/core/runtimes/python/script",
];

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

/// The id for a short name of an executor; any other name is its own id.
pub fn executor_id(name: &str) -> &str {
    SHORT
        .iter()
        .find(|(short, _)| *short == name)
        .map_or(name, |(_, id)| id)
}

/// The executors of the system, as files name them.
pub const EXECUTORS: &str =
    "python/function, python/script, node, bash, subprocess, http_client, mcp/stdio and mcp/http";

/// The executor that an unknown `name` probably means: one of the system's or of `others`.
///
/// Long paths share their start, so only their last parts are compared.
pub fn nearest_executor<'a>(
    name: &str,
    mut others: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let last = |id: &str| id.rsplit('/').next().unwrap_or(id).to_owned();
    let inside = name.strip_prefix("rye/core/");
    let bare = inside.and_then(|inside| Some(inside.split_once('/')?.1));
    let short = SHORT.iter().map(|(short, _)| *short);
    toolglot_toolset::nearest(bare.unwrap_or(name), short).or_else(|| {
        let own = last(name);
        let is_near = |id: &str| {
            toolglot_toolset::nearest(&own, std::iter::once(last(id).as_str())).is_some()
        };
        others.find(|id| is_near(id))
    })
}
