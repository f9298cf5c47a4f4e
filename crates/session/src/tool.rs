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
/// Its name, description and parameters are read once, when the session is built. No sandbox surrounds it. It says what a call does, and is judged by that; where it does not say, every call is asked about.
/// The arguments fit [`parameters`](Tool::parameters) before anything else is asked.
pub trait Tool: Send + Sync {
    /// The name that models call it by.
    fn name(&self) -> &str;

    /// What it does, for a model to read.
    #[expect(clippy::unnecessary_literal_bound, reason = "others borrow it")]
    fn description(&self) -> &str {
        ""
    }

    /// JSON Schema of its arguments.
    fn parameters(&self) -> Value;

    /// What a call with these arguments does to the world.
    fn effect(&self, arguments: &Map<String, Value>) -> Effect {
        let _ = arguments;
        Effect::Unknown
    }

    /// Does it. A text is given to the model as it is, any other value as JSON.
    ///
    /// # Errors
    /// Why it failed, in words for the model. A panic is a failure as well.
    fn call(&self, arguments: &Map<String, Value>, cancel: &Cancel) -> Result<Value, String>;
}

/// A function of the embedding program, with what it said of itself when the session was built: it is never asked again.
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

/// A call of such a tool, judged and then done.
pub(crate) fn carry_out(
    Function { spec, tool }: &Function,
    arguments: &Map<String, Value>,
    (gate, cancel): (&Gate<'_>, &Cancel),
    request: &Request<'_>,
) -> (Verdict, State) {
    // The tool is the embedding program's, here and below: what panics has said nothing, and done nothing that counts.
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

/// What becomes of a call. Without an effect that it says, it is asked about, unless a rule of the user's names it.
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
