//! A message's content: its text, and the other parts.

use toolglot_value::{Value, json};

/// The contents of `content`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Content {
    /// The string, or the concatenated parts of type `text`.
    pub(super) text: String,
    /// Images and other parts that no dialect reads; they are unchanged.
    others: Vec<Value>,
    is_null: bool,
}

impl Content {
    /// The content of a message.
    ///
    /// # Errors
    /// If a part is a call or a result in the form of another API.
    pub(super) fn of(message: &Value) -> Result<Content, String> {
        let mut content = Content::default();
        match &message["content"] {
            Value::String(text) => content.text.clone_from(text),
            Value::Array(parts) => {
                for part in parts {
                    match (part["type"].as_str(), part["text"].as_str()) {
                        (Some(kind @ ("tool_use" | "tool_result")), _) => {
                            return Err(format!(
                                "a part of the type `{kind}` is a form that is not read here"
                            ));
                        }
                        (_, Some(text)) => content.text.push_str(text),
                        _ => content.others.push(part.clone()),
                    }
                }
            }
            Value::Null => content.is_null = true,
            other => content.text = other.to_string(),
        }
        Ok(content)
    }

    /// The value with `text` instead of its text; `null` if it was `null` and `text` is empty.
    pub(super) fn with(&self, text: String) -> Value {
        if !self.others.is_empty() {
            let text = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
            return text
                .into_iter()
                .chain(self.others.iter().cloned())
                .collect();
        }
        if text.is_empty() && self.is_null {
            Value::Null
        } else {
            Value::String(text)
        }
    }
}
