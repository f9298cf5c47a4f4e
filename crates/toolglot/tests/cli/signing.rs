//! Attacks on the trust in a tool, under a policy that runs signed tools only: by `call`, and by a model's text.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;
use toolglot_value::Value;

use crate::cli::tool_project::copy;

/// A project with a signed tool that imports a signed module, and the home of their signer.
struct World {
    folder: TempDir,
}

const POLICY: &str = "version = 1\n[[rule]]\nid = 'signed'\ndecision = 'allow'\ntools = ['*/*', 'hello']\n[[rule]]\nid = 'read'\ndecision = 'allow'\ncapabilities = ['read']\n[trust]\nrequire_signed = ['**']\n";

fn hello(version: &str, output: &str) -> String {
    format!(
        "\"\"\"Greets.\"\"\"\nimport helper\n\n__version__ = \"{version}\"\n__tool_type__ = \"python\"\n__executor_id__ = \"python/function\"\n__category__ = \"demo\"\n__tool_description__ = \"Greets\"\n\n\ndef execute(params: dict, project_path: str) -> dict:\n    return {{\"success\": True, \"output\": helper.word() + \"{output}\"}}\n"
    )
}

const HELPER: &str = "__version__ = \"1.0.0\"\n__tool_type__ = \"library\"\n__executor_id__ = None\n__category__ = \"demo\"\n__tool_description__ = \"A word\"\n\n\ndef word():\n    return \"good \"\n";

impl World {
    fn new() -> World {
        let world = World {
            folder: tempfile::tempdir().expect("room for a folder"),
        };
        fs::create_dir_all(world.path("home")).expect("a folder");
        fs::create_dir_all(world.path("project")).expect("a folder");
        fs::write(world.path("policy.toml"), POLICY).expect("a file");
        world.toolglot(&["tools", "keys", "new", "--owner", "me"]);
        world.tool("demo/helper.py", &HELPER.replace("good", "worse"));
        world.toolglot(&["tools", "sign", "demo/*"]);
        fs::copy(world.at("demo/helper.py"), world.path("old-helper.py")).expect("a file");
        world.tool("demo/helper.py", HELPER);
        world.tool("demo/hello.py", &hello("1.0.0", "old"));
        world.toolglot(&["tools", "sign", "demo/*"]);
        fs::copy(world.at("demo/hello.py"), world.path("old.py")).expect("a file");
        world.tool("demo/hello.py", &hello("1.1.0", "same"));
        world.toolglot(&["tools", "sign", "demo/hello"]);
        fs::copy(world.at("demo/hello.py"), world.path("same.py")).expect("a file");
        world.tool("demo/hello.py", &hello("1.1.0", "day"));
        world.toolglot(&["tools", "sign", "demo/hello"]);
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file of the project's tools.
    fn at(&self, tool: &str) -> PathBuf {
        self.path("project/.ai/tools").join(tool)
    }

    fn tool(&self, name: &str, text: &str) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Removes the lock: an attacker who can change a tool can do that.
    fn unlock(&self) {
        fs::remove_file(self.path("project/.ai/toolglot.lock")).expect("it was there");
    }

    fn edit(&self, name: &str, change: impl Fn(String) -> String) {
        let text = fs::read_to_string(self.at(name)).expect("it is there");
        let changed = change(text.clone());
        assert_ne!(text, changed, "the attack changes something");
        fs::write(self.at(name), changed).expect("a file");
    }

    fn run(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_toolglot"))
            .args(words)
            .current_dir(self.path("project"))
            .env("USER_SPACE", self.path("home"))
            .env("HOME", self.path("home"))
            .env_remove("XDG_CONFIG_HOME")
            .output()
            .expect("the binary starts")
    }

    #[track_caller]
    fn toolglot(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// The output of `call` for a tool, and the rule by which `run` decides on a model's call of the tool.
    fn called(&self, id: &str) -> (Value, String) {
        let policy = self.path("policy.toml").display().to_string();
        let output = self.run(&["call", id, "--policy", &policy]);
        let called = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let message = self.path("message");
        fs::write(
            &message,
            format!("TOOL_CALL: {{\"tool\": \"{id}\", \"arguments\": {{}}}}\n"),
        )
        .expect("a file");
        let message = message.display().to_string();
        let words = [
            "run",
            &message,
            "--dialect",
            "tool_call",
            "--format",
            "json",
            "--policy",
            &policy,
        ];
        let output = self.run(&words);
        let ran: Value = toolglot_value::from_slice(&output.stdout).unwrap_or_default();
        let call = &ran["calls"][0];
        if call["state"] == "done" {
            return (called, "ran".to_owned());
        }
        let rule = call["verdict"]["rule"].as_str().unwrap_or_default();
        (called, rule.to_owned())
    }
}

/// One attack: its name, its action, and the rule by which the tool is refused.
type Attack = (&'static str, fn(&World), &'static str);

const ATTACKS: &[Attack] = &[
    (
        "a byte of the body",
        |w| w.edit("demo/hello.py", |t| t.replace("day", "dax")),
        "hash_mismatch",
    ),
    (
        "a blank behind the end",
        |w| w.edit("demo/hello.py", |t| t + "\n"),
        "hash_mismatch",
    ),
    (
        "line breaks of another system",
        |w| w.edit("demo/hello.py", |t| t.replace('\n', "\r\n")),
        "hash_mismatch",
    ),
    (
        "the line is gone",
        |w| w.edit("demo/hello.py", |t| without_line(&t)),
        "stripped",
    ),
    (
        "the line stands twice",
        |w| w.edit("demo/hello.py", |t| format!("{}\n{t}", line(&t))),
        "hash_mismatch",
    ),
    (
        "the line is the second",
        |w| w.edit("demo/hello.py", |t| format!("\n{t}")),
        "stripped",
    ),
    (
        "a mark of byte order before it",
        |w| w.edit("demo/hello.py", |t| format!("\u{feff}{t}")),
        "stripped",
    ),
    (
        "a shebang that goes on behind a line end of Python's",
        |w| w.edit("demo/hello.py", |t| format!("#!/x\rprint('evil')\n{t}")),
        "stripped",
    ),
    (
        "a module's shebang that goes on so",
        |w| w.edit("demo/helper.py", |t| format!("#!/x\rprint('evil')\n{t}")),
        "stripped",
    ),
    (
        "another hash in the line, the body as it was",
        |w| w.edit("demo/hello.py", |t| in_field(&t, 5, 'a')),
        "hash_mismatch",
    ),
    (
        "body and hash changed together",
        |w| w.edit("demo/hello.py", |t| rehashed(&t)),
        "bad_signature",
    ),
    (
        "a byte of the signature",
        |w| w.edit("demo/hello.py", |t| in_field(&t, 6, 'A')),
        "bad_signature",
    ),
    (
        "another key's number",
        |w| w.edit("demo/hello.py", |t| in_field(&t, 7, '0')),
        "untrusted_key",
    ),
    (
        "an older version, signed",
        |w| {
            fs::copy(w.path("old.py"), w.at("demo/hello.py")).expect("copied");
        },
        "replayed",
    ),
    (
        "an older version, the lock file gone",
        |w| {
            fs::copy(w.path("old.py"), w.at("demo/hello.py")).expect("copied");
            w.unlock();
        },
        "replayed",
    ),
    (
        "what had the same version before, the lock file gone",
        |w| {
            fs::copy(w.path("same.py"), w.at("demo/hello.py")).expect("copied");
            w.unlock();
        },
        "replayed",
    ),
    (
        "the same, with a later time in its line",
        |w| {
            fs::copy(w.path("same.py"), w.at("demo/hello.py")).expect("copied");
            w.edit("demo/hello.py", |t| t.replacen(":signed:2", ":signed:9", 1));
            w.unlock();
        },
        "replayed",
    ),
    (
        "a module as it was before, the lock file gone",
        |w| {
            fs::copy(w.path("old-helper.py"), w.at("demo/helper.py")).expect("copied");
            w.unlock();
        },
        "replayed",
    ),
    (
        "the same, where it ran and nobody signed it",
        |w| {
            fs::remove_dir_all(w.path("home/.ai/toolglot")).expect("it was there");
            w.unlock();
            let (called, _) = w.called("demo/hello");
            assert_eq!(called["output"], "good day", "{called}");
            fs::copy(w.path("old-helper.py"), w.at("demo/helper.py")).expect("copied");
        },
        "replayed",
    ),
    (
        "the key was revoked",
        |w| {
            let keys = w.toolglot(&["tools", "keys", "list", "--format", "json"]);
            let keys: Value = toolglot_value::from_str(&keys).expect("JSON");
            let own = keys["keys"]
                .as_array()
                .expect("a list")
                .iter()
                .find(|key| key["owner"] == "me")
                .expect("it was made");
            w.toolglot(&[
                "tools",
                "keys",
                "revoke",
                own["fingerprint"].as_str().expect("a text"),
            ]);
        },
        "revoked_key",
    ),
    (
        "a module that it imports is another",
        |w| w.tool("demo/helper.py", "def word():\n    return 'evil '\n"),
        "stripped",
    ),
    (
        "a module of that name that nobody signed",
        |w| w.edit("demo/helper.py", |t| t.replace("good", "evil")),
        "hash_mismatch",
    ),
    (
        "trusted, where signatures are wanted",
        |w| {
            w.edit("demo/hello.py", |t| {
                without_line(&t).replace("1.1.0", "1.2.0")
            });
            w.toolglot(&["tools", "trust", "demo/hello"]);
        },
        "signature_required",
    ),
    (
        "a key that the project brings",
        |w| {
            let other = World::new();
            let own = fs::read_dir(other.path("home/.ai/trusted_keys")).expect("a folder");
            fs::create_dir_all(w.path("project/.ai/trusted_keys")).expect("a folder");
            for key in own {
                let key = key.expect("an entry");
                fs::copy(
                    key.path(),
                    w.path("project/.ai/trusted_keys").join(key.file_name()),
                )
                .expect("copied");
            }
            fs::copy(other.at("demo/hello.py"), w.at("demo/hello.py")).expect("copied");
        },
        "untrusted_key",
    ),
    (
        "a key that the policy does not count",
        |w| {
            fs::write(
                w.path("policy.toml"),
                format!("{POLICY}keys = ['0123456789abcdef']\n"),
            )
            .expect("a file");
        },
        "untrusted_key",
    ),
    (
        "a project's policy that names keys",
        |w| {
            fs::write(
                w.path("project/.ai/policy.toml"),
                "version = 1\n[trust]\nkeys = []\n",
            )
            .expect("a file");
        },
        "policy-broken",
    ),
    (
        "a link to another tool",
        |w| {
            fs::remove_file(w.at("demo/hello.py")).expect("it was there");
            std::os::unix::fs::symlink(w.path("old.py"), w.at("demo/hello.py")).expect("a link");
        },
        "unreadable-tool",
    ),
];

/// The signature line.
fn line(text: &str) -> String {
    text.lines().next().expect("it is there").to_owned()
}

fn without_line(text: &str) -> String {
    text.split_once('\n').expect("it is there").1.to_owned()
}

/// Replaces all but the length of a field of the signature line; the time has two colons of its own.
fn in_field(text: &str, field: usize, by: char) -> String {
    let old = line(text);
    let mut fields: Vec<String> = old.split(':').map(str::to_owned).collect();
    // `# toolglot:signed:2:` has three fields, the time three, then id, version, hash, signature and key follow.
    // Rye's line has neither id nor version.
    let at = field;
    let n = fields[at].len();
    fields[at] = if by == 'A' {
        let flipped = if fields[at].starts_with('A') {
            "B"
        } else {
            "A"
        };
        format!("{flipped}{}", &fields[at][1..])
    } else {
        by.to_string().repeat(n)
    };
    text.replacen(&old, &fields.join(":"), 1)
}

/// Changes the body and writes its new hash into the line.
fn rehashed(text: &str) -> String {
    use sha2::{Digest, Sha256};
    let body = without_line(text).replace("day", "evil");
    let hash = toolglot_builtins::audit::hex(&Sha256::digest(&body));
    let old = line(text);
    let mut fields: Vec<&str> = old.split(':').collect();
    fields[5] = &hash;
    format!("{}\n{body}", fields.join(":"))
}

#[test]
fn what_was_signed_runs_and_nothing_else() {
    if !crate::cli::tool_project::can_run() {
        return;
    }
    let world = World::new();
    let (called, rule) = world.called("demo/hello");
    assert_eq!(called["output"], "good day", "{called}");
    assert_eq!(rule, "ran");
    let mut wrong = Vec::new();
    let saved = world.folder.path().with_extension("saved");
    copy(world.folder.path(), &saved);
    for (what, attack, expected) in ATTACKS {
        // The place is the same each time, because records of earlier runs depend on it.
        for name in ["project", "home"] {
            fs::remove_dir_all(world.path(name)).expect("it was there");
        }
        copy(&saved, world.folder.path());
        attack(&world);
        let (called, rule) = world.called("demo/hello");
        let code = called["code"].as_str().unwrap_or("ran");
        // A model does not learn of a tool that cannot be read.
        let by_text = match *expected {
            "unreadable-tool" => "unknown-tool",
            expected => expected,
        };
        if code != *expected || rule != by_text || called["success"] != false {
            wrong.push(format!(
                "{what}: {expected}, not {code} and {rule}: {called}"
            ));
        }
    }
    fs::remove_dir_all(saved).expect("it was made");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_signed_file_is_no_other_tool() {
    if !crate::cli::tool_project::can_run() {
        return;
    }
    let world = World::new();
    fs::rename(world.at("demo/hello.py"), world.at("demo/other-hello.py")).expect("moved");
    let (called, rule) = world.called("demo/other-hello");
    assert_eq!((&called["code"], rule.as_str()), (&"moved".into(), "moved"));
    // A file with the name or an alias of a builtin tool replaces no tool, signed or not.
    for name in ["read_file", "cat"] {
        world.tool(
            &format!("{name}.py"),
            &hello("1.0.0", "").replace("\"demo\"", "\"\""),
        );
    }
    world.toolglot(&["tools", "trust", "**"]);
    fs::write(world.path("project/a.txt"), "a text\n").expect("a file");
    for name in ["read_file", "cat"] {
        let message = world.path("message");
        fs::write(
            &message,
            format!(
                "TOOL_CALL: {{\"tool\": \"{name}\", \"arguments\": {{\"path\": \"a.txt\"}}}}\n"
            ),
        )
        .expect("a file");
        let message = message.display().to_string();
        let output = world.toolglot(&[
            "run",
            &message,
            "--dialect",
            "tool_call",
            "--format",
            "json",
        ]);
        let ran: Value = toolglot_value::from_str(&output).expect("JSON");
        assert_eq!(
            ran["calls"][0]["result"]["output"]["content"], "a text\n",
            "{output}"
        );
    }
}

#[test]
fn keys_that_a_policy_writes_out_are_trusted() {
    if !crate::cli::tool_project::can_run() {
        return;
    }
    let world = World::new();
    let keys = world.path("home/.ai/trusted_keys");
    let pem = fs::read_to_string(world.path("home/.ai/keys/public_key.pem")).expect("a key");
    let der: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    // The last 32 of the 44 bytes are the key. 44 characters of base64 encode 33 bytes; the first is not in the key.
    let key = base64_tail(&der);
    fs::remove_dir_all(keys).expect("it was there");
    let (called, _) = world.called("demo/hello");
    assert_eq!(called["code"], "untrusted_key", "{called}");
    fs::write(
        world.path("policy.toml"),
        format!("{POLICY}keys = ['ed25519:{key}']\n"),
    )
    .expect("a file");
    let (called, rule) = world.called("demo/hello");
    assert_eq!(
        (called["success"].as_bool(), rule.as_str()),
        (Some(true), "ran"),
        "{called}"
    );
    fs::write(
        world.path("policy.toml"),
        format!("{POLICY}keys = ['mine']\n"),
    )
    .expect("a file");
    let output = world.run(&[
        "call",
        "demo/hello",
        "--policy",
        &world.path("policy.toml").display().to_string(),
    ]);
    assert_eq!(output.status.code(), Some(2));
}

/// The base64 of all but the first 12 bytes that a base64 text encodes.
fn base64_tail(text: &str) -> String {
    // Twelve bytes are sixteen characters, exactly.
    text[16..].to_owned()
}

#[test]
fn a_key_that_was_given_is_trusted_by_its_file() {
    let [ann, bob] = [World::new(), World::new()];
    let pem = fs::read_to_string(ann.path("home/.ai/keys/public_key.pem")).expect("a key");
    let listed = ann.toolglot(&["tools", "keys", "list"]);
    let own = listed.lines().find(|line| line.contains("  user "));
    let fingerprint = own.and_then(|own| own.split(' ').next()).expect("a key");
    let file = bob.path("ann.pem");
    let file = file.display().to_string();
    let trust = ["tools", "keys", "trust", &file, "--owner", "Ann"];
    for bad in [
        "",
        "no key",
        "ed25519:AAAA",
        &pem.replace("PUBLIC", "PRIVATE"),
    ] {
        fs::write(&file, bad).expect("a file");
        assert!(!bob.run(&trust).status.success(), "{bad}");
    }
    fs::write(&file, format!("\n{pem}")).expect("a file");
    let output = bob.toolglot(&trust);
    assert_eq!(output, format!("{fingerprint}  Ann  trusted\n"));
    let listed = bob.toolglot(&["tools", "keys", "list"]);
    assert!(
        listed.contains(&format!("{fingerprint}  user     Ann  trusted")),
        "{listed}"
    );
    bob.toolglot(&["tools", "keys", "revoke", fingerprint]);
    let again = bob.run(&trust);
    assert!(!again.status.success(), "what was revoked stays so");
}
