//! Validation of the result of a call (<https://modelcontextprotocol.io/specification/2025-11-25/server/tools>, "Tool
//! Result").

use toolglot_value::Value;

/// Why a value is not a result of a call. A result with an invalid `isError` cannot count as a success.
pub(super) fn misfit(result: &Value) -> Option<&'static str> {
    let Some(map) = result.as_object() else {
        return Some("that is not an object");
    };
    let content = map.get("content");
    if content.is_some_and(|content| !content.is_array()) {
        return Some("whose `content` is not a list");
    }
    if content.is_none() && map.get("structuredContent").is_none() {
        return Some("with neither `content` nor `structuredContent`");
    }
    let is_error = map.get("isError");
    if !is_error.is_none_or(|is_error| is_error.is_boolean() || is_error.is_null()) {
        return Some("whose `isError` is neither true nor false");
    }
    None
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    use super::*;

    #[test]
    fn a_result_says_whether_it_failed() {
        for (result, is_one) in [
            (json!({"content": []}), true),
            (json!({"content": [], "isError": true}), true),
            (json!({"content": [], "isError": null}), true),
            (json!({"structuredContent": {}}), true),
            (json!({"content": [], "isError": "true"}), false),
            (json!({"content": [], "isError": 1}), false),
            (json!({"content": {}}), false),
            (json!({"content": "text"}), false),
            (json!({}), false),
            (json!({"isError": false}), false),
            (json!([]), false),
            (json!("text"), false),
        ] {
            assert_eq!(misfit(&result).is_none(), is_one, "{result}");
        }
    }
}
