//! Reads the result of a tool's program.

use toolglot_sandbox::{Exit, ProcessOutcome};
use toolglot_tool_files::{ReturnContract, ReturnValue, read_json};
use toolglot_value::{Map, Value, json};

use crate::program::Manner;
use crate::sizes::{ANSWER_BYTES, PRINTED_BYTES};
use crate::warm_call::Ended;

/// The result of one attempt.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) returned: ReturnValue,
    /// Whether a retry may help.
    pub(crate) is_transient: bool,
}

/// The exit code of a temporary failure: `EX_TEMPFAIL` of `sysexits.h`.
const TEMPORARY: i32 = 75;

pub(crate) fn read(
    outcome: &ProcessOutcome,
    manner: &Manner,
    contract: &ReturnContract,
    (seconds, most): (f64, usize),
) -> Answer {
    let stderr = outcome.stderr.text();
    let (code, ended) = how(outcome.exit, seconds);
    let returned = if let Some(why) = &ended {
        failed(why, &outcome.stdout.text(), &stderr, code)
    } else if outcome.stdout.n_cut() > 0 && matches!(manner, Manner::Framed(_)) {
        failed(&too_long(outcome.stdout.n_total()), "", &stderr, code)
    } else {
        match manner {
            Manner::Printed => contract.of_output(&outcome.stdout.text(), &stderr, code),
            Manner::Command(_) => of_command(outcome, code),
            Manner::Framed(word) => {
                let stdout = outcome.stdout.text();
                framed(&stdout, word, &stderr, code, (contract, most))
            }
        }
    };
    settled(returned, outcome.exit, code, most)
}

/// The result of a command: `output` is both streams as one text, in the form of the origin's `bash`.
fn of_command(outcome: &ProcessOutcome, code: i32) -> ReturnValue {
    /// The most bytes of each stream in `output`.
    const MAX_BYTES: usize = 51_200;
    let cut = |text: &str| {
        let mut end = text.len().min(MAX_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        if end == text.len() {
            return (text.to_owned(), false);
        }
        let cut = format!(
            "{}\n... [output truncated, {} bytes total]",
            &text[..end],
            text.len()
        );
        (cut, true)
    };
    let (stdout, stderr) = (outcome.stdout.text(), outcome.stderr.text());
    let ((out, is_out_cut), (err, is_err_cut)) = (cut(&stdout), cut(&stderr));
    let mut parts = Vec::new();
    if !out.is_empty() {
        parts.push(out.clone());
    }
    if !err.is_empty() {
        parts.push(format!("[stderr]\n{err}"));
    }
    let n_cut = outcome.stdout.n_cut() + outcome.stderr.n_cut();
    let truncated = is_out_cut || is_err_cut || n_cut > 0;
    let mut returned = ReturnContract::of_process(&stdout, &stderr, code);
    returned
        .value
        .insert("output".to_owned(), Value::String(parts.join("\n")));
    returned
        .value
        .insert("truncated".to_owned(), Value::Bool(truncated));
    returned
}

/// The exit code, and the reason if the program was ended from outside.
fn how(exit: Exit, seconds: f64) -> (i32, Option<String>) {
    match exit {
        Exit::Code(code) => (code, None),
        Exit::Signal(signal) => (
            128 + signal,
            Some(format!("it was ended by signal {signal}")),
        ),
        Exit::TimedOut => (
            124,
            Some(format!(
                "it took longer than {seconds} seconds and was ended, with all that it had started"
            )),
        ),
        Exit::Cancelled => (
            130,
            Some("it was cancelled and ended, with all that it had started".to_owned()),
        ),
        _ => (1, Some("it ended in an unknown way".to_owned())),
    }
}

/// The result of a call in a resident interpreter's copy.
pub(crate) fn of_call(
    ended: &Ended,
    contract: &ReturnContract,
    seconds: f64,
    most: usize,
) -> Answer {
    let (stdout, stderr) = (ended.stdout.text(), ended.stderr.text());
    let (code, why) = how(ended.exit, seconds);
    let returned = if let Some(why) = &why {
        failed(why, &stdout, &stderr, code)
    } else if ended.answer.n_more > 0 {
        let n = ended.answer.bytes.len() as u64 + ended.answer.n_more;
        failed(&too_long(n), "", &stderr, code)
    } else if let Ok(answer) = read_json(&String::from_utf8_lossy(&ended.answer.bytes)) {
        told(answer, &stdout, &stderr, (contract, most))
    } else {
        let why = format!("it ended with exit code {code} and without an answer");
        failed(&why, &stdout, &stderr, code)
    };
    settled(returned, ended.exit, code, most)
}

/// Completes a result: adds the error, cuts the streams and decides whether a retry may help.
fn settled(mut returned: ReturnValue, exit: Exit, code: i32, most: usize) -> Answer {
    if !returned.breaches.is_empty() && !returned.value.contains_key("error") {
        returned.value.insert(
            "error".to_owned(),
            Value::String(returned.breaches.join("; ")),
        );
    }
    if !returned.success {
        returned
            .value
            .insert("success".to_owned(), Value::Bool(false));
    }
    for key in ["stdout", "stderr"] {
        if let Some(Value::String(text)) = returned.value.get_mut(key) {
            *text = toolglot_builtins::cut(std::mem::take(text), most.min(PRINTED_BYTES));
        }
    }
    let says_so = ["transient", "retryable"]
        .iter()
        .any(|key| returned.value.get(key) == Some(&Value::Bool(true)));
    let is_transient = !returned.success
        && (says_so || code == TEMPORARY || matches!(exit, Exit::TimedOut | Exit::Signal(_)));
    Answer {
        returned,
        is_transient,
    }
}

/// The error for a result of `n` bytes, which is too long.
pub(crate) fn too_long(n: u64) -> String {
    format!("it answered with {n} bytes, more than are taken")
}

/// The values' total length as JSON, if it exceeds `most`.
pub(crate) fn longer<'a>(values: impl Iterator<Item = &'a Value>, most: usize) -> Option<u64> {
    // The reader caps results at that length already.
    if most >= ANSWER_BYTES {
        return None;
    }
    let n: usize = values.map(|value| value.to_string().len()).sum();
    (n > most).then_some(n as u64)
}

fn failed(why: &str, stdout: &str, stderr: &str, code: i32) -> ReturnValue {
    let mut returned = ReturnContract::of_process(stdout, stderr, code);
    returned.success = false;
    let mut value = Map::from_iter([
        ("success".to_owned(), Value::Bool(false)),
        ("error".to_owned(), Value::String(why.to_owned())),
    ]);
    value.extend(
        returned
            .value
            .into_iter()
            .filter(|(key, _)| key != "success"),
    );
    returned.value = value;
    returned
}

fn framed(
    stdout: &str,
    word: &str,
    stderr: &str,
    code: i32,
    (contract, most): (&ReturnContract, usize),
) -> ReturnValue {
    // The marker and the text after it come from our wrapper: neither is shown.
    let (before, json) = stdout.rsplit_once(word).unwrap_or((stdout, ""));
    let Ok(answer) = read_json::<Map<String, Value>>(json) else {
        let why = format!("it ended with exit code {code} and without an answer");
        return failed(&why, before, stderr, code);
    };
    let printed = answer
        .get("printed")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let is = |what: &str| answer.get(what) == Some(&Value::Bool(true));
    let of_answer = || {
        let code = answer.get("code").and_then(Value::as_i64).unwrap_or(0);
        i32::try_from(code).unwrap_or(1)
    };
    if is("unanswered") {
        let code = of_answer();
        let mut why = format!("it ended with exit code {code} and without an answer");
        if let Some(more) = answer.get("why").and_then(Value::as_str)
            && !more.is_empty()
        {
            why = format!("{why}: {more}");
        }
        return failed(&why, &printed, stderr, code);
    }
    if is("program") {
        return contract.of_output(&printed, stderr, of_answer());
    }
    told(answer, &printed, stderr, (contract, most))
}

/// The value that a function returned or raised, with the printed streams.
fn told(
    mut answer: Map<String, Value>,
    printed: &str,
    stderr: &str,
    (contract, most): (&ReturnContract, usize),
) -> ReturnValue {
    if let Some(n) = longer(answer.get("result").into_iter(), most) {
        return failed(&too_long(n), printed, stderr, 0);
    }
    let mut returned = if let Some(result) = answer.remove("result") {
        contract.of_value(result)
    } else {
        let raised = answer.get("raised").and_then(Value::as_str);
        let cut = |text: &str| json!(toolglot_builtins::cut(text.to_owned(), most));
        let mut value = json!({"success": false, "error": cut(raised.unwrap_or("it failed"))});
        let traceback = answer.get("traceback").and_then(Value::as_str);
        if let Some(traceback) = traceback.filter(|text| !text.is_empty()) {
            value["traceback"] = cut(traceback);
        }
        contract.of_value(value)
    };
    returned.beside(printed, stderr);
    returned
}
