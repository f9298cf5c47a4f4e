//! Where tools are: the project's `.ai/tools`, the user's, and those that come with toolglot.
//!
//! A directory is opened once and everything in it is opened below that handle, so no link and no `..` leads out of it.
//! A file is read once; what was read is what is checked, verified and run.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use thiserror::Error;

use crate::language::EXTENSIONS;
use crate::tool_file::MAX_BYTES;
use crate::{ItemId, Language, ToolFile, Trust, system};

/// The directory of tools below a project's or a user's.
const TOOLS: &str = ".ai/tools";
/// More files than this are not listed.
const MAX_FILES: usize = 100_000;
/// Directories nest no deeper than ids are long.
const MAX_LEVELS: usize = 32;

/// Whose tools; the earlier shadow the later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Those of the project.
    Project,
    /// Those of the user.
    User,
    /// Those that come with toolglot.
    System,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Project => "project",
            Space::User => "user",
            Space::System => "system",
        })
    }
}

/// The directories that hold `.ai`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spaces {
    /// The project's root.
    pub project: Option<PathBuf>,
    /// The user's home.
    pub user: Option<PathBuf>,
}

impl Spaces {
    /// A project, and the user's home as the environment has it: `USER_SPACE`, or else `HOME`.
    pub fn of(project: &Path) -> Spaces {
        let home = ["USER_SPACE", "HOME"]
            .iter()
            .find_map(|name| std::env::var_os(name).filter(|value| !value.is_empty()));
        Spaces {
            project: Some(project.to_owned()),
            user: home.map(PathBuf::from),
        }
    }
}

/// The tools that can be found.
#[derive(Debug)]
pub struct Registry {
    places: Vec<(Space, Dir, PathBuf)>,
    /// Files that lie on no disk.
    made: BTreeMap<ItemId, Found>,
    /// What is wrong with what they are made from.
    problems: Vec<String>,
}

/// A file that was found and read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is called by.
    pub id: ItemId,
    /// Whose it is.
    pub space: Space,
    /// Its extension.
    pub extension: &'static str,
    /// What it is written in.
    pub language: Language,
    /// Where it lies, for people; `None` if it came with toolglot.
    pub path: Option<PathBuf>,
    /// All of it. Nothing reads the file again.
    pub text: String,
}

impl Found {
    /// Reads what the file says about itself.
    pub fn tool(&self) -> ToolFile {
        ToolFile::read(&self.id, self.language, &self.text)
    }

    /// What it imports from beside it, as it may lie there. Python by name, JavaScript and TypeScript by path.
    pub fn siblings(&self) -> Vec<Sibling> {
        let category = self.id.category();
        match self.language {
            Language::Python => crate::read::imports(&self.text)
                .into_iter()
                .filter_map(|name| {
                    let id = within(category, &name)?;
                    Some(Sibling {
                        name,
                        files: vec![(id, "py")],
                    })
                })
                .collect(),
            Language::JavaScript | Language::TypeScript => {
                crate::read::imported(self.language, &self.text)
                    .into_iter()
                    .map(|path| Sibling {
                        files: by_path(category, &path),
                        name: path,
                    })
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// How the file is called in messages.
    pub fn name(&self) -> String {
        match &self.path {
            Some(path) => path.display().to_string(),
            None if self.extension == crate::servers::EXTENSION => {
                format!("(approved)/{}", self.id)
            }
            None => format!("(system)/{}.{}", self.id, self.extension),
        }
    }
}

/// What a file imports from beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sibling {
    /// As it is written: the name of a module, or a path.
    pub name: String,
    /// The files that it may be, the first that is there counts: their ids and extensions. None if it leads out of the tools.
    pub files: Vec<(ItemId, &'static str)>,
}

fn within(category: &str, name: &str) -> Option<ItemId> {
    if category.is_empty() {
        ItemId::new(name).ok()
    } else {
        ItemId::new(&format!("{category}/{name}")).ok()
    }
}

/// The files that a path of JavaScript means, seen from a category; as `require` looks for them, where it has no extension.
fn by_path(category: &str, path: &str) -> Vec<(ItemId, &'static str)> {
    const SCRIPTS: &[&str] = &["js", "mjs", "cjs", "ts"];
    let mut parts: Vec<&str> = category
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Vec::new();
                }
            }
            part => parts.push(part),
        }
    }
    let whole = parts.join("/");
    let script = |extension: &str| SCRIPTS.iter().find(|known| **known == extension).copied();
    match whole
        .rsplit_once('.')
        .map(|(stem, extension)| (stem, script(extension)))
    {
        Some((stem, Some(extension))) => {
            let mut files: Vec<_> = ItemId::new(stem)
                .into_iter()
                .map(|id| (id, extension))
                .collect();
            // What TypeScript compiles to is how its own files are named in imports.
            if extension == "js" {
                files.extend(ItemId::new(stem).into_iter().map(|id| (id, "ts")));
            }
            files
        }
        _ => ["js", "cjs", "ts"]
            .iter()
            .filter_map(|extension| Some((ItemId::new(&whole).ok()?, *extension)))
            .collect(),
    }
}

/// A file of a listing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// What it is called by.
    pub id: ItemId,
    /// Whose it is.
    pub space: Space,
    /// Its extension.
    pub extension: &'static str,
}

/// What tells whether a file was changed: its number, its size, its times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    device: u64,
    number: u64,
    bytes: u64,
    /// Of the contents and of the file itself, in nanoseconds since 1970.
    times: [i128; 2],
}

impl Stamp {
    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
    fn of(metadata: &cap_std::fs::Metadata) -> Option<Stamp> {
        use cap_std::fs::MetadataExt;
        let time = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Some(Stamp {
            device: metadata.dev(),
            number: metadata.ino(),
            bytes: metadata.size(),
            times: [
                time(metadata.mtime(), metadata.mtime_nsec()),
                time(metadata.ctime(), metadata.ctime_nsec()),
            ],
        })
    }

    #[cfg(not(unix))]
    fn of(_: &cap_std::fs::Metadata) -> Option<Stamp> {
        None
    }

    /// Whether the file had its last change at least so long before `now`: one that comes later has another time.
    pub fn is_older(&self, now: SystemTime, age: Duration) -> bool {
        let Ok(now) = now.duration_since(SystemTime::UNIX_EPOCH) else {
            return false;
        };
        let before = now.saturating_sub(age).as_nanos();
        self.times
            .iter()
            .all(|time| i128::try_from(before).is_ok_and(|before| *time < before))
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [contents, itself] = self.times;
        let Stamp {
            device,
            number,
            bytes,
            ..
        } = self;
        write!(f, "{device}:{number}:{bytes}:{contents}:{itself}")
    }
}

/// Why a tool is not there.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FindError {
    /// Nothing has that id.
    #[error("no tool is called `{id}`{}", .nearest.as_ref().map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default())]
    NotFound {
        /// The id.
        id: String,
        /// The nearest that there is.
        nearest: Option<String>,
    },
    /// Two files have that id, and neither may stand for the other.
    #[error("`{id}` is defined twice: in {} and in {}", .places[0], .places[1])]
    Ambiguous {
        /// The id.
        id: String,
        /// Where.
        places: [String; 2],
    },
    /// A link leads out of the directory of tools.
    #[error("`{path}` is or lies behind a symbolic link that leads out of `.ai/tools`")]
    Escapes {
        /// The file.
        path: String,
    },
    /// No regular file.
    #[error("`{path}` is no regular file")]
    NotRegular {
        /// The file.
        path: String,
    },
    /// Too long for a tool.
    #[error("`{path}` has {bytes} bytes; {MAX_BYTES} are the most")]
    TooLarge {
        /// The file.
        path: String,
        /// Its size.
        bytes: u64,
    },
    /// Bytes that are no UTF-8.
    #[error("`{path}` is no UTF-8 text")]
    NotText {
        /// The file.
        path: String,
    },
    /// The system refused.
    #[error("cannot read `{path}`")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl Registry {
    /// Opens the spaces that there are. A space without `.ai/tools` is empty.
    ///
    /// # Errors
    /// If a directory of tools is there and cannot be opened; one that is a link out of its project, for example.
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
        })
    }

    /// Adds the servers of `.mcp.json` and the tools of approved servers.
    #[must_use]
    pub fn with_servers(mut self, trust: &Trust) -> Registry {
        let (files, problems) = trust.server_files();
        self.problems = problems;
        for found in files {
            let (id, name) = (found.id.clone(), found.name());
            if let Some(known) = self.made.insert(id.clone(), found) {
                self.problems.push(format!(
                    "`{id}` is defined twice: in {} and in {name}",
                    known.name()
                ));
                // Neither may stand for the other: what cannot be read is not called.
                self.made.insert(
                    id.clone(),
                    Found {
                        text: String::new(),
                        ..known
                    },
                );
            }
        }
        self
    }

    /// The file that an id means: the first space that has it, in it the first of [`EXTENSIONS`].
    ///
    /// # Errors
    /// [`FindError`]. A file that is there and cannot be read ends the search: the next space's is another tool.
    pub fn find(&self, id: &ItemId) -> Result<Found, FindError> {
        self.find_from(id, Space::Project)
    }

    /// The same, from `space` on: what the user's tools depend on is not the project's.
    ///
    /// # Errors
    /// As [`find`](Registry::find).
    pub fn find_from(&self, id: &ItemId, space: Space) -> Result<Found, FindError> {
        let made = self.made.get(id).filter(|made| made.space >= space);
        for (here, dir, root) in &self.places {
            if *here < space {
                continue;
            }
            for (extension, language) in EXTENSIONS {
                let relative = format!("{id}.{extension}");
                if let Some(text) = read(dir, &relative)? {
                    if let Some(made) = made {
                        return Err(FindError::Ambiguous {
                            id: id.to_string(),
                            places: [root.join(relative).display().to_string(), made.name()],
                        });
                    }
                    return Ok(Found {
                        id: id.clone(),
                        space: *here,
                        extension,
                        language: *language,
                        path: Some(root.join(relative)),
                        text,
                    });
                }
            }
        }
        if let Some(made) = made {
            if made.text.is_empty() {
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

    /// The file of exactly that id, extension and space; `None` if it is not there.
    ///
    /// # Errors
    /// As [`find`](Registry::find).
    pub fn file(
        &self,
        id: &ItemId,
        extension: &'static str,
        space: Space,
    ) -> Result<Option<Found>, FindError> {
        let Some((_, dir, root)) = self.places.iter().find(|(here, ..)| *here == space) else {
            return Ok(None);
        };
        let Some((_, language)) = EXTENSIONS.iter().find(|(known, _)| *known == extension) else {
            return Ok(None);
        };
        let relative = format!("{id}.{extension}");
        Ok(read(dir, &relative)?.map(|text| Found {
            id: id.clone(),
            space,
            extension,
            language: *language,
            path: Some(root.join(relative)),
            text,
        }))
    }

    fn nearest(&self, id: &ItemId) -> Option<String> {
        let (entries, _) = self.list();
        let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        // Who forgets the directory means the name.
        let by_name: Vec<&&str> = ids
            .iter()
            .filter(|other| other.rsplit('/').next() == Some(id.name()))
            .collect();
        if let [only] = by_name.as_slice() {
            return Some((**only).to_owned());
        }
        toolglot_tools::nearest(id.as_str(), ids.iter().copied()).map(str::to_owned)
    }

    /// Every tool that can be called by its id, in order of id, and what could not be listed.
    ///
    /// Looks at names only; of files that share an id the one that [`find`](Registry::find) would give.
    pub fn list(&self) -> (Vec<Entry>, Vec<String>) {
        let (entries, problems) = self.listed(false);
        (
            entries.into_iter().map(|(entry, _)| entry).collect(),
            problems,
        )
    }

    /// The same with what tells whether a file was changed; none of what comes with toolglot, or where nothing does.
    pub fn stamped(&self) -> (Vec<(Entry, Option<Stamp>)>, Vec<String>) {
        self.listed(true)
    }

    fn listed(&self, is_stamped: bool) -> (Vec<(Entry, Option<Stamp>)>, Vec<String>) {
        let mut entries: BTreeMap<ItemId, (Entry, Option<Stamp>)> = BTreeMap::new();
        let mut problems = Vec::new();
        let rank = |entry: &Entry| {
            let extension = EXTENSIONS
                .iter()
                .position(|(extension, _)| *extension == entry.extension);
            (entry.space, extension)
        };
        let mut add = |entry: Entry, stamp: Option<Stamp>| match entries.get_mut(&entry.id) {
            Some(known) if rank(&entry) < rank(&known.0) => *known = (entry, stamp),
            Some(_) => {}
            None => {
                entries.insert(entry.id.clone(), (entry, stamp));
            }
        };
        for (space, dir, root) in &self.places {
            walk((dir, root), *space, is_stamped, &mut add, &mut problems);
        }
        for entry in system::entries() {
            // It changes with the program only.
            add(entry, is_stamped.then(Stamp::default));
        }
        for made in self.made.values() {
            let entry = Entry {
                id: made.id.clone(),
                space: made.space,
                extension: made.extension,
            };
            // It lies on no disk, and nothing of it is remembered.
            add(entry, None);
        }
        problems.extend(self.problems.iter().cloned());
        (entries.into_values().collect(), problems)
    }

    /// Reads the file of a listing's entry.
    ///
    /// # Errors
    /// As [`find`](Registry::find).
    pub fn read(&self, entry: &Entry) -> Result<Found, FindError> {
        self.find_from(&entry.id, entry.space)
    }
}

/// The text of a file below `dir`; `None` if it is not there.
fn read(dir: &Dir, relative: &str) -> Result<Option<String>, FindError> {
    let metadata = match dir.metadata(relative) {
        Ok(metadata) => metadata,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(failure(error, relative)),
    };
    let path = || relative.to_owned();
    if metadata.is_dir() {
        return Ok(None);
    }
    if !metadata.is_file() {
        return Err(FindError::NotRegular { path: path() });
    }
    if metadata.len() > MAX_BYTES as u64 {
        return Err(FindError::TooLarge {
            path: path(),
            bytes: metadata.len(),
        });
    }
    let file = dir
        .open(relative)
        .map_err(|error| failure(error, relative))?;
    let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
    file.take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| failure(error, relative))?;
    if bytes.len() > MAX_BYTES {
        return Err(FindError::TooLarge {
            path: path(),
            bytes: bytes.len() as u64,
        });
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| FindError::NotText { path: path() })
}

fn failure(error: io::Error, path: &str) -> FindError {
    let path = path.to_owned();
    // What cap-std says where a path leads out of its directory.
    if error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none() {
        return FindError::Escapes { path };
    }
    FindError::Io {
        path,
        source: error,
    }
}

/// Every tool file below a directory.
fn walk(
    (tools, root): (&Dir, &Path),
    space: Space,
    is_stamped: bool,
    add: &mut impl FnMut(Entry, Option<Stamp>),
    problems: &mut Vec<String>,
) {
    let mut open: Vec<(Dir, String, usize)> = match tools.try_clone() {
        Ok(dir) => vec![(dir, String::new(), 0)],
        Err(error) => {
            problems.push(format!("{}: {error}", root.display()));
            return;
        }
    };
    let mut files_left = MAX_FILES;
    while let Some((dir, prefix, level)) = open.pop() {
        let entries = match dir.entries() {
            Ok(entries) => entries,
            Err(error) => {
                problems.push(format!("{}/{prefix}: {error}", root.display()));
                continue;
            }
        };
        for entry in entries {
            let Ok(entry) = entry else { continue };
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
                continue;
            };
            if name.starts_with(['.', '_']) || name == "node_modules" {
                continue;
            }
            if files_left == 0 {
                problems.push(format!(
                    "{}: more than {MAX_FILES} files, the rest is not listed",
                    root.display()
                ));
                return;
            }
            files_left -= 1;
            let relative = format!("{prefix}{name}");
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let (is_dir, is_file) = if kind.is_symlink() {
                match tools.metadata(&relative) {
                    Ok(metadata) => (metadata.is_dir(), metadata.is_file()),
                    Err(error) => {
                        let error = failure(error, &relative);
                        problems.push(error.to_string());
                        continue;
                    }
                }
            } else {
                (kind.is_dir(), kind.is_file())
            };
            if is_dir {
                // A link to a directory above would never end.
                if level < MAX_LEVELS && !kind.is_symlink() {
                    match entry.open_dir() {
                        Ok(below) => open.push((below, format!("{relative}/"), level + 1)),
                        Err(error) => problems.push(format!("{relative}: {error}")),
                    }
                }
                continue;
            }
            let Some((stem, extension)) = relative.rsplit_once('.') else {
                continue;
            };
            let known = EXTENSIONS.iter().find(|(known, _)| *known == extension);
            if let (Some((extension, _)), true) = (known, is_file)
                && let Ok(id) = ItemId::new(stem)
            {
                let metadata = if !is_stamped {
                    None
                } else if kind.is_symlink() {
                    tools.metadata(&relative).ok()
                } else {
                    entry.metadata().ok()
                };
                let entry = Entry {
                    id,
                    space,
                    extension,
                };
                add(entry, metadata.as_ref().and_then(Stamp::of));
            }
        }
    }
}
