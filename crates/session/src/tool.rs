//! Functions of the embedding program as tools.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use toolglot_builtins::Outcome;
use toolglot_policy::{Decision, Effect, Layer, Request, Verdict};
use toolglot_tool_runner::Cancel;
use toolglot_toolset::ToolSpec;
use toolglot_value::{Map, Value, json};

use crate::approval::CallSummary;
use crate::audit::log_before;
use crate::gate::{Gate, unkept};
use crate::step::State;

/// A function of the embedding program that a model may call.
///
/// Its name, description and parameters are read once, when the session is built. It runs outside the sandbox. Its
/// declared effect decides whether a call may run; without one, every call needs approval. The arguments are checked
/// against [`parameters`](Tool::parameters) before anything else.
pub trait Tool: Send + Sync {
    /// The name that models use in calls.
    fn name(&self) -> &str;

    /// The description for a model.
    #[expect(clippy::unnecessary_literal_bound, reason = "others borrow it")]
    fn description(&self) -> &str {
        ""
    }

    /// JSON Schema of its arguments.
    fn parameters(&self) -> Value;

    /// The effect of a call with these arguments.
    fn effect(&self, arguments: &Map<String, Value>) -> Effect {
        let _ = arguments;
        Effect::Unknown
    }

    /// Runs the call. A string is given to the model as it is, any other value as JSON.
    ///
    /// # Errors
    /// Why the call failed, in words for the model. A panic counts as a failure.
    fn call(&self, arguments: &Map<String, Value>, cancel: &Cancel) -> Result<Value, String>;
}

/// A function of the embedding program, with its declarations from the time when the session was built.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) spec: ToolSpec,
    tool: Arc<dyn Tool>,
}

impl Function {
    /// `None` if the function panics.
    pub(crate) fn new(tool: &Arc<dyn Tool>) -> Option<Function> {
        let spec = || ToolSpec {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            parameters: tool.parameters(),
            effect: toolglot_toolset::Effect::Unknown,
        };
        Some(Function {
            spec: catch_unwind(AssertUnwindSafe(spec)).ok()?,
            tool: Arc::clone(tool),
        })
    }
}

/// Decides on a call of a function, then runs it.
pub(crate) fn carry_out(
    Function { spec, tool }: &Function,
    arguments: &Map<String, Value>,
    (gate, cancel): (&Gate<'_>, &Cancel),
    request: &Request<'_>,
) -> (Verdict, State) {
    // The tool is foreign code, here and below: after a panic its effect is unknown and its call has failed.
    let effect = catch_unwind(AssertUnwindSafe(|| tool.effect(arguments)));
    let effect = effect.unwrap_or(Effect::Unknown);
    let request = Request {
        effect,
        is_repeat: request.is_repeat && effect.acts(),
        ..request.clone()
    };
    let mut verdict = judged(gate, &request);
    let call = CallSummary::new(gate.root, &spec.name, arguments);
    if verdict.decision == Decision::Ask && !gate.dry_run {
        verdict = gate.question.ask(&[call], verdict);
    }
    if verdict.decision != Decision::Allow {
        return (verdict, State::Refused);
    }
    if gate.dry_run {
        return (verdict, State::Planned);
    }
    if let Err(refused) = log_before(gate.log, &call, &verdict, &[]) {
        return (refused, State::Refused);
    }
    if effect.acts()
        && let Some(journal) = gate.journal
        && let Err(error) = journal.beyond(gate.root, &spec.name)
    {
        return (unkept(&error), State::Refused);
    }
    let result = catch_unwind(AssertUnwindSafe(|| tool.call(arguments, cancel)));
    let result = result.unwrap_or_else(|_| Err(format!("`{}` failed: it panicked", spec.name)));
    (verdict, State::Done(outcome(result)))
}

/// The decision on a call. A call without a declared effect needs approval, unless a user's rule names the tool.
fn judged(gate: &Gate<'_>, request: &Request<'_>) -> Verdict {
    let explanation = gate.authority.judge(request);
    if request.effect != Effect::Unknown {
        return explanation.verdict;
    }
    let mut reasons = explanation.reasons.into_iter();
    let known = reasons.find(|reason| {
        let is_silent = reason.verdict.rule == "unknown-tool" || reason.is_default();
        let counts = reason.verdict.decision != Decision::Allow || reason.layer == Layer::User;
        !is_silent && counts
    });
    known.map_or_else(
        || Verdict {
            decision: Decision::Ask,
            rule: "effect-unknown".into(),
            because: format!("`{}` does not say what it does", request.tool),
        },
        |reason| reason.verdict,
    )
}

fn outcome(result: Result<Value, String>) -> Outcome {
    match result {
        Ok(Value::String(text)) => Outcome {
            ok: true,
            output: Value::String(text.clone()),
            text,
        },
        Ok(output) => Outcome {
            ok: true,
            text: output.to_string(),
            output,
        },
        Err(text) => Outcome {
            ok: false,
            output: json!({"error": text}),
            text,
        },
    }
}
