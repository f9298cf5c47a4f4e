//! What the calls of a message did so far: one that does the same again is told from one that does more.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};
use toolglot_exec::Plan;

/// The calls so far, each by its tool, where its paths lead, and its other arguments.
#[derive(Debug, Default)]
pub(crate) struct Seen(RefCell<HashSet<String>>);

impl Seen {
    /// Keeps a call. Whether one that does the same came before, however its paths are spelled.
    pub(crate) fn keeps(
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
        let sorted: BTreeMap<&String, Value> = arguments
            .iter()
            .map(|(name, value)| (name, settled(value).unwrap_or_else(|| value.clone())))
            .collect();
        let key = serde_json::json!([tool, sorted]).to_string();
        !self.0.borrow_mut().insert(key)
    }
}
