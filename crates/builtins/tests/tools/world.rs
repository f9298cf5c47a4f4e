//! A root with files outside it that no call may reach.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolglot_builtins::{Limits, Outcome, Root, execute_unjudged};
use toolglot_value::Value;

/// The content of the files outside the root, and of no other file.
pub(crate) const SECRET: &str = "TOPSECRET";

/// ```text
///  root/           the root
///  out/secret.txt  holds SECRET
///  rootlike/secret.txt
/// ```
pub(crate) struct World {
    pub(crate) root: Root,
    dir: TempDir,
}

impl World {
    pub(crate) fn new() -> World {
        let dir = tempfile::tempdir().expect("a temporary directory");
        for beside in ["out", "rootlike"] {
            fs::create_dir(dir.path().join(beside)).expect("made");
            fs::write(dir.path().join(beside).join("secret.txt"), SECRET).expect("written");
        }
        fs::create_dir(dir.path().join("root")).expect("made");
        World {
            root: Root::open(&dir.path().join("root")).expect("opened"),
            dir,
        }
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> World {
        let world = World::new();
        for (path, content) in files {
            world.put(path, content);
        }
        world
    }

    pub(crate) fn limited(self, change: impl FnOnce(&mut Limits)) -> World {
        let mut limits = Limits::default();
        change(&mut limits);
        World {
            root: self.root.with_limits(limits),
            ..self
        }
    }

    /// The same world with its root changed.
    pub(crate) fn changed(self, change: impl FnOnce(Root) -> Root) -> World {
        World {
            root: change(self.root),
            ..self
        }
    }

    /// A path inside the root.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join("root").join(path)
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }

    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("made");
        fs::write(path, content).expect("written");
    }

    pub(crate) fn content(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).expect("readable")
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.at(path)).expect("linked");
    }

    #[expect(clippy::needless_pass_by_value, reason = "`json!` makes values")]
    pub(crate) fn run(&self, tool: &str, arguments: Value) -> Outcome {
        execute_unjudged(&self.root, tool, arguments.as_object().expect("an object"))
    }

    /// The text of a call that has to work.
    pub(crate) fn text(&self, tool: &str, arguments: Value) -> String {
        let outcome = self.run(tool, arguments);
        assert!(outcome.ok, "{outcome:?}");
        outcome.text
    }

    /// Code and text of a call that has to fail.
    pub(crate) fn failure(&self, tool: &str, arguments: Value) -> (String, String) {
        let outcome = self.run(tool, arguments);
        assert!(!outcome.ok, "{outcome:?}");
        assert_eq!(outcome.output["message"], outcome.text.as_str());
        (
            outcome.output["error"].as_str().expect("a code").to_owned(),
            outcome.text,
        )
    }

    /// The code of a call that has to fail.
    pub(crate) fn code(&self, tool: &str, arguments: Value) -> String {
        self.failure(tool, arguments).0
    }

    /// Checks that the files outside are unchanged.
    pub(crate) fn assert_outside_untouched(&self) {
        for beside in ["out", "rootlike"] {
            let dir = self.dir.path().join(beside);
            let names: Vec<_> = fs::read_dir(&dir)
                .expect("there")
                .map(|e| e.expect("read").file_name())
                .collect();
            assert_eq!(names, ["secret.txt"], "in {beside}");
            assert_eq!(
                fs::read_to_string(dir.join("secret.txt")).expect("there"),
                SECRET
            );
        }
        let mut names: Vec<_> = fs::read_dir(self.dir.path())
            .expect("there")
            .map(|e| e.expect("read").file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["out", "root", "rootlike"]);
    }
}

/// Whether this system can isolate commands. If not, it says so past the harness, which hides the output of passing
/// tests.
pub(crate) fn has_namespaces(tests: &str) -> bool {
    use std::io::Write;
    let level = toolglot_sandbox::layers().level();
    let is_there = level == Some(toolglot_sandbox::Isolation::Namespaces);
    if !is_there {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: {tests}: there are no namespaces here"
        );
    }
    is_there
}
