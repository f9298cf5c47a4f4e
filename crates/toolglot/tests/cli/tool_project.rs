//! A project with tools, to try the binary on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use toolglot_value::Value;

/// A copy of the example project, and a home that trusts nothing.
pub(crate) struct World {
    folder: TempDir,
}

impl World {
    pub(crate) fn new() -> World {
        let folder = tempfile::tempdir().expect("room for a folder");
        let world = World { folder };
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tools");
        copy(&examples, &world.project());
        fs::create_dir_all(world.home()).expect("a folder");
        world
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn toolglot(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_toolglot"))
            .args(words)
            .current_dir(self.project())
            .env("USER_SPACE", self.home())
            .output()
            .expect("the binary starts")
    }

    pub(crate) fn json(&self, words: &[&str]) -> (Value, i32) {
        let output = self.toolglot(words);
        let value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!(
                "{words:?}: {error}: {}",
                String::from_utf8_lossy(&output.stderr)
            )
        });
        (value, output.status.code().expect("it ended by itself"))
    }

    /// Writes a tool of the project.
    pub(crate) fn file(&self, path: &str, text: &str) {
        fs::write(self.project().join(".ai/tools").join(path), text).expect("a file");
    }

    /// The answer of `run` to a message.
    pub(crate) fn run(&self, message: &str, words: &[&str]) -> String {
        let file = self.folder.path().join("message");
        fs::write(&file, message).expect("a file");
        let file = file.to_str().expect("text").to_owned();
        let all: Vec<&str> = ["run", "--dialect", "hermes", "--format", "text", &file]
            .into_iter()
            .chain(words.iter().copied())
            .collect();
        String::from_utf8_lossy(&self.toolglot(&all).stdout).into_owned()
    }

    pub(crate) fn trust_all(&self) {
        let output = self.toolglot(&["tools", "trust", "**"]);
        assert!(output.status.success(), "{output:?}");
    }
}

/// Copies a folder, modes included.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a file");
        }
    }
}

/// Whether tools can run here; a test that cannot run them reports that.
pub(crate) fn can_run() -> bool {
    use std::io::Write;
    let has_sandbox =
        toolglot_sandbox::layers().level() == Some(toolglot_sandbox::Isolation::Namespaces);
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    let ok = has_sandbox && has("python3") && has("node") && has("bash");
    if !ok {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no namespaces, python3, node or bash here"
        );
    }
    ok
}
