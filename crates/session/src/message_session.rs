//! The context for the calls of one message, and queries about one call.

use toolglot_chat::{ArgumentSpans, CallLocator, example_call, example_of_tool};
use toolglot_engine::{Call, Dialect, End, Place, Span};
use toolglot_tool_runner::Cancel;
use toolglot_toolset::{Canonical, ToolSpec, Toolbox};
use toolglot_value::Value;

use crate::file_tools::FileTools;
use crate::gate::Gate;
use crate::reading::AfterFailure;
use crate::tool::Function;

/// The context for the calls of one message.
#[derive(Clone, Copy)]
pub(crate) struct MessageSession<'a> {
    pub(crate) dialects: &'a [Dialect],
    /// The tools that the user named: no other may be called, and arguments must also fit their schemas.
    pub(crate) named: Option<&'a Toolbox>,
    /// The tools whose effects are known, under their canonical names.
    pub(crate) vocabulary: &'a Toolbox,
    /// The file tools that the message names; the vocabulary contains them too.
    pub(crate) files: Option<&'a FileTools>,
    /// The policy, the approver, the journal and the log.
    pub(crate) gate: Gate<'a>,
    /// What happens to the commands of a shell block after one that failed.
    pub(crate) after_failing_line: AfterFailure,
    /// Whether every call of a message runs, even where its dialect's system runs only one.
    pub(crate) many: bool,
    /// The positions of the values of calls.
    pub(crate) spans: Option<&'a ArgumentSpans<'a>>,
    /// Calls in quoted code, if the message has no others: they are text, but were probably meant as calls.
    pub(crate) quoted: &'a [Call],
    /// Whether the calls of the message are all shell blocks without a command.
    pub(crate) is_empty_handed: bool,
    /// The handle that cancels the run.
    pub(crate) cancel: Option<&'a Cancel>,
    /// Functions of the embedding program; the vocabulary contains them too.
    pub(crate) functions: &'a [Function],
    /// The spans of calls that an earlier result of the session contains.
    pub(crate) repeated: &'a [Span],
}

impl MessageSession<'_> {
    /// The text of the message, for quotations.
    pub(crate) fn text(&self) -> &str {
        self.spans.map_or("", ArgumentSpans::text)
    }

    /// The dialect that a call was written in.
    pub(crate) fn dialect(&self, call: &Call) -> Option<&Dialect> {
        self.dialects
            .iter()
            .find(|dialect| dialect.name() == call.dialect)
    }

    /// The certainty of a call's end for the policy decision. A call in reasoning, in quoted code or from an earlier
    /// result is trusted no more than a completed one.
    pub(crate) fn trusted_end(&self, call: &Call) -> End {
        let is_doubtful = match call.place {
            Place::Reasoning | Place::Code => true,
            Place::Answer => self.is_repeated(call),
        };
        if is_doubtful {
            call.end.max(End::Recovered)
        } else {
            call.end
        }
    }

    /// Whether an earlier result of the session contains the call.
    pub(crate) fn is_repeated(&self, call: &Call) -> bool {
        self.repeated.contains(&call.span)
    }

    /// The positions of the arguments of `call`, and the tools that it is resolved to.
    pub(crate) fn ground<'g>(&'g self, call: &'g Call, toolbox: &'g Toolbox) -> CallLocator<'g> {
        CallLocator {
            call,
            toolbox,
            spans: self.spans,
        }
    }

    /// The correct form of a call.
    pub(crate) fn form(&self, call: &Call) -> Option<String> {
        let dialect = self.dialect(call)?;
        if let Some(spec) = self.file_tool(&call.name).filter(|_| self.named.is_none()) {
            return example_of_tool(dialect, self.vocabulary, &spec);
        }
        example_call(dialect, self.named, Some(&call.name))
    }

    /// The file tool of this name, or the probably meant one if no tool has the name.
    pub(crate) fn file_tool(&self, name: &str) -> Option<ToolSpec> {
        let files = self.files?;
        if let Some(spec) = files.spec(name) {
            return Some(spec.clone());
        }
        let is_known = self.vocabulary.canonical(name).is_some();
        if is_known {
            return None;
        }
        files.nearest(name)
    }
}

/// Completes the arguments by the schema's defaults.
pub(crate) fn fill_defaults(spec: &ToolSpec, canonical: &mut Canonical) {
    let mut arguments = Value::Object(std::mem::take(&mut canonical.arguments));
    toolglot_schema::fill_defaults(&spec.parameters, &mut arguments);
    if let Value::Object(filled) = arguments {
        canonical.arguments = filled;
    }
}
