//! `tool_choice`: which calls who asked wants.

use toolglot_value::Value;

use crate::WireError;
use crate::line::kind;

/// Which calls an answer may have, as OpenAI's `tool_choice` says it, and Anthropic's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// Any, or none.
    #[default]
    Auto,
    /// None.
    None,
    /// One at least.
    Required,
    /// Calls of these tools alone.
    Of {
        /// Their names; none if the list holds nothing that a text calls.
        names: Vec<String>,
        /// One call at least.
        is_required: bool,
    },
}

impl ToolChoice {
    /// The choice that a value means, as [`Line`](crate::Line) reads it.
    ///
    /// # Errors
    /// A value that no API has as a choice.
    pub fn read(value: &Value) -> Result<ToolChoice, WireError> {
        ToolChoice::of(value).map_err(|()| WireError::Field {
            at: "tool_choice".to_owned(),
            expected: "`auto`, `none`, `required`, or an object that names tools",
            found: kind(value),
        })
    }

    /// The choice that a value means; `null` is not one made, and neither is a tool that the server runs itself: no text calls it.
    /// `Err` where it is not one of those that are known.
    pub(crate) fn of(value: &Value) -> Result<ToolChoice, ()> {
        let word = match value {
            Value::Null => return Ok(ToolChoice::Auto),
            Value::String(word) => word.as_str(),
            Value::Object(fields) => fields.get("type").and_then(Value::as_str).ok_or(())?,
            _ => return Err(()),
        };
        match word {
            "auto" => Ok(ToolChoice::Auto),
            "none" => Ok(ToolChoice::None),
            "required" | "any" => Ok(ToolChoice::Required),
            "function" | "tool" | "custom" => Ok(ToolChoice::Of {
                names: vec![name(value).ok_or(())?],
                is_required: true,
            }),
            "allowed_tools" => {
                let inner = &value["allowed_tools"];
                let allowed = if inner.is_object() { inner } else { value };
                let tools = allowed["tools"].as_array().ok_or(())?;
                Ok(ToolChoice::Of {
                    names: tools.iter().filter_map(name).collect(),
                    is_required: allowed["mode"] == "required",
                })
            }
            _ if value.is_object() => Ok(ToolChoice::Auto),
            _ => Err(()),
        }
    }

    /// Whether a call of a tool with one of these names is not what was chosen.
    pub fn leaves_out(&self, mut is_name: impl FnMut(&str) -> bool) -> bool {
        match self {
            ToolChoice::Auto | ToolChoice::Required => false,
            ToolChoice::None => true,
            ToolChoice::Of { names, .. } => !names.iter().any(|name| is_name(name)),
        }
    }

    /// Whether an answer without a call is not what was chosen. Where no name is left to call, none is missed.
    pub fn wants_a_call(&self) -> bool {
        match self {
            ToolChoice::Auto | ToolChoice::None => false,
            ToolChoice::Required => true,
            ToolChoice::Of { names, is_required } => *is_required && !names.is_empty(),
        }
    }
}

/// The name of a tool that a value refers to: `{"type":"function","function":{"name":..}}`, or with the name at top.
fn name(value: &Value) -> Option<String> {
    let inner = value["type"].as_str().map(|kind| &value[kind]["name"]);
    let found = inner.and_then(Value::as_str);
    found.or(value["name"].as_str()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    use super::*;

    #[test]
    fn choices_are_read_as_each_api_writes_them() {
        let of = |name: &str| ToolChoice::Of {
            names: vec![name.to_owned()],
            is_required: true,
        };
        for (value, choice) in [
            (json!(null), Some(ToolChoice::Auto)),
            (json!("auto"), Some(ToolChoice::Auto)),
            (json!({"type": "none"}), Some(ToolChoice::None)),
            (json!("required"), Some(ToolChoice::Required)),
            (json!({"type": "any"}), Some(ToolChoice::Required)),
            (
                json!({"type": "function", "function": {"name": "f"}}),
                Some(of("f")),
            ),
            (json!({"type": "function", "name": "f"}), Some(of("f"))),
            (json!({"type": "tool", "name": "f"}), Some(of("f"))),
            (
                json!({"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}]}),
                Some(ToolChoice::Of {
                    names: vec!["f".to_owned()],
                    is_required: false,
                }),
            ),
            (
                json!({"type": "allowed_tools", "mode": "required", "tools": [{"type": "web_search"}]}),
                Some(ToolChoice::Of {
                    names: Vec::new(),
                    is_required: true,
                }),
            ),
            (json!({"type": "web_search"}), Some(ToolChoice::Auto)),
            (json!({"type": "function"}), None),
            (json!({"name": "f"}), None),
            (json!("sometimes"), None),
            (json!(1), None),
        ] {
            assert_eq!(ToolChoice::of(&value).ok(), choice, "{value}");
        }
    }
}
