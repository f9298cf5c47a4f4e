//! Dialects whose systems run one call per message: which one that is, and in which words they refuse the others.

use toolglot_engine::{Call, Calls, Code, Note};

/// Which call of a message its system runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    First,
    Last,
}

/// A system that runs one call; the words of its refusal have `NAME` for the call's.
struct OneCall {
    dialect: &'static str,
    counts: Counts,
    words: &'static str,
}

const ONE_CALL: &[OneCall] = &[
    OneCall {
        dialect: "roo",
        counts: Counts::First,
        words: "Tool [NAME] was not executed because a tool has already been used in this message. Only one tool may be used per \
                message. You must assess the first tool's result before proceeding to use the next tool.",
    },
    // The thought may show code in fences of its own.
    OneCall {
        dialect: "swe_agent",
        counts: Counts::Last,
        words: "The command in this fence was not run: only the last fence of a message is the action.",
    },
];

/// Why the call at `index` of `message` does not run, if it does not: the words for the model and a note. `first`: the call
/// that the message's first step was made of, if there was a step.
pub(crate) fn refusal(
    message: &Calls,
    index: usize,
    first: Option<usize>,
) -> Option<(String, Note)> {
    let call = &message.calls[index];
    let of = |call: &Call| ONE_CALL.iter().find(|one| *one.dialect == *call.dialect);
    let one = of(call)?;
    let (counts, other) = match one.counts {
        Counts::First => (
            first.is_none_or(|first| first == index),
            "before it was run",
        ),
        Counts::Last => {
            let rest = &message.calls[index + 1..];
            // One fence may have become several calls.
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
    Some((one.words.replace("NAME", &call.name), note))
}
