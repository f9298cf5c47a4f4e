//! Calls in a text.

use toolglot_chat::{CompiledDialects, PieceKind, Reader, Trace, is_fault, tool_set};
use toolglot_engine::{Call, CallText, Calls, Code, End, Note, Renderer};
use toolglot_value::Value;
use toolglot_wire::Arguments;

use super::{RepairedCall, RowReport};

/// The repair of one text.
pub(crate) struct TextRepair<'a> {
    reader: &'a Reader,
    compiled: &'a CompiledDialects,
    text: String,
    trace: Trace,
    is_changed: bool,
}

impl<'a> TextRepair<'a> {
    pub(crate) fn new(
        reader: &'a Reader,
        compiled: &'a CompiledDialects,
        text: &str,
    ) -> TextRepair<'a> {
        TextRepair {
            reader,
            compiled,
            text: text.to_owned(),
            trace: read(reader, text),
            is_changed: false,
        }
    }

    /// The text with its calls repaired, if any was; `at` is the index of its message.
    pub(crate) fn run(mut self, at: Option<usize>, report: &mut RowReport) -> Option<String> {
        let place = at.map(|at| format!("messages[{at}]: ")).unwrap_or_default();
        let mut refused = Vec::new();
        // From the last to the first, so that the places of the earlier calls stay valid.
        for index in (0..self.trace.message.calls.len()).rev() {
            let call = self.trace.message.calls[index].clone();
            if call.end == End::Truncated {
                refused.push((call, "it is cut short".to_owned()));
            } else if is_broken(&call, &self.trace.message) {
                let notes = repair_notes(&call, &self.trace.message);
                match self.splice(index, &call) {
                    Ok(()) => self.repaired(&call, &notes, index, at, report),
                    Err(why) => refused.push((call, why)),
                }
            }
        }
        if refused.iter().any(|(call, _)| call.end != End::Truncated)
            && self.rewrite(at, report).is_ok()
        {
            refused.retain(|(call, _)| call.end == End::Truncated);
        }
        for (call, why) in refused.iter().rev() {
            report
                .left
                .push(format!("{place}the call of `{}` stays: {why}", call.name));
        }
        self.is_changed.then_some(self.text)
    }

    /// Rewrites one call in place.
    fn splice(&mut self, index: usize, call: &Call) -> Result<(), String> {
        let written = self.rendered("", std::slice::from_ref(call))?;
        let start = call.span.range().start;
        // A call may end before the closer of its block, which can contain more calls.
        let ends = [self.closed_end(index, call), call.span.range().end];
        let spliced = ends.map(|end| {
            let mut text = self.text.clone();
            text.replace_range(start..end, &written);
            text
        });
        let [closed, open] = spliced;
        self.take(closed).or_else(|_| self.take(open))
    }

    /// The end of the markup after a call.
    fn closed_end(&self, index: usize, call: &Call) -> usize {
        let end = call.span.end;
        let markup = self.trace.pieces.iter().find(|piece| {
            piece.kind == PieceKind::Markup && piece.span.start <= end && end < piece.span.end
        });
        let next = self.trace.message.calls.get(index + 1);
        let next = next.map_or(u64::MAX, |next| next.span.start);
        markup.map_or(end, |markup| markup.span.end.min(next).max(end)) as usize
    }

    /// Rewrites all calls, if only calls of one dialect follow the first one. Calls in one frame cannot be rewritten
    /// one by one.
    fn rewrite(&mut self, at: Option<usize>, report: &mut RowReport) -> Result<(), String> {
        let message = &self.trace.message;
        let calls = message.calls.clone();
        let dialect = calls.first().map(|call| call.dialect.clone());
        let is_one = |call: &Call| Some(&call.dialect) == dialect.as_ref();
        let is_whole = |call: &Call| call.end != End::Truncated;
        let before = calls.first().map_or(0, |call| call.span.range().start);
        let before = self.text[..before].to_owned();
        let is_last = message.content.trim_end() == before.trim_end();
        if !is_last || !calls.iter().all(|call| is_one(call) && is_whole(call)) {
            return Err(
                "its message has text between calls, or calls of other dialects".to_owned(),
            );
        }
        let broken = calls.iter().enumerate().filter_map(|(index, call)| {
            let notes = repair_notes(call, message);
            is_broken(call, message).then_some((index, call, notes))
        });
        let broken: Vec<(usize, &Call, Vec<Code>)> = broken.collect();
        let text = before + &self.rendered("", &calls)?;
        self.take(text)?;
        for (index, call, notes) in broken {
            self.repaired(call, &notes, index, at, report);
        }
        Ok(())
    }

    fn rendered(&self, content: &str, calls: &[Call]) -> Result<String, String> {
        let name = calls.first().map(|call| call.dialect.as_str());
        let dialect = self
            .compiled
            .dialects
            .iter()
            .find(|one| Some(one.name()) == name);
        let dialect = dialect.ok_or("its dialect is not one of those that are read")?;
        let tools = tool_set(
            std::slice::from_ref(dialect),
            self.compiled.toolbox.as_deref(),
        );
        let renderer = Renderer::new(dialect, &tools).map_err(|error| error.to_string())?;
        let texts: Vec<CallText<'_>> = calls
            .iter()
            .map(|call| CallText {
                name: &call.name,
                arguments: &call.arguments,
                server: call.server.as_deref(),
                id: call.written_id.as_deref(),
            })
            .collect();
        renderer
            .message(content, &texts)
            .map_err(|error| error.reason)
    }

    /// Accepts `text`, if it has the same calls with fewer notes.
    fn take(&mut self, text: String) -> Result<(), String> {
        let trace = read(self.reader, &text);
        let (message, before) = (&trace.message, &self.trace.message);
        if !is_same(before, message) {
            return Err("written anew, it would be read otherwise".to_owned());
        }
        if n_notes(message) >= n_notes(before) {
            return Err("written anew, it would have the same notes".to_owned());
        }
        self.text = text;
        self.trace = trace;
        self.is_changed = true;
        Ok(())
    }

    /// Reports the repair of a call that had these notes.
    fn repaired(
        &self,
        call: &Call,
        notes: &[Code],
        index: usize,
        at: Option<usize>,
        report: &mut RowReport,
    ) {
        let remaining = repair_notes(&self.trace.message.calls[index], &self.trace.message);
        let mut gone: Vec<String> = notes
            .iter()
            .filter(|code| !remaining.contains(code))
            .map(|code| format!("N{:03}", code.number()))
            .collect();
        gone.dedup();
        report.repaired.push(RepairedCall {
            message: at,
            call: call.name.clone(),
            notes: gone,
        });
        if call.end == End::Recovered {
            let place = at.map(|at| format!("messages[{at}]: ")).unwrap_or_default();
            report.doubtful.push(format!(
                "{place}the call of `{}` was repaired, its values are uncertain",
                call.name
            ));
        }
    }
}

fn read(reader: &Reader, text: &str) -> Trace {
    let mut trace = Trace::default();
    reader.read_pieces([text], &mut trace);
    trace
}

/// Whether the parser repaired any part of a call.
fn is_broken(call: &Call, message: &Calls) -> bool {
    call.end == End::Recovered || !repair_notes(call, message).is_empty()
}

/// The codes of the repairs of a call: the notes on it, or right after it, that are not a fault of the call itself.
fn repair_notes(call: &Call, message: &Calls) -> Vec<Code> {
    let is_at = |note: &&Note| call.span.start <= note.span.start && note.span.end <= call.span.end;
    let is_repair = |note: &&Note| !is_fault(note, &message.calls);
    let notes = message.notes.iter().filter(is_at).filter(is_repair);
    notes.map(|note| note.code).collect()
}

/// The number of faults of a message.
fn n_notes(message: &Calls) -> usize {
    let recovered = message
        .calls
        .iter()
        .filter(|call| call.end == End::Recovered);
    message.notes.len() + recovered.count()
}

/// Whether two messages are equal. Trailing blanks depend on the last closer and do not count.
fn is_same(one: &Calls, other: &Calls) -> bool {
    let is_same_text = one.content.trim_end() == other.content.trim_end();
    let value = |call: &Call| -> Option<Value> {
        match Arguments::of(call) {
            Arguments::Object(object) => Some(Value::Object(object)),
            Arguments::Raw(_) => None,
        }
    };
    let is_same_call = |(one, other): (&Call, &Call)| {
        let is_same_value = match (value(one), value(other)) {
            (Some(one), Some(other)) => one == other,
            _ => one.arguments == other.arguments,
        };
        is_same_value
            && (&one.name, &one.server, &one.dialect)
                == (&other.name, &other.server, &other.dialect)
            && (one.end == End::Truncated) == (other.end == End::Truncated)
    };
    is_same_text
        && one.reasoning == other.reasoning
        && one.calls.len() == other.calls.len()
        && one.calls.iter().zip(&other.calls).all(is_same_call)
}
