//! A message in pieces: spans tile, arguments are JSON, and the cut does not matter.
//!
//! The first byte of the input chooses the program, the second one how the message ends and is cut, the rest is the
//! message.
#![no_main]

use std::sync::{Arc, OnceLock};

use libfuzzer_sys::fuzz_target;
use toolglot::{Dialect, Fields, Finish, Limits, Program, Scalars, Shape, Tool, ToolSet};

#[path = "../../crates/toolglot/tests/support/mod.rs"]
#[allow(dead_code)]
mod support;

fuzz_target!(|data: &[u8]| {
    let [which, how, text @ ..] = data else { return };
    let Ok(text) = core::str::from_utf8(text) else { return };
    let programs = programs();
    let program = &programs[usize::from(*which) % programs.len()];
    let why = [Finish::Stop, Finish::Unknown, Finish::Length][usize::from(*how) % 3];
    if let Err(fault) = support::reading::read_all_ways(program, text, u64::from(*how) * 0x9e37_79b9, why) {
        panic!("{fault}");
    }
});

/// Each dialect alone and all of them, without tools and with some.
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
        all
    })
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
