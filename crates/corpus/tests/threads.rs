//! The bytes do not depend on the number of threads, or on how the rows are cut into batches.

use std::ops::ControlFlow;

use toolglot_corpus::{Input, Runner, Streams, Task};

use crate::corpus::{check, count, file, mixed, ran};
use crate::{convert, repair};

fn is_the_same<T: Task>(task: &T) {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = [
        file(folder.path(), "a.jsonl", &mixed(90)),
        file(folder.path(), "b.jsonl", &mixed(10)),
    ];
    let (data, report, summary) = ran(task, &paths, 1);
    let tally = serde_json::to_string(&summary.tally).expect("JSON");
    for threads in [2, 3, 8] {
        let other = ran(task, &paths, threads);
        assert!(other.0 == data && other.1 == report, "{threads} threads");
        assert_eq!(serde_json::to_string(&other.2.tally).expect("JSON"), tally);
    }
    let inputs = Input::all(&paths).expect("they are there");
    let mut runner = Runner::new(Some(2)).expect("threads start");
    runner.limits.batch_rows = 3;
    runner.limits.batch_bytes = 1000;
    let (mut small, mut small_report) = (Vec::new(), Vec::new());
    let streams = Streams {
        data: &mut small,
        report: &mut small_report,
    };
    let summary = runner.stream(task, &inputs, streams, &mut |_| ControlFlow::Continue(()));
    let summary = summary.expect("it runs");
    assert!(small == data.as_bytes() && small_report == report.as_bytes());
    assert_eq!(serde_json::to_string(&summary.tally).expect("JSON"), tally);
}

#[test]
fn a_report_is_the_same_on_any_number_of_threads() {
    is_the_same(&check());
}

#[test]
fn repaired_rows_are_the_same_on_any_number_of_threads() {
    is_the_same(&repair::repair());
}

#[test]
fn converted_rows_are_the_same_on_any_number_of_threads() {
    is_the_same(&convert::convert("qwen3_coder"));
}

#[test]
fn counts_are_the_same_on_any_number_of_threads() {
    is_the_same(&count());
}
