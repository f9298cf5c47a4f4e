//! A session: a root with its policies, its tools, and whoever approves and logs calls.

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

/// A root with its policies, its tools, and whoever approves and logs calls.
pub struct Session {
    pub(crate) settings: SessionSettings,
    /// Functions of the embedding program.
    pub(crate) functions: Vec<Function>,
    pub(crate) dialects: Arc<[Dialect]>,
    /// For no tools, compiled when the first message needs them.
    pub(crate) rules: OnceLock<CompiledRules>,
    pub(crate) root: Root,
    pub(crate) authority: Authority,
    /// What runs tools that are files.
    pub(crate) runner: ToolRunner,
    pub(crate) watch: Watch,
    pub(crate) cancel: Cancel,
    pub(crate) stamp: SessionStamp,
    /// What results of the session said.
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
    /// What reads messages: the dialects, compiled for no tools.
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

    /// What `look` finds in what says whose tools run. `look` makes no call: a call waits until it has ended.
    pub fn with_trust<T>(&self, look: impl FnOnce(&Trust) -> T) -> T {
        look(&self.runner.trust().read())
    }

    /// How strong the sandbox of programs is.
    pub fn level(&self) -> Level {
        self.runner.sandbox().settings.decided.level
    }

    /// What tools that are files may do.
    pub fn capabilities(&self) -> &[String] {
        self.runner.granted()
    }

    /// What ends the session's calls, to be handed to another thread.
    pub fn cancel_handle(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Ends the session's calls from another thread: those that are running, and all that come later.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Whether the policy files, the registry or the trust are others than when the session was built.
    pub fn is_outdated(&self) -> bool {
        SessionStamp::now(self.runner.project(), &self.settings.policies) != self.stamp
    }

    /// A journal for one message, or one call: what it changes is taken back together.
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

    /// What runs tools that are files, for a call that somebody watches.
    pub(crate) fn runner(&self, watch: Watch) -> ToolRunner {
        self.runner.watched_by(watch)
    }
}
