//! Renders a conversation with a tool call by the template, and reads the rendered call with each dialect.
//!
//! A template is a program that reading its text cannot follow. Its output is what the model was taught. It may come
//! from anywhere, so it runs with a time limit, on a stack for the deepest expression that is accepted. A budget of
//! steps also pays for the values that it builds.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Rest};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value, context};
use toolglot_engine::{Calls, Dialect, Finish, Input, Limits, Parser, Program};
use toolglot_toolset::Toolbox;

use crate::probe::{CALL_ID, NUMBER, SAID, TEXT, TOOL, arguments};

/// Steps that a template may take.
const FUEL: u64 = 1_000_000;
/// Time for all its renderings: a step is not always short.
const PATIENCE: Duration = Duration::from_secs(10);
/// The stack that a template is parsed and rendered on, in bytes.
const STACK: usize = 256 << 20;

/// The calls that a template renders.
#[derive(Clone, Debug, Default)]
pub(crate) struct RenderedCalls {
    /// The call, in each form in which servers pass it to templates, without the text before it in every answer. Empty
    /// if the template cannot be rendered, or writes no calls.
    pub(crate) calls: Vec<String>,
    /// The text after an answer without a call: the end of the turn.
    pub(crate) turn_end: String,
}

/// Renders a call with the template, within the time limit.
///
/// # Errors
/// The reason: the time is up, or nothing was rendered at all.
pub(crate) fn rendered_calls(template: &str) -> Result<RenderedCalls, String> {
    let (sender, receiver) = mpsc::channel();
    let template = template.to_owned();
    // After the time limit, the thread may run until the process ends.
    thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || sender.send(calls(&template)))
        .map_err(|error| format!("no thread could be started to render the template: {error}"))?;
    match receiver.recv_timeout(PATIENCE) {
        Ok(calls) => Ok(calls),
        Err(RecvTimeoutError::Timeout) => Err(format!(
            "the template renders for more than {} s",
            PATIENCE.as_secs()
        )),
        Err(RecvTimeoutError::Disconnected) => Err("the template could not be rendered".to_owned()),
    }
}

fn calls(template: &str) -> RenderedCalls {
    let template = without_generation(template);
    let Ok(environment) = environment(&template) else {
        return RenderedCalls::default();
    };
    let question = context! { role => "user", content => "Look it up." };
    // A template that has spent its steps once is not rendered again.
    let is_spent = Cell::new(false);
    let render = |answer: Option<Value>, prompts: bool| -> Option<String> {
        if is_spent.get() {
            return None;
        }
        let messages: Vec<Value> = [question.clone()].into_iter().chain(answer).collect();
        let template = environment.get_template("chat").ok()?;
        let written = template.render(context! {
            messages,
            tools => [tool()],
            add_generation_prompt => prompts,
            bos_token => "",
            eos_token => "",
        });
        is_spent.set(matches!(&written, Err(error) if error.kind() == ErrorKind::OutOfFuel));
        written.ok()
    };
    // The text before the answer: some prompts end with the start of a call.
    let before = [
        render(None, true),
        render(None, false),
        render(
            Some(context! { role => "assistant", content => SAID }),
            false,
        ),
    ];
    let mut all = Vec::new();
    for arguments in [
        context! { text => TEXT, number => NUMBER },
        Value::from(arguments().to_string()),
    ] {
        let function = context! { name => TOOL, arguments };
        let call = context! { id => CALL_ID, type => "function", function };
        for content in [Value::from(""), Value::from(())] {
            let answer = context! { role => "assistant", content, tool_calls => [call.clone()] };
            let Some(whole) = render(Some(answer), false) else {
                continue;
            };
            for before in before.iter().flatten() {
                let written = whole[common(before, &whole)..].to_owned();
                if written.contains(TOOL) && written.contains(TEXT) && !all.contains(&written) {
                    all.push(written);
                }
            }
        }
    }
    let answer = before[2].as_deref().unwrap_or_default();
    let turn_end = answer.rsplit_once(SAID).map_or("", |(_, end)| end);
    RenderedCalls {
        calls: all,
        turn_end: turn_end.to_owned(),
    }
}

/// Reads the calls with `dialect`. Of one call, the most characters that are call or markup, without blanks; `None` if
/// no call is read with its given values.
pub(crate) fn covered(dialect: &Dialect, calls: &[String]) -> Option<usize> {
    let tools = toolglot_value::to_value(&[tool()]).expect("maps of text are JSON");
    let toolbox = Toolbox::from_json(&tools).expect("the tool is well formed");
    let dialects = std::slice::from_ref(dialect);
    let program = Program::compile(dialects, &toolbox.tool_set(), Limits::default()).ok()?;
    let program = Arc::new(program);
    let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    let covered = calls.iter().filter_map(|written| {
        let mut read = Calls::default();
        let mut parser = Parser::new(Arc::clone(&program));
        parser.push(Input::Text(written), &mut read);
        parser.finish(Finish::Stop, &mut read);
        let [call] = &read.calls[..] else {
            return None;
        };
        let given: toolglot_value::Value = toolglot_value::from_str(&call.arguments).ok()?;
        let is_right = call.name == TOOL && given == arguments();
        is_right.then(|| solid(written) - solid(&read.content))
    });
    covered.max()
}

/// Whether a call is an object, or a list of them, without anything before it.
pub(super) fn is_bare(written: &str) -> bool {
    written
        .trim_start_matches([' ', '\n', '['])
        .starts_with('{')
}

/// The tool, in OpenAI's form.
fn tool() -> Value {
    let text = context! { type => "string", description => "A text." };
    let number = context! { type => "integer", description => "A number." };
    let parameters = context! { type => "object", properties => context! { text, number }, required => ["text"] };
    let function = context! { name => TOOL, description => "Looks it up.", parameters };
    context! { type => "function", function }
}

/// Length of the longest common start, in bytes.
fn common(left: &str, right: &str) -> usize {
    let mut pairs = left.char_indices().zip(right.chars());
    pairs
        .find(|((_, a), b)| a != b)
        .map_or(left.len().min(right.len()), |((at, _), _)| at)
}

/// An environment like that of `transformers`, with the template under the name `chat`.
fn environment(template: &str) -> Result<Environment<'_>, Error> {
    let mut environment = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    environment.set_syntax(syntax.trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment.set_fuel(Some(FUEL));
    environment.add_filter("tojson", to_json);
    environment.add_function(
        "raise_exception",
        |message: String| -> Result<Value, Error> {
            Err(Error::new(ErrorKind::InvalidOperation, message))
        },
    );
    environment.add_function("strftime_now", |_format: String| "1 January 2026");
    environment.add_template("chat", template)?;
    Ok(environment)
}

/// `json.dumps`: the options that templates pass do not change the values.
fn to_json(value: &Value, _: Rest<Value>, _: Kwargs) -> Result<Value, Error> {
    let text = serde_json::to_string(value);
    let text = text.map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))?;
    Ok(Value::from_safe_string(text))
}

/// Makes comments of the tags `{% generation %}` and `{% endgeneration %}`, which surround the training text and write
/// nothing.
fn without_generation(template: &str) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find("{%") {
        let Some(length) = rest[at..].find("%}").map(|length| length + 2) else {
            break;
        };
        let tag = &rest[at..at + length];
        let word = tag.trim_matches(|c: char| "{}%-+".contains(c) || c.is_whitespace());
        text.push_str(&rest[..at]);
        if matches!(word, "generation" | "endgeneration") {
            // The signs that strip blanks stay.
            text.push_str(if tag.starts_with("{%-") { "{#-" } else { "{#" });
            text.push_str(if tag.ends_with("-%}") { "-#}" } else { "#}" });
        } else {
            text.push_str(tag);
        }
        rest = &rest[at + length..];
    }
    text + rest
}
