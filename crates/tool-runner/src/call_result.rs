//! The result of a call.

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
    /// Whether the attempt succeeded.
    pub success: bool,
    /// The error of a failed attempt.
    pub error: Option<String>,
    /// The attempt's duration.
    pub duration: Duration,
    /// Delay before the next attempt.
    pub delay: Option<Duration>,
}

/// The result of a call.
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
    /// Why the tool is trusted.
    pub standing: TrustBasis,
    /// The arguments, defaults filled in.
    pub arguments: Map<String, Value>,
    /// The returned value.
    pub returned: ReturnValue,
    /// All attempts.
    pub attempts: Vec<Attempt>,
    /// The cost of all attempts.
    pub cost: f64,
    /// The total duration, delays included.
    pub duration: Duration,
    /// Notes for the caller, such as that the tool is deprecated.
    pub notes: Vec<String>,
}
