//! `toolglot parse --jsonl`: one document in, one document out.

use std::io::Write;

use toolglot_wire::{BadLine, Line};

use crate::cli::args::ParseArguments;
use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;
use crate::cli::{batch, select};

/// Answers each line of the input with a line, in order.
pub(crate) fn parse(arguments: &ParseArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let reader = select::line_reader(&arguments.reading)?.normalize(arguments.normalize);
    batch::answer(&arguments.file, out, |line, out| {
        let line = match Line::read(line) {
            Ok(line) => line,
            Err(BadLine { id, error }) => return batch::bad(out, id, error),
        };
        match reader.read(&line) {
            Ok(digest) => {
                write_line(out, &digest.document)?;
                let is_strict_fault = arguments.strict && !digest.document.notes.is_empty();
                Ok(digest.is_faulty || is_strict_fault)
            }
            Err(error) => batch::bad(out, line.id, Failure::from(error).told()),
        }
    })
}
