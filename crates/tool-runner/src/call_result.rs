//! What came of a call.

use std::time::Duration;

use toolglot_tool_files::ReturnValue;
use toolglot_tool_trust::TrustBasis;
use toolglot_value::{Map, Value};

/// One attempt of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Attempt {
    /// From 1.
    pub number: u32,
    /// Whether it did what was asked.
    pub success: bool,
    /// How it failed.
    pub error: Option<String>,
    /// How long it took.
    pub duration: Duration,
    /// Delay before the next attempt.
    pub delay: Option<Duration>,
}

/// What came of a call.
#[derive(Debug)]
#[non_exhaustive]
pub struct CallResult {
    /// The tool.
    pub id: String,
    /// The action, if one was called.
    pub action: Option<String>,
    /// The tool's version.
    pub version: Option<String>,
    /// The links of its chain.
    pub chain: Vec<String>,
    /// Why it was allowed to run.
    pub standing: TrustBasis,
    /// The arguments, defaults filled in.
    pub arguments: Map<String, Value>,
    /// What it returned.
    pub returned: ReturnValue,
    /// Every attempt.
    pub attempts: Vec<Attempt>,
    /// What it cost.
    pub cost: f64,
    /// All of it, pauses included.
    pub duration: Duration,
    /// What is to be said about it, such as that the tool is deprecated.
    pub notes: Vec<String>,
}
