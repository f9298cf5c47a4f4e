//! A rendered message with one damage outside its values: no call that would run has other arguments than were written.
//!
//! A call would run if it is closed and its arguments are valid. What is damaged is every structural character, every
//! marker, and every word of the envelope, in turn; and a quote is inserted at each place. A character added to the edge of a raw value is part of the value.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use toolglot_engine::{
    Call, CallText, Calls, Dialect, End, Fields, Finish, Input, Limits, Parser, Program, Renderer,
    Scalars, Shape, Tool, ToolSet,
};
use toolglot_value::Value;

use super::support::hostile::literals;

/// The calls of each message.
const CALLS: [(&str, &str); 2] = [
    (
        "write_file",
        r#"{"path":"src/alpha.rs","content":"beta gamma","line":4711,"append":true,"note":"delta"}"#,
    ),
    ("read_file", r#"{"path":"src/omega.rs"}"#),
];

/// Their values, as they may stand in a message.
const VALUES: &[&str] = &[
    "src/alpha.rs",
    "beta gamma",
    "4711",
    "true",
    "True",
    "delta",
    "src/omega.rs",
];

/// Text after the calls.
const AFTER: &str = "\nThat is all of it.\n";

/// Messages that were damaged, and what became of their calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    n: usize,
    /// Both calls are as they were written, and closed.
    right: usize,
    /// A call would run, with other arguments.
    wrong: usize,
    /// Text after the calls is in a value.
    moved: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    CharacterDropped,
    CharacterDoubled,
    CharactersSwapped,
    QuoteInserted,
    MarkerDropped,
    MarkerDoubled,
    WordMisspelt,
}

/// The bytes of `range` are replaced.
struct Damage {
    kind: Kind,
    range: Range<usize>,
    with: String,
}

impl Damage {
    fn apply(&self, text: &str) -> String {
        let mut text = String::from(text);
        text.replace_range(self.range.clone(), &self.with);
        text
    }
}

#[test]
fn damage_outside_values_changes_no_call_that_would_run() {
    let (mut kinds, mut places) = (BTreeMap::new(), BTreeMap::new());
    let (mut all, mut quotes) = (Count::default(), Count::default());
    let mut shown = String::new();
    for dialect in toolglot_dialects::all() {
        let Some(text) = rendered(dialect) else {
            continue;
        };
        let program = compile(dialect);
        for damage in damages(&text, dialect) {
            for after in ["", AFTER] {
                let damaged = damage.apply(&text) + after;
                let calls = read(&program, &damaged);
                let count = judged(&calls, &damage, &damaged);
                if count.wrong + count.moved > 0 {
                    let what = if count.wrong > 0 { "wrong" } else { "moved" };
                    show(
                        &mut shown,
                        (what, dialect.name()),
                        &damage,
                        &damaged,
                        &calls,
                    );
                }
                add(kinds.entry(damage.kind).or_default(), count);
                add(places.entry(dialect.name()).or_default(), count);
                match damage.kind {
                    Kind::QuoteInserted => add(&mut quotes, count),
                    _ => add(&mut all, count),
                }
            }
        }
    }
    for (kind, count) in &kinds {
        eprintln!("{kind:?}: {count:?}");
    }
    for (dialect, count) in &places {
        eprintln!("{dialect}: {count:?}");
    }
    eprintln!("{shown}{all:?}");
    // The figures may only fall, and the share that is right may only rise. What would run wrongly are values of minicpm5, whose opener
    // is not theirs, and doubled markers of minimax_m3 and kimi_k3.
    let holds = all.wrong <= 40 && all.moved <= 115 && 1000 * all.right >= 340 * all.n;
    assert!(holds, "{all:?}");
    let holds = quotes.wrong <= 2 && quotes.moved <= 59 && 1000 * quotes.right >= 346 * quotes.n;
    assert!(holds, "{quotes:?}");
}

/// One line for a message that was read wrong: what surrounds the damage, and the calls.
fn show(
    out: &mut String,
    (what, dialect): (&str, &str),
    damage: &Damage,
    text: &str,
    calls: &[Call],
) {
    let near = |at: usize| (at.min(text.len())..=text.len()).find(|&at| text.is_char_boundary(at));
    let from = near(damage.range.start.saturating_sub(24)).unwrap_or(0);
    let to = near(damage.range.start + damage.with.len() + 24).unwrap_or(text.len());
    write!(
        out,
        "{what} {dialect} {:?} {:?}",
        damage.kind,
        &text[from..to]
    )
    .expect("a string takes all");
    for call in calls {
        write!(out, " {} {:?} {}", call.name, call.end, call.arguments)
            .expect("a string takes all");
    }
    out.push('\n');
}

fn add(to: &mut Count, count: Count) {
    to.n += count.n;
    to.right += count.right;
    to.wrong += count.wrong;
    to.moved += count.moved;
}

fn tools() -> ToolSet {
    let scalar = |integer, boolean| {
        Shape::Scalar(Scalars {
            integer,
            number: false,
            boolean,
            null: false,
        })
    };
    let tool = |name: &str, properties: &[(&str, Shape)]| Tool {
        name: name.into(),
        parameters: Fields {
            properties: properties
                .iter()
                .map(|(name, shape)| (String::from(*name), shape.clone()))
                .collect(),
            others: None,
        },
    };
    ToolSet::new([
        tool(
            "write_file",
            &[
                ("path", Shape::Text),
                ("content", Shape::Text),
                ("line", scalar(true, false)),
                ("append", scalar(false, true)),
                ("note", Shape::Text),
            ],
        ),
        tool("read_file", &[("path", Shape::Text)]),
    ])
}

/// Whether the call's tool takes the arguments: `path` and `content` are required.
fn is_valid(name: &str, arguments: &Value) -> bool {
    let Some(arguments) = arguments.as_object() else {
        return false;
    };
    let required: &[&str] = match name {
        "write_file" => &["path", "content"],
        "read_file" => &["path"],
        _ => return false,
    };
    let fits = |key: &str, value: &Value| match key {
        "path" => value.is_string(),
        "content" | "note" => value.is_string() && name == "write_file",
        "line" => value.as_i64().is_some() && name == "write_file",
        "append" => value.is_boolean() && name == "write_file",
        _ => false,
    };
    required.iter().all(|&key| arguments.contains_key(key))
        && arguments.iter().all(|(key, value)| fits(key, value))
}

fn compile(dialect: &Dialect) -> Arc<Program> {
    let program = Program::compile(std::slice::from_ref(dialect), &tools(), Limits::default());
    Arc::new(program.expect("the dialect compiles"))
}

fn rendered(dialect: &Dialect) -> Option<String> {
    let calls = CALLS.map(|(name, arguments)| CallText {
        name,
        arguments,
        server: None,
        id: None,
    });
    let renderer = Renderer::new(dialect, &tools()).expect("the dialect compiles");
    renderer.calls(&calls).ok()
}

/// The calls of a whole message.
pub(super) fn read(program: &Arc<Program>, text: &str) -> Vec<Call> {
    let mut calls = Calls::default();
    let mut parser = Parser::new(Arc::clone(program));
    parser.push(Input::Text(text), &mut calls);
    parser.finish(Finish::Stop, &mut calls);
    calls.calls
}

fn judged(calls: &[Call], damage: &Damage, text: &str) -> Count {
    let written: Vec<(&str, Value)> = CALLS
        .iter()
        .map(|(name, arguments)| {
            (
                *name,
                toolglot_value::from_str(arguments).expect("it is JSON"),
            )
        })
        .collect();
    let mut count = Count {
        n: 1,
        ..Count::default()
    };
    let mut n_right = 0;
    for call in calls {
        let arguments = toolglot_value::from_str(&call.arguments).ok();
        let is_written = |arguments: &Value| {
            written
                .iter()
                .any(|(name, wanted)| *name == call.name && equal(arguments, wanted, damage))
        };
        let is_right = arguments.as_ref().is_some_and(is_written);
        let is_closed = call.end == End::Closed;
        n_right += usize::from(is_right && is_closed);
        let is_wrong = is_closed
            && !is_right
            && arguments.is_some_and(|arguments| is_valid(&call.name, &arguments));
        count.wrong |= usize::from(is_wrong);
        count.moved |= usize::from(text.ends_with(AFTER) && call.arguments.contains("That is all"));
    }
    count.right = usize::from(n_right == 2 && calls.len() == 2);
    count
}

/// Whether arguments are those that were written, but for a character that was added to the edge of a raw value, or a blank
/// to that of any.
fn equal(arguments: &Value, wanted: &Value, damage: &Damage) -> bool {
    let (Some(have), Some(want)) = (arguments.as_object(), wanted.as_object()) else {
        return false;
    };
    let is_edge = |c: char| match damage.kind {
        Kind::CharacterDoubled => damage.with.starts_with(c) && !matches!(c, '"' | '\''),
        Kind::CharactersSwapped => c == ' ',
        Kind::QuoteInserted => c == '"',
        _ => false,
    };
    let same = |have: &Value, want: &Value| match (have.as_str(), want.as_str()) {
        (Some(have), Some(want)) => have.trim_matches(|c| c == '\n' || is_edge(c)) == want,
        _ => have == want,
    };
    have.len() == want.len()
        && want
            .iter()
            .all(|(key, value)| have.get(key).is_some_and(|have| same(have, value)))
}

/// All damages of the text outside its values.
fn damages(text: &str, dialect: &Dialect) -> Vec<Damage> {
    let mut all = Vec::new();
    let values: Vec<Range<usize>> = VALUES
        .iter()
        .flat_map(|value| {
            text.match_indices(value)
                .map(|(at, value)| at..at + value.len())
        })
        .collect();
    let is_outside = |range: &Range<usize>| {
        values
            .iter()
            .all(|value| range.end <= value.start || value.end <= range.start)
    };
    let mut put = |kind, range: Range<usize>, with: String| {
        if is_outside(&range) && text[range.clone()] != with {
            all.push(Damage { kind, range, with });
        }
    };
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() || c == '_' {
            continue;
        }
        let range = at..at + c.len_utf8();
        put(Kind::CharacterDropped, range.clone(), String::new());
        put(Kind::CharacterDoubled, range.clone(), format!("{c}{c}"));
        put(Kind::QuoteInserted, at..at, String::from("\""));
        if let Some(next) = text[range.end..].chars().next() {
            let both = at..range.end + next.len_utf8();
            put(Kind::CharactersSwapped, both, format!("{next}{c}"));
        }
    }
    for marker in markers(text, dialect) {
        put(Kind::MarkerDropped, marker.clone(), String::new());
        put(Kind::MarkerDoubled, marker.clone(), text[marker].repeat(2));
    }
    for word in words(text) {
        let letters = &text[word.clone()];
        put(Kind::WordMisspelt, word.clone(), letters[1..].into());
        put(
            Kind::WordMisspelt,
            word.clone(),
            format!("{letters}{}", &letters[letters.len() - 1..]),
        );
    }
    all
}

/// Where the dialect's literals and tags stand.
fn markers(text: &str, dialect: &Dialect) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for literal in literals(dialect) {
        let literal = literal.trim();
        if literal.len() >= 3 {
            all.extend(
                text.match_indices(literal)
                    .map(|(at, _)| at..at + literal.len()),
            );
        }
    }
    for (at, _) in text.match_indices('<') {
        if let Some(length) = text[at..].find('>') {
            all.push(at..at + length + 1);
        }
    }
    all.sort_by_key(|range| (range.start, range.end));
    all.dedup();
    all
}

/// Where words stand that are no names of tools and parameters.
fn words(text: &str) -> Vec<Range<usize>> {
    const NAMES: &[&str] = &[
        "write_file",
        "read_file",
        "path",
        "content",
        "line",
        "append",
        "note",
    ];
    let mut all = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let rest = &text[at..];
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let word = at..at + length;
        if length >= 3 && !NAMES.contains(&&text[word.clone()]) {
            all.push(word.clone());
        }
        at = word.end + text[word.end..].chars().next().map_or(0, char::len_utf8);
    }
    all
}
