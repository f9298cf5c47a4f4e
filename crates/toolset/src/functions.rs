//! Rust functions as tools: the parameters of each are a type, and the type's schema is the tool's.

use std::borrow::Borrow;
use std::fmt;

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use toolglot_engine::{Calls, Dialect, End, Finish, GrammarError, Input, Limits, Parser, Program};
use toolglot_schema::{SchemaError, Validator};
use toolglot_value::{Map, Value};

use crate::{Canonical, Effect, ToolSpec, Toolbox, normalize};

type Run = Box<dyn Fn(Map<String, Value>) -> Result<Value, String> + Send + Sync>;

/// Functions that a model may call. They run without a policy: adding a function permits its calls.
#[derive(Default)]
pub struct Functions {
    toolbox: Toolbox,
    runs: Vec<(String, Validator, Run)>,
}

/// Why a function did not run, in words for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FunctionError {
    /// No function has that name.
    Unknown(String),
    /// The call was cut off.
    Truncated(String),
    /// The call had to be completed, and the function does more than read.
    Recovered(String),
    /// The arguments do not fit; one reason on each line.
    Arguments(String),
}

impl fmt::Display for FunctionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FunctionError::Unknown(name) => write!(f, "there is no tool `{name}`"),
            FunctionError::Truncated(name) => {
                write!(f, "the call of `{name}` was cut off: write it again")
            }
            FunctionError::Recovered(name) => write!(
                f,
                "the call of `{name}` had to be completed, and it does more than read: write it again"
            ),
            FunctionError::Arguments(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for FunctionError {}

impl Functions {
    /// Adds a function. `parameters` is the JSON Schema of `T`, as a [`Value`] or a value of `serde_json`; its
    /// description becomes the tool's. A later function of a name replaces an earlier one.
    ///
    /// # Errors
    /// If the schema cannot be used.
    pub fn with<T: DeserializeOwned, R: Serialize>(
        mut self,
        name: &str,
        parameters: impl Into<Value>,
        effect: Effect,
        function: impl Fn(T) -> R + Send + Sync + 'static,
    ) -> Result<Functions, SchemaError> {
        let parameters = parameters.into();
        let validator = Validator::new(&parameters)?;
        let description = parameters.get("description").and_then(Value::as_str);
        self.toolbox.extend([ToolSpec {
            name: name.to_owned(),
            description: description.unwrap_or_default().to_owned(),
            parameters,
            effect,
        }]);
        let run = move |arguments| {
            let parameters: T = toolglot_value::from_value(&Value::Object(arguments))
                .map_err(|error| error.to_string())?;
            toolglot_value::to_value(&function(parameters)).map_err(|error| error.to_string())
        };
        self.runs.retain(|(known, ..)| known != name);
        self.runs.push((name.to_owned(), validator, Box::new(run)));
        Ok(self)
    }

    /// The tools, for prompts and for a program of the caller.
    pub fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }

    /// Reads a whole message in any of the dialects, and runs its calls in order.
    ///
    /// The dialects are compiled for the tools each time. To read many messages, keep a [`Program`], and pass the calls
    /// that [`normalize`] gives to [`call`](Functions::call).
    ///
    /// # Errors
    /// If the dialects cannot be compiled.
    pub fn answer(
        &self,
        message: &str,
        dialects: impl IntoIterator<Item: Borrow<Dialect>>,
    ) -> Result<Vec<Result<Value, FunctionError>>, GrammarError> {
        let program = Program::compile(dialects, &self.toolbox.tool_set(), Limits::default())?;
        let (mut parser, mut read) = (Parser::new(program.into()), Calls::default());
        parser.push(Input::Text(message), &mut read);
        parser.finish(Finish::Stop, &mut read);
        let calls = normalize(&read.calls, &self.toolbox);
        let answer = |call: Canonical| self.call(&call, read.calls[call.call].end);
        Ok(calls.into_iter().map(answer).collect())
    }

    /// Runs one call, after filling in defaults and checking the arguments.
    ///
    /// # Errors
    /// Why it did not run.
    pub fn call(&self, call: &Canonical, end: End) -> Result<Value, FunctionError> {
        let name = || call.tool.clone();
        let spec = self.toolbox.get(&call.tool);
        let run = self.runs.iter().find(|(known, ..)| *known == call.tool);
        let (Some(spec), Some((_, validator, run))) = (spec, run) else {
            return Err(FunctionError::Unknown(name()));
        };
        match end {
            End::Closed => {}
            End::Recovered if spec.effect == Effect::Read => {}
            End::Recovered => return Err(FunctionError::Recovered(name())),
            End::Truncated => return Err(FunctionError::Truncated(name())),
        }
        let mut value = Value::Object(call.arguments.clone());
        toolglot_schema::fill_defaults(&spec.parameters, &mut value);
        let wrong: Vec<String> = validator
            .validate(&value)
            .into_iter()
            .map(|violation| violation.message)
            .collect();
        match value {
            Value::Object(arguments) if wrong.is_empty() => {
                run(arguments).map_err(FunctionError::Arguments)
            }
            _ => Err(FunctionError::Arguments(wrong.join("\n"))),
        }
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.runs.iter().map(|(name, ..)| name))
            .finish()
    }
}
