//! `toolglot tools check`.

use std::io::{self, Write};
use std::path::Path;

use annotate_snippets::{AnnotationKind, Level, Snippet};
use toolglot_tool_catalog::{CatalogAnswer, CheckedFile, diagnostic};
use toolglot_tool_files::{Diagnostic, Language, Severity};
use toolglot_tool_registry::FindError;
use toolglot_tool_trust::Space;
use toolglot_value::json;

use super::project;
use crate::cli::args::{ToolsFormat, ToolsProject};
use crate::cli::failure::Failure;
use crate::cli::human::Color;
use crate::cli::human::screen::{ColorScreen, harmless};
use crate::cli::human::{self, is_colored, screen, snippet};
use crate::cli::outcome::Outcome;
use crate::cli::source;

pub(super) fn check(
    words: &[String],
    color: Color,
    common: &ToolsProject,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let catalog = project::open(&common.root)?;
    let (files, ids): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| is_file(word));
    let ids: Vec<String> = ids.into_iter().cloned().collect();
    let mut pages = Vec::new();
    for file in files {
        let path = Path::new(file);
        if !path.exists() {
            return Err(Failure::NoFile(path.to_owned()));
        }
        let (mut page, project) = CheckedFile::alone(path, source::text(path)?)?;
        if let Some(project) = project {
            let of_file = project::open(&project)?;
            page.follow(&of_file, Space::Project);
        }
        pages.push(page);
    }
    if words.is_empty() {
        for problem in catalog.registry.list().1 {
            // A tool that cannot be read is not checked.
            let _ = writeln!(screen::stderr(), "note: {problem}");
        }
    }
    if !ids.is_empty() || words.is_empty() {
        let named = if ids.is_empty() {
            let is_read = |read: Result<_, FindError>| {
                read.inspect_err(|problem| drop(writeln!(screen::stderr(), "note: {problem}")))
                    .ok()
            };
            catalog.own().into_iter().filter_map(is_read).collect()
        } else {
            catalog.named(&ids)?
        };
        pages.extend(named.iter().map(|found| CheckedFile::of(&catalog, found)));
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
                    "standing": page.answer.as_ref().map(CatalogAnswer::to_json),
                    "diagnostics": diagnostics.map(|one| diagnostic(one, &page.text)).collect::<Vec<_>>(),
                })
            })
            .collect();
        let document = json!({"tools": tools, "errors": errors, "warnings": warnings});
        crate::cli::output::write_line(out, &document).map_err(Failure::Output)?;
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
        // A tool that breaks no rule may still be refused.
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

/// Whether a word is a file: it has the extension of a tool file, and it exists or has the form of a path.
fn is_file(word: &str) -> bool {
    let path = Path::new(word);
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_path = word.starts_with('/') || word.starts_with("./") || word.starts_with("../");
    extension.is_some_and(|extension| Language::of_extension(extension).is_some())
        && (is_path || path.exists())
}

/// A diagnostic under the lines that it is about, in the style of rustc.
fn report(diagnostic: &Diagnostic, page: &CheckedFile, is_colored: bool) -> String {
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
