//! Where input comes from: a file, or standard input for `-`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::failure::Failure;

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
    let mut text = String::new();
    open(path)?
        .read_to_string(&mut text)
        .map_err(|source| failed(path, source))?;
    Ok(text)
}

/// All text of a document of ours - JSON, a dialect - whose byte order mark is no part of it.
pub(crate) fn document(path: &Path) -> Result<String, Failure> {
    Ok(without_mark(&text(path)?).to_owned())
}

/// `text` without the byte order mark that some editors put at its begin.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// How `path` is called in messages.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// The failure to read `path`.
pub(crate) fn failed(path: &Path, source: io::Error) -> Failure {
    Failure::Input {
        path: path.to_owned(),
        source,
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}
