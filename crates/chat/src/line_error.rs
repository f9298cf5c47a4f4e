//! What a line of a batch asks for and cannot have.

use thiserror::Error;
use toolglot_toolset::{ToolError, Toolbox};

use crate::error::ChatError;

/// Why a line of a batch cannot be read as it asks.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LineError {
    /// Its dialects.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// Its tools are a name that no builtin set has.
    #[error("unknown builtin tool set `{0}`; write {list}", list = Toolbox::BUILTIN.join(", "))]
    UnknownToolbox(String),
    /// Its tools are not a tool list.
    #[error("tools: not a tool list: {0}")]
    Tools(ToolError),
    /// Its reason to stop.
    #[error("`finish` is `stop`, `length` or `unknown`, not `{0}`")]
    UnknownFinish(String),
}
