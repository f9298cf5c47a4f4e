//! `--jsonl`: one document in, one document out, in order.

use std::io::{self, BufRead, Write};
use std::path::Path;

use toolglot_value::Value;
use toolglot_wire::BadLine;

use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;
use crate::cli::source;

/// Answers each line of `path` with `answer`, which returns whether the line or its result is faulty.
/// An empty line gets no answer. A line that is not UTF-8 gets an error.
pub(crate) fn answer(
    path: &Path,
    out: &mut dyn Write,
    mut answer: impl FnMut(&str, &mut dyn Write) -> io::Result<bool>,
) -> Result<Outcome, Failure> {
    let mut input = source::open(path)?;
    let mut bytes = Vec::new();
    let mut is_faulty = false;
    let mut is_first = true;
    loop {
        bytes.clear();
        let n_read = input.read_until(b'\n', &mut bytes);
        if n_read.map_err(|error| source::failed(path, error))? == 0 {
            return Ok(Outcome::faulty_if(is_faulty));
        }
        let line = match std::str::from_utf8(&bytes) {
            Ok(line) if is_first => source::without_mark(line),
            Ok(line) => line,
            Err(error) => {
                is_faulty = true;
                let id = toolglot_value::from_str(&String::from_utf8_lossy(&bytes));
                let id = id.ok().and_then(|line| line.get("id").cloned());
                let error = format!("not UTF-8: byte {}", error.valid_up_to());
                bad(out, id.unwrap_or_default(), error).map_err(Failure::Output)?;
                continue;
            }
        };
        is_first = false;
        if line.trim().is_empty() {
            continue;
        }
        is_faulty |= answer(line, out).map_err(Failure::Output)?;
        // The client that writes the lines may wait for each answer.
        out.flush().map_err(Failure::Output)?;
    }
}

/// Writes the error of a line.
pub(crate) fn bad(out: &mut dyn Write, id: Value, error: String) -> io::Result<bool> {
    write_line(out, &BadLine { id, error })?;
    Ok(true)
}
