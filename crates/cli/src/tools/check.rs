//! `toolglot tools check`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Level, Snippet};
use serde_json::json;
use toolglot_runtimes::{CallError, has_server, leads_somewhere};
use toolglot_toolfiles::{
    BadLink, Diagnostic, EXECUTORS, FindError, ItemId, Language, Severity, Space, ToolFile, rule,
};

use super::args::{Common, ToolsFormat};
use super::{House, view};
use crate::args::Color;
use crate::failure::Failure;
use crate::human::screen::{ColorScreen, harmless};
use crate::human::{self, is_colored, screen, snippet};
use crate::{Outcome, source};

/// A file that is checked, and its text.
struct Page {
    name: String,
    text: String,
    tool: ToolFile,
    /// Whether it is called, of a file that has an id here.
    answer: Option<view::Answer>,
}

pub(super) fn check(
    words: &[String],
    color: Color,
    common: &Common,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let house = House::open(&common.root)?;
    let (files, ids): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| is_file(word));
    let ids: Vec<String> = ids.into_iter().cloned().collect();
    let mut pages = Vec::new();
    for file in files {
        let (mut page, project) = page(Path::new(file))?;
        if let Some(project) = project {
            let of_file = House::open(&project)?;
            executor(&mut page.tool, &of_file, Space::Project);
        }
        pages.push(page);
    }
    if words.is_empty() {
        for problem in house.registry.list().1 {
            // What is not read is not checked either.
            let _ = writeln!(screen::stderr(), "note: {problem}");
        }
    }
    if !ids.is_empty() || words.is_empty() {
        let named = if ids.is_empty() {
            let is_read = |read: Result<_, FindError>| {
                read.inspect_err(|problem| drop(writeln!(screen::stderr(), "note: {problem}")))
                    .ok()
            };
            house.own().into_iter().filter_map(is_read).collect()
        } else {
            house.named(&ids)?
        };
        for found in named {
            let mut tool = found.checked();
            executor(&mut tool, &house, found.space);
            pages.push(Page {
                name: found.name(),
                tool,
                text: found.text().to_owned(),
                answer: Some(view::Answer::of(&house, &found)),
            });
        }
    }
    let count = |severity: Severity| {
        let all = pages.iter().flat_map(|page| &page.tool.diagnostics);
        all.filter(|diagnostic| diagnostic.severity == severity)
            .count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if common.format == ToolsFormat::Json {
        let tools: Vec<_> = pages
            .iter()
            .map(|page| {
                let diagnostics = page.tool.diagnostics.iter();
                json!({
                    "id": page.tool.id.as_str(),
                    "path": page.name,
                    "ok": page.tool.errors().next().is_none(),
                    "standing": page.answer.as_ref().map(view::Answer::to_json),
                    "diagnostics": diagnostics.map(|one| view::diagnostic(one, &page.text)).collect::<Vec<_>>(),
                })
            })
            .collect();
        let document = json!({"tools": tools, "errors": errors, "warnings": warnings});
        crate::parse::write_line(out, &document).map_err(Failure::Output)?;
    } else {
        let is_colored = is_colored(color, &io::stdout());
        for page in &pages {
            for diagnostic in &page.tool.diagnostics {
                writeln!(
                    ColorScreen(&mut *out),
                    "{}\n",
                    report(diagnostic, page, is_colored)
                )
                .map_err(Failure::Output)?;
            }
        }
        // What breaks no rule may still be refused.
        for page in pages
            .iter()
            .filter(|page| page.tool.errors().next().is_none())
        {
            let answer = page.answer.as_ref().filter(|answer| answer.is_faulty());
            if let Some(Err(error)) = answer.map(|answer| &answer.runs) {
                let _ = writeln!(screen::stderr(), "note: {error}");
            }
        }
        let n = pages.len();
        let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        writeln!(
            out,
            "{}: {}, {}",
            plural(n, "tool"),
            plural(errors, "error"),
            plural(warnings, "warning")
        )
        .map_err(Failure::Output)?;
    }
    Ok(Outcome::faulty_if(errors > 0))
}

/// Tells where the executor leads nowhere, and where the server is none, unless that was told without looking for it.
fn executor(tool: &mut ToolFile, house: &House, space: Space) {
    let is_told = tool.errors().any(|error| error.rule.code == "F08");
    if is_told {
        return;
    }
    let registry = &house.registry;
    let (error, place) = match leads_somewhere(registry, tool, space) {
        Err(error) => (error, tool.place("executor_id", None)),
        Ok(()) => match has_server(registry, tool, space) {
            Err(error) => (error, tool.place("config", Some("server"))),
            Ok(()) => return,
        },
    };
    let (message, help) = match error {
        CallError::NoExecutor {
            executor,
            nearest,
            from,
        } if from == tool.id.as_str() => (
            format!("there is no executor `{executor}`"),
            nearest.map_or_else(
                || format!("the executors are {EXECUTORS}, or a runtime of the project"),
                |nearest| format!("did you mean `{nearest}`?"),
            ),
        ),
        CallError::Circular { .. } => (
            error.to_string(),
            "let one of them name a runtime of the system, as `bash`, or `subprocess`".to_owned(),
        ),
        CallError::TooDeep { .. } => (
            error.to_string(),
            "name a runtime that is nearer to a primitive".to_owned(),
        ),
        CallError::Faulty { ref id, .. } => (
            error.to_string(),
            format!("`toolglot tools check {id}` says what to write there"),
        ),
        CallError::BadLink(BadLink::Upwards {
            ref on, on_space, ..
        }) => (
            error.to_string(),
            format!("put `{on}` where the tool is, or the tool into the {on_space} space"),
        ),
        CallError::Find(FindError::NotFound { id, nearest }) => (
            format!("there is no server `{id}`"),
            nearest.map_or_else(
                || "name the file of a server, as `mcp/servers/NAME`".to_owned(),
                |nearest| format!("did you mean `{nearest}`?"),
            ),
        ),
        CallError::NoServer { .. } => (
            error.to_string(),
            "name the file of a server, as `mcp/servers/NAME`".to_owned(),
        ),
        _ => (
            error.to_string(),
            "name a runtime of the system, or one of the project that ends with a primitive"
                .to_owned(),
        ),
    };
    tool.tell(Diagnostic {
        rule: rule("F08").expect("it is in the table"),
        severity: Severity::Error,
        span: place,
        message,
        help: Some(help),
    });
}

/// Whether a word is a file: it has an extension of tool files and is there, or is written as no id is.
fn is_file(word: &str) -> bool {
    let path = Path::new(word);
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_path = word.starts_with('/') || word.starts_with("./") || word.starts_with("../");
    extension.is_some_and(|extension| Language::of_extension(extension).is_some())
        && (is_path || path.exists())
}

/// A file by its path, and its project: its id is what stands behind `.ai/tools/`, or else what its category says it is.
fn page(path: &Path) -> Result<(Page, Option<PathBuf>), Failure> {
    if !path.exists() {
        return Err(Failure::NoFile(path.to_owned()));
    }
    let text = source::text(path)?;
    let extension = path.extension().and_then(|extension| extension.to_str());
    let language = extension
        .and_then(Language::of_extension)
        .ok_or_else(|| Failure::NoLanguage(path.display().to_string()))?;
    let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let whole = whole.with_extension("");
    let whole = whole.to_string_lossy();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let below = whole.rsplit_once("/.ai/tools/");
    let id = if let Some((_, id)) = below {
        ItemId::new(id).map_err(Failure::BadId)?
    } else {
        let alone = ItemId::new(&stem).map_err(Failure::BadId)?;
        let category = ToolFile::read(&alone, language, &text).metadata.category;
        match category.filter(|category| !category.is_empty()) {
            Some(category) => ItemId::new(&format!("{category}/{stem}")).unwrap_or(alone),
            None => alone,
        }
    };
    let page = Page {
        name: path.display().to_string(),
        tool: ToolFile::read(&id, language, &text).checked(),
        text,
        answer: None,
    };
    // `/.ai/tools` has the root of all files above it.
    let project = below.map(|(project, _)| match project {
        "" => PathBuf::from("/"),
        project => PathBuf::from(project),
    });
    Ok((page, project))
}

/// A diagnostic under the lines that it is about, in the manner of rustc.
fn report(diagnostic: &Diagnostic, page: &Page, is_colored: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let end = page.text.len();
    let span = diagnostic.span.start.min(end)..diagnostic.span.end.min(end);
    let snippet = Snippet::source(&page.text)
        .path(harmless(&page.name))
        .annotation(AnnotationKind::Primary.span(span));
    let mut group = level
        .primary_title(&diagnostic.message)
        .id(diagnostic.rule.code)
        .element(snippet);
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(harmless(help)));
    }
    let width = human::width(&io::stdout());
    snippet::renderer(is_colored, width).render(&[group])
}
