//! Requirements for every dialect: rules that compile, and cases of each kind.

use std::collections::BTreeSet;

use toolglot_engine::{Limits, Program, ToolSet};

use crate::cases::documents;

/// The files of cases that each dialect has; a dialect without calls has the first three.
const KINDS: &[&str] = &[
    "plain_text",
    "look_alike",
    "truncated",
    "one_call",
    "several_calls",
    "text_around",
    "malformed",
];

#[test]
fn every_dialect_compiles_alone() {
    for dialect in toolglot_dialects::all() {
        let program = Program::compile(
            std::slice::from_ref(dialect),
            &ToolSet::default(),
            Limits::default(),
        );
        assert!(program.is_ok(), "{}: {program:?}", dialect.name());
    }
}

#[test]
fn all_dialects_compile_together() {
    for tools in [ToolSet::default(), toolglot_toolset::roo_names()] {
        let program = Program::compile(toolglot_dialects::all(), &tools, Limits::default());
        assert!(program.is_ok(), "{program:?}");
    }
}

#[test]
fn every_dialect_says_where_it_comes_from() {
    for dialect in toolglot_dialects::all() {
        let name = dialect.name();
        assert!(dialect.setting("models").is_some(), "{name}");
        let source = dialect.setting("source").unwrap_or_default();
        // The month in which the source was read.
        let month = source.rsplit_once(", 20").map_or("", |(_, month)| month);
        let is_month = month.len() == 5 && month.as_bytes()[2] == b'-';
        assert!(is_month || name == "chat", "{name}: `source: {source}`");
    }
}

#[test]
fn every_dialect_has_cases_of_every_kind() {
    let have: BTreeSet<_> = documents::all().into_iter().map(|case| case.file).collect();
    for dialect in toolglot_dialects::all() {
        let calls = dialect.name() != "chat";
        for kind in &KINDS[..if calls { KINDS.len() } else { 3 }] {
            let file = documents::dialects()
                .join(dialect.name())
                .join("cases")
                .join(format!("{kind}.md"));
            assert!(have.contains(&file), "{} holds no case", file.display());
        }
    }
}
