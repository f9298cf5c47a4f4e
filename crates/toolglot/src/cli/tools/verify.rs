//! `toolglot tools verify`.

use std::fmt::Write as _;
use std::io::Write;

use toolglot_tool_catalog::CatalogAnswer;
use toolglot_tool_trust::TrustBasis;
use toolglot_value::{Value, json};

use super::project::{self, answer};
use crate::cli::args::ToolsProject;
use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;

pub(super) fn verify(
    words: &[String],
    common: &ToolsProject,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let catalog = project::open(&common.root)?;
    let (mut text, mut rows, mut is_faulty) = (String::new(), Vec::new(), false);
    for found in catalog.named(words)? {
        let status = CatalogAnswer::of(&catalog, &found);
        is_faulty |= status.is_faulty();
        let _ = write!(text, "{}", found.id);
        let _ = match &status.standing {
            Ok(TrustBasis::Signed(verified)) => {
                write!(text, "  signed by {} ({})", verified.owner, verified.key)
            }
            Ok(standing) => write!(text, "  {}", standing.word()),
            Err(refusal) => write!(text, "  refused: {refusal}"),
        };
        let _ = match (&status.runs, &status.standing) {
            (Err(error), Ok(_)) => writeln!(text, "; not called: {error}"),
            // A file that breaks rules is not called, even if somebody signed or trusts it.
            (Err(error), Err(refusal)) if error.to_string() != refusal.to_string() => {
                writeln!(text, "; not called: {error}")
            }
            _ => writeln!(text),
        };
        rows.push(json!({"id": found.id.as_str(), "standing": status.to_json()}));
    }
    answer(common, out, &json!({"tools": Value::Array(rows)}), &text)?;
    Ok(Outcome::faulty_if(is_faulty))
}
