//! Finds interpreters once, by absolute path, and never a file of the project.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

/// An interpreter, and the directories that it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// Its file, absolute.
    pub program: PathBuf,
    /// The directories of its installation, besides the system's.
    pub reads: Vec<PathBuf>,
}

/// The interpreters of a machine. Clones share the cache.
#[derive(Clone, Debug, Default)]
pub struct Interpreters {
    path: Vec<PathBuf>,
    known: Arc<Mutex<BTreeMap<String, Option<Interpreter>>>>,
}

impl Interpreters {
    /// The interpreters along a search path; directories that are relative or inside `project` do not count.
    pub fn new(search: Option<&std::ffi::OsStr>, project: &Path) -> Interpreters {
        let path = search.map(std::env::split_paths).into_iter().flatten();
        Interpreters {
            path: path
                .filter(|folder| folder.is_absolute() && !is_inside(folder, project))
                .collect(),
            known: Arc::default(),
        }
    }

    /// The program of that name, with links resolved. The result is cached.
    pub fn program(&self, name: &str) -> Option<Interpreter> {
        let known = self.known.lock().ok()?.get(name).cloned();
        if let Some(known) = known {
            return known;
        }
        let found = self
            .path
            .iter()
            .map(|folder| folder.join(name))
            .find(|file| is_program(file))
            .and_then(|file| self.installed(&file));
        self.known
            .lock()
            .ok()?
            .insert(name.to_owned(), found.clone());
        found
    }

    /// A program by its name along the search path, or by its absolute path outside the project.
    pub(crate) fn outside(&self, name: &str, project: &Path) -> Option<Interpreter> {
        let file = Path::new(name);
        if !name.contains('/') {
            return self.program(name);
        }
        let is_fine = file.is_absolute() && is_program(file) && !is_inside(file, project);
        is_fine.then(|| self.installed(file)).flatten()
    }

    fn installed(&self, file: &Path) -> Option<Interpreter> {
        let name = file.file_name()?.to_string_lossy();
        if name.starts_with("python") {
            return python(file, &self.path);
        }
        let program = fs::canonicalize(file).ok()?;
        let reads = program.parent().map(Path::to_owned).into_iter().collect();
        Some(Interpreter { program, reads })
    }

    /// The Python of a project: its virtual environment's, or else the machine's.
    ///
    /// An environment counts if its program links to an interpreter that is installed outside the project. Its
    /// `pyvenv.cfg` opens no directories.
    pub fn python(&self, project: &Path) -> Option<Interpreter> {
        let environment = [".venv", "venv"]
            .iter()
            .find_map(|folder| environment(&project.join(folder), project));
        environment
            .or_else(|| self.program("python3"))
            .or_else(|| self.program("python"))
    }
}

fn environment(folder: &Path, project: &Path) -> Option<Interpreter> {
    let program = folder.join("bin/python");
    let real = fs::canonicalize(&program).ok()?;
    let base = real.parent()?.parent()?;
    if !folder.join("pyvenv.cfg").is_file() || is_inside(&real, project) || !has_library(base) {
        return None;
    }
    let mut reads = vec![folder.to_owned()];
    // An installation right in the user's home directory would open all of it.
    let home = std::env::var_os("HOME").map(PathBuf::from);
    if !home.is_some_and(|home| home.starts_with(base)) {
        reads.push(base.to_owned());
    }
    Some(Interpreter { program, reads })
}

/// Whether `base` contains the library of a Python.
fn has_library(base: &Path) -> bool {
    let folders = ["lib", "lib64"]
        .iter()
        .filter_map(|lib| fs::read_dir(base.join(lib)).ok());
    folders.flatten().flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        (name.starts_with("python") || name.starts_with("pypy"))
            && entry.path().join("os.py").is_file()
    })
}

/// Whether a path leads into the project, through links too.
fn is_inside(path: &Path, project: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    path.starts_with(project) || real(path).starts_with(real(project))
}

/// Variables by which a wrapper script chooses a Python; a name that ends in `_` is a prefix.
const TOLD: &[&str] = &[
    "HOME", "USER", "LOGNAME", "LANG", "PYENV_", "ASDF_", "MISE_", "CONDA_",
];

/// A `python3` may be a wrapper script, so the interpreter itself reports its path. The script finds no program of the
/// project.
fn python(file: &Path, path: &[PathBuf]) -> Option<Interpreter> {
    let passed = std::env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        let is_it = |own: &str| *own == *name || own.ends_with('_') && name.starts_with(own);
        TOLD.iter().any(|own| is_it(own))
    });
    let output = Command::new(file)
        .args([
            "-I",
            "-c",
            "import sys; print(sys.executable); print(sys.base_prefix)",
        ])
        .env_clear()
        .envs(passed)
        .env("PATH", std::env::join_paths(path).ok()?)
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    let mut lines = said.lines();
    let program = PathBuf::from(lines.next()?);
    let base = PathBuf::from(lines.next()?);
    program.is_absolute().then_some(Interpreter {
        program,
        reads: vec![base],
    })
}

fn is_program(file: &Path) -> bool {
    let Ok(metadata) = fs::metadata(file) else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    metadata.is_file()
}
