//! Recorded attacks and controls, through the built binary, as this user and, where this is root, as an ordinary one too.
//!
//! The cases lie beside the repository and are no part of it; without them this test says so and passes. Each attack that is a
//! command is also run without any protection first: one that does not fire then proves nothing, and is listed.
//! Every row holds, or its area stands in [`ELSEWHERE`] with the place.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "the score is for people")]

mod place;
mod timing;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::place::Place;

/// Areas that are shown elsewhere.
const ELSEWHERE: &[(&str, &str)] = &[("mcp", "servers that misbehave: crates/cli/tests/servers")];

/// Areas whose attacks are run unprotected first. Not those that would take the machine down.
const LIVE_AREAS: &[&str] = &["command", "network", "secrets"];

/// One row of the file.
struct Row {
    id: String,
    area: String,
    setup: String,
    call: Value,
    policy: String,
    must: String,
    check: String,
}

/// What came of a row.
struct Ran {
    document: Value,
    elapsed: Duration,
    peak_mb: u64,
}

#[test]
fn attacks_are_refused_or_contained_and_controls_work() {
    let Some(rows) = rows() else {
        eprintln!("SKIPPED: there are no recorded attacks beside the repository");
        return;
    };
    let doctor = toolglot(&["doctor"]).output().expect("it runs");
    if !doctor.status.success() {
        eprintln!(
            "SKIPPED: the walls cannot be built here:\n{}",
            String::from_utf8_lossy(&doctor.stdout)
        );
        return;
    }
    let mut score: BTreeMap<(String, String), [usize; 2]> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut not_live = Vec::new();
    let mut n_live = 0;
    for row in &rows {
        if ELSEWHERE.iter().any(|(area, _)| *area == row.area) {
            continue;
        }
        if let Some(fired) = fires_unprotected(row) {
            n_live += usize::from(fired);
            if !fired {
                not_live.push(row.id.as_str());
            }
        }
        let cell = score
            .entry((row.area.clone(), row.must.clone()))
            .or_default();
        cell[1] += 1;
        match judge(row) {
            Ok(()) => cell[0] += 1,
            Err(why) => wrong.push(format!("{}: {why}", row.id)),
        }
    }
    let n: [usize; 2] = score
        .values()
        .fold([0, 0], |sum, cell| [sum[0] + cell[0], sum[1] + cell[1]]);
    eprintln!(
        "recorded attacks and controls: {} of {} as they must be",
        n[0], n[1]
    );
    for ((area, must), cell) in &score {
        eprintln!("  {area:10} {must:8} {:3} of {:3}", cell[0], cell[1]);
    }
    eprintln!(
        "  fired without protection: {n_live}; did not here: {}",
        not_live.join(" ")
    );
    for (what, why) in ELSEWHERE {
        eprintln!("  not run: {what}: {why}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    once_more_as_an_ordinary_user();
}

/// The same without being root; afterwards, as the two would see each other's processes.
fn once_more_as_an_ordinary_user() {
    let status = fs::read_to_string("/proc/self/status").expect("readable");
    if !status.lines().any(|line| line.starts_with("Uid:\t0\t0\t")) || rows().is_none() {
        return;
    }
    let own = std::env::current_exe().expect("this test");
    let output = Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(own)
        .args([
            "attacks_are_refused_or_contained_and_controls_work",
            "--nocapture",
        ])
        .env("TMPDIR", "/tmp")
        .env("HOME", "/nonexistent")
        .output();
    match output {
        Err(error) => eprintln!("SKIPPED: there is no `setpriv`: {error}"),
        Ok(output) => {
            let text = [output.stdout, output.stderr]
                .map(|text| String::from_utf8_lossy(&text).into_owned())
                .concat();
            eprintln!("as an ordinary user:\n{text}");
            assert!(output.status.success());
        }
    }
}

/// Dialects of the five systems.
const DIALECTS: &[&str] = &[
    "tool_call",
    "tool_call_xml",
    "roo",
    "axe",
    "forge",
    "forge_hybrid",
    "rye_invoke",
];

/// Names that a dialect has for a tool, where it takes no others.
const NAMES: &[(&str, &str, &str)] = &[
    ("roo", "write_file", "write_to_file"),
    ("roo", "list_files", "list_files"),
];

/// Every attack by path, command or secret, written in each dialect: whatever the spelling, the rule that decides is the same.
#[test]
fn the_verdict_is_the_same_in_every_dialect() {
    let Some(rows) = rows() else {
        eprintln!("SKIPPED: there are no recorded attacks beside the repository");
        return;
    };
    let (mut n, mut n_unrenderable, mut wrong) = (0, 0, Vec::new());
    for row in rows
        .iter()
        .filter(|row| ["path", "command", "secrets"].contains(&row.area.as_str()))
    {
        let place = Place::new();
        place.bash(&row.setup, None);
        let policy = policy(row, &place);
        let name = row.call["name"].as_str().unwrap_or_default();
        let arguments = place.filled_value(&row.call["arguments"]);
        let mut first: Option<String> = None;
        for dialect in DIALECTS {
            let own = NAMES
                .iter()
                .find(|(of, known, _)| of == dialect && *known == name);
            let calls = json!({"calls": [{"name": own.map_or(name, |(_, _, own)| own), "arguments": arguments}]});
            let source = place.path("calls.json");
            fs::write(&source, calls.to_string()).expect("written");
            let rendered = toolglot(&["render", "--dialect", dialect])
                .arg(&source)
                .output()
                .expect("it runs");
            if !rendered.status.success() {
                // No dialect carries every text: what it cannot write it refuses.
                n_unrenderable += 1;
                continue;
            }
            let message = place.path("message");
            fs::write(&message, &rendered.stdout).expect("written");
            let output = toolglot(&["run", "--dry-run", "--format", "json", "--dialect", dialect])
                .args(&policy)
                .arg("--root")
                .arg(place.path("ws"))
                .arg(&message)
                .env("HOME", place.path("home"))
                .env_remove("XDG_CONFIG_HOME")
                .stdin(Stdio::null())
                .output()
                .expect("it runs");
            let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            let verdict = &document["calls"][0]["verdict"];
            let found = format!("{} by {}", verdict["decision"], verdict["rule"]);
            n += 1;
            match &first {
                None => first = Some(found),
                Some(first) if *first == found => {}
                Some(first) => wrong.push(format!(
                    "{} in {dialect}: {found}, and {first} before: {}",
                    row.id, verdict["because"]
                )),
            }
        }
        place.end();
    }
    eprintln!(
        "verdicts in every dialect: {} of {n} as in the first; {n_unrenderable} could not be written",
        n - wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn rows() -> Option<Vec<Row>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/threats.jsonl");
    let text = fs::read_to_string(path).ok()?;
    let row = |line: &str| -> Row {
        let value: Value = serde_json::from_str(line).expect("a row is JSON");
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        Row {
            id: text("id"),
            area: text("area"),
            setup: text("setup"),
            call: value["call"].clone(),
            policy: text("policy"),
            must: text("must"),
            check: text("check"),
        }
    };
    Some(text.lines().map(row).collect())
}

fn toolglot(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolglot"));
    command.args(arguments);
    command
}

/// Whether the attack of a row fires without protection; `None` if that is not tried.
fn fires_unprotected(row: &Row) -> Option<bool> {
    let command = row.call["arguments"]["command"].as_str()?;
    if row.must == "allow"
        || row.check.is_empty()
        || row.check == "true"
        || !LIVE_AREAS.contains(&row.area.as_str())
    {
        return None;
    }
    let place = Place::new();
    place.bash(&row.setup, None);
    let output = Command::new("timeout")
        .args(["5", "bash", "-c", &place.filled(command)])
        .current_dir(place.path("ws"))
        .env("HOME", place.path("home"))
        .env("CANARY_ENV", "1")
        .output()
        .expect("bash runs");
    fs::write(
        place.path("result"),
        [output.stdout, output.stderr].concat(),
    )
    .expect("written");
    fs::write(place.path("audit"), "").expect("written");
    let held = place.bash(&row.check, None);
    place.end();
    let _ = fs::remove_file("/tmp/shared-canary");
    Some(!held)
}

/// Runs a row. Why it is not as it must be.
fn judge(row: &Row) -> Result<(), String> {
    match row.id.as_str() {
        "write-021" => return timing::race(row),
        "pol-008" => return timing::approval(row),
        _ => {}
    }
    let place = Place::new();
    if row.area == "signing" {
        place.sign_fixtures();
    }
    place.bash(&row.setup, None);
    let policy = policy(row, &place);
    let mut arguments = place.filled_value(&row.call["arguments"]);
    if row.id == "path-023" {
        arguments = row.call["arguments"].clone();
    }
    let name = row.call["name"].as_str().unwrap_or_default();
    let ran = match name {
        "@tool-schema" => run_schema(&place, &arguments),
        "@parse" => run_text(
            &place,
            &policy,
            arguments["text"].as_str().unwrap_or_default(),
            "auto",
            row,
        ),
        _ => {
            let text = format!(
                "TOOL_CALL: {}\n",
                json!({"tool": name, "arguments": arguments})
            );
            run_text(&place, &policy, &text, "tool_call", row)
        }
    };
    let answer = ran.document["answer"].as_str().unwrap_or_default();
    fs::write(place.path("result"), answer).expect("written");
    let held = row.check.is_empty() || place.bash(&row.check, Some(&ran));
    place.end();
    let calls = ran.document["calls"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let was_done = |call: &Value| call["verdict"]["decision"] == "allow" && call["state"] == "done";
    let succeeded = |call: &Value| was_done(call) && call["result"]["ok"] == true;
    let verdict = || {
        let call = calls.first().cloned().unwrap_or_default();
        format!(
            "{} by {}: {} {}",
            call["verdict"]["decision"],
            call["verdict"]["rule"],
            call["verdict"]["because"],
            call["result"]["text"]
        )
    };
    let is_right = match (row.must.as_str(), name) {
        ("deny", "@tool-schema") => ran.document["valid"] == false,
        (_, "@tool-schema") => ran.document["valid"] == true,
        ("deny", _) => !calls.iter().any(succeeded),
        ("allow", _) => calls.iter().any(succeeded),
        // Nothing came of it that must not, whether it ran or was refused; where nothing can be checked it ran.
        _ if name == "@parse" || row.check != "true" => true,
        _ => calls.iter().any(was_done),
    };
    match (is_right, held) {
        (true, true) => Ok(()),
        (false, _) => Err(format!("not {}: {}", row.must, verdict())),
        (true, false) => Err(format!(
            "the effect is not as it must be ({}): {}",
            row.check,
            verdict()
        )),
    }
}

/// The arguments that say which policy holds.
fn policy(row: &Row, place: &Place) -> Vec<String> {
    let shipped = |name: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../examples/policies")
            .join(name)
    };
    let own = |text: &str| {
        let path = place.path("policy.toml");
        fs::write(&path, text).expect("written");
        path
    };
    let file = match row.policy.as_str() {
        "@file:missing" => place.path("no-such-file"),
        "@file:syntax-error" => own("version = 1\n[[rule]\n"),
        "net-allow:api.example.test" => shipped("net-allow.toml"),
        "allow: git *; deny: git push" => own(
            "version = 1\n[[rule]]\nid='git'\ndecision='allow'\nargv=[['git','...']]\n[[rule]]\nid='push'\ndecision='deny'\nargv=[['git','push','...']]\n",
        ),
        "workspace allows exec; user scope denies" => {
            fs::create_dir(place.path("ws/.ai")).expect("made");
            let all = "version = 1\ndefault = 'allow'\n[[rule]]\nid='all'\ndecision='allow'\ncapabilities=['exec','shell']\n";
            fs::write(place.path("ws/.ai/policy.toml"), all).expect("written");
            shipped("default.toml")
        }
        "sandbox backend unavailable" => shipped("exec-contained.toml"),
        "glob rule src/**" => own(
            "version = 1\n[[rule]]\nid='src'\ndecision='allow'\ncapabilities=['write']\npaths=['src/**']\n",
        ),
        "dedup on" | "approval shown, file changes before execution" => shipped("default.toml"),
        name => shipped(&format!("{name}.toml")),
    };
    vec!["--policy".to_owned(), file.to_string_lossy().into_owned()]
}

fn run_text(place: &Place, policy: &[String], text: &str, dialect: &str, row: &Row) -> Ran {
    let message = place.path("message");
    fs::write(&message, text).expect("written");
    let own = env!("CARGO_BIN_EXE_toolglot");
    let mut command = if row.policy == "sandbox backend unavailable" {
        // In a namespace that may hold no others.
        let mut command = Command::new("unshare");
        command.args([
            "-Ur",
            "sh",
            "-c",
            "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$@\"",
            "sh",
            own,
        ]);
        command
    } else {
        Command::new(own)
    };
    command
        .args(["run", "--format", "json", "--dialect", dialect])
        .args(policy)
        .arg("--root")
        .arg(place.path("ws"))
        .arg("--audit")
        .arg(place.path("audit"))
        .arg(message)
        .env("CANARY_ENV", "1")
        .env("HOME", place.path("home"))
        .env_remove("USER_SPACE")
        .env_remove("XDG_CONFIG_HOME")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    let output = fs::File::create(place.path("document")).expect("made");
    let started = Instant::now();
    let mut child = command.stdout(output).spawn().expect("it starts");
    let mut peak_mb = 0;
    while child.try_wait().expect("it can be waited for").is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| {
            line.strip_prefix("VmHWM:")?
                .trim()
                .strip_suffix(" kB")?
                .trim()
                .parse::<u64>()
                .ok()
        });
        peak_mb = peak_mb.max(peak.unwrap_or(0) / 1024);
        std::thread::sleep(Duration::from_millis(3));
    }
    let elapsed = started.elapsed();
    let text = fs::read(place.path("document")).expect("there");
    Ran {
        document: serde_json::from_slice(&text).unwrap_or_default(),
        elapsed,
        peak_mb,
    }
}

/// Asks whether arguments fit a schema, through a tool of that schema: one that fits is refused later, as nobody knows what it does.
fn run_schema(place: &Place, arguments: &Value) -> Ran {
    let tools = place.path("tools.json");
    let (schema, given) = (&arguments["schema"], &arguments["arguments"]);
    // Arguments are an object; what is none is put into one.
    let (schema, given) = if given.is_object() {
        (schema.clone(), given.clone())
    } else {
        let schema = json!({"type": "object", "properties": {"it": schema}, "required": ["it"]});
        (schema, json!({"it": given}))
    };
    fs::write(&tools, json!({"probe": schema}).to_string()).expect("written");
    let message = place.path("message");
    let call = json!({"tool": "probe", "arguments": given});
    fs::write(&message, format!("TOOL_CALL: {call}\n")).expect("written");
    let started = Instant::now();
    let output = toolglot(&[
        "run",
        "--format",
        "json",
        "--dialect",
        "tool_call",
        "--tools",
    ])
    .arg(&tools)
    .arg("--root")
    .arg(place.path("ws"))
    .arg(&message)
    .output()
    .expect("it runs");
    let elapsed = started.elapsed();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    // A schema that cannot be used is refused as a whole, with exit code 2.
    let is_valid = document["calls"][0]["verdict"]["rule"] == "unknown-tool";
    Ran {
        document: json!({"valid": is_valid, "calls": document["calls"]}),
        elapsed,
        peak_mb: 0,
    }
}
