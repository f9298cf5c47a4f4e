//! `toolglot repair`: a document that should be JSON, as JSON.

mod answer;
mod edits;
mod jsonl;
mod report;
mod target;

use std::io::{self, IsTerminal, Write};

use toolglot_json::Options;

use crate::args::{Preset, RepairArguments};
use crate::failure::Failure;
use crate::human::screen::{ColorScreen, harmless};
use crate::human::{self, screen};
use crate::{Outcome, source};

use answer::{Refusal, answer};
use target::Target;

impl From<Preset> for Options {
    fn from(preset: Preset) -> Options {
        match preset {
            Preset::Llm => Options::LLM,
            Preset::Jsonrepair => Options::JSONREPAIR,
            Preset::JsonRepair => Options::JSON_REPAIR,
        }
    }
}

/// Repairs a document, or each line of a batch.
pub(crate) fn repair(arguments: &RepairArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let target = match &arguments.schema {
        Some(path) => {
            let schema =
                serde_json::from_str(&source::document(path)?).map_err(|source| Failure::Json {
                    origin: source::name(path),
                    source,
                })?;
            Some(Target::new(schema)?)
        }
        None => None,
    };
    let options = Options::from(arguments.preset);
    if arguments.jsonl {
        return jsonl::repair(arguments, &options, target.as_ref(), out);
    }
    let bytes = source::bytes(&arguments.file)?;
    let text = String::from_utf8_lossy(&bytes);
    let name = harmless(&source::name(&arguments.file)).into_owned();
    let is_colored = human::is_colored(arguments.color, &io::stderr());
    match answer(&text, &options, target.as_ref()) {
        Ok(answer) => {
            out.write_all(answer.text.as_bytes())
                .map_err(Failure::Output)?;
            if io::stdout().is_terminal() && !answer.text.ends_with('\n') {
                out.write_all(b"\n").map_err(Failure::Output)?;
            }
            out.flush().map_err(Failure::Output)?;
            let page = report::Page {
                text: &text,
                name: &name,
                is_colored,
            };
            let shown = if arguments.explain {
                page.explain(&answer)
            } else {
                page.faults(&answer)
            };
            // Nothing can be done where standard error is closed.
            let _ = ColorScreen(screen::stderr()).write_all(shown.as_bytes());
            Ok(Outcome::faulty_if(answer.is_faulty()))
        }
        Err(refusal) => {
            let page = report::Page {
                text: &text,
                name: &name,
                is_colored,
            };
            let _ = screen::stderr().write_all(page.refusal(&refusal).as_bytes());
            Ok(Outcome::Faulty)
        }
    }
}
