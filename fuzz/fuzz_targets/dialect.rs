//! A dialect file, and a message that its program reads. A zero byte separates the two.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use toolglot_engine::{CallText, Dialect, Finish, Limits, Program, ToolSet, render};

#[path = "../../crates/engine/tests/support/mod.rs"]
#[allow(dead_code)]
mod support;

fuzz_target!(|data: &[u8]| {
    let Ok(data) = core::str::from_utf8(data) else { return };
    let (file, text) = data.split_once('\0').unwrap_or((data, "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call>"));
    let Ok(dialects) = Dialect::parse(file, toolglot_dialects::all()) else { return };
    let Ok(program) = Program::compile(&dialects, &ToolSet::default(), Limits::default()) else { return };
    if let Err(fault) = support::reading::read_all_ways(&Arc::new(program), text, 7, Finish::Unknown) {
        panic!("{fault}");
    }
    for dialect in dialects.iter().take(1) {
        let call = CallText { name: "f", arguments: "{\"a\":\"<x>\",\"b\":[1]}", server: None, id: None };
        let _ = render(dialect, &ToolSet::default(), &[call]);
    }
});
