//! What carrying out the calls of one message depends on, and what is asked of it about one call.

use toolglot_chat::{ArgumentSpans, CallLocator, example_call, example_of_tool};
use toolglot_engine::{Call, Dialect, End, Place, Span};
use toolglot_tool_runner::Cancel;
use toolglot_toolset::{Canonical, ToolSpec, Toolbox};
use toolglot_value::Value;

use crate::file_tools::FileTools;
use crate::gate::Gate;
use crate::reading::AfterFailure;
use crate::tool::Function;

/// Everything that carrying out the calls of a message depends on.
#[derive(Clone, Copy)]
pub(crate) struct MessageSession<'a> {
    pub(crate) dialects: &'a [Dialect],
    /// The tools that the user named: no other may be called, and their schemas hold as well.
    pub(crate) named: Option<&'a Toolbox>,
    /// The tools whose effects are known, under the names that all others are brought to.
    pub(crate) vocabulary: &'a Toolbox,
    /// Tools that are files, where the message names any; the vocabulary has them too.
    pub(crate) files: Option<&'a FileTools>,
    /// What judges, asks, keeps and logs.
    pub(crate) gate: Gate<'a>,
    /// What becomes of the commands of a shell block after one that failed.
    pub(crate) after_failing_line: AfterFailure,
    /// Whether every call of a message runs, whatever its dialect's system does.
    pub(crate) many: bool,
    /// Where the values of calls stand.
    pub(crate) spans: Option<&'a ArgumentSpans<'a>>,
    /// Calls in quoted code, where the message has no others: text, which was probably meant otherwise.
    pub(crate) quoted: &'a [Call],
    /// Whether the message's calls asked for nothing: shell blocks without a command.
    pub(crate) is_empty_handed: bool,
    /// What ends the run before its end.
    pub(crate) cancel: Option<&'a Cancel>,
    /// Functions of the embedding program; the vocabulary has them too.
    pub(crate) functions: &'a [Function],
    /// Where calls were written that stand in an earlier result of the session.
    pub(crate) repeated: &'a [Span],
}

impl MessageSession<'_> {
    /// The message, to quote from.
    pub(crate) fn text(&self) -> &str {
        self.spans.map_or("", ArgumentSpans::text)
    }

    /// The dialect that a call was written in.
    pub(crate) fn dialect(&self, call: &Call) -> Option<&Dialect> {
        self.dialects
            .iter()
            .find(|dialect| dialect.name() == call.dialect)
    }

    /// How sure the end of a call is, for whoever judges it. A call in the model's reasoning, in quoted code or out of an earlier
    /// result is trusted no more than one that had to be completed.
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

    /// Whether a call stands in an earlier result of the session.
    pub(crate) fn is_repeated(&self, call: &Call) -> bool {
        self.repeated.contains(&call.span)
    }

    /// Where the arguments of `call` stand, and the tools that it is brought to.
    pub(crate) fn ground<'g>(&'g self, call: &'g Call, toolbox: &'g Toolbox) -> CallLocator<'g> {
        CallLocator {
            call,
            toolbox,
            spans: self.spans,
        }
    }

    /// How a call should have been written.
    pub(crate) fn form(&self, call: &Call) -> Option<String> {
        let dialect = self.dialect(call)?;
        if let Some(spec) = self.file_tool(&call.name).filter(|_| self.named.is_none()) {
            return example_of_tool(dialect, self.vocabulary, &spec);
        }
        example_call(dialect, self.named, Some(&call.name))
    }

    /// The tool that is a file and has this name, or was probably meant where no tool has it.
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
