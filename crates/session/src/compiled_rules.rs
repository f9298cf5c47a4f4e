//! What the dialects of a session come to, whatever the tools of a message are.

use std::sync::{Arc, OnceLock};

use toolglot_chat::{LookalikeCache, compile};
use toolglot_engine::Program;
use toolglot_toolset::Toolbox;

use crate::SessionError;
use crate::session::Session;

/// Made when it is first needed, and shared by the messages that follow.
#[derive(Debug, Default)]
pub(crate) struct CompiledRules {
    /// The program for no tools.
    program: OnceLock<Arc<Program>>,
    lookalikes: LookalikeCache,
}

impl CompiledRules {
    /// What the search for look-alikes prepares, for the tools of one message.
    pub(crate) fn lookalikes(&self) -> LookalikeCache {
        self.lookalikes.for_other_tools()
    }
}

impl Session {
    /// The program that reads messages with these tools, or with none.
    pub(crate) fn program(&self, toolbox: Option<&Toolbox>) -> Result<Arc<Program>, SessionError> {
        let program = if let Some(program) = self.rules.program.get() {
            program
        } else {
            let compiled = compile(&self.dialects, None)?;
            self.rules.program.get_or_init(|| compiled)
        };
        Ok(match toolbox {
            Some(toolbox) => Arc::new(program.for_tools(&toolbox.tool_set())),
            None => Arc::clone(program),
        })
    }
}
