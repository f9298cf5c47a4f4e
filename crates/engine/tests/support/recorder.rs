//! A sink that checks what every message owes, and keeps the events in a form that two readings can be compared by.

use std::collections::BTreeMap;

use toolglot_engine::{CallId, Code, End, Event, Sink, Span};

use super::prefix::Prefix;

/// One event, adjacent ones of a kind merged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Told {
    Text(Span, String),
    Reasoning(Span, String),
    Markup(Span, String),
    Start(Span, String),
    Args(Span, CallId, String),
    End(Span, CallId, End),
}

/// Events of one message.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) told: Vec<Told>,
    /// Code, span and message; sorted by [`Recorder::finish`].
    pub(crate) notes: Vec<(u16, Span, String)>,
    cursor: u64,
    open: Option<CallId>,
    /// Calls in fences, whose ends come once it is known what follows those.
    waiting: Vec<CallId>,
    calls: BTreeMap<CallId, Prefix>,
    fault: Option<String>,
}

impl Recorder {
    /// What the message owes as a whole.
    ///
    /// # Errors
    /// The first promise that was broken.
    pub(crate) fn finish(&mut self, input: &str, has_strings: bool) -> Result<(), String> {
        self.notes.sort();
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        if self.cursor != input.len() as u64 {
            return Err(format!(
                "the spans end at {} of {}",
                self.cursor,
                input.len()
            ));
        }
        if let Some(call) = self.open.or(self.waiting.first().copied()) {
            return Err(format!("{call:?} has no end"));
        }
        for told in &self.told {
            let (Told::Text(span, text) | Told::Reasoning(span, text) | Told::Markup(span, text)) =
                told
            else {
                continue;
            };
            let is_string = has_strings && matches!(told, Told::Text(..));
            if !is_string && input.get(span.range()) != Some(text.as_str()) {
                return Err(format!("{told:?} is not what the input says there"));
            }
        }
        if let Some((_, span, message)) = self
            .notes
            .iter()
            .find(|(_, span, _)| span.end > input.len() as u64 || span.start > span.end)
        {
            return Err(format!("a note points at {span:?}: {message}"));
        }
        Ok(())
    }

    /// How the calls ended, in order.
    pub(crate) fn ends(&self) -> Vec<End> {
        self.told
            .iter()
            .filter_map(|told| {
                if let Told::End(_, _, end) = told {
                    Some(*end)
                } else {
                    None
                }
            })
            .collect()
    }

    /// The argument text of each call, in order.
    pub(crate) fn args(&self) -> Vec<String> {
        let mut all: BTreeMap<CallId, String> = BTreeMap::new();
        for told in &self.told {
            match told {
                Told::Args(_, call, json) => all.entry(*call).or_default().push_str(json),
                Told::End(_, call, _) => drop(all.entry(*call).or_default()),
                _ => {}
            }
        }
        all.into_values().collect()
    }

    fn fail(&mut self, fault: String) {
        self.fault.get_or_insert(fault);
    }
}

impl Sink for Recorder {
    fn event(&mut self, span: Span, event: Event<'_>) {
        if let Event::Note(note) = event {
            if note.code == Code::FencedCall {
                self.waiting.extend(self.open.take());
            }
            self.notes
                .push((note.code.number(), note.span, note.message.clone()));
            return;
        }
        if span.start != self.cursor || span.end < span.start {
            self.fail(format!(
                "{event:?} covers {span:?}, but the cursor is at {}",
                self.cursor
            ));
        }
        self.cursor = span.end;
        match event {
            Event::Text(text) => match self.told.last_mut() {
                Some(Told::Text(have, before)) => {
                    have.end = span.end;
                    before.push_str(text);
                }
                _ => self.told.push(Told::Text(span, text.into())),
            },
            Event::Reasoning(text) => match self.told.last_mut() {
                Some(Told::Reasoning(have, before)) => {
                    (have.end, ()) = (span.end, before.push_str(text));
                }
                _ => self.told.push(Told::Reasoning(span, text.into())),
            },
            Event::Markup(text) => match self.told.last_mut() {
                Some(Told::Markup(have, before)) => {
                    (have.end, ()) = (span.end, before.push_str(text));
                }
                _ => self.told.push(Told::Markup(span, text.into())),
            },
            Event::CallStart(head) => {
                if self.open.is_some() || head.call.0 as usize != self.calls.len() {
                    self.fail(format!(
                        "{head:?} begins, but {:?} is open, and {} were before",
                        self.open,
                        self.calls.len()
                    ));
                }
                self.open = Some(head.call);
                self.calls.insert(head.call, Prefix::default());
                self.told.push(Told::Start(span, format!("{head:?}")));
            }
            Event::Args { call, json } => {
                if self.open != Some(call) {
                    self.fail(format!(
                        "arguments of {call:?}, but {:?} is open",
                        self.open
                    ));
                }
                if let Some(Err(why)) = self.calls.get_mut(&call).map(|prefix| prefix.push(json)) {
                    self.fail(format!(
                        "the arguments of {call:?} are no JSON, {why}; the last piece is {json:?}"
                    ));
                }
                match self.told.last_mut() {
                    Some(Told::Args(have, _, before)) => {
                        (have.end, ()) = (span.end, before.push_str(json));
                    }
                    _ => self.told.push(Told::Args(span, call, json.into())),
                }
            }
            Event::LateId { call, id } => {
                if self.open != Some(call) {
                    self.fail(format!("an id of {call:?}, but {:?} is open", self.open));
                }
                self.told
                    .push(Told::Start(span, format!("{call:?} is {id}")));
            }
            Event::CallEnd { call, end } => {
                let is_waiting = self.waiting.contains(&call);
                self.waiting.retain(|waiting| *waiting != call);
                if !is_waiting && self.open.take() != Some(call) {
                    self.fail(format!("{call:?} ends, but is not open"));
                }
                if end != End::Truncated && !self.calls.get(&call).is_some_and(Prefix::is_whole) {
                    self.fail(format!(
                        "{call:?} ends {end:?}, but its arguments are not whole"
                    ));
                }
                self.told.push(Told::End(span, call, end));
            }
            _ => self.fail(format!("{event:?} is not known to the tests")),
        }
    }
}
