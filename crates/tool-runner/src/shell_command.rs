//! The command that a shell tool runs for a call.

use toolglot_value::{Map, Value};

use crate::failure::CallError;
use crate::resolve::Chain;

/// The command of a call for a shell. The policy decides about exactly this text, and the shell runs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShellCommand<'a> {
    pub(crate) text: &'a str,
    /// The working directory, relative to the project.
    pub(crate) directory: &'a str,
}

impl<'a> ShellCommand<'a> {
    /// The command of a call; `None` if no parameter is a command. Any link of the chain may name the parameters.
    ///
    /// A shell script that names such a parameter runs its own text, which may run the parameter as well.
    ///
    /// # Errors
    ///
    /// The parameter is not a string.
    pub(crate) fn of(
        chain: &Chain,
        params: &'a Map<String, Value>,
    ) -> Result<Option<ShellCommand<'a>>, CallError> {
        if chain.primitive() != "subprocess" || chain.protocol().as_deref() != Some("shell") {
            return Ok(None);
        }
        let settings = chain.settings();
        let value = |key: &str| params.get(settings.get(key)?.as_str()?)?.as_str();
        let parameter = settings.get("command_parameter").and_then(Value::as_str);
        let Some(parameter) = parameter else {
            return Ok(None);
        };
        let text = value("command_parameter").ok_or_else(|| CallError::Config {
            id: chain.tool().0.id.to_string(),
            why: format!("`{parameter}` holds no command"),
        })?;
        let directory = value("directory_parameter").filter(|path| !path.is_empty());
        Ok(Some(ShellCommand {
            text,
            directory: directory.unwrap_or("."),
        }))
    }
}
