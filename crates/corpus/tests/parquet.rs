//! Parquet files.

use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_json::ReaderBuilder;
use arrow_json::reader::infer_json_schema_from_iterator;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use toolglot_corpus::{CorpusError, Folder, Input, Runner};
use toolglot_value::{Value, json};

use crate::corpus::{check, file, ran, tools, values};
use crate::repair;

/// Rows whose columns have one type each, as a table needs.
fn rows(n: usize) -> Vec<Value> {
    let row = |n: usize| {
        let text =
            format!("<tool_call>{{'name': 'f', 'arguments': {{'path': '{n}',}}}}</tool_call>");
        json!({"id": n, "messages": [
            {"role": "user", "content": "?"},
            {"role": "assistant", "content": text},
        ], "tools": tools("f").to_string(), "split": "train"})
    };
    (0..n).map(row).collect()
}

/// Writes rows as a Parquet file of several row groups.
fn table(folder: &Path, name: &str, rows: &[Value]) -> PathBuf {
    let plain: Vec<serde_json::Value> = rows
        .iter()
        .map(|row| serde_json::from_str(&row.to_string()).expect("JSON"))
        .collect();
    let schema = infer_json_schema_from_iterator(plain.iter().map(Ok)).expect("a schema");
    let schema = Arc::new(schema);
    let mut decoder = ReaderBuilder::new(Arc::clone(&schema))
        .build_decoder()
        .expect("a decoder");
    decoder.serialize(&plain).expect("rows");
    let batch = decoder.flush().expect("rows").expect("there are some");
    let path = folder.join(name);
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(70))
        .build();
    let out = File::create(&path).expect("writable");
    let mut writer = ArrowWriter::try_new(out, schema, Some(properties)).expect("a writer");
    for start in (0..batch.num_rows()).step_by(70) {
        let rows = batch.slice(start, 70.min(batch.num_rows() - start));
        writer.write(&rows).expect("writable");
    }
    writer.close().expect("writable");
    path
}

#[test]
fn a_table_gives_what_the_same_rows_give_as_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = rows(200);
    let lines = ran(&check(), &[file(folder.path(), "a.jsonl", &rows)], 2);
    let found = ran(&check(), &[table(folder.path(), "a.parquet", &rows)], 2);
    assert_eq!(found.0, lines.0);
    assert!(found.2.failures.is_empty());
    let repaired = ran(&repair::repair(), &[folder.path().join("a.parquet")], 2);
    let first = &values(&repaired.0)[0];
    assert_eq!(first["split"], "train", "all columns are written");
    assert_eq!(repaired.2.tally.repaired, 200);
}

#[test]
fn a_table_without_the_column_names_those_it_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = table(
        folder.path(),
        "a.parquet",
        &[json!({"prompt": "x", "answer": "y"})],
    );
    let (_, _, summary) = ran(&check(), &[path.clone()], 1);
    assert_eq!(
        summary.failures[0].to_string(),
        format!(
            "{} has no column `messages`, `conversations`, `text` or `input`; it has `answer`, `prompt`",
            path.display()
        )
    );
}

#[test]
fn a_table_that_is_cut_or_corrupt_names_the_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = table(folder.path(), "a.parquet", &rows(200));
    let bytes = fs::read(&path).expect("it is there");
    let cut = bytes.len() / 2;
    fs::write(&path, &bytes[..cut]).expect("writable");
    let (_, _, summary) = ran(&check(), &[path.clone()], 1);
    assert!(
        matches!(summary.failures[0], CorpusError::Read { byte, rows: 0, .. } if byte == cut as u64)
    );
    // The data of the second row group is broken, and the footer is intact.
    let mut broken = bytes.clone();
    let at = bytes.len() / 3;
    for byte in &mut broken[at..at + 200] {
        *byte = 0xff;
    }
    fs::write(&path, &broken).expect("writable");
    let (data, _, summary) = ran(&check(), &[path], 1);
    let CorpusError::Read { byte, rows, .. } = &summary.failures[0] else {
        panic!("{:?}", summary.failures);
    };
    assert_eq!(*rows, data.lines().count() as u64);
    assert!(*byte > 0 && *byte as usize <= at, "{byte}");
}

#[test]
fn shards_of_a_table_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let inputs = Input::all(&[table(folder.path(), "a.parquet", &rows(200))]).expect("it is there");
    let run = |name: &str, most: u64| {
        let out = Folder {
            path: folder.path().join(name),
            shard_rows: 30,
            compression: None,
        };
        let mut runner = Runner::new(Some(2)).expect("threads start");
        runner.limits.batch_rows = 20;
        let ran = runner.into_folder(&check(), &inputs, &out, &mut |progress| {
            if progress.rows >= most {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        ran.map(|summary| summary.tally)
    };
    let whole = run("whole", u64::MAX).expect("it runs");
    for most in [50, 75, 140, 190] {
        assert!(matches!(run("ended", most), Err(CorpusError::Stopped)));
    }
    assert_eq!(run("ended", u64::MAX).expect("it goes on"), whole);
    for shard in 0..7 {
        // A Parquet file is compressed inside, so its shards are compressed, too.
        let name = format!("a-{shard:05}.jsonl.zst");
        let read = |run: &str| fs::read(folder.path().join(run).join(&name)).expect("it is there");
        assert!(read("whole") == read("ended"), "{name}");
    }
}
