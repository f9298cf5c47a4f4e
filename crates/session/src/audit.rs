//! What a session writes into its log, and a log in a file.

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

/// A log of decisions and effects.
///
/// If [`before`](AuditLog::before) fails, the call does not run. A later record that cannot be written is lost: the
/// effect cannot be undone, but the record before it exists.
pub trait AuditLog: Send + Sync {
    /// A call is about to run, and these are its paths in the root.
    ///
    /// # Errors
    /// If the record cannot be written. The call is then refused, as it is if the log panics.
    fn before(
        &self,
        call: &CallSummary<'_>,
        verdict: &Verdict,
        paths: &[PathFact],
    ) -> io::Result<()>;

    /// A call has ended.
    ///
    /// # Errors
    /// If the record cannot be written.
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
    /// If the record cannot be written.
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
    /// If the record cannot be written.
    fn refused(
        &self,
        _call: &CallSummary<'_>,
        _verdict: &Verdict,
        _duration: Duration,
    ) -> io::Result<()> {
        Ok(())
    }

    /// The files of the log, if it has any: no call may change them.
    fn files(&self) -> Vec<&Path> {
        Vec::new()
    }
}

/// The outcome of a call, for a log.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LoggedResult<'a> {
    /// Whether the call succeeded.
    pub ok: bool,
    /// The value of `error` in the result.
    pub error: Option<&'a Value>,
    /// The text that a model reads.
    pub text: &'a str,
}

/// Logs a call before it runs; if that fails, the call does not run.
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

/// Like [`log_before`], but returns the error of the log.
pub(crate) fn write_before(
    log: Option<&dyn AuditLog>,
    call: &CallSummary<'_>,
    verdict: &Verdict,
    paths: &[PathFact],
) -> io::Result<()> {
    let Some(log) = log else { return Ok(()) };
    // The log is foreign code: whatever way it fails, nothing runs that it did not record.
    catch_unwind(AssertUnwindSafe(|| log.before(call, verdict, paths)))
        .unwrap_or_else(|_| Err(io::Error::other("it panicked")))
}

/// Logs the outcome or the refusal of a call. If the log fails here, the effect cannot be undone.
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

/// Logs that one of several attempts has ended.
pub(crate) fn log_attempt(
    log: Option<&dyn AuditLog>,
    call: &CallSummary<'_>,
    verdict: &Verdict,
    attempt: &Attempt,
) {
    let Some(log) = log else { return };
    let _ = catch_unwind(AssertUnwindSafe(|| log.attempt(call, verdict, attempt)));
}

/// The longest error of an attempt that is logged, in bytes.
const MAX_ERROR: usize = 4 << 10;

/// A log of lines in a file, each with the hash of the line before it.
#[derive(Debug)]
pub struct FileLog {
    log: Log,
    /// The file that is written, with links resolved.
    resolved: PathBuf,
    /// The path that the user gave, which may be a link.
    file: PathBuf,
    has_values: bool,
}

impl FileLog {
    /// The log at `file`. Links are resolved here, so a later change of a link does not redirect the log. With
    /// `has_values` the log contains the arguments, secrets masked, and otherwise their sizes.
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
