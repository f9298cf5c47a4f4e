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
    // What the name alone breaks is not a fault of the text.
    for said in &created.diagnostics {
        let help = said.help.as_ref().map(|help| format!("; {help}"));
        let _ = writeln!(
            screen::stderr(),
            "note: {}{}",
            said.message,
            help.unwrap_or_default()
        );
    }
    let json = json!({"id": created.id.as_str(), "path": created.path.display().to_string(), "language": created.language.name()});
    answer(common, out, &json, &format!("{}\n", created.file))?;
    Ok(Outcome::Fine)
}
