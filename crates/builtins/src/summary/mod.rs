//! `workspace_summary`: the projects in the root by their manifests, and the number of files by kind.

mod manifests;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use toolglot_value::{Value, json};

use crate::place::Kind;
use crate::shown::{counted, plain, shown};
use crate::walk::{Entry, walk};
use crate::{Failure, Outcome, Root};
use manifests::Project;

/// The most bytes of a manifest that are read.
const MANIFEST_BYTES: u64 = 256 << 10;

/// How many projects are listed.
const MOST_PROJECTS: usize = 100;

/// How many names of the root are listed.
const MOST_NAMES: usize = 500;

pub(crate) fn summary(root: &Root) -> Result<Outcome, Failure> {
    let (mut files, mut directories) = (Vec::new(), Vec::new());
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let mut manifests: Vec<PathBuf> = Vec::new();
    let (mut n_files, mut n_directories, mut n_bytes) = (0_u64, 0_u64, 0_u64);
    let mut visit = |entry: Entry<'_>| {
        let name = entry.name.to_string_lossy();
        let is_top = entry.path.components().count() == 1;
        match entry.kind {
            Kind::File => {
                n_files += 1;
                n_bytes += entry
                    .dir
                    .symlink_metadata(entry.name)
                    .map_or(0, |metadata| metadata.len());
                *kinds.entry(kind_of(&name)).or_default() += 1;
                if is_top && files.len() < MOST_NAMES {
                    files.push(name.to_string());
                }
                if manifests::is_manifest(&name)
                    && manifests.len() < MOST_PROJECTS
                    && !is_hidden(root, entry.path)
                {
                    manifests.push(entry.path.to_path_buf());
                }
            }
            Kind::Directory => {
                n_directories += 1;
                if is_top && directories.len() < MOST_NAMES {
                    directories.push(name.to_string());
                }
            }
            Kind::Link | Kind::Special => {}
        }
        ControlFlow::Continue(())
    };
    let path = Path::new("");
    let skipped = walk(root, path, true, &mut visit)
        .map_err(|error| root.explain("looked through", path, error.into()))?;
    let projects: Vec<Project> = manifests
        .iter()
        .filter_map(|path| project(root, path))
        .collect();
    let mut detected: Vec<String> = Vec::new();
    for project in &projects {
        let word = project
            .framework
            .clone()
            .unwrap_or_else(|| project.kind.to_owned());
        if !detected.contains(&word) {
            detected.push(word);
        }
    }
    let mut text = format!(
        "{}: {} and {}, {}\n",
        root.path().display().to_string().escape_debug(),
        counted(n_files, "file"),
        counted(n_directories, "directory"),
        counted(n_bytes, "byte")
    );
    for project in &projects {
        text.push_str(&project.line());
    }
    let mut by_number: Vec<(&String, &u64)> = kinds.iter().collect();
    by_number.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
    let most: Vec<String> = by_number
        .iter()
        .take(20)
        .map(|(kind, n)| format!("{kind} {n}"))
        .collect();
    let _ = writeln!(text, "files by kind: {}", most.join(", "));
    for remark in skipped.remarks(&root.limits) {
        text.push_str(&remark);
        text.push('\n');
    }
    let output = json!({
        "workspace": root.path().to_string_lossy(),
        "projects": projects.iter().map(Project::json).collect::<Vec<_>>(),
        "directories": directories,
        "rootFiles": files,
        "fileStatistics": kinds,
        "detectedProjects": detected,
        "totalFiles": n_files,
        "totalDirectories": n_directories,
        "totalBytes": n_bytes,
        "complete": !skipped.is_cut && skipped.n_closed == 0,
    });
    Ok(Outcome::success(output, text))
}

/// Whether a rule refuses to read the file at `path`.
fn is_hidden(root: &Root, path: &Path) -> bool {
    let refused = &root.sandbox.refused;
    ["workspace_summary", "read_file"]
        .iter()
        .any(|tool| refused.hides(tool, path))
}

/// The extension of a name, with its dot; `(none)` without one.
fn kind_of(name: &str) -> String {
    match Path::new(name).extension() {
        Some(extension) => format!(".{}", extension.to_string_lossy().to_lowercase()),
        None => "(none)".to_owned(),
    }
}

fn project(root: &Root, path: &Path) -> Option<Project> {
    let (file, _) = root.file(path).ok()?;
    let mut text = String::new();
    file.take(MANIFEST_BYTES).read_to_string(&mut text).ok()?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name()?.to_string_lossy().into_owned();
    let mut project = manifests::read(&name, &text)?;
    project.path = plain(folder);
    if project.name.is_empty() {
        let own = folder.file_name().or_else(|| root.path().file_name());
        project.name = own
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
    }
    project.manifest = shown(path);
    Some(project)
}

impl Project {
    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "path": self.path,
            "manifest": self.manifest,
            "type": self.kind,
            "framework": self.framework,
            "dependencies": self.dependencies,
            "devDependencies": self.dev_dependencies,
        })
    }

    fn line(&self) -> String {
        let framework = self
            .framework
            .as_ref()
            .map(|framework| format!(" ({framework})"))
            .unwrap_or_default();
        let n = self.dependencies.len() as u64;
        format!(
            "{}: {}{framework} in {}, {}\n",
            self.name.escape_debug(),
            self.kind,
            self.path.escape_debug(),
            counted(n, "dependency")
        )
    }
}
