//! The recorded cases of tool files, and the specification itself.

use std::io::{self, Write};

use toolglot_tool_files::capability::{self, Capability};
use toolglot_tool_files::{ItemId, Language, ToolFile, template};
use toolglot_tool_registry::{Link, validate_chain};
use toolglot_tool_signature::{
    Header, Item, Keyring, PublicKey, Signer, Style, body, digest, verify as verify_text,
};
use toolglot_tool_trust::Space;
use toolglot_value::{Value, json};

use crate::recorded;

/// The origin's key, which the recorded signatures were made with.
const ORIGIN: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAY24FNlBttfGlH91xaEe4Ms0Meu5kvHL8L8W6w9lVyLU=\n-----END PUBLIC KEY-----\n";

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
#[cfg_attr(
    not(shared_cases),
    ignore = "needs the recorded cases: set TOOLGLOT_SHARED"
)]
fn the_specification_is_signed_by_its_author() {
    let text = recorded::text("seeds/rye-tool-format.md");
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

/// Every whole example of the specification loads: where one breaks a rule of its own document, that is a warning.
#[test]
#[cfg_attr(
    not(shared_cases),
    ignore = "needs the recorded cases: set TOOLGLOT_SHARED"
)]
fn the_examples_of_the_specification_load() {
    let text = recorded::text("seeds/rye-tool-format.md");
    let mut whole = 0;
    for block in text.split("\n```").skip(1).step_by(2) {
        let (word, body) = block.split_once('\n').expect("a fence has lines");
        let extension = match word {
            "python" => "py",
            "yaml" => "yaml",
            "typescript" => "ts",
            _ => continue,
        };
        let language = Language::of_extension(extension).expect("a language");
        // A tool is at the path of its category.
        let alone = ToolFile::read(&ItemId::new("x").expect("an id"), language, body);
        let (Some(category), Some(_)) = (&alone.metadata.category, &alone.metadata.tool_type)
        else {
            // A part of a file must still be readable.
            assert!(
                alone.errors().all(|error| error.rule.code != "F01"),
                "{body}"
            );
            continue;
        };
        whole += 1;
        let id = ItemId::new(&format!("{category}/hello_node")).expect("an id");
        let tool = ToolFile::read(&id, language, body).checked();
        let errors: Vec<_> = tool.errors().collect();
        assert!(errors.is_empty(), "{body}\n{errors:?}");
        assert!(
            !tool.diagnostics.is_empty(),
            "each of them breaks something"
        );
    }
    assert_eq!(whole, 6);
}

#[test]
#[cfg_attr(
    not(shared_cases),
    ignore = "needs the recorded cases: set TOOLGLOT_SHARED"
)]
fn recorded_rows_are_as_recorded() {
    let rows = recorded::text("cases/seeds/002-rye.jsonl");
    let (mut scored, mut right, mut misses) = (0, 0, Vec::new());
    for line in rows.lines() {
        let row: Value = toolglot_value::from_str(line).expect("a row");
        let answer = match row["dialect"].as_str().expect("a dialect") {
            "rye-signature" => signature(&row),
            "rye-tool" => tool(&row),
            "rye-capability" | "rye-template" | "rye-chain" => operation(&row["op"]),
            // Text of models: the parser's tests read those.
            _ => continue,
        };
        scored += 1;
        if fits(&row["expected"], &answer) {
            right += 1;
        } else {
            misses.push(format!(
                "{}: {answer} instead of {}",
                row["id"], row["expected"]
            ));
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
    let style = language.signature_style();
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
    let toolglot_tool_files::Executor::Id(executor) = &tool.metadata.executor else {
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

fn operation(op: &Value) -> Value {
    let text = |name: &str| op[name].as_str().unwrap_or_default();
    let texts = |name: &str| -> Vec<&str> {
        let list = op[name].as_array().into_iter().flatten();
        list.filter_map(Value::as_str).collect()
    };
    match text("fn") {
        "cap_matches" => json!(capability::matches(text("granted"), text("required"))),
        "check_capability" => json!(capability::allows(&texts("granted"), text("required"))),
        "expand_capabilities" => json!(capability::expand(&texts("granted"))),
        "parse_capability" => match Capability::read(text("cap")) {
            Some(capability) => json!({
                "primary": capability.primary,
                "item_type": capability.item_type,
                "specifics": capability.specifics,
                "is_wildcard": capability.is_wildcard(),
            }),
            None => Value::Null,
        },
        "item_id_to_cap" => {
            let args = texts("args");
            json!(capability::of_item(args[0], args[1], args[2]))
        }
        "check_permission" => json!(capability::permits(
            &texts("capabilities"),
            text("primary"),
            text("item_type"),
            text("item_id"),
        )),
        "template_config" => {
            let environment = op["env"].as_object().expect("variables");
            let environment = environment
                .iter()
                .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()))
                .collect();
            let config = op["config"].as_object().expect("a map");
            Value::Object(template::expand(config, &environment).expect("all are set"))
        }
        "validate_chain" => {
            let links: Vec<Link> = op["chain"]
                .as_array()
                .expect("links")
                .iter()
                .map(link)
                .collect();
            json!({"valid": validate_chain(&links).is_empty()})
        }
        other => panic!("nothing answers `{other}`"),
    }
}

fn link(link: &Value) -> Link {
    let texts = |name: &str| -> Vec<String> {
        let list = link[name].as_array().into_iter().flatten();
        list.filter_map(|text| text.as_str().map(str::to_owned))
            .collect()
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Link {
        id: text(&link["item_id"]).unwrap_or_default(),
        space: match link["space"].as_str() {
            Some("project") => Some(Space::Project),
            Some("user") => Some(Space::User),
            Some("system") => Some(Space::System),
            _ => None,
        },
        version: text(&link["version"]),
        inputs: texts("inputs"),
        outputs: texts("outputs"),
        constraints: link["child_constraints"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(id, range)| {
                (
                    id.clone(),
                    (text(&range["min_version"]), text(&range["max_version"])),
                )
            })
            .collect(),
    }
}
