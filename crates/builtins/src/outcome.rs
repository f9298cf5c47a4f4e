//! The result of a builtin tool.

use toolglot_value::{Value, json};

use crate::Failure;

/// The result of a builtin tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether the call succeeded.
    pub ok: bool,
    /// The result for programs: an object. A failure has `error` (a stable code) and `message`.
    pub output: Value,
    /// The result for the model: plain text.
    pub text: String,
}

impl Outcome {
    pub(crate) fn success(output: Value, text: String) -> Outcome {
        Outcome {
            ok: true,
            output,
            text,
        }
    }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Outcome {
        let text = failure.to_string();
        let mut output = json!({"error": failure.code(), "message": text});
        if let Failure::BehindEnd { lines, .. } = failure {
            output["total_lines"] = json!(lines);
        }
        Outcome {
            ok: false,
            output,
            text,
        }
    }
}
