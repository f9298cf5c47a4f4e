//! The settings of a session.

use std::path::PathBuf;
use std::sync::Arc;

use toolglot_toolset::Toolbox;

use crate::approval::Approver;
use crate::audit::AuditLog;
use crate::policies::Policies;
use crate::reading::{AfterFailure, ReadingSettings};

/// The settings of a session that its calls depend on.
#[derive(Clone)]
pub(crate) struct SessionSettings {
    pub(crate) policies: Policies,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) log: Option<Arc<dyn AuditLog>>,
    /// The directory of journals; `None` if nothing is to be undone.
    pub(crate) journals: Option<PathBuf>,
    pub(crate) dry_run: bool,
    /// The tools that the model was given, if the caller named them.
    pub(crate) tools: Option<Toolbox>,
    pub(crate) reading: ReadingSettings,
    pub(crate) after_failing_line: AfterFailure,
    /// Whether every call of a message runs, even where its dialect's system runs only one.
    pub(crate) many: bool,
    /// Whether results are remembered, to detect a call that is copied from one.
    pub(crate) keeps_results: bool,
}

impl std::fmt::Debug for SessionSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionSettings")
            .field("policies", &self.policies)
            .finish_non_exhaustive()
    }
}
