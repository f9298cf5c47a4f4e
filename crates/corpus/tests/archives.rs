//! Stored files: compressed, broken, long, in folders.

use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;

use toolglot_corpus::{CorpusError, Input, Runner, Streams};
use toolglot_value::json;

use crate::corpus::{bytes, check, file, mixed, ran, values};

/// Rows as text, in pieces of gzip members or Zstandard frames.
fn text(rows: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for row in mixed(rows) {
        writeln!(text, "{row}").expect("it is memory");
    }
    text
}

fn gzip(pieces: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in pieces {
        let mut encoder = flate2::write::GzEncoder::new(&mut out, flate2::Compression::fast());
        encoder.write_all(piece).expect("it is memory");
        encoder.finish().expect("it is memory");
    }
    out
}

fn zstd(pieces: &[&[u8]]) -> Vec<u8> {
    let frame = |piece: &&[u8]| zstd::stream::encode_all(*piece, 1).expect("it is memory");
    pieces.iter().map(frame).collect::<Vec<_>>().concat()
}

#[test]
fn compressed_rows_are_read_as_plain_ones_whatever_the_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = text(60);
    let (one, two) = text.split_at(text.len() / 3);
    let plain = ran(&check(), &[bytes(folder.path(), "a.jsonl", &text)], 2);
    for (name, archive) in [
        ("b.jsonl.gz", gzip(&[&text])),
        ("c.gz", gzip(&[one, two])),
        ("d.jsonl.zst", zstd(&[&text])),
        ("e", zstd(&[one, two])),
    ] {
        let found = ran(&check(), &[bytes(folder.path(), name, &archive)], 2);
        assert_eq!(found.0, plain.0, "{name}");
        assert!(found.2.failures.is_empty(), "{name}");
    }
}

/// The rows before the end are returned, and the error names the byte.
#[test]
fn a_truncated_archive_gives_the_rows_before_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = text(200);
    let whole = ran(&check(), &[bytes(folder.path(), "a.jsonl", &text)], 2).0;
    let next = bytes(folder.path(), "next.jsonl", b"{\"text\": \"after\"}\n");
    for (name, archive) in [
        ("b.gz", gzip(&[&text])),
        (
            "c.zst",
            zstd(&[&text[..text.len() / 2], &text[text.len() / 2..]]),
        ),
    ] {
        let n_bytes = archive.len() * 4 / 5;
        let path = bytes(folder.path(), name, &archive[..n_bytes]);
        let (data, _, summary) = ran(&check(), &[path.clone(), next.clone()], 2);
        let mut rows: Vec<&str> = data.lines().collect();
        assert!(
            rows.pop().is_some_and(|last| last.contains("after")),
            "the next input is read"
        );
        assert!(
            rows.len() > 30 && rows.len() < 200,
            "{name}: {}",
            rows.len()
        );
        assert!(whole.starts_with(&(rows.join("\n") + "\n")), "{name}");
        let [
            CorpusError::Read {
                path: failed,
                byte,
                rows: n_rows,
                ..
            },
        ] = summary.failures.as_slice()
        else {
            panic!("{name}: {:?}", summary.failures);
        };
        assert_eq!(
            (failed, *byte, *n_rows),
            (&path, n_bytes as u64, rows.len() as u64),
            "{name}"
        );
    }
}

#[test]
fn a_corrupt_archive_names_the_byte_where_it_breaks() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = text(200);
    for (name, mut archive) in [("a.gz", gzip(&[&text])), ("b.zst", zstd(&[&text]))] {
        let at = archive.len() / 2;
        for byte in &mut archive[at..at + 64] {
            *byte = !*byte;
        }
        let (data, _, summary) = ran(&check(), &[bytes(folder.path(), name, &archive)], 2);
        let [CorpusError::Read { byte, rows, .. }] = summary.failures.as_slice() else {
            panic!("{name}: {:?}", summary.failures);
        };
        assert_eq!(data.lines().count() as u64, *rows, "{name}");
        assert!(
            *byte as usize <= archive.len() && *byte > 0,
            "{name}: {byte}"
        );
    }
}

#[test]
fn a_row_that_is_too_long_is_bad_and_not_held() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = json!({"text": "x".repeat(5_000)});
    let rows = [json!({"text": "a"}), long, json!({"text": "b"})];
    let path = file(folder.path(), "a.jsonl", &rows);
    let mut runner = Runner::new(Some(1)).expect("threads start");
    runner.limits.row_bytes = 1_000;
    let (mut data, mut report) = (Vec::new(), Vec::new());
    let streams = Streams {
        data: &mut data,
        report: &mut report,
    };
    let inputs = Input::all(&[path]).expect("it is there");
    let summary = runner.stream(&check(), &inputs, streams, &mut |_| {
        ControlFlow::Continue(())
    });
    assert_eq!(summary.expect("it runs").tally.bad_rows, 1);
    let rows = values(&String::from_utf8(data).expect("text"));
    assert_eq!(
        rows[1]["error"],
        "the row has 5011 bytes, which is more than a row may have"
    );
    assert_eq!(rows[2]["content"], "b");
}

#[test]
fn blank_lines_and_a_byte_order_mark_are_no_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = bytes(
        folder.path(),
        "a.jsonl",
        b"\xef\xbb\xbf{\"text\": \"a\"}\r\n\n  \r\n{\"text\": \"b\"}",
    );
    let (data, _, summary) = ran(&check(), &[path], 1);
    assert_eq!(
        (summary.tally.rows, summary.tally.bad_rows),
        (2, 0),
        "{data}"
    );
}

#[test]
fn a_folder_is_its_files_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), "b.jsonl", &[json!({"text": "second"})]);
    file(folder.path(), "a.jsonl", &[json!({"text": "first"})]);
    bytes(
        folder.path(),
        "c.jsonl.gz",
        &gzip(&[b"{\"text\": \"third\"}"]),
    );
    bytes(folder.path(), "notes.txt", b"no rows");
    let (data, _, _) = ran(&check(), &[folder.path().to_owned()], 2);
    let contents: Vec<_> = values(&data)
        .iter()
        .map(|row| row["content"].to_string())
        .collect();
    assert_eq!(contents, ["\"first\"", "\"second\"", "\"third\""]);
    let empty = tempfile::tempdir().expect("a folder");
    let error = Input::all(&[empty.path().to_owned()]).expect_err("it is empty");
    assert!(matches!(error, CorpusError::EmptyFolder(_)));
    assert!(Input::all(&[PathBuf::from("no/such/file.jsonl")]).is_err());
}

#[test]
#[cfg(not(feature = "parquet"))]
fn a_parquet_file_names_the_feature() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = bytes(folder.path(), "a.parquet", b"PAR1 and more");
    let inputs = Input::all(&[path]).expect("it is there");
    let runner = Runner::new(Some(1)).expect("threads start");
    let (mut data, mut report) = (Vec::new(), Vec::new());
    let streams = Streams {
        data: &mut data,
        report: &mut report,
    };
    let error = runner.stream(&check(), &inputs, streams, &mut |_| {
        ControlFlow::Continue(())
    });
    let error = error.expect_err("it is left out").to_string();
    assert!(error.contains("feature `parquet`"), "{error}");
}
