//! A message together with what each of its bytes was read as.

use toolglot::{Calls, Event, Sink, Span};

/// What a piece of the text was read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Reasoning,
    Markup,
    CallStart,
    Arguments,
    CallEnd,
}

/// A run of bytes of one kind. The pieces tile the text; those of a call's start and end are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// Folds events into calls and keeps where they stood.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) message: Calls,
    pub(crate) pieces: Vec<Piece>,
}

impl Sink for Trace {
    fn event(&mut self, span: Span, event: Event<'_>) {
        let kind = match event {
            Event::Text(_) => Some(Kind::Text),
            Event::Reasoning(_) => Some(Kind::Reasoning),
            Event::Markup(_) => Some(Kind::Markup),
            Event::CallStart(_) => Some(Kind::CallStart),
            Event::Args { .. } => Some(Kind::Arguments),
            Event::CallEnd { .. } => Some(Kind::CallEnd),
            _ => None,
        };
        self.message.event(span, event);
        let Some(kind) = kind else { return };
        match self.pieces.last_mut() {
            Some(last) if last.kind == kind && last.span.end == span.start => {
                last.span.end = span.end;
            }
            _ => self.pieces.push(Piece { kind, span }),
        }
    }
}

impl Trace {
    /// Takes the calls away, as for a model that may not call tools: their text is content.
    ///
    /// A run of markup and arguments that holds a call is content as a whole; markup right behind reasoning closes the
    /// reasoning and belongs to nobody.
    pub(crate) fn without_calls(&mut self, text: &str) {
        let mut content = String::new();
        let mut run: Option<Span> = None;
        let mut has_call = false;
        let mut after_reasoning = false;
        for piece in &self.pieces {
            match piece.kind {
                Kind::Text | Kind::Reasoning => {
                    if let Some(run) = run.take().filter(|_| has_call) {
                        content.push_str(slice(text, run));
                    }
                    has_call = false;
                    after_reasoning = piece.kind == Kind::Reasoning;
                    if piece.kind == Kind::Text {
                        content.push_str(slice(text, piece.span));
                    }
                }
                Kind::Markup if after_reasoning => after_reasoning = false,
                Kind::Markup | Kind::CallStart | Kind::Arguments | Kind::CallEnd => {
                    has_call |= piece.kind == Kind::CallStart;
                    after_reasoning = false;
                    run.get_or_insert(piece.span).end = piece.span.end;
                }
            }
        }
        if let Some(run) = run.filter(|_| has_call) {
            content.push_str(slice(text, run));
        }
        self.message.calls.clear();
        self.message.content = content;
    }
}

fn slice(text: &str, span: Span) -> &str {
    text.get(span.range()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use toolglot::{CallHead, CallId, End, Place};

    use super::*;

    #[test]
    fn without_calls_their_text_is_content() {
        let text = "<think>x</think>a <t>{}</t> b<|end|>";
        let mut trace = Trace::default();
        let at = |part: &str| {
            let start = text.find(part).expect("it is a part") as u64;
            Span::new(start, start + part.len() as u64)
        };
        trace.event(at("<think>"), Event::Markup("<think>"));
        trace.event(at("x"), Event::Reasoning("x"));
        trace.event(at("</think>"), Event::Markup("</think>"));
        trace.event(at("a "), Event::Text("a "));
        trace.event(at("<t>"), Event::Markup("<t>"));
        let head = CallHead {
            call: CallId(0),
            dialect: "d",
            name: "t",
            name_at: at("t"),
            ns: None,
            id: None,
            place: Place::Answer,
        };
        trace.event(Span::empty(at("{}").start), Event::CallStart(head));
        trace.event(
            at("{}"),
            Event::Args {
                call: CallId(0),
                json: "{}",
            },
        );
        trace.event(at("</t>"), Event::Markup("</t>"));
        trace.event(
            Span::empty(at("</t>").end),
            Event::CallEnd {
                call: CallId(0),
                end: End::Closed,
            },
        );
        trace.event(at(" b"), Event::Text(" b"));
        trace.event(at("<|end|>"), Event::Markup("<|end|>"));

        trace.without_calls(text);
        assert_eq!(trace.message.content, "a <t>{}</t> b");
        assert_eq!(trace.message.reasoning, "x");
        assert!(trace.message.calls.is_empty());
    }
}
