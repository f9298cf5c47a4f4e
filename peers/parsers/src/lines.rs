//! The parsers as programs of `toolglot conform`: a request line, a response line (docs/conform.md).

use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};

use crate::forms;
use crate::probes;
use crate::pushes::Pushes;
use crate::readers::Reader;
use crate::reading::{Ending, Told};
use crate::tools::Tool;

/// Answers each line of standard input with the parser of that name.
///
/// # Panics
/// If a line is not a request.
pub fn answer(name: &str) {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line.expect("a line")).expect("a question");
        let mut answer = read(name, &question);
        answer["id"] = question["id"].clone();
        writeln!(out, "{answer}")
            .and_then(|()| out.flush())
            .expect("someone listens");
    }
}

fn read(name: &str, question: &Value) -> Value {
    let dialect = question["dialect"].as_str().expect("a dialect");
    let Some(form) = forms::form(dialect) else {
        return json!({"skipped": "no such dialect"});
    };
    let tools = Tool::all_of(&question["tools"]);
    let readers = probes::peers(form.names, &tools);
    let Some(reader) = readers.into_iter().find(|reader| reader.name() == name) else {
        return json!({"skipped": "no such parser"});
    };
    let chunks = question["chunks"].as_array().expect("chunks").iter();
    let chunks: Vec<&str> = chunks
        .map(|chunk| chunk.as_str().expect("a text"))
        .collect();
    let read = || events(reader.as_ref(), &chunks, form.specials);
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(events) => json!({"events": events}),
        Err(_) => json!({"error": "it panicked"}),
    }
}

fn events(reader: &dyn Reader, chunks: &[&str], specials: &[&str]) -> Vec<Value> {
    let mut events = Vec::new();
    let mut take = |told: Told<'_>| {
        events.push(match told {
            Told::Text(text) => json!({"type": "text", "text": text}),
            Told::Begin { call, name } => json!({"type": "call_start", "call": call, "name": name}),
            Told::Args { call, json } => json!({"type": "args", "call": call, "json": json}),
            Told::End {
                ending: Ending::Never,
                ..
            } => return,
            Told::End { call, .. } => json!({"type": "call_end", "call": call}),
        });
    };
    match chunks {
        [text] => reader.whole(text, &mut take),
        chunks => reader.pushed(&Pushes::of_chunks(chunks, specials), &mut take),
    }
    events
}
