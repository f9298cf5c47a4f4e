//! The directories of one row, and the commands that run in them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use toolglot_value::Value;

use crate::attacks::server::Server;

/// A workspace, a directory outside of it that no tool may touch, and a home.
pub(crate) struct Place {
    base: tempfile::TempDir,
    pub(crate) server: Option<Server>,
    /// A script that cleans up.
    pub(crate) after: Option<String>,
}

/// The time after which a run counts as one that never ends. It is far above what any run takes on a busy machine.
pub(crate) const NEVER: Duration = Duration::from_secs(120);

/// The result of a run.
pub(crate) struct Ran {
    pub(crate) document: Value,
    pub(crate) elapsed: Duration,
    pub(crate) peak_mb: u64,
}

impl Ran {
    /// The answer to the model.
    pub(crate) fn answer(&self) -> &str {
        self.document["answer"].as_str().unwrap_or_default()
    }
}

pub(crate) fn toolglot(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolglot"));
    command.args(arguments);
    command
}

/// A policy that comes with the repository.
pub(crate) fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/policies")
        .join(name)
}

impl Place {
    pub(crate) fn new() -> Place {
        let base = tempfile::tempdir().expect("a directory");
        for name in ["ws", "out", "home"] {
            fs::create_dir(base.path().join(name)).expect("made");
        }
        Place {
            base,
            server: None,
            after: None,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.base.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// Digits that are unique on this machine, so that a check by a command line finds only processes of its own row.
    fn id(&self) -> String {
        let name = self.base.path().to_string_lossy().into_owned();
        let hash = name.bytes().fold(0_u32, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(byte.into())
        });
        hash.to_string()
    }

    /// A text with the directories in place of their names.
    pub(crate) fn filled(&self, text: &str) -> String {
        let port = self.server.as_ref().map(Server::port).unwrap_or_default();
        let text = text
            .replace("$OUT", &self.text("out"))
            .replace("$WS", &self.text("ws"))
            .replace("$HOMEDIR", &self.text("home"))
            .replace("$PORT", &port.to_string())
            .replace("$ID", &self.id());
        repeated(&text)
    }

    pub(crate) fn filled_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.filled(text).into(),
            Value::Array(list) => list.iter().map(|value| self.filled_value(value)).collect(),
            Value::Object(map) => Value::Object(
                map.iter()
                    .map(|(key, value)| (key.clone(), self.filled_value(value)))
                    .collect(),
            ),
            other => other.clone(),
        }
    }

    /// Runs a script in the workspace. Returns whether the script succeeded.
    pub(crate) fn bash(&self, script: &str, variables: &[(String, String)]) -> bool {
        // From a file: a script among the arguments would find itself among the processes.
        let file = self.path("script");
        fs::write(&file, self.filled(script)).expect("written");
        self.shell(variables)
            .arg(file)
            .stdout(Stdio::null())
            .status()
            .expect("bash runs")
            .success()
    }

    pub(crate) fn shell(&self, variables: &[(String, String)]) -> Command {
        let mut command = Command::new("bash");
        command
            .current_dir(self.path("ws"))
            .env("HOME", self.path("home"))
            .env("FIX", self.path("fix"))
            .env("RESULT", self.path("result"))
            .env("AUDIT", self.path("audit"))
            .env("TOOLGLOT", env!("CARGO_BIN_EXE_toolglot"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(variables.iter().cloned())
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Whether the check of the effects holds.
    pub(crate) fn holds(&self, check: &str, result: &str, ran: Option<&Ran>) -> bool {
        fs::write(self.path("result"), result).expect("written");
        let variables = ran.map(|ran| {
            [
                ("ELAPSED_MS", ran.elapsed.as_millis().to_string()),
                ("PEAK_RSS_MB", ran.peak_mb.to_string()),
                ("ENDED", (ran.elapsed < NEVER).to_string()),
            ]
            .map(|(name, value)| (name.to_owned(), value))
        });
        self.bash(check, variables.as_ref().map_or(&[], |list| &list[..]))
    }

    /// A policy file with that text.
    pub(crate) fn policy(&self, text: &str) -> PathBuf {
        let path = self.path("policy.toml");
        fs::write(&path, text).expect("written");
        path
    }

    /// The directories and variables that every door is given.
    pub(crate) fn settle(&self, command: &mut Command) {
        command
            .env("CANARY_ENV", "1")
            .env("HOME", self.path("home"))
            .env_remove("USER_SPACE")
            .env_remove("XDG_CONFIG_HOME")
            .stdin(Stdio::null())
            .stderr(Stdio::null());
    }

    /// Runs a command to its end. Returns its standard output, its time and its peak memory.
    pub(crate) fn watched(&self, mut command: Command) -> (Vec<u8>, Duration, u64) {
        let written = self.path("written");
        command.stdout(fs::File::create(&written).expect("made"));
        let started = Instant::now();
        let mut child = command.spawn().expect("it starts");
        let mut peak_mb = 0;
        while child.try_wait().expect("it can be waited for").is_none() {
            peak_mb = peak_mb.max(peak(child.id()));
            if started.elapsed() > NEVER {
                let _ = child.kill();
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let elapsed = started.elapsed();
        (fs::read(written).expect("there"), elapsed, peak_mb)
    }

    /// Runs a message by `command`, which is `toolglot run` or starts it.
    pub(crate) fn run(
        &self,
        mut command: Command,
        dialect: &str,
        policy: &Path,
        message: &str,
    ) -> Ran {
        let file = self.path("message");
        fs::write(&file, message).expect("written");
        command
            .args(["--format", "json", "--dialect", dialect, "--policy"])
            .arg(policy)
            .arg("--root")
            .arg(self.path("ws"))
            .arg("--audit")
            .arg(self.path("audit"))
            .arg(file);
        self.settle(&mut command);
        let (text, elapsed, peak_mb) = self.watched(command);
        Ran {
            document: serde_json::from_slice(&text).unwrap_or_default(),
            elapsed,
            peak_mb,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(after) = self.after.take() {
            self.bash(&after, &[]);
        }
        if let Ok(pid) = fs::read_to_string(self.path("out/srv.pid")) {
            let _ = Command::new("kill").arg(pid.trim()).status();
        }
        // A directory that a row made read-only must be writable to be removed.
        let _ = fs::set_permissions(self.path("ws"), fs::Permissions::from_mode(0o755));
    }
}

/// The most memory that a process had so far, in MiB.
pub(crate) fn peak(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line
        .and_then(|line| line.trim().strip_suffix(" kB"))
        .and_then(|text| text.trim().parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}

/// `@repeat:PIECE:N REST`, or `@nest:PIECE:N`, as the piece N times, and the rest.
fn repeated(text: &str) -> String {
    let mut words = ["@repeat:", "@nest:"].iter();
    let Some(rest) = words.find_map(|word| text.strip_prefix(word)) else {
        return text.to_owned();
    };
    let at = rest
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| rest[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
    let (piece, rest) = rest.split_at(at.expect("a number"));
    let end = rest[1..]
        .find(|c: char| !c.is_ascii_digit())
        .map_or(rest.len(), |end| end + 1);
    let n: usize = rest[1..end].parse().expect("a number");
    format!("{}{}", piece.repeat(n), &rest[end..])
}
