//! A message in pieces: spans tile, arguments are JSON, and the cut does not matter.
//!
//! The first byte of the input and the highest bit of the second choose the program. The second byte also chooses how
//! the message ends and is cut; the rest is the message. Text between the bytes 1 and 2 comes as a special token.
#![no_main]

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use libfuzzer_sys::fuzz_target;
use toolglot_engine::{Dialect, Fields, Finish, Limits, Program, Scalars, Shape, Tool, ToolSet};

use support::reading::{Message, read_all_ways};

#[path = "../../crates/engine/tests/support/mod.rs"]
#[allow(dead_code)]
mod support;

fuzz_target!(|data: &[u8]| {
    let [which, how, text @ ..] = data else { return };
    let Ok(text) = core::str::from_utf8(text) else { return };
    let programs = programs();
    let which = (usize::from(*how >> 7) << 8 | usize::from(*which)) % programs.len();
    let program = &programs[which];
    let why = [Finish::Stop, Finish::Unknown, Finish::Length][usize::from(*how) % 3];
    let (text, tokens) = marked(text);
    let has_strings = which >= 2 + 2 * toolglot_dialects::all().len();
    let message = Message { text: &text, tokens: &tokens, has_strings };
    if let Err(fault) = read_all_ways(program, message, u64::from(*how) * 0x9e37_79b9, why) {
        panic!("{fault}");
    }
});

/// The message without the bytes around its special tokens, and the spans of these tokens.
fn marked(text: &str) -> (String, Vec<Range<usize>>) {
    let (mut message, mut tokens) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1}')
        && let Some((token, after)) = after.split_once('\u{2}')
    {
        message.push_str(before);
        let start = message.len();
        message.push_str(token);
        if !token.is_empty() {
            tokens.push(start..message.len());
        }
        rest = after;
    }
    message.push_str(rest);
    (message, tokens)
}

/// Each dialect alone and all of them, without tools and with some; and formats with words that no shipped dialect has.
fn programs() -> &'static [Arc<Program>] {
    static ALL: OnceLock<Vec<Arc<Program>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let dialects = toolglot_dialects::all();
        let mut all = Vec::new();
        for tools in [ToolSet::default(), tools()] {
            let mut compile = |dialects: &[Dialect]| {
                all.push(Arc::new(Program::compile(dialects, &tools, Limits::default()).expect("the dialects compile")));
            };
            compile(dialects);
            dialects.iter().for_each(|dialect| compile(core::slice::from_ref(dialect)));
        }
        for dialect in formats() {
            all.push(Arc::new(Program::compile(&[dialect], &tools(), Limits::default()).expect("it compiles")));
        }
        // Nine bits choose: a later program would never run.
        assert!(all.len() <= 512);
        all
    })
}

/// The formats of the cases, by name.
fn formats() -> Vec<Dialect> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/dialect-check/tests/formats");
    let files = std::fs::read_dir(folder).expect("the folder of the formats");
    let paths = files.map(|file| file.expect("a file").path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "dialect")).collect();
    paths.sort();
    let files = paths.iter().map(|path| std::fs::read_to_string(path).expect("a file"));
    files.flat_map(|file| toolglot_dialects::parse(&file).expect("a dialect")).collect()
}

fn tools() -> ToolSet {
    let integer = || Shape::Scalar(Scalars { integer: true, ..Scalars::default() });
    let edit = Shape::Object(Fields { properties: vec![("s".into(), Shape::Text), ("n".into(), integer())], others: None });
    let properties = vec![
        ("text".into(), Shape::Text),
        ("path".into(), Shape::Text),
        ("content".into(), Shape::Text),
        ("command".into(), Shape::Text),
        ("n".into(), integer()),
        ("edits".into(), Shape::Array(Box::new(edit.clone()))),
        ("o".into(), edit),
        ("either".into(), Shape::OneOf(vec![Shape::Text, integer()])),
    ];
    let tool = |name: &str| Tool { name: name.into(), parameters: Fields { properties: properties.clone(), others: None } };
    ToolSet::new(["f", "now", "read_file", "write_file", "execute_command"].map(tool))
}
