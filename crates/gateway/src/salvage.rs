//! Extracts a model's text from the error of a server whose parser failed on it.

/// The words of one server's error around the model's text.
struct Words {
    /// The words before the text, in order.
    before: &'static [&'static str],
    /// The words after the text; empty if the text extends to the end.
    after: &'static str,
}

const WORDS: [Words; 3] = [
    // Ollama v0.33.0-rc2, harmony/harmonyparser.go: `error parsing tool call: raw='%s', err=%w`, with status 500.
    Words {
        before: &["error parsing tool call: raw='"],
        after: "', err=",
    },
    // llama.cpp 0083bb18, common/chat.cpp, `common_chat_peg_parse`: the number is the position of the parser's failure,
    // and the text starts there.
    Words {
        before: &["Failed to parse input at pos ", ": "],
        after: "",
    },
    // LM Studio 0.3.23, whose source is closed: its issue 942 shows a reason, and then `Model Output: `. Without these
    // words there is only the reason.
    Words {
        before: &["Failed to parse tool call: ", "Model Output:"],
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
        let mut text = message;
        for words in self.before {
            text = text.split_once(words)?.1;
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
            (
                r#"{"error":"Failed to parse tool call: Unexpected end of content. \nModel Output:  <a>{"}"#,
                Some("  <a>{"),
            ),
            (
                r#"{"error":"Failed to parse tool call: Expected \"<|message|>\", but got \"to=function\""}"#,
                None,
            ),
            (r#"{"error":{"message":"out of memory"}}"#, None),
            ("<html>", None),
        ] {
            assert_eq!(salvaged(body.as_bytes()).as_deref(), expected, "{body}");
        }
    }
}
