//! Checks a file: its own rules, its executor and its server.

use std::path::{Path, PathBuf};

use toolglot_tool_files::{Diagnostic, EXECUTORS, ItemId, Language, Severity, ToolFile, rule};
use toolglot_tool_registry::{FindError, LinkError, ToolSource};
use toolglot_tool_runner::{CallError, has_server, leads_somewhere};
use toolglot_tool_trust::Space;

use crate::{Catalog, CatalogAnswer, CatalogError};

/// A file that was checked.
#[derive(Debug)]
#[non_exhaustive]
pub struct CheckedFile {
    /// Its name in messages.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Its metadata and its diagnostics.
    pub tool: ToolFile,
    /// Whether it is called, for a file with an id in the catalog.
    pub answer: Option<CatalogAnswer>,
}

impl CheckedFile {
    /// Checks a file of a catalog.
    pub fn of(catalog: &Catalog, found: &ToolSource) -> CheckedFile {
        let mut tool = found.checked();
        executor(&mut tool, catalog, found.space);
        CheckedFile {
            name: found.name(),
            tool,
            text: found.text().to_owned(),
            answer: Some(CatalogAnswer::of(catalog, found)),
        }
    }

    /// Checks a text on its own by the path of its file, and returns the project that the path is in. Its id is the
    /// path after `.ai/tools/`, or else comes from its category. The path is not opened.
    ///
    /// # Errors
    /// If the path has no extension of tools, or makes no id.
    pub fn alone(
        path: &Path,
        text: String,
    ) -> Result<(CheckedFile, Option<PathBuf>), CatalogError> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let language = extension
            .and_then(Language::of_extension)
            .ok_or_else(|| CatalogError::NoLanguage(path.display().to_string()))?;
        let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let whole = whole.with_extension("");
        let whole = whole.to_string_lossy();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let below = whole.rsplit_once("/.ai/tools/");
        let id = if let Some((_, id)) = below {
            ItemId::new(id)?
        } else {
            let alone = ItemId::new(&stem)?;
            let category = ToolFile::read(&alone, language, &text).metadata.category;
            match category.filter(|category| !category.is_empty()) {
                Some(category) => ItemId::new(&format!("{category}/{stem}")).unwrap_or(alone),
                None => alone,
            }
        };
        let page = CheckedFile {
            name: path.display().to_string(),
            tool: ToolFile::read(&id, language, &text).checked(),
            text,
            answer: None,
        };
        // In `/.ai/tools` the project is the root directory.
        let project = below.map(|(project, _)| match project {
            "" => PathBuf::from("/"),
            project => PathBuf::from(project),
        });
        Ok((page, project))
    }

    /// Checks the executor and the server in a catalog, as [`of`](CheckedFile::of) does.
    pub fn follow(&mut self, catalog: &Catalog, space: Space) {
        executor(&mut self.tool, catalog, space);
    }
}

/// Reports an executor that does not exist and a server that is not one, unless that is reported already.
fn executor(tool: &mut ToolFile, catalog: &Catalog, space: Space) {
    let is_reported = tool.errors().any(|error| error.rule.code == "F08");
    if is_reported {
        return;
    }
    let registry = &catalog.registry;
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
        CallError::BadLink(LinkError::Upwards {
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
