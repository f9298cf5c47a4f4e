//! `toolglot audit`: a log shown, or checked.

use std::io::{self, Write};

use toolglot_builtins::audit;
use toolglot_value::Value;

use crate::cli::args::AuditCommand;
use crate::cli::failure::Failure;
use crate::cli::human::screen::Screen;
use crate::cli::outcome::Outcome;
use crate::cli::source;

/// Shows or checks a log.
pub(crate) fn audit(command: &AuditCommand, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let (AuditCommand::Show { file } | AuditCommand::Verify { file }) = command;
    let log = source::bytes(file)?;
    if let AuditCommand::Show { .. } = command {
        let text = String::from_utf8_lossy(&log);
        for line in text.lines() {
            show(line, &mut Screen::new(&mut *out)).map_err(Failure::Output)?;
        }
    }
    let verified = audit::verify(&log);
    let is_broken = verified.is_err();
    match verified {
        Ok(whole) => {
            let torn = if whole.torn > 0 {
                format!(", {} cut off by a crash", whole.torn)
            } else {
                String::new()
            };
            writeln!(
                out,
                "the log is whole: {} lines{torn}, the last has the hash {}",
                whole.lines, whole.last
            )
        }
        Err(broken) => writeln!(out, "THE LOG IS BROKEN: {broken}"),
    }
    .map_err(Failure::Output)?;
    Ok(Outcome::faulty_if(is_broken))
}

fn show(line: &str, out: &mut dyn Write) -> io::Result<()> {
    let Ok(record) = toolglot_value::from_str(line) else {
        return writeln!(out, "?     not a record: {} bytes", line.len());
    };
    let text = |key: &str| {
        record
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .escape_debug()
            .to_string()
    };
    let seq = record
        .get("seq")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    writeln!(
        out,
        "{seq:<5} {} {:7} {:5} {} {} ({})",
        text("time"),
        text("event"),
        text("decision"),
        text("tool"),
        record.get("arguments").unwrap_or(&Value::Null),
        text("rule")
    )
}
