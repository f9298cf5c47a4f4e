//! Sample calls of every shape: a dialect writes them, and parses what it wrote.

use std::sync::Arc;

use toolglot_engine::{
    CallText, Calls, Dialect, Finish, GrammarError, Input, Limits, Parser, Program, Renderer,
    ResultText, ResultWriter, ToolSet,
};
use toolglot_toolset::Toolbox;
use toolglot_value::{Value, json};

use crate::case::{Case, CaseOptions, Part};

/// What a dialect does with sample calls.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DialectReport {
    /// The calls, in order from none to several arguments; empty if the dialect has no rule `call`.
    pub samples: Vec<Sample>,
    /// A call is one only if its tool is known: without tools, what the dialect writes is text.
    pub needs_tools: bool,
    /// A result as the dialect writes it; a model never writes one.
    pub result: String,
}

/// A sample call, or two.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sample {
    /// Its shape, in words: `a call without arguments`.
    pub title: &'static str,
    /// The text that the dialect wrote, if it wrote any.
    pub text: Option<String>,
    /// Why the dialect cannot carry it. `None`: its text parses to the same calls, closed, whole and in pieces.
    pub refusal: Option<String>,
}

impl DialectReport {
    /// Whether the dialect carries no sample at all.
    pub fn is_dead(&self) -> bool {
        self.samples.iter().all(|sample| sample.refusal.is_some())
    }
}

/// A name and its arguments.
type SampleCall = (String, Value);

/// Writes sample calls in a dialect, and parses what it wrote: whole, and in pieces of one and of three bytes.
///
/// # Errors
/// As [`Program::compile`].
pub fn dialect_report(dialect: &Dialect) -> Result<DialectReport, GrammarError> {
    let shapes = shapes(dialect);
    let tools = tool_set(&shapes);
    let renderer = Renderer::new(dialect, &tools)?;
    let compiled = |tools: &ToolSet| {
        let dialects = std::slice::from_ref(dialect);
        Program::compile(dialects, tools, Limits::default()).map(Arc::new)
    };
    let (known, unknown) = (compiled(&tools)?, compiled(&ToolSet::default())?);
    let samples: Vec<Sample> = shapes
        .iter()
        .map(|(title, calls)| sample(title, calls, &renderer, &known, dialect))
        .collect();
    let mut carried = samples.iter().filter(|sample| sample.refusal.is_none());
    let needs_tools = carried.any(|sample| {
        let text = sample.text.as_deref().unwrap_or_default();
        n_calls(&known, text) > 0 && n_calls(&unknown, text) == 0
    });
    let call = CallText {
        name: "save",
        arguments: "{}",
        server: None,
        id: Some("call_1"),
    };
    let result = ResultText {
        call,
        text: "The result.",
        failed: false,
        is_json: false,
    };
    let result = ResultWriter::new(dialect).results(&[result]).text;
    Ok(DialectReport {
        samples,
        needs_tools,
        result,
    })
}

/// The samples: of any tool, or of the tools that the rules of the dialect fix.
fn shapes(dialect: &Dialect) -> Vec<(&'static str, Vec<SampleCall>)> {
    let lines = "first line\n  second line\n";
    if let Some(only) = dialect.only_calls() {
        if only.is_empty() {
            return Vec::new();
        }
        let call = |text: &str| {
            let calls = only.iter().map(|(name, arguments)| {
                let arguments = arguments.iter().map(|key| ((*key).to_owned(), text.into()));
                ((*name).to_owned(), Value::Object(arguments.collect()))
            });
            calls.collect::<Vec<SampleCall>>()
        };
        return vec![
            ("a call of each of its tools", call("a.rs")),
            ("the same with texts of several lines", call(lines)),
        ];
    }
    let save = |arguments: Value| ("save".to_owned(), arguments);
    let ping = || ("ping".to_owned(), json!({}));
    let several = json!({"text": "a.rs", "count": 2, "ok": true, "items": ["a", "b"]});
    vec![
        ("a call without arguments", vec![ping()]),
        ("one argument", vec![save(json!({"text": "a.rs"}))]),
        (
            "a text of several lines",
            vec![save(json!({"text": lines}))],
        ),
        (
            "two texts",
            vec![save(json!({"text": "a.rs", "more": "b: c"}))],
        ),
        (
            "a text, a number, a flag and a list",
            vec![save(several.clone())],
        ),
        ("two calls", vec![save(several), ping()]),
    ]
}

/// The tools of the samples.
fn tool_set(shapes: &[(&str, Vec<SampleCall>)]) -> ToolSet {
    let mut tools: Vec<Value> = Vec::new();
    let mut parameters = json!({
        "text": {"type": "string"}, "more": {"type": "string"}, "count": {"type": "integer"},
        "ok": {"type": "boolean"}, "items": {"type": "array", "items": {"type": "string"}},
    });
    for (name, arguments) in shapes.iter().flat_map(|(_, calls)| calls) {
        if tools.iter().any(|tool| tool["name"] == name.as_str()) {
            continue;
        }
        for key in arguments
            .as_object()
            .into_iter()
            .flat_map(toolglot_value::Map::keys)
        {
            if parameters[key].is_null() {
                parameters[key] = json!({"type": "string"});
            }
        }
        let properties = match name.as_str() {
            "ping" => json!({}),
            _ => parameters.clone(),
        };
        tools.push(
            json!({"name": name, "parameters": {"type": "object", "properties": properties}}),
        );
    }
    let toolbox = Toolbox::from_json(&Value::Array(tools)).unwrap_or_default();
    toolbox.tool_set()
}

fn sample(
    title: &'static str,
    calls: &[SampleCall],
    renderer: &Renderer<'_>,
    program: &Arc<Program>,
    dialect: &Dialect,
) -> Sample {
    let arguments: Vec<String> = calls.iter().map(|(_, args)| args.to_string()).collect();
    let texts = calls
        .iter()
        .zip(&arguments)
        .map(|((name, _), arguments)| CallText {
            name,
            arguments,
            server: None,
            id: None,
        });
    let (text, refusal) = match renderer.calls(&texts.collect::<Vec<_>>()) {
        Ok(text) => {
            let refusal = match case(&text, dialect.name()).events(program) {
                Ok(events) => is_in_doubt(&events).then(|| IN_DOUBT.to_owned()),
                Err(error) => Some(error.to_string()),
            };
            (Some(text), refusal)
        }
        Err(error) => (error.text, Some(error.reason)),
    };
    Sample {
        title,
        text,
        refusal,
    }
}

/// The renderer writes what reads back equal, also where the parser is in doubt of it.
const IN_DOUBT: &str = "the parser is in doubt where a value ends, and the call ends `recovered`";

fn is_in_doubt(events: &str) -> bool {
    events.lines().any(|line| line == "end recovered")
}

/// A case without expectations.
fn case(text: &str, dialect: &str) -> Case {
    let mut options = CaseOptions::default();
    options.dialects.push(dialect.to_owned());
    Case {
        title: String::new(),
        line: 0,
        options,
        tools: None,
        input: vec![Part::plain(text)],
        expected: None,
        blessed: 0..0,
    }
}

fn n_calls(program: &Arc<Program>, text: &str) -> usize {
    let mut read = Calls::default();
    let mut parser = Parser::new(Arc::clone(program));
    parser.push(Input::Text(text), &mut read);
    parser.finish(Finish::Stop, &mut read);
    read.calls.len()
}
