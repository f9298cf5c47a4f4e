//! The registry of tools: the project's `.ai/tools`, the user's, and the tools that come with toolglot.
//!
//! A directory is opened once, and all files are opened below that handle, so no link and no `..` leads out of it.
//! A file is read once; the same bytes are checked, verified and run.

mod memory;
mod open;
mod walk;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use toolglot_tool_files::{EXTENSIONS, ItemId, Language};
use toolglot_tool_trust::{Space, Spaces, Trust};

use memory::Memory;
use open::{failure, lacks, read};

use crate::tool_source::wrapped;
use crate::{Entry, FileStamp, FindError, ToolSource, servers, system};

/// The directory of tools below a project's or a user's root.
const TOOLS: &str = ".ai/tools";

/// The tools that can be found.
#[derive(Debug)]
pub struct Registry {
    places: Vec<(Space, Dir, PathBuf)>,
    /// Files that are on no disk.
    made: BTreeMap<ItemId, ToolSource>,
    /// The faults in the files that those are made from.
    problems: Vec<String>,
    /// The cache of files.
    memory: Memory,
}

impl Registry {
    /// Opens the spaces that exist. A space without `.ai/tools` is empty.
    ///
    /// # Errors
    /// If a directory of tools exists and cannot be opened, for example a link out of its project.
    pub fn open(spaces: &Spaces) -> Result<Registry, FindError> {
        let mut places = Vec::new();
        let roots = [
            (Space::Project, spaces.project.as_deref()),
            (Space::User, spaces.user.as_deref()),
        ];
        for (space, root) in roots {
            let Some(root) = root else { continue };
            let path = root.join(TOOLS);
            let opened = Dir::open_ambient_dir(root, ambient_authority())
                .and_then(|root| root.open_dir(TOOLS));
            match opened {
                Ok(dir) => places.push((space, dir, path)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failure(error, &path.display().to_string())),
            }
        }
        Ok(Registry {
            places,
            made: BTreeMap::new(),
            problems: Vec::new(),
            memory: Memory::default(),
        })
    }

    /// Adds the servers of `.mcp.json` and the tools of approved servers.
    #[must_use]
    pub fn with_servers(mut self, trust: &Trust) -> Registry {
        let (files, problems) = servers::files(trust);
        self.problems = problems;
        for found in files {
            let (id, name) = (found.id.clone(), found.name());
            if let Some(known) = self.made.insert(id.clone(), found) {
                self.problems.push(format!(
                    "`{id}` is defined twice: in {} and in {name}",
                    known.name()
                ));
                // Neither may replace the other: an empty text is reported as ambiguous.
                self.made.insert(id, known.with_text(String::new()));
            }
        }
        self
    }

    /// The file of an id: the first space that has it, and there the first of [`EXTENSIONS`].
    ///
    /// # Errors
    /// [`FindError`]. A file that exists and cannot be read ends the search: the next space's file is another tool.
    pub fn find(&self, id: &ItemId) -> Result<ToolSource, FindError> {
        self.find_from(id, Space::Project)
    }

    /// The same, from `space` on: the user's tools do not depend on the project's.
    ///
    /// # Errors
    /// As [`find`](Registry::find).
    pub fn find_from(&self, id: &ItemId, space: Space) -> Result<ToolSource, FindError> {
        Ok(self.memory.of(self.read_from(id, space)?))
    }

    fn read_from(&self, id: &ItemId, space: Space) -> Result<ToolSource, FindError> {
        let made = self.made.get(id).filter(|made| made.space >= space);
        for (here, dir, root) in &self.places {
            if *here < space || lacks(dir, id.category()) {
                continue;
            }
            for (extension, language) in EXTENSIONS {
                let relative = format!("{id}.{extension}");
                if let Some(text) = read(dir, &relative)? {
                    let entry = Entry {
                        id: id.clone(),
                        space: *here,
                        extension,
                    };
                    let path = Some(root.join(relative));
                    let found = ToolSource::new(entry, *language, path, text);
                    // A file that wraps the same tool of the same server is that tool, with its own metadata.
                    if let Some(made) = made
                        && wrapped(made).is_none_or(|tool| wrapped(&found) != Some(tool))
                    {
                        return Err(FindError::Ambiguous {
                            id: id.to_string(),
                            places: [found.name(), made.name()],
                        });
                    }
                    return Ok(found);
                }
            }
        }
        if let Some(made) = made {
            if made.text().is_empty() {
                let place = made.name();
                return Err(FindError::Ambiguous {
                    id: id.to_string(),
                    places: [place, "another file of servers".to_owned()],
                });
            }
            return Ok(made.clone());
        }
        system::find(id).ok_or_else(|| FindError::NotFound {
            id: id.to_string(),
            nearest: self.nearest(id),
        })
    }

    /// The tool that a call names: the file of that id, or else the server's tool `SERVER/TOOL`.
    ///
    /// # Errors
    /// As [`find`](Registry::find).
    pub fn find_called(&self, id: &ItemId) -> Result<ToolSource, FindError> {
        let error = match self.find(id) {
            Err(error @ FindError::NotFound { .. }) => error,
            other => return other,
        };
        let of_server = ItemId::new(&format!("mcp/{id}")).ok();
        of_server.and_then(|id| self.find(&id).ok()).ok_or(error)
    }

    /// The file of exactly that id, extension and space; `None` if it does not exist.
    ///
    /// # Errors
    /// As [`find`](Registry::find).
    pub fn file(
        &self,
        id: &ItemId,
        extension: &'static str,
        space: Space,
    ) -> Result<Option<ToolSource>, FindError> {
        let Some((_, dir, root)) = self.places.iter().find(|(here, ..)| *here == space) else {
            return Ok(None);
        };
        let Some((_, language)) = EXTENSIONS.iter().find(|(known, _)| *known == extension) else {
            return Ok(None);
        };
        let relative = format!("{id}.{extension}");
        let entry = Entry {
            id: id.clone(),
            space,
            extension,
        };
        let found = read(dir, &relative)?.map(|text| {
            let path = Some(root.join(relative));
            self.memory
                .of(ToolSource::new(entry, *language, path, text))
        });
        Ok(found)
    }

    fn nearest(&self, id: &ItemId) -> Option<String> {
        let (entries, _) = self.list();
        let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        // An id without its directory probably means the tool of that name.
        let by_name: Vec<&&str> = ids
            .iter()
            .filter(|other| other.rsplit('/').next() == Some(id.name()))
            .collect();
        if let [only] = by_name.as_slice() {
            return Some((**only).to_owned());
        }
        toolglot_toolset::nearest(id.as_str(), ids.iter().copied()).map(str::to_owned)
    }

    /// Every tool that can be called by its id, in order of id, and the faults of the listing.
    ///
    /// Reads names only. Of files with one id it lists the one that [`find`](Registry::find) would give.
    pub fn list(&self) -> (Vec<Entry>, Vec<String>) {
        let (entries, problems) = self.listed(false);
        (
            entries.into_iter().map(|(entry, _)| entry).collect(),
            problems,
        )
    }

    /// The same, each with the stamp that shows whether the file changed; `None` for a file on no disk, or without a
    /// stamp.
    pub fn stamped(&self) -> (Vec<(Entry, Option<FileStamp>)>, Vec<String>) {
        self.listed(true)
    }

    fn listed(&self, is_stamped: bool) -> (Vec<(Entry, Option<FileStamp>)>, Vec<String>) {
        let mut all: Vec<(Entry, Option<FileStamp>)> = Vec::new();
        let mut problems = Vec::new();
        let mut add = |entry: Entry, stamp: Option<FileStamp>| all.push((entry, stamp));
        for (space, dir, root) in &self.places {
            walk::walk((dir, root), *space, is_stamped, &mut add, &mut problems);
        }
        for entry in system::entries() {
            // It changes only with the program.
            add(entry, is_stamped.then(FileStamp::default));
        }
        for made in self.made.values() {
            let entry = Entry {
                id: made.id.clone(),
                space: made.space,
                extension: made.extension,
            };
            // It is on no disk, and is never cached.
            add(entry, None);
        }
        let rank = |entry: &Entry| {
            let extension = EXTENSIONS
                .iter()
                .position(|(extension, _)| *extension == entry.extension);
            (entry.space, extension)
        };
        // The sort is stable: files of one id stay in the order in which they were found.
        all.sort_by(|(one, _), (other, _)| one.id.cmp(&other.id));
        let mut shadowed = Vec::new();
        let mut entries: Vec<(Entry, Option<FileStamp>)> = Vec::with_capacity(all.len());
        for (entry, stamp) in all {
            let known = entries.last_mut().filter(|(known, _)| known.id == entry.id);
            let Some(known) = known else {
                entries.push((entry, stamp));
                continue;
            };
            let other = if rank(&entry) < rank(&known.0) {
                std::mem::replace(known, (entry, stamp)).0
            } else {
                entry
            };
            // The project's file may shadow the user's; two in one directory are a mistake.
            if other.space == known.0.space && other.extension != known.0.extension {
                let Entry { id, extension, .. } = &known.0;
                shadowed.push(format!(
                    "`{id}.{}` is never used: `{id}.{extension}` has the same id and comes first",
                    other.extension
                ));
            }
        }
        problems.extend(self.problems.iter().cloned());
        problems.extend(shadowed);
        (entries, problems)
    }

    /// Reads the file of a listing's entry.
    ///
    /// # Errors
    /// As [`find`](Registry::find).
    pub fn read(&self, entry: &Entry) -> Result<ToolSource, FindError> {
        let place = self.places.iter().find(|(here, ..)| *here == entry.space);
        let language = Language::of_extension(entry.extension);
        // No file with an earlier extension was there when it was listed.
        if let (Some((_, dir, root)), Some(language)) = (place, language)
            && !self.made.contains_key(&entry.id)
        {
            let relative = format!("{}.{}", entry.id, entry.extension);
            if let Some(text) = read(dir, &relative)? {
                let path = Some(root.join(relative));
                return Ok(ToolSource::new(entry.clone(), language, path, text));
            }
        }
        self.read_from(&entry.id, entry.space)
    }
}
