//! Orders an upstream's native calls one after another, whatever the order of their pieces.

use std::collections::{HashMap, HashSet, VecDeque};

use toolglot_engine::End;
use toolglot_value::Value;

use super::UpstreamEvent;

/// The native calls of an answer.
#[derive(Debug, Default)]
pub(super) struct NativeCalls {
    /// The call that is being emitted, and the calls that wait for its end.
    open: VecDeque<NativeCall>,
    n_calls: u32,
    /// The indices and ids of ended calls: a later entry with both belongs to that call. Ids alone are not enough: some
    /// servers give all calls the same id.
    ended_ids: HashSet<(Option<u64>, String)>,
    /// The last ended call of each index.
    ended: HashMap<u64, EndedCall>,
}

/// Identifies later pieces of an ended call.
#[derive(Debug)]
struct EndedCall {
    has_id: bool,
    name: String,
}

/// The call that an entry belongs to.
#[derive(Clone, Copy, Debug)]
enum Owner {
    /// The open call at this position.
    Open(usize),
    /// An ended call, which was already emitted.
    Ended,
    /// No known call.
    New,
}

/// The parts of an entry that identify its call.
#[derive(Clone, Copy, Debug)]
struct EntryKey<'a> {
    index: Option<u64>,
    id: Option<&'a str>,
    name: Option<&'a str>,
    has_arguments: bool,
}

impl EntryKey<'_> {
    /// Whether an entry without an id starts a new call after a complete one of its index: it has another name, or
    /// arguments again. Servers that repeat the name in each piece send a last piece without arguments.
    fn is_another(&self, name: &str) -> bool {
        self.id.is_none()
            && self
                .name
                .is_some_and(|own| own != name || self.has_arguments)
    }
}

#[derive(Debug)]
struct NativeCall {
    /// The upstream's index, if it has one.
    index: Option<u64>,
    id: Option<String>,
    name: String,
    number: u32,
    arguments: String,
    /// The number of emitted bytes of the arguments.
    n_emitted: usize,
    scan: ObjectScan,
}

impl NativeCalls {
    pub(super) fn held(&self) -> usize {
        self.open.iter().map(|call| call.arguments.len()).sum()
    }

    /// Reads one entry of `tool_calls`; `None` if it is invalid.
    pub(super) fn delta(
        &mut self,
        delta: &Value,
        sink: &mut dyn FnMut(UpstreamEvent<'_>),
    ) -> Option<()> {
        delta.as_object()?;
        let function = &delta["function"];
        let key = EntryKey {
            index: delta["index"].as_u64(),
            id: delta["id"].as_str().filter(|id| !id.is_empty()),
            name: function["name"].as_str().filter(|name| !name.is_empty()),
            has_arguments: match &function["arguments"] {
                Value::String(piece) => !piece.trim().is_empty(),
                arguments => arguments.is_object(),
            },
        };
        let at = match (self.owner(key), key.name) {
            (Owner::Open(at), _) => at,
            (Owner::New, Some(name)) => {
                self.open.push_back(NativeCall {
                    index: key.index,
                    id: key.id.map(str::to_owned),
                    name: name.to_owned(),
                    number: self.n_calls,
                    arguments: String::new(),
                    n_emitted: 0,
                    scan: ObjectScan::default(),
                });
                self.n_calls += 1;
                if self.open.len() == 1 {
                    self.start(sink);
                }
                self.open.len() - 1
            }
            (Owner::Ended | Owner::New, _) => return Some(()),
        };
        let call = &mut self.open[at];
        match &function["arguments"] {
            Value::Null => {}
            Value::String(piece) => call.add(piece),
            // Some servers send the object itself.
            object @ Value::Object(_) => call.add(&object.to_string()),
            _ => return None,
        }
        self.emit(sink);
        while self.open.len() > 1 && self.open[0].scan.is_complete() {
            self.end(false, sink);
            self.start(sink);
            self.emit(sink);
        }
        Some(())
    }

    /// Ends all calls.
    pub(super) fn finish(&mut self, is_cut: bool, sink: &mut dyn FnMut(UpstreamEvent<'_>)) {
        while !self.open.is_empty() {
            // Only the last call can have been cut.
            self.end(is_cut && self.open.len() == 1, sink);
            if !self.open.is_empty() {
                self.start(sink);
                self.emit(sink);
            }
        }
    }

    /// The call that an entry continues. Without an index it is the last call, unless a name or another id starts a new
    /// one.
    fn owner(&self, key: EntryKey<'_>) -> Owner {
        let is_same = |call: &NativeCall| match (key.id, call.id.as_deref()) {
            (Some(id), Some(own)) => id == own,
            _ => true,
        };
        let fits = |call: &NativeCall| match key.index {
            Some(index) => call.index == Some(index) && is_same(call),
            None if key.name.is_some() => key.id.is_some() && call.id.as_deref() == key.id,
            None => is_same(call),
        };
        if let Some(at) = self.open.iter().rposition(fits) {
            let call = &self.open[at];
            let is_over = call.scan.is_complete() && key.is_another(&call.name);
            return if is_over { Owner::New } else { Owner::Open(at) };
        }
        let id = key.id.map(|id| (key.index, id.to_owned()));
        if id.is_some_and(|id| self.ended_ids.contains(&id)) {
            return Owner::Ended;
        }
        match key.index.and_then(|index| self.ended.get(&index)) {
            Some(ended) if key.id.is_some() && ended.has_id => Owner::New,
            Some(ended) if ended.has_id && key.name == Some(&ended.name) => Owner::Ended,
            Some(ended) if !key.is_another(&ended.name) && key.id.is_none() => Owner::Ended,
            _ => Owner::New,
        }
    }

    fn start(&self, sink: &mut dyn FnMut(UpstreamEvent<'_>)) {
        if let Some(call) = self.open.front() {
            sink(UpstreamEvent::CallStart {
                call: call.number,
                name: &call.name,
                id: call.id.as_deref(),
            });
        }
    }

    /// Emits the pending part of the first call's arguments.
    fn emit(&mut self, sink: &mut dyn FnMut(UpstreamEvent<'_>)) {
        let Some(call) = self.open.front_mut() else {
            return;
        };
        if call.n_emitted < call.arguments.len() {
            let json = &call.arguments[call.n_emitted..];
            let number = call.number;
            sink(UpstreamEvent::Arguments { call: number, json });
            call.n_emitted = call.arguments.len();
        }
    }

    /// Ends the first call. Missing arguments mean a call without arguments, unless the call was cut.
    fn end(&mut self, is_cut: bool, sink: &mut dyn FnMut(UpstreamEvent<'_>)) {
        let Some(call) = self.open.pop_front() else {
            return;
        };
        let number = call.number;
        if let Some(index) = call.index {
            let (has_id, name) = (call.id.is_some(), call.name.clone());
            self.ended.insert(index, EndedCall { has_id, name });
        }
        self.ended_ids.extend(call.id.map(|id| (call.index, id)));
        let is_blank = call.arguments.trim().is_empty();
        if is_blank && !is_cut {
            sink(UpstreamEvent::Arguments {
                call: number,
                json: "{}",
            });
        }
        let is_object = call.arguments.trim_start().starts_with('{')
            && toolglot_value::is_json(&call.arguments);
        let end = if is_object || is_blank && !is_cut {
            End::Closed
        } else {
            End::Truncated
        };
        sink(UpstreamEvent::CallEnd { call: number, end });
    }
}

impl NativeCall {
    fn add(&mut self, piece: &str) {
        self.scan.feed(piece);
        self.arguments.push_str(piece);
    }
}

/// Detects the last brace of an object.
#[derive(Debug, Default)]
struct ObjectScan {
    depth: u32,
    in_string: bool,
    is_escaped: bool,
    has_object: bool,
}

impl ObjectScan {
    fn feed(&mut self, piece: &str) {
        for byte in piece.bytes() {
            match byte {
                _ if std::mem::take(&mut self.is_escaped) => {}
                b'\\' if self.in_string => self.is_escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => {
                    self.has_object |= self.depth == 0 && byte == b'{';
                    self.depth += 1;
                }
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn is_complete(&self) -> bool {
        self.has_object && self.depth == 0 && !self.in_string
    }
}
