//! A case: an input, how it is read, and the events that are expected. `docs/notation.md` describes the format.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toolglot_engine::{Finish, InCode, InReasoning};

use crate::cases::markdown::{Block, Fence, blocks};

/// One case of a document.
#[derive(Debug)]
pub(crate) struct Case {
    /// The document.
    pub(crate) file: PathBuf,
    /// The heading it stands under.
    pub(crate) title: String,
    /// The line of its input.
    pub(crate) line: usize,
    /// How the input is read.
    pub(crate) manner: Manner,
    /// JSON of a tool set, or `builtin:NAME`.
    pub(crate) tools: Option<String>,
    /// The model's text.
    pub(crate) input: Vec<Part>,
    /// The expected events.
    pub(crate) expected: String,
    /// The bytes of the expected events in the document.
    pub(crate) body: Range<usize>,
}

/// A part of the model's text.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) text: String,
    /// It came as a special token.
    pub(crate) special: bool,
}

/// The words behind `input`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manner {
    /// Names of dialects.
    pub(crate) dialects: Vec<String>,
    /// Why the model stopped.
    pub(crate) finish: Finish,
    /// What becomes of a call in quoted code.
    pub(crate) in_code: InCode,
    /// What becomes of a call in reasoning.
    pub(crate) in_reasoning: InReasoning,
    /// The message begins inside reasoning.
    pub(crate) reasoning_open: bool,
    /// `\n`, `\r`, `\t`, `\\` and `\u{..}` stand for characters, `\s{..}` for a special token.
    escaped: bool,
}

/// All cases of the package, and those of the documentation, in order of path.
pub(crate) fn all() -> Vec<Case> {
    let root = root();
    let mut cases = Vec::new();
    for file in files(&dialects()) {
        let folder = file
            .parent()
            .and_then(Path::parent)
            .and_then(Path::file_name);
        let dialect = folder
            .and_then(|name| name.to_str())
            .expect("dialects/NAME/cases/FILE");
        cases.extend(of_file(&file, Some(dialect)));
    }
    for file in files(&root.join("docs")) {
        cases.extend(of_file(&file, None));
    }
    cases
}

/// The folder of all dialects.
pub(crate) fn dialects() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("dialects")
}

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("crates/dialects");
    crates.parent().expect("crates").to_path_buf()
}

/// The Markdown files below a folder, in order of path.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The cases of a document; `dialect` reads those that name none.
fn of_file(file: &Path, dialect: Option<&str>) -> Vec<Case> {
    let document =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut cases = Vec::new();
    let mut title = String::new();
    let mut has_sentence = false;
    let mut tools: Option<String> = None;
    let mut input: Option<Fence<'_>> = None;
    for block in blocks(&document) {
        match block {
            Block::Heading { title: heading, .. } => {
                heading.clone_into(&mut title);
                (has_sentence, tools) = (false, None);
            }
            Block::Prose => has_sentence = true,
            Block::Fence(fence) => {
                let place = format!("{}:{}", file.display(), fence.line);
                match fence.info.split(' ').next() {
                    Some("tools") => tools = Some(fence.text.to_owned()),
                    Some("input") => {
                        assert!(input.is_none(), "{place}: the input before has no events");
                        assert!(
                            has_sentence,
                            "{place}: a sentence must say what the case pins"
                        );
                        input = Some(fence);
                    }
                    Some("events") => {
                        let input = input
                            .take()
                            .unwrap_or_else(|| panic!("{place}: events without an input"));
                        let manner = Manner::read(input.info, dialect)
                            .unwrap_or_else(|error| panic!("{place}: {error}"));
                        cases.push(Case {
                            file: file.to_path_buf(),
                            title: title.clone(),
                            line: input.line,
                            input: if manner.escaped {
                                unescaped(input.text)
                            } else {
                                vec![Part::plain(input.text)]
                            },
                            manner,
                            tools: tools.clone(),
                            expected: fence.text.to_owned(),
                            body: fence.body,
                        });
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(
        input.is_none(),
        "{}: the last input has no events",
        file.display()
    );
    cases
}

impl Manner {
    fn read(info: &str, dialect: Option<&str>) -> Result<Manner, String> {
        let mut manner = Manner {
            dialects: dialect.map(str::to_owned).into_iter().collect(),
            ..Manner::default()
        };
        for word in info.split_whitespace().skip(1) {
            match word.split_once('=').unwrap_or((word, "")) {
                ("dialect", names) => {
                    manner.dialects = names.split(',').map(str::to_owned).collect();
                }
                ("finish", "stop") => manner.finish = Finish::Stop,
                ("finish", "length") => manner.finish = Finish::Length,
                ("finish", "unknown") => manner.finish = Finish::Unknown,
                ("code", "accept") => manner.in_code = InCode::Accept,
                ("reasoning", "accept") => manner.in_reasoning = InReasoning::Accept,
                ("reasoning", "open") => manner.reasoning_open = true,
                ("escaped", "") => manner.escaped = true,
                _ => return Err(format!("`{word}` is no word of an input")),
            }
        }
        if manner.dialects.is_empty() {
            return Err(
                "an input outside `dialects/` names its dialect: `input dialect=hermes`".to_owned(),
            );
        }
        Ok(manner)
    }
}

impl Part {
    fn plain(text: &str) -> Part {
        Part {
            text: text.to_owned(),
            special: false,
        }
    }
}

/// Reads the escapes of an `escaped` input. A line break is written, so the one in the document does not count.
fn unescaped(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars().filter(|&c| c != '\n');
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        let escape = chars.next();
        let mut inside = || {
            chars
                .by_ref()
                .skip(1)
                .take_while(|&c| c != '}')
                .collect::<String>()
        };
        match escape {
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('t') => plain.push('\t'),
            Some('\\') => plain.push('\\'),
            Some('u') => {
                let hex = inside();
                let code = u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32);
                plain.push(code.unwrap_or_else(|| panic!("`\\u{{{hex}}}` is no character")));
            }
            Some('s') => {
                parts.push(Part::plain(&std::mem::take(&mut plain)));
                parts.push(Part {
                    text: inside(),
                    special: true,
                });
            }
            other => panic!("a backslash before {other:?}"),
        }
    }
    parts.push(Part::plain(&plain));
    parts
}
