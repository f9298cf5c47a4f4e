//! Variants of the recorded attacks.

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use toolglot_value::{Value, json};

use super::{World, can_run, echo_tool, echoes, http, over_http, succeeded, web_server, why};

#[test]
fn what_was_not_approved_is_not_asked() {
    if !can_run() {
        return;
    }
    let policy = World::pinned_policy();
    let x = json!({"x": "1"});
    // Without an approval, there is no such tool, and nothing is started.
    let world = World::new();
    let (call, _, _) = world.run("m/echo", &x, &policy);
    assert!(!succeeded(&call), "{}", why(&call));
    assert!(!world.path("ws/started").exists() && !world.path("out/started").exists());
    // An approved server is called, also by its id.
    let shown = world.approve("m");
    assert_eq!(shown["tools"][0]["tool"]["name"], "echo", "{shown}");
    for name in ["m/echo", "mcp/m/echo"] {
        let (call, answer, _) = world.run(name, &x, &policy);
        assert!(
            succeeded(&call) && answer.contains("\\\"x\\\"") | answer.contains("\"x\""),
            "{} {answer}",
            why(&call)
        );
    }
    // The same name with another command is another server.
    world.servers(&json!({"m": {"command": "python3", "args": ["server.py", "--other"]}}));
    let (call, _, _) = world.run("m/echo", &x, &policy);
    assert_eq!(call["verdict"]["rule"], "redefined", "{}", why(&call));
    // A server that is not in the policy's table is not called, even if somebody approved it.
    world.servers(&json!({"other": {"command": "python3", "args": ["server.py"]}}));
    world.approve("other");
    let (call, _, _) = world.run("other/echo", &x, &policy);
    assert!(!succeeded(&call), "{}", why(&call));
    // The approval is revoked.
    let world = World::approved();
    assert!(world.toolglot(&["mcp", "disapprove", "m"]).status.success());
    let (call, _, _) = world.run("m/echo", &x, &policy);
    assert!(!succeeded(&call), "{}", why(&call));
}

#[test]
fn any_change_of_what_is_said_is_refused_until_it_is_approved() {
    if !can_run() {
        return;
    }
    let x = json!({"x": "1"});
    for how in [
        "schema-changes",
        "annotations-change",
        "title-appears",
        "description-changes",
    ] {
        let world = World::approved();
        world.how(how);
        let (call, _, _) = world.run("m/echo", &x, &World::pinned_policy());
        assert_eq!(
            call["verdict"]["rule"],
            "server-changed",
            "{how}: {}",
            why(&call)
        );
        let shown = world.approve("m");
        assert_eq!(shown["tools"][0]["change"], "changed", "{how}: {shown}");
        let (call, _, _) = world.run("m/echo", &x, &World::pinned_policy());
        assert!(succeeded(&call), "{how}: {}", why(&call));
    }
    // A policy may pin a whole list: another tool in the list changes the pin.
    let world = World::approved();
    let pin = world.approve("m")["pin"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let policy = world.path("policy.toml");
    let text = format!(
        "version = 1\n[[rule]]\nid = 'm'\ndecision = 'allow'\ntools = ['m/*']\n[mcp.server.m]\npin = '{pin}'\nallow = ['echo']\n"
    );
    fs::write(&policy, text).expect("written");
    let (call, _, _) = world.run("m/echo", &x, &policy);
    assert!(succeeded(&call), "{}", why(&call));
    world.how("list_changed");
    let (call, _, _) = world.run("m/echo", &x, &policy);
    assert_eq!(call["verdict"]["rule"], "server-changed", "{}", why(&call));
    world.approve("m");
    let (call, _, _) = world.run("m/new_tool", &json!({}), &policy);
    assert!(!succeeded(&call), "{}", why(&call));
}

#[test]
fn hidden_characters_reach_no_model() {
    if !can_run() {
        return;
    }
    let world = World::new();
    world.how("description-with");
    let shown = world.approve("m");
    assert_eq!(shown["tools"][0]["hidden_characters"], 12, "{shown}");
    let list = world.toolglot(&["tools", "show", "mcp/m/echo"]);
    let text = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(text.contains("Echoes"), "{text}");
    assert!(
        !text
            .chars()
            .any(|c| ('\u{e0000}'..='\u{e0fff}').contains(&c)),
        "{text:?}"
    );
}

#[test]
fn a_server_gets_the_variables_that_its_file_names() {
    if !can_run() {
        return;
    }
    let world = World::new();
    world.servers(&json!({"m": {"command": "python3", "args": ["server.py"], "env": {"GIVEN": "${CANARY_ENV}", "LITERAL": "$CANARY_ENV"}}}));
    // The destination of the variables is shown before they are sent.
    let output = world.toolglot(&["mcp", "approve", "m"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("--give CANARY_ENV") && text.contains("server.py"),
        "{text}"
    );
    world.approve("m");
    world.how("env-dump");
    let (call, answer, _) = world.run(
        "m/echo",
        &json!({"x": "${CANARY_ENV}"}),
        &World::pinned_policy(),
    );
    assert!(succeeded(&call), "{}", why(&call));
    assert!(
        answer.contains("GIVEN=1") && answer.contains("LITERAL=$CANARY_ENV"),
        "{answer}"
    );
    assert!(!answer.contains("CANARY_ENV=1"), "{answer}");
}

#[test]
fn servers_over_http_are_followed_nowhere() {
    if !can_run() {
        return;
    }
    let x = json!({"x": "1"});
    // A server that behaves.
    let world = over_http(web_server(echo_tool(), echoes));
    let (call, answer, _) = world.run("m/echo", &x, &World::pinned_policy());
    assert!(succeeded(&call) && answer.contains('x'), "{}", why(&call));
    for (status, location) in [
        ("302 Found", "http://127.0.0.1:1/"),
        ("308 Permanent Redirect", "https://example.org/"),
        ("301 Moved Permanently", "file:///etc/passwd"),
    ] {
        let (status, headers) = (status.to_owned(), format!("Location: {location}\r\n"));
        let world = over_http(web_server(echo_tool(), move |_| {
            http(&status, &headers, "")
        }));
        let (call, _, _) = world.run("m/echo", &x, &World::pinned_policy());
        assert!(
            !succeeded(&call) && why(&call).contains("not followed"),
            "{}",
            why(&call)
        );
    }
    // Invalid answers.
    for answer in [
        http("200 OK", "Content-Type: text/html\r\n", "<html>"),
        http("200 OK", "Content-Type: application/json\r\n", "{"),
        http("200 OK", "Content-Type: application/json\r\n", "[]"),
        http(
            "200 OK",
            "Content-Type: text/event-stream\r\n",
            "data: nonsense\n\n",
        ),
        http("500 Internal Server Error", "", "no"),
        String::new(),
    ] {
        let shown = answer.clone();
        let world = over_http(web_server(echo_tool(), move |_| answer.clone()));
        let (call, _, elapsed) = world.run("m/echo", &x, &World::pinned_policy());
        assert!(!succeeded(&call), "{shown}: {}", why(&call));
        assert!(elapsed < Duration::from_secs(20), "{shown}");
    }
    // Without a grant for the network, the server is not called.
    let world = over_http(web_server(echo_tool(), echoes));
    let output = world.toolglot(&["call", "mcp/m/echo", "--args", "{}"]);
    let answer: Value = toolglot_value::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!(answer["code"], "not-granted", "{answer}");
}

#[test]
fn two_definitions_of_one_server_are_none() {
    if !can_run() {
        return;
    }
    for text in [
        r#"{"mcpServers": {"m": {"command": "python3", "args": ["server.py"]}, "m": {"command": "true"}}}"#,
        r#"{"mcpServers": {"m": {"command": "python3", "url": "http://127.0.0.1:1/"}}}"#,
        "{not json",
    ] {
        let world = World::approved();
        world.file(".mcp.json", text);
        let (call, _, _) = world.run("m/echo", &json!({"x": "1"}), &World::pinned_policy());
        assert!(!succeeded(&call), "{text}: {}", why(&call));
        let output = world.toolglot(&["mcp", "servers"]);
        assert!(
            String::from_utf8_lossy(&output.stderr).contains(".mcp.json"),
            "{text}"
        );
    }
    // The user's server of the same name does not replace the project's server.
    let world = World::approved();
    fs::create_dir_all(world.path("home/.ai")).expect("made");
    fs::write(
        world.path("home/.ai/mcp.json"),
        r#"{"mcpServers": {"m": {"command": "true"}}}"#,
    )
    .expect("written");
    let (call, _, _) = world.run("m/echo", &json!({"x": "1"}), &World::pinned_policy());
    assert!(!succeeded(&call), "{}", why(&call));
}

#[test]
fn a_server_without_sessions_is_asked_without_one() {
    if !can_run() {
        return;
    }
    let x = json!({"x": "1"});
    let policy = World::pinned_policy();
    let world = World::new();
    world.how("stateless");
    let shown = world.approve("m");
    assert_eq!(shown["status"], "approved", "{shown}");
    let (call, answer, _) = world.run("m/echo", &x, &policy);
    assert!(succeeded(&call) && answer.contains('x'), "{}", why(&call));
    // A request of the server during a call reaches nobody, and gets no answer.
    world.how("stateless-asks");
    let (call, answer, _) = world.run("m/echo", &x, &policy);
    assert!(
        !succeeded(&call) && why(&call).contains("elicitation/create"),
        "{}",
        why(&call)
    );
    assert!(!answer.contains("password"), "{answer}");
    world.how("stateless-of-others");
    let (call, _, _) = world.run("m/echo", &x, &policy);
    assert!(!succeeded(&call), "{}", why(&call));
}

#[test]
fn answers_that_are_none_are_told_as_such() {
    let port = web_server(echo_tool(), |message| {
        let how = message["params"]["arguments"]["how"].as_str();
        let how = how.unwrap_or_default();
        let result = match how {
            "no-content" => json!({}),
            "error-is-text" => json!({"content": [], "isError": "true"}),
            _ => json!({"content": [{"type": "text", "text": "fine"}]}),
        };
        let id = match how {
            "text-id" => json!(message["id"].to_string()),
            "other-id" => json!(4321),
            "no-id" => Value::Null,
            _ => message["id"].clone(),
        };
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
        let (kind, body) = match how {
            "list" => ("application/json", format!("[{answer}]")),
            "error-of-none" => (
                "application/json",
                json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32_700, "message": "what?"}})
                    .to_string(),
            ),
            "two-results" => (
                "application/json",
                answer.replace("\"result\"", "\"result\":{\"content\":[],\"isError\":true},\"result\""),
            ),
            "two-results-in-a-stream" => (
                "text/event-stream",
                format!("data: {}\n\n", answer.replace("\"result\"", "\"result\":{},\"result\"")),
            ),
            "stream-of-returns" => ("text/event-stream", format!("\u{feff}data: {answer}\r\r")),
            _ => ("application/json", answer),
        };
        http("200 OK", &format!("Content-Type: {kind}\r\n"), &body)
    });
    let world = over_http(port);
    let policy = World::pinned_policy();
    let none = "sent an answer that does not match the request";
    for (how, expected) in [
        ("plain", Ok("fine")),
        ("stream-of-returns", Ok("fine")),
        (
            "no-content",
            Err("neither `content` nor `structuredContent`"),
        ),
        ("error-is-text", Err("`isError` is neither true nor false")),
        ("text-id", Err(none)),
        ("other-id", Err(none)),
        ("no-id", Err(none)),
        ("list", Err(none)),
        ("error-of-none", Err("what?")),
        ("two-results", Err("duplicate key")),
        ("two-results-in-a-stream", Err("duplicate key")),
    ] {
        let (call, answer, _) = world.run("m/echo", &json!({"how": how}), &policy);
        match expected {
            Ok(text) => assert!(
                succeeded(&call) && answer.contains(text),
                "{how}: {}",
                why(&call)
            ),
            Err(text) => assert!(
                !succeeded(&call) && why(&call).contains(text),
                "{how}: {}",
                why(&call)
            ),
        }
    }
}

#[test]
fn what_a_server_tells_meanwhile_is_shown_to_who_asks() {
    let port = web_server(echo_tool(), |message| {
        let token = &message["params"]["_meta"]["progressToken"];
        let mut body = String::new();
        for (method, params) in [
            (
                "progress",
                json!({"progressToken": token, "progress": 1, "total": 3, "message": "a third"}),
            ),
            ("progress", json!({"progressToken": token, "progress": 1.5})),
            (
                "message",
                json!({"level": "warning", "logger": "cache", "data": "it is old"}),
            ),
            ("message", json!({"level": "info", "data": {"n": 1}})),
        ] {
            let told = json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params});
            let _ = write!(body, "data: {told}\n\n");
        }
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": {"content": []}});
        let _ = write!(body, "data: {answer}\n\n");
        http("200 OK", "Content-Type: text/event-stream\r\n", &body)
    });
    let world = over_http(port);
    let call = ["call", "mcp/m/echo", "--allow", "net"];
    let quiet = world.toolglot(&call);
    assert!(
        quiet.status.success() && quiet.stderr.is_empty(),
        "{quiet:?}"
    );
    let output = world.toolglot(&[&call[..], &["--progress"]].concat());
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "attempt 1\n1 of 3: a third\n1.5\nwarning (cache): it is old\ninfo: {\"n\":1}\n"
    );
}
