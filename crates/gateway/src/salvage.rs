//! What a model wrote, in the error of a server whose parser failed on it.

/// The words of one server around the model's text.
struct Words {
    before: &'static str,
    /// Digits follow `before`, and then this, where it is not empty.
    after_digits: &'static str,
    /// What follows the text; empty where it goes to the end.
    after: &'static str,
}

const WORDS: [Words; 3] = [
    // Ollama, `error parsing tool call: raw='..', err=..` (ollama#12884).
    Words {
        before: "error parsing tool call: raw='",
        after_digits: "",
        after: "', err=",
    },
    // llama.cpp, `Failed to parse input at pos 12: ..` (llama.cpp#20260).
    Words {
        before: "Failed to parse input at pos ",
        after_digits: ": ",
        after: "",
    },
    // LM Studio, `Failed to parse tool call: ..`.
    Words {
        before: "Failed to parse tool call: ",
        after_digits: "",
        after: "",
    },
];

/// The model's text in the body of an error.
pub(crate) fn salvaged(body: &[u8]) -> Option<String> {
    let value = toolglot_value::from_slice(body).ok()?;
    let error = value.get("error").unwrap_or(&value);
    let message = error["message"].as_str().or(error.as_str())?;
    let text = WORDS.iter().find_map(|words| words.find(message))?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

impl Words {
    fn find<'m>(&self, message: &'m str) -> Option<&'m str> {
        let mut text = message.split_once(self.before)?.1;
        if !self.after_digits.is_empty() {
            text = text.trim_start_matches(|c: char| c.is_ascii_digit());
            text = text.strip_prefix(self.after_digits)?;
        }
        if self.after.is_empty() {
            Some(text)
        } else {
            text.rsplit_once(self.after).map(|(text, _)| text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_models_are_found_in_errors() {
        for (body, expected) in [
            (
                r#"{"error":"error parsing tool call: raw='<a> 'b'', err=unexpected"}"#,
                Some("<a> 'b'"),
            ),
            (
                r#"{"error":{"message":"Failed to parse input at pos 7: <tool_call>"}}"#,
                Some("<tool_call>"),
            ),
            (
                r#"{"error":{"message":"Failed to parse input at pos 7: "}}"#,
                None,
            ),
            (r#"{"error":{"message":"out of memory"}}"#, None),
            ("<html>", None),
        ] {
            assert_eq!(salvaged(body.as_bytes()).as_deref(), expected, "{body}");
        }
    }
}
