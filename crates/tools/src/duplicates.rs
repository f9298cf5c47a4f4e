//! Which calls of a message repeat an earlier one.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};
use toolglot::End;

use crate::toolbox::{Effect, ToolSpec};

/// The commands and reads of a message so far.
///
/// Models write one call in several of AXE's forms, and mean it once. Only what is harmless to leave out counts as
/// repeated: a read, unless something may have changed what it reads; a command, unless a file was written in between.
/// A repeated write is no duplicate: two equal appends may be meant.
#[derive(Default)]
pub(crate) struct Seen {
    reads: HashMap<String, (usize, End)>,
    commands: HashMap<String, (usize, End)>,
}

impl Seen {
    /// The index of the earlier call that this one repeats. Call it for each complete call, in order.
    ///
    /// A call that may run never repeats one that may not: it would be lost.
    pub(crate) fn repeats(&mut self, index: usize, call: Repeatable<'_>) -> Option<usize> {
        let calls = match call.spec.map_or(Effect::Unknown, |spec| spec.effect) {
            Effect::Read => &mut self.reads,
            Effect::Execute => {
                self.reads.clear();
                &mut self.commands
            }
            Effect::Write | Effect::Delete | Effect::Network | Effect::Unknown => {
                self.reads.clear();
                self.commands.clear();
                return None;
            }
            Effect::Ask => return None,
        };
        let first = calls.entry(call.key()).or_insert((index, call.end));
        if first.0 == index || first.1 > call.end {
            *first = (index, call.end);
            return None;
        }
        Some(first.0)
    }
}

/// What two calls are compared by.
#[derive(Clone, Copy)]
pub(crate) struct Repeatable<'a> {
    pub(crate) spec: Option<&'a ToolSpec>,
    pub(crate) ns: Option<&'a str>,
    pub(crate) arguments: &'a Map<String, Value>,
    pub(crate) end: End,
}

impl Repeatable<'_> {
    /// Equal for calls that do the same: order of keys does not count, and a default is as good as written.
    fn key(&self) -> String {
        let mut arguments = Value::Object(self.arguments.clone());
        if let Some(spec) = self.spec {
            toolglot_schema::fill_defaults(&spec.parameters, &mut arguments);
        }
        let sorted: BTreeMap<&String, &Value> =
            arguments.as_object().into_iter().flatten().collect();
        let name = self.spec.map_or("", |spec| spec.name.as_str());
        format!(
            "{name}\n{}\n{}",
            self.ns.unwrap_or_default(),
            serde_json::json!(sorted)
        )
    }
}
