//! The registry and the trust store of a project together.

use globset::GlobBuilder;
use toolglot_tool_files::{EXTENSIONS, ItemId};
use toolglot_tool_registry::{FindError, Registry, ToolSource};
use toolglot_tool_runner::{CallError, Chain, resolve};
use toolglot_tool_trust::{Space, Spaces, Trust, TrustRequirements};

use crate::CatalogError;

/// The tools of a project and its user, and the trust in them.
#[derive(Debug)]
pub struct Catalog {
    /// Where tools are found.
    pub registry: Registry,
    /// Which of them may run.
    pub trust: Trust,
}

impl Catalog {
    /// Opens the spaces that exist, with a policy's requirements for tools beyond the user's own trust.
    ///
    /// # Errors
    /// If a directory of tools or a file of the trust store exists and cannot be used, or a required key is invalid.
    pub fn open(spaces: &Spaces, demands: TrustRequirements) -> Result<Catalog, CatalogError> {
        let mut trust = Trust::open(spaces)?;
        trust.demand(demands)?;
        let registry = Registry::open(spaces)?;
        let registry = if cfg!(feature = "mcp") {
            registry.with_servers(&trust)
        } else {
            registry
        };
        Ok(Catalog { registry, trust })
    }

    /// What runs a tool, or why it is not called, as `toolglot call` would report.
    ///
    /// # Errors
    /// The first reason why it is not called.
    pub fn resolve(&self, found: &ToolSource) -> Result<Chain, CallError> {
        resolve(&self.registry, &self.trust, found.clone())
    }

    /// The tool that a call names by this id.
    ///
    /// # Errors
    /// If there is none, or this build cannot call it.
    pub fn find_called(&self, id: &ItemId) -> Result<ToolSource, CatalogError> {
        self.registry.find_called(id).map_err(|error| match error {
            FindError::NotFound { id, .. }
                if cfg!(not(feature = "mcp")) && id.starts_with("mcp/") =>
            {
                CallError::LeftOut { id }.into()
            }
            error => error.into(),
        })
    }

    /// The files of the project, each of them or why it cannot be read.
    pub fn own(&self) -> Vec<Result<ToolSource, FindError>> {
        let (entries, _) = self.registry.list();
        let own = entries.iter().filter(|entry| entry.space == Space::Project);
        own.map(|entry| self.registry.read(entry)).collect()
    }

    /// The tools that ids and patterns name, in order of id; without any, those of the project.
    ///
    /// An id that names nothing is an error, and so is a pattern that matches nothing.
    ///
    /// # Errors
    /// For the first word that names nothing, or is neither an id nor a pattern.
    pub fn named(&self, words: &[String]) -> Result<Vec<ToolSource>, CatalogError> {
        if words.is_empty() {
            return self.own().into_iter().map(|read| Ok(read?)).collect();
        }
        let (entries, _) = self.registry.list();
        let mut found: Vec<ToolSource> = Vec::new();
        for word in words {
            let word = &as_id(word);
            if !word.contains(['*', '?', '[', '{']) {
                let id = ItemId::new(word)?;
                let one = self.find_called(&id)?;
                if found.iter().all(|known| known.id != one.id) {
                    found.push(one);
                }
                continue;
            }
            let glob = GlobBuilder::new(word)
                .literal_separator(true)
                .build()
                .map_err(|source| CatalogError::BadPattern {
                    pattern: word.clone(),
                    source,
                })?
                .compile_matcher();
            let mut fits = 0;
            for entry in &entries {
                // A pattern selects only tools that can be changed: the system's tools must be named by id.
                if entry.space == Space::System || !glob.is_match(entry.id.as_str()) {
                    continue;
                }
                fits += 1;
                if found.iter().all(|known| known.id != entry.id) {
                    found.push(self.registry.read(entry)?);
                }
            }
            if fits == 0 {
                return Err(CatalogError::NothingFits(word.clone()));
            }
        }
        found.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(found)
    }
}

/// An id or a pattern. People also write the path of the file: `.ai/tools/notes/*.py`.
fn as_id(word: &str) -> String {
    let Some((_, below)) = word.rsplit_once(".ai/tools/") else {
        return word.to_owned();
    };
    let (stem, extension) = below.rsplit_once('.').unwrap_or((below, ""));
    if EXTENSIONS.iter().any(|(known, _)| *known == extension) {
        stem.to_owned()
    } else {
        below.to_owned()
    }
}
