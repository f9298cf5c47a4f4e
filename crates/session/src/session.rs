//! A session: a root with its policies, its tools, its approver and its log.

use std::sync::{Arc, Mutex, OnceLock};

use toolglot_builtins::{Journal, Root};
use toolglot_chat::CompiledRules;
use toolglot_engine::Dialect;
use toolglot_policy::{Authority, Level};
use toolglot_tool_registry::Registry;
use toolglot_tool_runner::{Cancel, ToolRunner, Watch};
use toolglot_tool_trust::Trust;

use crate::SessionError;
use crate::approval::{Context, Question};
use crate::gate::Gate;
use crate::result_memory::ResultMemory;
use crate::settings::SessionSettings;
use crate::stamp::SessionStamp;
use crate::tool::Function;

/// A root with its policies, its tools, its approver and its log.
pub struct Session {
    pub(crate) settings: SessionSettings,
    /// Functions of the embedding program.
    pub(crate) functions: Vec<Function>,
    pub(crate) dialects: Arc<[Dialect]>,
    /// The rules without tools, compiled when the first message needs them.
    pub(crate) rules: OnceLock<CompiledRules>,
    pub(crate) root: Root,
    pub(crate) authority: Authority,
    /// The runner of file tools.
    pub(crate) runner: ToolRunner,
    pub(crate) watch: Watch,
    pub(crate) cancel: Cancel,
    pub(crate) stamp: SessionStamp,
    /// The texts of the session's results.
    pub(crate) results: Mutex<ResultMemory>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// The rules that parse messages: the dialects, compiled without tools.
    pub(crate) fn rules(&self) -> Result<&CompiledRules, SessionError> {
        if let Some(rules) = self.rules.get() {
            return Ok(rules);
        }
        let rules = CompiledRules::new(&self.dialects, None)?;
        Ok(self.rules.get_or_init(|| rules))
    }

    /// The root.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The tools that are files.
    pub fn registry(&self) -> &Registry {
        self.runner.registry()
    }

    /// Gives `look` access to the trust store. `look` must not make a call: a call waits until `look` has returned.
    pub fn with_trust<T>(&self, look: impl FnOnce(&Trust) -> T) -> T {
        look(&self.runner.trust().read())
    }

    /// The level of the sandbox of programs.
    pub fn level(&self) -> Level {
        self.runner.sandbox().settings.decided.level
    }

    /// The capabilities of file tools.
    pub fn capabilities(&self) -> &[String] {
        self.runner.granted()
    }

    /// A handle that cancels the session's calls, for another thread.
    pub fn cancel_handle(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Cancels the session's calls from another thread: the running calls and all later ones.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Whether the policy files, the registry or the trust store have changed since the session was built.
    pub fn is_outdated(&self) -> bool {
        SessionStamp::now(self.runner.project(), &self.settings.policies) != self.stamp
    }

    /// A journal for one message or one call: its changes are undone together.
    pub(crate) fn journal(&self) -> Option<Journal> {
        let place = self.settings.journals.as_deref();
        let place = place.filter(|_| !self.settings.dry_run)?;
        Some(Journal::new(place, self.root.path()))
    }

    pub(crate) fn gate<'a>(&'a self, journal: Option<&'a Journal>) -> Gate<'a> {
        Gate {
            root: &self.root,
            authority: &self.authority,
            question: Question {
                approver: &*self.settings.approver,
                context: Context::default(),
            },
            log: self.settings.log.as_deref(),
            journal,
            dry_run: self.settings.dry_run,
            history: None,
        }
    }

    /// The runner of file tools, for a call with this watch.
    pub(crate) fn runner(&self, watch: Watch) -> ToolRunner {
        self.runner.watched_by(watch)
    }
}
