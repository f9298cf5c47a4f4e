//! `toolglot audit`, and what a run writes into its log.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use toolglot_exec::Root;
use toolglot_exec::audit::{self, Log, hex};
use toolglot_policy::{Decision, PathFact, Verdict};
use toolglot_runtimes::Attempt;

use crate::Outcome;
use crate::approval::Shown;
use crate::args::AuditCommand;
use crate::authority::real;
use crate::failure::Failure;
use crate::human::screen::Screen;
use crate::run::step::{State, Step};
use crate::source;

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
    let Ok(record) = serde_json::from_str::<Value>(line) else {
        return writeln!(out, "?     a line that is none: {} bytes", line.len());
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

/// The verdict on what cannot be logged.
pub(crate) fn unaudited(error: &io::Error) -> Verdict {
    Verdict {
        decision: Decision::Deny,
        rule: "audit-failed".into(),
        because: format!(
            "the audit log cannot be written, and nothing is done that it does not tell: {error}"
        ),
    }
}

/// So much of why an attempt failed is logged, in bytes.
const MAX_ERROR: usize = 4 << 10;

/// What came of a call, for the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Came<'a> {
    pub(crate) ok: bool,
    pub(crate) error: Option<&'a Value>,
    pub(crate) text: &'a str,
}

/// Where the log is: where the command line says, or else the environment.
pub(crate) fn place(named: Option<&Path>) -> Option<PathBuf> {
    named
        .map(Path::to_path_buf)
        .or_else(|| std::env::var_os("TOOLGLOT_AUDIT").map(PathBuf::from))
}

/// Writes a run into a log.
#[derive(Debug)]
pub(crate) struct Auditor {
    log: Log,
    has_values: bool,
}

impl Auditor {
    /// The log at `place`. Where that leads is looked up now: what becomes of a link later does not turn the log elsewhere.
    pub(crate) fn new(place: &Path, has_values: bool) -> Auditor {
        Auditor {
            log: Log::new(real(place)),
            has_values,
        }
    }

    /// A call is about to be carried out.
    pub(crate) fn before(
        &self,
        shown: &Shown<'_>,
        verdict: &Verdict,
        paths: &[PathFact],
    ) -> io::Result<()> {
        let mut record = self.record("before", shown, verdict);
        let resolved: Vec<Value> = paths
            .iter()
            .filter_map(|fact| fact.inside())
            .map(|path| path.to_string_lossy().into())
            .collect();
        record.insert("paths".into(), resolved.into());
        self.log.append(record)
    }

    /// What came of a call.
    pub(crate) fn after(&self, root: &Root, step: &Step) -> io::Result<()> {
        let came = match &step.state {
            State::Done(outcome) => Some(Came {
                ok: outcome.ok,
                error: outcome.output.get("error"),
                text: &outcome.text,
            }),
            State::Refused => None,
            State::Repeated(_) | State::Planned | State::Pending => return Ok(()),
        };
        let shown = Shown {
            root,
            tool: &step.call.tool,
            arguments: &step.call.arguments,
        };
        self.came(&shown, &step.verdict, came, step.duration)
    }

    /// What came of it; `None` if it was refused.
    pub(crate) fn came(
        &self,
        shown: &Shown<'_>,
        verdict: &Verdict,
        came: Option<Came<'_>>,
        duration: Duration,
    ) -> io::Result<()> {
        let event = if came.is_some() { "after" } else { "refused" };
        let mut record = self.record(event, shown, verdict);
        let result = came.map(|came| {
            json!({"ok": came.ok, "error": came.error, "bytes": came.text.len(),
                "sha256": hex(&Sha256::digest(came.text))})
        });
        record.insert("result".into(), result.into());
        let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        record.insert("duration_ms".into(), milliseconds.into());
        self.log.append(record)
    }

    /// One of several attempts has ended.
    pub(crate) fn attempted(
        &self,
        shown: &Shown<'_>,
        verdict: &Verdict,
        attempt: &Attempt,
    ) -> io::Result<()> {
        let milliseconds = |duration: Duration| u64::try_from(duration.as_millis()).ok();
        let mut record = self.record("attempt", shown, verdict);
        let error = attempt.error.as_deref().map(|error| {
            let error = audit::masked_text(error);
            toolglot_exec::cut(error, MAX_ERROR)
        });
        record.insert("number".into(), attempt.number.into());
        record.insert(
            "result".into(),
            json!({"ok": attempt.success, "error": error}),
        );
        record.insert("duration_ms".into(), milliseconds(attempt.duration).into());
        record.insert(
            "delay_ms".into(),
            attempt.delay.and_then(milliseconds).into(),
        );
        self.log.append(record)
    }

    fn record(&self, event: &str, shown: &Shown<'_>, verdict: &Verdict) -> Map<String, Value> {
        let arguments = if self.has_values {
            audit::masked(shown.arguments)
        } else {
            audit::shape(shown.arguments)
        };
        let record = json!({
            "event": event,
            "process": std::process::id(),
            "root": shown.root.path().to_string_lossy(),
            "tool": shown.tool,
            "call": hex(&Sha256::digest(shown.canonical())),
            "arguments": arguments,
            "decision": verdict.decision.word(),
            "rule": verdict.rule,
            "because": self.has_values.then(|| audit::masked_text(&verdict.because)),
        });
        match record {
            Value::Object(record) => record,
            _ => Map::new(),
        }
    }
}
