//! Tools of MCP servers that are started for the call.

use serde_json::json;

use crate::world::{World, can_run};

/// A server in Python, which misbehaves as its first argument says.
const SERVER: &str = r#"
import json, sys, time
how = sys.argv[1]
def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    if id is None:
        continue
    if how == "noise":
        sys.stdout.write("starting up\n\n{not json\n")
        say({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
        say({"jsonrpc": "2.0", "id": 999, "result": {"wrong": True}})
        say({"jsonrpc": "2.0", "id": 7, "method": "ping"})
        sys.stderr.write("x" * 1000000)
    if how == "silent":
        time.sleep(1000)
    if how == "dies" and method == "tools/call":
        sys.stderr.write("out of luck\n")
        sys.exit(3)
    if method == "initialize":
        say({"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}})
    elif method == "tools/list":
        if how == "pages" and not message["params"].get("cursor"):
            say({"jsonrpc": "2.0", "id": id, "result": {"tools": [], "nextCursor": "2"}})
            continue
        tool = {"name": "echo", "description": "changed" if how == "changed" else "Echoes", "inputSchema": {"type": "object"}}
        say({"jsonrpc": "2.0", "id": id, "result": {"tools": [tool]}})
    elif method == "tools/call":
        if how == "refuses":
            say({"jsonrpc": "2.0", "id": id, "error": {"code": -1, "message": "no"}})
            continue
        text = json.dumps(message["params"]["arguments"], sort_keys=True)
        say({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}], "structuredContent": {"n": len(text)}, "isError": how == "fails"}})
"#;

fn set(world: &World, how: &str) {
    world.tool(
        "mcp/servers/local.yaml",
        &format!("tool_type: mcp_server\nexecutor_id: null\ncategory: mcp/servers\nversion: 1.0.0\ndescription: A server\nconfig:\n  transport: stdio\n  command: python3\n  args: [server.py, {how}]\n  env: {{KEY: '${{SECRET}}'}}\n"),
    );
}

#[test]
fn servers_are_called_whatever_they_write_beside() {
    if !can_run("servers", &["python3", "sh"]) {
        return;
    }
    let world = World::new();
    world.file("server.py", SERVER);
    world.tool(
        "mcp/local/echo.yaml",
        "tool_type: mcp\nexecutor_id: rye/core/runtimes/mcp/stdio\ncategory: mcp/local\nversion: 1.0.0\ndescription: Echoes\ntimeout: 5\nconfig:\n  server: mcp/servers/local\n  tool_name: echo\ninput_schema:\n  type: object\n  properties:\n    a: {type: string}\n  required: [a]\n",
    );
    let args = || json!({"a": "${SECRET}"});
    for how in ["plain", "noise", "pages"] {
        set(&world, how);
        let returned = world.returned("mcp/local/echo", args());
        assert_eq!(
            returned,
            json!({"success": true, "output": "{\"a\": \"${SECRET}\"}", "data": {"n": 18}}),
            "{how}"
        );
    }
    assert_eq!(
        world.refused("mcp/local/echo", json!({})).0,
        "invalid-arguments"
    );
    for (how, error) in [
        ("fails", "{\"a\": \"${SECRET}\"}"),
        ("refuses", "the server refused `tools/call`: no"),
        (
            "dies",
            "the server ended before it answered `tools/call` (exit code 3): out of luck",
        ),
    ] {
        set(&world, how);
        let returned = world.returned("mcp/local/echo", args());
        assert_eq!(
            (&returned["success"], &returned["error"]),
            (&json!(false), &json!(error)),
            "{how}"
        );
    }
    set(&world, "silent");
    let returned = world.returned("mcp/local/echo", args());
    let error = returned["error"].as_str().expect("a text");
    assert!(error.starts_with("the server "), "{error}");
    // What was approved is what the server said first.
    set(&world, "changed");
    let (code, message) = world.refused("mcp/local/echo", args());
    assert_eq!(code, "server-changed", "{message}");
    let text = std::fs::read_to_string(world.project.join(".ai/tools/mcp/local/echo.yaml"))
        .expect("a file");
    world.tool("mcp/local/echo.yaml", &text);
    assert_eq!(
        world.returned("mcp/local/echo", args())["success"],
        json!(true)
    );
    // A server's file is trusted like any other.
    world.file(".ai/tools/mcp/servers/local.yaml", "tool_type: mcp_server\nexecutor_id: null\ncategory: mcp/servers\nversion: 1.0.0\ndescription: Another\nconfig: {command: sh}\n");
    assert_eq!(world.refused("mcp/local/echo", args()).0, "changed");
}
