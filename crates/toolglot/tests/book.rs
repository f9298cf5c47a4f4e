//! Checks the documents against the repository: links resolve, figures match the code, the picture matches its tables,
//! and the book contains every page.

#[path = "../examples/picture.rs"]
#[expect(
    dead_code,
    reason = "the example writes the file, the test only draws it"
)]
mod picture;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::{env, fs};

fn repository() -> PathBuf {
    normal(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The path without `.` and `..`, without following links.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

#[test]
fn the_picture_is_drawn_from_the_tables() {
    let docs = repository().join("docs");
    let drawn = picture::draw(&read(&docs.join("compare.md"))).expect("the tables are there");
    if env::var_os("TOOLGLOT_BLESS").is_some() {
        fs::write(docs.join("peers.svg"), &drawn).expect("the folder is writable");
    }
    assert!(
        read(&docs.join("peers.svg")) == drawn,
        "docs/peers.svg is of other tables: run `cargo run -p toolglot --example picture`"
    );
}

#[test]
fn links_lead_somewhere() {
    let repository = repository();
    let mut pages = Pages::default();
    let mut broken = Vec::new();
    let mut n_links = 0;
    for file in documents(&repository) {
        let text = read(&file);
        let shown = file.strip_prefix(&repository).unwrap_or(&file).to_owned();
        for (line, link) in links(&text) {
            n_links += 1;
            if let Some(reason) = pages.broken(&file, link) {
                broken.push(format!("{}:{line}: {link}: {reason}", shown.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(n_links > 300, "only {n_links} links were found");
}

#[test]
fn the_book_holds_every_page() {
    let docs = repository().join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    let listed: BTreeSet<PathBuf> = links(&summary)
        .map(|(_, link)| normal(&docs.join(link)))
        .collect();
    let mut pages: BTreeSet<PathBuf> = BTreeSet::new();
    for folder in [docs.clone(), docs.join("formats")] {
        let entries = fs::read_dir(folder).expect("the folder is there");
        let files = entries.map(|entry| entry.expect("it can be read").path());
        pages.extend(files.filter(|file| is_markdown(file) && !file.ends_with("SUMMARY.md")));
    }
    assert_eq!(listed, pages);
}

/// Figures in the documents that the code can compute.
#[test]
fn figures_are_those_of_the_code() {
    let count =
        |text: &str, start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    let repository = repository();
    let notes = count(&read(&repository.join("docs/notes.md")), "### N");
    let dialects = toolglot_dialects::all().len();
    let attacks = fs::read_dir(repository.join("crates/toolglot/tests/attacks/rows"))
        .expect("the folder is there")
        .map(|file| count(&read(&file.expect("it can be read").path()), "[[row]]"))
        .sum::<usize>();
    let compare = read(&repository.join("docs/compare.md"));
    let (_, probes) = compare
        .split_once("\n| toolglot | ")
        .expect("the table of probes is there");
    let (probes, _) = probes.split_once(' ').expect("a row has cells");
    let architecture = read(&repository.join("docs/architecture.md"));
    let crates = fs::read_dir(repository.join("crates")).expect("the folder is there");
    for folder in crates {
        let folder = folder.expect("it can be read").path();
        let manifest = read(&folder.join("Cargo.toml"));
        let (_, rest) = manifest
            .split_once("\nname = \"")
            .expect("a crate has a name");
        let (name, _) = rest.split_once('"').expect("a name ends");
        assert!(
            architecture.contains(&format!("\n| `{name}` |")),
            "docs/architecture.md says nothing of {name}"
        );
    }
    let rows = [
        ("CHANGELOG.md", format!("in {dialects} dialects")),
        ("docs/README.md", format!("{dialects} dialects")),
        ("docs/README.md", format!("{notes} notes")),
        (
            "docs/security.md",
            format!("{attacks} attacks and controls"),
        ),
        ("README.md", format!("{probes} short hard texts")),
    ];
    let wrong: Vec<String> = rows
        .into_iter()
        .filter(|(file, phrase)| !read(&repository.join(file)).contains(phrase.as_str()))
        .map(|(file, phrase)| format!("{file} does not say `{phrase}`"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let lines = read(&repository.join("README.md")).lines().count();
    assert!(lines <= 150, "README.md has {lines} lines");
}

/// The code of guides is the code of examples, which are compiled and run: `example=FILE` names one.
#[test]
fn code_of_guides_stands_in_examples() {
    let repository = repository();
    let mut n_blocks = 0;
    for file in documents(&repository.join("docs")) {
        let page = read(&file);
        for block in page.split("\n```rust example=").skip(1) {
            let (example, code) = block.split_once('\n').expect("a fence has lines");
            let (code, _) = code.split_once("\n```\n").expect("a fence ends");
            assert!(
                read(&repository.join(example)).contains(code),
                "{}: this is not in {example}:\n{code}",
                file.display()
            );
            n_blocks += 1;
        }
    }
    assert!(n_blocks > 4, "only {n_blocks} blocks were found");
}

/// Files that a page names in code exist. In the map, the second cell of a row names files below `crates/`, each
/// further file beside the previous one; elsewhere, paths are whole.
#[test]
fn files_that_are_named_are_there() {
    let repository = repository();
    let crates = repository.join("crates");
    let mut missing = Vec::new();
    let map = read(&repository.join("docs/architecture.md"));
    let (_, map) = map
        .split_once("\n## Where to look\n")
        .expect("the map is there");
    for row in map.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let cell = row.split('|').nth(2).expect("a row has two cells");
        let mut folder = crates.clone();
        for name in cell.split('`').skip(1).step_by(2) {
            let name = if name.contains("/src/") {
                crates.join(name)
            } else {
                folder.join(name)
            };
            folder = name.parent().expect("a file is in a folder").to_owned();
            if !name.exists() {
                missing.push(name);
            }
        }
    }
    for page in ["CONTRIBUTING.md", "docs/security.md"] {
        let text = read(&repository.join(page));
        for (_, line) in prose(&text) {
            let names = line.split('`').skip(1).step_by(2);
            let names = names.filter(|name| name.starts_with("crates/") && !name.contains("NAME"));
            let names = names.map(|name| repository.join(name));
            missing.extend(names.filter(|name| !name.exists()));
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

fn is_markdown(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "md")
}

/// All Markdown files except build output. If a file is in two places, the one in `docs/` counts.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.unwrap_or_default();
            if path.is_dir() && !path.is_symlink() {
                if !name.starts_with('.') && name != "target" && name != "book" {
                    waiting.push(path);
                }
            } else if is_markdown(&path) && !path.ends_with("crates/toolglot/notes.md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The lines outside of fences, with their numbers.
pub(crate) fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let start = line.trim_start();
        let ticks = &start[..start.len() - start.trim_start_matches('`').len()];
        match fence {
            Some(open) if ticks.len() >= open.len() && start.len() == ticks.len() => fence = None,
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => return Some((index + 1, line)),
            Some(_) => {}
        }
        None
    })
}

/// The targets of links and pictures, with their lines.
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).flat_map(|(number, line)| {
        let mut found = Vec::new();
        let mut rest = line;
        // Code spans hold no links.
        while let Some(at) = rest.find(['`', ']']) {
            let (sign, tail) = rest[at..].split_at(1);
            rest = tail;
            if sign == "`" {
                let n_ticks = 1 + tail.len() - tail.trim_start_matches('`').len();
                let close = "`".repeat(n_ticks);
                if let Some(end) = tail[n_ticks - 1..].find(&close) {
                    rest = &tail[n_ticks - 1 + end + n_ticks..];
                }
            } else if let Some((link, tail)) =
                tail.strip_prefix('(').and_then(|t| t.split_once(')'))
            {
                found.push((number, link));
                rest = tail;
            }
        }
        found
    })
}

/// The anchors of the pages that were read.
#[derive(Default)]
struct Pages(BTreeMap<PathBuf, BTreeSet<String>>);

impl Pages {
    /// Why a link of this file leads nowhere.
    fn broken(&mut self, file: &Path, link: &str) -> Option<&'static str> {
        if link.contains("://") || link.starts_with("mailto:") {
            return None;
        }
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let folder = file.parent().expect("a file is in a folder");
        let target = match path {
            "" => file.to_owned(),
            path => normal(&folder.join(path)),
        };
        if !target.exists() {
            return Some("no such file");
        }
        let has_anchor = anchor.is_empty() || !is_markdown(&target) || {
            let anchors = self.0.entry(target.clone());
            anchors
                .or_insert_with(|| anchors_of(&read(&target)))
                .contains(anchor)
        };
        (!has_anchor).then_some("no such heading")
    }
}

/// The anchors of the headings of a page, as GitHub and mdBook make them.
fn anchors_of(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(text) {
        let heading = line.trim_start_matches('#');
        if heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let letters = heading.trim().chars().filter_map(|letter| match letter {
            ' ' => Some('-'),
            letter if letter.is_alphanumeric() || "-_".contains(letter) => Some(letter),
            _ => None,
        });
        let anchor = letters.collect::<String>().to_lowercase();
        let again = (1..).map(|n| format!("{anchor}-{n}"));
        let mut names = std::iter::once(anchor.clone()).chain(again);
        let free = names.find(|name| !found.contains(name));
        found.extend(free);
    }
    found
}
