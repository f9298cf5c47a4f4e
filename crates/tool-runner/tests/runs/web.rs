//! The primitive `http_client`, against a server on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use toolglot_value::json;

use crate::world::{World, yaml};

/// A received request: the first line, the headers in lower case, the body.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) line: String,
    pub(crate) headers: Vec<String>,
    pub(crate) body: String,
}

/// Serves the raw answers in order and repeats the last one. Returns the port and the received requests.
pub(crate) fn serve(answers: &[&str]) -> (u16, Arc<Mutex<Vec<Heard>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("it is bound").port();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let answers: Vec<String> = answers.iter().map(|answer| (*answer).to_owned()).collect();
    std::thread::spawn(move || {
        for (n, stream) in listener.incoming().enumerate() {
            let Ok(mut stream) = stream else { return };
            let mut reader = BufReader::new(stream.try_clone().expect("a handle"));
            let mut line = String::new();
            let _ = reader.read_line(&mut line);
            let mut headers = Vec::new();
            loop {
                let mut header = String::new();
                let _ = reader.read_line(&mut header);
                if header.trim().is_empty() {
                    break;
                }
                headers.push(header.trim().to_lowercase());
            }
            let length = headers
                .iter()
                .find_map(|header| header.strip_prefix("content-length: ")?.parse().ok());
            let mut body = vec![0; length.unwrap_or(0)];
            let _ = reader.read_exact(&mut body);
            sink.lock().expect("no test panics here").push(Heard {
                line: line.trim().to_owned(),
                headers,
                body: String::from_utf8_lossy(&body).into_owned(),
            });
            let answer = &answers[n.min(answers.len() - 1)];
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (port, seen)
}

/// An answer that ends the connection.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    )
}

const WEATHER: &str = "requires: [net.http]
parameters:
  - {name: city, type: string, required: true, description: Where}
  - {name: days, type: integer, required: false, default: 3, description: How many}
";

fn granted() -> World {
    let mut world = World::new();
    world.granted.push("net.http".into());
    world
}

#[test]
fn a_file_says_what_is_asked_and_parameters_stay_what_they_are() {
    let json = answer(
        "200 OK",
        "Content-Type: application/json\r\n",
        r#"{"warm": true}"#,
    );
    let (port, seen) = serve(&[&json]);
    let world = granted();
    world.tool(
        "t/get-weather.yaml",
        &yaml(
            "get-weather",
            "http_client",
            &format!("{WEATHER}config:\n  url: 'http://127.0.0.1:{port}/of/{{city}}'\n  headers: {{Authorization: 'Bearer ${{SECRET}}', X-City: '{{city}}'}}\n"),
        ),
    );
    let returned = world.returned("t/get-weather", json!({"city": "a/${SECRET}?x"}));
    assert_eq!(
        returned,
        json!({"success": true, "status": 200, "data": {"warm": true}})
    );
    let first = seen.lock().expect("no test panics here")[0].clone();
    assert_eq!(
        first.line,
        "GET /of/a%2F%24%7BSECRET%7D%3Fx?days=3 HTTP/1.1"
    );
    assert!(
        first
            .headers
            .contains(&"authorization: bearer a secret".to_owned()),
        "{first:?}"
    );
    assert!(
        first.headers.contains(&"x-city: a/${secret}?x".to_owned()),
        "{first:?}"
    );
    // A value that would start another header is refused.
    let (code, why) = world.refused("t/get-weather", json!({"city": "a\r\nHost: evil"}));
    assert_eq!(
        (code, seen.lock().expect("no test panics here").len()),
        ("invalid-arguments", 1),
        "{why}"
    );
    // So is a value that leads to another path.
    for city in ["..", ".", "../admin", "a/../..", "a/..", "..\\admin"] {
        let (code, why) = world.refused("t/get-weather", json!({"city": city}));
        let n_seen = seen.lock().expect("no test panics here").len();
        assert_eq!((code, n_seen), ("invalid-arguments", 1), "{city}: {why}");
        assert!(why.contains("`city`"), "{why}");
    }
}

#[test]
fn what_names_a_parameter_that_was_not_given_is_left_out() {
    let (port, seen) = serve(&[&answer("200 OK", "", "done")]);
    let world = granted();
    let parameters = "requires: [net.http]\nparameters:\n  - {name: city, type: string, required: true, description: Where}\n  - {name: n, type: integer, required: false, description: How many}\n";
    let rest = format!(
        "{parameters}config:\n  method: POST\n  url: 'http://127.0.0.1:{port}/of/{{city}}?a={{n}}&b=1#{{n}}'\n  headers: {{X-N: '{{n}}', X-Key: 'k ${{NOT_SET:-none}}'}}\n  query: {{days: '{{n}}', q: 'in {{city}}'}}\n  body: {{n: '{{n}}', some: ['{{n}}', '{{city}}', 'up to {{n}}'], code: 'f {{ x }}'}}\n"
    );
    world.tool("t/post-it.yaml", &yaml("post-it", "http_client", &rest));
    let called = world
        .call("t/post-it", json!({"city": "x"}))
        .expect("it may run");
    assert!(called.returned.success, "{:?}", called.returned);
    let all = json!({"city": "x", "n": 2});
    assert_eq!(world.returned("t/post-it", all)["success"], json!(true));
    let seen = seen.lock().expect("no test panics here");
    let [first, second] = &seen[..] else {
        panic!("{seen:?}")
    };
    assert_eq!(first.line, "POST /of/x?b=1&q=in%20x HTTP/1.1");
    assert!(
        !first.headers.iter().any(|header| header.starts_with("x-n")),
        "{first:?}"
    );
    assert_eq!(first.body, r#"{"some":["x"],"code":"f { x }"}"#);
    assert_eq!(second.line, "POST /of/x?a=2&b=1&days=2&q=in%20x HTTP/1.1");
    assert_eq!(
        second.body,
        r#"{"n":2,"some":[2,"x","up to 2"],"code":"f { x }"}"#
    );
    let rest = format!("{parameters}config: {{url: 'http://127.0.0.1:{port}/of/{{n}}'}}\n");
    world.tool("t/get-it.yaml", &yaml("get-it", "http_client", &rest));
    let (code, why) = world.refused("t/get-it", json!({"city": "x"}));
    assert_eq!(
        (code, why.as_str()),
        (
            "invalid-arguments",
            "add `n`: the path of the request needs it"
        )
    );
    // A placeholder without a parameter is a fault of the file.
    let rest = format!(
        "{parameters}config: {{url: 'http://127.0.0.1:{port}/', headers: {{X: '{{nope}}'}}}}\n"
    );
    world.tool("t/ask-it.yaml", &yaml("ask-it", "http_client", &rest));
    let (code, why) = world.refused("t/ask-it", json!({"city": "x"}));
    assert_eq!(code, "faulty-tool");
    assert!(why.contains("there is no parameter `nope`"), "{why}");
}

#[test]
fn a_variable_without_a_value_is_never_sent_as_letters() {
    let (port, seen) = serve(&[&answer("200 OK", "", "done")]);
    let world = granted();
    let url = format!("http://127.0.0.1:{port}/");
    for (what, config) in [
        ("url", format!("url: '{url}${{NOT_SET}}'")),
        ("method", format!("url: '{url}', method: '${{NOT_SET}}'")),
        (
            "headers",
            format!("url: '{url}', headers: {{Authorization: 'Bearer ${{NOT_SET}}'}}"),
        ),
        (
            "query",
            format!("url: '{url}', query: {{key: '${{NOT_SET}}'}}"),
        ),
        (
            "body",
            format!("url: '{url}', body: {{a: [{{key: '${{SECRET}} ${{NOT_SET}}'}}]}}"),
        ),
    ] {
        let rest = format!("requires: [net.http]\nconfig: {{{config}}}\n");
        world.tool("t/ask-it.yaml", &yaml("ask-it", "http_client", &rest));
        let (code, why) = world.refused("t/ask-it", json!({}));
        assert_eq!(code, "unset-variable", "{what}: {why}");
        assert!(why.contains("`${NOT_SET}`"), "{what}: {why}");
        assert!(why.contains("t/ask-it.yaml"), "{what}: {why}");
    }
    assert!(seen.lock().expect("no test panics here").is_empty());
    // An empty variable has no value either, but a default counts as one.
    let mut world = granted();
    world.variables.insert("NOT_SET".into(), String::new());
    let rest = format!("requires: [net.http]\nconfig: {{url: '{url}${{NOT_SET}}'}}\n");
    world.tool("t/ask-it.yaml", &yaml("ask-it", "http_client", &rest));
    assert_eq!(world.refused("t/ask-it", json!({})).0, "unset-variable");
    let rest = rest.replace("NOT_SET", "NOT_SET:-");
    world.tool("t/ask-it.yaml", &yaml("ask-it", "http_client", &rest));
    assert_eq!(world.returned("t/ask-it", json!({}))["success"], true);
}

#[test]
fn no_parameter_is_lost_beside_a_body_or_sent_twice() {
    let body = "body: {k: '{k}'}";
    for (config, given, line, body) in [
        (
            body,
            json!({"k": "a", "s": "b"}),
            "POST /p?s=b",
            r#"{"k":"a"}"#,
        ),
        ("body: {}", json!({"s": "b"}), "POST /p?s=b", "{}"),
        (
            "body: 'text {k}'",
            json!({"k": "a", "s": "b"}),
            "POST /p?s=b",
            "text a",
        ),
        (
            "body: {k: '{k}'}\n  method: PUT",
            json!({"s": "b"}),
            "PUT /p?s=b",
            "{}",
        ),
        ("method: POST", json!({"s": "b"}), "POST /p", r#"{"s":"b"}"#),
        // A name in a part that is left out is mentioned nevertheless.
        ("query: {q: '{k}{s}'}", json!({"k": "a"}), "GET /p", ""),
        // The file sends `k` as `s`, so the parameter `s` is not sent.
        (
            "query: {s: '{k}'}",
            json!({"k": "a", "s": "b"}),
            "GET /p?s=a",
            "",
        ),
    ] {
        let (port, seen) = serve(&[&answer("200 OK", "", "done")]);
        let world = granted();
        let parameters = "requires: [net.http]\nparameters:\n  - {name: k, type: string, required: false, description: K}\n  - {name: s, type: string, required: false, description: S}\n";
        let rest = format!("{parameters}config:\n  url: 'http://127.0.0.1:{port}/p'\n  {config}\n");
        world.tool("t/post-it.yaml", &yaml("post-it", "http_client", &rest));
        assert_eq!(
            world.returned("t/post-it", given)["success"],
            true,
            "{config}"
        );
        let seen = seen.lock().expect("no test panics here");
        assert_eq!(seen[0].line, format!("{line} HTTP/1.1"), "{config}");
        assert_eq!(seen[0].body, body, "{config}");
    }
}

#[test]
fn bodies_are_json_with_the_types_of_the_parameters() {
    let (port, seen) = serve(&[&answer("200 OK", "", "done")]);
    let world = granted();
    let config = format!("{WEATHER}config:\n  url: 'http://127.0.0.1:{port}/'\n");
    let whole = yaml(
        "post-all",
        "http_client",
        &format!("{config}  method: post\n"),
    );
    world.tool("t/post-all.yaml", &whole);
    let body = yaml(
        "post-some",
        "http_client",
        &format!("{config}  body: {{q: {{n: '{{days}}', text: 'in {{city}}'}}}}\n"),
    );
    world.tool("t/post-some.yaml", &body);
    for (tool, expected) in [
        ("t/post-all", json!({"city": "a\"b", "days": 3})),
        ("t/post-some", json!({"q": {"n": 3, "text": "in a\"b"}})),
    ] {
        let returned = world.returned(tool, json!({"city": "a\"b"}));
        assert_eq!(
            returned,
            json!({"success": true, "status": 200, "output": "done"})
        );
        let last = seen
            .lock()
            .expect("no test panics here")
            .last()
            .cloned()
            .expect("it was asked");
        assert_eq!(
            toolglot_value::from_str(&last.body).expect("JSON"),
            expected
        );
        assert!(
            last.headers
                .contains(&"content-type: application/json".to_owned())
        );
    }
}

#[test]
fn what_may_pass_is_asked_again_where_the_file_says_so() {
    let busy = answer("503 Service Unavailable", "", "busy");
    let missing = answer("404 Not Found", "", "no");
    let policy = "retry_policy: {max_attempts: 3, backoff_type: fixed, initial_delay: 1}\n";
    for (answers, retry, n_expected) in [
        (vec![&*busy, "", &*answer("200 OK", "", "done")], policy, 3),
        (vec![&*busy, "", &*busy], "", 1),
        (vec![&*missing], policy, 1),
    ] {
        let (port, seen) = serve(&answers);
        let world = granted();
        let rest =
            format!("requires: [net.http]\n{retry}config:\n  url: 'http://127.0.0.1:{port}/'\n");
        world.tool("t/ask-it.yaml", &yaml("ask-it", "http_client", &rest));
        let called = world.call("t/ask-it", json!({})).expect("it is run");
        assert_eq!(called.attempts.len(), n_expected, "{answers:?}");
        assert_eq!(seen.lock().expect("no test panics here").len(), n_expected);
        assert_eq!(called.returned.success, n_expected == 3);
    }
}

#[test]
fn hosts_are_asked_as_far_as_they_are_granted_and_redirections_are_told() {
    let to = answer(
        "302 Found",
        "Location: http://169.254.169.254/latest\r\n",
        "",
    );
    let (port, seen) = serve(&[&to]);
    let mut world = World::new();
    let rest = "parameters: [{name: url, type: string, required: true, description: Where}]\n";
    world.tool("t/ask-url.yaml", &yaml("ask-url", "http_client", rest));
    let fixed = format!("config: {{url: 'http://127.0.0.1:{port}/'}}\n");
    world.tool("t/ask-one.yaml", &yaml("ask-one", "http_client", &fixed));
    let here = json!({"url": format!("http://127.0.0.1:{port}/")});
    assert_eq!(world.refused("t/ask-url", here.clone()).0, "not-granted");
    assert_eq!(world.refused("t/ask-one", json!({})).0, "not-granted");
    world.granted.push("net.http".into());
    // The user trusts the file, so its host is the user's choice; a host in an argument is the model's choice.
    assert_eq!(world.refused("t/ask-url", here.clone()).0, "not-granted");
    for url in [
        "http://localhost/",
        "http://[::1]/",
        "http://10.0.0.1/",
        "http://0x7f.1/",
        "file:///etc/passwd",
        "http://a@127.0.0.1/",
    ] {
        let (code, why) = world.refused("t/ask-url", json!({"url": url}));
        assert!(
            ["not-granted", "bad-config"].contains(&code),
            "{url}: {why}"
        );
    }
    assert!(seen.lock().expect("no test panics here").is_empty());
    let returned = world.returned("t/ask-one", json!({}));
    let error = "HTTP 302: it leads to http://169.254.169.254/latest, which was not followed";
    assert_eq!(
        (&returned["success"], &returned["error"]),
        (&json!(false), &json!(error))
    );
    world.granted.push(format!("net:127.0.0.1:{port}"));
    assert_eq!(world.returned("t/ask-url", here)["status"], json!(302));
    assert_eq!(seen.lock().expect("no test panics here").len(), 2);
}

#[test]
fn results_are_held_against_the_output_schema() {
    let (port, _) = serve(&[&answer(
        "200 OK",
        "Content-Type: application/json\r\n",
        r#"{"n": "x"}"#,
    )]);
    let world = granted();
    let rest = format!(
        "output_schema: {{type: object, properties: {{n: {{type: integer}}}}}}\nconfig: {{url: 'http://127.0.0.1:{port}/'}}\n"
    );
    world.tool("t/ask-it.yaml", &yaml("ask-it", "http_client", &rest));
    let returned = world.returned("t/ask-it", json!({}));
    assert_eq!(returned["success"], json!(false), "{returned}");
}

#[test]
fn a_server_whose_name_leads_nowhere_may_be_there_later() {
    let mut world = World::new();
    world.granted.push("net.http".into());
    // RFC 6761: a name that never resolves.
    world.tool(
        "mcp/servers/far.yaml",
        "tool_type: mcp_server\nexecutor_id: null\ncategory: mcp/servers\nversion: 1.0.0\ndescription: A server\nconfig: {transport: http, url: \"http://nobody.invalid/mcp\"}\n",
    );
    world.tool(
        "mcp/far/echo.yaml",
        "tool_type: mcp\nexecutor_id: mcp/http\ncategory: mcp/far\nversion: 1.0.0\ndescription: Echoes\nrequires: [net.http]\nretry_policy: {max_attempts: 3, backoff_type: fixed, initial_delay: 1}\nconfig: {server: mcp/servers/far, tool_name: echo}\n",
    );
    let called = world.call("mcp/far/echo", json!({})).expect("it was tried");
    assert_eq!(called.attempts.len(), 3, "{:?}", called.returned.value);
    let error = called.returned.value["error"].as_str().unwrap_or_default();
    assert!(error.contains("leads to no address"), "{error}");
    let offer =
        world.with(|runner| runner.offer("mcp/servers/far", std::time::Duration::from_secs(5)));
    let error = offer.expect_err("it is not there");
    assert_eq!(error.code(), "no-offer", "{error}");
}
