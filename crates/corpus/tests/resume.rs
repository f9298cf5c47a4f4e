//! Interrupted and resumed runs.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use toolglot_corpus::{Compression, CorpusError, Folder, Input, Runner, Task};
use toolglot_value::{Value, json};

use crate::corpus::{check, count, file, mixed, ran};
use crate::{convert, repair};

/// All files of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("it is there");
    let files = entries.map(|entry| {
        let path = entry.expect("it is listed").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        (name, fs::read(path).expect("it is readable"))
    });
    files.filter(|(name, _)| name != ".lock").collect()
}

fn folder(path: &Path, compression: Option<Compression>) -> Folder {
    Folder {
        path: path.to_owned(),
        shard_rows: 10,
        compression,
    }
}

/// Runs into a folder until this many rows are written.
fn run<T: Task>(
    task: &T,
    inputs: &[Input],
    folder: &Folder,
    most: u64,
) -> Result<T::Tally, CorpusError> {
    let mut runner = Runner::new(Some(2)).expect("threads start");
    runner.limits.batch_rows = 3;
    let summary = runner.into_folder(task, inputs, folder, &mut |progress| {
        if progress.rows >= most {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    assert!(summary.failures.is_empty(), "{:?}", summary.failures);
    Ok(summary.tally)
}

/// A run that is interrupted anywhere, any number of times, leaves the same files as a full run.
fn goes_on<T: Task>(task: &T, compression: Option<Compression>) {
    let place = tempfile::tempdir().expect("a folder");
    let paths = [
        file(place.path(), "a.jsonl", &mixed(43)),
        file(place.path(), "b.jsonl", &mixed(20)),
    ];
    let inputs = Input::all(&paths).expect("they are there");
    let whole = folder(&place.path().join("whole"), compression);
    let tally = run(task, &inputs, &whole, u64::MAX).expect("it runs");
    assert_eq!(toolglot_corpus::Tally::rows(&tally), 63);
    let ended = folder(&place.path().join("ended"), compression);
    for most in [2, 10, 13, 29, 43, 44, 60] {
        let error = run(task, &inputs, &ended, most);
        assert!(matches!(error, Err(CorpusError::Stopped)), "{most}");
        // The partial file of a crash does not count as a shard.
        fs::write(ended.path.join("a-00004.jsonl.partial"), "half a").expect("writable");
    }
    let _ = fs::remove_file(ended.path.join("a-00004.jsonl.partial"));
    let again = run(task, &inputs, &ended, u64::MAX).expect("it goes on");
    let text = |tally| serde_json::to_string(tally).expect("JSON");
    assert_eq!(text(&again), text(&tally));
    let files_of = |folder: &Folder| files(&folder.path);
    assert!(
        files_of(&ended) == files_of(&whole),
        "{:?}",
        files_of(&ended).keys()
    );
    // A finished run does nothing.
    assert_eq!(
        text(&run(task, &inputs, &ended, u64::MAX).expect("it is done")),
        text(&tally)
    );
    assert!(files_of(&ended) == files_of(&whole));
}

#[test]
fn a_report_goes_on() {
    goes_on(&check(), None);
}

#[test]
fn repaired_rows_go_on_in_zstandard() {
    goes_on(&repair::repair(), Some(Compression::Zstd));
}

#[test]
fn converted_rows_go_on_in_gzip() {
    goes_on(&convert::convert("qwen3_coder"), Some(Compression::Gzip));
}

#[test]
fn counts_go_on() {
    goes_on(&count(), None);
}

/// The shards of an input are its output, split.
#[test]
fn shards_are_the_output_in_pieces() {
    let place = tempfile::tempdir().expect("a folder");
    let paths = [file(place.path(), "a.jsonl", &mixed(25))];
    let inputs = Input::all(&paths).expect("it is there");
    let out = folder(&place.path().join("out"), None);
    run(&repair::repair(), &inputs, &out, u64::MAX).expect("it runs");
    let (data, report, _) = ran(&repair::repair(), &paths, 1);
    let joined = |ending: &str| {
        let shards = files(&out.path).into_iter();
        let shards = shards.filter(|(name, _)| name.ends_with(ending) && name.starts_with("a-000"));
        let shards = shards.filter(|(name, _)| ending != ".jsonl" || !name.contains(".report"));
        String::from_utf8(shards.flat_map(|(_, text)| text).collect()).expect("text")
    };
    assert_eq!(joined(".jsonl"), data);
    assert_eq!(joined(".report.jsonl"), report);
}

#[test]
fn a_folder_of_another_run_is_left_alone() {
    let place = tempfile::tempdir().expect("a folder");
    let path = file(place.path(), "a.jsonl", &mixed(12));
    let inputs = Input::all(std::slice::from_ref(&path)).expect("it is there");
    let out = folder(&place.path().join("out"), None);
    run(&check(), &inputs, &out, u64::MAX).expect("it runs");
    let before = files(&out.path);
    let other = |result: Result<_, CorpusError>, what: &str| match result {
        Err(CorpusError::OtherRun { what: found, .. }) => assert!(found.contains(what), "{found}"),
        _ => panic!("expected another run: {what}"),
    };
    other(
        run(&count(), &inputs, &out, u64::MAX).map(|_| ()),
        "command",
    );
    let strict = toolglot_corpus::Check {
        is_strict: true,
        ..check()
    };
    other(run(&strict, &inputs, &out, u64::MAX).map(|_| ()), "command");
    let gzip = folder(&out.path, Some(Compression::Gzip));
    other(
        run(&check(), &inputs, &gzip, u64::MAX).map(|_| ()),
        "shards",
    );
    fs::write(&path, "{\"text\": \"another\"}\n").expect("writable");
    other(run(&check(), &inputs, &out, u64::MAX).map(|_| ()), "inputs");
    assert!(files(&out.path) == before);
}

#[test]
fn a_shard_that_is_gone_is_made_again() {
    let place = tempfile::tempdir().expect("a folder");
    let paths = [file(place.path(), "a.jsonl", &mixed(25))];
    let inputs = Input::all(&paths).expect("it is there");
    let out = folder(&place.path().join("out"), None);
    run(&check(), &inputs, &out, u64::MAX).expect("it runs");
    let before = files(&out.path);
    fs::remove_file(out.path.join("a-00001.jsonl")).expect("it is there");
    run(&check(), &inputs, &out, u64::MAX).expect("it runs");
    assert!(files(&out.path) == before);
}

#[test]
fn inputs_of_one_name_are_refused() {
    let place = tempfile::tempdir().expect("a folder");
    let other = place.path().join("other");
    fs::create_dir(&other).expect("writable");
    let paths = [
        file(place.path(), "a.jsonl", &mixed(1)),
        file(&other, "a.jsonl", &mixed(1)),
    ];
    let inputs = Input::all(&paths).expect("they are there");
    let out = folder(&place.path().join("out"), None);
    let error = run(&check(), &inputs, &out, u64::MAX);
    assert!(matches!(error, Err(CorpusError::SameName { name, .. }) if name == "a"));
}

#[test]
#[cfg(unix)]
fn two_runs_do_not_write_to_one_folder() {
    let place = tempfile::tempdir().expect("a folder");
    let paths = [file(place.path(), "a.jsonl", &mixed(12))];
    let inputs = Input::all(&paths).expect("it is there");
    let out = folder(&place.path().join("out"), None);
    let runner = Runner::new(Some(1)).expect("threads start");
    let mut refused = false;
    let ran = runner.into_folder(&check(), &inputs, &out, &mut |_| {
        let second = run(&check(), &inputs, &out, u64::MAX);
        refused |= matches!(second, Err(CorpusError::Locked(_)));
        ControlFlow::Continue(())
    });
    ran.expect("the first runs");
    assert!(refused);
    let manifest = fs::read(out.path.join("manifest.json")).expect("it is there");
    let manifest: Value = toolglot_value::from_slice(&manifest).expect("JSON");
    assert_eq!(manifest["shards"][0]["rows"], json!(10));
}
