//! Directories of one row, and what lies in them.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{Ran, toolglot};

/// A workspace, something beside it that no tool has to do with, and a home.
pub(crate) struct Place {
    base: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Place {
        let base = tempfile::tempdir().expect("a directory");
        for name in ["ws", "out", "home"] {
            fs::create_dir(base.path().join(name)).expect("made");
        }
        Place { base }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.base.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// A text with the directories in place of their names.
    pub(crate) fn filled(&self, text: &str) -> String {
        text.replace("$OUT", &self.text("out"))
            .replace("$WS", &self.text("ws"))
            .replace("$HOMEDIR", &self.text("home"))
    }

    pub(crate) fn filled_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => match text.strip_prefix("@nest:") {
                Some(rest) => {
                    let (piece, n) = rest.rsplit_once(':').expect("a text and a number");
                    piece.repeat(n.parse().expect("a number")).into()
                }
                None => self.filled(text).into(),
            },
            Value::Array(list) => list.iter().map(|value| self.filled_value(value)).collect(),
            Value::Object(map) => Value::Object(
                map.iter()
                    .map(|(key, value)| (key.clone(), self.filled_value(value)))
                    .collect(),
            ),
            other => other.clone(),
        }
    }

    /// Runs a script in the workspace. Whether it succeeded.
    pub(crate) fn bash(&self, script: &str, ran: Option<&Ran>) -> bool {
        // From a file: a script among the arguments would find itself among the processes.
        let script_file = self.path("script");
        fs::write(&script_file, self.filled(script)).expect("written");
        let mut command = Command::new("bash");
        command
            .arg(script_file)
            .current_dir(self.path("ws"))
            .env("HOME", self.path("home"))
            .env("FIX", self.path("fix"))
            .env("RESULT", self.path("result"))
            .env("AUDIT", self.path("audit"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(ran) = ran {
            command
                .env("ELAPSED_MS", ran.elapsed.as_millis().to_string())
                .env("PEAK_RSS_MB", ran.peak_mb.to_string());
        }
        command.status().expect("bash runs").success()
    }

    /// The files of rows about signatures: a tool as it is, as it was signed before, and a module that nobody signed.
    ///
    /// They are signed where they will lie, so that the lock file and the user's memory know of them.
    pub(crate) fn sign_fixtures(&self) {
        let tool = |version: &str, body: &str| {
            format!(
                "import helper\n\n__version__ = \"{version}\"\n__tool_type__ = \"python\"\n__executor_id__ = \"python/function\"\n__category__ = \"demo\"\n__tool_description__ = \"Greets\"\n\n\ndef execute(params: dict, project_path: str) -> dict:\n    {body}\n    return {{\"success\": True, \"output\": helper.word()}}\n"
            )
        };
        let library = |word: &str| {
            format!(
                "__version__ = \"1.0.0\"\n__tool_type__ = \"library\"\n__executor_id__ = None\n__category__ = \"demo\"\n__tool_description__ = \"A word\"\n\n\ndef word():\n    return \"{word}\"\n"
            )
        };
        let run = |words: &[&str]| {
            let output = toolglot(words)
                .current_dir(self.path("ws"))
                .env("HOME", self.path("home"))
                .env_remove("USER_SPACE")
                .output()
                .expect("it runs");
            assert!(output.status.success(), "{words:?}: {output:?}");
        };
        let demo = self.path("ws/.ai/tools/demo");
        fs::create_dir_all(&demo).expect("made");
        fs::create_dir(self.path("fix")).expect("made");
        fs::write(self.path("fix/helper_evil.py"), library("evil")).expect("written");
        run(&["tools", "keys", "new"]);
        fs::write(demo.join("helper.py"), library("good")).expect("written");
        run(&["tools", "sign", "demo/helper"]);
        let hello = demo.join("hello.py");
        for (name, version, body) in [
            (
                "fix/hello.old.signed.py",
                "1.0.0",
                "open(project_path + '/pwned', 'w')",
            ),
            ("fix/hello.signed.py", "1.1.0", "pass"),
        ] {
            fs::write(&hello, tool(version, body)).expect("written");
            run(&["tools", "sign", "demo/hello"]);
            fs::rename(&hello, self.path(name)).expect("moved");
        }
    }

    pub(crate) fn end(&self) {
        if let Ok(pid) = fs::read_to_string(self.path("out/srv.pid")) {
            let _ = Command::new("kill").arg(pid.trim()).status();
        }
    }
}
