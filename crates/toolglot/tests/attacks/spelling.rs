//! One call in every form that the five systems have for it.

use toolglot_value::{Map, Value, json};

/// A call as a message.
pub(crate) struct Form {
    pub(crate) dialect: String,
    pub(crate) text: String,
}

type Arguments = Map<String, Value>;

/// The first form: a marker and JSON, which carries every text.
pub(crate) fn first(tool: &str, arguments: &Arguments) -> String {
    format!(
        "TOOL_CALL: {}\n",
        json!({"tool": tool, "arguments": arguments})
    )
}

/// All forms, the first one first.
pub(crate) fn forms(tool: &str, arguments: &Arguments) -> Vec<Form> {
    let mut forms = Vec::new();
    let mut add = |dialect: &str, text: String| {
        forms.push(Form {
            dialect: dialect.to_owned(),
            text,
        });
    };
    let json = Value::Object(arguments.clone());
    add("tool_call", first(tool, arguments));
    add(
        "tool_call",
        format!(
            "TOOL_CALL:\n```json\n{}\n```\n",
            json!({"tool": tool, "arguments": json})
        ),
    );
    add(
        "tool_call",
        json!({"tool": tool, "arguments": json}).to_string(),
    );
    add("tool_call", format!("[TOOL:{tool}:{json}]"));
    add(
        "tool_call_xml",
        format!(
            "<tool_call>\n<tool_name>{tool}</tool_name>\n<arguments>{json}</arguments>\n</tool_call>"
        ),
    );
    add(
        "tool_call_xml",
        format!("<tool_call><{tool}>{tool}</_name><arguments>{json}</></tool_call>").replacen(
            "</_name>",
            &format!("</{tool}>"),
            1,
        ),
    );
    add(
        "forge_hybrid",
        format!(
            "<tool>\n{}\n</tool>",
            json!({"server_name": "local", "tool_name": tool, "arguments": json})
        ),
    );
    for json in [json.to_string(), format!("<![CDATA[{json}]]>")] {
        add(
            "forge_hybrid",
            format!(
                "<tool><server_name>local</server_name><tool_name>{tool}</tool_name><arguments>{json}</arguments></tool>"
            ),
        );
    }
    for escape in [entities as fn(&str) -> String, cdata] {
        let elements = elements(arguments, "", escape);
        add(
            "forge",
            format!(
                "<tool>\n<server_name>local</server_name>\n<tool_name>{tool}</tool_name>\n<arguments>\n{elements}</arguments>\n</tool>"
            ),
        );
    }
    let own = match tool {
        "write_file" => "write_to_file",
        other => other,
    };
    add(
        "roo",
        format!(
            "<{own}>\n{}</{own}>",
            elements(arguments, "", str::to_owned)
        ),
    );
    let invoke = format!(
        "<invoke name=\"{tool}\">\n{}</invoke>",
        parameters(arguments)
    );
    add("rye_invoke", invoke.clone());
    add(
        "axe",
        format!("<function_calls>\n{invoke}\n</function_calls>"),
    );
    let text = |key: &str| {
        arguments
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let is_only = |key: &str| arguments.len() == 1 && arguments.contains_key(key);
    match tool {
        "read_file" if is_only("path") => {
            let path = text("path");
            add("axe", format!("<read_file>{path}</read_file>"));
            add("axe", format!("<read>{path}</read>"));
            add("axe", format!("```READ {path}\n```"));
        }
        "write_file" => {
            let (path, content) = (text("path"), text("content"));
            add(
                "axe",
                format!("<write_file path=\"{path}\">{content}</write_file>"),
            );
            add("axe", format!("<write file='{path}'>{content}</write>"));
            add("axe", format!("```WRITE {path}\n{content}\n```"));
        }
        "execute_command" if is_only("command") => {
            let command = text("command");
            for tag in ["bash", "shell", "exec"] {
                add("axe", format!("<{tag}>{command}</{tag}>"));
            }
            add("axe", format!("```EXEC {command}\n```"));
            add("axe", format!("```bash\n{command}\n```"));
        }
        _ => {}
    }
    forms
}

fn entities(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn cdata(text: &str) -> String {
    format!("<![CDATA[{}]]>", text.replace("]]>", "]]]]><![CDATA[>"))
}

/// Arguments as elements; a list is an element for each entry.
fn elements(arguments: &Arguments, indent: &str, escape: fn(&str) -> String) -> String {
    let mut text = String::new();
    for (key, value) in arguments {
        let entries = match value {
            Value::Array(list) => list.clone(),
            other => vec![other.clone()],
        };
        for entry in entries {
            let inside = match &entry {
                Value::String(text) => escape(text),
                Value::Object(map) => format!("\n{}", elements(map, indent, escape)),
                other => other.to_string(),
            };
            text.extend([indent, "<", key, ">", &inside, "</", key, ">\n"]);
        }
    }
    text
}

fn parameters(arguments: &Arguments) -> String {
    let parameter = |(key, value): (&String, &Value)| {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        format!("<parameter name=\"{key}\">{text}</parameter>\n")
    };
    arguments
        .iter()
        .map(parameter)
        .collect::<Vec<String>>()
        .concat()
}
