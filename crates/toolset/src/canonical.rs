//! Brings calls from a model to the names and types of a tool set.

use toolglot_engine::{Call, Code, End, Note, Span};
use toolglot_value::{Map, Value};

use crate::arguments::{Change, bring_to};
use crate::duplicates::{Repeatable, Seen};
use crate::multi_file_reads::reads;
use crate::toolbox::{Entry, Toolbox};
use std::collections::BTreeMap;

/// A call under its tool's own names, for validation, a policy decision and a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Canonical {
    /// The index of the written call among the message's calls. One written call may give several canonical calls.
    pub call: usize,
    /// The tool's own name; the written name if no tool has it.
    pub tool: String,
    /// Whether the tool exists.
    pub known: bool,
    /// The arguments; empty if the written ones are not a JSON object, as in a truncated call.
    pub arguments: Map<String, Value>,
    /// The index, in the list this call is in, of the earlier call that it repeats.
    pub duplicate_of: Option<usize>,
    /// The notes on the changes made here; the call's own notes are not repeated.
    pub notes: Vec<Note>,
}

/// The canonical calls of a message, in order.
///
/// Other names of tools and parameters become the toolbox's own. A text becomes a value of its parameter's type if it
/// encodes exactly that. A list of files becomes one read each; repeated commands and reads are marked. The call of an
/// unknown tool stays as it is. All changes are noted, except names that the dialect's own system teaches.
pub fn normalize(calls: &[Call], toolbox: &Toolbox) -> Vec<Canonical> {
    let mut canonical = Vec::with_capacity(calls.len());
    let mut seen = Seen::default();
    let mut systems: BTreeMap<&str, Option<&Toolbox>> = BTreeMap::new();
    for (index, call) in calls.iter().enumerate() {
        let entry = toolbox.entry(&call.name);
        let system = systems.entry(&call.dialect);
        let system = system.or_insert_with_key(|dialect| Toolbox::taught(dialect));
        let taught = system.and_then(|system| system.entry(&call.name));
        for mut one in canonical_of(index, call, entry, taught) {
            if call.end != End::Truncated {
                let repeatable = Repeatable {
                    spec: entry.map(|entry| &entry.spec),
                    ns: call.server.as_deref(),
                    arguments: &one.arguments,
                    end: call.end,
                };
                one.duplicate_of = seen.repeats(canonical.len(), repeatable);
            }
            if one.duplicate_of.is_some() {
                let message = format!("the same `{}` came before in this message", one.tool);
                one.notes
                    .push(note(Code::DuplicateCall, call.span, message));
            }
            canonical.push(one);
        }
    }
    canonical
}

/// The canonical calls for one written call, usually one. `taught` is the tool of that name that the dialect's system
/// teaches.
fn canonical_of(
    index: usize,
    call: &Call,
    entry: Option<&Entry>,
    taught: Option<&Entry>,
) -> Vec<Canonical> {
    let mut one = Canonical {
        call: index,
        tool: call.name.clone(),
        known: entry.is_some(),
        arguments: Map::new(),
        duplicate_of: None,
        notes: Vec::new(),
    };
    match toolglot_value::from_str(&call.arguments) {
        Ok(Value::Object(arguments)) => one.arguments = arguments,
        _ if call.end == End::Truncated => {}
        Ok(_) => one.notes.push(malformed(
            call,
            "the arguments are not a JSON object".into(),
        )),
        Err(error) => {
            one.notes.push(malformed(
                call,
                format!("the arguments cannot be read: {error}"),
            ));
        }
    }
    let Some(entry) = entry else { return vec![one] };
    if entry.spec.name != call.name {
        // A name that the dialect's rule fixes is not from the model, so no note is needed.
        if !call.name_span.is_empty() && taught.is_none() {
            let message = format!("`{}` is another name of `{}`", call.name, entry.spec.name);
            one.notes.push(note(Code::Alias, call.name_span, message));
        }
        one.tool.clone_from(&entry.spec.name);
    }
    let (arguments, changes) = bring_to(entry, std::mem::take(&mut one.arguments));
    one.arguments = arguments;
    let is_taught = |change: &Change| match change {
        Change::Renamed { from, .. } => taught.is_some_and(|taught| taught.writes(from)),
        _ => false,
    };
    let changes = changes.into_iter().filter(|change| !is_taught(change));
    one.notes
        .extend(changes.map(|change| change_note(change, call.span)));
    each_read(entry, one, call.span)
}

/// One call for each file, if the call reads a list of files.
fn each_read(entry: &Entry, one: Canonical, span: Span) -> Vec<Canonical> {
    let list = entry
        .habits
        .file_lists
        .iter()
        .find(|list| one.arguments.contains_key(list));
    // Beside other arguments the list is not the whole request; validation reports that.
    let Some((list, reads)) = list
        .filter(|_| one.arguments.len() == 1)
        .and_then(|list| Some((list, reads(&one.arguments[list])?)))
    else {
        return vec![one];
    };
    let message = match reads.len() {
        1 => format!("`{list}` was read as one `{}`", one.tool),
        n => format!("`{list}` was read as {n} calls of `{}`", one.tool),
    };
    reads
        .into_iter()
        .enumerate()
        .map(|(i, read)| {
            let mut read = Canonical {
                arguments: read.into_arguments(),
                ..one.clone()
            };
            if i == 0 {
                read.notes.push(note(Code::Alias, span, message.clone()));
            } else {
                read.notes.clear();
            }
            read
        })
        .collect()
}

fn change_note(change: Change, span: Span) -> Note {
    match change {
        Change::Renamed { from, to } => note(
            Code::Alias,
            span,
            format!("`{from}` is another name of `{to}`"),
        ),
        Change::LeftOut { key, parameter } => note(
            Code::Alias,
            span,
            format!("`{key}` is empty and was left out; `{parameter}` says it"),
        ),
        Change::Needless { key } => note(
            Code::Alias,
            span,
            format!("`{key}` is not needed and was left out"),
        ),
        Change::Unpacked { key, as_what } => note(
            Code::EncodedArguments,
            span,
            format!("the text of `{key}` was read as {as_what}, as its schema asks"),
        ),
    }
}

fn malformed(call: &Call, message: String) -> Note {
    note(Code::MalformedJson, call.span, message)
}

fn note(code: Code, span: Span, message: String) -> Note {
    Note {
        code,
        span,
        message,
        help: None,
    }
}
