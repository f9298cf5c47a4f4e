//! Dialects whose systems run one call per message: which call counts, and the words that refuse the others.

use toolglot_dialects::{CountedCall, System};
use toolglot_engine::{Call, Calls, Code, Note};

/// Why the call at `index` of `message` does not run, if it does not: the words for the model, and a note. `first` is
/// the call of the message's first step, if there was a step.
pub(crate) fn refusal(
    message: &Calls,
    index: usize,
    first: Option<usize>,
) -> Option<(String, Note)> {
    let call = &message.calls[index];
    let one = System::of(&call.dialect).one_call?;
    let (counts, other) = match one.counts {
        CountedCall::First => (
            first.is_none_or(|first| first == index),
            "before it was run",
        ),
        CountedCall::Last => {
            let rest = &message.calls[index + 1..];
            // One fence may have produced several calls.
            let comes_later =
                |later: &Call| later.dialect == call.dialect && later.span != call.span;
            (!rest.iter().any(comes_later), "after it counts")
        }
    };
    if counts {
        return None;
    }
    let note = Note {
        code: Code::OneCallOnly,
        span: call.span,
        message: format!("`{}` was refused: a call {other}", call.name),
        help: None,
    };
    Some((one.refusal.replace("{name}", &call.name), note))
}
