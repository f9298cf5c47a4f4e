//! Which calls of a message repeat an earlier one.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash, Hasher};
use std::io;

use toolglot_engine::End;
use toolglot_value::{Map, Value};

use crate::toolbox::{Effect, ToolSpec};

/// The commands and reads of a message so far.
///
/// Models write one call in several of AXE's forms, and mean it once. Only a call that is harmless to drop is a repeat:
/// a read or a command, if nothing ran since its first run that may have changed its result. A test after a repair
/// gives another answer, and so does `ls` after `touch`.
/// A repeated write is not a duplicate: two equal appends may be meant.
#[derive(Default)]
pub(crate) struct Seen {
    /// The key is a keyed hash: arguments may be large.
    calls: HashMap<u64, (usize, End)>,
    keys: RandomState,
}

impl Seen {
    /// The index of the earlier call that this one repeats. Call it for each complete call, in order.
    ///
    /// A call that may run never repeats one that may not: the call would be lost.
    pub(crate) fn repeats(&mut self, index: usize, call: Repeatable<'_>) -> Option<usize> {
        let changes = match call.spec.map_or(Effect::Unknown, |spec| spec.effect) {
            Effect::Ask => return None,
            Effect::Read => false,
            Effect::Execute => !only_looks(call.arguments),
            Effect::Write | Effect::Delete | Effect::Network | Effect::Unknown => {
                self.calls.clear();
                return None;
            }
        };
        let key = call.key(&self.keys);
        if let Some((first, end)) = self.calls.get(&key)
            && *end <= call.end
        {
            return Some(*first);
        }
        if changes {
            self.calls.clear();
        }
        self.calls.insert(key, (index, call.end));
        None
    }
}

/// Programs that change nothing, whatever their arguments are.
const LOOKING: &[&str] = &[
    "cat", "cut", "df", "diff", "du", "echo", "grep", "head", "ls", "nl", "pwd", "stat", "tail",
    "test", "tr", "true", "wc", "which", "whoami",
];

/// Whether a command is one read-only program in plain words. The effects of all other commands are unknown.
fn only_looks(arguments: &Map<String, Value>) -> bool {
    let mut texts = arguments.values().filter_map(Value::as_str);
    let Some(text) = arguments.get("command").and_then(Value::as_str) else {
        return false;
    };
    let is_plain = texts.all(|text| !text.contains(['&', '|', ';', '<', '>', '`', '$', '(', '\n']));
    is_plain
        && text
            .split_whitespace()
            .next()
            .is_some_and(|program| LOOKING.contains(&program))
}

/// The parts by which two calls are compared.
#[derive(Clone, Copy)]
pub(crate) struct Repeatable<'a> {
    pub(crate) spec: Option<&'a ToolSpec>,
    pub(crate) ns: Option<&'a str>,
    pub(crate) arguments: &'a Map<String, Value>,
    pub(crate) end: End,
}

impl Repeatable<'_> {
    /// Equal for calls that do the same: the order of keys does not count, and a default equals its written value.
    fn key(&self, keys: &RandomState) -> u64 {
        let mut arguments = Value::Object(self.arguments.clone());
        if let Some(spec) = self.spec {
            toolglot_schema::fill_defaults(&spec.parameters, &mut arguments);
        }
        let sorted: BTreeMap<&String, &Value> =
            arguments.as_object().into_iter().flatten().collect();
        let name = self.spec.map_or("", |spec| spec.name.as_str());
        let mut hash = HashWriter(keys.build_hasher());
        (name, self.ns.unwrap_or_default()).hash(&mut hash.0);
        // Writing into a hash never fails.
        let _ = serde_json::to_writer(&mut hash, &sorted);
        hash.0.finish()
    }
}

/// Hashes what is written into it.
struct HashWriter<H>(H);

impl<H: Hasher> io::Write for HashWriter<H> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
