//! Applies `tool_choice` to a parsed message.

use toolglot_engine::{Calls, Code, Note, Span};
use toolglot_toolset::Toolbox;

use crate::ToolChoice;

impl ToolChoice {
    /// Compares a message with the choice. If no tool may be called, calls are removed, and each leaves a note, which
    /// is the only trace of the call. Any other call stays, and a note states the choice.
    pub fn apply(&self, message: &mut Calls, toolbox: Option<&Toolbox>) {
        let is_missed = message.calls.is_empty() && self.wants_a_call();
        for call in &message.calls {
            let own = toolbox.and_then(|tools| Some(&*tools.canonical(&call.name)?.0.name));
            if self.leaves_out(|name| name == call.name || own == Some(name)) {
                message.notes.push(left_out(self, &call.name, call.span));
            }
        }
        if *self == ToolChoice::None {
            message.calls.clear();
        }
        if is_missed {
            message.notes.push(Note {
                code: Code::UnmetToolChoice,
                span: Span::empty(0),
                message: "`tool_choice` requires a call, and there is no call".to_owned(),
                help: None,
            });
        }
    }
}

fn left_out(choice: &ToolChoice, name: &str, span: Span) -> Note {
    let (code, message) = match choice {
        ToolChoice::Of { names, is_required } => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let names = names.join(" or ");
            let message = if names.is_empty() {
                format!("no tool of the list may be called; `{name}` was")
            } else if *is_required {
                format!("a call of {names} is asked for, not of `{name}`")
            } else {
                format!("only {names} may be called, not `{name}`")
            };
            (Code::UnmetToolChoice, message)
        }
        _ => (
            Code::UnwantedCall,
            format!("no tool may be called here; a call of `{name}` was left out"),
        ),
    };
    Note {
        code,
        span,
        message,
        help: None,
    }
}

#[cfg(test)]
mod tests {
    use toolglot_engine::{CallHead, CallId, End, Event, Place, Sink};

    use super::*;

    fn message(names: &[&str]) -> Calls {
        let mut message = Calls::default();
        message.event(Span::new(0, 2), Event::Text("a "));
        for name in names {
            message.event(Span::new(2, 5), Event::Markup("<t>"));
            let call = CallId(0);
            let head = CallHead {
                call,
                dialect: "d",
                name,
                name_span: Span::new(3, 4),
                server: None,
                id: None,
                place: Place::Answer,
            };
            message.event(Span::empty(5), Event::CallStart(head));
            message.event(Span::new(5, 7), Event::Args { call, json: "{}" });
            let end = End::Closed;
            message.event(Span::empty(7), Event::CallEnd { call, end });
        }
        message.event(Span::new(7, 9), Event::Text(" b"));
        message
    }

    #[test]
    fn a_choice_takes_calls_away_or_says_what_it_misses() {
        let of = |name: &str, is_required| ToolChoice::Of {
            names: vec![name.to_owned()],
            is_required,
        };
        let nothing = ToolChoice::Of {
            names: Vec::new(),
            is_required: true,
        };
        for (choice, names, n_left, codes) in [
            (ToolChoice::Auto, &["f"][..], 1, &[][..]),
            (ToolChoice::None, &["f", "g"], 0, &[Code::UnwantedCall; 2]),
            (ToolChoice::None, &[], 0, &[]),
            (ToolChoice::Required, &["f"], 1, &[]),
            (ToolChoice::Required, &[], 0, &[Code::UnmetToolChoice]),
            (of("f", true), &["f"], 1, &[]),
            (of("f", true), &["f", "g"], 2, &[Code::UnmetToolChoice]),
            (of("f", true), &[], 0, &[Code::UnmetToolChoice]),
            (of("f", false), &[], 0, &[]),
            (nothing.clone(), &["f"], 1, &[Code::UnmetToolChoice]),
            (nothing, &[], 0, &[]),
        ] {
            let mut message = message(names);
            choice.apply(&mut message, None);
            assert_eq!(message.calls.len(), n_left, "{choice:?} {names:?}");
            assert_eq!(message.content, "a  b");
            let found: Vec<Code> = message.notes.iter().map(|note| note.code).collect();
            assert_eq!(found, codes, "{choice:?} {names:?}");
        }
    }

    #[test]
    fn what_a_choice_misses_is_said_as_it_was_chosen() {
        for (names, is_required, expected) in [
            (&["f"][..], true, "a call of `f` is asked for, not of `g`"),
            (&["f", "h"], false, "only `f` or `h` may be called, not `g`"),
            (&[], false, "no tool of the list may be called; `g` was"),
            (&[], true, "no tool of the list may be called; `g` was"),
        ] {
            let names = names.iter().map(|&name| name.to_owned()).collect();
            let choice = ToolChoice::Of { names, is_required };
            let mut message = message(&["g"]);
            choice.apply(&mut message, None);
            assert_eq!(message.notes[0].message, expected);
        }
    }
}
