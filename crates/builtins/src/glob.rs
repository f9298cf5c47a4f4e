//! File name patterns.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use crate::Failure;

/// A glob as models write it: `*.rs` matches names at any depth, `src/**/*.rs` the path from the tool's start
/// directory.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    matcher: GlobMatcher,
    is_path: bool,
}

impl Glob {
    pub(crate) fn new(parameter: &'static str, pattern: &str) -> Result<Glob, Failure> {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .map_err(|source| Failure::Glob { parameter, source })?;
        Ok(Glob {
            matcher: glob.compile_matcher(),
            is_path: pattern.contains('/'),
        })
    }

    /// Whether the pattern matches paths rather than names.
    pub(crate) fn is_path(&self) -> bool {
        self.is_path
    }

    /// `path` is relative to the tool's start directory.
    pub(crate) fn is_match(&self, path: &Path) -> bool {
        if self.is_path {
            return self.matcher.is_match(path);
        }
        path.file_name()
            .is_some_and(|name| self.matcher.is_match(name))
    }
}
