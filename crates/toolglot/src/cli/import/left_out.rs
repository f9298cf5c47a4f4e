//! What stands for the commands where they were left out of the build.

use std::io::Write;
use std::path::Path;

use toolglot_engine::Dialect;

use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;

/// Says that chat templates are not read by this build.
pub(crate) fn detect(_: &Path, _: &mut dyn Write) -> Result<Outcome, Failure> {
    Err(left_out("dialects detect"))
}

/// Says that chat templates are not read by this build.
pub(crate) fn match_template(_: &Path, _: &Dialect, _: &mut dyn Write) -> Result<Outcome, Failure> {
    Err(left_out("dialects detect"))
}

/// Says that chat templates are not read by this build.
pub(crate) fn draft(_: &Path, _: &str) -> Result<String, Failure> {
    Err(left_out("dialects new --template"))
}

/// Says that response templates are not read by this build.
pub(crate) fn imported(_: &str, _: &Path, _: &str) -> Result<String, Failure> {
    Err(left_out("dialects import"))
}

fn left_out(command: &'static str) -> Failure {
    Failure::LeftOut {
        command,
        feature: "import",
    }
}
