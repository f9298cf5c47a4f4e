//! The grammar that constrains a model to valid calls: its choice, and its field in a request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;
use serde::Deserialize;
use toolglot_constrain::{
    Grammar, GrammarError, InputGrammar, Options, Reasoning, Target, ToolChoice as Calls,
    ToolSchema, grammar,
};
use toolglot_engine::Dialect;
use toolglot_toolset::{ToolSpec, Toolbox};
use toolglot_value::{Map, Value, json};
use toolglot_wire::ToolChoice;

use crate::fault::Fault;

/// The most bytes of all schemas with a grammar: building it must not delay a request.
const SCHEMA_BYTES: usize = 512 << 10;

/// The most cached grammars of one tool set, which differ in tool choice and reasoning.
const MOST: usize = 16;

/// How the upstream gets the grammar of the allowed calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Constrain {
    /// No grammar is sent.
    #[default]
    Off,
    /// In `grammar`, for llama.cpp.
    Gbnf,
    /// In a `response_format` of this type, for vLLM and SGLang.
    StructuralTag,
    /// In `structured_outputs`, for vLLM with llguidance.
    Lark,
    /// In a `response_format` of this type: for dialects whose calls are only JSON.
    JsonSchema,
}

impl Constrain {
    fn target(self) -> Option<Target> {
        match self {
            Constrain::Off => None,
            Constrain::Gbnf => Some(Target::Gbnf),
            Constrain::StructuralTag => Some(Target::StructuralTag),
            Constrain::Lark => Some(Target::Lark),
            Constrain::JsonSchema => Some(Target::JsonSchema),
        }
    }

    /// The word in a configuration file.
    pub fn word(self) -> &'static str {
        match self {
            Constrain::Off => "off",
            Constrain::Gbnf => "gbnf",
            Constrain::StructuralTag => "structural-tag",
            Constrain::Lark => "lark",
            Constrain::JsonSchema => "json-schema",
        }
    }
}

/// The outcome of a request's grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Constraint {
    /// No call is required, or none is wanted.
    #[default]
    Unneeded,
    /// The upstream got it.
    Sent(Constrain),
    /// The upstream refused it, and got the request without it.
    Refused,
    /// The dialect, or the language of the grammar, cannot express it.
    Unavailable,
}

impl Constraint {
    /// The value of the header `x-toolglot-constraint`.
    pub(crate) fn word(self) -> Option<&'static str> {
        match self {
            Constraint::Unneeded => None,
            Constraint::Sent(constrain) => Some(constrain.word()),
            Constraint::Refused => Some("refused"),
            Constraint::Unavailable => Some("unavailable"),
        }
    }
}

/// The inputs of a grammar beside the tools and the dialect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct GrammarKey {
    constrain: Constrain,
    /// The only tools that may be called; `None`: all tools.
    names: Option<Vec<String>>,
    is_required: bool,
    is_parallel: bool,
    is_reasoning_open: bool,
}

/// The requirements for a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) constrain: Constrain,
    pub(crate) choice: &'a ToolChoice,
    pub(crate) is_parallel: bool,
    /// Whether a tool is strict.
    pub(crate) has_strict_tool: bool,
    pub(crate) is_reasoning_open: bool,
}

/// The grammars of one tool set.
#[derive(Debug, Default)]
pub(crate) struct Grammars(Mutex<HashMap<GrammarKey, Made>>);

/// The cached result for a key.
#[derive(Clone, Debug)]
enum Made {
    Grammar(Arc<Grammar>),
    /// The choice allows no tool.
    NoTool,
    /// The dialect, or the language of the grammar, cannot express it.
    Nothing,
}

impl Grammars {
    /// The grammar for these requirements: `Unneeded`, `Unavailable`, or `Sent` with it.
    pub(crate) fn get(
        &self,
        dialect: &Dialect,
        toolbox: &Toolbox,
        wanted: &Wanted<'_>,
    ) -> Result<(Constraint, Option<Arc<Grammar>>), Fault> {
        let none = Ok((Constraint::Unneeded, None));
        let Some(target) = wanted.constrain.target() else {
            return none;
        };
        let (names, is_required) = match wanted.choice {
            ToolChoice::None => return none,
            ToolChoice::Auto => (None, false),
            ToolChoice::Required => (None, true),
            ToolChoice::Of { names, is_required } => (Some(names.clone()), *is_required),
        };
        if !is_required && !wanted.has_strict_tool {
            return none;
        }
        let key = GrammarKey {
            constrain: wanted.constrain,
            names,
            is_required,
            is_parallel: wanted.is_parallel,
            is_reasoning_open: wanted.is_reasoning_open,
        };
        let cache = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = cache().get(&key).cloned();
        let made = if let Some(found) = found {
            found
        } else {
            // The lock is not held meanwhile; two threads may build the same grammar.
            let made = make(dialect, toolbox, &key, target)?;
            let mut cache = cache();
            if cache.len() >= MOST {
                cache.clear();
            }
            cache.insert(key, made.clone());
            made
        };
        match made {
            Made::Grammar(grammar) => Ok((Constraint::Sent(wanted.constrain), Some(grammar))),
            Made::NoTool => none,
            Made::Nothing => Ok((Constraint::Unavailable, None)),
        }
    }
}

fn make(
    dialect: &Dialect,
    toolbox: &Toolbox,
    key: &GrammarKey,
    target: Target,
) -> Result<Made, Fault> {
    let is_wanted = |spec: &&ToolSpec| {
        let names = key.names.as_ref();
        names.is_none_or(|names| names.contains(&spec.name))
    };
    let specs: Vec<&ToolSpec> = toolbox.iter().filter(is_wanted).collect();
    if specs.is_empty() {
        return Ok(Made::NoTool);
    }
    let fault = |why: String| Fault::new(StatusCode::BAD_REQUEST, why);
    let sizes = specs.iter().map(|spec| spec.parameters.to_string().len());
    let sizes: Vec<usize> = sizes.collect();
    let n_bytes: usize = sizes.iter().sum();
    if n_bytes > SCHEMA_BYTES {
        let longest = specs.iter().zip(sizes).max_by_key(|(_, size)| *size);
        let name = longest.map_or("", |(spec, _)| spec.name.as_str());
        return Err(fault(format!(
            "the schemas of the tools have {n_bytes} bytes, and a grammar takes at most {SCHEMA_BYTES}; shorten the longest, of `{name}`"
        )));
    }
    let tools: Vec<ToolSchema<'_>> = specs
        .iter()
        .map(|spec| ToolSchema {
            name: &spec.name,
            parameters: &spec.parameters,
        })
        .collect();
    let inputs: Vec<InputGrammar<'_>> = toolbox.input_grammars().map(InputGrammar::from).collect();
    let mut options = Options::new(target);
    options.inputs = &inputs;
    options.tool_choice = if key.is_required {
        Calls::Required
    } else {
        Calls::Auto
    };
    options.parallel = key.is_parallel;
    options.reasoning = match target {
        Target::JsonSchema => Reasoning::None,
        _ if key.is_reasoning_open => Reasoning::Open,
        _ => Reasoning::Optional,
    };
    match grammar(dialect, &tools, &options) {
        Ok(grammar) => Ok(Made::Grammar(Arc::new(grammar))),
        Err(GrammarError::Dialect { .. } | GrammarError::Target(_)) => Ok(Made::Nothing),
        Err(error) => Err(fault(error.to_string())),
    }
}

/// Adds a grammar to a request, in the form that servers with its language expect.
pub(crate) fn add(fields: &mut Map<String, Value>, constrain: Constrain, grammar: &Grammar) {
    let text = Value::from(grammar.text.as_str());
    let document = || toolglot_value::from_str(&grammar.text).unwrap_or_default();
    match constrain {
        Constrain::Off => {}
        Constrain::Gbnf => {
            fields.insert("grammar".to_owned(), text);
            if !grammar.triggers.is_empty() {
                let triggers = grammar.triggers.iter().map(|trigger| {
                    // Type 1 is a trigger word.
                    json!({"type": 1, "value": trigger})
                });
                fields.insert("grammar_triggers".to_owned(), triggers.collect());
                fields.insert("grammar_lazy".to_owned(), Value::Bool(true));
            }
        }
        Constrain::Lark => {
            fields.insert("structured_outputs".to_owned(), json!({"grammar": text}));
        }
        Constrain::StructuralTag => {
            fields.insert("response_format".to_owned(), document());
        }
        Constrain::JsonSchema => {
            let schema = json!({"name": "call", "strict": true, "schema": document()});
            let format = json!({"type": "json_schema", "json_schema": schema});
            fields.insert("response_format".to_owned(), format);
        }
    }
}
