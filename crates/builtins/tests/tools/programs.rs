//! Tools that run programs: commands and git, and their effects on the root.

use std::process::Command;

use toolglot_builtins::{ProgramSandbox, Root};
use toolglot_value::json;

use crate::world::{World, has_namespaces};

/// A world whose commands may change the root, or `None` with a message where there is no sandbox.
fn world(files: &[(&str, &str)]) -> Option<World> {
    if !has_namespaces("programs") {
        return None;
    }
    Some(World::with(files).changed(|root: Root| {
        root.with_sandbox(ProgramSandbox {
            may_write: true,
            ..ProgramSandbox::default()
        })
    }))
}

fn git(world: &World, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=a@b"])
        .args(arguments)
        .current_dir(world.at(""))
        .output();
    assert!(status.expect("git runs").status.success(), "{arguments:?}");
}

#[test]
fn words_go_to_the_program_as_they_were_judged() {
    let Some(world) = world(&[("a b", "x\n"), ("sub/c", "y\n")]) else {
        return;
    };
    let run = |command: &str| world.run("execute_command", json!({"command": command}));
    for (command, stdout, code) in [
        ("printf '%s|' 'a b' \"c d\" ''", "a b|c d||", 0),
        ("cat 'a b' | tr x z", "z\n", 0),
        ("false && echo a || echo b; echo c", "b\nc\n", 0),
        ("cd sub && cat c", "y\n", 0),
        ("cd sub; cd ..; cat 'a b'", "x\n", 0),
        ("cat none; echo after", "after\n", 0),
        ("echo before\nfalse", "before\n", 1),
        ("echo sub/* s?b/c '*' none* ?", "sub/c sub/c * none* ?\n", 0),
        ("cd sub && echo * [a-c]", "c c\n", 0),
        ("cat none 2>/dev/null; echo after", "after\n", 0),
        ("cat none 2>&1 | wc -l", "1\n", 0),
        ("echo a >/dev/null", "", 0),
        ("echo a >/dev/null | cat", "", 0),
        ("echo a >&2 | wc -l", "0\n", 0),
        ("sh -c 'echo o; echo e >&2' 2>&1 >/dev/null | cat", "e\n", 0),
        ("[ -f 'a b' ] && echo yes", "yes\n", 0),
        // Either the command runs that the policy decided on, or none.
        ("touch sub/d && ls sub/*", "", 1),
        ("touch sub/d && cat s*/c", "y\n", 0),
        ("echo before && no-such-program", "before\n", 127),
        // This command needs a shell and gets it: there is no policy here.
        ("for i in 1 2; do echo $i; done", "1\n2\n", 0),
    ] {
        let outcome = run(command);
        assert_eq!(outcome.output["stdout"], stdout, "{command}: {outcome:?}");
        assert_eq!(outcome.output["exitCode"], code, "{command}");
        assert_eq!(outcome.ok, code == 0);
    }
    assert_eq!(
        world.code("execute_command", json!({"command": "no-such-program"})),
        "no-such-program"
    );
    assert_eq!(
        world.code("execute_command", json!({"command": "cd sub"})),
        "shell-state"
    );
    assert_eq!(
        world.code("execute_command", json!({"command": "ls", "cwd": "../out"})),
        "outside-root"
    );
    assert_eq!(
        world.code("execute_command", json!({"command": "ls", "timeout": -1})),
        "wrong-type"
    );
    let late = world.run(
        "execute_command",
        json!({"command": "sleep 60", "timeout": 0.2}),
    );
    assert_eq!(
        (
            late.output["timedOut"].clone(),
            late.output["exitCode"].clone()
        ),
        (true.into(), 124.into())
    );
    world.assert_outside_untouched();
}

#[test]
fn commands_see_no_secrets_and_change_nothing_that_others_obey() {
    let Some(world) = world(&[
        (".env", "KEY=TOPSECRET"),
        ("sub/.env.local", "TOPSECRET"),
        (".vscode/tasks.json", "{}"),
        ("a", "x"),
    ]) else {
        return;
    };
    git(&world, &["init", "-q", "."]);
    git(
        &world,
        &["config", "remote.o.url", "https://u:TOPSECRET@h/x"],
    );
    let command = "cat .env sub/.env.local .git/config; echo x > .vscode/tasks.json; echo x > .git/hooks/pre-commit; mv .git .x; echo y > a";
    let outcome = world.run("execute_command", json!({"command": command}));
    assert!(!outcome.text.contains("TOPSECRET"), "{}", outcome.text);
    assert_eq!(world.content(".vscode/tasks.json"), "{}");
    assert!(!world.at(".git/hooks/pre-commit").exists() && world.at(".git/config").exists());
    assert_eq!(world.content("a"), "y\n");
    world.assert_outside_untouched();
}

#[test]
fn without_the_right_to_write_nothing_is_written() {
    let Some(world) = world(&[("a", "x")]) else {
        return;
    };
    let world = world.changed(|root| root.with_sandbox(ProgramSandbox::default()));
    let outcome = world.run(
        "execute_command",
        json!({"command": "echo y > a; echo y > b; rm a"}),
    );
    assert!(!outcome.ok);
    assert_eq!(world.content("a"), "x");
    assert!(!world.at("b").exists());
}

#[test]
fn git_says_what_changed_and_commits_it() {
    let Some(world) = world(&[("m f", "1\n"), ("staged", "1\n"), ("keep", "1\n")]) else {
        return;
    };
    git(&world, &["init", "-q", "-b", "main", "."]);
    git(&world, &["add", "."]);
    git(&world, &["commit", "-q", "-m", "first"]);
    git(&world, &["config", "user.name", "n"]);
    git(&world, &["config", "user.email", "a@b"]);
    world.put("m f", "2\n");
    world.put("staged", "2\n");
    git(&world, &["add", "staged"]);
    world.put("new\nline", "1\n");
    world.put(".env", "KEY=1");
    // The first line of a status starts with a blank where nothing is staged: the blank is not part of the name.
    let status = world.run("git_status", json!({}));
    assert_eq!(
        status.output,
        json!({"branch": "main", "modified": ["m f"], "untracked": [".env", "new\nline"], "staged": ["staged"]})
    );
    // No shell reads the message or the file names.
    let message = "say \"hi\"; $(touch pwned) `touch pwned`";
    let done = world.run("git_commit", json!({"message": message, "files": ["m f"]}));
    assert!(done.ok, "{done:?}");
    assert_eq!(
        (done.output["files"].clone(), done.output["message"].clone()),
        (json!(["m f"]), json!(message))
    );
    assert_eq!(done.output["hash"].as_str().expect("a hash").len(), 7);
    assert!(!world.at("pwned").exists());
    let done = world.run("git_commit", json!({"message": "the rest"}));
    assert_eq!(
        done.output["files"],
        json!(["new\nline", "staged"]),
        "{done:?}"
    );
    let status = world.run("git_status", json!({}));
    assert_eq!(
        status.output["untracked"],
        json!([".env"]),
        "what holds secrets is not committed unasked"
    );
    assert_eq!(
        world.code(
            "git_commit",
            json!({"message": "nothing", "files": ["keep"]})
        ),
        "git"
    );
    assert_eq!(
        world.code(
            "git_commit",
            json!({"message": "out", "files": ["../out/secret.txt"]})
        ),
        "outside-root"
    );
}

#[test]
fn what_a_repository_would_run_is_not_run() {
    let Some(world) = world(&[("a", "1\n"), (".gitattributes", "* filter=f diff=d\n")]) else {
        return;
    };
    git(&world, &["init", "-q", "."]);
    git(&world, &["add", "."]);
    git(&world, &["commit", "-q", "-m", "first"]);
    let out = world.out().join("pwned");
    let touch = format!("touch {} pwned", out.display());
    for key in [
        "core.fsmonitor",
        "diff.external",
        "filter.f.clean",
        "filter.f.smudge",
        "core.pager",
        "diff.d.textconv",
        "core.sshCommand",
    ] {
        git(&world, &["config", key, &touch]);
    }
    git(&world, &["config", "user.name", "n"]);
    git(&world, &["config", "user.email", "a@b"]);
    world.put(".git/hooks/pre-commit", format!("#!/bin/sh\n{touch}\n"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(
            world.at(".git/hooks/pre-commit"),
            std::fs::Permissions::from_mode(0o755),
        )
        .expect("set");
    }
    world.put("a", "2\n");
    let status = world.run("git_status", json!({}));
    assert!(status.output["modified"].is_array(), "{status:?}");
    // A filter may run in the sandbox, but it cannot write during a status.
    assert!(!world.at("pwned").exists());
    world.run("git_commit", json!({"message": "x", "files": ["a"]}));
    world.run(
        "execute_command",
        json!({"command": "git diff && git log -1 && git status"}),
    );
    world.assert_outside_untouched();
}

#[test]
fn a_summary_names_the_projects_and_counts_the_files() {
    let world = World::with(&[
        (
            "package.json",
            r#"{"name":"web","dependencies":{"react":"18"},"devDependencies":{"vite":"5"}}"#,
        ),
        (
            "api/Cargo.toml",
            "[package]\nname = \"api\"\n[dependencies]\naxum = \"0.8\"\n",
        ),
        ("api/src/main.rs", "fn main() {}"),
        ("tools/requirements.txt", "flask\n"),
        ("node_modules/x/package.json", "{}"),
        (".gitignore", "node_modules\n"),
        ("README.md", "#"),
    ]);
    let output = world.run("workspace_summary", json!({})).output;
    let names: Vec<&str> = output["projects"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|project| project["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["api", "web", "tools"]);
    assert_eq!(
        output["detectedProjects"],
        json!(["Axum", "React", "Flask"])
    );
    assert_eq!(output["projects"][1]["devDependencies"], json!(["vite"]));
    assert_eq!(
        output["rootFiles"],
        json!([".gitignore", "README.md", "package.json"])
    );
    assert_eq!(output["directories"], json!(["api", "tools"]));
    assert_eq!(output["fileStatistics"][".rs"], 1);
    for field in [
        "workspace",
        "projects",
        "directories",
        "rootFiles",
        "fileStatistics",
        "detectedProjects",
    ] {
        assert!(output.get(field).is_some(), "{field}");
    }
}

#[test]
fn a_server_is_asked_and_its_redirection_is_told_not_followed() {
    use std::io::{Read, Write};
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = server.local_addr().expect("bound").port();
    let thread = std::thread::spawn(move || {
        let mut requests = Vec::new();
        for answer in [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n",
        ] {
            let (mut stream, _) = server.accept().expect("someone asks");
            let mut buffer = [0; 4096];
            let n = stream.read(&mut buffer).expect("readable");
            requests.push(String::from_utf8_lossy(&buffer[..n]).into_owned());
            stream.write_all(answer.as_bytes()).expect("writable");
        }
        requests
    });
    let world = World::new();
    let url = |path: &str| format!("http://127.0.0.1:{port}/{path}");
    let first = world.run(
        "http_request",
        json!({"url": url("a?b"), "headers": {"X-One": "1"}}),
    );
    assert_eq!(
        (
            first.ok,
            first.output["status"].clone(),
            first.output["body"].clone()
        ),
        (true, 200.into(), "hello".into())
    );
    let second = world.run(
        "http_request",
        json!({"url": url(""), "method": "POST", "body": "x=1"}),
    );
    assert_eq!(second.output["redirectTo"], "http://169.254.169.254/");
    assert!(second.text.contains("was not followed"));
    let requests = thread.join().expect("it ends");
    assert!(
        requests[0].starts_with("GET /a?b ") && requests[0].to_lowercase().contains("x-one: 1"),
        "{requests:?}"
    );
    assert!(requests[1].starts_with("POST / "), "{requests:?}");
    assert_eq!(
        world.code("http_request", json!({"url": "file:///etc/passwd"})),
        "http"
    );
    assert_eq!(
        world.code(
            "http_request",
            json!({"url": url(""), "headers": {"Host": "x"}})
        ),
        "http"
    );
}
