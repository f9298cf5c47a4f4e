//! Prepares a parsed message for output: shell blocks are split, names made canonical, arguments checked.

use toolglot_engine::{Call, Calls, Code, Dialect, End, Event, Note, Sink, Span};
use toolglot_toolset::{Canonical, Toolbox};
use toolglot_wire::{Arguments, CallDocument, Document, NoteLine};

use crate::argument_spans::ArgumentSpans;
use crate::server_name::default_server;
use crate::verify::{CallLocator, call_around};
use crate::{lookalike, verify};

/// The context of a message beside its text.
#[derive(Clone, Copy, Debug)]
pub struct DigestContext<'a> {
    /// The dialects that the text was read with.
    pub dialects: &'a [Dialect],
    /// The tools that calls are checked against, if the caller named any.
    pub toolbox: Option<&'a Toolbox>,
    /// Whether tools and parameters get their canonical names.
    pub normalize: bool,
    /// The positions of the values of calls.
    pub spans: Option<&'a ArgumentSpans<'a>>,
}

/// A message that is ready for output.
#[derive(Debug)]
#[non_exhaustive]
pub struct Digest {
    /// The calls as written, and all notes on them.
    pub message: Calls,
    /// The same as a JSON document, with canonical names if requested.
    pub document: Document,
    /// The notes from making names canonical.
    pub canonical_notes: Vec<Note>,
    /// The notes on text that only looks like calls; the message has them too.
    pub lookalikes: Vec<Note>,
    /// Whether a call is truncated, unknown or invalid.
    pub is_faulty: bool,
    /// Whether the calls were checked against tools.
    pub is_verified: bool,
}

/// The calls under the tools' names. Where a dialect writes all values as text, converting a text to a number is not a
/// repair.
pub fn canonical_calls(calls: &[Call], toolbox: &Toolbox) -> Vec<Canonical> {
    let is_text = |dialect: &str| {
        let values = toolglot_dialects::get(dialect).and_then(|dialect| dialect.setting("values"));
        let typing = values.and_then(|values| values.split(',').next());
        matches!(typing, Some("schema|string" | "schema" | "string"))
    };
    let mut all = toolglot_toolset::normalize(calls, toolbox);
    for one in &mut all {
        if is_text(&calls[one.call].dialect) {
            one.notes.retain(|note| note.code != Code::EncodedArguments);
        }
    }
    all
}

impl Digest {
    /// Splits, renames and checks the calls of a message.
    pub fn new(mut message: Calls, context: DigestContext<'_>) -> Digest {
        split_shell_blocks(&mut message, context.dialects);
        let vocabulary = context.normalize.then(|| Toolbox::builtin("vocabulary"));
        let vocabulary = vocabulary.flatten();
        let toolbox = context.toolbox.or(vocabulary.as_ref());
        let mut canonical = toolbox.map(|toolbox| canonical_calls(&message.calls, toolbox));
        if let (Some(toolbox), Some(canonical)) = (context.toolbox, &mut canonical) {
            verify::drop_unknown_tool_notes(&mut message, &[toolbox]);
            check(&mut message, canonical, toolbox, context.spans);
        }
        let mut canonical_notes = Vec::new();
        // Arguments may be large: the arguments of canonical calls are moved, or dropped before others are created.
        let mut document = if let Some(canonical) = canonical.filter(|_| context.normalize) {
            canonical_notes = canonical
                .iter()
                .flat_map(|call| call.notes.clone())
                .collect();
            let calls = canonical.into_iter().enumerate();
            let calls = calls.map(|(index, call)| rename(index, call, &message));
            Document::with_calls(&message, calls.collect())
        } else {
            Document::new(&message)
        };
        document
            .notes
            .extend(canonical_notes.iter().map(NoteLine::from));
        name_servers(&mut document);
        let is_faulty = has_fault(&message);
        Digest {
            message,
            document,
            canonical_notes,
            lookalikes: Vec::new(),
            is_faulty,
            is_verified: context.toolbox.is_some(),
        }
    }

    /// Adds text that only looks like calls. Such text is not a fault: a message without calls has no faults.
    pub fn add_lookalikes(&mut self, notes: Vec<Note>) {
        if notes.is_empty() {
            return;
        }
        self.lookalikes.clone_from(&notes);
        lookalike::merge_notes(notes, &mut self.message.notes);
        let canonical = self.canonical_notes.iter();
        self.document.notes = self
            .message
            .notes
            .iter()
            .chain(canonical)
            .map(NoteLine::from)
            .collect();
    }
}

/// The document of a verified message, under the names that the model wrote.
pub fn message_document(message: &Calls) -> Document {
    let mut document = Document::new(message);
    name_servers(&mut document);
    document
}

fn name_servers(document: &mut Document) {
    for call in &mut document.calls {
        let default = || default_server(&call.dialect).map(str::to_owned);
        call.server = call.server.take().or_else(default);
    }
}

/// Splits the shell blocks of the dialects that have shell blocks.
pub fn split_shell_blocks(message: &mut Calls, dialects: &[Dialect]) {
    toolglot_toolset::split_calls(message, |name| {
        let dialect = dialects.iter().find(|dialect| dialect.name() == name);
        dialect.and_then(Dialect::split)
    });
}

/// Adds what the tools' schemas say about the calls.
fn check(
    message: &mut Calls,
    canonical: &mut [Canonical],
    toolbox: &Toolbox,
    spans: Option<&ArgumentSpans<'_>>,
) {
    for checked in canonical {
        let Some(call) = message.calls.get_mut(checked.call) else {
            continue;
        };
        if call.end == End::Truncated {
            continue;
        }
        let notes = match toolbox.get(&checked.tool) {
            None => {
                let note = verify::unknown_tool_note(&checked.tool, toolbox, call.name_span);
                // The parser may have noted this before the call started, but without a suggested name.
                message
                    .notes
                    .retain(|other| other.code != note.code || other.span != note.span);
                vec![note]
            }
            Some(_) if !Arguments::is_object(call) => {
                vec![verify::no_object_note(call)]
            }
            Some(_) => {
                let locator = CallLocator {
                    call,
                    toolbox,
                    spans,
                };
                verify::schema_notes(&checked.tool, &mut checked.arguments, locator)
            }
        };
        call.notes.extend(notes.iter().cloned());
        message.notes.extend(notes);
    }
}

fn rename(index: usize, canonical: Canonical, message: &Calls) -> CallDocument {
    let written = &message.calls[canonical.call];
    // Arguments that are not an object, or that nest too deep for renaming, stay as written.
    let arguments = if Arguments::is_object(written) {
        Arguments::Object(canonical.arguments)
    } else {
        Arguments::shown(written)
    };
    let mut document = CallDocument::with_arguments(index, written, arguments);
    document.written = Some(written.name.clone());
    document.name = canonical.tool;
    document
}

/// Whether a note is an error, a reason why one of these calls cannot run. Text that is not a call has warnings at
/// most.
pub fn is_fault(note: &Note, calls: &[Call]) -> bool {
    match note.code {
        Code::UnknownTool
        | Code::UnknownParameter
        | Code::MissingParameter
        | Code::InvalidArguments
        | Code::UnmetToolChoice => true,
        // Its value was dropped.
        Code::PlaceholderTag => call_around(calls, note.span).is_some(),
        Code::UnclosedCall | Code::LengthLimit => {
            call_around(calls, note.span).is_some_and(|call| call.end == End::Truncated)
        }
        _ => false,
    }
}

/// Whether a message has a fault: a truncated call or a faulty note.
fn has_fault(message: &Calls) -> bool {
    let mut calls = message.calls.iter();
    calls.any(|call| call.end == End::Truncated)
        || (message.notes.iter()).any(|note| is_fault(note, &message.calls))
}

/// Finds the faults of a message while its events pass, without storing text.
#[derive(Debug, Default)]
pub struct FaultDetector {
    /// The last call and the notes since its start, without texts.
    message: Calls,
    is_faulty: bool,
}

impl FaultDetector {
    /// Whether the events so far have a fault, as for a [`Digest`] without a tool set. An open call is a fault.
    pub fn is_faulty(&self) -> bool {
        self.is_faulty || has_fault(&self.message)
    }
}

impl Sink for FaultDetector {
    fn event(&mut self, span: Span, event: Event<'_>) {
        let event = match event {
            Event::Text(_) => Event::Text(""),
            Event::Reasoning(_) => Event::Reasoning(""),
            Event::Markup(_) => Event::Markup(""),
            Event::Args { call, .. } => Event::Args { call, json: "" },
            other => other,
        };
        if let Event::CallStart(_) = event {
            self.is_faulty = self.is_faulty();
            self.message.calls.clear();
            self.message.notes.clear();
        }
        self.message.event(span, event);
    }
}

#[cfg(test)]
mod tests {
    use toolglot_engine::{CallHead, CallId, Place};
    use toolglot_value::{Value, json};

    use super::*;

    fn message(name: &str, arguments: &Value, end: End) -> Calls {
        let mut message = Calls::default();
        let head = CallHead {
            call: CallId(0),
            dialect: "hermes",
            name,
            name_span: Span::new(3, 7),
            server: None,
            id: None,
            place: Place::Answer,
        };
        message.event(Span::empty(0), Event::CallStart(head));
        let json = arguments.to_string();
        message.event(
            Span::new(0, 40),
            Event::Args {
                call: CallId(0),
                json: &json,
            },
        );
        message.event(
            Span::empty(40),
            Event::CallEnd {
                call: CallId(0),
                end,
            },
        );
        message
    }

    /// Whether the message is faulty, the call's name, and the codes of the notes.
    fn check(
        message: Calls,
        toolbox: Option<&Toolbox>,
        normalize: bool,
    ) -> (bool, String, Vec<String>) {
        let digest = Digest::new(
            message,
            DigestContext {
                dialects: &[],
                toolbox,
                normalize,
                spans: None,
            },
        );
        let codes = digest
            .document
            .notes
            .iter()
            .map(|note| note.code.clone())
            .collect();
        (
            digest.is_faulty,
            digest.document.calls[0].name.clone(),
            codes,
        )
    }

    #[test]
    fn names_become_canonical_only_when_asked_for() {
        let written = || message("view_file", &json!({"filename": "a.rs"}), End::Closed);
        assert_eq!(
            check(written(), None, false),
            (false, "view_file".into(), vec![])
        );
        let aliases = vec!["N060".to_owned(); 2];
        assert_eq!(
            check(written(), None, true),
            (false, "read_file".into(), aliases)
        );
    }

    #[test]
    fn calls_are_checked_only_against_named_tools() {
        let tools = Toolbox::builtin("workspace").expect("it is built in");
        let call = |name, arguments: Value| message(name, &arguments, End::Closed);
        assert!(!check(call("anything", json!({})), None, false).0);
        let unknown = check(call("anything", json!({})), Some(&tools), false);
        assert_eq!(unknown, (true, "anything".into(), vec!["N003".into()]));
        let missing = check(call("read_file", json!({})), Some(&tools), false);
        assert_eq!(missing, (true, "read_file".into(), vec!["N063".into()]));
        assert!(
            !check(call("cat", json!({"file": "a"})), Some(&tools), false).0,
            "an alias is no fault"
        );
    }

    #[test]
    fn a_required_parameter_with_a_default_may_be_left_out() {
        let list = json!({"f": {
            "type": "object",
            "properties": {"a": {"type": "string", "default": "x"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        }});
        let tools = Toolbox::from_json(&list).expect("a list");
        for (arguments, notes) in [
            (json!({"b": 1}), vec![]),
            (json!({"a": "y", "b": 1}), vec![]),
            (json!({"a": "y"}), vec!["N063".to_owned()]),
            (json!({"a": null, "b": 1}), vec!["N064".to_owned()]),
        ] {
            let message = message("f", &arguments, End::Closed);
            let checked = check(message, Some(&tools), false);
            assert_eq!(checked.2, notes, "{arguments}");
        }
    }

    #[test]
    fn truncated_calls_are_faults_and_recovered_ones_are_not() {
        let call = |end| message("f", &json!({}), end);
        assert!(check(call(End::Truncated), None, false).0);
        assert!(!check(call(End::Recovered), None, false).0);
    }

    /// The cases of all dialects, whole and truncated: a stream of events has the same faults as its document.
    #[test]
    #[expect(clippy::print_stderr, reason = "what is skipped is said loudly")]
    fn a_stream_has_the_faults_of_its_document() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../dialects/dialects");
        if !std::path::Path::new(folder).is_dir() {
            eprintln!(
                "SKIPPED: {folder} is not there; it comes with the repository, not with the package"
            );
            return;
        }
        let mut n_faulty = 0;
        for dialect in toolglot_dialects::all() {
            let dialects = std::slice::from_ref(dialect);
            let program = crate::compile(dialects, None).expect("a program");
            let reader = crate::Reader::new(program);
            let cases = std::fs::read_dir(format!("{folder}/{}/cases", dialect.name()));
            for case in cases.into_iter().flatten().flatten() {
                let text = std::fs::read_to_string(case.path()).expect("a case is text");
                let input = text.split("```input\n").nth(1).unwrap_or_default();
                let input = input.split("\n```").next().unwrap_or_default();
                let mut upwards = input.len() / 2..;
                let half = upwards.find(|at| input.is_char_boundary(*at)).unwrap_or(0);
                for input in [input, &input[..half]] {
                    let mut detector = FaultDetector::default();
                    reader.read_pieces([input], &mut detector);
                    let message = reader.read(input.as_bytes()).trace.message;
                    let context = DigestContext {
                        dialects,
                        toolbox: None,
                        normalize: false,
                        spans: None,
                    };
                    let is_faulty = Digest::new(message, context).is_faulty;
                    assert_eq!(detector.is_faulty(), is_faulty, "{input}");
                    n_faulty += usize::from(is_faulty);
                }
            }
        }
        assert!(n_faulty > 20, "only {n_faulty} inputs have a fault");
    }
}
