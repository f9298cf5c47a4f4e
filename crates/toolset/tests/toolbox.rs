//! External tool lists, and the built-in sets.

use toolglot_engine::{Scalars, Shape};
use toolglot_schema::Validator;
use toolglot_toolset::{Effect, ToolError, ToolSpec, Toolbox, nearest, roo_names};
use toolglot_value::{Value, json};

const BUILTIN: &[&str] = &[
    "workspace",
    "vocabulary",
    "roo",
    "forge",
    "axe",
    "tool_call",
];

fn builtin(name: &str) -> Toolbox {
    Toolbox::builtin(name).unwrap_or_else(|| panic!("{name} is built in"))
}

/// `name(parameters)` of each tool.
fn signatures(toolbox: &Toolbox) -> Vec<String> {
    let set = toolbox.tool_set();
    set.iter()
        .map(|tool| {
            let names: Vec<&str> = tool
                .parameters
                .properties
                .iter()
                .map(|(name, _)| name.as_str())
                .collect();
            format!("{}({})", tool.name, names.join(", "))
        })
        .collect()
}

#[test]
fn every_usual_shape_of_a_list_is_read() {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let function =
        json!({"name": "weather", "description": "Say the weather.", "parameters": schema});
    let chat = json!([{"type": "function", "function": function}]);
    let responses = json!([
        {"type": "function", "name": "weather", "description": "Say the weather.", "parameters": schema, "strict": true}
    ]);
    let single = json!({"type": "function", "function": function});
    let mcp_tools = json!({"tools": [
        {"name": "weather", "description": "Say the weather.", "inputSchema": schema, "annotations": {"readOnlyHint": true}}
    ], "nextCursor": "x"});
    let rpc = json!({"jsonrpc": "2.0", "id": 1, "result": mcp_tools});
    let anthropic =
        json!([{"name": "weather", "description": "Say the weather.", "input_schema": schema}]);
    for list in [chat, responses, single, mcp_tools, rpc, anthropic] {
        let toolbox = Toolbox::from_json(&list).unwrap_or_else(|error| panic!("{list}: {error}"));
        assert_eq!(signatures(&toolbox), ["weather(city)"], "{list}");
        let tool = toolbox.get("weather").expect("it was listed");
        assert_eq!(tool.description, "Say the weather.");
        assert_eq!(tool.parameters, schema);
        assert_eq!(
            tool.effect,
            Effect::Unknown,
            "a list does not vouch for itself: {list}"
        );
    }
}

#[test]
fn maps_namespaces_and_missing_parameters() {
    let map = json!({
        "b": {"type": "object", "description": "Second.", "properties": {"x": {"type": "integer"}}},
        "tools": {"type": "object"},
        "a": true,
    });
    let toolbox = Toolbox::from_json(&map).expect("a map is a list");
    assert_eq!(signatures(&toolbox), ["b(x)", "tools()", "a()"]);
    assert_eq!(
        toolbox.get("b").map(|tool| tool.description.as_str()),
        Some("Second.")
    );

    let list = json!([
        {"type": "namespace", "name": "screen", "description": "..", "tools": [
            {"type": "function", "name": "shot", "parameters": null}, {"name": "click"}
        ]},
        {"type": "custom", "name": "patch", "format": {"type": "grammar"}},
    ]);
    let toolbox = Toolbox::from_json(&list).expect("namespaces are read");
    assert_eq!(
        signatures(&toolbox),
        [
            "screen__shot()",
            "screen__click()",
            "patch(input)",
            "shot()",
            "click()"
        ]
    );
    assert!(toolbox.is_freeform("patch") && !toolbox.is_freeform("click"));
    assert!(
        Toolbox::from_json(&json!([]))
            .expect("an empty list is one")
            .is_empty()
    );
}

/// A tool of a namespace has a short name, if no other tool has that name.
#[test]
fn short_names_are_those_of_one_tool_alone() {
    let space = |name: &str, tools: &[&str]| {
        let tools: Vec<_> = tools.iter().map(|tool| json!({"name": tool})).collect();
        json!({"name": name, "tools": tools})
    };
    let check = |list: toolglot_value::Value, short: &[&str]| {
        let toolbox = Toolbox::from_json(&list).expect("a list");
        let aliases = toolbox.iter().flat_map(|spec| toolbox.aliases(&spec.name));
        assert_eq!(aliases.collect::<Vec<_>>(), short, "{list}");
    };
    check(json!([space("a", &["x", "y"])]), &["x", "y"]);
    check(json!([space("a", &["x"]), space("b", &["x", "y"])]), &["y"]);
    check(json!([space("a", &["x"]), {"name": "x"}]), &[]);
    check(json!([space("a", &["x"]), {"name": "b__x"}]), &[]);
    check(json!([{"name": "b__x"}]), &[]);
    // The namespace may hold the separator.
    check(json!([space("a__b", &["x"])]), &["x"]);
}

#[test]
fn odd_entries_are_refused_by_name() {
    let named = |name: &str| json!({"type": "function", "function": {"name": name}});
    for (list, expected) in [
        (
            json!("read_file"),
            "a tool list is an array or an object, not a string",
        ),
        (
            json!([named("a"), 7]),
            "tools[1] is a number, where a tool is an object",
        ),
        (
            json!([{"function": "a"}]),
            "tools[0].function is a string, where a tool is an object",
        ),
        (
            json!([named("a"), {"type": "function"}]),
            "tools[1] has no `name`",
        ),
        (json!({"tools": [{"name": 5}]}), "tools[0] has no `name`"),
        (
            json!([named("")]),
            "tools[0] is called \"\": a name is not empty",
        ),
        (
            json!([named("read file")]),
            "tools[0] is called \"read file\": a name has no blanks, brackets or quotes",
        ),
        (
            json!([named("/a")]),
            "tools[0] is called \"/a\": a name does not start with `/`",
        ),
        (
            json!([named("a"), named("b"), named("a")]),
            "tools[2] is called `a`, as tools[0] is",
        ),
        (
            json!([{"name": "a", "parameters": []}]),
            "the parameters of tools[0] (`a`) are an array, where a JSON Schema is an object",
        ),
        (
            json!({"a": {"type": "object"}, "b": "text"}),
            "the parameters of tools.b (`b`) are a string, where a JSON Schema is an object",
        ),
        (
            json!([{"name": "a", "description": {}}]),
            "the description of tools[0] (`a`) is an object, where text belongs",
        ),
        (
            json!([{"name": "n", "tools": [{"name": "a"}, {}]}]),
            "tools[0].tools[1] has no `name`",
        ),
    ] {
        let error = Toolbox::from_json(&list).expect_err("the list is odd");
        assert_eq!(error.to_string(), expected);
    }
    let long = Toolbox::from_json(&json!([named(&"x".repeat(161))]));
    assert!(matches!(
        long,
        Err(ToolError::BadName {
            why: "a name has at most 160 bytes",
            ..
        })
    ));
}

/// Each file of `data/` is read, its schemas are valid, and each description is a sentence.
#[test]
fn built_in_sets_are_whole() {
    for set in BUILTIN {
        let toolbox = builtin(set);
        assert!(!toolbox.is_empty(), "{set}");
        for tool in toolbox.iter() {
            let name = format!("{set}/{}", tool.name);
            Validator::new(&tool.parameters).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(
                tool.description.ends_with('.'),
                "{name}: a description is a sentence"
            );
            let properties = tool.parameters["properties"].as_object();
            for (key, schema) in properties.expect("parameters are declared") {
                let text = schema["description"].as_str().unwrap_or_default();
                assert!(
                    text.ends_with('.'),
                    "{name}.{key}: a description is a sentence"
                );
            }
            let closed = tool.parameters["additionalProperties"] == Value::Bool(false);
            assert!(
                closed || tool.name == "custom_tool",
                "{name}: other parameters are refused"
            );
        }
    }
    assert!(Toolbox::builtin("nobody").is_none());
}

/// An alias that is also a name, or is in two places, would be resolved by chance.
#[test]
fn aliases_are_unambiguous() {
    for set in BUILTIN {
        let toolbox = builtin(set);
        let mut names: Vec<String> = toolbox
            .tool_set()
            .iter()
            .map(|tool| tool.name.to_lowercase())
            .collect();
        let n = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), n, "{set} has a name twice");
        for tool in &toolbox.tool_set() {
            let mut keys: Vec<&String> = tool
                .parameters
                .properties
                .iter()
                .map(|(key, _)| key)
                .collect();
            let n = keys.len();
            keys.sort();
            keys.dedup();
            assert_eq!(keys.len(), n, "{set}/{} has a parameter twice", tool.name);
        }
    }
}

#[test]
fn names_are_found_exactly_by_alias_and_without_case_where_the_set_says_so() {
    for (set, written, expected) in [
        ("workspace", "read_file", Some(("read_file", false))),
        ("workspace", "Read_File", Some(("read_file", true))),
        ("workspace", "execute_command", None),
        ("vocabulary", "bash", Some(("execute_command", true))),
        ("vocabulary", "apply_diff", Some(("edit_file", true))),
        ("roo", "write_file", Some(("write_to_file", true))),
        ("roo", "WRITE_TO_FILE", None),
        ("axe", "LISTDIR", Some(("list_files", true))),
        ("forge", "write_to_file", Some(("write_file", true))),
        ("tool_call", "cat", None),
    ] {
        let toolbox = builtin(set);
        let found = toolbox
            .canonical(written)
            .map(|(tool, by_alias)| (tool.name.as_str(), by_alias));
        assert_eq!(found, expected, "{set}/{written}");
    }
}

#[test]
fn the_engine_is_told_every_name_that_may_be_written() {
    let set = builtin("axe").tool_set();
    let names: Vec<&str> = set.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        names[..5],
        [
            "read_file",
            "write_file",
            "append_file",
            "execute_command",
            "list_files"
        ]
    );
    assert!(names.contains(&"cat"));
    assert_eq!(set.shape("save_file", "contents"), Some(&Shape::Text));
    assert_eq!(set.shape("ls", "content"), None);

    let set = builtin("workspace").tool_set();
    let integer = Shape::Scalar(Scalars {
        integer: true,
        ..Scalars::default()
    });
    assert_eq!(set.shape("view_file", "line_start"), Some(&integer));
    // What no schema declares is only a text; a declared list may also be a text that encodes it.
    assert_eq!(set.shape("read_file", "args"), Some(&Shape::Text));
    for (tool, key) in [
        ("ask", "suggestions"),
        ("ask_followup_question", "follow_up"),
    ] {
        let Some(Shape::OneOf(parts)) = set.shape(tool, key) else {
            panic!("{tool}.{key} is a list or a text");
        };
        assert!(
            matches!(parts.as_slice(), [Shape::Text, Shape::Array(_)]),
            "{tool}.{key}"
        );
    }
}

#[test]
fn dialects_of_one_system_have_its_tools() {
    for (dialect, tool) in [
        ("roo", "attempt_completion"),
        ("forge", "task_completion"),
        ("forge_hybrid", "task_completion"),
        ("axe", "append_file"),
        ("tool_call", "get_workspace_summary"),
        ("tool_call_xml", "get_workspace_summary"),
    ] {
        let toolbox = Toolbox::taught(dialect).unwrap_or_else(|| panic!("{dialect} has tools"));
        assert!(toolbox.get(tool).is_some(), "{dialect}/{tool}");
    }
    assert!(Toolbox::taught("hermes").is_none());
}

#[test]
fn roo_knows_the_names_of_all_its_versions_and_takes_parameters_as_text() {
    let set = roo_names();
    assert_eq!(set.iter().count(), 28);
    let roo = builtin("roo");
    for tool in &set {
        assert_eq!(tool.parameters.properties.len(), 46, "{}", tool.name);
        assert!(
            tool.parameters
                .properties
                .iter()
                .all(|(_, shape)| *shape == Shape::Text)
        );
        assert_eq!(tool.parameters.others, None);
        let (declared, _) = roo.canonical(&tool.name).expect("the set has it too");
        for key in declared.parameters["properties"]
            .as_object()
            .expect("parameters")
            .keys()
        {
            assert!(tool.parameters.get(key).is_some(), "{}.{key}", tool.name);
        }
    }
}

/// The calls that the descriptions invite are valid.
#[test]
fn schemas_take_what_models_write_and_refuse_the_rest() {
    for (set, tool, arguments, valid) in [
        (
            "workspace",
            "read_file",
            json!({"path": "a", "start_line": 1}),
            true,
        ),
        (
            "workspace",
            "read_file",
            json!({"path": "a", "start_line": 0}),
            false,
        ),
        ("workspace", "list_files", json!({}), true),
        ("workspace", "write_file", json!({"path": "a"}), false),
        (
            "workspace",
            "ask",
            json!({"question": "?", "suggestions": ["a", {"text": "b", "mode": "code"}]}),
            true,
        ),
        (
            "workspace",
            "create_directory",
            json!({"path": "a", "mode": 1}),
            false,
        ),
        (
            "roo",
            "read_file",
            json!({"args": {"file": [{"path": "a", "line_range": ["1-2"]}]}}),
            true,
        ),
        ("roo", "read_file", json!({}), false),
        ("roo", "custom_tool", json!({"anything": 1}), true),
        (
            "forge",
            "add_note",
            json!({"content": "x", "tags": []}),
            false,
        ),
        (
            "tool_call",
            "stop_dev_server",
            json!({"terminalId": "t"}),
            true,
        ),
        ("tool_call", "stop_dev_server", json!({}), false),
    ] {
        let toolbox = builtin(set);
        let spec = toolbox.get(tool).expect("the set has the tool");
        let violations = Validator::new(&spec.parameters)
            .expect("the schema is valid")
            .validate(&arguments);
        assert_eq!(
            violations.is_empty(),
            valid,
            "{set}/{tool} {arguments}: {violations:?}"
        );
    }
}

#[test]
fn a_toolbox_is_made_of_specifications_too() {
    let spec = |description: &str| ToolSpec {
        name: "deploy".into(),
        description: description.into(),
        parameters: json!({"type": "object"}),
        effect: Effect::Execute,
    };
    let toolbox: Toolbox = [spec("First."), spec("Second.")].into_iter().collect();
    assert_eq!(toolbox.iter().count(), 1);
    assert_eq!(toolbox.get("deploy"), Some(&spec("First.")));
    assert_eq!(spec("").effect.to_string(), "execute");
}

#[test]
fn a_misspelt_tool_has_a_nearest() {
    let toolbox = builtin("workspace");
    let names = || toolbox.iter().map(|tool| tool.name.as_str());
    assert_eq!(nearest("reed_file", names()), Some("read_file"));
    assert_eq!(nearest("deploy", names()), None);
}

#[test]
fn what_no_text_calls_is_left_out_and_told() {
    let list = json!([
        {"type": "web_search"},
        {"type": "function", "function": {"name": "f"}},
        {"type": "mcp", "server_label": "docs"},
    ]);
    let toolbox = Toolbox::from_json(&list).expect("the list has a tool");
    assert!(toolbox.iter().map(|spec| &*spec.name).eq(["f"]));
    let left_out = toolbox.left_out();
    assert_eq!(
        left_out,
        [
            "tools[0] of the type `web_search`",
            "tools[2] of the type `mcp`"
        ]
    );
}
