//! Where input comes from: a file, or standard input for `-`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::cli::failure::Failure;
use crate::cli::input_name::is_stdin;

pub(crate) use crate::cli::input_name::input_name as name;

/// Opens `path` for reading.
pub(crate) fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if is_stdin(path) {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = File::open(path).map_err(|source| failed(path, source))?;
    Ok(Box::new(BufReader::with_capacity(64 << 10, file)))
}

/// All bytes of `path`.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    open(path)?
        .read_to_end(&mut bytes)
        .map_err(|source| failed(path, source))?;
    Ok(bytes)
}

/// All text of `path`, which must be UTF-8.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    decoded(path, bytes(path)?)
}

/// The longest document, in bytes: a checkpoint's configuration has a few megabytes.
const DOCUMENT: u64 = 64 << 20;

/// All text of a document (JSON, a dialect or a template), without its byte order mark.
pub(crate) fn document(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    open(path)?
        .take(DOCUMENT + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| failed(path, source))?;
    if bytes.len() as u64 > DOCUMENT {
        return Err(invalid(path, format!("longer than {DOCUMENT} bytes")));
    }
    let mut text = decoded(path, bytes)?;
    text.drain(..text.len() - without_mark(&text).len());
    Ok(text)
}

fn decoded(path: &Path, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| {
        let whole = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let whole = std::str::from_utf8(whole).unwrap_or_default();
        let line = 1 + whole.matches('\n').count();
        invalid(path, format!("line {line} is not UTF-8: save it as UTF-8"))
    })
}

fn invalid(path: &Path, what: String) -> Failure {
    failed(path, io::Error::new(io::ErrorKind::InvalidData, what))
}

/// `text` without the byte order mark that some editors put at its start.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The failure to read `path`.
pub(crate) fn failed(path: &Path, source: io::Error) -> Failure {
    Failure::Input {
        path: path.to_owned(),
        source,
    }
}
