//! The documents that contain cases: `dialects/*/cases/`, and the documentation.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use toolglot_dialect_check::{Case, ProgramError};
use toolglot_engine::{Program, ToolSet};

/// A case, and the document that contains it.
#[derive(Debug)]
pub(crate) struct DocumentCase {
    pub(crate) file: PathBuf,
    pub(crate) case: Case,
}

impl DocumentCase {
    /// The place of the case, for people.
    pub(crate) fn place(&self) -> String {
        let (file, line) = (self.file.display(), self.case.line);
        format!("{file}:{line} {}", self.case.title)
    }
}

/// All cases of the package and of the documentation, in order of path.
pub(crate) fn all() -> Vec<DocumentCase> {
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

/// Compares a file that is generated from the data with `text`. With `TOOLGLOT_BLESS` it is written first.
pub(crate) fn assert_up_to_date(path: &str, text: &str) {
    let file = root().join(path);
    if env::var_os("TOOLGLOT_BLESS").is_some() {
        fs::write(&file, text).expect("the file can be written");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == text,
        "{path} is not up to date: TOOLGLOT_BLESS=1 writes it"
    );
}

/// The program of a case.
pub(crate) fn program(case: &Case) -> Result<Arc<Program>, ProgramError> {
    case.program(|name| Ok(toolglot_chat::dialect_named(name)?.clone()))
}

/// The tools of a case.
///
/// # Panics
/// If they are invalid.
pub(crate) fn tools(case: &Case) -> ToolSet {
    let toolbox = case.toolbox().expect("it is checked when it is read");
    toolbox
        .map(|toolbox| toolbox.tool_set())
        .unwrap_or_default()
}

/// The Markdown files below a folder, in order of path.
fn files(folder: &Path) -> Vec<PathBuf> {
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

/// The cases of a document; a case that names no dialect belongs to `dialect`.
fn of_file(file: &Path, dialect: Option<&str>) -> Vec<DocumentCase> {
    let document =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let cases = toolglot_dialect_check::cases(&document, dialect)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let located = cases.into_iter().map(|case| DocumentCase {
        file: file.to_path_buf(),
        case,
    });
    located.collect()
}
