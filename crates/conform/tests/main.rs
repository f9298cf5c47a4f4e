//! A right program keeps every promise, and each wrong program breaks one.

mod programs;

use toolglot_conform::{Case, Options, Outcome, Promise, Report, cases, run};
use toolglot_engine::Dialect;

use programs::{Answers, Right, Silent};

const DIALECTS: [&str; 4] = ["hermes", "qwen3_coder", "pythonic", "forge"];

fn subjects(names: &[&str]) -> Vec<(&'static Dialect, Vec<Case>)> {
    let dialects = names
        .iter()
        .map(|name| toolglot_dialects::get(name).expect("a dialect"));
    dialects.map(|dialect| (dialect, cases(dialect))).collect()
}

fn report(program: &mut dyn toolglot_conform::Program) -> Report {
    run(&subjects(&DIALECTS), program, &Options::default())
}

/// The promises that are broken, each with the first reason.
fn broken(report: &Report) -> Vec<(Promise, &str)> {
    let mut broken: Vec<(Promise, &str)> = Vec::new();
    for row in &report.rows {
        if let Outcome::Failed(why) = &row.outcome
            && broken.iter().all(|(promise, _)| *promise != row.promise)
        {
            broken.push((row.promise, why));
        }
    }
    broken.sort();
    broken
}

fn n_kept(report: &Report, promise: Promise) -> usize {
    let rows = report.rows.iter().filter(|row| row.promise == promise);
    rows.filter(|row| row.outcome == Outcome::Kept).count()
}

#[test]
fn toolglot_keeps_every_promise_in_every_dialect() {
    let subjects: Vec<(&Dialect, Vec<Case>)> = toolglot_dialects::all()
        .iter()
        .map(|dialect| (dialect, cases(dialect)))
        .collect();
    let n_cases: usize = subjects.iter().map(|(_, cases)| cases.len()).sum();
    assert!(n_cases > 1_500, "only {n_cases} cases");
    let mut options = Options::default();
    options.n_cuts = 1;
    // This test does not measure time: other tests below check `Time`.
    options.promises.retain(|promise| *promise != Promise::Time);
    let report = run(&subjects, &mut Right::default(), &options);
    assert_eq!(report.n_failed(), 0, "{}", report.text());
    let is_skipped = |outcome: &Outcome| matches!(outcome, Outcome::Skipped(_));
    assert!(!report.rows.iter().any(|row| is_skipped(&row.outcome)));
    assert!(n_kept(&report, Promise::Hostile) > 500, "{}", report.text());
}

#[test]
fn ids_are_distinct() {
    for (dialect, cases) in subjects(&["hermes", "axe", "json", "roo"]) {
        let mut ids: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
        assert!(!ids.is_empty(), "{}", dialect.name());
        ids.sort_unstable();
        let n_ids = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), n_ids, "{}", dialect.name());
    }
}

#[test]
fn wrong_arguments_break_calls() {
    let mut program = Right::with(|answer| {
        for call in &mut answer.calls {
            call.1 = call.1.replace("Oslo", "Bergen");
        }
    });
    let report = report(&mut program);
    assert_eq!(broken(&report)[0].0, Promise::Calls);
    assert!(broken(&report)[0].1.contains("Bergen"), "{}", report.text());
}

#[test]
fn a_value_that_ends_at_its_first_closer_breaks_hostile() {
    let mut program = Right::with(|answer| {
        for call in &mut answer.calls {
            if let Some((before, _)) = call.1.split_once("</") {
                call.1 = format!("{before}\"}}");
            }
        }
    });
    let report = report(&mut program);
    let promises: Vec<Promise> = broken(&report).iter().map(|row| row.0).collect();
    assert_eq!(promises, [Promise::Hostile], "{}", report.text());
}

#[test]
fn lost_text_breaks_text() {
    let mut program = Right::with(|answer| answer.content.truncate(0));
    let report = report(&mut program);
    assert_eq!(broken(&report)[0].0, Promise::Text, "{}", report.text());
}

#[test]
fn calls_that_pieces_lose_break_cuts() {
    let mut program = Right::with(|answer| {
        if answer.n_chunks == 2 {
            answer.calls.pop();
        }
    });
    let report = report(&mut program);
    let [(Promise::Cuts, why)] = broken(&report)[..] else {
        panic!("{}", report.text());
    };
    assert!(why.starts_with("cut at byte "), "{why}");
}

#[test]
fn arguments_that_are_sent_again_break_arguments() {
    let mut program = Right::with(|answer| answer.sends_twice = true);
    let report = report(&mut program);
    let (_, why) = broken(&report)
        .into_iter()
        .find(|row| row.0 == Promise::Arguments)
        .expect("it is broken");
    assert!(why.contains("no JSON object"), "{why}");
}

#[test]
fn four_times_the_text_may_not_take_sixteen_times_as_long() {
    let mut program = Right::with(|answer| {
        let n_bytes = u32::try_from(answer.n_bytes).expect("a short text");
        answer.micros = n_bytes / 64 * (n_bytes / 64) / 4;
    });
    let report = report(&mut program);
    let [(Promise::Time, why)] = broken(&report)[..] else {
        panic!("{}", report.text());
    };
    assert!(why.contains("times as long"), "{why}");
    let report = self::report(&mut Right::with(|answer| {
        answer.micros = u32::try_from(answer.n_bytes).expect("a short text");
    }));
    assert_eq!(n_kept(&report, Promise::Time), DIALECTS.len());
}

#[test]
fn what_a_program_does_not_promise_is_skipped() {
    let report = report(&mut Answers(|id| {
        format!(r#"{{"id":{id},"skipped":"no such dialect"}}"#)
    }));
    assert_eq!(report.n_failed(), 0);
    assert_eq!(report.json()["totals"][0]["kept"], 0);
    assert!(report.text().contains("0 kept, 0 failed"));
    // Without events and text, only calls and cuts are checked.
    let report = self::report(&mut Right::with(|answer| answer.has_calls_only = true));
    assert_eq!(report.n_failed(), 0, "{}", report.text());
    assert_eq!(n_kept(&report, Promise::Text), 0);
    assert_eq!(n_kept(&report, Promise::Arguments), 0);
    assert!(n_kept(&report, Promise::Cuts) > 50);
}

#[test]
fn garbage_fails_its_row_and_the_run_goes_on() {
    for (garbage, why) in [
        ("nonsense", "not JSON"),
        ("[]", "`answer` is not an object"),
        (r#"{"id":"other","calls":[]}"#, "has the id \"other\""),
        (r#"{"id":ID}"#, "`calls` is not an array"),
        (
            r#"{"id":ID,"calls":[{}]}"#,
            "`calls[].name` is not a string",
        ),
        (r#"{"id":ID,"events":[{"text":"a"}]}"#, "`events[].type`"),
        (r#"{"id":ID,"error":"boom"}"#, "the program reports: boom"),
    ] {
        let mut program = Answers(|id| garbage.replace("ID", id));
        let report = run(&subjects(&["hermes"]), &mut program, &Options::default());
        assert!(broken(&report)[0].1.contains(why), "{}", report.text());
        let n_cases = cases(toolglot_dialects::get("hermes").expect("a dialect")).len();
        assert_eq!(report.n_failed(), n_cases, "one row of each case fails");
    }
}

#[test]
fn a_program_that_never_answers_is_given_up_on() {
    let mut program = Silent { n_asked: 0 };
    let report = report(&mut program);
    // Five cases of the first dialect, and one of each other.
    assert_eq!(program.n_asked, 5 + DIALECTS.len() - 1);
    assert!(report.text().contains("not asked"), "{}", report.text());
    assert_eq!(report.json()["totals"][0]["kept"], 0, "{}", report.text());
}

#[test]
fn junit_escapes_what_xml_does_not_have() {
    let mut program = Answers(|id| format!(r#"{{"id":{id},"error":"<\u0007&\">"}}"#));
    let report = run(&subjects(&["hermes"]), &mut program, &Options::default());
    let junit = report.junit();
    assert!(
        junit.contains(r#"<failure message="the program reports: &lt;\u{7}&amp;&quot;&gt;"/>"#),
        "{junit}"
    );
    assert!(junit.starts_with("<?xml"), "{junit}");
    assert!(junit.ends_with("</testsuites>\n"), "{junit}");
}
