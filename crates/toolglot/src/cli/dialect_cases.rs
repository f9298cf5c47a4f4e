//! `toolglot dialects test`: the cases of a folder.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use toolglot_chat::dialect_named;
use toolglot_dialect_check::{Case, ProgramError, bless, difference};
use toolglot_engine::Dialect;

use crate::cli::failure::Failure;
use crate::cli::human::screen::{ColorScreen, harmless};
use crate::cli::outcome::Outcome;
use crate::cli::{dialect_file, source};

/// A Markdown file with cases.
struct Document {
    path: PathBuf,
    text: String,
    cases: Vec<Case>,
}

/// Runs the cases of `folder`. With `is_blessed`, it writes the events that it finds into their files.
pub(crate) fn run(
    folder: &Path,
    is_blessed: bool,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let dialects = own_dialects(folder)?;
    let documents = documents(folder, &dialects)?;
    let n_cases: usize = documents.iter().map(|document| document.cases.len()).sum();
    if n_cases == 0 {
        return Err(Failure::NoCases(folder.to_owned()));
    }
    let mut screen = ColorScreen(out);
    let (mut n_failed, mut n_written) = (0, 0);
    for document in &documents {
        let mut found = Vec::new();
        for case in &document.cases {
            let report = match events(case, &dialects) {
                Ok(events) if case.expected.as_ref() == Some(&events) => continue,
                Ok(events) => {
                    let report = match &case.expected {
                        Some(expected) => difference(expected, &events),
                        None => "  it has no events: write a block `events` after the input, or add `--bless`\n".to_owned(),
                    };
                    found.push((case, events));
                    if is_blessed {
                        continue;
                    }
                    report
                }
                Err(error) => format!("  {error}\n"),
            };
            n_failed += 1;
            let (name, line, title) = (source::name(&document.path), case.line, &case.title);
            writeln!(screen, "{}:{line} {}", harmless(&name), harmless(title))
                .and_then(|()| writeln!(screen, "{}", harmless(&report)))
                .map_err(Failure::Output)?;
        }
        if is_blessed && !found.is_empty() {
            n_written += found.len();
            let blessed = bless(&document.text, &found);
            fs::write(&document.path, blessed)
                .map_err(|source| Failure::OutputFile(document.path.clone(), source))?;
        }
    }
    let mut summary = format!("{} of {n_cases} cases pass", n_cases - n_failed - n_written);
    if is_blessed {
        let _ = write!(summary, "; the events of {n_written} were written");
    }
    writeln!(screen, "{summary}").map_err(Failure::Output)?;
    Ok(Outcome::faulty_if(n_failed > 0))
}

/// The dialects of the folder's own file, if it has one.
fn own_dialects(folder: &Path) -> Result<Vec<Dialect>, Failure> {
    if folder.join(dialect_file::IN_FOLDER).is_file() {
        dialect_file::read(folder)?.map_err(Failure::DialectFile)
    } else {
        Ok(Vec::new())
    }
}

/// The Markdown files of the folder and of its subfolders, in order of path. A case that names no dialect uses the only
/// dialect of the folder's file.
fn documents(folder: &Path, dialects: &[Dialect]) -> Result<Vec<Document>, Failure> {
    let only = match dialects {
        [only] => Some(only.name()),
        _ => None,
    };
    let files = markdown_files(folder).map_err(|error| source::failed(folder, error))?;
    let mut documents = Vec::new();
    for path in files {
        let text = source::text(&path)?;
        let cases = toolglot_dialect_check::cases(&text, only);
        let cases = cases.map_err(|error| Failure::Cases {
            origin: source::name(&path),
            error,
        })?;
        documents.push(Document { path, text, cases });
    }
    Ok(documents)
}

/// The Markdown files below a folder, in order of path. Links to folders are not followed.
fn markdown_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The events of a case, or why the case gives none.
fn events(case: &Case, dialects: &[Dialect]) -> Result<String, String> {
    let find = |name: &str| {
        let own = dialects.iter().find(|dialect| dialect.name() == name);
        match own {
            Some(own) => Ok(own.clone()),
            None => Ok::<_, ProgramError>(dialect_named(name)?.clone()),
        }
    };
    let program = case.program(find).map_err(|error| error.to_string())?;
    case.events(&program).map_err(|error| error.to_string())
}
