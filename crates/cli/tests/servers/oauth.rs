//! Logging in to servers over HTTP, and what servers and issuers that lie come to.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, OnceLock};

use serde_json::{Value, json};

use super::{World, can_run, echo_tool, echoes, http, web};

/// What was asked of everybody, in order: who, and head and body.
type Heard = Arc<Mutex<Vec<(&'static str, String)>>>;

/// A server, its issuer and somebody who listens; how they behave is one word.
struct Play {
    world: World,
    heard: Heard,
    how: Arc<Mutex<&'static str>>,
}

fn json_answer(status: &str, value: &Value) -> String {
    http(
        status,
        "Content-Type: application/json\r\n",
        &value.to_string(),
    )
}

/// The value of a name in a query or a form. None of ours holds an escape but `%20`, `%3A` and `%2F`.
fn value_of(text: &str, name: &str) -> Option<String> {
    let pair = text
        .split(['?', '&', ' ', '\n'])
        .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))?;
    Some(
        pair.trim()
            .replace("%20", " ")
            .replace("%3A", ":")
            .replace("%2F", "/"),
    )
}

impl Play {
    fn new(how: &'static str) -> Play {
        let heard = Heard::default();
        let how = Arc::new(Mutex::new(how));
        let evil = {
            let heard = Arc::clone(&heard);
            web(move |head, body| {
                heard
                    .lock()
                    .expect("whole")
                    .push(("evil", format!("{head}{body}")));
                json_answer(
                    "200 OK",
                    &json!({"resource": "http://127.0.0.1/", "issuer": "http://127.0.0.1/"}),
                )
            })
        };
        let own = Arc::new(OnceLock::new());
        let issuer = {
            let (heard, how, own) = (Arc::clone(&heard), Arc::clone(&how), Arc::clone(&own));
            let n_tokens = Mutex::new(0);
            web(move |head, body| {
                heard
                    .lock()
                    .expect("whole")
                    .push(("issuer", format!("{head}{body}")));
                let how: &str = *how.lock().expect("whole");
                let own: u16 = *own.get().expect("told");
                issuer(how, (own, evil), head, body, &n_tokens)
            })
        };
        own.set(issuer).expect("once");
        let server = {
            let (heard, how) = (Arc::clone(&heard), Arc::clone(&how));
            web(move |head, body| {
                heard
                    .lock()
                    .expect("whole")
                    .push(("server", format!("{head}{body}")));
                let how: &str = *how.lock().expect("whole");
                server(how, (issuer, evil), head, body)
            })
        };
        let world = World::new();
        let play = Play { world, heard, how };
        play.at(server, &json!(null));
        play
    }

    /// The definition of the server `m`.
    fn at(&self, port: u16, oauth: &Value) {
        let mut one =
            json!({"type": "http", "url": format!("http://127.0.0.1:{port}/mcp"), "timeout": 10});
        if !oauth.is_null() {
            one["oauth"] = oauth.clone();
        }
        self.world.servers(&json!({"m": one}));
    }

    fn port(&self) -> u16 {
        let text = fs::read_to_string(self.world.path("ws/.mcp.json")).expect("written");
        let json: Value = serde_json::from_str(&text).expect("JSON");
        let url = json["mcpServers"]["m"]["url"]
            .as_str()
            .expect("a URL")
            .to_owned();
        url.trim_start_matches("http://127.0.0.1:")
            .trim_end_matches("/mcp")
            .parse()
            .expect("a port")
    }

    fn becomes(&self, how: &'static str) {
        *self.how.lock().expect("whole") = how;
        self.heard.lock().expect("whole").clear();
    }

    /// All that somebody was asked.
    fn heard(&self, who: &str) -> Vec<String> {
        let heard = self.heard.lock().expect("whole");
        heard
            .iter()
            .filter(|(name, _)| *name == who)
            .map(|(_, text)| text.clone())
            .collect()
    }

    fn heard_at(&self, who: &str, path: &str) -> Vec<String> {
        let is_there = |text: &String| {
            text.split(' ')
                .nth(1)
                .is_some_and(|found| found.starts_with(path))
        };
        self.heard(who).into_iter().filter(is_there).collect()
    }

    /// Logs in, with a browser whose person agrees. Whether it came to something, and all that it wrote.
    fn login(&self, more: &[&str]) -> (bool, String) {
        let mut words = vec!["mcp", "login", "m", "--wait", "3"];
        words.extend(more);
        let mut child = self
            .world
            .command(&words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut out = String::new();
        for line in BufReader::new(child.stderr.take().expect("a pipe")).lines() {
            let line = line.expect("text");
            if let Some(address) = line.strip_prefix("visit ") {
                let address = address.to_owned();
                std::thread::spawn(move || visit(&address));
            }
            out.push_str(&line);
            out.push('\n');
        }
        if let Some(mut stdout) = child.stdout.take() {
            let _ = stdout.read_to_string(&mut out);
        }
        (child.wait().expect("it ends").success(), out)
    }

    fn logged_in(how: &'static str) -> Play {
        let play = Play::new(how);
        let (is_in, out) = play.login(&[]);
        assert!(is_in, "{how}: {out}");
        play.world.approve("m");
        play
    }

    /// Calls the tool. Its answer, and all that was written.
    fn call(&self) -> (Value, String) {
        let audit = self.world.path("audit");
        let audit = audit.to_str().expect("text");
        let output = self.world.toolglot(&[
            "call",
            "mcp/m/echo",
            "--args",
            r#"{"x": 1}"#,
            "--allow",
            "net",
            "--audit",
            audit,
            "--audit-values",
        ]);
        let text = format!(
            "{}{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
            fs::read_to_string(audit).unwrap_or_default()
        );
        (
            serde_json::from_slice(&output.stdout).unwrap_or_default(),
            text,
        )
    }

    fn folder(&self) -> PathBuf {
        self.world.path("home/.ai/mcp-tokens")
    }

    /// The files of tokens.
    fn files(&self) -> Vec<PathBuf> {
        let all = fs::read_dir(self.folder()).into_iter().flatten().flatten();
        all.map(|entry| entry.path())
            .filter(|path| path.extension().is_some())
            .collect()
    }
}

/// Follows redirections as a browser does.
fn visit(address: &str) {
    let mut address = address.to_owned();
    for _ in 0..3 {
        let Some((host, rest)) = address
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once('/'))
        else {
            return;
        };
        let Ok(mut stream) = TcpStream::connect(host) else {
            return;
        };
        let _ = write!(
            stream,
            "GET /{rest} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        );
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        match answer
            .lines()
            .find_map(|line| line.strip_prefix("Location: "))
        {
            Some(to) => address = to.trim().to_owned(),
            None => return,
        }
    }
}

/// The server: it wants a token of its issuer for all but its metadata.
fn server(how: &str, (issuer, evil): (u16, u16), head: &str, body: &str) -> String {
    let path = head.split(' ').nth(1).unwrap_or_default();
    let host = head.lines().find_map(|line| {
        line.to_ascii_lowercase()
            .strip_prefix("host: ")
            .map(str::to_owned)
    });
    let host = host.unwrap_or_default();
    let known = "/.well-known/oauth-protected-resource";
    if path.starts_with(known) {
        let mut said = json!({"resource": format!("http://{host}/mcp"), "authorization_servers": [format!("http://127.0.0.1:{issuer}")]});
        match how {
            "other-resource" => said["resource"] = json!(format!("http://127.0.0.1:{evil}/mcp")),
            "below-resource" => said["resource"] = json!(format!("http://{host}/mcp/more")),
            "no-resource" => said["resource"] = json!(null),
            "no-issuer" => said["authorization_servers"] = json!([]),
            "private-issuer" => said["authorization_servers"] = json!(["https://10.0.0.1"]),
            "metadata-service" => {
                said["authorization_servers"] = json!(["http://169.254.169.254/latest"]);
            }
            "file-issuer" => said["authorization_servers"] = json!(["file:///etc/passwd"]),
            "plain-issuer" => said["authorization_servers"] = json!(["http://as.example.org"]),
            "evil-issuer" => {
                said["authorization_servers"] = json!([format!("http://127.0.0.1:{evil}")]);
            }
            "huge-metadata" => said["more"] = json!("x".repeat(1 << 20)),
            "metadata-leads-away" => {
                return http(
                    "302 Found",
                    &format!("Location: http://127.0.0.1:{evil}/\r\n"),
                    "",
                );
            }
            "metadata-is-no-json" => return http("200 OK", "", "<html>"),
            "deep-metadata" => return http("200 OK", "", &"[".repeat(100_000)),
            "scoped" => said["scopes_supported"] = json!(["read"]),
            _ => {}
        }
        return json_answer("200 OK", &said);
    }
    let token = head.lines().find_map(|line| {
        line.to_ascii_lowercase()
            .strip_prefix("authorization: bearer ")
            .map(str::to_owned)
    });
    let place = match how {
        "metadata-elsewhere" => format!("http://127.0.0.1:{evil}{known}"),
        "metadata-is-script" => "javascript:alert(1)".to_owned(),
        "metadata-is-file" => "file:///etc/passwd".to_owned(),
        _ => format!("http://{host}{known}/mcp"),
    };
    let refused = |status: &str, error: &str| {
        http(
            status,
            &format!(
                "WWW-Authenticate: Bearer error=\"{error}\", resource_metadata=\"{place}\"\r\n"
            ),
            "",
        )
    };
    let takes = match how {
        "only-renewed" => |token: &str| token == "access-2",
        "takes-none" | "renews-nothing" => |_: &str| false,
        _ => |token: &str| token.starts_with("access-"),
    };
    if !token.as_deref().is_some_and(takes) {
        return refused("401 Unauthorized", "invalid_token");
    }
    if !head.starts_with("POST") {
        return http("405 Method Not Allowed", "", "");
    }
    let message: Value = serde_json::from_str(body).unwrap_or_default();
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => {
            json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "w", "version": "1"}})
        }
        "tools/list" => json!({"tools": [echo_tool()]}),
        "tools/call" if how == "scoped" && token.as_deref() != Some("access-write") => {
            return refused("403 Forbidden", "insufficient_scope\", scope=\"write");
        }
        "tools/call" if how == "leads-away" => {
            return http(
                "307 Temporary Redirect",
                &format!("Location: http://127.0.0.1:{evil}/mcp\r\n"),
                "",
            );
        }
        "tools/call" => return echoes(&message),
        _ => return http("202 Accepted", "", ""),
    };
    json_answer(
        "200 OK",
        &json!({"jsonrpc": "2.0", "id": message["id"], "result": result}),
    )
}

/// The issuer.
fn issuer(
    how: &str,
    (own, evil): (u16, u16),
    head: &str,
    body: &str,
    n_tokens: &Mutex<u32>,
) -> String {
    let path = head.split(' ').nth(1).unwrap_or_default();
    let name = format!("http://127.0.0.1:{own}");
    if path.starts_with("/.well-known/oauth-authorization-server") {
        let mut said = json!({
            "issuer": name, "authorization_endpoint": format!("{name}/authorize"), "token_endpoint": format!("{name}/token"),
            "registration_endpoint": format!("{name}/register"), "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
            "authorization_response_iss_parameter_supported": true,
        });
        match how {
            "other-name" => said["issuer"] = json!("https://as.example.org"),
            "name-with-slash" => said["issuer"] = json!(format!("{name}/")),
            "no-s256" => said["code_challenge_methods_supported"] = json!(["plain"]),
            "script-page" => said["authorization_endpoint"] = json!("javascript:alert(1)"),
            "file-page" => said["authorization_endpoint"] = json!("file:///etc/passwd"),
            "plain-page" => {
                said["authorization_endpoint"] = json!("http://as.example.org/authorize");
            }
            "private-tokens" => said["token_endpoint"] = json!("https://192.168.0.1/token"),
            "no-registration" => said["registration_endpoint"] = json!(null),
            _ => {}
        }
        return json_answer("200 OK", &said);
    }
    if path == "/register" {
        return match how {
            "refuses-clients" => json_answer(
                "400 Bad Request",
                &json!({"error": "invalid_client_metadata"}),
            ),
            _ => json_answer(
                "201 Created",
                &json!({"client_id": "me", "client_secret": "client-secret-1", "token_endpoint_auth_method": "client_secret_basic"}),
            ),
        };
    }
    if path.starts_with("/authorize") {
        let redirect = value_of(path, "redirect_uri").unwrap_or_default();
        let state = value_of(path, "state").unwrap_or_default();
        let query = match how {
            "wrong-iss" => format!("code=c0de-secret&state={state}&iss=http://127.0.0.1:{evil}"),
            "slashed-iss" => format!("code=c0de-secret&state={state}&iss={name}/"),
            "no-iss" => format!("code=c0de-secret&state={state}"),
            "wrong-state" => format!("code=c0de-secret&state=x{state}&iss={name}"),
            "two-codes" => format!("code=c0de-secret&code=other&state={state}&iss={name}"),
            "says-no" => format!("error=access_denied&state={state}&iss={name}"),
            "scoped" => format!(
                "code=c0de-{}&state={state}&iss={name}",
                value_of(path, "scope")
                    .unwrap_or_default()
                    .replace(' ', "_")
            ),
            _ => format!("code=c0de-secret&state={state}&iss={name}"),
        };
        return http(
            "302 Found",
            &format!("Location: {redirect}?{query}\r\n"),
            "",
        );
    }
    if path != "/token" {
        return http("404 Not Found", "", "");
    }
    let mut n = n_tokens.lock().expect("whole");
    *n += 1;
    let code = value_of(body, "code").unwrap_or_default();
    let access = if code.contains("write") {
        "access-write".to_owned()
    } else {
        format!("access-{n}")
    };
    let mut given = json!({"access_token": access, "token_type": "Bearer", "expires_in": 3600, "refresh_token": format!("refresh-{n}")});
    let renews = value_of(body, "grant_type").as_deref() == Some("refresh_token");
    match how {
        "tokens-lead-away" => {
            return http(
                "307 Temporary Redirect",
                &format!("Location: http://127.0.0.1:{evil}/token\r\n"),
                "",
            );
        }
        "other-type" => given["token_type"] = json!("mac"),
        "token-with-lines" => given["access_token"] = json!("access-1\r\nX-Evil: 1"),
        "no-token" => given["access_token"] = json!(null),
        "repeats-secrets" => {
            let said = format!("bad: {body} {head}");
            return json_answer(
                "400 Bad Request",
                &json!({"error": "invalid_request", "error_description": said}),
            );
        }
        "short" if !renews => given["expires_in"] = json!(1),
        "renews-nothing" if renews => {
            return json_answer("400 Bad Request", &json!({"error": "invalid_grant"}));
        }
        _ => {}
    }
    json_answer("200 OK", &given)
}

/// Texts that stand nowhere but between those whom they are for.
const SECRETS: &[&str] = &[
    "access-1",
    "access-2",
    "refresh-1",
    "refresh-2",
    "client-secret-1",
    "c0de-secret",
];

#[test]
fn a_login_gives_a_token_that_is_shown_to_nobody_else() {
    if !can_run() {
        return;
    }
    let play = Play::new("plain");
    // Nobody is logged in, and who asks is told what does that.
    let approved = play.world.approve("m");
    assert!(
        approved["error"]
            .as_str()
            .is_some_and(|why| why.contains("toolglot mcp login m")),
        "{approved}"
    );
    assert!(play.heard("issuer").is_empty() && play.files().is_empty());
    let (is_in, out) = play.login(&[]);
    assert!(is_in && out.contains("1 tools"), "{out}");
    assert!(SECRETS.iter().all(|secret| !out.contains(secret)), "{out}");
    // What was asked is what the standards ask for.
    let page = play.heard_at("issuer", "/authorize").join("");
    let token = play.heard_at("issuer", "/token").join("");
    let resource = format!("http://127.0.0.1:{}/mcp", play.port());
    for text in [&page, &token] {
        assert_eq!(
            value_of(text, "resource").as_deref(),
            Some(resource.as_str()),
            "{text}"
        );
    }
    assert_eq!(
        value_of(&page, "code_challenge_method").as_deref(),
        Some("S256")
    );
    assert!(value_of(&token, "code_verifier").is_some_and(|verifier| verifier.len() == 43));
    assert!(
        !token.contains("client-secret-1")
            && token.to_ascii_lowercase().contains("authorization: basic "),
        "{token}"
    );
    // Only the user reads what is kept.
    let mode = |path: &PathBuf| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    let files = play.files();
    assert_eq!(
        (files.len(), mode(&files[0]), mode(&play.folder())),
        (1, 0o600, 0o700)
    );
    // The server is shown the token, at its own address; nobody else is, and it is written nowhere.
    play.world.approve("m");
    play.becomes("plain");
    let (answer, text) = play.call();
    assert_eq!(answer["success"], json!(true), "{text}");
    assert!(play.heard("server").iter().all(|head| {
        head.to_ascii_lowercase()
            .contains("authorization: bearer access-1")
    }));
    assert!(play.heard("issuer").is_empty() && play.heard("evil").is_empty());
    assert!(
        SECRETS.iter().all(|secret| !text.contains(secret)),
        "{text}"
    );
    // Gone with the login.
    let out = play.world.toolglot(&["mcp", "logout", "m"]);
    assert!(out.status.success() && play.files().is_empty());
    let (answer, text) = play.call();
    assert!(
        answer["success"] == json!(false) && text.contains("mcp login m"),
        "{text}"
    );
    assert!(
        !play
            .world
            .toolglot(&["mcp", "logout", "m"])
            .status
            .success()
    );
}

#[test]
fn servers_that_lie_about_themselves_get_nobody_anywhere() {
    if !can_run() {
        return;
    }
    for (how, why) in [
        ("metadata-elsewhere", "own origin"),
        ("metadata-is-script", "own origin"),
        ("metadata-is-file", "own origin"),
        ("metadata-leads-away", "not followed"),
        ("metadata-is-no-json", "no JSON object"),
        ("deep-metadata", "no JSON object"),
        ("huge-metadata", "bytes"),
        ("other-resource", "was asked at"),
        ("below-resource", "was asked at"),
        ("no-resource", "`resource`"),
        ("no-issuer", "authorization_servers"),
        ("private-issuer", "public network"),
        ("metadata-service", "https"),
        ("file-issuer", "no address"),
        ("plain-issuer", "https"),
        ("evil-issuer", "is about"),
        ("other-name", "is about"),
        ("name-with-slash", "is about"),
        ("no-s256", "S256"),
        ("script-page", "authorization_endpoint"),
        ("file-page", "authorization_endpoint"),
        ("plain-page", "authorization_endpoint"),
        ("private-tokens", "token_endpoint"),
        ("no-registration", "oauth.client_id"),
        ("refuses-clients", "invalid_client_metadata"),
    ] {
        let play = Play::new(how);
        let (is_in, out) = play.login(&[]);
        assert!(!is_in && out.contains(why), "{how}: {out}");
        assert!(!out.contains("visit "), "{how}: {out}");
        assert!(play.heard_at("issuer", "/token").is_empty(), "{how}");
        if how != "evil-issuer" {
            assert!(
                play.heard("evil").is_empty(),
                "{how}: {:?}",
                play.heard("evil")
            );
        }
        assert!(play.files().is_empty(), "{how}");
    }
}

#[test]
fn answers_that_are_not_to_the_login_give_no_token() {
    if !can_run() {
        return;
    }
    for (how, why, has_exchange) in [
        ("wrong-iss", "says that it is of", false),
        ("slashed-iss", "says that it is of", false),
        ("no-iss", "does not say of whom", false),
        ("wrong-state", "in time", false),
        ("two-codes", "in time", false),
        ("says-no", "access_denied", false),
        ("tokens-lead-away", "HTTP 307", true),
        ("other-type", "`Bearer`", true),
        ("token-with-lines", "access_token", true),
        ("no-token", "access_token", true),
        ("repeats-secrets", "invalid_request", true),
        ("takes-none", "new tokens", true),
    ] {
        let play = Play::new(how);
        let (is_in, out) = play.login(&[]);
        assert!(!is_in && out.contains(why), "{how}: {out}");
        assert_eq!(
            !play.heard_at("issuer", "/token").is_empty(),
            has_exchange,
            "{how}"
        );
        assert!(
            play.heard("evil").is_empty(),
            "{how}: {:?}",
            play.heard("evil")
        );
        assert!(
            SECRETS.iter().all(|secret| !out.contains(secret)),
            "{how}: {out}"
        );
        let verifier = play
            .heard_at("issuer", "/token")
            .iter()
            .find_map(|text| value_of(text, "code_verifier"));
        assert!(
            verifier.is_none_or(|verifier| !out.contains(&verifier)),
            "{how}: {out}"
        );
    }
}

#[test]
fn a_token_is_renewed_where_it_was_got() {
    if !can_run() {
        return;
    }
    // It ends soon.
    let play = Play::logged_in("short");
    play.becomes("short");
    let (answer, text) = play.call();
    assert_eq!(answer["success"], json!(true), "{text}");
    assert!(
        SECRETS.iter().all(|secret| !text.contains(secret)),
        "{text}"
    );
    // The server does not take it any more.
    let play = Play::logged_in("plain");
    play.becomes("only-renewed");
    let (answer, text) = play.call();
    assert_eq!(answer["success"], json!(true), "{text}");
    let asked = play.heard_at("issuer", "/token");
    let of = |name: &str| value_of(&asked[0], name);
    assert_eq!(
        (asked.len(), of("refresh_token").as_deref()),
        (1, Some("refresh-1")),
        "{asked:?}"
    );
    assert!(of("resource").is_some_and(|resource| resource.ends_with("/mcp")));
    assert!(
        SECRETS.iter().all(|secret| !text.contains(secret)),
        "{text}"
    );
    // What renews nothing is shown once and never again.
    let play = Play::logged_in("plain");
    for n_asked in [1, 0] {
        play.becomes("renews-nothing");
        let (answer, text) = play.call();
        assert!(
            answer["success"] == json!(false) && text.contains("mcp login m"),
            "{text}"
        );
        assert_eq!(play.heard_at("issuer", "/token").len(), n_asked);
    }
}

#[test]
fn a_token_follows_nobody() {
    if !can_run() {
        return;
    }
    // The server leads elsewhere.
    let play = Play::logged_in("plain");
    play.becomes("leads-away");
    let (answer, text) = play.call();
    assert!(
        answer["success"] == json!(false) && text.contains("not followed"),
        "{text}"
    );
    assert!(play.heard("evil").is_empty(), "{:?}", play.heard("evil"));
    // Another address is another server: another path, another name of the same machine, another port.
    let port = play.port();
    let other = Play::new("takes-none");
    for url in [
        format!("http://127.0.0.1:{port}/mcp/other"),
        format!("http://localhost:{port}/mcp"),
        format!("http://127.0.0.1:{}/mcp", other.port()),
    ] {
        play.becomes("takes-none");
        play.world
            .servers(&json!({"m": {"type": "http", "url": url, "timeout": 5}}));
        let approved = play.world.approve("m");
        assert!(approved["error"].is_string(), "{url}: {approved}");
        for head in play.heard("server").iter().chain(&other.heard("server")) {
            assert!(!head.contains("access-1"), "{url}: {head}");
        }
    }
    // The file of one server is no token of another.
    let files = play.files();
    let name = files[0].file_name().expect("a name").to_owned();
    let text = fs::read_to_string(&files[0]).expect("read");
    let stolen = Play::logged_in("plain");
    let own = stolen.files().remove(0);
    assert_ne!(own.file_name(), Some(name.as_os_str()));
    fs::write(&own, text).expect("written");
    stolen.becomes("plain");
    let (answer, text) = stolen.call();
    assert!(
        answer["success"] == json!(false) && text.contains("mcp login"),
        "{text}"
    );
    assert!(
        stolen
            .heard("server")
            .iter()
            .all(|head| !head.to_ascii_lowercase().contains("authorization:"))
    );
}

#[test]
fn files_that_others_may_read_or_that_lead_elsewhere_hold_no_token() {
    if !can_run() {
        return;
    }
    let play = Play::logged_in("plain");
    let file = play.files().remove(0);
    let text = fs::read_to_string(&file).expect("read");
    let tries: BTreeMap<&str, Box<dyn Fn()>> = BTreeMap::from([
        (
            "others may read it",
            Box::new(|| {
                fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("set");
            }) as Box<dyn Fn()>,
        ),
        (
            "link",
            Box::new(|| {
                let real = play.world.path("out/real");
                fs::write(&real, &text).expect("written");
                fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).expect("set");
                let _ = fs::remove_file(&file);
                symlink(&real, &file).expect("linked");
            }),
        ),
        (
            "damaged",
            Box::new(|| {
                let _ = fs::remove_file(&file);
                fs::write(&file, "{\"access_token\": \"access-1\"}").expect("written");
                fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("set");
            }),
        ),
    ]);
    for (what, make) in &tries {
        make();
        play.becomes("plain");
        let (answer, text) = play.call();
        assert!(answer["success"] == json!(false), "{what}: {text}");
        assert!(
            play.heard("server").is_empty(),
            "{what}: {:?}",
            play.heard("server")
        );
        assert!(
            SECRETS.iter().all(|secret| !text.contains(secret)),
            "{what}: {text}"
        );
    }
    assert!(
        play.world
            .toolglot(&["mcp", "logout", "m"])
            .status
            .success()
    );
    // No model reads where they are, wherever its root is.
    let play = Play::logged_in("plain");
    let place = format!(
        ".ai/mcp-tokens/{}",
        play.files()[0].file_name().expect("a name").display()
    );
    let message = play.world.path("message");
    let call = json!({"tool": "read_file", "arguments": {"path": place}});
    fs::write(&message, format!("TOOL_CALL: {call}\n")).expect("written");
    let home = play.world.path("home");
    let output = play.world.toolglot(&[
        "run",
        "--dialect",
        "tool_call",
        "--root",
        home.to_str().expect("text"),
        message.to_str().expect("text"),
    ]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        !output.status.success() && !text.contains("access-1"),
        "{text}"
    );
}

#[test]
fn more_scopes_are_asked_of_the_person() {
    if !can_run() {
        return;
    }
    let play = Play::logged_in("scoped");
    assert_eq!(
        value_of(&play.heard_at("issuer", "/authorize")[0], "scope").as_deref(),
        Some("read")
    );
    play.becomes("scoped");
    let (answer, text) = play.call();
    assert!(answer["success"] == json!(false), "{text}");
    assert!(
        text.contains("toolglot mcp login m --scope") && text.contains("write"),
        "{text}"
    );
    assert!(play.heard("issuer").is_empty());
    let (is_in, out) = play.login(&["--scope", "write"]);
    assert!(is_in, "{out}");
    assert_eq!(
        value_of(&play.heard_at("issuer", "/authorize")[0], "scope").as_deref(),
        Some("read write")
    );
    let (answer, text) = play.call();
    assert_eq!(answer["success"], json!(true), "{text}");
}

#[test]
fn a_program_logs_in_by_itself_where_its_secret_belongs() {
    if !can_run() {
        return;
    }
    let play = Play::new("plain");
    let port = play.port();
    // The issuer's port is in what the server says.
    let known = {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
        let _ = write!(
            stream,
            "GET /.well-known/oauth-protected-resource HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
        );
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let said: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap_or_default())
            .expect("JSON");
        said["authorization_servers"][0]
            .as_str()
            .expect("an issuer")
            .to_owned()
    };
    let own = json!({"client_id": "me", "client_secret": "${CANARY_ENV}-own-secret", "issuer": known, "grant": "client_credentials"});
    play.at(port, &own);
    // Nothing of the user's goes anywhere that the user has not seen.
    play.becomes("plain");
    let output = play
        .world
        .toolglot(&["mcp", "approve", "m", "--allow", "net"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        !output.status.success() && text.contains("--give CANARY_ENV"),
        "{text}"
    );
    assert!(play.heard("server").is_empty());
    let approved = play.world.approve("m");
    assert_eq!(approved["status"], "approved", "{approved}");
    let (answer, text) = play.call();
    assert_eq!(answer["success"], json!(true), "{text}");
    let asked = play.heard_at("issuer", "/token");
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!(
        value_of(&asked[0], "grant_type").as_deref(),
        Some("client_credentials")
    );
    assert!(
        !text.contains("own-secret") && SECRETS.iter().all(|secret| !text.contains(secret)),
        "{text}"
    );
    // The secret is for that issuer: another one, and who only names none, get nothing.
    let mut other = own.clone();
    other["issuer"] = json!("https://as.example.org");
    let mut without = own;
    without
        .as_object_mut()
        .expect("a map")
        .shift_remove("issuer");
    for oauth in [other, without] {
        play.world.toolglot(&["mcp", "logout", "m"]);
        play.at(port, &oauth);
        play.becomes("plain");
        let approved = play.world.approve("m");
        assert!(approved["error"].is_string(), "{oauth}: {approved}");
        assert!(
            play.heard("issuer").is_empty() && play.heard("evil").is_empty(),
            "{oauth}"
        );
    }
}
