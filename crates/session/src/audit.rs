//! What a session writes into its log, and the log as a file.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};
use toolglot_builtins::audit::{self, Log, hex};
use toolglot_policy::{Decision, PathFact, Verdict};
use toolglot_tool_runner::Attempt;
use toolglot_value::{Map, Value, json};

use crate::approval::CallSummary;
use crate::own_files::real;

/// A log of what is decided and done.
///
/// What [`before`](AuditLog::before) cannot write is not done. What cannot be written afterwards is lost: it cannot be
/// undone, and that it would be done stands there already.
pub trait AuditLog: Send + Sync {
    /// A call is about to be carried out, at these places of the root.
    ///
    /// # Errors
    /// If it cannot be written; the call is refused then, as it is if this panics.
    fn before(
        &self,
        call: &CallSummary<'_>,
        verdict: &Verdict,
        paths: &[PathFact],
    ) -> io::Result<()>;

    /// A call has ended.
    ///
    /// # Errors
    /// If it cannot be written.
    fn after(
        &self,
        _call: &CallSummary<'_>,
        _verdict: &Verdict,
        _result: &LoggedResult<'_>,
        _duration: Duration,
    ) -> io::Result<()> {
        Ok(())
    }

    /// One of several attempts at a call has ended.
    ///
    /// # Errors
    /// If it cannot be written.
    fn attempt(
        &self,
        _call: &CallSummary<'_>,
        _verdict: &Verdict,
        _attempt: &Attempt,
    ) -> io::Result<()> {
        Ok(())
    }

    /// A call was refused.
    ///
    /// # Errors
    /// If it cannot be written.
    fn refused(
        &self,
        _call: &CallSummary<'_>,
        _verdict: &Verdict,
        _duration: Duration,
    ) -> io::Result<()> {
        Ok(())
    }

    /// The files that it is, if it is any: no call changes them.
    fn files(&self) -> Vec<&Path> {
        Vec::new()
    }
}

/// What came of a call, for a log.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LoggedResult<'a> {
    /// Whether it did what was asked.
    pub ok: bool,
    /// What the result has under `error`.
    pub error: Option<&'a Value>,
    /// What a model reads of it.
    pub text: &'a str,
}

/// Writes what is about to be done; without that it is not done.
pub(crate) fn log_before(
    log: Option<&dyn AuditLog>,
    call: &CallSummary<'_>,
    verdict: &Verdict,
    paths: &[PathFact],
) -> Result<(), Verdict> {
    write_before(log, call, verdict, paths).map_err(|error| Verdict {
        decision: Decision::Deny,
        rule: "audit-failed".into(),
        because: format!("cannot write the audit log, and no call runs without it: {error}"),
    })
}

/// The same, with the error as it is.
pub(crate) fn write_before(
    log: Option<&dyn AuditLog>,
    call: &CallSummary<'_>,
    verdict: &Verdict,
    paths: &[PathFact],
) -> io::Result<()> {
    let Some(log) = log else { return Ok(()) };
    // The log is the embedding program's: if it fails in whatever way, nothing is done that it does not tell.
    catch_unwind(AssertUnwindSafe(|| log.before(call, verdict, paths)))
        .unwrap_or_else(|_| Err(io::Error::other("it panicked")))
}

/// Writes what came of a call, or that it was refused. What is done cannot be undone by a log that fails now.
pub(crate) fn log_after(
    log: Option<&dyn AuditLog>,
    call: &CallSummary<'_>,
    verdict: &Verdict,
    result: Option<&LoggedResult<'_>>,
    duration: Duration,
) {
    let Some(log) = log else { return };
    let _ = catch_unwind(AssertUnwindSafe(|| match result {
        Some(result) => log.after(call, verdict, result, duration),
        None => log.refused(call, verdict, duration),
    }));
}

/// Writes that one of several attempts has ended.
pub(crate) fn log_attempt(
    log: Option<&dyn AuditLog>,
    call: &CallSummary<'_>,
    verdict: &Verdict,
    attempt: &Attempt,
) {
    let Some(log) = log else { return };
    let _ = catch_unwind(AssertUnwindSafe(|| log.attempt(call, verdict, attempt)));
}

/// So much of why an attempt failed is logged, in bytes.
const MAX_ERROR: usize = 4 << 10;

/// A log of lines in a file, each with the hash of the line before it.
#[derive(Debug)]
pub struct FileLog {
    log: Log,
    /// Where it is written.
    resolved: PathBuf,
    /// Where the user named it, which may be a link.
    file: PathBuf,
    has_values: bool,
}

impl FileLog {
    /// The log at `file`. Where that leads is looked up now: what becomes of a link later does not turn the log elsewhere.
    /// With `has_values` the arguments stand in it, secrets masked, and otherwise their sizes.
    pub fn new(file: &Path, has_values: bool) -> FileLog {
        let resolved = real(file);
        FileLog {
            log: Log::new(resolved.clone()),
            resolved,
            file: file.to_path_buf(),
            has_values,
        }
    }

    fn record(&self, event: &str, call: &CallSummary<'_>, verdict: &Verdict) -> Map<String, Value> {
        let arguments = if self.has_values {
            audit::masked(call.arguments)
        } else {
            audit::shape(call.arguments)
        };
        let record = json!({
            "event": event,
            "process": std::process::id(),
            "root": call.root().to_string_lossy(),
            "tool": call.tool,
            "call": call.canonical_digest(),
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

    fn end(
        &self,
        event: &str,
        (call, verdict): (&CallSummary<'_>, &Verdict),
        result: Option<Value>,
        duration: Duration,
    ) -> io::Result<()> {
        let mut record = self.record(event, call, verdict);
        record.insert("result".into(), result.into());
        let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        record.insert("duration_ms".into(), milliseconds.into());
        self.log.append(record)
    }
}

impl AuditLog for FileLog {
    fn before(
        &self,
        call: &CallSummary<'_>,
        verdict: &Verdict,
        paths: &[PathFact],
    ) -> io::Result<()> {
        let mut record = self.record("before", call, verdict);
        let resolved: Vec<Value> = paths
            .iter()
            .filter_map(|fact| fact.inside())
            .map(|path| path.to_string_lossy().into())
            .collect();
        record.insert("paths".into(), resolved.into());
        self.log.append(record)
    }

    fn after(
        &self,
        call: &CallSummary<'_>,
        verdict: &Verdict,
        result: &LoggedResult<'_>,
        duration: Duration,
    ) -> io::Result<()> {
        let result = json!({"ok": result.ok, "error": result.error, "bytes": result.text.len(),
            "sha256": hex(&Sha256::digest(result.text))});
        self.end("after", (call, verdict), Some(result), duration)
    }

    fn refused(
        &self,
        call: &CallSummary<'_>,
        verdict: &Verdict,
        duration: Duration,
    ) -> io::Result<()> {
        self.end("refused", (call, verdict), None, duration)
    }

    fn attempt(
        &self,
        call: &CallSummary<'_>,
        verdict: &Verdict,
        attempt: &Attempt,
    ) -> io::Result<()> {
        let milliseconds = |duration: Duration| u64::try_from(duration.as_millis()).ok();
        let mut record = self.record("attempt", call, verdict);
        let error = attempt.error.as_deref().map(|error| {
            let error = audit::masked_text(error);
            toolglot_builtins::cut(error, MAX_ERROR)
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

    fn files(&self) -> Vec<&Path> {
        vec![&self.resolved, &self.file]
    }
}
