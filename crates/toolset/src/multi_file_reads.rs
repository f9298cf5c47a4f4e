//! A parameter that holds several files becomes one read for each file and range of lines.

use toolglot_value::{Map, Value};

use crate::elements::{elements, plain_text};

/// One read: a file, or some lines of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) path: String,
    /// First and last line, counted from 1.
    pub(crate) lines: Option<(u64, u64)>,
}

impl Read {
    /// The arguments of a `read_file` for this read.
    pub(crate) fn into_arguments(self) -> Map<String, Value> {
        let mut arguments = Map::new();
        arguments.insert("path".into(), self.path.into());
        if let Some((first, last)) = self.lines {
            arguments.insert("start_line".into(), first.into());
            arguments.insert("end_line".into(), last.into());
        }
        arguments
    }
}

/// The reads in a value; `None` if any part of it is not understood, so that nothing is dropped silently.
///
/// Roo taught `<file><path>a</path><line_range>1-50</line_range></file>`, repeated. The same is accepted as JSON, in a
/// text or as a value.
pub(crate) fn reads(value: &Value) -> Option<Vec<Read>> {
    match value {
        Value::String(text) if text.trim_start().starts_with('<') => of_elements(text),
        Value::String(text) => match toolglot_value::from_str(text).ok()? {
            structured @ (Value::Array(_) | Value::Object(_)) => reads(&structured),
            _ => None,
        },
        Value::Array(files) => joined(files.iter().map(of_file)),
        Value::Object(object) => match object.get("file").or_else(|| object.get("files")) {
            Some(files @ Value::Array(_)) => reads(files),
            Some(file) => of_file(file),
            None => of_file(value),
        },
        _ => None,
    }
}

fn of_elements(text: &str) -> Option<Vec<Read>> {
    joined(elements(text)?.into_iter().map(|file| {
        let mut path = None;
        let mut ranges = Vec::new();
        for part in (file.name == "file").then(|| elements(file.inner))?? {
            match part.name {
                "path" if path.is_none() => path = Some(plain_text(part.inner)),
                "line_range" => ranges.push(range(part.inner)?),
                _ => return None,
            }
        }
        Some(each_range(&path?, ranges))
    }))
}

fn of_file(file: &Value) -> Option<Vec<Read>> {
    let Value::Object(file) = file else {
        return Some(each_range(file.as_str()?, Vec::new()));
    };
    let mut ranges = Vec::new();
    for (key, value) in file {
        match (key.as_str(), value) {
            ("path", _) => {}
            ("line_range" | "line_ranges", Value::Array(written)) => {
                for written in written {
                    ranges.push(range(written.as_str()?)?);
                }
            }
            ("line_range" | "line_ranges", Value::String(written)) => ranges.push(range(written)?),
            _ => return None,
        }
    }
    Some(each_range(file.get("path")?.as_str()?, ranges))
}

fn each_range(path: &str, ranges: Vec<(u64, u64)>) -> Vec<Read> {
    let read = |lines| Read {
        path: path.to_owned(),
        lines,
    };
    if ranges.is_empty() {
        return vec![read(None)];
    }
    ranges.into_iter().map(|lines| read(Some(lines))).collect()
}

/// `1-50`.
fn range(written: &str) -> Option<(u64, u64)> {
    let (first, last) = written.trim().split_once('-')?;
    Some((
        first.trim_end().parse().ok()?,
        last.trim_start().parse().ok()?,
    ))
}

/// All reads of all files; `None` if there are none.
fn joined(files: impl Iterator<Item = Option<Vec<Read>>>) -> Option<Vec<Read>> {
    let mut all = Vec::new();
    for reads in files {
        all.extend(reads?);
    }
    if all.is_empty() { None } else { Some(all) }
}
