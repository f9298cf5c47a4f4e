//! The recorded cases of tool files, and the specification itself, where they lie beside the repository.
//!
//! They are no part of it; without them these tests say so and pass.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Value, json};
use toolglot_toolfiles::{
    Header, Item, ItemId, Keyring, Language, PublicKey, Signer, Style, ToolFile, body, digest,
    verify_text,
};

/// The origin's key, which the recorded signatures were made with.
const ORIGIN: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAY24FNlBttfGlH91xaEe4Ms0Meu5kvHL8L8W6w9lVyLU=\n-----END PUBLIC KEY-----\n";

fn shared(path: &str) -> Option<String> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(path);
    match fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(_) => {
            // Past the test harness, which keeps what a passing test prints to itself.
            let _ = writeln!(io::stderr(), "SKIPPED: {} is not there", path.display());
            None
        }
    }
}

fn keys() -> Keyring {
    let mut keys = Keyring::default();
    let key = PublicKey::from_pem(ORIGIN).expect("a key");
    assert_eq!(key.fingerprint(), "9fbfabe975fa5a7f");
    keys.add(Signer {
        key,
        owner: "leo".into(),
        revoked: None,
    });
    keys
}

#[test]
fn the_specification_is_signed_by_its_author() {
    let Some(text) = shared("seeds/rye-tool-format.md") else {
        return;
    };
    let style = Style::Markdown(Item::Knowledge);
    let verified = verify_text("tool-format", &text, style, &keys()).expect("it is signed");
    assert_eq!(
        verified.digest,
        "ca420dd4d9f38b2dfc6bdcc1992b27d3baa8271d9a9dd865b08cf620989540db"
    );
    let edited = text.replacen("Canonical format", "Canonical  format", 1);
    let refusal = verify_text("tool-format", &edited, style, &keys()).expect_err("it is edited");
    assert_eq!(refusal.code(), "hash_mismatch");
}

#[test]
fn recorded_rows_are_as_recorded() {
    let Some(rows) = shared("cases/seeds/002-rye.jsonl") else {
        return;
    };
    let (mut scored, mut right, mut misses) = (0, 0, Vec::new());
    for line in rows.lines() {
        let row: Value = serde_json::from_str(line).expect("a row");
        let answer = match row["dialect"].as_str().expect("a dialect") {
            "rye-signature" => signature(&row),
            "rye-tool" => tool(&row),
            "rye-capability" | "rye-template" | "rye-chain" => match operation(&row["op"]) {
                Some(answer) => answer,
                None => continue,
            },
            // Text of models: the parser's tests read those.
            _ => continue,
        };
        scored += 1;
        if fits(&row["expected"], &answer) {
            right += 1;
        } else {
            misses.push(format!("{}: {answer} instead of {}", row["id"], row["expected"]));
        }
    }
    let _ = writeln!(io::stderr(), "002-rye: {right} of {scored} rows");
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

/// Every expected key is there and equal.
fn fits(expected: &Value, answer: &Value) -> bool {
    match (expected, answer) {
        (Value::Object(expected), Value::Object(answer)) => expected
            .iter()
            .all(|(key, value)| answer.get(key).is_some_and(|answer| fits(value, answer))),
        _ => expected == answer,
    }
}

fn signature(row: &Value) -> Value {
    let text = row["input"].as_str().expect("a file");
    let extension = row["ext"].as_str().expect("an extension");
    let language = Language::of_extension(extension.trim_start_matches('.')).expect("a language");
    let style = Style::of(language);
    let status = match verify_text("x", text, style, &keys()) {
        Ok(_) => "ok",
        Err(refusal) => refusal.code(),
    };
    let mut answer = json!({"status": status});
    if let Some(header) = Header::find(text, style) {
        answer["timestamp"] = json!(header.time);
        answer["declared_hash"] = json!(header.hash);
        answer["actual_hash"] = json!(digest(body(text, style)));
        answer["key_id"] = json!(header.key);
        if let Some((provider, user)) = header.provenance {
            answer["provider"] = json!(provider);
            answer["username"] = json!(user);
        }
    }
    answer
}

fn tool(row: &Value) -> Value {
    let text = row["input"].as_str().expect("a file");
    let id = ItemId::new("utility/hello_node").expect("an id");
    let tool = ToolFile::read(&id, Language::TypeScript, text);
    assert_eq!(tool.errors().count(), 0, "{:?}", tool.diagnostics);
    let toolglot_toolfiles::Executor::Id(executor) = &tool.metadata.executor else {
        panic!("an executor");
    };
    json!({"metadata": {
        "version": tool.metadata.version,
        "tool_type": tool.metadata.tool_type,
        "executor_id": executor,
        "category": tool.metadata.category,
        "tool_description": tool.metadata.description,
        "config_schema": tool.schema.input,
    }})
}

fn operation(_op: &Value) -> Option<Value> {
    None
}
