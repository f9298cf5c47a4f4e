//! `toolglot conform`: programs that are right, wrong, hang, end, or answer nonsense.

use toolglot_value::Value;

use crate::cli::{Ran, toolglot};

const TOOLGLOT: &str = env!("CARGO_BIN_EXE_toolglot");

/// Checks a shell script as the program.
fn script(more: &[&str], script: &str) -> Ran {
    let base = ["conform", "--dialect", "hermes", "--timeout", "0.2"];
    toolglot(
        &[&base[..], more, &["--cmd", "sh", "--", "-c", script]].concat(),
        "",
    )
}

#[test]
fn toolglot_itself_keeps_every_promise() {
    let ran = toolglot(
        &[
            "conform",
            "--dialect",
            "hermes,qwen3_coder,llama3_json",
            // `time` needs an idle machine.
            "--promise",
            "calls,hostile,text,cuts,arguments",
            "--timeout",
            "60",
            "--cmd",
            TOOLGLOT,
            "--",
            "parse",
            "--jsonl",
            "--format",
            "events",
        ],
        "",
    );
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let totals = ran.out.lines().find(|line| line.starts_with("all"));
    let totals: Vec<&str> = totals.expect("a line").split_whitespace().skip(1).collect();
    assert_eq!(totals.len(), 6, "{}", ran.out);
    for total in &totals[..5] {
        let (kept, judged) = total.split_once('/').expect("no promise is skipped");
        assert_eq!(kept, judged, "{}", ran.out);
    }
    assert!(ran.out.contains(" 0 failed, 0 skipped"), "{}", ran.out);
}

#[test]
fn its_documents_promise_calls_and_text() {
    let words = ["conform", "--dialect", "hermes", "--format", "json"];
    let program = ["--cmd", TOOLGLOT, "--", "parse", "--jsonl"];
    let ran = toolglot(&[&words[..], &program].concat(), "");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let report = ran.json();
    let totals = report["totals"].as_array().expect("totals");
    let total = |promise: &str| {
        let row = totals.iter().find(|row| row["promise"] == promise);
        row.expect("a promise").clone()
    };
    assert_ne!(total("text")["kept"], 0);
    assert_ne!(total("cuts")["kept"], 0);
    assert_eq!(total("arguments")["kept"], 0);
    assert_ne!(total("arguments")["skipped"], 0);
}

#[test]
fn a_program_that_hangs_fails_and_is_given_up_on() {
    let ran = script(&["--promise", "calls"], "sleep 30");
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("no answer in 1.2 s"), "{}", ran.out);
    assert!(ran.out.contains("not asked"), "{}", ran.out);
}

#[test]
fn a_program_that_ends_says_why() {
    let ran = script(&["--promise", "calls"], "echo no library >&2; exit 3");
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(
        ran.out
            .contains("the program ended: exit status: 3: no library"),
        "{}",
        ran.out
    );
}

#[test]
fn a_program_that_ends_after_an_answer_is_started_again() {
    // Each process answers its first line with nonsense, and ends at its second line.
    let ran = script(
        &["--format", "junit"],
        "read line; echo nonsense; read line; exit 1",
    );
    assert_eq!(ran.code, 1, "{}", ran.err);
    let n_garbage = ran.out.matches("the answer is not JSON").count();
    let n_cases =
        ran.out.matches("hermes.calls").count() + ran.out.matches("hermes.hostile").count();
    assert_eq!(n_garbage, n_cases, "{}", ran.out);
}

#[test]
fn a_program_that_is_not_there_fails() {
    let ran = toolglot(
        &[
            "conform",
            "--dialect",
            "hermes",
            "--cmd",
            "/no/such/program",
        ],
        "",
    );
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(
        ran.out.contains("the program does not start"),
        "{}",
        ran.out
    );
}

#[test]
fn cases_are_listed_with_what_is_expected() {
    let ran = toolglot(&["conform", "--dialect", "hermes", "--list"], "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let two = ran
        .lines()
        .into_iter()
        .find(|case| case["id"] == "hermes/two calls");
    let two = two.expect("it is there");
    assert_eq!(two["expected"]["calls"][1]["name"], "save_note");
    assert_ne!(two["tools"], Value::Null);
}

#[test]
fn what_is_asked_for_wrongly_is_said() {
    for (words, why) in [
        (&["conform"][..], "--cmd <PROGRAM>"),
        (
            &["conform", "--list", "--promise", "speed"],
            "unknown promise `speed`",
        ),
        (
            &["conform", "--list", "--cuts", "some"],
            "write a number, or `all`",
        ),
        (
            &["conform", "--list", "--timeout", "0"],
            "a number of seconds",
        ),
        (
            &["conform", "--list", "--dialect", "hermez"],
            "did you mean `hermes`",
        ),
    ] {
        let ran = toolglot(words, "");
        assert_eq!(ran.code, 2, "{words:?}");
        assert!(ran.err.contains(why), "{words:?}: {}", ran.err);
    }
}
