//! For systems without a sandbox: no server is started.

use toolglot_mcp::client::Wire;
use toolglot_sandbox::SandboxError;

use super::definition::Definition;
use super::session_error::SessionError;
use crate::failure::CallError;
use crate::runner::ToolRunner;

/// Refuses to start a server, like every program.
pub(super) fn wire(_: &ToolRunner, _: &Definition) -> Result<Box<dyn Wire>, SessionError> {
    let os = std::env::consts::OS;
    Err(SessionError::Refused(CallError::Sandbox(
        SandboxError::Unsupported { os },
    )))
}
