//! Arguments by name and type.

use std::time::Duration;

use toolglot_value::{Map, Value};

use crate::Failure;

/// The arguments of one call. The schema checks whether all of them are known.
pub(crate) struct Arguments<'a> {
    pub(crate) tool: String,
    pub(crate) map: &'a Map<String, Value>,
}

impl<'a> Arguments<'a> {
    /// A required string; `expected` describes its use.
    pub(crate) fn text(
        &self,
        parameter: &'static str,
        expected: &'static str,
    ) -> Result<&'a str, Failure> {
        self.opt_text(parameter)?
            .ok_or_else(|| Failure::MissingParameter {
                tool: self.tool.clone(),
                parameter,
                expected,
            })
    }

    /// A string, if there is one.
    pub(crate) fn opt_text(&self, parameter: &'static str) -> Result<Option<&'a str>, Failure> {
        match self.value(parameter) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(parameter, "a string", other)),
        }
    }

    /// The texts of a list, if there is one.
    pub(crate) fn opt_texts(&self, parameter: &'static str) -> Result<Vec<&'a str>, Failure> {
        let Some(value) = self.value(parameter) else {
            return Ok(Vec::new());
        };
        let texts = value
            .as_array()
            .map(|items| items.iter().map(Value::as_str));
        texts
            .and_then(Iterator::collect)
            .ok_or_else(|| wrong(parameter, "a list of strings", value))
    }

    /// A whole number that is not negative, if there is one. `3.0` is whole.
    pub(crate) fn opt_count(&self, parameter: &'static str) -> Result<Option<u64>, Failure> {
        let Some(value) = self.value(parameter) else {
            return Ok(None);
        };
        let whole = value.as_u64().or_else(|| {
            let float = value.as_f64()?;
            // Below 2^53 every whole float is exact.
            #[expect(clippy::cast_sign_loss, reason = "the range was just checked")]
            (float.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&float))
                .then_some(float as u64)
        });
        whole
            .map(Some)
            .ok_or_else(|| wrong(parameter, "a whole number, not negative", value))
    }

    /// A number of seconds above zero, if there is one, capped at a day.
    pub(crate) fn opt_seconds(&self, parameter: &'static str) -> Result<Option<Duration>, Failure> {
        let Some(value) = self.value(parameter) else {
            return Ok(None);
        };
        match value.as_f64() {
            Some(seconds) if seconds > 0.0 => {
                Ok(Some(Duration::from_secs_f64(seconds.min(86_400.0))))
            }
            _ => Err(wrong(parameter, "a number of seconds above zero", value)),
        }
    }

    /// A flag, if there is one.
    pub(crate) fn opt_flag(&self, parameter: &'static str) -> Result<Option<bool>, Failure> {
        match self.value(parameter) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(wrong(parameter, "`true` or `false`", other)),
        }
    }

    /// The value; `null` counts as absent.
    fn value(&self, parameter: &str) -> Option<&'a Value> {
        self.map.get(parameter).filter(|value| !value.is_null())
    }
}

fn wrong(parameter: &'static str, expected: &'static str, found: &Value) -> Failure {
    let found = match found {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    };
    Failure::WrongType {
        parameter,
        expected,
        found,
    }
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    use super::Arguments;

    #[test]
    fn numbers_are_whole_and_exact() {
        let value = json!({"a": 3, "b": 3.0, "c": null, "d": -1, "e": 0.5, "f": "3", "g": 18_446_744_073_709_551_615_u64});
        let arguments = Arguments {
            tool: "t".to_owned(),
            map: value.as_object().expect("an object"),
        };
        assert_eq!(arguments.opt_count("a").expect("whole"), Some(3));
        assert_eq!(arguments.opt_count("b").expect("whole"), Some(3));
        assert_eq!(arguments.opt_count("c").expect("none"), None);
        assert_eq!(arguments.opt_count("g").expect("whole"), Some(u64::MAX));
        let error = arguments.opt_count("d").expect_err("negative").to_string();
        assert_eq!(
            error,
            "parameter `d` has to be a whole number, not negative, not the number -1"
        );
        assert!(arguments.opt_count("e").is_err() && arguments.opt_count("f").is_err());
    }
}
