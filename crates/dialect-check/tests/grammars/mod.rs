//! Random grammars with random calls: a grammar that the compiler accepts parses its rendered calls back.
//!
//! A value is *plain* if it contains none of the grammar's literals. Calls of plain values must be rendered, and parsed
//! back equal and closed, whole and at every cut, and are never closed with less where the length limit cuts them off.
//! Other values may be refused, but never be parsed differently from the rendered call.
//! `TOOLGLOT_GRAMMARS=10000` makes more of them; `TOOLGLOT_GRAMMAR=17` makes one and prints it.

mod random;
mod rules;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::{env, panic};

use random::Random;
use rules::{Grammar, grammar};
use toolglot_engine::{
    CallText, Calls, Dialect, End, Finish, Input, Limits, Parser, Program, Renderer, ResultText,
    ResultWriter, ToolSet,
};
use toolglot_toolset::Toolbox;
use toolglot_value::{Value, json};

/// Grammars of a usual run.
const GRAMMARS: u64 = 400;
/// Messages for each.
const MESSAGES: usize = 4;

const WHOLE: Cut = Cut::Every(usize::MAX);

/// The outcome for a grammar.
enum Outcome {
    /// The compiler refuses it, for this reason.
    Refused(String),
    /// The number of messages that were rendered.
    Rendered(usize),
}

#[test]
#[expect(
    clippy::print_stdout,
    reason = "the figures of a run are read by people"
)]
fn accepted_grammars_parse_what_they_render() {
    let number = |name| {
        env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let seeds = match number("TOOLGLOT_GRAMMAR") {
        Some(seed) => seed..seed + 1,
        None => 0..number("TOOLGLOT_GRAMMARS").unwrap_or(GRAMMARS),
    };
    let n_seeds = seeds.end - seeds.start;
    let is_single = n_seeds == 1;
    let (mut refused, mut failures) = (BTreeMap::<String, u64>::new(), Vec::new());
    let (mut n_dead, mut n_rendered) = (0, 0);
    for seed in seeds {
        let grammar = grammar(&mut Random::new(seed));
        if is_single {
            println!("{}", grammar.file);
        }
        let outcome = panic::catch_unwind(|| check(seed, &grammar));
        match outcome.unwrap_or_else(|_| Err("it panics".to_owned())) {
            Ok(Outcome::Refused(why)) => *refused.entry(why).or_default() += 1,
            Ok(Outcome::Rendered(0)) => n_dead += 1,
            Ok(Outcome::Rendered(_)) => n_rendered += 1,
            Err(why) => failures.push(format!("seed {seed}\n{}{why}\n", grammar.file)),
        }
    }
    println!("{n_rendered} rendered, {n_dead} dead, refused: {refused:#?}");
    let shown = failures.iter().take(12).cloned().collect::<Vec<_>>();
    assert!(
        failures.is_empty(),
        "{} of {n_seeds} wrong\n\n{}",
        failures.len(),
        shown.join("\n")
    );
    // A compiler that refuses every grammar would pass, too.
    assert!(
        is_single || n_rendered * 2 >= n_seeds,
        "{n_rendered} of {n_seeds}"
    );
}

/// The parameter that the smaller tools lack.
const UNKNOWN: &str = "more";

fn check(seed: u64, grammar: &Grammar) -> Result<Outcome, String> {
    let dialects = match toolglot_dialects::parse(&grammar.file) {
        Ok(dialects) => dialects,
        Err(error) => return Ok(Outcome::Refused(error.message)),
    };
    let tools = tools();
    let program = match Program::compile(&dialects, &tools, Limits::default()) {
        Ok(program) => Arc::new(program),
        Err(error) => return Ok(Outcome::Refused(error.message)),
    };
    let smaller = Program::compile(&dialects, &tools_without(UNKNOWN), Limits::default());
    let smaller = Arc::new(smaller.map_err(|error| error.to_string())?);
    let renderer = Renderer::new(&dialects[0], &tools).map_err(|error| error.to_string())?;
    let mut random = Random::new(seed ^ 0x5eed);
    let mut n_rendered = 0;
    for n in 0..MESSAGES {
        let message = message(grammar, &mut random, n);
        n_rendered += usize::from(check_message(
            grammar,
            &message,
            &renderer,
            [&program, &smaller],
        )?);
        check_result(&dialects[0], &random.text(grammar, true), n % 2 == 1)?;
    }
    Ok(Outcome::Rendered(n_rendered))
}

type Message = Vec<(String, Value)>;

/// Whether the message was rendered.
fn check_message(
    grammar: &Grammar,
    message: &Message,
    renderer: &Renderer<'_>,
    [program, smaller]: [&Arc<Program>; 2],
) -> Result<bool, String> {
    let is_plain = message
        .iter()
        .all(|(_, arguments)| grammar.is_plain(arguments));
    let json: Vec<String> = message
        .iter()
        .map(|(_, arguments)| arguments.to_string())
        .collect();
    let texts = message.iter().zip(&json);
    let texts: Vec<CallText<'_>> = texts
        .map(|((name, _), arguments)| CallText {
            name,
            arguments,
            server: None,
            id: grammar.has_id.then_some("c1"),
        })
        .collect();
    let text = match renderer.calls(&texts) {
        Ok(text) => text,
        Err(error) => match error.text {
            Some(text) if is_plain => {
                let found = shown(&parsed(program, &text, WHOLE));
                return Err(format!("{}\n  {json:?}\n  {text:?}\n{found}", error.reason));
            }
            _ => return Ok(false),
        },
    };
    let calls = parsed(program, &text, WHOLE);
    let whole = shown(&calls);
    if calls.calls.len() != message.len() {
        return Err(format!("calls are missing\n  {text:?}\n{whole}"));
    }
    for (call, (_, arguments)) in calls.calls.iter().zip(message) {
        let found: Value = call
            .arguments
            .parse()
            .map_err(|error| format!("{error}: {text:?}\n{whole}"))?;
        if found != *arguments {
            return Err(format!(
                "other arguments\n  {arguments}\n  {text:?}\n{whole}"
            ));
        }
        if grammar.has_id && call.written_id.as_deref() != Some("c1") {
            return Err(format!(
                "another id {:?}\n  {text:?}\n{whole}",
                call.written_id
            ));
        }
        if is_plain && (call.end != End::Closed || !call.notes.is_empty()) {
            return Err(format!("not closed\n  {text:?}\n{whole}"));
        }
    }
    let cuts = (1..text.len())
        .filter(|&at| text.is_char_boundary(at))
        .map(Cut::At);
    for cut in cuts.chain([Cut::Every(1), Cut::Every(3)]) {
        let pieces = parsed(program, &text, cut);
        if format!("{pieces:?}") != format!("{calls:?}") {
            return Err(format!(
                "{cut:?} differs\n  {text:?}\n{whole}\n\n{}",
                shown(&pieces)
            ));
        }
    }
    let places = (1..text.len()).filter(|&at| text.is_char_boundary(at));
    for start in { places.filter(|_| is_plain) }.map(|at| &text[..at]) {
        check_cut_off(
            message,
            start,
            &ended(program, start, WHOLE, Finish::Length),
        )?;
    }
    let has_unknown = |(_, arguments): &(String, Value)| !arguments[UNKNOWN].is_null();
    if is_plain && grammar.fixed.is_none() && message.iter().any(has_unknown) {
        check_unknown(message, &text, &parsed(smaller, &text, WHOLE))?;
    }
    Ok(true)
}

/// A call that the length limit cuts off must not be closed with a part of its arguments.
fn check_cut_off(message: &Message, start: &str, calls: &Calls) -> Result<(), String> {
    for (n, call) in calls.calls.iter().enumerate() {
        let wanted = message.get(n).map(|(_, wanted)| wanted);
        if call.end == End::Closed && call.arguments.parse::<Value>().ok().as_ref() != wanted {
            return Err(format!("cut off\n  {start:?}\n{}", shown(calls)));
        }
    }
    Ok(())
}

/// A closed call must not absorb an unknown parameter into the value before it. A tag in a value may leave the call in
/// doubt.
fn check_unknown(message: &Message, text: &str, calls: &Calls) -> Result<(), String> {
    for (call, (_, wanted)) in calls.calls.iter().zip(message) {
        let is_right = call
            .arguments
            .parse::<Value>()
            .is_ok_and(|found| found == *wanted);
        if call.end == End::Closed && !is_right {
            return Err(format!(
                "an unknown parameter\n  {text:?}\n{}",
                shown(calls)
            ));
        }
    }
    Ok(())
}

/// A rendered result is inside its frame, contains no marker that closes the frame, and decodes to the original text.
fn check_result(dialect: &Dialect, text: &str, failed: bool) -> Result<(), String> {
    let writer = ResultWriter::new(dialect);
    let call = CallText {
        name: "save",
        arguments: "{}",
        server: None,
        id: Some("c1"),
    };
    let result = ResultText {
        call,
        text,
        failed,
        is_json: false,
    };
    let written = writer.results(std::slice::from_ref(&result)).text;
    let (before, after) = writer.frame(call, failed, true);
    let inside = written
        .strip_prefix(&before)
        .and_then(|inside| inside.strip_suffix(&after))
        .ok_or_else(|| format!("a result out of its frame\n  {text:?}\n  {written:?}"))?;
    if let Some(marker) = (writer.markers(failed).iter()).find(|marker| inside.contains(*marker)) {
        return Err(format!(
            "a result holds {marker:?}\n  {text:?}\n  {written:?}"
        ));
    }
    let original = writer.original(&result, inside);
    if original != text {
        return Err(format!(
            "a result is read as {original:?}\n  {text:?}\n  {written:?}"
        ));
    }
    Ok(())
}

/// How a text is cut into pieces.
#[derive(Clone, Copy, Debug)]
enum Cut {
    Every(usize),
    At(usize),
}

fn parsed(program: &Arc<Program>, text: &str, cut: Cut) -> Calls {
    ended(program, text, cut, Finish::Stop)
}

fn ended(program: &Arc<Program>, text: &str, cut: Cut, finish: Finish) -> Calls {
    let mut calls = Calls::default();
    let mut parser = Parser::new(Arc::clone(program));
    let (mut at, mut from) = (0, 0);
    for (n, _) in text.char_indices().skip(1).chain([(text.len(), ' ')]) {
        at += 1;
        let is_cut = match cut {
            Cut::Every(n_chars) => at % n_chars == 0,
            Cut::At(place) => n == place,
        };
        if is_cut || n == text.len() {
            parser.push(Input::Text(&text[from..n]), &mut calls);
            from = n;
        }
    }
    parser.finish(finish, &mut calls);
    calls
}

/// The parsed calls, for people.
fn shown(calls: &Calls) -> String {
    let mut lines = format!("  content {:?}", calls.content);
    for call in &calls.calls {
        let notes: Vec<String> = call
            .notes
            .iter()
            .map(|note| format!("{:?} {}", note.code, note.message))
            .collect();
        let (name, arguments, end) = (&call.name, &call.arguments, call.end);
        let line = format!("\n  {name} {arguments} {end:?} {notes:?}");
        lines.push_str(&line);
    }
    lines
}

fn tools() -> ToolSet {
    tools_without("")
}

fn tools_without(key: &str) -> ToolSet {
    let mut properties = json!({
        "text": {"type": "string"}, "more": {"type": "string"}, "path": {"type": "string"},
        "count": {"type": "integer"}, "ok": {"type": "boolean"},
        "items": {"type": "array", "items": {"type": "string"}},
    });
    if let Value::Object(properties) = &mut properties {
        properties.remove(key);
    }
    let tool = |name: &str| json!({"name": name, "parameters": {"type": "object", "properties": properties}});
    let ping = json!({"name": "ping", "parameters": {"type": "object", "properties": {}}});
    let tools = json!([tool("save"), tool("look_up"), ping]);
    Toolbox::from_json(&tools).expect("a tool list").tool_set()
}

/// A call, or two: first with few arguments, then with more, then with literals of the grammar.
fn message(grammar: &Grammar, random: &mut Random, n: usize) -> Message {
    let n_calls = if n >= 2 && random.chance(3) { 2 } else { 1 };
    (0..n_calls).map(|_| call(grammar, random, n)).collect()
}

fn call(grammar: &Grammar, random: &mut Random, n: usize) -> (String, Value) {
    let mut arguments = toolglot_value::Map::new();
    if let Some((tool, required, optional)) = &grammar.fixed {
        for key in required {
            arguments.insert(key.clone(), Value::from(random.text(grammar, n >= 3)));
        }
        for key in optional {
            if random.chance(2) {
                continue;
            }
            arguments.insert(key.clone(), Value::from(random.text(grammar, n >= 3)));
        }
        return (tool.clone(), Value::Object(arguments));
    }
    let n_arguments = if n == 0 {
        random.below(2)
    } else {
        random.below(4)
    };
    let keys = ["text", "more", "count", "path", "ok", "items"];
    for _ in 0..n_arguments {
        let key = *random.one(&keys);
        let value = match key {
            "count" => Value::from(random.below(1000) as u64),
            "ok" => Value::from(random.chance(2)),
            "items" => (0..random.below(4))
                .map(|_| Value::from(random.word()))
                .collect(),
            _ => Value::from(random.text(grammar, n >= 3)),
        };
        arguments.insert(key.to_owned(), value);
    }
    let name = if arguments.is_empty() && random.chance(2) {
        "ping"
    } else {
        *random.one(&["save", "look_up"])
    };
    (name.to_owned(), Value::Object(arguments))
}
