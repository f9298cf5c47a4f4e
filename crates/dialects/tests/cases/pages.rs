//! The documentation holds together: links lead somewhere, and every code of a note has its entry.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use toolglot_engine::Code;

use crate::cases::case::{files, root};
use crate::cases::markdown::{Block, blocks};

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

#[test]
fn links_lead_to_files_and_headings() {
    let mut broken = Vec::new();
    for page in files(&root().join("docs")) {
        let text = fs::read_to_string(&page).expect("it was listed");
        for target in targets(&text) {
            let (file, heading) = target
                .split_once('#')
                .map_or((target, None), |(file, heading)| (file, Some(heading)));
            let path = if file.is_empty() {
                page.clone()
            } else {
                page.parent().expect("docs").join(file)
            };
            if !path.exists() || heading.is_some_and(|heading| !anchors(&path).contains(heading)) {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

/// The targets of links inside the repository, outside of fences.
fn targets(text: &str) -> Vec<&str> {
    let lines = blocks(text).into_iter().filter_map(|block| match block {
        Block::Prose(line) => Some(line),
        _ => None,
    });
    lines
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| !target.starts_with("http"))
        .collect()
}

fn anchors(page: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(page).expect("it exists");
    let headings = blocks(&text).into_iter().filter_map(|block| match block {
        Block::Heading { title, .. } => Some(anchor(title)),
        _ => None,
    });
    headings.collect()
}

/// The anchor that a heading gets in a rendered page.
fn anchor(title: &str) -> String {
    let kept = title
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}
