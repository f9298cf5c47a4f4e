//! Interpreters: found once, absolute, and never a file that a project could have put there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// A program that runs others, and what it has to read to do so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// Its file, absolute.
    pub program: PathBuf,
    /// Directories beyond the system's that it is installed in.
    pub reads: Vec<PathBuf>,
}

/// The interpreters of a machine.
#[derive(Debug, Default)]
pub struct Interpreters {
    path: Vec<PathBuf>,
    known: Mutex<BTreeMap<String, Option<Interpreter>>>,
}

impl Interpreters {
    /// Those along a search path; what is not absolute in it, or inside `project`, does not count.
    pub fn new(search: Option<&std::ffi::OsStr>, project: &Path) -> Interpreters {
        let path = search.map(std::env::split_paths).into_iter().flatten();
        Interpreters {
            path: path
                .filter(|folder| folder.is_absolute() && !folder.starts_with(project))
                .collect(),
            known: Mutex::default(),
        }
    }

    /// The program of that name, as it lies on the disk. Looked for once.
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
            .and_then(|file| {
                if name.starts_with("python") {
                    python(&file)
                } else {
                    let program = fs::canonicalize(&file).ok()?;
                    let reads = program.parent().map(Path::to_owned).into_iter().collect();
                    Some(Interpreter { program, reads })
                }
            });
        self.known
            .lock()
            .ok()?
            .insert(name.to_owned(), found.clone());
        found
    }

    /// The Python of a project: that of its virtual environment, or else the machine's.
    ///
    /// The environment's program is a link to the machine's; what it is based on is read in `pyvenv.cfg`, not asked of it.
    pub fn python(&self, project: &Path) -> Option<Interpreter> {
        for folder in [".venv", "venv"] {
            let environment = project.join(folder);
            let Ok(text) = fs::read_to_string(environment.join("pyvenv.cfg")) else {
                continue;
            };
            let program = environment.join("bin/python");
            if !program.exists() {
                continue;
            }
            let home = text.lines().find_map(|line| {
                let (key, value) = line.split_once('=')?;
                (key.trim() == "home").then(|| PathBuf::from(value.trim()))
            });
            let mut reads = vec![environment.clone()];
            let real = fs::canonicalize(&program).ok();
            reads.extend(real.as_deref().and_then(Path::parent).map(prefix));
            reads.extend(home.as_deref().map(prefix));
            return Some(Interpreter { program, reads });
        }
        self.program("python3").or_else(|| self.program("python"))
    }
}

/// The directory that holds `bin` and `lib`.
fn prefix(bin: &Path) -> PathBuf {
    bin.parent().unwrap_or(bin).to_owned()
}

/// A `python3` may be a script that chooses one: which it is, it says itself.
fn python(file: &Path) -> Option<Interpreter> {
    let asked = Command::new(file)
        .args([
            "-I",
            "-c",
            "import sys; print(sys.executable); print(sys.base_prefix)",
        ])
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let said = String::from_utf8(asked.stdout).ok()?;
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
