//! Policy requests for calls.

use toolglot_builtins::Plan;
use toolglot_engine::End;
use toolglot_policy::{Effect, Request};
use toolglot_toolset::ToolSpec;

/// A call as a request to an authority.
pub fn request<'a>(
    tool: &'a str,
    effect: Effect,
    end: End,
    plan: Option<&'a Plan<'_>>,
) -> Request<'a> {
    Request {
        below: plan.map_or(&[][..], Plan::below),
        command: plan.and_then(Plan::command),
        host: plan.and_then(Plan::host),
        ..Request::new(tool, effect, end, plan.map_or(&[][..], Plan::paths))
    }
}

/// The effect of a tool in the policy's terms; the crates of tools and of policy do not depend on each other.
pub fn effect(spec: Option<&ToolSpec>) -> Effect {
    match spec.map(|spec| spec.effect) {
        Some(toolglot_toolset::Effect::Read) => Effect::Read,
        Some(toolglot_toolset::Effect::Write) => Effect::Write,
        Some(toolglot_toolset::Effect::Delete) => Effect::Delete,
        Some(toolglot_toolset::Effect::Execute) => Effect::Execute,
        Some(toolglot_toolset::Effect::Network) => Effect::Network,
        Some(toolglot_toolset::Effect::Ask) => Effect::Ask,
        _ => Effect::Unknown,
    }
}
