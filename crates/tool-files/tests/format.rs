//! The tables of the format, row by row: types, constraints, fields, languages, tool types, returns, capabilities.

use toolglot_tool_files::{
    Executor, ItemId, Language, ReturnContract, SourceLocation, ToolFile, capability,
};
use toolglot_value::{Value, json};

fn read(path: &str, text: &str) -> ToolFile {
    let (id, extension) = path.rsplit_once('.').expect("an extension");
    let id = ItemId::new(id).expect(path);
    let language = Language::of_extension(extension).expect(path);
    ToolFile::read(&id, language, text).checked()
}

/// The errors of a file, by their codes.
fn errors(tool: &ToolFile) -> Vec<&'static str> {
    tool.errors().map(|error| error.rule.code).collect()
}

fn yaml(rest: &str) -> String {
    format!(
        "tool_id: deploy-service\ntool_type: script\nversion: \"1.0.0\"\ndescription: Deploys a service\nexecutor_id: python_runtime\ncategory: work\n{rest}"
    )
}

/// A constraint as the format writes it, a valid value, an invalid value, and the text that reports the invalid one.
const CONSTRAINTS: &[(&str, &str, &str, &str)] = &[
    ("type: string", "\"a\"", "1", "type"),
    ("type: integer", "1", "1.5", "type"),
    ("type: number", "1.5", "\"1.5\"", "type"),
    ("type: boolean", "true", "\"true\"", "type"),
    ("type: object", "{}", "[]", "type"),
    ("type: array", "[]", "{}", "type"),
    ("type: integer\nminimum: 1", "1", "0", "minimum"),
    ("type: integer\nmaximum: 10", "10", "11", "maximum"),
    ("type: number\nminimum: 0.5", "0.5", "0.4", "minimum"),
    ("type: number\nmaximum: 0.5", "0.5", "0.6", "maximum"),
    (
        "type: string\nminLength: 3",
        "\"äöü\"",
        "\"äö\"",
        "minLength",
    ),
    (
        "type: string\nmaxLength: 3",
        "\"äöü\"",
        "\"abcd\"",
        "maxLength",
    ),
    (
        "type: string\npattern: \"^[a-z][a-z0-9-]*$\"",
        "\"a-1\"",
        "\"A\"",
        "pattern",
    ),
    (
        "type: string\nenum: [overwrite, append]",
        "\"append\"",
        "\"other\"",
        "enum",
    ),
    ("type: integer\nenum: [1, 2]", "2", "3", "enum"),
];

/// The same for constraints that need a whole schema.
const NESTED: &[(&str, &str, &str, &str)] = &[
    (
        r#"{"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"], "additionalProperties": false}"#,
        r#"{"k": "v"}"#,
        r#"{"k": "v", "l": 1}"#,
        "additionalProperties",
    ),
    (
        r#"{"type": "object", "required": ["k"]}"#,
        r#"{"k": 1}"#,
        "{}",
        "required",
    ),
    (
        r#"{"type": "array", "items": {"type": "integer"}}"#,
        "[1]",
        r#"["a"]"#,
        "type",
    ),
    (
        r#"{"type": "array", "minItems": 1}"#,
        "[1]",
        "[]",
        "minItems",
    ),
    (
        r#"{"type": "array", "maxItems": 1}"#,
        "[1]",
        "[1, 2]",
        "maxItems",
    ),
];

#[test]
fn every_type_and_constraint_is_enforced_however_it_is_written() {
    let mut files = Vec::new();
    for (constraint, good, bad, keyword) in CONSTRAINTS {
        let indented = |blanks: &str| {
            constraint
                .lines()
                .fold(String::new(), |all, line| all + blanks + line + "\n")
        };
        let (in_list, in_schema) = (indented("    "), indented("      "));
        files.push((
            "work/deploy-service.yaml",
            yaml(&format!(
                "parameters:\n  - name: p\n    required: true\n    description: The one\n{in_list}"
            )),
            (good, bad, keyword),
        ));
        files.push((
            "work/deploy-service.yml",
            yaml(&format!(
                "input_schema:\n  type: object\n  properties:\n    p:\n{in_schema}  required: [p]\n"
            )),
            (good, bad, keyword),
        ));
    }
    for (schema, good, bad, keyword) in NESTED {
        let python = schema.replace("false", "False").replace("true", "True");
        files.push((
            "work/deploy-service.py",
            format!("__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n__executor_id__ = \"python/script\"\n__category__ = \"work\"\n__tool_description__ = \"x\"\nCONFIG_SCHEMA = {{\"type\": \"object\", \"properties\": {{\"p\": {python}}}, \"required\": [\"p\"]}}\n"),
            (good, bad, keyword),
        ));
        files.push((
            "work/deploy-service.mjs",
            format!("export const __version__ = \"1.0.0\";\nexport const __tool_type__ = \"script\";\nexport const __executor_id__ = \"node/node\";\nexport const __category__ = \"work\";\nexport const __tool_description__ = \"x\";\nexport const CONFIG_SCHEMA = {{type: \"object\", properties: {{p: {schema}}}, required: [\"p\"]}};\nexport default () => ({{ success: true, output: 1 }});\n"),
            (good, bad, keyword),
        ));
    }
    for (path, text, (good, bad, keyword)) in files {
        let tool = read(path, &text);
        assert_eq!(errors(&tool), [""; 0], "{path}:\n{text}");
        let (validator, _) = tool.compile().expect("it is a schema");
        let with =
            |value: &str| -> Value { json!({"p": toolglot_value::from_str(value).expect("JSON")}) };
        assert!(
            validator.validate(&with(good)).is_empty(),
            "{good} in\n{text}"
        );
        let violations = validator.validate(&with(bad));
        assert_eq!(violations[0].keyword, *keyword, "{bad} in\n{text}");
        assert_eq!(validator.validate(&json!({}))[0].keyword, "required");
    }
}

#[test]
fn a_list_of_parameters_is_closed_and_has_defaults() {
    let tool = read(
        "work/deploy-service.yaml",
        &yaml(
            "parameters:\n  - name: service_name\n    type: string\n    required: true\n    description: Name\n  - name: replicas\n    type: integer\n    required: false\n    default: 3\n    minimum: 1\n    maximum: 10\n",
        ),
    );
    let (validator, _) = tool.compile().expect("it is a schema");
    let mut given = json!({"service_name": "x"});
    toolglot_schema::fill_defaults(&tool.schema.input, &mut given);
    assert_eq!(given, json!({"service_name": "x", "replicas": 3}));
    let violations = validator.validate(&json!({"service_name": "x", "other": 1}));
    assert_eq!(violations[0].keyword, "additionalProperties");
}

/// A tool type, whether its executor may be null, and whether it is called.
const TYPES: &[(&str, bool, bool)] = &[
    ("python", false, true),
    ("script", false, true),
    ("mcp", false, true),
    ("mcp_server", true, false),
    ("primitive", true, false),
    ("runtime", true, false),
    ("library", true, false),
    ("yaml", false, true),
    ("http", false, true),
];

#[test]
fn every_tool_type_is_known_and_only_some_have_no_executor() {
    for (kind, may_be_null, is_callable) in TYPES {
        let text = yaml("").replace("tool_type: script", &format!("tool_type: {kind}"));
        let tool = read("work/deploy-service.yaml", &text);
        assert_eq!(errors(&tool), [""; 0], "{kind}");
        assert!(
            tool.diagnostics.iter().all(|one| one.rule.code != "F05"),
            "{kind}"
        );
        assert_eq!(tool.is_callable(), *is_callable, "{kind}");
        let null = text.replace("executor_id: python_runtime", "executor_id: null");
        let tool = read("work/deploy-service.yaml", &null);
        assert_eq!(tool.metadata.executor, Executor::Null);
        let expected: &[&str] = if *may_be_null { &[] } else { &["R06"] };
        assert_eq!(errors(&tool), expected, "{kind}");
    }
}

/// A file of each language with every required field, one line for each field.
const LANGUAGES: &[(&str, &str, &str, &str)] = &[
    (
        "py",
        "__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n__executor_id__ = \"python/script\"\n__category__ = \"work\"\n__tool_description__ = \"Does it\"\n",
        "print(1)\n",
        "R01",
    ),
    (
        "js",
        "export const __version__ = \"1.0.0\";\nexport const __tool_type__ = \"script\";\nexport const __executor_id__ = \"node/node\";\nexport const __category__ = \"work\";\nexport const __tool_description__ = \"Does it\";\n",
        "export default () => ({ success: true, output: 1 });\n",
        "R01",
    ),
    (
        "mjs",
        "export const __version__ = \"1.0.0\";\nexport const __tool_type__ = \"script\";\nexport const __executor_id__ = \"node/node\";\nexport const __category__ = \"work\";\nexport const __tool_description__ = \"Does it\";\n",
        "export default () => ({ success: true, output: 1 });\n",
        "R01",
    ),
    (
        "cjs",
        "exports.__version__ = \"1.0.0\";\nexports.__tool_type__ = \"script\";\nexports.__executor_id__ = \"node/node\";\nexports.__category__ = \"work\";\nexports.__tool_description__ = \"Does it\";\n",
        "exports.main = () => ({ success: true, output: 1 });\n",
        "R01",
    ),
    (
        "ts",
        "export const __version__: string = \"1.0.0\";\nexport const __tool_type__ = \"script\";\nexport const __executor_id__ = \"node/node\";\nexport const __category__ = \"work\" as const;\nexport const __tool_description__ = \"Does it\";\n",
        "export default (): object => ({ success: true, output: 1 });\n",
        "R01",
    ),
    (
        "sh",
        "# __version__ = \"1.0.0\"\n# __tool_type__ = \"script\"\n# __executor_id__ = \"subprocess\"\n# __category__ = \"work\"\n# __tool_description__ = \"Does it\"\n",
        "echo\n",
        "R01",
    ),
    (
        "yaml",
        "tool_id: do-it\ntool_type: script\nversion: \"1.0.0\"\ndescription: Does it\nexecutor_id: bash\ncategory: work\n",
        "",
        "R02",
    ),
    (
        "yml",
        "tool_id: do-it\ntool_type: script\nversion: \"1.0.0\"\ndescription: Does it\nexecutor_id: bash\ncategory: work\n",
        "",
        "R02",
    ),
    (
        "toml",
        "tool_id = \"do-it\"\ntool_type = \"script\"\nversion = \"1.0.0\"\ndescription = \"Does it\"\nexecutor_id = \"bash\"\ncategory = \"work\"\n",
        "",
        "R02",
    ),
];

#[test]
fn every_language_loads_and_misses_each_required_field_by_name() {
    for (extension, fields, rest, rule) in LANGUAGES {
        let path = format!("work/do-it.{extension}");
        let tool = read(&path, &format!("{fields}{rest}"));
        assert_eq!(errors(&tool), [""; 0], "{path}: {:?}", tool.diagnostics);
        assert_eq!(tool.metadata.version.as_deref(), Some("1.0.0"), "{path}");
        assert_eq!(
            tool.metadata.description.as_deref(),
            Some("Does it"),
            "{path}"
        );
        for left_out in fields.lines() {
            let text = format!("{fields}{rest}").replace(&format!("{left_out}\n"), "");
            let tool = read(&path, &text);
            let found = errors(&tool);
            // Without an id of its own a file is called by its path.
            let is_needed = !left_out.starts_with("tool_id");
            assert_eq!(
                found.contains(rule),
                is_needed,
                "{path} without `{left_out}`: {found:?}"
            );
        }
    }
}

/// A rule of the format, and lines that break it.
const BROKEN: &[(&str, &str, &str, &str)] = &[
    (
        "R03",
        "tool_id: deploy-service",
        "tool_id: DeployService",
        "a tool_id in capitals",
    ),
    (
        "R03",
        "tool_id: deploy-service",
        "tool_id: deploy service",
        "a tool_id with a blank",
    ),
    (
        "R04",
        "category: work",
        "category: play",
        "a category that is another directory",
    ),
    (
        "R04",
        "category: work",
        "category: work/",
        "a category with a slash at its end",
    ),
    (
        "R05",
        "version: \"1.0.0\"",
        "version: \"1.0\"",
        "two numbers",
    ),
    (
        "R05",
        "version: \"1.0.0\"",
        "version: \"v1.0.0\"",
        "a letter before",
    ),
    (
        "R05",
        "version: \"1.0.0\"",
        "version: \"1.0.0-beta\"",
        "a pre-release",
    ),
    (
        "R06",
        "executor_id: python_runtime",
        "executor_id: null",
        "no executor",
    ),
    (
        "R07",
        "",
        "parameters: [{name: a, type: text, required: true}]",
        "a type that is none",
    ),
    (
        "R08",
        "",
        "requires: [fswrite]",
        "a capability without a dot",
    ),
    (
        "R08",
        "",
        "requires: [\"fs write\"]",
        "a capability with a blank",
    ),
    (
        "R09",
        "",
        "parameters: [{name: a, type: string, required: true, pattern: \"[a-\"}]",
        "a pattern that is none",
    ),
    (
        "R10",
        "",
        "parameters: [{name: a, type: string, required: true, enum: []}]",
        "nothing to choose from",
    ),
];

#[test]
fn every_rule_is_broken_by_a_tool_that_breaks_it() {
    for (rule, from, to, what) in BROKEN {
        let text = if from.is_empty() {
            yaml(&format!("{to}\n"))
        } else {
            yaml("").replace(from, to)
        };
        let tool = read("work/deploy-service.yaml", &text);
        assert!(
            errors(&tool).contains(rule),
            "{what}: {:?}",
            tool.diagnostics
        );
    }
    for (returned, is_error) in [
        ("1", true),
        ("[1]", true),
        ("{}", false),
        ("{\"output\": 1}", false),
        ("{\"success\": 1}", true),
        ("\"text\"", true),
        ("None", true),
        ("1 if params else {\"success\": True}", false),
    ] {
        let text = format!(
            "{}\ndef execute(params, project_path):\n    return {returned}\n",
            LANGUAGES[0].1.replace("python/script", "python/function")
        );
        let tool = read("work/do-it.py", &text);
        let broken = |one: &toolglot_tool_files::Diagnostic| one.rule.code == "R11";
        assert!(tool.diagnostics.iter().any(broken), "{returned}");
        assert_eq!(errors(&tool).contains(&"R11"), is_error, "{returned}");
    }
}

#[test]
fn every_optional_field_is_read() {
    for (field, lines) in [
        (
            "requires",
            "requires: [fs.write, shell.execute, net.http, rye.execute, rye.execute.spawn.thread]\n",
        ),
        (
            "outputs",
            "outputs: {type: object, properties: {a: {type: string}}}\n",
        ),
        (
            "actions",
            "actions:\n  deploy: {description: Deploys, parameters: [{name: a, type: string, required: true}]}\n  rollback: {description: Rolls back, parameters: [{name: b, type: string, required: true}]}\n",
        ),
        ("tags", "tags: [a, b]\n"),
        (
            "config",
            "config: {command: python, args: [deploy.py], env: {LOG_LEVEL: INFO}}\n",
        ),
        (
            "docker",
            "config: {image: \"python:3.11\", command: python, entrypoint: /app/deploy.py, env: [KUBECONFIG, AWS_CREDENTIALS]}\n",
        ),
        (
            "output_schema",
            "output_schema: {type: object, properties: {status: {type: string, enum: [success, failed]}}, required: [status]}\n",
        ),
        ("timeout", "timeout: 30\n"),
        (
            "retry_policy",
            "retry_policy: {max_attempts: 3, backoff_type: exponential, initial_delay: 1, max_delay: 60, backoff_multiplier: 2}\n",
        ),
        (
            "cost",
            "cost: {per_invocation: 0.01, per_minute: 0.05, estimated_duration: 60, currency: USD}\n",
        ),
        (
            "documentation",
            "documentation: {url: \"https://docs.example.com\", examples: [Deploy to production]}\n",
        ),
        (
            "metadata",
            "metadata: {author: platform-team, maintainer: ops@example.com, deprecated: false, experimental: false, stability: stable}\n",
        ),
    ] {
        let tool = read("work/deploy-service.yaml", &yaml(lines));
        assert_eq!(errors(&tool), [""; 0], "{field}: {:?}", tool.diagnostics);
        let metadata = &tool.metadata;
        let is_read = match field {
            "requires" => metadata.requires.len() == 5,
            "outputs" | "output_schema" => tool.schema.output.is_some(),
            "actions" => tool.actions.len() == 2 && tool.action("rollback").is_some(),
            "tags" => metadata.tags == ["a", "b"],
            "config" | "docker" => metadata.config.is_some(),
            "timeout" => metadata.timeout.is_some_and(|time| time.as_secs() == 30),
            "retry_policy" => metadata.retry.is_some_and(|retry| {
                let delays: Vec<_> = (1..4).map(|attempt| retry.delay(attempt)).collect();
                delays
                    .iter()
                    .flatten()
                    .map(std::time::Duration::as_secs)
                    .eq([1, 2])
            }),
            "cost" => metadata
                .cost
                .as_ref()
                .is_some_and(|cost| (cost.estimate() - 0.06).abs() < 1e-9),
            "documentation" => metadata.documentation.is_some(),
            _ => metadata.about.is_some() && !metadata.is_deprecated(),
        };
        assert!(is_read, "{field}: {metadata:?}");
    }
}

#[test]
fn every_form_of_a_return_is_one() {
    let contract = ReturnContract::new(None).expect("no schema is one");
    for (value, success) in [
        (json!({"success": true, "output": 1}), true),
        (
            json!({"success": true, "data": {"key": "value"}, "file_path": "relative/path"}),
            true,
        ),
        (
            json!({"success": true, "stdout": "text", "exit_code": 0}),
            true,
        ),
        (json!({"success": false, "error": "why"}), false),
        (
            json!({"success": false, "error": "why", "exit_code": 1}),
            false,
        ),
    ] {
        let returned = contract.of_value(value.clone());
        assert_eq!(
            (returned.success, returned.breaches.is_empty()),
            (success, true),
            "{value}"
        );
        let printed = contract.of_output(&format!("noise\n{value}\n"), "", 0);
        let mut whole = value;
        // A `stdout` in the object itself replaces the text beside it.
        if whole.get("stdout").is_none() {
            whole["stdout"] = json!("noise\n");
        }
        assert_eq!(
            (printed.success, Value::Object(printed.value)),
            (success, whole)
        );
    }
}

/// Granted capabilities, a requirement, and whether it is covered.
const CAPABILITIES: &[(&[&str], &str, bool)] = &[
    (&["fs.write"], "fs.write", true),
    (&["fs.*"], "fs.write", true),
    (&["fs"], "fs.write", false),
    (&["f"], "fs.write", false),
    (&["fs.write"], "fs", false),
    (&["fs.write"], "fs.writer", false),
    (&["*"], "net.http", true),
    (&[], "net.http", false),
    (&["rye.*"], "rye.sign.tool.a", true),
    (&["rye.execute"], "rye.execute.tool.a.b", true),
    (&["rye.execute.*"], "rye.search.tool.a", true),
    (&["rye.execute.tool.a"], "rye.load.tool.a", true),
    (&["rye.load.*"], "rye.execute.tool.a", false),
    (&["rye.sign.tool.a"], "rye.load.tool.a", true),
    (&["rye.sign.tool.a"], "rye.execute.tool.a", false),
    (&["rye.execute.tool.a"], "rye.execute.tool.ab", false),
    (&["rye.execute.directive.*"], "rye.execute.tool.a", false),
];

#[test]
fn capabilities_cover_what_is_below_them_and_no_more() {
    for (granted, needed, expected) in CAPABILITIES {
        assert_eq!(
            capability::covers(granted, needed),
            *expected,
            "{granted:?} for {needed}"
        );
    }
}

#[test]
fn lines_of_a_script_end_as_a_shell_ends_them() {
    let header = "#!/bin/bash\n# tool_id: say-it\n# tool_type: script\n# version: \"1.0.0\"\n# executor_id: bash\n# category: work\n# description: Says it\n";
    for (script, line) in [
        ("set -e\n# a remark\r\necho one\n", None),
        ("set -e\ncat <<END\nof a file\r\nEND\n", None),
        ("set -e\necho one\r\necho two\r\n", Some(9)),
    ] {
        for text in [
            format!("{header}{script}"),
            format!("{header}{script}").replacen('\n', "\r\n", 7),
        ] {
            let tool = read("work/say-it.sh", &text);
            let found: Vec<(&str, usize)> = tool
                .errors()
                .map(|error| {
                    (
                        error.rule.code,
                        SourceLocation::of(&text, error.span.start).line,
                    )
                })
                .collect();
            assert_eq!(found, line.map(|line| ("F01", line)).as_slice(), "{text:?}");
        }
    }
}
