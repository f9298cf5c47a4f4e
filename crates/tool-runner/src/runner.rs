//! Where tools are called: what a call needs that is no part of it.

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

/// Runs tools that are files: where they are found, with what rights and in which sandbox they run.
///
/// It is shared by threads; calls on it do not wait for each other's programs. A clone costs little and shares all that stays
/// between calls: trust, costs, sessions with servers, warm interpreters.
#[derive(Clone, Debug)]
pub struct ToolRunner {
    /// Where tools are found.
    pub(crate) registry: Arc<Registry>,
    /// Whom the user trusts.
    pub(crate) trust: SharedTrust,
    /// The project: absolute, without links.
    pub(crate) project: PathBuf,
    /// What is granted: `fs.write`, `net.http`, `shell.execute`, `rye.execute.*`, ..
    pub(crate) granted: Vec<String>,
    /// The sandbox of their programs.
    pub(crate) sandbox: ProgramSandbox,
    /// The environment that files may name variables of.
    pub(crate) variables: Arc<Variables>,
    /// What runs tools.
    pub(crate) interpreters: Interpreters,
    /// What calls may cost.
    pub(crate) budget: Budget,
    /// How one waits between attempts, where nobody may cancel the call.
    pub(crate) pause: fn(Duration),
    /// Sessions with servers of tools, kept between calls.
    pub(crate) servers: Servers,
    /// Which of them may be asked, and for what.
    pub(crate) server_rules: ServerRules,
    /// Who may end calls, and gets their progress.
    pub(crate) watch: Watch,
    /// Interpreters that wait for the next call.
    pub(crate) warm: WarmInterpreters,
}

impl ToolRunner {
    /// A runner for the tools of a project, that grants reading and nothing else, in the strongest sandbox.
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

    /// The same with a registry and a trust store that are open already. `project` is absolute, without links.
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

    /// The same runner, which grants this and no more: `fs.write`, `net.http`, `shell.execute`, `rye.execute.*`, ..
    #[must_use]
    pub fn with_granted(self, granted: Vec<String>) -> ToolRunner {
        ToolRunner { granted, ..self }
    }

    /// The same runner with another sandbox for its programs.
    #[must_use]
    pub fn with_sandbox(self, sandbox: ProgramSandbox) -> ToolRunner {
        ToolRunner { sandbox, ..self }
    }

    /// The same runner, whose calls are paid for from this budget.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> ToolRunner {
        ToolRunner { budget, ..self }
    }

    /// The same runner, which shares these sessions with servers, and asks servers as the rules say.
    #[must_use]
    pub fn with_servers(self, servers: Servers, server_rules: ServerRules) -> ToolRunner {
        ToolRunner {
            servers,
            server_rules,
            ..self
        }
    }

    /// The same runner with another environment for files to name variables of, in place of the process's own.
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

    /// The same runner, which waits between attempts by this function where nobody may cancel the call.
    #[must_use]
    pub fn with_pause(self, pause: fn(Duration)) -> ToolRunner {
        ToolRunner { pause, ..self }
    }

    /// Where tools are found.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Whom the user trusts.
    pub fn trust(&self) -> &SharedTrust {
        &self.trust
    }

    /// The project: absolute, without links.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// What is granted.
    pub fn granted(&self) -> &[String] {
        &self.granted
    }

    /// The sandbox of its programs.
    pub fn sandbox(&self) -> &ProgramSandbox {
        &self.sandbox
    }

    /// What calls may cost, and did.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// What runs tools.
    pub fn interpreters(&self) -> &Interpreters {
        &self.interpreters
    }

    /// The interpreters that wait for the next call.
    pub fn warm(&self) -> &WarmInterpreters {
        &self.warm
    }

    /// The same runner for a call that somebody else watches.
    #[must_use]
    pub fn watched_by(&self, watch: Watch) -> ToolRunner {
        ToolRunner {
            watch,
            ..self.clone()
        }
    }

    /// The same runner, which grants more.
    pub(crate) fn granting(&self, more: &[String]) -> ToolRunner {
        let mut runner = self.clone();
        runner.granted.extend_from_slice(more);
        runner
    }

    /// Whether something is granted.
    pub fn grants(&self, capability: &str) -> bool {
        let granted: Vec<&str> = self.granted.iter().map(String::as_str).collect();
        capability::covers(&granted, capability)
    }

    /// The environment that programs may get, as far as files name its variables: what the policy lists.
    pub(crate) fn program_variables(&self) -> Variables {
        let settings = &self.sandbox.settings;
        let all = self.variables.iter();
        all.filter(|(name, _)| settings.tool_variable(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// The refusal of a program whose file names a variable that has a value, and that the policy does not list.
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

/// Whom the user trusts, shared by all who look it up and change it.
#[derive(Clone, Debug)]
pub struct SharedTrust(Arc<RwLock<Trust>>);

impl SharedTrust {
    /// Shares `trust`: clones look it up and change it together.
    pub fn new(trust: Trust) -> SharedTrust {
        SharedTrust(Arc::new(RwLock::new(trust)))
    }

    /// To look it up. Waits while somebody changes it.
    pub fn read(&self) -> RwLockReadGuard<'_, Trust> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// To change it. Waits for everybody else.
    pub fn write(&self) -> RwLockWriteGuard<'_, Trust> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a project's tools cannot be looked at.
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
