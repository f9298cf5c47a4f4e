//! `tool_choice`: the calls that the caller requests.

use toolglot_value::Value;

use crate::WireError;
use crate::line::kind;

/// The calls that an answer may have, as in OpenAI's and Anthropic's `tool_choice`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// Any number of calls.
    #[default]
    Auto,
    /// No call.
    None,
    /// At least one call.
    Required,
    /// Only calls of these tools.
    Of {
        /// Their names; empty if the list contains no tool that a model can call.
        names: Vec<String>,
        /// Whether at least one call is required.
        is_required: bool,
    },
}

impl ToolChoice {
    /// The choice in a value, in the format of [`Line`](crate::Line).
    ///
    /// # Errors
    /// If the value is not a choice of any API.
    pub fn read(value: &Value) -> Result<ToolChoice, WireError> {
        ToolChoice::of(value).map_err(|()| WireError::Field {
            at: "tool_choice".to_owned(),
            expected: "`auto`, `none`, `required`, or an object that names tools",
            found: kind(value),
        })
    }

    /// The choice in a value. `null` means no choice, as does a tool that the server itself runs: no model calls it.
    /// `Err` for an unknown value.
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

    /// Whether a call of a tool with one of these names contradicts the choice.
    pub fn leaves_out(&self, mut is_name: impl FnMut(&str) -> bool) -> bool {
        match self {
            ToolChoice::Auto | ToolChoice::Required => false,
            ToolChoice::None => true,
            ToolChoice::Of { names, .. } => !names.iter().any(|name| is_name(name)),
        }
    }

    /// Whether an answer without a call contradicts the choice. If the choice allows no tool, no call is required.
    pub fn wants_a_call(&self) -> bool {
        match self {
            ToolChoice::Auto | ToolChoice::None => false,
            ToolChoice::Required => true,
            ToolChoice::Of { names, is_required } => *is_required && !names.is_empty(),
        }
    }
}

/// The name of a tool that a value refers to: `{"type":"function","function":{"name":..}}`, or with the name at the top
/// level.
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
