//! The dialects that a text was not read with.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use toolglot_engine::{Dialect, Program};
use toolglot_toolset::Toolbox;

use crate::reader::compile;

/// The dialects that a text was not read with, compiled when they are first asked. It serves the messages of one set of
/// dialects and tools.
#[derive(Debug, Default)]
pub struct OtherPrograms {
    /// All dialects of `auto`.
    marked: OnceLock<Arc<Program>>,
    /// The dialects that read plain fences, each by itself: together they would take each other's blocks.
    fenced: Mutex<HashMap<&'static str, Option<Arc<Program>>>>,
}

impl OtherPrograms {
    pub(super) fn marked(&self, tools: &Toolbox) -> &Arc<Program> {
        self.marked
            .get_or_init(|| Arc::new(toolglot_dialects::auto().for_tools(&tools.tool_set())))
    }

    /// `None` where the dialect makes no program for these tools.
    pub(super) fn fenced(
        &self,
        dialect: &'static Dialect,
        tools: &Toolbox,
    ) -> Option<Arc<Program>> {
        let mut all = self.fenced.lock().unwrap_or_else(PoisonError::into_inner);
        let program = all
            .entry(dialect.name())
            .or_insert_with(|| compile(std::slice::from_ref(dialect), Some(tools)).ok());
        program.clone()
    }
}
