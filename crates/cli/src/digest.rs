//! What becomes of a parsed message before it is shown: shell blocks are split, names made canonical, arguments checked.

use toolglot::{Calls, Code, Dialect, End, Note};
use toolglot_tools::{Canonical, Toolbox};
use toolglot_wire::{Arguments, CallDocument, Document, NoteLine};

use crate::verify;

/// What is known beside the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Knowledge<'a> {
    /// The dialects that the text was read with.
    pub(crate) dialects: &'a [Dialect],
    /// The tools that calls are checked against, where the caller named any.
    pub(crate) toolbox: Option<&'a Toolbox>,
    /// Whether tools and parameters get their canonical names.
    pub(crate) normalize: bool,
}

/// A message that is ready to be shown.
#[derive(Debug)]
pub(crate) struct Digest {
    pub(crate) message: Calls,
    pub(crate) document: Document,
    /// What was said while names were made canonical.
    pub(crate) canonical_notes: Vec<Note>,
    /// Whether a call is truncated, unknown or invalid.
    pub(crate) is_faulty: bool,
}

/// Digests a message.
pub(crate) fn digest(mut message: Calls, knowledge: Knowledge<'_>) -> Digest {
    split(&mut message, knowledge.dialects);
    let workspace;
    let toolbox = match knowledge.toolbox {
        Some(toolbox) => Some(toolbox),
        None if knowledge.normalize => {
            workspace = normal(knowledge.dialects);
            workspace.as_ref()
        }
        None => None,
    };
    let canonical = toolbox.map(|toolbox| toolglot_tools::normalize(&message.calls, toolbox));
    if let (Some(toolbox), Some(canonical)) = (knowledge.toolbox, &canonical) {
        check(&mut message, canonical, toolbox);
    }
    let mut document = Document::new(&message);
    let mut canonical_notes = Vec::new();
    if let Some(canonical) = canonical.filter(|_| knowledge.normalize) {
        canonical_notes = canonical
            .iter()
            .flat_map(|call| call.notes.clone())
            .collect();
        document
            .notes
            .extend(canonical_notes.iter().map(NoteLine::from));
        document.calls = canonical
            .into_iter()
            .enumerate()
            .map(|(index, call)| rename(index, call, &message))
            .collect();
    }
    let is_faulty = message.calls.iter().any(|call| call.end == End::Truncated)
        || message.notes.iter().any(|note| is_fault(note.code));
    Digest {
        message,
        document,
        canonical_notes,
        is_faulty,
    }
}

/// Splits the shell blocks of the dialects that have any.
pub(crate) fn split(message: &mut Calls, dialects: &[Dialect]) {
    let splits = |dialect: &str, _name: &str| {
        let dialect = dialects.iter().find(|known| known.name() == dialect);
        dialect.and_then(|dialect| dialect.setting("split")) == Some("shell_lines")
    };
    message.calls = toolglot_tools::split_calls(std::mem::take(&mut message.calls), splits);
    let fresh = message.calls.iter().flat_map(|call| &call.notes);
    let fresh: Vec<Note> = fresh
        .filter(|note| note.code == Code::SplitShell)
        .cloned()
        .collect();
    for note in fresh {
        if !message.notes.contains(&note) {
            message.notes.push(note);
        }
    }
}

/// The tools whose names are canonical where the caller named none.
fn normal(dialects: &[Dialect]) -> Option<Toolbox> {
    match dialects {
        [only] => Toolbox::taught(only.name()).or_else(|| Toolbox::builtin("workspace")),
        _ => Toolbox::builtin("workspace"),
    }
}

/// Adds what the tools' schemas say about the calls.
fn check(message: &mut Calls, canonical: &[Canonical], toolbox: &Toolbox) {
    for checked in canonical {
        let Some(call) = message.calls.get_mut(checked.call) else {
            continue;
        };
        if call.end == End::Truncated {
            continue;
        }
        let notes = match toolbox.get(&checked.tool) {
            // The parser has said so where only names that are known can be calls.
            None if call.notes.iter().any(|note| note.code == Code::UnknownTool) => Vec::new(),
            None => vec![verify::unknown_tool(&checked.tool, toolbox, call.name_at)],
            Some(_) if matches!(Arguments::of(call), Arguments::Raw(_)) => {
                vec![verify::no_object(call.span)]
            }
            Some(spec) => verify::violations(spec, &checked.arguments, call.span),
        };
        call.notes.extend(notes.iter().cloned());
        message.notes.extend(notes);
    }
}

fn rename(index: usize, canonical: Canonical, message: &Calls) -> CallDocument {
    let written = &message.calls[canonical.call];
    let mut document = CallDocument::new(index, written);
    document.written = Some(written.name.clone());
    document.name = canonical.tool;
    if document.arguments.is_some() {
        document.arguments = Some(canonical.arguments);
    }
    document
}

/// Whether a note says that a call must not run.
fn is_fault(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownTool | Code::MissingParameter | Code::InvalidArguments
    )
}
