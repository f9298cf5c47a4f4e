//! Decides which calls of an answer the client gets.

use std::sync::Arc;

use toolglot_engine::{End, Place, Span};
use toolglot_toolset::{Effect, ToolSpec};
use toolglot_value::Value;
use toolglot_wire::{CallFilter, CompleteCall, Decision, Request, ToolChoice};

use crate::executor::OfferedTools;
use crate::models::{CallEmission, ModelSettings, RecoveredCalls};
use crate::tool_program::ToolProgram;

/// Decides on each call, by the request and the settings of its model.
#[derive(Debug)]
pub(crate) struct CallPolicy {
    program: Option<Arc<ToolProgram>>,
    settings: ModelSettings,
    /// The tools that the gateway runs itself.
    own_tools: Option<Arc<OfferedTools>>,
    choice: ToolChoice,
    is_parallel: bool,
    /// Whether a call was dropped because the client does not want it.
    pub(crate) has_dropped: bool,
    /// Whether the model can still be asked again.
    pub(crate) may_ask: bool,
    /// Whether all calls of this answer were recovered from an error of the upstream.
    pub(crate) is_salvaged: bool,
    /// The sent calls, and whether the upstream had parsed each.
    sent: Vec<(String, Value, bool)>,
    /// A recovered call that is not sent as it is; the model is asked again for it.
    pub(crate) doubtful: Option<DoubtfulCall>,
    /// Whether calls wait, because later text may show that they are in reasoning that the prompt opened.
    pub(crate) is_waiting: bool,
    /// The end of reasoning without an opener: calls before it are reasoning.
    pub(crate) reasoning_end: Option<u64>,
    /// Calls that the gateway runs itself.
    pub(crate) own_calls: Vec<OwnCall>,
}

/// A call of a tool that the gateway runs itself.
#[derive(Clone, Debug)]
pub(crate) struct OwnCall {
    /// The tool's name as the model learns it.
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) end: End,
    pub(crate) place: Place,
    /// The span of its name in the text; `None` if the upstream parsed the call.
    pub(crate) name_span: Option<Span>,
}

/// A call with a guessed part.
#[derive(Clone, Debug)]
pub(crate) struct DoubtfulCall {
    pub(crate) name: String,
    pub(crate) arguments: String,
    /// The dialect of the call.
    pub(crate) dialect: Option<String>,
}

impl DoubtfulCall {
    /// The text that the client gets instead.
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
        own_tools: Option<Arc<OfferedTools>>,
        request: &Request,
    ) -> CallPolicy {
        CallPolicy {
            program,
            settings: settings.clone(),
            own_tools,
            choice: request.choice().clone(),
            is_parallel: request.is_parallel(),
            has_dropped: false,
            may_ask: true,
            is_salvaged: false,
            sent: Vec::new(),
            doubtful: None,
            is_waiting: false,
            reasoning_end: None,
            own_calls: Vec::new(),
        }
    }

    /// Whether a call was sent.
    pub(crate) fn has_sent(&self) -> bool {
        !self.sent.is_empty()
    }

    /// Whether the client requires a call.
    pub(crate) fn wants_a_call(&self) -> bool {
        self.choice.wants_a_call()
    }

    /// Whether the client restricts the calls.
    pub(crate) fn is_constrained(&self) -> bool {
        self.choice != ToolChoice::Auto || !self.is_parallel
    }

    /// The tool that a name or alias of the model means.
    fn tool(&self, name: &str) -> Option<&ToolSpec> {
        let program = self.program.as_ref()?;
        program.toolbox.canonical(name).map(|(spec, _)| spec)
    }

    /// Whether the tool is known to be read-only.
    fn only_reads(&self, name: &str) -> bool {
        let tool = self.tool(name);
        let own = tool.map_or(name, |spec| spec.name.as_str());
        tool.is_some_and(|spec| spec.effect == Effect::Read) || self.settings.only_reads(own)
    }

    /// The canonical name of the tool, if the gateway runs the tool itself.
    fn own_tool(&self, name: &str) -> Option<&str> {
        let tool = self.tool(name)?.name.as_str();
        let own = self.own_tools.as_ref()?;
        own.id(tool).map(|_| tool)
    }

    fn is_wanted(&self, name: &str) -> bool {
        let own = self.tool(name).map(|spec| spec.name.as_str());
        let is_one = self.is_parallel || self.sent.is_empty() && self.own_calls.is_empty();
        is_one
            && !self
                .choice
                .leaves_out(|wanted| wanted == name || own == Some(wanted))
    }
}

impl CallFilter for CallPolicy {
    fn streams(&mut self, name: &str) -> bool {
        let leaves_early = match self.settings.emission {
            Some(emission) => emission == CallEmission::Stream,
            None => self.only_reads(name),
        };
        let is_clients = self.own_calls.is_empty() && self.own_tool(name).is_none();
        let streams = leaves_early && is_clients && !self.is_salvaged && self.is_wanted(name);
        if streams {
            self.sent.push((name.to_owned(), Value::Null, false));
        }
        streams
    }

    fn decide(&mut self, call: &CompleteCall<'_>) -> Decision {
        if self.is_waiting {
            return Decision::Wait;
        }
        if call.end == End::Truncated || !call.is_object {
            return Decision::Drop;
        }
        let end = self.reasoning_end.unwrap_or_default();
        if call.name_span.is_some_and(|span| span.start < end) {
            return Decision::Text(format!(
                "\n[The call of `{}` was not made, since it is in the reasoning: {}]\n",
                call.name, call.arguments
            ));
        }
        if !self.is_wanted(call.name) {
            self.has_dropped = true;
            return Decision::Drop;
        }
        let arguments = toolglot_value::from_str(call.arguments).unwrap_or_default();
        let is_native = call.dialect.is_none();
        // A server that parses calls may also leave the call in its text: it counts once.
        let is_again = self.sent.iter().any(|(name, sent, was_native)| {
            name == call.name && *sent == arguments && *was_native != is_native
        });
        if is_again {
            return Decision::Drop;
        }
        let own_tool = self.own_tool(call.name).map(str::to_owned);
        match own_tool {
            // The client does not know the tool, and the session decides on the call. After a call of the client's
            // tools, the model repeats this call once it has the client's result.
            Some(name) if self.sent.is_empty() => {
                self.own_calls.push(OwnCall {
                    name,
                    arguments: call.arguments.to_owned(),
                    end: if self.is_salvaged {
                        End::Recovered
                    } else {
                        call.end
                    },
                    place: call.place,
                    name_span: call.name_span,
                });
                return Decision::Drop;
            }
            // After a call of the gateway's tools, the model repeats its call with the result at hand.
            None if self.own_calls.is_empty() => {}
            Some(_) | None => return Decision::Drop,
        }
        let is_sure = call.end == End::Closed && !self.is_salvaged;
        if is_sure || self.settings.recovered == RecoveredCalls::Send || self.only_reads(call.name)
        {
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
