//! A session: a root with its policies, its tools, and whoever approves and logs calls.

use std::path::Path;
use std::sync::{Arc, Mutex};

use toolglot_builtins::{Journal, Root};
use toolglot_engine::Dialect;
use toolglot_policy::{Authority, Level};
use toolglot_tool_registry::{Registry, Spaces, Trust};
use toolglot_tool_runner::{Cancel, ToolRunner, Watch};

use crate::approval::{Context, Question};
use crate::builder::SessionBuilder;
use crate::gate::Gate;
use crate::policies::{FilesHash, Policies};
use crate::result_memory::ResultMemory;
use crate::tool::Function;

/// A root with its policies, its tools, and whoever approves and logs calls.
pub struct Session {
    pub(crate) from: SessionBuilder,
    /// Functions of the embedding program.
    pub(crate) functions: Vec<Function>,
    pub(crate) dialects: Arc<[Dialect]>,
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
            .field("from", &self.from)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// What makes a session in `root`, the directory that no call leaves.
    pub fn builder(root: &Path, policies: Policies) -> SessionBuilder {
        SessionBuilder::new(root, policies)
    }

    /// The root.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The tools that are files.
    pub fn registry(&self) -> &Registry {
        &self.runner.registry
    }

    /// What `look` finds in what says whose tools run. `look` makes no call: a call waits until it has ended.
    pub fn with_trust<T>(&self, look: impl FnOnce(&Trust) -> T) -> T {
        look(&self.runner.trust.read())
    }

    /// How strong the sandbox of programs is.
    pub fn level(&self) -> Level {
        self.runner.sandbox.settings.decided.level
    }

    /// What tools that are files may do.
    pub fn capabilities(&self) -> &[String] {
        &self.runner.granted
    }

    /// What ends the session's calls, to be handed to another thread.
    pub fn cancel_handle(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Ends the session's calls from another thread: those that are under way, and all that come later.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Whether the policy files, the registry or the trust are others than when the session was built.
    pub fn is_outdated(&self) -> bool {
        SessionStamp::now(&self.runner.project, &self.from.policies) != self.stamp
    }

    /// A journal for one message, or one call: what it changes is taken back together.
    pub(crate) fn journal(&self) -> Option<Journal> {
        let place = self.from.journals.as_deref();
        let place = place.filter(|_| !self.from.dry_run)?;
        Some(Journal::new(place, self.root.path()))
    }

    pub(crate) fn gate<'a>(&'a self, journal: Option<&'a Journal>) -> Gate<'a> {
        Gate {
            root: &self.root,
            authority: &self.authority,
            question: Question {
                approver: &*self.from.approver,
                context: Context::default(),
            },
            log: self.from.log.as_deref(),
            journal,
            dry_run: self.from.dry_run,
            seen: None,
        }
    }

    /// What runs tools that are files, for a call that somebody watches.
    pub(crate) fn runner(&self, watch: Watch) -> ToolRunner {
        self.runner.watched_by(watch)
    }
}

/// Whether the registry, the trust and the policy files are the same still.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionStamp {
    policies: FilesHash,
    project: FilesHash,
}

impl SessionStamp {
    /// The project as it is now, with the policy files as they were before they were read.
    pub(crate) fn as_read(project: &Path, policies: &Policies) -> SessionStamp {
        SessionStamp {
            policies: policies.stamp(),
            project: project_stamp(project),
        }
    }

    /// All of it as it is now.
    pub(crate) fn now(project: &Path, policies: &Policies) -> SessionStamp {
        SessionStamp {
            policies: policies.stamp_now(),
            project: project_stamp(project),
        }
    }
}

fn project_stamp(project: &Path) -> FilesHash {
    const PROJECT: &[&str] = &[
        ".mcp.json",
        ".ai/toolglot.lock",
        ".ai/tools",
        ".ai/trusted_keys",
    ];
    const USER: &[&str] = &[
        ".ai/mcp.json",
        ".ai/toolglot/ledger.json",
        ".ai/tools",
        ".ai/trusted_keys",
    ];
    let of_project = PROJECT.iter().map(|file| project.join(file));
    let user = Spaces::of(project).user;
    let of_user = user
        .iter()
        .flat_map(|user| USER.iter().map(|file| user.join(file)));
    FilesHash::of(of_project.chain(of_user))
}
