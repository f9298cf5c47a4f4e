//! The environment of calls: project, rights, sandbox and shared state.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use toolglot_builtins::ProgramSandbox;
use toolglot_policy::ServerRules;
use toolglot_tool_files::capability;
use toolglot_tool_registry::Registry;
use toolglot_tool_trust::{Spaces, Trust, TrustError};

use crate::budget::Budget;
use crate::environment::Variables;
use crate::failure::CallError;
use crate::interpreter::Interpreters;
use crate::sessions::Servers;
use crate::warm::WarmInterpreters;
use crate::watch::Watch;

/// Runs tools that are files. It has their registry, their rights and their sandbox.
///
/// Threads share it; calls do not wait for each other's programs. A clone is cheap and shares all state between calls:
/// trust, costs, sessions with servers, warm interpreters.
#[derive(Clone, Debug)]
pub struct ToolRunner {
    /// The registry of tools.
    pub(crate) registry: Arc<Registry>,
    /// The trust store.
    pub(crate) trust: SharedTrust,
    /// The project: absolute, without links.
    pub(crate) project: PathBuf,
    /// The granted capabilities: `fs.write`, `net.http`, `shell.execute`, `rye.execute.*`, ..
    pub(crate) granted: Vec<String>,
    /// The sandbox of the tools' programs.
    pub(crate) sandbox: ProgramSandbox,
    /// The environment variables that files may name.
    pub(crate) variables: Arc<Variables>,
    /// The interpreters of tools.
    pub(crate) interpreters: Interpreters,
    /// The budget of calls.
    pub(crate) budget: Budget,
    /// How to wait between attempts of a call that cannot be cancelled.
    pub(crate) pause: fn(Duration),
    /// Sessions with servers of tools, which stay between calls.
    pub(crate) servers: Servers,
    /// The servers that may be used, and their allowed tools.
    pub(crate) server_rules: ServerRules,
    /// Cancels calls and receives their progress.
    pub(crate) watch: Watch,
    /// Interpreters that wait for the next call.
    pub(crate) warm: WarmInterpreters,
}

impl ToolRunner {
    /// A runner for the tools of a project that grants only reading, in the strongest sandbox.
    ///
    /// # Errors
    /// If the registry or the trust cannot be opened.
    pub fn open(project: &Path) -> Result<ToolRunner, OpenError> {
        let spaces = Spaces::of(project);
        let trust = Trust::open(&spaces)?;
        let registry = Registry::open(&spaces)?.with_servers(&trust);
        let (registry, trust) = (Arc::new(registry), SharedTrust::new(trust));
        Ok(ToolRunner::new(registry, trust, project))
    }

    /// A runner with an open registry and trust store. `project` is absolute, without links.
    pub fn new(registry: Arc<Registry>, trust: SharedTrust, project: &Path) -> ToolRunner {
        let of_process = std::env::vars_os();
        let variables = of_process
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        ToolRunner {
            registry,
            trust,
            project: project.to_path_buf(),
            granted: vec!["fs.read".to_owned()],
            sandbox: ProgramSandbox::default(),
            variables: Arc::new(variables),
            interpreters: Interpreters::new(std::env::var_os("PATH").as_deref(), project),
            budget: Budget::default(),
            pause: std::thread::sleep,
            servers: Servers::default(),
            server_rules: ServerRules::default(),
            watch: Watch::default(),
            warm: WarmInterpreters::default(),
        }
    }

    /// The same runner with exactly these grants: `fs.write`, `net.http`, `shell.execute`, `rye.execute.*`, ..
    #[must_use]
    pub fn with_granted(self, granted: Vec<String>) -> ToolRunner {
        ToolRunner { granted, ..self }
    }

    /// The same runner with another sandbox for its programs.
    #[must_use]
    pub fn with_sandbox(self, sandbox: ProgramSandbox) -> ToolRunner {
        ToolRunner { sandbox, ..self }
    }

    /// The same runner with another budget.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> ToolRunner {
        ToolRunner { budget, ..self }
    }

    /// The same runner with these shared sessions and these rules for servers.
    #[must_use]
    pub fn with_servers(self, servers: Servers, server_rules: ServerRules) -> ToolRunner {
        ToolRunner {
            servers,
            server_rules,
            ..self
        }
    }

    /// The same runner with other variables for files than the process's own.
    #[must_use]
    pub fn with_variables(self, variables: Variables) -> ToolRunner {
        ToolRunner {
            variables: Arc::new(variables),
            ..self
        }
    }

    /// The same runner with other interpreters than those along the process's `PATH`.
    #[must_use]
    pub fn with_interpreters(self, interpreters: Interpreters) -> ToolRunner {
        ToolRunner {
            interpreters,
            ..self
        }
    }

    /// The same runner with another function to wait between attempts of a call that cannot be cancelled.
    #[must_use]
    pub fn with_pause(self, pause: fn(Duration)) -> ToolRunner {
        ToolRunner { pause, ..self }
    }

    /// The registry of tools.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The trust store.
    pub fn trust(&self) -> &SharedTrust {
        &self.trust
    }

    /// The project: absolute, without links.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The granted capabilities.
    pub fn granted(&self) -> &[String] {
        &self.granted
    }

    /// The sandbox of the tools' programs.
    pub fn sandbox(&self) -> &ProgramSandbox {
        &self.sandbox
    }

    /// The budget, with the amount spent.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The interpreters of tools.
    pub fn interpreters(&self) -> &Interpreters {
        &self.interpreters
    }

    /// The interpreters that wait for the next call.
    pub fn warm(&self) -> &WarmInterpreters {
        &self.warm
    }

    /// The same runner for a call with another watcher.
    #[must_use]
    pub fn watched_by(&self, watch: Watch) -> ToolRunner {
        ToolRunner {
            watch,
            ..self.clone()
        }
    }

    /// The same runner with further grants.
    pub(crate) fn granting(&self, more: &[String]) -> ToolRunner {
        let mut runner = self.clone();
        runner.granted.extend_from_slice(more);
        runner
    }

    /// Whether a capability is granted.
    pub fn grants(&self, capability: &str) -> bool {
        let granted: Vec<&str> = self.granted.iter().map(String::as_str).collect();
        capability::covers(&granted, capability)
    }

    /// The variables that files may pass to programs: those that the policy lists.
    pub(crate) fn program_variables(&self) -> Variables {
        let settings = &self.sandbox.settings;
        let all = self.variables.iter();
        all.filter(|(name, _)| settings.tool_variable(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// Changes the error for a variable without a value to the one for a variable that the policy does not list.
    pub(crate) fn unlisted(&self, error: CallError) -> CallError {
        match error {
            CallError::UnsetVariable { id, name, file }
                if self.variables.contains_key(&name)
                    && !self.sandbox.settings.tool_variable(&name) =>
            {
                CallError::UnlistedVariable { id, name, file }
            }
            error => error,
        }
    }
}

/// The trust store, shared by readers and writers.
#[derive(Clone, Debug)]
pub struct SharedTrust(Arc<RwLock<Trust>>);

impl SharedTrust {
    /// Shares `trust`: clones read and change the same store.
    pub fn new(trust: Trust) -> SharedTrust {
        SharedTrust(Arc::new(RwLock::new(trust)))
    }

    /// Locks the store for reading. Waits for a writer.
    pub fn read(&self) -> RwLockReadGuard<'_, Trust> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the store for changes. Waits for all readers and writers.
    pub fn write(&self) -> RwLockWriteGuard<'_, Trust> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a project's tools cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The registry.
    #[error(transparent)]
    Find(#[from] toolglot_tool_registry::FindError),
    /// The trust store.
    #[error(transparent)]
    Trust(#[from] TrustError),
}

#[cfg(test)]
mod tests {
    use super::ToolRunner;

    /// Calls run on any thread, and several at once on one runner.
    const _: fn() = || {
        fn is_shared<T: Send + Sync>() {}
        is_shared::<ToolRunner>();
    };
}
