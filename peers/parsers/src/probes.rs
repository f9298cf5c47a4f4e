//! Small texts that parsers get wrong: whole, one character at a time, and cut in two at every position.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde_json::{Map, Value, json};

use crate::forms::{FORMS, Form};
use crate::pushes::Pushes;
use crate::readers::{First, Names, Ours, Reader, Second, Smg, read_pushed, read_whole};
use crate::reading::Reading;
use crate::table::{cell, share};
use crate::tools::Tool;

/// A probe in a dialect.
struct Probe {
    name: String,
    text: String,
    calls: Vec<(String, Value)>,
    content: String,
    /// Whether the unparsed text is an equally good answer.
    may_be_text: bool,
}

/// The results of one reader's probes.
#[derive(Default)]
struct Tally {
    probes: usize,
    whole: usize,
    chars: usize,
    splits: usize,
    differ: usize,
    uncut: usize,
    panics: usize,
}

/// The tools of the probes.
pub fn tools() -> Vec<Tool> {
    let tool = |name: &str, properties: Value| Tool {
        name: name.to_owned(),
        parameters: json!({"type": "object", "properties": properties}),
    };
    let text = json!({"type": "string"});
    vec![
        tool("get_weather", json!({"city": text, "unit": text})),
        tool("save_note", json!({"text": text, "tag": text})),
        tool("ping", json!({})),
        tool("find-pages", json!({"city": text})),
        tool(
            "fill_form",
            json!({
                "share": {"type": "number"},
                "count": {"type": "integer"},
                "ok": {"type": "boolean"},
                "items": {"type": "array", "items": text},
                "box": {"type": "object"},
                "text": text,
            }),
        ),
    ]
}

/// Runs all probes and writes the tables.
pub fn run(step: usize) -> String {
    let all = Ours::all(&tools());
    let mut tallies: Vec<(String, Tally)> = Vec::new();
    let mut faults = String::new();
    for form in FORMS {
        for reader in readers(form, &all) {
            let at = match tallies.iter().position(|(name, _)| name == reader.name()) {
                Some(at) => at,
                None => {
                    tallies.push((reader.name().to_owned(), Tally::default()));
                    tallies.len() - 1
                }
            };
            for probe in probes(form) {
                let row = judge(&*reader, &probe, step, &mut tallies[at].1);
                if let Some(row) = row {
                    let _ = writeln!(
                        faults,
                        "| `{}` | {} | {} | {row} |",
                        form.dialect,
                        probe.name,
                        reader.name()
                    );
                }
            }
        }
        eprint!(".");
    }
    let mut out = String::from(
        "Each parser reads each probe in each dialect that it has. *Right* = the calls by value and the text around them, blanks aside; *splits* = cuts in two pieces at every character, compared with the parser's own whole reading.\n\n\
         | | probes | right, whole | right, a character a push | no split differs | splits | that differ | panics |\n|---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for (name, tally) in &tallies {
        let _ = writeln!(
            out,
            "| {name} | {} | {} | {} | {} | {} | {} | {} |",
            tally.probes,
            share(tally.whole, tally.probes),
            share(tally.chars, tally.probes),
            share(tally.uncut, tally.probes),
            tally.splits,
            share(tally.differ, tally.splits),
            tally.panics
        );
    }
    let _ = write!(
        out,
        "\nWhat is not right, or differs when it is cut:\n\n| dialect | probe | parser | whole | a character a push | splits that differ |\n|---|---|---|---|---|--:|\n{faults}"
    );
    out
}

/// All readers of a dialect, toolglot first.
pub fn readers(form: &Form, all: &Ours) -> Vec<Box<dyn Reader>> {
    let tools = tools();
    let mut readers: Vec<Box<dyn Reader>> = vec![
        Box::new(Ours::one(form.dialect, &tools)),
        Box::new(all.again()),
    ];
    readers.extend(peers(form.names, &tools));
    readers
}

/// The other parsers that have the dialect.
pub fn peers(names: Names, tools: &[Tool]) -> Vec<Box<dyn Reader>> {
    let mut readers: Vec<Box<dyn Reader>> = Vec::new();
    if let Some(name) = names.smg {
        readers.push(Box::new(Smg::new(name, tools)));
    }
    if let Some(name) = names.first {
        readers.push(Box::new(First::new(name, tools)));
    }
    if let Some(name) = names.second {
        readers.push(Box::new(Second::new(name, tools)));
    }
    readers
}

/// The cells of a reader's row, unless all its probes are correct.
fn judge(reader: &dyn Reader, probe: &Probe, step: usize, tally: &mut Tally) -> Option<String> {
    let fault = |reading: &Option<Reading>| match reading {
        None => Some("panic".to_owned()),
        Some(reading) => {
            let fault = reading.fault(&probe.calls, &probe.content);
            let as_text = probe.may_be_text && reading.fault(&[], &probe.text).is_none();
            fault.filter(|_| !as_text)
        }
    };
    let whole = caught(|| read_whole(reader, &probe.text));
    let chars = caught(|| read_pushed(reader, &Pushes::of_size(&probe.text, 1, &[])));
    let (mut splits, mut differ, mut panics) = (0, 0, 0);
    panics += usize::from(whole.is_none()) + usize::from(chars.is_none());
    for (at, _) in probe.text.char_indices().skip(1).step_by(step) {
        let split = caught(|| read_pushed(reader, &Pushes::split_at(&probe.text, at)));
        splits += 1;
        panics += usize::from(split.is_none());
        let is_same = match (&split, &whole) {
            (Some(split), Some(whole)) => split.equals(whole),
            _ => false,
        };
        differ += usize::from(!is_same);
    }
    let (whole, chars) = (fault(&whole), fault(&chars));
    tally.probes += 1;
    tally.whole += usize::from(whole.is_none());
    tally.chars += usize::from(chars.is_none());
    tally.uncut += usize::from(differ == 0);
    tally.splits += splits;
    tally.differ += differ;
    tally.panics += panics;
    (whole.is_some() || chars.is_some() || differ > 0).then(|| {
        let say = |fault: Option<String>| fault.map_or("right".to_owned(), |fault| cell(&fault));
        format!("{} | {} | {differ} of {splits}", say(whole), say(chars))
    })
}

/// The result of `work`, unless it panics.
pub fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    IS_GUARDED.store(true, Relaxed);
    let given = catch_unwind(AssertUnwindSafe(work)).ok();
    IS_GUARDED.store(false, Relaxed);
    given
}

/// Hides the messages of parser panics, which would flood the tables; the panics are counted. Other panics are shown.
pub fn hush() {
    let show = take_hook();
    set_hook(Box::new(move |info| {
        if !IS_GUARDED.load(Relaxed) {
            show(info);
        }
    }));
}

static IS_GUARDED: AtomicBool = AtomicBool::new(false);

/// The probes that make sense in a dialect.
fn probes(form: &Form) -> Vec<Probe> {
    let list: Vec<Value> =
        serde_json::from_str(include_str!("../data/probes.json")).expect("the probes are JSON");
    list.iter()
        .filter(|probe| match probe["only"].as_str() {
            Some("own_blocks") => form.has_own_blocks(),
            Some("opener") => !form.opener.is_empty(),
            Some("closer") => !form.closer.is_empty(),
            Some("json") => form.is_json(),
            Some(other) => panic!("a probe is only for {other:?}"),
            None => true,
        })
        .map(|probe| write(form, probe))
        .collect()
}

fn write(form: &Form, probe: &Value) -> Probe {
    let name = probe["name"].as_str().expect("a name").to_owned();
    let is_ascii = name == "escapes";
    let mut written = Probe {
        may_be_text: form.is_bare && name == "unknown tool",
        name,
        text: String::new(),
        calls: Vec::new(),
        content: String::new(),
    };
    for part in probe["text"].as_array().expect("a list") {
        if let Some(text) = part.as_str() {
            let text = text.replace("{opener}", form.opener);
            written.text.push_str(&text);
            written.content.push_str(&text);
            continue;
        }
        let calls: Vec<(String, Map<String, Value>)> = part["calls"]
            .as_array()
            .expect("text or calls")
            .iter()
            .map(|call| {
                let name = call[0].as_str().expect("a name").to_owned();
                let arguments = filled(&call[1], form);
                (name, arguments.as_object().expect("an object").clone())
            })
            .collect();
        let borrowed: Vec<(&str, &Map<String, Value>)> = calls
            .iter()
            .map(|(name, arguments)| (name.as_str(), arguments))
            .collect();
        let block = form.block(&borrowed);
        written
            .text
            .push_str(&if is_ascii { ascii(&block, form) } else { block });
        written.calls.extend(
            calls
                .into_iter()
                .map(|(name, map)| (name, Value::Object(map))),
        );
    }
    written
}

/// Replaces placeholders by the dialect's markers, and `{"$nest": n}` by n objects.
fn filled(value: &Value, form: &Form) -> Value {
    match value {
        Value::String(text) => text
            .replace("{opener}", form.opener)
            .replace("{closer}", form.closer)
            .into(),
        Value::Object(members) => {
            if let Some(levels) = members.get("$nest").and_then(Value::as_u64) {
                return (0..levels).fold(json!({}), |inner, _| json!({"k": inner}));
            }
            members
                .iter()
                .map(|(key, value)| (key.clone(), filled(value, form)))
                .collect::<Map<_, _>>()
                .into()
        }
        other => other.clone(),
    }
}

/// Escapes the non-ASCII letters of the arguments with `\u`; markers stay as they are.
fn ascii(text: &str, form: &Form) -> String {
    let Some(start) = text.find("{\"text\"") else {
        return text.to_owned();
    };
    let end = text
        .rfind("\"tag\"")
        .filter(|_| form.is_json())
        .unwrap_or(start);
    let mut out = text[..start].to_owned();
    for unit in text[start..end].encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out.push_str(&text[end..]);
    out
}
