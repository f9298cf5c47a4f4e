//! Tools that a container engine runs.

use std::ffi::OsString;

use toolglot_tool_files::Language;
use toolglot_value::{Map, Value};

use crate::environment::{self, Variables};
use crate::failure::CallError;
use crate::program::{Manner, Program};
use crate::programs::Builder;
use crate::protected_paths;
use crate::random_word::random_word;
use crate::resolve::Chain;
use crate::words::words;

/// The capability of tools in a container: the engine's socket, which has all rights of the engine's user.
pub(crate) const CONTAINER_ENGINE: &str = "container.engine";
/// The project's path in a container.
const WORKSPACE: &str = "/workspace";

/// Whether a container engine runs the chain.
pub(crate) fn is_container(chain: &Chain) -> bool {
    let is_configured = match chain.protocol().as_deref() {
        Some("function" | "program") => chain.tool().0.language != Language::Python,
        Some(_) => false,
        None => !matches!(
            chain.tool().0.language,
            Language::Python | Language::JavaScript | Language::TypeScript | Language::Bash
        ),
    };
    chain.primitive() == "subprocess" && is_configured && chain.settings().contains_key("image")
}

impl Builder<'_> {
    /// The command `docker run` for the tool's configuration.
    ///
    /// The engine's client runs outside every sandbox, so no link of the chain sets the client's environment.
    pub(crate) fn container(mut self, config: &Map<String, Value>) -> Result<Program, CallError> {
        let expanded = self.expand(config)?;
        self.env = environment::base(&self.runner.program_variables());
        let engine =
            self.runner
                .interpreters
                .program("docker")
                .ok_or_else(|| CallError::NoInterpreter {
                    id: self.id(),
                    program: "docker",
                })?;
        let text = |key: &str| expanded.get(key).and_then(Value::as_str);
        let image = text("image").ok_or_else(|| self.bad("`config.image` is not a string"))?;
        if image.starts_with('-') || image.is_empty() {
            return Err(self.bad(format!("`{image}` is not an image")));
        }
        // The name to remove the container by when its call ends.
        let name = format!("toolglot-{}", random_word());
        let mut argv: Vec<String> = ["run", "--rm", "--name", &name, "--interactive", "--network"]
            .map(str::to_owned)
            .to_vec();
        argv.push(
            if self.runner.grants("net.http") && self.runner.sandbox.settings.tool_network() {
                "bridge"
            } else {
                "none"
            }
            .to_owned(),
        );
        argv.extend(self.limits());
        let is_whole = protected_paths::writable(self.runner).contains(&self.runner.project);
        let mount = if is_whole { "" } else { ":ro" };
        argv.extend([
            "--volume".to_owned(),
            format!("{}:{WORKSPACE}{mount}", self.project()),
            "--workdir".to_owned(),
            WORKSPACE.to_owned(),
        ]);
        argv.extend(protected_paths::mounts(self.runner, &self.id())?);
        // `--entrypoint` takes one word; further words become the first words of the command.
        let listed = |what: &str| {
            words(expanded.get(what))
                .map_err(|_| self.bad(format!("`config.{what}` is not a list of words")))
        };
        let (mut entrypoint, command) = (listed("entrypoint")?, listed("command")?);
        if !entrypoint.is_empty() {
            argv.extend(["--entrypoint".to_owned(), entrypoint.remove(0)]);
        }
        match expanded.get("env") {
            Some(Value::Object(map)) => {
                for (name, value) in map {
                    let written = config.get("env").and_then(|env| env.get(name));
                    let value = value
                        .as_str()
                        .map_or_else(|| value.to_string(), str::to_owned);
                    let is_expanded = written.and_then(Value::as_str) != Some(&value);
                    if is_expanded && written.is_some_and(Value::is_string) {
                        argv.extend(self.container_variable(name, value));
                    } else {
                        argv.extend(["--env".to_owned(), format!("{name}={value}")]);
                    }
                }
            }
            Some(Value::Array(names)) => {
                for name in names.iter().filter_map(Value::as_str) {
                    match self.variables.get(name).cloned() {
                        Some(value) => argv.extend(self.container_variable(name, value)),
                        None => argv.extend(["--env".to_owned(), name.to_owned()]),
                    }
                }
            }
            _ => {}
        }
        // By name only: all users of the machine can read the values on a command line.
        let mut of_call = Variables::new();
        let _ = environment::parameters(self.params, &mut of_call);
        for name in of_call.keys() {
            argv.extend(["--env".to_owned(), name.clone()]);
        }
        self.env.extend(of_call);
        argv.extend(["--env".to_owned(), format!("TOOLGLOT_PROJECT={WORKSPACE}")]);
        argv.push(image.to_owned());
        argv.extend(entrypoint);
        argv.extend(command);
        argv.extend(words(expanded.get("args")).map_err(|why| self.bad(why))?);
        for name in ["DOCKER_HOST", "HOME"] {
            if let Some(value) = self.runner.variables.get(name) {
                self.env.insert(name.to_owned(), value.clone());
            }
        }
        let stdin = self.params_json().into_bytes();
        let mut program = self.start(
            engine,
            argv.into_iter().map(OsString::from).collect(),
            stdin,
            Manner::Printed,
        );
        program.is_container = true;
        Ok(program)
    }

    /// The engine's options for the limits of a container.
    fn limits(&self) -> Vec<String> {
        let sandbox = &self.runner.sandbox.settings.decided;
        let bytes = sandbox.fsize_mb.saturating_mul(1 << 20);
        [
            format!("--memory={}m", sandbox.memory_mb),
            // Without this option the engine allows the same amount of swap.
            format!("--memory-swap={}m", sandbox.memory_mb),
            format!("--pids-limit={}", sandbox.pids),
            format!("--ulimit=fsize={bytes}:{bytes}"),
        ]
        .into()
    }

    /// The options that pass a variable with a user's value to a container.
    ///
    /// All users of the machine can read a command line, so the engine's client gets the value as a variable. A
    /// variable that the client itself obeys is passed on the command line, unless it equals the user's own variable.
    fn container_variable(&mut self, name: &str, value: String) -> [String; 2] {
        let is_users = self.runner.variables.get(name) == Some(&value);
        let word = if is_of_engine(name) && !is_users {
            format!("{name}={value}")
        } else {
            self.env.insert(name.to_owned(), value);
            name.to_owned()
        };
        ["--env".to_owned(), word]
    }
}

/// Variables that the client of a container engine obeys, whether it is a program or a wrapper script.
const OF_CLIENT: &[&str] = &[
    "ALL_PROXY",
    "ENV",
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "GOCOVERDIR",
    "GODEBUG",
    "GOTRACEBACK",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "IFS",
    "NO_PROXY",
    "PATH",
    "REGISTRY_AUTH_FILE",
    "SHELLOPTS",
    "TMPDIR",
];

/// Prefixes of such variables.
const OF_CLIENT_STARTS: &[&str] = &[
    "BASH",
    "BUILDAH_",
    "BUILDKIT_",
    "BUILDX_",
    "COMPOSE_",
    "CONTAINER",
    "DBUS_",
    "DOCKER_",
    "LC_",
    "LD_",
    "MALLOC_",
    "NODE_",
    "PERL",
    "PODMAN_",
    "PYTHON",
    "RUBY",
    "SSL_CERT_",
    "STORAGE_",
    "XDG_",
];

/// Whether the client of a container engine obeys a variable.
fn is_of_engine(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    OF_CLIENT.contains(&upper.as_str())
        || OF_CLIENT_STARTS
            .iter()
            .any(|start| upper.starts_with(start))
}
