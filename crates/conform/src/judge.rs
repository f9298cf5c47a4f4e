//! Differences between an answer and its case.

use crate::answer::Answer;
use crate::case::Case;
use crate::equal::{same_text, same_value};

/// How much of a value a report shows.
const SHOWN_CHARS: usize = 200;

/// `Err` describes how the calls of an answer differ from the calls of its case.
pub(crate) fn calls(answer: &Answer, case: &Case) -> Result<(), String> {
    let found = &answer.calls;
    if found.len() != case.calls.len() {
        let names: Vec<&str> = found.iter().map(|call| call.name.as_str()).collect();
        return Err(format!(
            "{} calls {names:?}, expected {}",
            found.len(),
            case.calls.len()
        ));
    }
    for (found, expected) in found.iter().zip(&case.calls) {
        if found.name != expected.name {
            return Err(format!(
                "a call of {:?}, expected {:?}",
                found.name, expected.name
            ));
        }
        if !same_value(&found.arguments, &expected.arguments) {
            let (found, expected) = (&found.arguments, &expected.arguments);
            return Err(format!(
                "arguments {}, expected {}",
                shown(&found.to_string()),
                shown(&expected.to_string())
            ));
        }
    }
    Ok(())
}

/// `None` if the answer has no text. `Err` describes how the text differs from the text of its case.
pub(crate) fn text(answer: &Answer, case: &Case) -> Option<Result<(), String>> {
    let content = answer.content.as_ref()?;
    if same_text(content, &case.content) {
        return Some(Ok(()));
    }
    Some(Err(format!(
        "text {}, expected {}",
        shown(&format!("{content:?}")),
        shown(&format!("{:?}", case.content))
    )))
}

/// `Err` describes how an answer to pieces differs from the answer to the whole text.
pub(crate) fn cut(answer: &Answer, whole: &Answer) -> Result<(), String> {
    let names = |answer: &Answer| -> Vec<String> {
        answer.calls.iter().map(|call| call.name.clone()).collect()
    };
    if names(answer) != names(whole) {
        return Err(format!(
            "calls {:?}, in the whole text {:?}",
            names(answer),
            names(whole)
        ));
    }
    for (found, expected) in answer.calls.iter().zip(&whole.calls) {
        if !same_value(&found.arguments, &expected.arguments) {
            return Err(format!(
                "arguments {}, in the whole text {}",
                shown(&found.arguments.to_string()),
                shown(&expected.arguments.to_string())
            ));
        }
    }
    match (&answer.content, &whole.content) {
        (Some(found), Some(expected)) if !same_text(found, expected) => Err(format!(
            "text {}, in the whole text {}",
            shown(&format!("{found:?}")),
            shown(&format!("{expected:?}"))
        )),
        _ => Ok(()),
    }
}

/// The start of a text.
pub(crate) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}..", &text[..at]),
    }
}
