//! A project, a user's home, and the tools in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tempfile::TempDir;
use toolglot_builtins::ProgramSandbox;
use toolglot_policy::{Level, Refusals, SandboxSettings, SandboxTable, ServerRules};
use toolglot_sandbox::Isolation;
use toolglot_tool_registry::Registry;
use toolglot_tool_runner::{
    Budget, CallError, CallResult, Interpreters, Servers, SharedTrust, ToolRunner, Watch,
};
use toolglot_tool_trust::{Spaces, Trust};
use toolglot_value::Value;

pub(crate) struct World {
    _keep: TempDir,
    pub(crate) project: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) granted: Vec<String>,
    pub(crate) path: std::ffi::OsString,
    pub(crate) cap: Option<f64>,
    pub(crate) rules: ServerRules,
    pub(crate) refused: Refusals,
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) watch: Watch,
    pub(crate) level: Option<Level>,
    /// The sandbox settings of the user's policy.
    pub(crate) sandbox: Option<SandboxTable>,
}

/// The pauses of the calls of this process, instead of sleeping.
pub(crate) static PAUSES: Mutex<Vec<Duration>> = Mutex::new(Vec::new());

fn pause(delay: Duration) {
    PAUSES.lock().expect("no test panics here").push(delay);
}

impl World {
    pub(crate) fn new() -> World {
        let keep = tempfile::tempdir().expect("room for a folder");
        let whole = fs::canonicalize(keep.path()).expect("it is there");
        let (project, home) = (whole.join("project"), whole.join("home"));
        fs::create_dir_all(project.join(".ai/tools")).expect("a folder");
        fs::create_dir_all(&home).expect("a folder");
        World {
            _keep: keep,
            project,
            home,
            granted: vec!["fs.read".into()],
            path: std::env::var_os("PATH").unwrap_or_default(),
            cap: None,
            rules: ServerRules::default(),
            refused: Refusals::default(),
            watch: Watch::default(),
            level: None,
            sandbox: None,
            variables: BTreeMap::from([
                ("PATH".to_owned(), std::env::var("PATH").unwrap_or_default()),
                ("SECRET".to_owned(), "a secret".to_owned()),
            ]),
        }
    }

    /// Writes a file below the project.
    pub(crate) fn file(&self, path: &str, text: &str) {
        let path = self.project.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Writes a tool and trusts it.
    pub(crate) fn tool(&self, path: &str, text: &str) {
        self.file(&format!(".ai/tools/{path}"), text);
        let (registry, mut trust) = self.open();
        let id = path.rsplit_once('.').expect("an extension").0;
        let found = registry
            .find(&id.parse_id())
            .expect("it was written just now");
        trust.trust(&[(&found, "1.0.0")]).expect("a home");
    }

    pub(crate) fn open(&self) -> (Registry, Trust) {
        let spaces = Spaces {
            project: Some(self.project.clone()),
            user: Some(self.home.clone()),
        };
        let trust = Trust::open(&spaces).expect("it can be opened");
        let registry = Registry::open(&spaces).expect("it can be opened");
        (registry.with_servers(&trust), trust)
    }

    pub(crate) fn with<T>(&self, act: impl FnOnce(&ToolRunner) -> T) -> T {
        let (registry, trust) = self.open();
        let (registry, trust) = (Arc::new(registry), SharedTrust::new(trust));
        let sandbox = ProgramSandbox {
            settings: SandboxSettings::new(self.sandbox.as_ref(), None, self.level),
            refused: self.refused.clone(),
            ..ProgramSandbox::default()
        };
        let runner = ToolRunner::new(registry, trust, &self.project)
            .with_granted(self.granted.clone())
            .with_sandbox(sandbox)
            .with_variables(self.variables.clone())
            .with_interpreters(Interpreters::new(Some(&self.path), &self.project))
            .with_budget(Budget::of(self.cap))
            .with_pause(pause)
            .with_servers(Servers::default(), self.rules.clone())
            .watched_by(self.watch.clone());
        act(&runner)
    }

    pub(crate) fn call(&self, id: &str, args: Value) -> Result<CallResult, CallError> {
        let Value::Object(args) = args else {
            panic!("arguments are an object")
        };
        self.with(|runner| runner.call_unjudged(id, args))
    }

    /// Calls a tool and returns its value.
    pub(crate) fn returned(&self, id: &str, args: Value) -> Value {
        match self.call(id, args) {
            Ok(called) => Value::Object(called.returned.value),
            Err(error) => panic!("{id} was not run: {error}"),
        }
    }

    /// The code and the message of a refused call.
    pub(crate) fn refused(&self, id: &str, args: Value) -> (&'static str, String) {
        match self.call(id, args) {
            Ok(called) => panic!("{id} ran: {:?}", called.returned),
            Err(error) => (error.code(), error.to_string()),
        }
    }
}

trait ParseId {
    fn parse_id(&self) -> toolglot_tool_files::ItemId;
}

impl ParseId for str {
    fn parse_id(&self) -> toolglot_tool_files::ItemId {
        toolglot_tool_files::ItemId::new(self).expect("an id")
    }
}

/// Whether this system can run programs in the sandbox. If not, it says so.
pub(crate) fn can_run(what: &str, programs: &[&str]) -> bool {
    use std::io::Write;
    let has_walls = toolglot_sandbox::layers().level() == Some(Isolation::Namespaces);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let missing = programs
        .iter()
        .find(|program| !std::env::split_paths(&path).any(|folder| folder.join(program).is_file()));
    if has_walls && missing.is_none() {
        return true;
    }
    let why = missing.map_or("no namespaces", |program| program);
    // Past the test harness, which hides the output of passing tests.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED: {what} ({why} is not to be had here)"
    );
    false
}

/// The head of a Python tool in the category `t`.
pub(crate) fn python(executor: &str, body: &str) -> String {
    format!(
        "__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n__executor_id__ = \"{executor}\"\n__category__ = \"t\"\n__tool_description__ = \"A tool\"\n{body}"
    )
}

/// The head of a Node tool in the category `t`.
pub(crate) fn node(body: &str) -> String {
    format!(
        "export const __version__ = \"1.0.0\";\nexport const __tool_type__ = \"script\";\nexport const __executor_id__ = \"node/node\";\nexport const __category__ = \"t\";\nexport const __tool_description__ = \"A tool\";\n{body}"
    )
}

/// A YAML tool in the category `t`.
pub(crate) fn yaml(name: &str, executor: &str, rest: &str) -> String {
    format!(
        "tool_id: {name}\ntool_type: script\nversion: \"1.0.0\"\nexecutor_id: {executor}\ncategory: t\ndescription: A tool\n{rest}"
    )
}
