//! The log of decisions and effects: one JSON object a line, each with the hash of the line before it.
//!
//! A line is on the disk before an effect starts, and another line follows the effect. A line that is changed, removed
//! or inserted breaks the chain from there on. A cut at the end shows only if the last hash is stored elsewhere.

mod masked;

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use toolglot_value::{Map, Value};

use crate::clock::now_ms;
use thiserror::Error;

pub use masked::{masked, masked_text, shape};

/// The previous hash of the first line.
const FIRST: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The hash is the last member of its line and follows this key.
const HASH_KEY: &str = ",\"hash\":\"";

/// The events that note an unfinished line: a record that a crash cut off, or text that no log wrote.
const TORN: &str = "torn-line";
const FOREIGN: &str = "foreign-line";

/// In the line that notes an unfinished line: the key of the unfinished line's hash.
const LINE_HASH: &str = "line_hash";

/// A log in one append-only file.
#[derive(Clone, Debug)]
pub struct Log {
    path: PathBuf,
}

/// Why a log differs from the written one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {why}")]
pub struct Broken {
    /// The first line that does not fit, from 1.
    pub line: usize,
    /// What is wrong with the line.
    pub why: &'static str,
}

/// A log whose chain is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Whole {
    /// How many lines it has.
    pub lines: usize,
    /// How many of its lines a crash cut off, each noted by the line after it.
    pub torn: usize,
    /// The hash of the last line: remember it elsewhere to notice if lines are cut off.
    pub last: String,
}

impl Log {
    /// A log in this file; the first line creates the file.
    pub fn new(path: impl Into<PathBuf>) -> Log {
        Log { path: path.into() }
    }

    /// Appends a line and waits until it is on the disk. Several processes may append at once.
    ///
    /// # Errors
    /// If the file cannot be written: then the effect that the line describes must not be executed.
    pub fn append(&self, record: Map<String, Value>) -> io::Result<()> {
        let mut file = open(&self.path)?;
        lock(&file)?;
        let (mut seq, mut prev, end) = last(&mut file)?;
        let mut text = String::new();
        match end {
            End::Whole => {}
            End::NoBreak => text.push('\n'),
            // The unfinished line stays as it is. The next line notes its kind and its hash, so that later changes to
            // it show.
            End::Unfinished(line) => {
                let event = if begins_record(&line, seq, &prev) {
                    TORN
                } else {
                    FOREIGN
                };
                let mut note = Map::new();
                note.insert("event".into(), event.into());
                note.insert(LINE_HASH.into(), hash(&line).into());
                text.push('\n');
                prev = push_line(&mut text, seq, &prev, note);
                seq += 1;
            }
        }
        push_line(&mut text, seq, &prev, record);
        file.write_all(text.as_bytes())?;
        file.sync_data()
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

#[cfg(unix)]
fn lock(file: &File) -> io::Result<()> {
    rustix::fs::flock(file, rustix::fs::FlockOperation::LockExclusive).map_err(io::Error::from)
}

#[cfg(not(unix))]
fn lock(_: &File) -> io::Result<()> {
    Ok(())
}

/// How a log ends.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// With a whole line, or it is empty.
    Whole,
    /// With a whole line that lacks only its line break.
    NoBreak,
    /// With these bytes, which are not a whole line.
    Unfinished(Vec<u8>),
}

/// The number of the next line, the hash of the last whole one, and how the file ends.
fn last(file: &mut File) -> io::Result<(u64, String, End)> {
    let mut start = file.seek(SeekFrom::End(0))?;
    let mut tail: Vec<u8> = Vec::new();
    // Reads backwards up to a whole line or the start of the file.
    while start > 0 {
        let from = start.saturating_sub(64 << 10);
        let mut piece = vec![0; usize::try_from(start - from).unwrap_or(0)];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut piece)?;
        piece.extend_from_slice(&tail);
        tail = piece;
        start = from;
        let whole = tail
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at);
        if tail[..whole].contains(&b'\n') {
            break;
        }
    }
    let mut lines = tail.rsplit(|byte| *byte == b'\n');
    let after_break = lines.next().unwrap_or_default();

    let (end, line) = if after_break.is_empty() {
        (End::Whole, lines.find(|line| !line.is_empty()))
    } else if is_whole(after_break) {
        (End::NoBreak, Some(after_break))
    } else {
        (
            End::Unfinished(after_break.to_owned()),
            lines.find(|line| !line.is_empty()),
        )
    };
    let Some(line) = line else {
        return Ok((0, FIRST.to_owned(), end));
    };
    let line = std::str::from_utf8(line).unwrap_or_default();
    let seq = toolglot_value::from_str(line)
        .ok()
        .and_then(|line| line.get("seq")?.as_u64());
    let (Some(seq), Some((_, hash))) = (seq, split_hash(line)) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the last line is not a record of an audit log",
        ));
    };
    Ok((seq + 1, hash.to_owned(), end))
}

/// Whether a line is a record that has its own hash.
fn is_whole(line: &[u8]) -> bool {
    let line = std::str::from_utf8(line).ok();
    line.and_then(split_hash)
        .is_some_and(|(body, own)| hash(&body) == own)
}

/// Whether `line` is a prefix of a record with this number; only the record's time is unknown. A cut may leave a part
/// of a character at the end.
fn begins_record(line: &[u8], seq: u64, prev: &str) -> bool {
    let line = String::from_utf8_lossy(line);
    let fits = |expected: &str, found: &str| {
        let n = expected.len().min(found.len());
        expected.as_bytes()[..n] == found.as_bytes()[..n]
    };
    let start = format!("{{\"seq\":{seq},\"time\":");
    let Some(rest) = line.strip_prefix(&start) else {
        return line.len() < start.len() && fits(&start, &line);
    };
    let is_of_time = |c: char| c.is_ascii_digit() || "\"TZ:.-".contains(c);
    let rest = rest.trim_start_matches(is_of_time);
    fits(&format!(",\"prev\":\"{prev}\","), rest)
}

/// Appends a line to the text. Returns the line's hash.
fn push_line(text: &mut String, seq: u64, prev: &str, record: Map<String, Value>) -> String {
    let mut line = Map::new();
    line.insert("seq".into(), seq.into());
    line.insert("time".into(), now_ms().into());
    line.insert("prev".into(), prev.into());
    line.extend(record);
    let mut body = Value::Object(line).to_string();
    let hash = hash(&body);
    body.pop();
    text.push_str(&body);
    text.push_str(HASH_KEY);
    text.push_str(&hash);
    text.push_str("\"}\n");
    hash
}

/// The hash of a line's text without its `hash` member. The text contains the hash of the line before.
fn hash(body: impl AsRef<[u8]>) -> String {
    let mut hash = Sha256::new();
    hash.update(b"toolglot-audit-v1\0");
    hash.update(body);
    hex(&hash.finalize())
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

/// A line's text without its hash, and the hash.
fn split_hash(line: &str) -> Option<(String, &str)> {
    let at = line.rfind(HASH_KEY)?;
    let hash = line[at + HASH_KEY.len()..].strip_suffix("\"}")?;
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| (format!("{}}}", &line[..at]), hash))
}

/// Checks that every line is as written, and that no line is missing between them.
///
/// # Errors
/// The first line that does not fit.
pub fn verify(log: &(impl AsRef<[u8]> + ?Sized)) -> Result<Whole, Broken> {
    let log = log.as_ref();
    let lines = log.strip_suffix(b"\n").unwrap_or(log);
    let lines = lines.split(|byte| *byte == b'\n');
    let mut whole = Whole {
        lines: 0,
        torn: 0,
        last: FIRST.to_owned(),
    };
    let mut seq = 0;
    let mut unfinished: Option<&[u8]> = None;
    // An empty log has no line.
    for (index, line) in lines.filter(|_| !log.is_empty()).enumerate() {
        let broken = |why| Broken {
            line: index + 1,
            why,
        };
        whole.lines += 1;
        let record = std::str::from_utf8(line).ok();
        let record =
            record.and_then(|line| Some((serde_json::from_str(line).ok()?, split_hash(line)?)));
        let Some((parsed, (body, own))): Option<(Value, _)> = record else {
            if unfinished.is_some() {
                return Err(broken(
                    "not a record of an audit log, nor is the line before it",
                ));
            }
            unfinished = Some(line);
            continue;
        };
        if let Some(line) = unfinished.take() {
            let before = |why| Err(Broken { line: index, why });
            if parsed["event"] != TORN {
                return before("not a record of an audit log");
            }
            if !begins_record(line, seq, &whole.last) {
                return before("noted as cut off by a crash, but does not start as a record does");
            }
            // Older logs note the line without its hash.
            if parsed
                .get(LINE_HASH)
                .is_some_and(|noted| *noted != hash(line))
            {
                return before("it is not the line that was noted as cut off");
            }
            whole.torn += 1;
        }
        if hash(&body) != own {
            return Err(broken("it is not what was written: its hash does not fit"));
        }
        if parsed["prev"] != *whole.last {
            return Err(broken(
                "the line before it is not the one that was there when it was written",
            ));
        }
        if parsed["seq"] != seq {
            return Err(broken("its number does not follow the one before it"));
        }
        seq += 1;
        own.clone_into(&mut whole.last);
    }
    if let Some(line) = unfinished {
        return Err(Broken {
            line: whole.lines,
            why: if begins_record(line, seq, &whole.last) {
                "it is half a record: a crash cut it off, or somebody did; all lines before it are whole"
            } else {
                "not a record of an audit log"
            },
        });
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use toolglot_value::{Map, Value, json};

    use super::{Log, verify};

    fn record(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(record) => record,
            _ => Map::new(),
        }
    }

    #[test]
    fn every_change_breaks_the_chain_where_it_was_made() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("log");
        let log = Log::new(&path);
        for n in 0..5 {
            log.append(record(
                json!({"event": "before", "n": n, "text": "a\n{\"event\":\"forged\"}"}),
            ))
            .expect("written");
        }
        let text = std::fs::read_to_string(&path).expect("there");
        assert_eq!(verify(&text).expect("whole").lines, 5);
        assert!(!text.contains("\n{\"event\":\"forged\"}"));
        let lines: Vec<&str> = text.lines().collect();
        let joined = |lines: &[&str]| [lines.join("\n"), String::new()].join("\n");
        let changed = text.replacen("\"n\":2", "\"n\":7", 1);
        assert_eq!(verify(&changed).expect_err("changed").line, 3);
        assert_eq!(
            verify(&joined(&[lines[0], lines[2], lines[3]]))
                .expect_err("removed")
                .line,
            2
        );
        assert_eq!(
            verify(&joined(&[lines[0], lines[1], lines[1]]))
                .expect_err("doubled")
                .line,
            3
        );
        assert_eq!(
            verify(&joined(&[lines[1], lines[0]]))
                .expect_err("swapped")
                .line,
            1
        );
        assert_eq!(
            verify(&joined(&[lines[0], "{}", lines[1]]))
                .expect_err("inserted")
                .line,
            2
        );
    }

    #[test]
    fn a_line_that_a_crash_cut_off_is_noted_and_the_log_goes_on() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("log");
        let log = Log::new(&path);
        for _ in 0..3 {
            log.append(record(json!({"event": "before"})))
                .expect("written");
        }
        let whole = std::fs::read(&path).expect("there");
        let second = whole
            .iter()
            .position(|byte| *byte == b'\n')
            .expect("a line")
            + 1;
        for end in second..whole.len() {
            std::fs::write(&path, &whole[..end]).expect("written");
            let cut = std::fs::read_to_string(&path).expect("there");
            // A line without its break alone is whole.
            let is_half = whole[end - 1] != b'\n' && whole[end] != b'\n';
            let broken = verify(&cut).err();
            assert_eq!(broken.is_some(), is_half, "cut at {end}");
            assert!(
                broken.is_none_or(|broken| broken.why.starts_with("it is half a record")),
                "cut at {end}: {cut}"
            );
            log.append(record(json!({"event": "after"})))
                .expect("written");
            let text = std::fs::read_to_string(&path).expect("there");
            let found =
                verify(&text).unwrap_or_else(|broken| panic!("cut at {end}: {broken}\n{text}"));
            assert_eq!(found.torn, usize::from(is_half), "cut at {end}");
        }
    }

    #[test]
    fn no_byte_can_be_changed() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("log");
        let log = Log::new(&path);
        log.append(record(json!({"event": "before", "text": "é"})))
            .expect("written");
        let first = std::fs::read(&path).expect("there");
        // A crash cuts a character.
        log.append(record(json!({"event": "after", "text": "漢"})))
            .expect("written");
        let whole = std::fs::read(&path).expect("there");
        let at = whole.windows(3).position(|bytes| bytes == "漢".as_bytes());
        let cut = &whole[..at.expect("it is there") + 2];
        std::fs::write(&path, cut).expect("written");
        log.append(record(json!({"event": "after"})))
            .expect("written");
        let noted = std::fs::read(&path).expect("there");
        assert_eq!(verify(&noted).map(|whole| whole.torn), Ok(1));
        for at in 0..noted.len() - 1 {
            for other in [0xff, b' ', noted[at] ^ 1] {
                let mut changed = noted.clone();
                changed[at] = other;
                assert_eq!(
                    verify(&changed).is_ok(),
                    other == noted[at],
                    "{at}: {other}"
                );
            }
        }
        // A log never writes a line break of two bytes.
        let text = String::from_utf8(first).expect("text");
        assert!(verify(&text).is_ok());
        assert!(verify(&text.replace('\n', "\r\n")).is_err());
        assert_eq!(verify("").map(|whole| whole.lines), Ok(0));
        assert!(verify("\n").is_err());
    }

    #[test]
    fn what_no_log_wrote_is_never_taken_for_a_crash() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("log");
        let log = Log::new(&path);
        log.append(record(json!({"event": "before"})))
            .expect("written");
        let whole = std::fs::read_to_string(&path).expect("there");
        for garbage in [
            "x",
            "{",
            "{\"seq\":7,",
            "{\"seq\":1,\"time\":5,\"prev\":\"00",
            "\0\0\0",
        ] {
            let text = format!("{whole}{garbage}");
            let broken = verify(&text).expect_err(garbage);
            assert_eq!(broken.line, 2);
            let is_begin = garbage == "{";
            assert_eq!(
                broken.why.starts_with("it is half a record"),
                is_begin,
                "{garbage}"
            );
            // The log continues, and the garbage stays an error.
            std::fs::write(&path, &text).expect("written");
            log.append(record(json!({"event": "after"})))
                .expect("written");
            let text = std::fs::read_to_string(&path).expect("there");
            assert_eq!(verify(&text).is_ok(), is_begin, "{garbage}\n{text}");
        }
        // A change to a line that is noted as cut off shows.
        std::fs::write(&path, format!("{whole}{{\"se")).expect("written");
        log.append(record(json!({"event": "after"})))
            .expect("written");
        let text = std::fs::read_to_string(&path).expect("there");
        assert!(verify(&text).is_ok());
        assert_eq!(
            verify(&text.replace("\n{\"se\n", "\n{\"s\n"))
                .expect_err("changed")
                .line,
            2
        );
    }
}
