//! Which calls of an answer a client gets.

use std::sync::Arc;

use toolglot_engine::End;
use toolglot_toolset::Effect;
use toolglot_value::Value;
use toolglot_wire::{CallFilter, CompleteCall, Decision, ToolChoice};

use crate::models::{CallEmission, ModelSettings, RecoveredCalls};
use crate::tool_program::ToolProgram;

/// Decides call by call, by the request and the settings of its model.
#[derive(Debug)]
pub(crate) struct CallPolicy {
    program: Option<Arc<ToolProgram>>,
    emission: CallEmission,
    recovered: RecoveredCalls,
    choice: ToolChoice,
    is_parallel: bool,
    /// Whether a call was dropped that the client does not want.
    pub(crate) has_dropped: bool,
    /// Whether the model can still be asked once more.
    pub(crate) may_ask: bool,
    /// All calls of this answer were guessed from an error of the upstream.
    pub(crate) is_salvaged: bool,
    /// The calls that were sent, and whether the upstream had parsed them.
    sent: Vec<(String, Value, bool)>,
    /// A call that is not sent as it is, for which the model is asked once more.
    pub(crate) doubtful: Option<DoubtfulCall>,
}

/// A call of which a part was guessed.
#[derive(Clone, Debug)]
pub(crate) struct DoubtfulCall {
    pub(crate) name: String,
    pub(crate) arguments: String,
    /// The dialect that it was read in.
    pub(crate) dialect: Option<String>,
}

impl DoubtfulCall {
    /// What the client gets in its place.
    pub(crate) fn text(&self) -> String {
        format!(
            "\n[The call of `{}` was not made, since a part of it was guessed: {}]\n",
            self.name, self.arguments
        )
    }
}

impl CallPolicy {
    pub(crate) fn new(
        settings: &ModelSettings,
        program: Option<Arc<ToolProgram>>,
        choice: &ToolChoice,
        is_parallel: bool,
    ) -> CallPolicy {
        CallPolicy {
            program,
            emission: settings.emission,
            recovered: settings.recovered,
            choice: choice.clone(),
            is_parallel,
            has_dropped: false,
            may_ask: true,
            is_salvaged: false,
            sent: Vec::new(),
            doubtful: None,
        }
    }

    /// Whether an answer without a call is not what the client asked for.
    pub(crate) fn wants_a_call(&self) -> bool {
        self.choice.wants_a_call()
    }

    /// Whether the client wants some calls and no others.
    pub(crate) fn is_constrained(&self) -> bool {
        self.choice != ToolChoice::Auto || !self.is_parallel
    }

    /// Whether the tool is known to change nothing.
    fn only_reads(&self, name: &str) -> bool {
        let tool = self.program.as_ref();
        let tool = tool.and_then(|program| program.toolbox.canonical(name));
        tool.is_some_and(|(spec, _)| spec.effect == Effect::Read)
    }

    fn is_wanted(&self, name: &str) -> bool {
        let tool = self.program.as_ref();
        let tool = tool.and_then(|program| program.toolbox.canonical(name));
        let own = tool.map(|(spec, _)| spec.name.as_str());
        !self
            .choice
            .leaves_out(|wanted| wanted == name || own == Some(wanted))
            && (self.is_parallel || self.sent.is_empty())
    }
}

impl CallFilter for CallPolicy {
    fn streams(&mut self, name: &str) -> bool {
        let leaves_early = self.emission == CallEmission::Stream || self.only_reads(name);
        let streams = leaves_early && !self.is_salvaged && self.is_wanted(name);
        if streams {
            self.sent.push((name.to_owned(), Value::Null, false));
        }
        streams
    }

    fn decide(&mut self, call: &CompleteCall<'_>) -> Decision {
        if call.end == End::Truncated || !call.is_object {
            return Decision::Drop;
        }
        if !self.is_wanted(call.name) {
            self.has_dropped = true;
            return Decision::Drop;
        }
        let arguments = toolglot_value::from_str(call.arguments).unwrap_or_default();
        let is_native = call.dialect.is_none();
        // A server that parses may leave a call in its text as well: it is made once.
        let is_again = self.sent.iter().any(|(name, sent, was_native)| {
            name == call.name && *sent == arguments && *was_native != is_native
        });
        if is_again {
            return Decision::Drop;
        }
        let is_sure = call.end == End::Closed && !self.is_salvaged;
        if is_sure || self.recovered == RecoveredCalls::Send || self.only_reads(call.name) {
            self.sent.push((call.name.to_owned(), arguments, is_native));
            return Decision::Send;
        }
        let doubtful = DoubtfulCall {
            name: call.name.to_owned(),
            arguments: call.arguments.to_owned(),
            dialect: call.dialect.map(str::to_owned),
        };
        if self.may_ask && self.sent.is_empty() {
            self.doubtful.get_or_insert(doubtful);
            return Decision::Drop;
        }
        Decision::Text(doubtful.text())
    }
}
