//! Tools of servers that are defined in files of their own, and other ways to name a server's tool.

use std::fs;
use std::process::Output;

use toolglot_value::Value;

use super::{World, can_run};

const SERVER: &str = "tool_type: mcp_server\nexecutor_id: null\ncategory: mcp/servers\nversion: \"1.0.0\"\ndescription: Echoes\nconfig: {transport: stdio, command: python3, args: [server.py]}\n";
const TOOL: &str = "tool_type: mcp\nexecutor_id: mcp/stdio\ncategory: mcp/plain\nversion: \"1.0.0\"\ndescription: Echoes\nconfig: {server: mcp/servers/plain, tool_name: echo}\ninput_schema: {type: object}\n";

impl World {
    /// A server and its tool in files, trusted.
    fn in_files() -> World {
        let world = World::new();
        for (file, text) in [("servers/plain", SERVER), ("plain/echo", TOOL)] {
            let path = world
                .path("ws/.ai/tools/mcp")
                .join(file)
                .with_extension("yaml");
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        world.toolglot(&["tools", "trust", "mcp/servers/plain", "mcp/plain/echo"]);
        world
    }

    /// The code of the refusal of a call, or nothing.
    fn code(&self) -> String {
        let output = self.toolglot(&["call", "mcp/plain/echo"]);
        let answer: Value = toolglot_value::from_slice(&output.stdout).expect("JSON");
        answer["code"].as_str().unwrap_or_default().to_owned()
    }
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn trusting_a_file_approves_nothing_that_its_server_says() {
    if !can_run() {
        return;
    }
    let world = World::in_files();
    let trust = || words(&world.toolglot(&["tools", "trust", "mcp/plain/echo"]));
    assert!(trust().contains("is taken by its first call"));
    assert_eq!(world.code(), "");
    world.how("description-changes");
    assert_eq!(world.code(), "server-changed");
    let output = trust();
    assert!(output.contains("`toolglot mcp approve plain`"), "{output}");
    assert_eq!(world.code(), "server-changed", "nobody saw what it says");
    // A changed file of the same tool does not approve the server's description either.
    let file = world.path("ws/.ai/tools/mcp/plain/echo.yaml");
    let text = fs::read_to_string(&file).expect("it is there");
    fs::write(
        &file,
        text.replace("description: Echoes", "description: Says"),
    )
    .expect("written");
    assert_eq!(world.code(), "changed");
    trust();
    assert_eq!(world.code(), "server-changed");
    let shown = words(&world.toolglot(&["mcp", "approve", "plain"]));
    assert!(shown.contains("echo  changed"), "{shown}");
    assert_eq!(world.code(), "", "approved as it is now");
    // An approved description stays approved, and only it counts.
    trust();
    world.how("schema-changes");
    assert_eq!(world.code(), "server-changed");
    world.toolglot(&["mcp", "approve", "mcp/servers/plain"]);
    assert_eq!(world.code(), "");
}

#[test]
fn where_nothing_is_taken_on_first_sight_trusting_a_file_is_no_sight() {
    if !can_run() {
        return;
    }
    let world = World::in_files();
    let policy = world.path("policy.toml");
    fs::write(&policy, "version = 1\n[[rule]]\nid = \"all\"\ndecision = \"allow\"\ntools = [\"*/*\"]\n[trust]\ntofu = false\n").expect("written");
    let policy = policy.to_str().expect("text");
    let call = || words(&world.toolglot(&["call", "mcp/plain/echo", "--policy", policy]));
    let output = call();
    assert!(output.contains("`toolglot mcp approve plain`"), "{output}");
    world.toolglot(&["mcp", "approve", "plain"]);
    let output = call();
    assert!(!output.contains("approve"), "{output}");
}

#[test]
fn a_server_may_answer_in_batches() {
    if !can_run() {
        return;
    }
    let world = World::in_files();
    world.how("batches");
    assert_eq!(world.code(), "");
}

#[test]
fn what_a_servers_definition_requires_is_asked_for_with_each_call() {
    if !can_run() {
        return;
    }
    let world = World::in_files();
    let path = world.path("ws/.ai/tools/mcp/servers/plain.yaml");
    fs::write(path, format!("{SERVER}requires: [db.query]\n")).expect("written");
    world.toolglot(&["tools", "trust", "mcp/servers/plain"]);
    assert_eq!(world.code(), "not-granted");
    let granted = world.toolglot(&["call", "mcp/plain/echo", "--allow", "db.query"]);
    assert!(granted.status.success(), "{}", words(&granted));
}

#[test]
fn a_servers_tool_has_a_short_name_everywhere() {
    if !can_run() {
        return;
    }
    let world = World::approved();
    for id in ["m/echo", "mcp/m/echo"] {
        let called = world.toolglot(&["call", id, "--args", "{\"x\": \"a\"}"]);
        assert!(called.status.success(), "{}", words(&called));
        let shown = world.toolglot(&["tools", "show", id]);
        assert!(words(&shown).starts_with("mcp/m/echo"), "{shown:?}");
    }
}

#[test]
fn a_call_of_a_call_is_that_of_the_servers_tool() {
    if !can_run() {
        return;
    }
    let world = World::approved();
    let roo = "<use_mcp_tool>\n<server_name>m</server_name>\n<tool_name>echo</tool_name>\n<arguments>\n{\"x\": \"r\"}\n</arguments>\n</use_mcp_tool>";
    let json = "<tool_call>{\"name\": \"mcp_call\", \"arguments\": {\"server\": \"m\", \"tool\": \"echo\", \"args\": {\"x\": \"r\"}}}</tool_call>";
    for (dialect, text) in [("roo", roo), ("hermes", json)] {
        fs::write(world.path("message"), text).expect("written");
        let message = world.path("message");
        let message = message.to_str().expect("text");
        let ran = world.toolglot(&["run", "--dialect", dialect, "--format", "json", message]);
        let record: Value = toolglot_value::from_slice(&ran.stdout).expect("JSON");
        let call = &record["calls"][0];
        assert_eq!(call["result"]["ok"], true, "{call}");
        assert_eq!(call["call"]["name"], "mcp/m/echo", "{call}");
        assert_eq!(call["call"]["arguments"]["x"], "r", "{call}");
    }
}

#[test]
fn a_tool_of_a_server_that_nobody_approved_is_told_with_the_way_to_approve() {
    if !can_run() {
        return;
    }
    let world = World::in_files();
    let roo = "<use_mcp_tool>\n<server_name>SERVER</server_name>\n<tool_name>echo</tool_name>\n<arguments>\n{\"x\": \"r\"}\n</arguments>\n</use_mcp_tool>";
    let run = |server: &str| {
        fs::write(world.path("message"), roo.replace("SERVER", server)).expect("written");
        let message = world.path("message");
        let message = message.to_str().expect("text");
        words(&world.toolglot(&["run", "--dialect", "roo", "--format", "text", message]))
    };
    // One server of `.mcp.json`, and one of a trusted file: neither has listed its tools yet.
    world.servers(&toolglot_value::json!({"m": {"command": "python3", "args": ["server.py"]}}));
    for id in ["m/echo", "mcp/m/echo"] {
        let output = words(&world.toolglot(&["call", id]));
        assert!(output.contains("`toolglot mcp approve m`"), "{output}");
        assert!(output.contains("\"code\":\"not-approved\""), "{output}");
    }
    let output = words(&world.toolglot(&["call", "mcp/plain/other"]));
    assert!(output.contains("`toolglot mcp approve plain`"), "{output}");
    let output = run("m");
    assert!(output.contains("`toolglot mcp approve m`"), "{output}");
    world.approve("m");
    let output = words(&world.toolglot(&["call", "m/other"]));
    assert!(
        output.contains("without a tool `other`; it has echo"),
        "{output}"
    );
    assert!(output.contains("\"code\":\"unknown-tool\""), "{output}");
    let output = words(&world.toolglot(&["call", "nowhere/other"]));
    assert!(output.contains("unknown tool"), "{output}");
}

#[test]
fn what_an_open_schema_does_not_name_is_passed_on() {
    if !can_run() {
        return;
    }
    for (how, is_open) in [("schema-changes", true), ("schema-closed", false)] {
        let world = World::new();
        world.how(how);
        world.approve("m");
        let arguments = toolglot_value::json!({"x": "a", "unlisted": 7});
        let (call, _, _) = world.run("m/echo", &arguments, &World::pinned_policy());
        let why = super::why(&call);
        assert_eq!(super::succeeded(&call), is_open, "{how}: {why} {call}");
        let text = call["result"]["text"].as_str().unwrap_or_default();
        assert_eq!(text.contains("unlisted"), is_open, "{how}: {text}");
    }
}
