//! `toolglot call`: calls one tool that is a file, by its id.

use std::io::Write;
use std::path::Path;

use toolglot_session::{CallError, CallReport, CallResult};
use toolglot_value::{Map, ReadOptions, Value, json};

use crate::cli::args::{CallArguments, CallFormat};
use crate::cli::failure::Failure;
use crate::cli::human::screen;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;
use crate::cli::terminal::Here;
use crate::cli::{interrupt, open_session, source};

/// Calls a tool.
pub(crate) fn call(arguments: &CallArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let given = given(&arguments.args)?;
    let log = open_session::log(arguments.audit.as_deref(), arguments.audit_values);
    let session = open_session::builder(&arguments.root, &arguments.policy, log)?;
    let cancel = interrupt::cancel().map_err(Failure::Signals)?;
    let session = open_session::with_sandbox(session, &arguments.sandbox)
        .approver(Here::of("", false))
        .cancel(cancel.clone())
        .dry_run(arguments.dry_run)
        .build()?;
    let report = session.call_file(&arguments.id, given, None);
    let (json, outcome) = written(report, arguments);
    write_line(out, &json).map_err(Failure::Output)?;
    Ok(if cancel.is_cancelled() {
        Outcome::Interrupted
    } else {
        outcome
    })
}

/// The result of the call as JSON, and the outcome of the command.
fn written(report: CallReport, arguments: &CallArguments) -> (Value, Outcome) {
    let id = arguments.id.as_str();
    match report {
        CallReport::Unfit(error) => (refusal(id, &error), Outcome::Faulty),
        CallReport::Refused(verdict) => {
            let mut json = json!({
                "success": false, "error": verdict.because, "code": verdict.rule, "id": id,
                "decision": verdict.decision.word(),
            });
            if verdict.rule == "not-granted" {
                json["help"] = json!("`--allow` grants it, as does a rule of the user's policy");
            }
            (json, Outcome::Faulty)
        }
        CallReport::Planned(_, planned) => {
            let json = json!({"runs": true, "id": planned.id, "chain": planned.chain, "standing": planned.standing.word()});
            (json, Outcome::Fine)
        }
        // A tool that is a file has no steps.
        CallReport::Steps(_) => (
            json!({"success": report.is_fine(), "id": id}),
            Outcome::faulty_if(!report.is_fine()),
        ),
        CallReport::Done(_, called) => match *called {
            Ok(called) => {
                for note in &called.notes {
                    // Notes about the tool are not part of its result.
                    let _ = writeln!(screen::stderr(), "note: {note}");
                }
                let outcome = Outcome::faulty_if(!called.returned.success);
                let json = match arguments.format {
                    CallFormat::Result => Value::Object(called.returned.value),
                    CallFormat::Json => record(&called),
                };
                (json, outcome)
            }
            Err(error) => (refusal(id, &error), Outcome::Faulty),
        },
    }
}

fn given(args: &str) -> Result<Map<String, Value>, Failure> {
    let text = match args.strip_prefix('@') {
        Some(file) => source::document(Path::new(file))?,
        None => args.to_owned(),
    };
    // Readers disagree on duplicate keys: one takes the first value, another takes the last.
    let once = ReadOptions {
        duplicate_keys: false,
        ..ReadOptions::default()
    };
    let given = once.read(text.as_bytes());
    let given = given.and_then(|given| toolglot_value::from_value(&given));
    given.map_err(Failure::Args)
}

/// Why a tool was not run, in the form of a tool result.
pub(crate) fn refusal(id: &str, error: &CallError) -> Value {
    let mut json =
        json!({"success": false, "error": error.to_string(), "code": error.code(), "id": id});
    if let CallError::Arguments { violations, .. } = error {
        json["violations"] = violations
            .iter()
            .map(|one| json!({"path": one.path, "keyword": one.keyword, "message": one.message}))
            .collect();
    }
    if let CallError::NotGranted { missing, .. } = error {
        json["help"] = json!(format!("`--allow {}` grants it", missing.join(",")));
    }
    json
}

fn record(called: &CallResult) -> Value {
    json!({
        "id": called.id,
        "action": called.action,
        "version": called.version,
        "chain": called.chain,
        "standing": called.standing.word(),
        "arguments": called.arguments,
        "result": called.returned.value,
        "attempts": called.attempts.iter().map(|attempt| json!({
            "number": attempt.number,
            "success": attempt.success,
            "error": attempt.error,
            "duration_ms": attempt.duration.as_millis() as u64,
            "delay_ms": attempt.delay.map(|delay| delay.as_millis() as u64),
        })).collect::<Vec<_>>(),
        "cost": called.cost,
        "duration_ms": called.duration.as_millis() as u64,
        "notes": called.notes,
    })
}
