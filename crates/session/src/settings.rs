//! What a session keeps of what it was built from.

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
    /// Where journals are kept; nowhere if nothing is to be taken back.
    pub(crate) journals: Option<PathBuf>,
    pub(crate) dry_run: bool,
    /// The tools that the model was given, if the caller named them.
    pub(crate) tools: Option<Toolbox>,
    pub(crate) reading: ReadingSettings,
    pub(crate) after_failing_line: AfterFailure,
    /// Whether every call of a message runs, whatever its dialect's system does.
    pub(crate) many: bool,
    /// Whether results are remembered, to know a call that is copied out of one.
    pub(crate) keeps_results: bool,
}

impl std::fmt::Debug for SessionSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionSettings")
            .field("policies", &self.policies)
            .finish_non_exhaustive()
    }
}
