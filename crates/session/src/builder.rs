//! The builder of a session.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use toolglot_builtins::{ProgramSandbox, Root};
use toolglot_chat::dialects_named;
use toolglot_engine::Dialect;
use toolglot_policy::{Authority, Level};
use toolglot_tool_runner::{Budget, Cancel, Progress, Servers, ToolRunner, Watch};
use toolglot_toolset::Toolbox;

use crate::approval::{Approver, Nobody};
use crate::audit::AuditLog;
use crate::own_files::{LOG, OwnFile, protect};
use crate::policies::{Policies, demands};
use crate::reading::{AfterFailure, ReadingSettings};
use crate::session::Session;
use crate::settings::SessionSettings;
use crate::stamp::SessionStamp;
use crate::tool::{Function, Tool};
use crate::{Grants, SessionError, VERBS, journals};

/// Receives the progress of a call.
type Listener = Arc<dyn Fn(Progress) + Send + Sync>;

/// The builder of a session. Sessions from one builder and its copies share the costs of calls and the server
/// connections.
#[derive(Clone)]
pub struct SessionBuilder {
    root: PathBuf,
    settings: SessionSettings,
    grants: Grants,
    cancel: Option<Cancel>,
    listener: Option<Listener>,
    level: Option<Level>,
    max_cost: Option<f64>,
    own_files: Vec<(PathBuf, OwnFile)>,
    servers: Servers,
    dialects: Option<Vec<Dialect>>,
    functions: Vec<Arc<dyn Tool>>,
    /// The cost of the calls of all sessions. Each session has its own limit, from its own policy.
    budget: Budget,
}

impl std::fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionBuilder")
            .field("root", &self.root)
            .field("settings", &self.settings)
            .field("grants", &self.grants)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// A builder of a session in `root`, the directory that no call can leave.
    pub fn builder(root: &Path, policies: Policies) -> SessionBuilder {
        SessionBuilder::new(root, policies)
    }
}

impl SessionBuilder {
    fn new(root: &Path, policies: Policies) -> SessionBuilder {
        SessionBuilder {
            root: root.to_path_buf(),
            settings: SessionSettings {
                policies,
                approver: Arc::new(Nobody),
                log: None,
                journals: journals(),
                dry_run: false,
                tools: None,
                reading: ReadingSettings::default(),
                after_failing_line: AfterFailure::default(),
                many: false,
                keeps_results: true,
            },
            grants: Grants::default(),
            cancel: None,
            listener: None,
            level: None,
            max_cost: None,
            own_files: Vec::new(),
            servers: Servers::default(),
            dialects: None,
            functions: Vec::new(),
            budget: Budget::default(),
        }
    }

    /// The tools that the model was given. A message may call no other tool, and the arguments must fit their schemas.
    /// By default the builtin tools and the tools of the registry.
    #[must_use]
    pub fn tools(mut self, tools: Toolbox) -> SessionBuilder {
        self.settings.tools = Some(tools);
        self
    }

    /// A function of the embedding program that messages may call.
    #[must_use]
    pub fn function(mut self, tool: impl Tool + 'static) -> SessionBuilder {
        self.functions.push(Arc::new(tool));
        self
    }

    /// The dialects that messages are read with. By default all dialects that have a distinctive opener.
    #[must_use]
    pub fn dialects(mut self, dialects: Vec<Dialect>) -> SessionBuilder {
        self.dialects = Some(dialects);
        self
    }

    /// How messages are read.
    #[must_use]
    pub fn reading(mut self, settings: ReadingSettings) -> SessionBuilder {
        self.settings.reading = settings;
        self
    }

    /// What happens to the commands of a shell block after one that failed.
    #[must_use]
    pub fn after_failing_line(mut self, what: AfterFailure) -> SessionBuilder {
        self.settings.after_failing_line = what;
        self
    }

    /// Whether every call of a message runs, even where the dialect's own system runs only one.
    #[must_use]
    pub fn many(mut self, many: bool) -> SessionBuilder {
        self.settings.many = many;
        self
    }

    /// What is granted in advance. By default only reading.
    #[must_use]
    pub fn grants(mut self, grants: Grants) -> SessionBuilder {
        self.grants = grants;
        self
    }

    /// The approver for calls where the policy says `ask`. By default [`Nobody`].
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> SessionBuilder {
        self.settings.approver = Arc::new(approver);
        self
    }

    /// The log of decisions and effects. By default there is none.
    #[must_use]
    pub fn audit(mut self, log: impl AuditLog + 'static) -> SessionBuilder {
        self.settings.log = Some(Arc::new(log));
        self
    }

    /// The handle that cancels calls from another thread; the caller keeps a copy.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> SessionBuilder {
        self.cancel = Some(cancel);
        self
    }

    /// The listener that receives the progress of calls.
    #[must_use]
    pub fn progress(
        mut self,
        listener: impl Fn(Progress) + Send + Sync + 'static,
    ) -> SessionBuilder {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// The level of the sandbox. If the policy sets a level, only a stronger level has an effect. If the policy has
    /// `network = "none"`, `read` or `write`, the level is at least [`Level::Landlock`].
    #[must_use]
    pub fn sandbox(mut self, level: Level) -> SessionBuilder {
        self.level = Some(level);
        self
    }

    /// The limit on the total cost of calls, in the currency of the tools; the policy may set a lower limit.
    #[must_use]
    pub fn max_cost(mut self, most: f64) -> SessionBuilder {
        self.max_cost = Some(most);
        self
    }

    /// Whether everything is checked and nothing runs.
    #[must_use]
    pub fn dry_run(mut self, is_dry: bool) -> SessionBuilder {
        self.settings.dry_run = is_dry;
        self
    }

    /// The directory for the previous contents of changed files. By default in the user's state directory.
    #[must_use]
    pub fn journal(mut self, directory: &Path) -> SessionBuilder {
        self.settings.journals = Some(directory.to_path_buf());
        self
    }

    /// Keeps no previous contents: no run can be undone.
    #[must_use]
    pub fn without_journal(mut self) -> SessionBuilder {
        self.settings.journals = None;
        self
    }

    /// Remembers no results, for callers that run no messages: a call that a message copies from a result is not
    /// detected.
    #[must_use]
    pub fn without_result_memory(mut self) -> SessionBuilder {
        self.settings.keeps_results = false;
        self
    }

    /// Protects a file of the user's own: no call changes it, if it is inside the root.
    #[must_use]
    pub fn protect(mut self, file: &Path, kind: OwnFile) -> SessionBuilder {
        self.own_files.push((file.to_path_buf(), kind));
        self
    }

    /// The same builder, with the policy files read again.
    #[must_use]
    pub fn reread(mut self) -> SessionBuilder {
        self.settings.policies = self.settings.policies.reread();
        self
    }

    /// Warnings about the policy files, for the user only.
    pub fn warnings(&self) -> &[String] {
        self.settings.policies.warnings()
    }

    /// A stamp that is unequal when anything changed that a session is built from.
    pub fn stamp(&self, project: &Path) -> SessionStamp {
        SessionStamp::now(project, &self.settings.policies)
    }

    /// Closes the server connections of all its sessions.
    pub fn end_servers(&self) {
        self.servers.end();
    }

    /// Opens the root, the registry of file tools, and the trust store.
    ///
    /// # Errors
    /// If one of them cannot be opened, or the policies are for another root. A broken policy file is not an error:
    /// it denies every call.
    pub fn build(mut self) -> Result<Session, SessionError> {
        let functions = self.checked_functions()?;
        let failed = |source| SessionError::Root {
            path: self.root.clone(),
            source,
        };
        let project = std::fs::canonicalize(&self.root).map_err(failed)?;
        let policies = self.settings.policies.root();
        if std::fs::canonicalize(policies).ok().as_ref() != Some(&project) {
            return Err(SessionError::OtherRoot {
                policies: policies.to_path_buf(),
                root: project,
            });
        }
        let dialects = match &self.dialects {
            Some(dialects) => dialects.clone(),
            None => dialects_named("auto", self.settings.tools.as_ref())?,
        };
        let stamp = SessionStamp::as_read(&project, &self.settings.policies);
        let authority = self.authority(&project);
        let runner = ToolRunner::open(&project)?;
        runner.trust().write().demand(demands(&authority))?;
        let cancel = match &self.cancel {
            Some(cancel) => cancel.clone(),
            None => Cancel::new().map_err(SessionError::Cancel)?,
        };
        let root = Root::open(&self.root).map_err(failed)?;
        let sandbox = self.program_sandbox(&authority, &cancel);
        let root = root.with_sandbox(sandbox.clone());
        let most = [self.max_cost, authority.cost_per_run()];
        let mut budget = self.budget.clone();
        budget.cap = most.into_iter().flatten().min_by(f64::total_cmp);
        let runner = runner
            .with_granted(self.grants.capabilities())
            .with_sandbox(sandbox)
            .with_budget(budget)
            .with_servers(self.servers.clone(), authority.server_rules());
        Ok(Session {
            runner,
            watch: Watch {
                cancel: Some(cancel.clone()),
                progress: self.listener.clone(),
            },
            results: Mutex::default(),
            cancel,
            functions,
            dialects: dialects.into(),
            rules: OnceLock::new(),
            stamp,
            authority,
            root,
            settings: self.settings,
        })
    }

    /// The functions with their declarations, added to the tools that the model was given.
    fn checked_functions(&mut self) -> Result<Vec<Function>, SessionError> {
        let vocabulary = Toolbox::builtin("vocabulary").unwrap_or_default();
        let mut functions: Vec<Function> = Vec::new();
        for tool in &self.functions {
            let function = Function::new(tool).ok_or(SessionError::Function)?;
            let name = &function.spec.name;
            let is_twice = functions.iter().any(|other| other.spec.name == *name);
            if is_twice || vocabulary.canonical(name).is_some() || VERBS.contains(&name.as_str()) {
                return Err(SessionError::TakenName(name.clone()));
            }
            functions.push(function);
        }
        if let Some(tools) = &mut self.settings.tools {
            tools.extend(functions.iter().map(|function| function.spec.clone()));
        }
        Ok(functions)
    }

    fn authority(&self, project: &Path) -> Authority {
        let log = self
            .settings
            .log
            .as_deref()
            .map_or_else(Vec::new, AuditLog::files);
        let mut authority = self.settings.policies.authority(self.grants.policy(), None);
        for file in log {
            protect(&mut authority, project, Some(file), &LOG);
        }
        for (file, kind) in &self.own_files {
            protect(&mut authority, project, Some(file), kind);
        }
        authority
    }

    /// The sandbox of every program that a call starts, from the policy and the level that the caller requests.
    /// Nothing else creates a sandbox.
    fn program_sandbox(&self, authority: &Authority, cancel: &Cancel) -> ProgramSandbox {
        ProgramSandbox {
            settings: authority.sandbox_settings(self.level),
            may_write: authority.commands_may_write(),
            refused: authority.refusals(),
            watch: toolglot_sandbox::Watch {
                cancel: Some(cancel.clone()),
                heard: None,
            },
        }
    }
}
