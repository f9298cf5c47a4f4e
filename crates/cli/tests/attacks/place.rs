//! Directories of one row, and what is run in them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::row::Row;
use crate::server::Server;

/// A workspace, something beside it that no tool has to do with, and a home.
pub(crate) struct Place {
    base: tempfile::TempDir,
    server: Option<Server>,
    after: Option<String>,
}

/// What came of a run.
pub(crate) struct Ran {
    pub(crate) document: Value,
    elapsed: Duration,
    peak_mb: u64,
}

/// What tools do where nothing protects, as shell scripts; arguments are variables such as `$A_path`.
const UNPROTECTED: &str = include_str!("unprotected.toml");

pub(crate) fn toolglot(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolglot"));
    command.args(arguments);
    command
}

impl Place {
    /// Makes the directories of a row, and runs its setup.
    pub(crate) fn new(row: &Row) -> Place {
        let base = tempfile::tempdir().expect("a directory");
        for name in ["ws", "out", "home"] {
            fs::create_dir(base.path().join(name)).expect("made");
        }
        let is_about_network =
            format!("{:?} {} {}", row.arguments, row.setup, row.policy).contains("$PORT");
        let server = is_about_network.then(|| Server::start(base.path().join("out/hit")));
        let place = Place {
            base,
            server,
            after: row.after.clone(),
        };
        place.bash(&row.setup, &[]);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base.path().join(name)
    }

    /// A text with the directories in place of their names.
    pub(crate) fn filled(&self, text: &str) -> String {
        let port = self.server.as_ref().map(Server::port).unwrap_or_default();
        let name = |name: &str| self.path(name).to_string_lossy().into_owned();
        let text = text
            .replace("$OUT", &name("out"))
            .replace("$WS", &name("ws"))
            .replace("$HOMEDIR", &name("home"))
            .replace("$PORT", &port.to_string());
        repeated(&text)
    }

    /// The arguments of a row.
    pub(crate) fn arguments(&self, row: &Row) -> Map<String, Value> {
        let filled = |value: &Value| self.filled_value(value);
        row.arguments
            .iter()
            .map(|(key, value)| (key.clone(), filled(value)))
            .collect()
    }

    fn filled_value(&self, value: &Value) -> Value {
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

    /// Runs a script in the workspace. Whether it succeeded.
    fn bash(&self, script: &str, variables: &[(String, String)]) -> bool {
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

    fn shell(&self, variables: &[(String, String)]) -> Command {
        let mut command = Command::new("bash");
        command
            .current_dir(self.path("ws"))
            .env("HOME", self.path("home"))
            .env("RESULT", self.path("result"))
            .env("AUDIT", self.path("audit"))
            .env("TOOLGLOT", env!("CARGO_BIN_EXE_toolglot"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(variables.iter().cloned())
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Whether what the row says of effects holds.
    pub(crate) fn holds(&self, row: &Row, result: &str, ran: Option<&Ran>) -> bool {
        fs::write(self.path("result"), result).expect("written");
        let variables = ran.map(|ran| {
            [
                ("ELAPSED_MS", ran.elapsed.as_millis().to_string()),
                ("PEAK_RSS_MB", ran.peak_mb.to_string()),
            ]
            .map(|(name, value)| (name.to_owned(), value))
        });
        self.bash(&row.check, variables.as_ref().map_or(&[], |list| &list[..]))
    }

    /// Whether the attack of a row fires where nothing protects.
    pub(crate) fn fires_unprotected(&self, row: &Row) -> bool {
        let table: toml::Table = toml::from_str(UNPROTECTED).expect("a table");
        let usual = table
            .get(&row.tool)
            .and_then(toml::Value::as_str)
            .unwrap_or("false");
        let script = self.filled(row.unprotected.as_deref().unwrap_or(usual));
        let mut variables: Vec<(String, String)> = Vec::new();
        for (key, value) in self.arguments(row) {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            // A zero byte ends a name for the system.
            let text = text.split('\0').next().unwrap_or_default().to_owned();
            if text.len() > 100_000 {
                // No program takes it.
                return false;
            }
            variables.push((format!("A_{key}"), text));
        }
        variables.push(("CANARY_ENV".to_owned(), "1".to_owned()));
        fs::write(self.path("audit"), "").expect("written");
        let started = Instant::now();
        let output = self
            .shell(&variables)
            .args(["-c", &script])
            .output()
            .expect("bash runs");
        let ran = Ran {
            document: Value::Null,
            elapsed: started.elapsed(),
            peak_mb: 0,
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        !self.holds(row, &text, Some(&ran))
    }

    /// Runs a message.
    pub(crate) fn run(&self, row: &Row, dialect: &str, message: &str) -> Ran {
        let file = self.path("message");
        fs::write(&file, message).expect("written");
        let policy = self.policy(row);
        let mut command = toolglot(&["run", "--format", "json", "--dialect", dialect]);
        command
            .args(["--policy"])
            .arg(policy)
            .arg("--root")
            .arg(self.path("ws"))
            .arg("--audit")
            .arg(self.path("audit"))
            .arg(file)
            .env("CANARY_ENV", "1")
            .env("HOME", self.path("home"))
            .env_remove("XDG_CONFIG_HOME")
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        if let Some(first) = &row.path_first {
            let rest = std::env::var("PATH").unwrap_or_default();
            command.env("PATH", format!("{}:{rest}", self.filled(first)));
        }
        let document = self.path("document");
        let started = Instant::now();
        let mut child = command
            .stdout(fs::File::create(&document).expect("made"))
            .spawn()
            .expect("it starts");
        let mut peak_mb = 0;
        while child.try_wait().expect("it can be waited for").is_none() {
            peak_mb = peak_mb.max(peak(child.id()));
            std::thread::sleep(Duration::from_millis(2));
        }
        let elapsed = started.elapsed();
        let text = fs::read(document).expect("there");
        Ran {
            document: serde_json::from_slice(&text).unwrap_or_default(),
            elapsed,
            peak_mb,
        }
    }

    /// The policy file of a row.
    fn policy(&self, row: &Row) -> PathBuf {
        if row.policy.contains('=') {
            let path = self.path("policy.toml");
            fs::write(&path, self.filled(&row.policy)).expect("written");
            return path;
        }
        if row.policy.starts_with('/') || row.policy.starts_with('$') {
            return PathBuf::from(self.filled(&row.policy));
        }
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../examples/policies")
            .join(format!("{}.toml", row.policy))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(after) = self.after.take() {
            self.bash(&after, &[]);
        }
        // What a row closed must be opened again to be removed.
        let _ = fs::set_permissions(self.path("ws"), fs::Permissions::from_mode(0o755));
    }
}

/// The most memory that a process had so far, in MiB.
fn peak(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line
        .and_then(|line| line.trim().strip_suffix(" kB"))
        .and_then(|text| text.trim().parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}

/// `@repeat:PIECE:N REST` as the piece N times, and the rest.
fn repeated(text: &str) -> String {
    let Some(rest) = text.strip_prefix("@repeat:") else {
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
