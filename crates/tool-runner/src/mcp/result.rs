//! A server's result in the form of a tool's.

use toolglot_schema::Validator;
use toolglot_tool_files::ReturnValue;
use toolglot_value::{Map, Value, json};

use crate::answer::{Answer, longer, too_long};

/// What a result is: `output` is its text, `data` its structured content, `content` what is neither. Of a text that is longer
/// than `most` bytes the start and the end are kept; what is no text and longer is no answer.
pub(super) fn answer(result: &Value, output_schema: Option<&Value>, most: usize) -> Answer {
    let is_error = result["isError"] == json!(true);
    let parts = || result["content"].as_array().into_iter().flatten();
    let texts: Vec<&str> = parts()
        .filter(|part| part["type"] == "text")
        .filter_map(|part| part["text"].as_str())
        .collect();
    let others: Vec<&Value> = parts().filter(|part| part["type"] != "text").collect();
    let mut value = Map::new();
    value.insert("success".to_owned(), json!(!is_error));
    let text = toolglot_builtins::cut(texts.join("\n"), most);
    let structured = result.get("structuredContent").into_iter();
    if let Some(n) = longer(structured.chain(others.iter().copied()), most) {
        return failed(&too_long(n), false);
    }
    if is_error {
        value.insert("error".to_owned(), json!(text));
    } else {
        value.insert("output".to_owned(), json!(text));
    }
    if let Some(data) = result.get("structuredContent") {
        value.insert("data".to_owned(), data.clone());
    }
    if !others.is_empty() {
        value.insert("content".to_owned(), json!(others));
    }
    if let (false, Some(schema)) = (is_error, output_schema)
        && let Some(why) = misfit(result.get("structuredContent"), schema)
    {
        return failed(&why, false);
    }
    Answer {
        is_transient: false,
        returned: ReturnValue {
            success: !is_error,
            value,
            breaches: Vec::new(),
        },
    }
}

/// How the structured content does not fit what the server says of it.
fn misfit(content: Option<&Value>, schema: &Value) -> Option<String> {
    let Some(content) = content else {
        return Some(
            "the server gave no `structuredContent`, which its `outputSchema` promises".to_owned(),
        );
    };
    let validator = match Validator::new(schema) {
        Ok(validator) => validator,
        Err(error) => {
            return Some(format!(
                "the server's `outputSchema` cannot be used: {error}"
            ));
        }
    };
    let violations = validator.validate(content);
    let first = violations.first()?;
    Some(format!(
        "the server's result does not fit its `outputSchema`: {}",
        first.message
    ))
}

/// A call without a result.
pub(super) fn failed(why: &str, is_transient: bool) -> Answer {
    Answer {
        returned: ReturnValue {
            success: false,
            value: Map::from_iter([
                ("success".to_owned(), json!(false)),
                ("error".to_owned(), json!(why)),
            ]),
            breaches: Vec::new(),
        },
        is_transient,
    }
}
