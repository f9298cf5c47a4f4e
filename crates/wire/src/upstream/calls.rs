//! Native calls of an upstream, one after another, whatever order their pieces come in.

use std::collections::VecDeque;

use toolglot_engine::End;
use toolglot_value::Value;

use super::UpstreamEvent;

/// The native calls of an answer.
#[derive(Debug, Default)]
pub(super) struct NativeCalls {
    /// The call that is told now, and those that wait for its end.
    open: VecDeque<NativeCall>,
    n_calls: u32,
}

#[derive(Debug)]
struct NativeCall {
    /// The upstream's index, where it gives one.
    index: Option<u64>,
    id: Option<String>,
    name: String,
    number: u32,
    arguments: String,
    /// How many bytes of the arguments were told.
    told: usize,
    scan: ObjectScan,
}

impl NativeCalls {
    pub(super) fn held(&self) -> usize {
        self.open.iter().map(|call| call.arguments.len()).sum()
    }

    /// Reads one entry of `tool_calls`; `None` where it is none.
    pub(super) fn delta(
        &mut self,
        delta: &Value,
        sink: &mut dyn FnMut(UpstreamEvent<'_>),
    ) -> Option<()> {
        delta.as_object()?;
        let function = &delta["function"];
        let id = delta["id"].as_str().filter(|id| !id.is_empty());
        let name = function["name"].as_str().filter(|name| !name.is_empty());
        let at = self.position(delta["index"].as_u64(), id, name);
        let at = match (at, name) {
            (Some(at), _) => at,
            (None, Some(name)) => {
                self.open.push_back(NativeCall {
                    index: delta["index"].as_u64(),
                    id: id.map(str::to_owned),
                    name: name.to_owned(),
                    number: self.n_calls,
                    arguments: String::new(),
                    told: 0,
                    scan: ObjectScan::default(),
                });
                self.n_calls += 1;
                if self.open.len() == 1 {
                    self.start(sink);
                }
                self.open.len() - 1
            }
            // More of a call that is over, which was told as it was.
            (None, None) => return Some(()),
        };
        let call = &mut self.open[at];
        match &function["arguments"] {
            Value::Null => {}
            Value::String(piece) => call.add(piece),
            // Some servers send the object itself.
            object @ Value::Object(_) => call.add(&object.to_string()),
            _ => return None,
        }
        self.tell(sink);
        while self.open.len() > 1 && self.open[0].scan.is_complete() {
            self.end(false, sink);
            self.start(sink);
            self.tell(sink);
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
                self.tell(sink);
            }
        }
    }

    /// The open call that an entry goes on with. Without an index it is the last one, unless a name or another id starts one.
    fn position(&self, index: Option<u64>, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let is_same = |call: &NativeCall| match (id, call.id.as_deref()) {
            (Some(id), Some(own)) => id == own,
            _ => true,
        };
        let fits = |call: &NativeCall| match index {
            Some(index) => call.index == Some(index) && is_same(call),
            None if name.is_some() => id.is_some() && call.id.as_deref() == id,
            None => is_same(call),
        };
        self.open.iter().rposition(fits)
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

    /// Tells what of the first call's arguments was not told.
    fn tell(&mut self, sink: &mut dyn FnMut(UpstreamEvent<'_>)) {
        let Some(call) = self.open.front_mut() else {
            return;
        };
        if call.told < call.arguments.len() {
            let json = &call.arguments[call.told..];
            let number = call.number;
            sink(UpstreamEvent::Arguments { call: number, json });
            call.told = call.arguments.len();
        }
    }

    /// Ends the first call. No arguments at all are those of a call without any, unless it was cut.
    fn end(&mut self, is_cut: bool, sink: &mut dyn FnMut(UpstreamEvent<'_>)) {
        let Some(call) = self.open.pop_front() else {
            return;
        };
        let number = call.number;
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

/// Whether an object has come to its last brace.
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
