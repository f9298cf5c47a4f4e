//! Every note code has its entry in the documentation.

use std::fs;

use toolglot_dialect_check::markdown::{Block, blocks};
use toolglot_engine::Code;

use crate::cases::documents::root;

#[test]
fn every_code_has_an_entry_and_none_is_invented() {
    let page = fs::read_to_string(root().join("docs/notes.md")).expect("docs/notes.md is there");
    let entries: Vec<String> = blocks(&page)
        .into_iter()
        .filter_map(|block| match block {
            Block::Heading { level: 3, title } => Some(title.to_owned()),
            _ => None,
        })
        .collect();
    let codes: Vec<String> = Code::ALL
        .iter()
        .map(|code| format!("N{:03} {}", code.number(), code.name()))
        .collect();
    assert_eq!(entries, codes);
}
