//! The return contract of tools, checked after every call.

use toolglot_schema::Validator;
use toolglot_value::{Map, Value, json};

use crate::program_output::Printed;

/// The contract: the result is a map with `success`, and it fits `output_schema`.
#[derive(Debug)]
pub struct ReturnContract {
    output: Option<Validator>,
    /// The members that the schema declares. A schema that declares `success` is about the whole map.
    members: Vec<String>,
}

/// Members that the contract itself adds to a result.
const OF_CONTRACT: &[&str] = &["success", "error", "stdout", "stderr", "exit_code"];

/// A tool's return value, brought to one form.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnValue {
    /// Whether the tool succeeded.
    pub success: bool,
    /// The whole map.
    pub value: Map<String, Value>,
    /// The breaches of the contract. A result that reports `success` and has a breach is a failure.
    pub breaches: Vec<String>,
}

impl ReturnValue {
    /// Adds the text that a tool printed beside its answer. It never replaces a returned member.
    pub fn beside(&mut self, stdout: &str, stderr: &str) {
        for (key, text) in [("stdout", stdout), ("stderr", stderr)] {
            if !text.trim().is_empty() && !self.value.contains_key(key) {
                self.value
                    .insert(key.to_owned(), Value::String(text.to_owned()));
            }
        }
    }
}

impl ReturnContract {
    /// The contract of a tool with that output schema.
    ///
    /// # Errors
    /// If the schema is invalid.
    pub fn new(output: Option<&Value>) -> Result<ReturnContract, toolglot_schema::SchemaError> {
        Ok(ReturnContract {
            output: output.map(Validator::new).transpose()?,
            members: output
                .and_then(|schema| schema.get("properties")?.as_object())
                .map(|members| members.keys().cloned().collect())
                .unwrap_or_default(),
        })
    }

    /// Reads the output of a program: its JSON object and the text beside it. Without an object,
    /// [`of_process`](ReturnContract::of_process) gives the result.
    ///
    /// The object ends the output, so that a tool may print before it answers; or it has `success`, anywhere. An object
    /// that is not JSON, as with `NaN`, is a failure: its content is unknown.
    pub fn of_output(&self, stdout: &str, stderr: &str, exit_code: i32) -> ReturnValue {
        let Some(printed) = Printed::find(stdout) else {
            let mut returned = Self::of_process(stdout, stderr, exit_code);
            if let (Some(output), true) = (&self.output, returned.success) {
                returned.breaches = self.misfits(output, &returned.value);
                returned.success = returned.breaches.is_empty();
            }
            return returned;
        };
        let beside = printed.beside(stdout);
        let mut map = match printed.object {
            Ok(map) => map,
            Err(fault) => {
                let mut returned = Self::of_process(stdout, stderr, exit_code);
                returned.success = false;
                let breach = format!("the object that it printed is not JSON: {fault}");
                returned.breaches.push(breach);
                return returned;
            }
        };
        map.entry("success").or_insert(Value::Bool(exit_code == 0));
        let mut returned = self.of_value(Value::Object(map));
        if exit_code != 0 && returned.success {
            returned
                .breaches
                .push(format!("it says `success` and exits with {exit_code}"));
            returned.success = false;
        }
        returned.beside(&beside, stderr);
        returned
    }

    /// The result of a program that prints no object.
    pub fn of_process(stdout: &str, stderr: &str, exit_code: i32) -> ReturnValue {
        let Value::Object(value) = json!({
            "success": exit_code == 0,
            "stdout": stdout,
            "stderr": stderr,
            "exit_code": exit_code,
        }) else {
            unreachable!("the literal is an object")
        };
        ReturnValue {
            success: exit_code == 0,
            value,
            breaches: Vec::new(),
        }
    }

    /// The result of a function.
    pub fn of_value(&self, value: Value) -> ReturnValue {
        let map = match value {
            Value::Object(map) => map,
            other => {
                let what = match other {
                    Value::Null => "nothing",
                    Value::Bool(_) => "a boolean",
                    Value::Number(_) => "a number",
                    Value::String(_) => "a string",
                    _ => "a list",
                };
                return ReturnValue {
                    success: false,
                    value: Map::from_iter([
                        ("success".to_owned(), Value::Bool(false)),
                        (
                            "error".to_owned(),
                            Value::String(format!(
                                "the tool returned {what}, where a map with `success` belongs"
                            )),
                        ),
                    ]),
                    breaches: vec![format!("it returned {what}, where a map belongs")],
                };
            }
        };
        let mut breaches = Vec::new();
        let success = match map.get("success") {
            Some(Value::Bool(success)) => *success,
            Some(_) => {
                breaches.push("`success` is not a boolean".to_owned());
                false
            }
            None => {
                breaches.push("`success` is missing".to_owned());
                false
            }
        };
        if let (Some(output), true) = (&self.output, success) {
            breaches.extend(self.misfits(output, &map));
        }
        ReturnValue {
            success: success && breaches.is_empty(),
            value: map,
            breaches,
        }
    }

    fn speaks_of(&self, name: &str) -> bool {
        self.members.iter().any(|member| member == name)
    }

    /// The schema is about `output` or `data` where there is one, unless it declares `success` or that member itself.
    /// Otherwise it is about the whole map, without the members that the contract adds.
    fn misfits(&self, output: &Validator, map: &Map<String, Value>) -> Vec<String> {
        let result = ["output", "data"]
            .into_iter()
            .find_map(|name| Some((name, map.get(name)?)))
            .filter(|(name, inner)| {
                let is_inside = inner.get(name).is_some();
                !self.speaks_of("success") && (!self.speaks_of(name) || is_inside)
            });
        let violations = if let Some((_, result)) = result {
            output.validate(result)
        } else {
            let mut map = map.clone();
            map.retain(|name, _| self.speaks_of(name) || !OF_CONTRACT.contains(&name.as_str()));
            output.validate(&Value::Object(map))
        };
        violations
            .into_iter()
            .map(|violation| {
                format!(
                    "its result does not fit `output_schema`: {}",
                    violation
                        .message
                        .replace("the arguments", "the result")
                        .replace("the parameters are", "the members are")
                        .replace("no such parameter", "no such member")
                        .replace("is not a parameter", "is not a member")
                )
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_return_is_read() {
        let schema = json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]});
        let contract = ReturnContract::new(Some(&schema)).expect("a schema");
        for (value, success, breaches) in [
            (json!({"success": true, "output": {"id": 1}}), true, 0),
            (
                json!({"success": true, "data": {"id": 1}, "file_path": "a"}),
                true,
                0,
            ),
            (json!({"success": true, "id": 1}), true, 0),
            (json!({"success": true, "output": {"id": "x"}}), false, 1),
            (json!({"success": false, "error": "no"}), false, 0),
            (json!({"output": 1}), false, 1),
            (json!({"success": "yes"}), false, 1),
            (json!([1]), false, 1),
            (json!(null), false, 1),
        ] {
            let returned = contract.of_value(value.clone());
            assert_eq!(
                (returned.success, returned.breaches.len()),
                (success, breaches),
                "{value}"
            );
        }
    }

    #[test]
    fn what_the_contract_puts_beside_a_result_is_not_judged() {
        let closed = |members: Value| json!({"type": "object", "properties": members, "required": ["id"], "additionalProperties": false});
        let id = json!({"id": {"type": "string"}});
        let whole = json!({"type": "object", "properties": {"output": {"type": "string"}}, "required": ["output"]});
        for (schema, value, said) in [
            (
                closed(id.clone()),
                json!({"success": true, "id": "a"}),
                None,
            ),
            (
                closed(id.clone()),
                json!({"success": true, "id": "a", "stdout": "x", "exit_code": 0}),
                None,
            ),
            (
                closed(id),
                json!({"success": true, "id": "a", "more": 1}),
                Some("the members are `id`"),
            ),
            (whole.clone(), json!({"success": true, "output": "x"}), None),
            (
                whole.clone(),
                json!({"success": true, "output": 5}),
                Some("`output`"),
            ),
            (
                whole,
                json!({"success": true, "output": {"output": "x"}}),
                None,
            ),
        ] {
            let contract = ReturnContract::new(Some(&schema)).expect("a schema");
            let returned = contract.of_value(value.clone());
            assert_eq!(returned.success, said.is_none(), "{value}: {returned:?}");
            let breaches = returned.breaches.join("; ");
            assert!(breaches.contains(said.unwrap_or_default()), "{breaches}");
        }
    }

    #[test]
    fn a_program_without_an_object_is_told_by_its_exit_code() {
        let contract = ReturnContract::new(None).expect("no schema");
        let returned = contract.of_output("hi\n", "", 0);
        assert_eq!(
            Value::Object(returned.value),
            json!({"success": true, "stdout": "hi\n", "stderr": "", "exit_code": 0})
        );
        assert!(!contract.of_output("", "bad", 3).success);
        assert!(!contract.of_output("{\"success\": true}", "", 1).success);
        assert!(
            contract
                .of_output("noise\n{\"success\": true, \"output\": 1}\n", "", 0)
                .success
        );
        assert!(contract.of_output("{\"output\": 1}", "", 0).success);
    }
    #[test]
    fn an_object_that_is_no_json_is_a_failure() {
        let contract = ReturnContract::new(None).expect("no schema");
        for (output, said) in [
            ("{\"success\": false, \"ratio\": NaN}", "`NaN`"),
            (
                "log\n{\"success\": true, \"ratio\": -Infinity}\n",
                "`Infinity`",
            ),
            (
                "{\"success\": false, \"error\": \"a\tb\"}",
                "control character",
            ),
        ] {
            let returned = contract.of_output(output, "", 0);
            assert!(!returned.success, "{output}");
            assert!(returned.breaches[0].contains(said), "{returned:?}");
            assert_eq!(returned.value["stdout"], output);
        }
        for output in [
            "\u{feff}{\"success\": false, \"error\": \"e\"}",
            "log\n{\n  \"success\": false,\n  \"error\": \"e\"\n}\n",
            "{\"success\": false, \"error\": \"e\"}\ndone\n",
        ] {
            let returned = contract.of_output(output, "", 0);
            assert_eq!(
                (returned.success, &returned.value["error"]),
                (false, &json!("e"))
            );
        }
    }

    #[test]
    fn what_is_printed_beside_an_object_stands_beside_it() {
        let contract = ReturnContract::new(None).expect("no schema");
        let printed = "working\n{\"success\": false, \"error\": \"e\"}\n";
        assert_eq!(
            Value::Object(contract.of_output(printed, "warn\n", 0).value),
            json!({"success": false, "error": "e", "stdout": "working\n", "stderr": "warn\n"})
        );
        // The tool's own `stdout` stays.
        let own = "working\n{\"success\": true, \"stdout\": 1}\n";
        let returned = contract.of_output(own, "", 0);
        assert_eq!(
            Value::Object(returned.value),
            json!({"success": true, "stdout": 1})
        );
    }

    #[test]
    fn plain_text_is_judged_by_the_schema_as_a_map_without_a_result_is() {
        let schema = json!({"type": "object", "required": ["id"]});
        let contract = ReturnContract::new(Some(&schema)).expect("a schema");
        let returned = contract.of_output("plain text\n", "", 0);
        assert!(!returned.success);
        assert!(returned.breaches[0].contains("`id`"), "{returned:?}");
        // A failure is reported as it is.
        assert_eq!(
            contract.of_output("no\n", "", 3).breaches,
            Vec::<String>::new()
        );
        let text = json!({"type": "object", "properties": {"stdout": {"minLength": 1}}, "required": ["stdout"]});
        let contract = ReturnContract::new(Some(&text)).expect("a schema");
        assert!(contract.of_output("plain text\n", "", 0).success);
        assert!(!contract.of_output("", "", 0).success);
    }
}
