//! The calls of a message so far: distinguishes a repeated call from a new one.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use toolglot_builtins::Plan;
use toolglot_value::{Map, Value};

use crate::hash_writer::HashWriter;

/// The calls so far, each as the SHA-256 of its tool, its resolved paths and its other arguments, which may be large.
#[derive(Debug, Default)]
pub(crate) struct CallHistory(RefCell<HashSet<[u8; 32]>>);

impl CallHistory {
    /// Adds a call. Returns whether an earlier call does the same, however its paths are spelled.
    pub(crate) fn add(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        plan: Option<&Plan<'_>>,
    ) -> bool {
        let paths = plan.map_or(&[][..], Plan::paths);
        let settled = |value: &Value| {
            let written = value.as_str()?;
            let fact = paths.iter().find(|fact| fact.written == written)?;
            let inside = fact.found.as_ref().ok()?;
            Some(Value::from(inside.path.to_string_lossy()))
        };
        let sorted: BTreeMap<&String, Cow<'_, Value>> = arguments
            .iter()
            .map(|(name, value)| {
                let settled = settled(value).map(Cow::Owned);
                (name, settled.unwrap_or(Cow::Borrowed(value)))
            })
            .collect();
        let mut hash = HashWriter::default();
        // Writing into a hash never fails.
        let _ = serde_json::to_writer(&mut hash, &(tool, sorted));
        !self.0.borrow_mut().insert(hash.hash())
    }
}
