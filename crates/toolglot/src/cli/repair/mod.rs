//! `toolglot repair`: repairs a document that should be JSON.

mod jsonl;
mod report;

use std::io::{self, IsTerminal, Write};

use toolglot_repair::{Preset, SchemaTarget};

use crate::cli::args::RepairArguments;
use crate::cli::failure::Failure;
use crate::cli::human::screen::{ColorScreen, harmless};
use crate::cli::human::{self, screen};
use crate::cli::outcome::Outcome;
use crate::cli::source;

/// Repairs a document, or each line of a batch.
pub(crate) fn repair(arguments: &RepairArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let target = match &arguments.schema {
        Some(path) => {
            let schema = toolglot_value::from_str(&source::document(path)?).map_err(|source| {
                Failure::Json {
                    origin: source::name(path),
                    source,
                }
            })?;
            Some(SchemaTarget::new(schema)?)
        }
        None => None,
    };
    let preset = Preset::from(arguments.preset);
    if arguments.jsonl {
        return jsonl::repair(arguments, preset, target.as_ref(), out);
    }
    let bytes = source::bytes(&arguments.file)?;
    let text = String::from_utf8_lossy(&bytes);
    let name = harmless(&source::name(&arguments.file)).into_owned();
    let is_colored = human::is_colored(arguments.color, &io::stderr());
    match toolglot_repair::repair(&text, preset, target.as_ref()) {
        Ok(document) => {
            out.write_all(document.text.as_bytes())
                .map_err(Failure::Output)?;
            if io::stdout().is_terminal() && !document.text.ends_with('\n') {
                out.write_all(b"\n").map_err(Failure::Output)?;
            }
            out.flush().map_err(Failure::Output)?;
            let page = report::Page {
                text: &text,
                name: &name,
                is_colored,
            };
            let shown = if arguments.explain {
                page.explain(&document)
            } else {
                page.faults(&document)
            };
            // Nothing can be done where standard error is closed.
            let _ = ColorScreen(screen::stderr()).write_all(shown.as_bytes());
            Ok(Outcome::faulty_if(document.is_faulty()))
        }
        Err(error) => {
            let page = report::Page {
                text: &text,
                name: &name,
                is_colored,
            };
            let _ = screen::stderr().write_all(page.refusal(&error).as_bytes());
            Ok(Outcome::Faulty)
        }
    }
}
