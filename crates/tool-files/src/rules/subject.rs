//! The file that the rules check.

use crate::ItemId;
use crate::Language;
use crate::read::Reading;

/// The tool types in the format's table "Tool Types".
pub(super) const TOOL_TYPES: &[&str] = &[
    "python",
    "script",
    "mcp",
    "mcp_server",
    "primitive",
    "runtime",
    "library",
    "yaml",
    "http",
];

/// Types that no executor runs.
pub(super) const WITHOUT_EXECUTOR: &[&str] = &["primitive", "runtime", "library", "mcp_server"];

/// The file that the rules check.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) id: &'a ItemId,
    pub(crate) language: Language,
    pub(crate) text: &'a str,
    pub(crate) reading: &'a Reading,
}

impl Subject<'_> {
    pub(crate) fn tool_type(&self) -> Option<&str> {
        self.reading.get("tool_type")?.as_text()
    }

    pub(crate) fn executor(&self) -> Option<&str> {
        self.reading.get("executor_id")?.as_text()
    }

    /// Whether its program receives the parameters as variables.
    pub(crate) fn gives_variables(&self) -> bool {
        let executor = crate::executor_id(self.executor().unwrap_or_default());
        (self.language == Language::Bash || self.language.is_configuration())
            && [
                "rye/core/runtimes/bash/bash",
                "rye/core/primitives/subprocess",
            ]
            .contains(&executor)
    }

    /// Where a missing field is reported: the author's first line, after the signature.
    pub(crate) fn top(&self) -> std::ops::Range<usize> {
        let mut at = 0;
        for line in self.text.split_inclusive('\n').take(3) {
            let written = line.trim_end();
            if !written.starts_with("#!") && !toolglot_tool_signature::is_signature_like(written) {
                return at..at + line.trim_end_matches('\n').len();
            }
            at += line.len();
        }
        0..0
    }

    /// Whether it is called itself, rather than used by other files.
    pub(crate) fn is_tool(&self) -> bool {
        self.part().is_none()
    }

    /// The kind of a file that is not called; `None` for a tool. It is a type without an executor; or a program with no
    /// executor and nothing to call or start: a module for imports; or a configuration of an unknown type without an
    /// executor: data.
    pub(crate) fn part(&self) -> Option<&str> {
        let tool_type = self.tool_type();
        if let Some(part) = tool_type.filter(|name| WITHOUT_EXECUTOR.contains(name)) {
            return Some(part);
        }
        let executor = self.reading.get("executor_id");
        if executor.is_some_and(|executor| !executor.is_no_executor()) {
            return None;
        }
        let code = &self.reading.code;
        match self.language {
            Language::Python | Language::JavaScript | Language::TypeScript => {
                let is_started = code.entry.is_some() || code.has_main_block || code.starts;
                (executor.is_none() && !is_started).then_some("module")
            }
            Language::Yaml | Language::Toml => tool_type.filter(|name| {
                toolglot_toolset::nearest(name, TOOL_TYPES.iter().copied()).is_none()
            }),
            Language::Bash => None,
        }
    }

    /// Whether fields are written as variables of a program.
    pub(crate) fn has_variables(&self) -> bool {
        !self.language.is_configuration() && !self.reading.is_yaml
    }
}
