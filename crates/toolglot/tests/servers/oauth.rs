//! Login to servers over HTTP, and servers and issuers that lie.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use toolglot_value::{Value, json};

use super::can_run;
use super::play::{Play, value_of};

/// Texts that only their sender and their receiver may see.
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
    // Nobody is logged in, and the error names the command that logs in.
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
    // The requests are those that the standards require.
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
    // Only the user can read the stored tokens.
    let mode = |path: &PathBuf| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    let files = play.files();
    assert_eq!(
        (files.len(), mode(&files[0]), mode(&play.folder())),
        (1, 0o600, 0o700)
    );
    // Only the server gets the token, at its own address, and no output contains the token.
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
    // The logout deletes the token.
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
        ("metadata-is-no-json", "not a JSON object"),
        ("deep-metadata", "not a JSON object"),
        ("huge-metadata", "bytes"),
        ("other-resource", "was asked at"),
        ("below-resource", "was asked at"),
        ("no-resource", "`resource`"),
        ("no-issuer", "authorization_servers"),
        ("private-issuer", "public network"),
        ("metadata-service", "https"),
        ("file-issuer", "not an address"),
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
    // The token expires soon.
    let play = Play::logged_in("short");
    play.becomes("short");
    let (answer, text) = play.call();
    assert_eq!(answer["success"], json!(true), "{text}");
    assert!(
        SECRETS.iter().all(|secret| !text.contains(secret)),
        "{text}"
    );
    // The server rejects the token.
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
    // A refresh token that renews nothing is sent only once.
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
    // The server redirects elsewhere.
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
    // The token file of one server does not work for another.
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
    // No model can read the token files, wherever its root is.
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
    // The server's metadata contains the issuer's port.
    let known = {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
        let _ = write!(
            stream,
            "GET /.well-known/oauth-protected-resource HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
        );
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let metadata: Value =
            toolglot_value::from_str(answer.split("\r\n\r\n").nth(1).unwrap_or_default())
                .expect("JSON");
        metadata["authorization_servers"][0]
            .as_str()
            .expect("an issuer")
            .to_owned()
    };
    let own = json!({"client_id": "me", "client_secret": "${CANARY_ENV}-own-secret", "issuer": known, "grant": "client_credentials"});
    play.at(port, &own);
    // No variable of the user goes to a place that the user has not seen.
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
    // The secret is for that issuer: another issuer gets nothing, and neither does a definition without an issuer.
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
