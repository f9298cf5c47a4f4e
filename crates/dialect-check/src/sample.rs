//! Sample calls of every shape: a dialect writes them, and parses its own text.

use std::collections::BTreeSet;
use std::sync::Arc;

use toolglot_engine::{
    CallText, Calls, Dialect, Finish, GrammarError, Input, Limits, NamedArgument, Parser, Program,
    Renderer, ResultText, ResultWriter, ToolSet,
};
use toolglot_toolset::Toolbox;
use toolglot_value::{Map, Value, json};

use crate::case::{Case, CaseOptions, Part};

/// The results of a dialect for the sample calls.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DialectReport {
    /// The calls, in order from none to several arguments; empty if the dialect has no rule `call`.
    pub samples: Vec<Sample>,
    /// Whether a call needs a known tool: without tools, the dialect's own calls are text.
    pub needs_tools: bool,
    /// Texts of the grammar that are parsed as other calls.
    pub misread: Vec<Misread>,
    /// A result as the dialect writes it; a model never writes a result.
    pub result: String,
}

/// A sample call, or two.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sample {
    /// Its shape, in words: `a call without arguments`.
    pub title: &'static str,
    /// Whether one of its calls has arguments.
    pub has_arguments: bool,
    /// The text that the dialect wrote, if any.
    pub text: Option<String>,
    /// Why the dialect cannot carry it. `None`: the text parses to the same calls, closed, whole and in pieces.
    pub refusal: Option<String>,
}

/// A text of the grammar that is parsed as other calls.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Misread {
    /// The text.
    pub text: String,
    /// The calls in the text, and the parsed calls.
    pub calls: [String; 2],
}

impl DialectReport {
    /// Whether the dialect carries no sample at all.
    pub fn is_dead(&self) -> bool {
        self.samples.iter().all(|sample| sample.refusal.is_some())
    }

    /// Whether the dialect carries a sample with arguments, if its calls may have any.
    pub fn carries_arguments(&self) -> bool {
        let samples = self.samples.iter().filter(|sample| sample.has_arguments);
        let mut refusals = samples.map(|sample| sample.refusal.is_some());
        match refusals.next() {
            Some(is_refused) => !is_refused || refusals.any(|is_refused| !is_refused),
            None => true,
        }
    }

    /// Whether the dialect carries no sample with arguments, or texts of its grammar are parsed as other calls.
    pub fn is_faulty(&self) -> bool {
        let has_calls = !self.samples.is_empty();
        has_calls && (!self.carries_arguments() || !self.misread.is_empty())
    }
}

/// A name and its arguments.
type SampleCall = (String, Value);

/// Writes sample calls in a dialect, and parses the text: whole, and in pieces of one and of three bytes.
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
        .map(|(title, calls)| {
            let plain = sample(title, calls, &renderer, &known, dialect);
            let with_named = with_named(dialect, calls);
            let with_named =
                with_named.map(|calls| sample(title, &calls, &renderer, &known, dialect));
            let is_better = |other: &Sample| plain.refusal.is_some() && other.refusal.is_none();
            with_named.filter(is_better).unwrap_or(plain)
        })
        .collect();
    // No way of writing can carry a value that contains a closer of the grammar.
    let carried = shapes.iter().zip(&samples);
    let carried = carried.filter(|(_, sample)| sample.refusal.is_none());
    let carried = carried.map(|((_, calls), _)| calls.as_slice());
    let misread = misread(dialect, &carried, &tools, &known);
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
        misread,
        result,
    })
}

/// The maximum number of ways of writing.
const WAYS: usize = 256;

/// Writes the samples in each way that the dialect reads, and parses them. The first misread text of each way is
/// reported.
fn misread<'s>(
    dialect: &Dialect,
    samples: &(impl Iterator<Item = &'s [SampleCall]> + Clone),
    tools: &ToolSet,
    program: &Arc<Program>,
) -> Vec<Misread> {
    let mut texts = BTreeSet::new();
    let mut found = Vec::new();
    for variant in dialect.variants(WAYS) {
        // A way that is not a dialect alone has no text of its own.
        let Ok(renderer) = Renderer::new(&variant, tools) else {
            continue;
        };
        let misread = samples.clone().find_map(|calls| {
            let arguments: Vec<String> = calls.iter().map(|(_, args)| args.to_string()).collect();
            let text = renderer.calls(&call_texts(calls, &arguments)).ok()?;
            if !texts.insert(text.clone()) {
                return None;
            }
            let calls = [renderer.program(), program].map(|program| shown(&parsed(program, &text)));
            (calls[0] != calls[1]).then_some(Misread { text, calls })
        });
        found.extend(misread);
    }
    found
}

fn call_texts<'a>(calls: &'a [SampleCall], arguments: &'a [String]) -> Vec<CallText<'a>> {
    let calls = calls.iter().zip(arguments);
    let texts = calls.map(|((name, _), arguments)| CallText {
        name,
        arguments,
        server: None,
        id: None,
    });
    texts.collect()
}

/// Names and arguments, for people.
fn shown(read: &Calls) -> String {
    let calls = read.calls.iter().map(|call| {
        let mut arguments = call.arguments.parse().unwrap_or(Value::Null);
        // A line break before a closer may belong to the closer.
        for value in arguments
            .as_object_mut()
            .into_iter()
            .flat_map(Map::values_mut)
        {
            if let Value::String(text) = value {
                text.truncate(text.trim_end_matches('\n').len());
            }
        }
        format!("{} {arguments}", call.name)
    });
    calls.collect::<Vec<_>>().join("; ")
}

/// The samples: calls of any tool, or of the tools in the rules of the dialect.
fn shapes(dialect: &Dialect) -> Vec<(&'static str, Vec<SampleCall>)> {
    if let Some(only) = dialect.only_calls() {
        if only.is_empty() {
            return Vec::new();
        }
        let call = |text: &str| {
            let calls = only.iter();
            let calls =
                calls.map(|(name, named)| ((*name).to_owned(), values(dialect, named, text)));
            calls.collect::<Vec<SampleCall>>()
        };
        let mut shapes = vec![
            ("a call of each of its tools", call("a.rs")),
            (
                "the same with texts of several lines",
                call("first line\n  second line\n"),
            ),
        ];
        if dialect.has_keys() {
            let mut calls = call("a.rs");
            for (_, arguments) in &mut calls {
                if let Some(arguments) = arguments.as_object_mut() {
                    arguments.insert("more".to_owned(), "b".into());
                }
            }
            shapes.push(("the same with one argument more", calls));
        }
        return shapes;
    }
    let save = |arguments: Value| ("save".to_owned(), arguments);
    let ping = || ("ping".to_owned(), json!({}));
    let several = json!({"text": "a.rs", "count": 2, "ok": true, "items": ["a", "b"]});
    let named = dialect.named_arguments();
    let named = (!named.is_empty()).then(|| {
        let arguments = values(dialect, &named, "first line\n  second line");
        ("the arguments that its rule names", vec![save(arguments)])
    });
    let any = vec![
        ("a call without arguments", vec![ping()]),
        ("one argument", vec![save(json!({"text": "a.rs"}))]),
        (
            "a text of several lines",
            vec![save(json!({"text": "first line\n  second line"}))],
        ),
        (
            "a text that ends with a line break",
            vec![save(json!({"text": "first line\n"}))],
        ),
        (
            "two texts",
            vec![save(json!({"text": "a.rs", "more": "b: c"}))],
        ),
        (
            "texts with signs",
            vec![save(json!({"text": "a = b, c", "more": "say \"it's\""}))],
        ),
        (
            "an empty text before another",
            vec![save(json!({"text": "", "more": "b"}))],
        ),
        ("a text, a number, a flag and a list", vec![save(several)]),
        (
            "a list, an empty list and a text",
            vec![save(
                json!({"items": ["a", "b: c"], "others": [], "text": "a.rs"}),
            )],
        ),
        (
            "two calls",
            vec![save(json!({"text": "a.rs"})), save(json!({"text": "b"}))],
        ),
    ];
    named.into_iter().chain(any).collect()
}

/// The same calls with the named arguments of the rule, besides the arguments of its loop.
fn with_named(dialect: &Dialect, calls: &[SampleCall]) -> Option<Vec<SampleCall>> {
    let named = dialect.named_arguments();
    let with_named = |(name, arguments): &SampleCall| {
        let mut arguments = arguments.as_object().cloned().unwrap_or_default();
        for one in &named {
            if !arguments.contains_key(one.name) {
                arguments.insert(one.name.to_owned(), value(dialect, *one, "a.rs"));
            }
        }
        (name.clone(), Value::Object(arguments))
    };
    (!named.is_empty()).then(|| calls.iter().map(with_named).collect())
}

/// An object of these arguments; a value that may have several lines is `text`.
fn values(dialect: &Dialect, arguments: &[NamedArgument<'_>], text: &str) -> Value {
    let members = arguments.iter();
    let members = members.map(|one| (one.name.to_owned(), value(dialect, *one, text)));
    Value::Object(members.collect())
}

/// A value of the argument: of several texts the first, with its meaning.
fn value(dialect: &Dialect, argument: NamedArgument<'_>, text: &str) -> Value {
    match argument.listed {
        Some(listed) => match dialect.word(listed) {
            Some(json) => json.parse().unwrap_or(Value::Null),
            None => listed.into(),
        },
        None if argument.is_short => "a.rs".into(),
        None => text.into(),
    }
}

/// The tools of the samples.
fn tool_set(shapes: &[(&str, Vec<SampleCall>)]) -> ToolSet {
    let mut tools: Vec<Value> = Vec::new();
    let mut parameters = json!({
        "text": {"type": "string"}, "more": {"type": "string"}, "count": {"type": "integer"},
        "ok": {"type": "boolean"}, "items": {"type": "array", "items": {"type": "string"}},
        "others": {"type": "array", "items": {"type": "string"}},
    });
    for (name, arguments) in shapes.iter().flat_map(|(_, calls)| calls) {
        if tools.iter().any(|tool| tool["name"] == name.as_str()) {
            continue;
        }
        for key in arguments.as_object().into_iter().flat_map(Map::keys) {
            if parameters[key].is_null() {
                let is_flag = arguments[key].is_boolean();
                parameters[key] = json!({"type": if is_flag { "boolean" } else { "string" }});
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
    let (text, refusal) = match renderer.calls(&call_texts(calls, &arguments)) {
        Ok(text) => {
            let refusal = match case(&text, dialect.name()).events(program) {
                Ok(events) if is_in_doubt(&events) => Some(IN_DOUBT.to_owned()),
                Ok(_) => misread_ending(program, &text).map(str::to_owned),
                Err(error) => Some(error.to_string()),
            };
            (Some(text), refusal)
        }
        Err(error) => (error.text, Some(error.reason)),
    };
    let is_empty = |arguments: &Value| arguments.as_object().is_none_or(Map::is_empty);
    Sample {
        title,
        has_arguments: calls.iter().any(|(_, arguments)| !is_empty(arguments)),
        text,
        refusal,
    }
}

/// The rendered text reads back equal, also where the parser is in doubt about it.
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

/// Calls without the last line break of their message, or with a line of text after them, are the same calls.
fn misread_ending(program: &Arc<Program>, text: &str) -> Option<&'static str> {
    let calls = |text: &str| {
        let read = parsed(program, text);
        let calls = read.calls.into_iter();
        calls
            .map(|call| (call.name, call.arguments))
            .collect::<Vec<_>>()
    };
    let expected = calls(text);
    if calls(text.trim_end_matches(['\r', '\n'])) != expected {
        return Some(
            "without the line break at its end the message is read otherwise: end the call and each of its lines with `eol`, not \"\\n\". `lines` holds no empty lines at its end",
        );
    }
    let more = format!("{text}\n\nThat is all.\n");
    (calls(&more) != expected).then_some("text after the call changes it")
}

fn n_calls(program: &Arc<Program>, text: &str) -> usize {
    parsed(program, text).calls.len()
}

fn parsed(program: &Arc<Program>, text: &str) -> Calls {
    let mut read = Calls::default();
    let mut parser = Parser::new(Arc::clone(program));
    parser.push(Input::Text(text), &mut read);
    parser.finish(Finish::Stop, &mut read);
    read
}
