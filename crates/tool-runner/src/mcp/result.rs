//! Converts a server's result to a tool's result.

use toolglot_schema::Validator;
use toolglot_tool_files::ReturnValue;
use toolglot_value::{Map, Value, json};

use crate::answer::{Answer, longer, too_long};

/// `output` is the result's text, `data` its structured content, `content` its other parts. A text longer than `most`
/// bytes is cut in the middle; other parts that are longer are an error.
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

/// How the structured content violates the server's output schema.
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

/// The answer of a call without a result.
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
