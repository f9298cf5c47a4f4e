//! MCP servers of `.mcp.json` and tools of approved servers, as tool files that are on no disk.
//!
//! A server of `.mcp.json` is the file `mcp/servers/NAME` with the same fields. A tool of any server that the user
//! approved is the file `mcp/NAME/TOOL`, with the approved description and schema. So they are found, shown, checked
//! and called like all other tools. Nothing of them runs before this exact definition is approved.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use toolglot_tool_files::{ItemId, Language};
use toolglot_tool_trust::{SERVERS, Space, Trust, server_name};
use toolglot_value::{Map, Value, json};

use crate::tool_source::SERVER_EXTENSION;
use crate::{Entry, ToolSource};

/// The largest `.mcp.json` that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// The keys of an entry that are used.
const KEYS: &[&str] = &[
    "command", "args", "env", "url", "headers", "oauth", "timeout",
];
/// The other keys that an entry may have.
const OTHERS: &[&str] = &["type", "transport", "disabled"];

/// The files in which a project or a user names servers, below the root.
pub(crate) const PLACES: &[(Space, &str)] =
    &[(Space::Project, ".mcp.json"), (Space::User, ".ai/mcp.json")];

/// The servers of `.mcp.json` and the tools of approved servers, as files; and the faults of `.mcp.json`.
pub(crate) fn files(trust: &Trust) -> (Vec<ToolSource>, Vec<String>) {
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for (space, place) in PLACES {
        let root = match space {
            Space::Project => &trust.spaces().project,
            _ => &trust.spaces().user,
        };
        if let Some(root) = root {
            let (found, wrong) = read(&root.join(place), *space);
            files.extend(found);
            problems.extend(wrong);
        }
    }
    for space in [Space::Project, Space::User] {
        for (server, approved) in trust.approvals(space) {
            for definition in &approved.tools {
                match tool(&server, &approved.transport, definition, space) {
                    Ok(found) => files.push(found),
                    Err(why) => problems.push(format!("{server}: {why}")),
                }
            }
        }
    }
    (files, problems)
}

/// Reads a `.mcp.json`: the servers as files, and its faults.
pub(crate) fn read(path: &Path, space: Space) -> (Vec<ToolSource>, Vec<String>) {
    let bad = |why: String| (Vec::new(), vec![format!("{}: {why}", path.display())]);
    let text = match text(path) {
        Ok(Some(text)) => text,
        Ok(None) => return (Vec::new(), Vec::new()),
        Err(error) => return bad(error.to_string()),
    };
    let file: Written = match serde_json::from_str(&text) {
        Ok(file) => file,
        Err(error) => return bad(format!("it is not what it must be: {error}")),
    };
    let (mut servers, mut problems) = (Vec::new(), Vec::new());
    if let Some(other) = file.other {
        problems.push(format!(
            "{}: it has no `mcpServers`, and {other:?} is not read",
            path.display()
        ));
    }
    for (name, entry) in file.servers {
        let mut tell = |why: &str| {
            problems.push(format!("{}: the server {name:?}: {why}", path.display()));
        };
        match server(&name, &entry, path, space) {
            Ok(found) => servers.push(found),
            Err(why) => tell(&why),
        }
        for key in entry.as_object().into_iter().flat_map(Map::keys) {
            if !KEYS.contains(&key.as_str()) && !OTHERS.contains(&key.as_str()) {
                tell(&format!("{key:?} is not read"));
            }
        }
    }
    (servers, problems)
}

/// The text of a regular file; `None` if it does not exist.
fn text(path: &Path) -> io::Result<Option<String>> {
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return Err(io::Error::other(format!(
            "not a regular file of at most {MAX_BYTES} bytes"
        )));
    }
    let mut text = String::new();
    File::open(path)?
        .take(MAX_BYTES + 1)
        .read_to_string(&mut text)?;
    Ok(Some(text))
}

/// A key, the name of its type, and a check of the type.
type Form = (&'static str, &'static str, fn(&Value) -> bool);

const FORMS: &[Form] = &[
    ("command", "a text", Value::is_string),
    ("url", "a text", Value::is_string),
    ("args", "a list of words", |value| {
        let is_word = |item: &Value| !(item.is_null() || item.is_array() || item.is_object());
        let items = value.as_array();
        items.is_some_and(|items| items.iter().all(is_word))
    }),
    ("env", "a map, or a list of names", |value| {
        let names = value.as_array();
        value.is_object() || names.is_some_and(|names| names.iter().all(Value::is_string))
    }),
    ("headers", "a map", Value::is_object),
    ("timeout", "a number of seconds above 0", |value| {
        value.as_f64().is_some_and(|seconds| seconds > 0.0)
    }),
];

fn server(name: &str, entry: &Value, path: &Path, space: Space) -> Result<ToolSource, String> {
    if !is_server_name(name) {
        return Err("a name is 1 to 64 letters, digits, `_` and `-`".to_owned());
    }
    let entry = entry.as_object().ok_or("it is not an object")?;
    match entry.get("disabled") {
        None | Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => return Err("it is disabled".to_owned()),
        Some(_) => return Err("`disabled` is not a boolean".to_owned()),
    }
    for (key, wanted, fits) in FORMS {
        if let Some(value) = entry.get(key).filter(|value| !fits(value)) {
            return Err(format!("`{key}` is {wanted}, and not {value}"));
        }
    }
    let kind = entry
        .get("type")
        .or_else(|| entry.get("transport"))
        .and_then(Value::as_str);
    let transport = match (
        kind,
        entry.contains_key("command"),
        entry.contains_key("url"),
    ) {
        (None | Some("stdio"), true, false) => "stdio",
        (None | Some("http" | "streamable-http" | "streamableHttp"), false, true) => "http",
        (Some("sse"), ..) => {
            return Err(
                "the transport of before 2025-03-26 is not supported: use `http`".to_owned(),
            );
        }
        (_, true, true) => return Err("it has a `command` and a `url`".to_owned()),
        (Some(kind), ..) => {
            return Err(format!(
                "the transport `{kind}` does not fit its other settings"
            ));
        }
        (None, false, false) => return Err("it has neither a `command` nor a `url`".to_owned()),
    };
    let mut config = Map::new();
    config.insert("transport".to_owned(), json!(transport));
    for key in KEYS {
        if let Some(value) = entry.get(key) {
            config.insert((*key).to_owned(), value.clone());
        }
    }
    let text = json!({
        "tool_type": "mcp_server",
        "executor_id": null,
        "category": SERVERS,
        "version": "1.0.0",
        "description": format!("The server `{name}` of {}", path.file_name().unwrap_or_default().display()),
        "config": config,
    });
    found(&format!("{SERVERS}/{name}"), &text, Some(path), space)
}

/// Whether a text is a server's name.
pub(crate) fn is_server_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// The file for a tool that a server was approved with.
///
/// # Errors
/// If the name makes no id.
pub(crate) fn tool(
    server: &str,
    transport: &str,
    definition: &Value,
    space: Space,
) -> Result<ToolSource, String> {
    let name = definition["name"].as_str().unwrap_or_default();
    let short = server_name(server);
    let plain = |text: &str| text.trim().to_owned();
    let description = definition["description"]
        .as_str()
        .map(plain)
        .filter(|text| !text.is_empty());
    let schema = if let Value::Object(schema) = &definition["inputSchema"] {
        Value::Object(schema.clone())
    } else {
        json!({"type": "object"})
    };
    let mut text = json!({
        "tool_type": "mcp",
        "executor_id": format!("rye/core/runtimes/mcp/{transport}"),
        "category": format!("mcp/{short}"),
        "version": "1.0.0",
        "description": description.unwrap_or_else(|| format!("The tool `{name}` of the server `{short}`")),
        "config": {"server": server, "tool_name": name},
        "input_schema": schema,
    });
    if transport == "http" {
        text["requires"] = json!(["net.http"]);
    }
    found(&format!("mcp/{short}/{name}"), &text, None, space)
}

fn found(id: &str, text: &Value, path: Option<&Path>, space: Space) -> Result<ToolSource, String> {
    let entry = Entry {
        id: ItemId::new(id).map_err(|error| error.to_string())?,
        space,
        extension: SERVER_EXTENSION,
    };
    let path = path.map(Path::to_owned);
    // JSON is YAML.
    Ok(ToolSource::new(
        entry,
        Language::Yaml,
        path,
        text.to_string(),
    ))
}

/// The file as written. A duplicate name is refused: two readers would start two programs.
struct Written {
    servers: Vec<(String, Value)>,
    /// The first other key of a file without `mcpServers`.
    other: Option<String>,
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Written, D::Error> {
        struct Top;
        impl<'de> Visitor<'de> for Top {
            type Value = Written;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with `mcpServers`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Written, A::Error> {
                let (mut servers, mut other) = (None, None);
                while let Some(key) = map.next_key::<String>()? {
                    if key != "mcpServers" {
                        map.next_value::<serde::de::IgnoredAny>()?;
                        other = other.or(Some(key));
                    } else if servers.is_some() {
                        return Err(serde::de::Error::custom("duplicate key `mcpServers`"));
                    } else {
                        servers = Some(map.next_value::<Entries>()?.0);
                    }
                }
                Ok(Written {
                    other: other.filter(|_| servers.is_none()),
                    servers: servers.unwrap_or_default(),
                })
            }
        }
        from.deserialize_map(Top)
    }
}

struct Entries(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Entries, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of servers by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let (mut entries, mut names) = (Vec::new(), BTreeSet::new());
                while let Some((name, entry)) = map.next_entry::<String, Value>()? {
                    if !names.insert(name.clone()) {
                        let why = format!("duplicate server {name:?}");
                        return Err(serde::de::Error::custom(why));
                    }
                    entries.push((name, entry));
                }
                Ok(Entries(entries))
            }
        }
        from.deserialize_map(All)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (Vec<ToolSource>, Vec<String>) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(".mcp.json");
        std::fs::write(&path, text).expect("written");
        read(&path, Space::Project)
    }

    #[test]
    fn servers_are_files_that_break_no_rule() {
        let (servers, problems) = of(
            r#"{"mcpServers": {"a": {"command": "x", "args": ["1"], "env": {"K": "${V}"}, "note": 1}, "b-2": {"type": "http", "url": "https://e.org/mcp", "headers": {"A": "b"}}}}"#,
        );
        let [problem] = problems.as_slice() else {
            panic!("{problems:?}")
        };
        assert!(
            problem.ends_with("the server \"a\": \"note\" is not read"),
            "{problem}"
        );
        let ids: Vec<&str> = servers.iter().map(|found| found.id.as_str()).collect();
        assert_eq!(ids, ["mcp/servers/a", "mcp/servers/b-2"]);
        for found in &servers {
            let tool = found.tool();
            let errors: Vec<_> = tool.errors().collect();
            assert!(errors.is_empty(), "{errors:?}");
        }
        let config = servers[0]
            .tool()
            .metadata
            .config
            .clone()
            .expect("it has one");
        assert_eq!(
            config,
            json!({"transport": "stdio", "command": "x", "args": ["1"], "env": {"K": "${V}"}})
        );
        let said = json!({"name": "get.it_9", "description": "d", "inputSchema": {"type": "object", "properties": {"x": {"type": "string"}}}});
        let tool = tool("mcp/servers/a", "stdio", &said, Space::Project).expect("an id");
        assert_eq!(tool.id.as_str(), "mcp/a/get.it_9");
        let read = tool.tool();
        assert!(read.errors().next().is_none(), "{:?}", read.diagnostics);
        assert_eq!(read.schema.input["properties"]["x"]["type"], "string");
    }

    #[test]
    fn what_two_readers_would_read_otherwise_is_refused() {
        for (text, n_servers, n_problems) in [
            (
                r#"{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}"#,
                0,
                1,
            ),
            (
                r#"{"mcpServers": {}, "mcpServers": {"a": {"command": "y"}}}"#,
                0,
                1,
            ),
            (r#"{"McpServers": {"a": {"command": "x"}}}"#, 0, 1),
            (r#"{"servers": {}, "inputs": []}"#, 0, 1),
            (r#"{"mcpServers": {}, "inputs": []}"#, 0, 0),
            (
                r#"{"mcpServers": {"a": {"command": "x", "disabled": true}}}"#,
                0,
                1,
            ),
            (
                r#"{"mcpServers": {"a": {"command": "x", "disabled": false, "args": [1], "env": ["A"]}}}"#,
                1,
                0,
            ),
            (
                r#"{"mcpServers": {"a": {"command": "x", "cwd": "/", "envFile": ".env"}}}"#,
                1,
                2,
            ),
            (
                r#"{"mcpServers": {"a": {"command": ["x"]}, "b": {"command": "x", "timeout": -1}}}"#,
                0,
                2,
            ),
            (
                r#"{"mcpServers": {"a": {"command": "x", "args": "y"}, "b": {"url": "http://y", "headers": []}}}"#,
                0,
                2,
            ),
            (
                r#"{"mcpServers": {"a": {"Command": "x"}, "b": {"command": "x"}}}"#,
                1,
                2,
            ),
            (r#"{"mcpServers": {"../x": {"command": "x"}}}"#, 0, 1),
            (
                r#"{"mcpServers": {"a": {"command": "x", "url": "http://y"}}}"#,
                0,
                1,
            ),
            (
                r#"{"mcpServers": {"a": {"type": "sse", "url": "http://y"}}}"#,
                0,
                1,
            ),
            (r#"{"mcpServers": [1]}"#, 0, 1),
            ("nonsense", 0, 1),
            ("{}", 0, 0),
        ] {
            let (servers, problems) = of(text);
            assert_eq!(
                (servers.len(), problems.len()),
                (n_servers, n_problems),
                "{text}: {problems:?}"
            );
        }
    }
}
