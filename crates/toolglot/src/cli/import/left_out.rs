//! Substitutes for the commands that the build leaves out.

use std::io::Write;
use std::path::Path;

use toolglot_engine::Dialect;

use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;

/// Reports that this build does not read chat templates.
pub(crate) fn detect(_: &Path, _: &mut dyn Write) -> Result<Outcome, Failure> {
    Err(left_out("dialects detect"))
}

/// Reports that this build does not read chat templates.
pub(crate) fn match_template(_: &Path, _: &Dialect, _: &mut dyn Write) -> Result<Outcome, Failure> {
    Err(left_out("dialects detect"))
}

/// Reports that this build does not read chat templates.
pub(crate) fn draft(_: &Path, _: &str) -> Result<String, Failure> {
    Err(left_out("dialects new --template"))
}

/// Reports that this build does not read response templates.
pub(crate) fn imported(_: &str, _: &Path, _: &str) -> Result<String, Failure> {
    Err(left_out("dialects import"))
}

fn left_out(command: &'static str) -> Failure {
    Failure::LeftOut {
        command,
        feature: "import",
    }
}
