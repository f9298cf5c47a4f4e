//! `toolglot tools new`.

use std::io::Write;

use toolglot_tool_catalog::create_tool;
use toolglot_value::json;

use super::project::answer;
use crate::cli::args::ToolsProject;
use crate::cli::failure::Failure;
use crate::cli::human::screen;
use crate::cli::outcome::Outcome;

pub(super) fn new(
    id: &str,
    word: &str,
    common: &ToolsProject,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let created = create_tool(&common.root, id, word)?;
    // A rule that only the name breaks is reported, but is not a failure.
    for note in &created.diagnostics {
        let help = note.help.as_ref().map(|help| format!("; {help}"));
        let _ = writeln!(
            screen::stderr(),
            "note: {}{}",
            note.message,
            help.unwrap_or_default()
        );
    }
    let json = json!({"id": created.id.as_str(), "path": created.path.display().to_string(), "language": created.language.name()});
    answer(common, out, &json, &format!("{}\n", created.file))?;
    Ok(Outcome::Fine)
}
