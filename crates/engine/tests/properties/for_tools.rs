//! A program made for other tools reads like one compiled for them.

use std::sync::Arc;

use crate::properties::support::reading::{Cut, read};
use toolglot_engine::{Dialect, Fields, Finish, Limits, Program, Tool, ToolSet};

fn tools(names: &[&str]) -> ToolSet {
    ToolSet::new(names.iter().map(|name| Tool {
        name: (*name).to_owned(),
        parameters: Fields::default(),
    }))
}

/// Known names open an entry as a tag, as a Python call, and in bare JSON; `look` is taught where no tools are.
const DIALECTS: &str = r#"dialect tags
tools: look
call = "<" name ">" raw(path) "</" name ">"

dialect calls
call = line_start python

dialect bare
call = object(name: name, args: arguments)
"#;

const TEXT: &str = "<look>a</look> <stare>b</stare>\nlook(x=1)\nstare(x=2)\n{\"name\": \"stare\", \"arguments\": {}}\n";

#[test]
fn rules_serve_any_tools() {
    let dialects = Dialect::parse(DIALECTS, &[]).unwrap();
    let sets = [
        tools(&[]),
        tools(&["look"]),
        tools(&["stare", "look_at"]),
        tools(&["see"]),
    ];
    let calls = |program: Program| {
        let told = read(&Arc::new(program), TEXT, Cut::Whole, Finish::Stop).unwrap();
        format!("{told:?}")
    };
    let mut told = Vec::new();
    for from in &sets {
        let from = Program::compile(&dialects, from, Limits::default()).unwrap();
        for to in &sets {
            let compiled = Program::compile(&dialects, to, Limits::default()).unwrap();
            let compiled = calls(compiled);
            assert_eq!(calls(from.for_tools(to)), compiled);
            told.push(compiled);
        }
    }
    told.truncate(sets.len());
    told.sort();
    told.dedup();
    assert_eq!(
        told.len(),
        sets.len(),
        "each set reads the text in its own way"
    );
}
