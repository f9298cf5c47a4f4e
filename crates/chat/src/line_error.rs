//! Errors in the settings of a batch line.

use thiserror::Error;
use toolglot_toolset::{ToolError, Toolbox};

use crate::error::ChatError;

/// Why a batch line cannot be read with its settings.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LineError {
    /// The dialects cannot be used.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// The tools name an unknown builtin set.
    #[error("unknown builtin tool set `{0}`; write {list}", list = Toolbox::BUILTIN.join(", "))]
    UnknownToolbox(String),
    /// The tools are not a tool list.
    #[error("tools: not a tool list: {0}")]
    Tools(ToolError),
    /// The finish reason is unknown.
    #[error("`finish` is `stop`, `length` or `unknown`, not `{0}`")]
    UnknownFinish(String),
}
