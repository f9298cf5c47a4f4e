//! Restores escaped markers that a model copied from an answer.
//!
//! The markers in a result are escaped, and a model that edits the file repeats the escapes. The file decides: if it
//! contains the marker and not its escaped form, the argument gets the marker. This runs once for all tools, before the
//! policy decision, on every text of a call that names a file.

use std::collections::{HashMap, HashSet};

use toolglot_builtins::{Root, plan, text_of};
use toolglot_engine::{Call, Code, Dialect, EscapedMarker, Note, ResultWriter};
use toolglot_policy::{PathFact, Refusals, is_secret};
use toolglot_value::{Map, Value};

/// The longest text that is tried as a file name, in bytes.
const LONGEST_NAME: usize = 4096;

/// The limit on searches in the files of one call, for parts of lines and spellings. Each search costs one file length.
const MOST_PARTS: usize = 200;

/// Restores, in `arguments`, the markers that the named files contain. Returns one note for each spelling.
pub(crate) fn restore(
    (root, refusals, tool): (&Root, &Refusals, &str),
    arguments: &mut Map<String, Value>,
    dialect: &Dialect,
    call: &Call,
) -> Vec<Note> {
    // Every escape contains one of these bytes.
    let may_hold = |value: &Value| any_text(value, &|text| text.contains(['\\', '&']));
    if !arguments.values().any(may_hold) {
        return Vec::new();
    }
    let writer = ResultWriter::new(dialect);
    let is_copied =
        |value: &Value| any_text(value, &|text| !writer.escaped_markers(text).is_empty());
    if !arguments.values().any(is_copied) {
        return Vec::new();
    }
    let mut notes = Vec::new();
    let mut n_parts = 0;
    let plan = plan(root, tool, arguments);
    let paths: Option<Vec<PathFact>> = plan.ok().map(|plan| plan.paths().to_vec());
    for (path, text) in named_files(root, refusals, paths.as_deref(), arguments) {
        let mut restored = MarkerRestorer::new(&writer, &text, arguments, n_parts);
        for value in arguments.values_mut() {
            restored.value(value);
        }
        n_parts = restored.n_parts;
        for (from, to, n) in restored.done {
            let times = if n > 1 {
                format!(", {n} times")
            } else {
                String::new()
            };
            notes.push(Note {
                code: Code::RestoredMarker,
                span: call.span,
                message: format!(
                    "`{from}` is how an answer spells `{to}`, which {path:?} holds: restored{times}"
                ),
                help: None,
            });
        }
    }
    notes
}

/// The files that the arguments name, with their texts. For a builtin tool only the paths of its plan count. Files that
/// the policy refuses are not read.
fn named_files(
    root: &Root,
    refusals: &Refusals,
    planned: Option<&[PathFact]>,
    arguments: &Map<String, Value>,
) -> Vec<(String, String)> {
    let names = arguments.values().filter_map(Value::as_str);
    let names = names.filter(|name| name.len() <= LONGEST_NAME && !name.contains('\n'));
    let is_path = |name: &&str| {
        planned.is_none_or(|planned| planned.iter().any(|fact| fact.written == **name))
    };
    let names = names.filter(is_path);
    let file = |name: &str| {
        let inside = root.resolve(name).ok()?.path;
        let is_open = !is_secret(&inside) && !refusals.hides("read_file", &inside);
        let text = is_open.then(|| text_of(root, &inside))??;
        Some((name.to_owned(), text))
    };
    names.filter_map(file).collect()
}

/// Whether `is_such` holds for any string in `value`.
fn any_text(value: &Value, is_such: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is_such(text),
        Value::Array(all) => all.iter().any(|value| any_text(value, is_such)),
        Value::Object(all) => all.values().any(|value| any_text(value, is_such)),
        _ => false,
    }
}

/// The restoration of markers from one file.
struct MarkerRestorer<'a> {
    writer: &'a ResultWriter<'a>,
    file: &'a str,
    lines: HashSet<&'a str>,
    n_parts: usize,
    /// Lines that were compared already, with the result: each line is checked twice.
    compared: HashMap<String, bool>,
    /// Whether the file holds the marker that a spelling escapes.
    known: HashMap<String, bool>,
    /// Spellings in lines that the file contains without the escapes: a model that copied one also copied the others.
    copied: HashSet<String>,
    /// Whether all texts are encoded as in a frame of entities.
    is_all_encoded: bool,
    /// The restored spellings: from, to, count.
    done: Vec<(String, String, usize)>,
}

impl<'a> MarkerRestorer<'a> {
    fn new(
        writer: &'a ResultWriter<'a>,
        file: &'a str,
        arguments: &Map<String, Value>,
        n_parts: usize,
    ) -> MarkerRestorer<'a> {
        let mut restored = MarkerRestorer {
            writer,
            file,
            lines: file.lines().map(str::trim).collect(),
            n_parts,
            compared: HashMap::new(),
            known: HashMap::new(),
            copied: HashSet::new(),
            is_all_encoded: false,
            done: Vec::new(),
        };
        for value in arguments.values() {
            restored.survey(value);
        }
        // In a frame of entities, any entity may be the file's own. So at least one line must be a copy, and no text
        // may hold a bare `<` or `>`.
        restored.is_all_encoded = writer.encodes(false)
            && !restored.copied.is_empty()
            && !arguments.values().any(|value| any_text(value, &holds_bare));
        restored
    }

    /// Collects the spellings in lines that come from the file.
    fn survey(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                let escapes = self.writer.escaped_markers(text);
                for (line, escapes) in lines(text, &escapes) {
                    if self.is_line(line, escapes) {
                        let spelled = escapes.iter().map(|escaped| &text[escaped.place.clone()]);
                        self.copied.extend(spelled.map(str::to_owned));
                    }
                }
            }
            Value::Array(all) => all.iter().for_each(|value| self.survey(value)),
            Value::Object(all) => all.values().for_each(|value| self.survey(value)),
            _ => {}
        }
    }

    fn value(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(all) => all.iter_mut().for_each(|value| self.value(value)),
            Value::Object(all) => all.values_mut().for_each(|value| self.value(value)),
            _ => {}
        }
    }

    fn text(&mut self, text: &mut String) {
        let escapes = self.writer.escaped_markers(text);
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for (line, escapes) in lines(text, &escapes) {
            let is_copy = self.is_all_encoded || self.is_line(line, escapes);
            for EscapedMarker { place, original } in escapes {
                let spelled = &text[place.clone()];
                let is_held = is_copy || self.is_marker_of(original, spelled);
                if !is_held || place.start < from {
                    continue;
                }
                out.push_str(&text[from..place.start]);
                out.push_str(original);
                from = place.end;
                match self.done.iter_mut().find(|done| done.0 == spelled) {
                    Some((_, _, n)) => *n += 1,
                    None => self.done.push((spelled.to_owned(), original.clone(), 1)),
                }
            }
        }
        if from > 0 {
            out.push_str(&text[from..]);
            *text = out;
        }
    }

    /// Whether the file contains the marker and not its escaped form, or a copied line has this spelling. With entities
    /// the answer is no: any entity may be the file's own.
    fn is_marker_of(&mut self, original: &str, spelled: &str) -> bool {
        if self.writer.encodes(false) || self.copied.contains(spelled) {
            return !self.writer.encodes(false);
        }
        if let Some(known) = self.known.get(spelled) {
            return *known;
        }
        let held = self.may_look() && self.holds(original, spelled);
        self.known.insert(spelled.to_owned(), held);
        held
    }

    fn holds(&self, original: &str, spelled: &str) -> bool {
        self.file.contains(original) && !self.file.contains(spelled)
    }

    /// Whether a line is in the file after unescaping, and is not in it as written.
    fn is_line(&mut self, (written, start): (&str, usize), escapes: &[EscapedMarker]) -> bool {
        let mut line = String::with_capacity(written.len());
        let mut from = 0;
        for escaped in escapes {
            let place = escaped.place.start - start..escaped.place.end - start;
            line.push_str(written.get(from..place.start).unwrap_or_default());
            line.push_str(&escaped.original);
            from = place.end;
        }
        line.push_str(written.get(from..).unwrap_or_default());
        let (line, written) = (line.trim(), written.trim());
        if self.lines.contains(line) {
            return !self.lines.contains(written);
        }
        // In a diff, a sign precedes the line; an edit may start and end inside a line.
        let signed = line.strip_prefix(['+', '-']).map(str::trim);
        if signed.is_some_and(|line| self.lines.contains(line)) {
            return true;
        }
        if let Some(known) = self.compared.get(written) {
            return *known;
        }
        let held = self.may_look() && self.holds(line, written);
        self.compared.insert(written.to_owned(), held);
        held
    }

    /// Whether the limit allows one more search in the file.
    fn may_look(&mut self) -> bool {
        self.n_parts += 1;
        self.n_parts <= MOST_PARTS
    }
}

/// The lines of `text` that contain escapes: each with its start and its escapes.
fn lines<'t>(
    text: &'t str,
    mut escapes: &'t [EscapedMarker],
) -> impl Iterator<Item = ((&'t str, usize), &'t [EscapedMarker])> {
    std::iter::from_fn(move || {
        let at = escapes.first()?.place.start;
        let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
        let n = escapes.partition_point(|escaped| escaped.place.start < end);
        let (here, rest) = escapes.split_at(n);
        escapes = rest;
        Some(((&text[start..end], start), here))
    })
}

/// Whether a text contains `<` or `>`, which a frame of entities never has. Conflict markers do not count.
fn holds_bare(text: &str) -> bool {
    let is_mark = |line: &str| line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>");
    text.lines()
        .any(|line| !is_mark(line) && line.contains(['<', '>']))
}
