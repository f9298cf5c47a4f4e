//! Reads the words of a command from a file's configuration.

use toolglot_value::Value;

/// A list of words, or one word.
pub(crate) fn words(value: Option<&Value>) -> Result<Vec<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(word)) => Ok(vec![word.clone()]),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| match item {
                Value::String(text) => Ok(text.clone()),
                Value::Number(_) | Value::Bool(_) => Ok(item.to_string()),
                _ => Err("`config.args` holds a value that is not a word".to_owned()),
            })
            .collect(),
        Some(_) => Err("`config.args` is not a list of words".to_owned()),
    }
}
