//! `toolglot mcp`: what it serves besides tools.

use std::fs;

use toolglot_value::{Value, json};

use super::World;
use super::serving::{Lines, tools};

fn begun(world: &World, arguments: &[&str]) -> (Lines, Value) {
    let mut server = Lines::start(world, arguments);
    let hello = server.ask(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    (server, hello["result"]["capabilities"].clone())
}

#[test]
fn a_prompt_teaches_the_tools_that_may_run_in_any_dialect() {
    let world = World::new();
    tools(&world);
    let strange = "tool_id: not-trusted\ntool_type: script\nversion: \"1.0.0\"\nexecutor_id: bash\ncategory: t\ndescription: A tool\nconfig: {command: 'true'}\n";
    fs::write(world.path("ws/.ai/tools/t/not-trusted.yaml"), strange).expect("written");
    let (mut server, capabilities) = begun(&world, &[]);
    assert_eq!(capabilities["prompts"], json!({}), "{capabilities}");
    let list = server.ask(2, "prompts/list", &json!({}));
    assert_eq!(list["result"]["prompts"][0]["name"], "write-calls");
    for (arguments, is_marked) in [(json!({}), true), (json!({"dialect": "roo"}), false)] {
        let params = json!({"name": "write-calls", "arguments": arguments});
        let prompt = server.ask(3, "prompts/get", &params);
        let text = &prompt["result"]["messages"][0]["content"]["text"];
        let text = text.as_str().unwrap_or_else(|| panic!("{prompt}"));
        assert!(text.contains("t.say-hi"), "{text}");
        assert_eq!(text.contains("TOOL_CALL:"), is_marked, "{text}");
        assert!(!text.contains("not-trusted"), "{text}");
    }
    // Only the name of a dialect is accepted: a path would name a file of this machine.
    let file = world.path("mine.dialect");
    fs::write(&file, "dialect mine").expect("written");
    for (name, dialect) in [
        ("write-calls", json!(file)),
        ("write-calls", json!(7)),
        ("other", json!("roo")),
    ] {
        let params = json!({"name": name, "arguments": {"dialect": dialect}});
        let refused = server.ask(4, "prompts/get", &params);
        assert_eq!(refused["error"]["code"], json!(-32602), "{refused}");
    }
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "write-calls"},
        "argument": {"name": "dialect", "value": "forge"},
    });
    let completed = server.ask(5, "completion/complete", &params);
    let values = &completed["result"]["completion"]["values"];
    assert_eq!(*values, json!(["forge", "forge_hybrid"]), "{completed}");
}

#[test]
fn texts_of_tools_are_read_where_that_is_asked_for_and_they_may_run() {
    let world = World::new();
    tools(&world);
    let folder = world.path("ws/.ai/tools/t");
    fs::write(folder.join("not-trusted.sh"), "echo secret\n").expect("written");
    let (mut server, capabilities) = begun(&world, &[]);
    assert_eq!(capabilities["resources"], Value::Null);
    let refused = server.ask(2, "resources/list", &json!({}));
    assert_eq!(refused["error"]["code"], json!(-32601), "{refused}");
    let (mut server, capabilities) = begun(&world, &["--sources"]);
    assert_eq!(capabilities["resources"], json!({}));
    let list = server.ask(2, "resources/list", &json!({}));
    let uris: Vec<&str> = list["result"]["resources"]
        .as_array()
        .unwrap_or_else(|| panic!("{list}"))
        .iter()
        .filter_map(|resource| resource["uri"].as_str())
        .filter(|uri| uri.starts_with("rye://tools/t/"))
        .collect();
    assert_eq!(
        uris,
        ["rye://tools/t/say-hi", "rye://tools/t/wait-long"],
        "{list}"
    );
    let read = server.ask(3, "resources/read", &json!({"uri": uris[0]}));
    let text = fs::read_to_string(folder.join("say-hi.yaml")).expect("it is there");
    assert_eq!(read["result"]["contents"][0]["text"], json!(text), "{read}");
    // A tool that may not run, a file that is not a tool, and files elsewhere.
    for uri in [
        "rye://tools/t/not-trusted",
        "rye://tools/rye/core/primitives/subprocess",
        "rye://tools/../toolglot.lock",
        "file:///etc/passwd",
    ] {
        let refused = server.ask(4, "resources/read", &json!({"uri": uri}));
        assert_eq!(refused["error"]["code"], json!(-32002), "{refused}");
        assert_eq!(refused["error"]["data"]["uri"], json!(uri));
    }
    let templates = server.ask(5, "resources/templates/list", &json!({}));
    let template = &templates["result"]["resourceTemplates"][0]["uriTemplate"];
    let params = json!({
        "ref": {"type": "ref/resource", "uri": template},
        "argument": {"name": "id", "value": "t/"},
    });
    let completed = server.ask(6, "completion/complete", &params);
    let values = &completed["result"]["completion"]["values"];
    assert_eq!(*values, json!(["t/say-hi", "t/wait-long"]), "{completed}");
}
