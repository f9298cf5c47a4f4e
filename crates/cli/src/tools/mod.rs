//! `toolglot tools`: tools that are files.

pub(crate) mod args;
mod change;
mod check;
mod keys;
mod list;
mod new;
mod shelf;
mod show;
mod sign;
mod trust;
mod verify;
mod view;

use std::io::Write;
use std::path::Path;

use globset::GlobBuilder;
use serde_json::Value;
use toolglot_runtimes::{CallError, Chain, resolve};
use toolglot_session::Policies;
use toolglot_toolfiles::{EXTENSIONS, FindError, Found, ItemId, Registry, Space, Spaces, Trust};

use crate::failure::Failure;
use crate::human::screen::Screen;
use crate::{Outcome, open_session};

use args::{Common, ToolsCommand, ToolsFormat};

/// Runs one of the subcommands.
pub(crate) fn tools(command: &ToolsCommand, out: &mut dyn Write) -> Result<Outcome, Failure> {
    match command {
        ToolsCommand::List { search, common } => list::list(search.as_deref(), common, out),
        ToolsCommand::Show { id, common } => show::show(id, common, out),
        ToolsCommand::Check {
            tools,
            color,
            common,
        } => check::check(tools, *color, common, out),
        ToolsCommand::New {
            id,
            language,
            common,
        } => new::new(id, language, common, out),
        ToolsCommand::Sign { tools, v2, common } => sign::sign(tools, *v2, common, out),
        ToolsCommand::Verify { tools, common } => verify::verify(tools, common, out),
        ToolsCommand::Trust {
            tools,
            dry_run,
            common,
        } => trust::trust(tools, *dry_run, common, out),
        ToolsCommand::Keys { command } => keys::keys(command, out),
    }
}

/// The project, the user's home, and what is in them.
pub(crate) struct House {
    pub(crate) registry: Registry,
    pub(crate) trust: Trust,
}

impl House {
    pub(crate) fn open(at: &Path) -> Result<House, Failure> {
        let at = root(at)?;
        let spaces = Spaces::of(at);
        let mut trust = Trust::open(&spaces)?;
        let policies = open_session::project(at).map(|project| Policies::discover(&project))?;
        open_session::warn(policies.warnings());
        trust.demand(policies.demands())?;
        Ok(House {
            registry: Registry::open(&spaces)?.with_servers(&trust),
            trust,
        })
    }

    /// What runs a tool, or why it is not called: what `toolglot call` says of it.
    pub(crate) fn resolve(&self, found: &Found) -> Result<Chain, CallError> {
        resolve(&self.registry, &self.trust, found.clone())
    }

    /// The files of the project, each or why it cannot be read.
    fn own(&self) -> Vec<Result<Found, FindError>> {
        let (entries, _) = self.registry.list();
        let own = entries.iter().filter(|entry| entry.space == Space::Project);
        own.map(|entry| self.registry.read(entry)).collect()
    }

    /// The tools that ids and patterns name, in order of id; without any, those of the project.
    ///
    /// An id that names nothing is an error, a pattern that fits nothing as well.
    fn named(&self, words: &[String]) -> Result<Vec<Found>, Failure> {
        if words.is_empty() {
            return self.own().into_iter().map(|read| Ok(read?)).collect();
        }
        let (entries, _) = self.registry.list();
        let mut found: Vec<Found> = Vec::new();
        for word in words {
            let word = &as_id(word);
            if !word.contains(['*', '?', '[', '{']) {
                let id = ItemId::new(word).map_err(Failure::BadId)?;
                let one = self.registry.find_called(&id)?;
                if found.iter().all(|known| known.id != one.id) {
                    found.push(one);
                }
                continue;
            }
            let glob = GlobBuilder::new(word)
                .literal_separator(true)
                .build()
                .map_err(|source| Failure::BadPattern {
                    pattern: word.clone(),
                    source,
                })?
                .compile_matcher();
            let mut fits = 0;
            for entry in &entries {
                // A pattern means what can be changed: the system's tools are asked for by name.
                if entry.space == Space::System || !glob.is_match(entry.id.as_str()) {
                    continue;
                }
                fits += 1;
                if found.iter().all(|known| known.id != entry.id) {
                    found.push(self.registry.read(entry)?);
                }
            }
            if fits == 0 {
                return Err(Failure::NothingFits(word.clone()));
            }
        }
        found.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(found)
    }
}

/// A project's directory, which has to be there.
fn root(root: &Path) -> Result<&Path, Failure> {
    if root.is_dir() {
        return Ok(root);
    }
    Err(Failure::Input {
        path: root.to_owned(),
        source: std::io::ErrorKind::NotFound.into(),
    })
}

/// An id or a pattern, of which people write the file as well: `.ai/tools/notes/*.py`.
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

/// Writes an answer: as JSON, or the words for people.
fn answer(common: &Common, out: &mut dyn Write, json: &Value, words: &str) -> Result<(), Failure> {
    match common.format {
        ToolsFormat::Json => crate::parse::write_line(out, json),
        ToolsFormat::Human => Screen::new(out).write_all(words.as_bytes()),
    }
    .map_err(Failure::Output)
}
