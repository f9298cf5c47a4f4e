//! No text of a model, a project or a program drives the terminal of the user.

use std::fs;
use std::path::Path;
use std::process::Command;

use toolglot_value::json;

use crate::cli::terminal::Terminal;

/// Texts that drive a terminal, or hide from its reader.
const HOSTILE: [&str; 16] = [
    "\x1b]0;EVIL\x07",                     // the title
    "\x1b[2J\x1b[H",                       // all is cleared
    "\x1b]52;c;RVZJTA==\x07",              // the clipboard
    "\x1b]8;;http://evil\x1b\\",           // a link
    "\x1b[8m",                             // concealed
    "\x1b[30;40m",                         // black on black
    "\x1b[32mgreen",                       // a colour that reports have
    "\x1b[1A\x1b[2K",                      // the line above is gone
    "\x1bP+q544e\x1b\\",                   // a question to the terminal
    "\x1bc",                               // reset
    "\u{9b}2J",                            // the same introducer, in one character
    "\u{90}\u{9d}0;EVIL\u{9c}",            // other introducers of one character
    "a\x08\x7f\rb\x0b\x0c\x0e",            // back, and overwriting
    "\u{202e}\u{2066}\u{200f}",            // other directions
    "r\u{200b}m\u{2060}\u{feff}\u{200d}x", // no width
    "\u{e0041}\u{e007f}\u{ad}",            // tags
];

/// Each text between `<` and `>`, which show that the text was written.
fn hostile() -> String {
    HOSTILE.iter().flat_map(|text| ["<", *text, ">"]).collect()
}

const TOOL: &str = r#"#!/usr/bin/env bash
# tool_id: hostile
# tool_type: script
# version: "1.0.0"
# executor_id: rye/core/runtimes/bash/bash
# category: t
# description: shows HOSTILE
# requires: [fs.read]

cat hostile; cat hostile >&2
"#;

/// All that is hostile: a file and its name, messages, conversations, tools, a template, a dialect, a policy and a log.
fn make(folder: &Path) {
    let root = folder.join("root");
    let hostile = hostile();
    fs::create_dir_all(root.join(".ai/tools/t")).expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    write("root/hostile", &hostile);
    write("hostile", &hostile);
    write(
        "root/.ai/tools/t/hostile.sh",
        &TOOL.replace("HOSTILE", &hostile),
    );
    write(
        "root/.ai/tools/t/broken.sh",
        &format!(
            "# tool_id: other{hostile}\n# tool_type: {hostile}\n# version: {hostile}\n# {hostile}: 1\n"
        ),
    );
    let call = |name: &str, arguments: &toolglot_value::Value| {
        let call = json!({"name": name, "arguments": arguments}).to_string();
        format!("<tool_call>{call}</tool_call>\n")
    };
    let file = format!("no{hostile}");
    let message = [
        hostile.clone(),
        format!(
            "<tool_call>{{\"name\": \"x{hostile}\", \"arguments\": {{\"{hostile}\": \"{hostile}\",}}}}</tool_call>"
        ),
        call("read_file", &json!({"path": "hostile"})),
        call("read_file", &json!({"path": file})),
        call("read_file", &json!({(file.as_str()): hostile})),
        call("execute_command", &json!({"command": "cat hostile"})),
        call(
            "execute_command",
            &json!({"command": format!("ls '{hostile}'")}),
        ),
        call("t/hostile", &json!({})),
        call(&format!("t/{hostile}"), &json!({})),
        call("search_files", &json!({"pattern": "EVIL", "path": "."})),
        format!("```json\n{{\"name\": \"{hostile}\"}}\n```\n<tool_call>{hostile}"),
    ];
    write("message", &message.join("\n"));
    write("text", &format!("{{'a': '{hostile}', b: {hostile}"));
    let line = |text: &str| json!({"id": hostile, "input": text}).to_string();
    write(
        "lines",
        &format!(
            "{}\n{hostile}\n{}\n",
            line(&message.join("")),
            line("{'a': 1")
        ),
    );
    let calls = json!({"content": hostile, "calls": [{"name": "read_file", "arguments": {"path": hostile}}]});
    write("calls", &calls.to_string());
    fs::create_dir(folder.join("cases")).expect("a folder");
    let case = format!(
        "# {hostile}\n\n{hostile}\n\n```input dialect=hermes\n{hostile}{}\n```\n\n```events\ntext {hostile}\n```\n",
        message[1]
    );
    write("cases/hostile.md", &case);
    let results = json!({"results": [{"name": "read_file", "arguments": {"path": hostile}, "result": hostile}]});
    write("results", &results.to_string());
    let messages = json!({"messages": [
        {"role": "user", "content": hostile},
        {"role": "assistant", "content": message.join("")},
        {"role": hostile, "content": hostile},
    ]});
    write("messages", &messages.to_string());
    let tools = json!([{"type": "function", "function": {"name": "read_file", "description": hostile, "parameters": {
        "type": "object", "properties": {"path": {"type": "string", "description": hostile}},
    }}}]);
    write("tools.json", &tools.to_string());
    write(
        "dialect",
        &format!("dialect hostile\n{hostile}\nrule x = \"{hostile}\"\n"),
    );
    write(
        "template",
        &format!("{{# {hostile} #}}<tool_call>{{{{ tool | tojson }}}}</tool_call>{hostile}"),
    );
    let request = json!({"name": "read_file", "arguments": {"path": file, (hostile.as_str()): 1}});
    write("call", &request.to_string());
    write(
        "policy.toml",
        &format!("version = 1\n# {hostile}\n[[{hostile}]]\n"),
    );
    let record = json!({"time": hostile, "tool": hostile, "event": hostile, "decision": hostile});
    write("log", &format!("{record}\n{hostile}\n"));
}

/// Every command, with hostile input wherever it takes input.
const COMMANDS: [&str; 67] = [
    "parse message",
    "parse --dialect auto message",
    "parse --format json message",
    "parse --format events message",
    "parse --dialect hermes --tools tools.json message",
    "parse --jsonl lines",
    "parse --dialect \"$(cat hostile)\" message",
    "parse \"$(cat hostile)\"",
    "repair text",
    "repair --explain text",
    "repair --preset jsonrepair text",
    "repair --jsonl lines",
    "render --dialect hermes calls",
    "render --dialect hermes results",
    "render --dialect roo results",
    "render --dialect tool_call hostile",
    "convert --from hermes --to tool_call messages",
    "convert --from hermes --to openai --check messages",
    "convert --from hermes --to openai hostile",
    "prompt --tools tools.json",
    "prompt --dialect hermes --tools hostile",
    "grammar --dialect hermes --format gbnf --tools tools.json",
    "grammar --format lark --tool-choice \"$(cat hostile)\"",
    "conform --dialect hermes --cmd sh -- -c 'cat hostile; cat hostile >&2'",
    "conform --dialect \"$(cat hostile)\" --list",
    "corpus check lines",
    "corpus stats lines",
    "corpus check hostile",
    "run --dialect hermes --root root --allow exec:cat,exec:ls message",
    "run --dialect hermes --root root --allow exec:cat --format json message",
    "run --dialect hermes --root root --allow exec:cat --format text message",
    "run --dialect hermes --root root --dry-run message",
    "run --dialect hermes --root root --allow exec:cat --audit new-log message; $TOOLGLOT audit show new-log",
    "run --dialect hermes --root root --policy policy.toml message",
    "run --undo --root root",
    "dialects list",
    "dialects check dialect",
    "dialects check hostile",
    "dialects test cases",
    "dialects show \"$(cat hostile)\"",
    "dialects detect --template template",
    "dialects detect --template template --dialect hermes",
    "dialects new x --template template",
    "dialects import --name x template",
    "call t/hostile --root root",
    "call \"t/$(cat hostile)\" --root root",
    "call t/hostile --root root --args \"$(cat hostile)\"",
    "call t/hostile --root root --args @calls",
    "mcp --root root < hostile",
    "mcp servers --root root",
    "tools list --root root",
    "tools show t/hostile --root root",
    "tools check --root root",
    "tools check root/.ai/tools/t/broken.sh --root root",
    "tools verify --root root",
    "explain \"$(cat hostile)\"",
    "policy check --call call --root root",
    "policy check --call hostile --root root",
    "audit show log",
    "audit verify log",
    "serve --upstream \"$(cat hostile)\"",
    "serve --upstream http://127.0.0.1:9 --config hostile",
    "serve --upstream http://127.0.0.1:9 --record \"$(cat hostile)/x\"",
    "doctor",
    "doctor --upstream \"$(cat hostile)\"",
    "doctor --upstream http://127.0.0.1:1 --model \"$(cat hostile)\"",
    "completions \"$(cat hostile)\"",
];

/// The text without the colours of reports.
fn without_colors(shown: &str) -> String {
    let mut left = String::new();
    let mut pieces = shown.split("\x1b[");
    left.extend(pieces.next());
    for piece in pieces {
        match piece.split_once('m') {
            Some((numbers, rest)) if numbers.bytes().all(|b| b.is_ascii_digit() || b == b';') => {
                left.push_str(rest);
            }
            _ => left.extend(["\x1b[", piece]),
        }
    }
    left
}

/// Characters that a terminal obeys or does not show.
fn is_hostile(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[test]
fn no_command_lets_text_drive_the_terminal() {
    let mut faults = Vec::new();
    for colors in ["NO_COLOR=1", "NO_COLOR="] {
        for command in COMMANDS {
            let folder = tempfile::tempdir().expect("a folder");
            make(folder.path());
            let trust = "$TOOLGLOT tools trust t/hostile --root root >/dev/null 2>&1";
            let command = format!("export {colors}; {trust}; $TOOLGLOT {command}");
            let Some(terminal) = Terminal::open(&command, folder.path()) else {
                return;
            };
            let (shown, code) = terminal.ends();
            assert!(code.is_some_and(|code| code <= 2), "{command}: {shown}");
            // The terminal's own line breaks.
            let text = shown.replace("\r\n", "\n");
            let is_ours = colors == "NO_COLOR="
                && ["32mgreen", "8m", "30;40m"]
                    .iter()
                    .all(|foreign| !text.contains(&format!("\x1b[{foreign}")));
            let text = if is_ours { without_colors(&text) } else { text };
            if let Some(at) = text.find(is_hostile) {
                let from = (0..=at.saturating_sub(60))
                    .rev()
                    .find(|at| text.is_char_boundary(*at));
                let shown: String = text[from.unwrap_or(0)..].chars().take(120).collect();
                faults.push(format!("{command}: {shown:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A command without a test may forget to escape its output.
#[test]
fn every_command_is_tried() {
    let help = Command::new(env!("CARGO_BIN_EXE_toolglot"))
        .arg("--help")
        .output();
    let help = String::from_utf8(help.expect("it runs").stdout).expect("text");
    let (_, commands) = help.split_once("Commands:\n").expect("there are commands");
    let (commands, _) = commands.split_once("\n\n").expect("options follow");
    for line in commands.lines() {
        let name = line.split_whitespace().next().expect("a name");
        let is_tried = |command: &&str| command.split(' ').next() == Some(name);
        assert!(name == "help" || COMMANDS.iter().any(is_tried), "{name}");
    }
}

#[test]
fn a_pipe_gets_the_bytes_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    make(folder.path());
    let call = r#"<tool_call>{"name": "execute_command", "arguments": {"command": "cat hostile"}}</tool_call>"#;
    fs::write(folder.path().join("message"), call).expect("a file");
    let words = [
        "run",
        "--dialect",
        "hermes",
        "--root",
        "root",
        "--allow",
        "exec:cat",
        "--format",
        "text",
        "message",
    ];
    let output = Command::new(env!("CARGO_BIN_EXE_toolglot"))
        .args(words)
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .output()
        .expect("it runs");
    let answer = String::from_utf8(output.stdout).expect("text");
    assert!(
        answer.contains("\u{9b}2J>") || answer.contains("\\u009b"),
        "{answer:?}"
    );
    let output = Command::new(env!("CARGO_BIN_EXE_toolglot"))
        .args(["render", "--dialect", "tool_call", "calls"])
        .current_dir(folder.path())
        .output()
        .expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains(&hostile()), "{text:?}");
}
