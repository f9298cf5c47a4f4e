//! Replaces the tools of MCP servers without the feature `mcp`: each call is refused with the reason.

use std::time::Duration;

use toolglot_tool_files::ItemId;
use toolglot_value::{Map, Value};

use crate::answer::Answer;
use crate::failure::CallError;
use crate::resolve::Chain;
use crate::runner::ToolRunner;

pub(crate) fn attempt(
    _: &ToolRunner,
    chain: &Chain,
    _: &Map<String, Value>,
    _: Duration,
) -> Result<Answer, CallError> {
    let id = chain.tool().0.id.to_string();
    Err(CallError::LeftOut { id })
}

pub(crate) fn check_variables(_: &ToolRunner, _: &Chain) -> Result<(), CallError> {
    Ok(())
}

pub(crate) fn requires(_: &ToolRunner, _: &Chain) -> Vec<String> {
    Vec::new()
}

impl ToolRunner {
    /// Why a defined server has no such tool: this build supports no servers.
    pub fn of_server(&self, name: &str) -> Option<CallError> {
        let (server, _) = name.strip_prefix("mcp/").unwrap_or(name).split_once('/')?;
        let definition = ItemId::new(&format!("mcp/servers/{server}")).ok()?;
        self.registry.find(&definition).ok()?;
        Some(CallError::LeftOut {
            id: name.to_owned(),
        })
    }
}
