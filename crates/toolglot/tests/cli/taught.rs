//! Messages in the form that the documents of the five systems teach are read as written, without notes: under the
//! system's own tools, under the common names, or without either.

use crate::cli::toolglot;

const FORGE: &[&str] = &[
    "<tool>\n<server_name>local</server_name>\n<tool_name>write_to_file</tool_name>\n<arguments>\n  <path>src/lib.go</path>\n  <content><![CDATA[package lib\n\nvar A = \"<a> & b\"]]></content>\n</arguments>\n</tool>",
    "<tool>\n<server_name>local</server_name>\n<tool_name>task_completion</tool_name>\n<arguments>\n  <result>All tests pass</result>\n</arguments>\n</tool>",
    "<tool>\n<server_name>local</server_name>\n<tool_name>search_files</tool_name>\n<arguments>\n  <path>src</path>\n  <pattern>\\.go$</pattern>\n  <exclude>vendor</exclude>\n  <exclude>dist</exclude>\n</arguments>\n</tool>",
    "<tool>\n<server_name>local</server_name>\n<tool_name>search_files</tool_name>\n<arguments>\n  <path>src</path>\n  <pattern><![CDATA[func.*\\(.*\\)]]></pattern>\n  <file_pattern>*.go</file_pattern>\n</arguments>\n</tool>",
    "<tool>\n<server_name>local</server_name>\n<tool_name>execute_command</tool_name>\n<arguments>\n  <command>go test</command>\n  <working_dir>./lib</working_dir>\n</arguments>\n</tool>",
    "<tool>\n<server_name>local</server_name>\n<tool_name>read_file</tool_name>\n<arguments>\n  <path>src/lib.go</path>\n  <line_start>007</line_start>\n  <line_end>40</line_end>\n</arguments>\n</tool>",
    "<tool>\n<server_name>local</server_name>\n<tool_name>list_files</tool_name>\n<arguments>\n  <path>src</path>\n  <recursive>TRUE</recursive>\n</arguments>\n</tool>",
];

/// A list that wraps its items is an object if no schema declares a list.
const FORGE_WITH_TOOLS: &[&str] = &[
    "<tool>\n<server_name>local</server_name>\n<tool_name>apply_diff</tool_name>\n<arguments>\n  <path>src/lib.go</path>\n  <edits>\n    <edit>\n      <search>a</search>\n      <replace><![CDATA[b < c]]></replace>\n    </edit>\n    <edit>\n      <search>d</search>\n      <replace>e</replace>\n    </edit>\n  </edits>\n</arguments>\n</tool>",
];

const ROO: &[&str] = &[
    "<read_file>\n    <path>src/main.js</path>\n    <start_line>3</start_line>\n    <end_line>12</end_line>\n</read_file>",
    "<ask_followup_question>\n    <question>Which file do you mean?</question>\n    <follow_up>\n        <suggest>src/a.js</suggest>\n        <suggest>src/b.js</suggest>\n    </follow_up>\n</ask_followup_question>",
    "<write_to_file>\n<path>a.md</path>\n<content>\n# Title\n</content>\n</write_to_file>",
];

const AXE: &[&str] = &[
    "<function_calls>\n<invoke name=\"read_file\">\n<parameter name=\"file_path\">src/a.txt</parameter>\n</invoke>\n</function_calls>",
    "<function_calls>\n<invoke name=\"write_file\">\n<parameter name=\"file_path\">a.txt</parameter>\n<parameter name=\"content\">Text</parameter>\n</invoke>\n</function_calls>",
    "<function_calls>\n<invoke name=\"append_file\">\n<parameter name=\"file_path\">a.log</parameter>\n<parameter name=\"content\">Text</parameter>\n</invoke>\n</function_calls>",
    "<function_calls>\n<invoke name=\"shell\">\n<parameter name=\"command\">ls -l</parameter>\n</invoke>\n</function_calls>",
    "<function_calls>\n<invoke name=\"list_dir\">\n<parameter name=\"path\">.</parameter>\n</invoke>\n</function_calls>",
    "<bash>ls -l</bash>",
    "<read_file>a.txt</read_file>",
    "<shell>ls -l</shell>",
    "<write_file path=\"a.txt\">Text</write_file>",
    "```READ a.txt```",
    "```EXEC ls -l```",
    "```WRITE a.txt\nText\n```",
];

const TOOL_CALL: &[&str] = &[
    "TOOL_CALL:\n{\n  \"tool\": \"list_files\",\n  \"arguments\": {\n    \"path\": \".\"\n  }\n}",
    "TOOL_CALL:\n{\n  \"tool\": \"write_file\",\n  \"arguments\": {\n    \"path\": \"src/a.js\",\n    \"content\": \"let a = 1;\\n\"\n  }\n}",
    "TOOL_CALL:\n{\n  \"tool\": \"create_directory\",\n  \"arguments\": {\n    \"path\": \"src/parts\"\n  }\n}",
    "TOOL_CALL:\n{\n  \"tool\": \"execute_command\",\n  \"arguments\": {\n    \"command\": \"npm test\"\n  }\n}",
    "{\"tool\": \"git_status\", \"arguments\": {}}",
    "<tool_call>\n  <tool_name>write_file</tool_name>\n  <arguments>{\"path\": \"a.js\", \"content\": \"...\"}</arguments>\n</tool_call>",
];

const RYE: &[&str] = &[
    "<invoke name=\"rye_execute\">\n<parameter name=\"item_id\">demo/tool</parameter>\n<parameter name=\"note\">a < b & c</parameter>\n</invoke>",
];

#[test]
fn what_the_systems_teach_is_read_without_a_remark() {
    let mut noted = Vec::new();
    for (dialect, messages) in [
        ("forge", FORGE),
        ("roo", ROO),
        ("axe", AXE),
        ("tool_call", TOOL_CALL),
        ("rye_invoke", RYE),
    ] {
        for message in messages {
            noted.extend(remarks(dialect, message, &["--normalize"]));
            noted.extend(remarks(dialect, message, &[]));
            if dialect != "rye_invoke" {
                let tools = format!("builtin:{dialect}");
                noted.extend(remarks(dialect, message, &["--tools", &tools]));
            }
        }
    }
    for message in FORGE_WITH_TOOLS {
        noted.extend(remarks("forge", message, &["--tools", "builtin:forge"]));
    }
    assert!(noted.is_empty(), "{}", noted.join("\n"));
}

/// The notes on the message, if there are any.
fn remarks(dialect: &str, message: &str, options: &[&str]) -> Option<String> {
    let parse = [
        "parse",
        "--dialect",
        dialect,
        "--format",
        "json",
        "--strict",
    ];
    let ran = toolglot(&[&parse, options].concat(), message);
    let document = ran.json();
    let n_calls = document["calls"].as_array().map_or(0, Vec::len);
    (ran.code != 0 || n_calls != 1)
        .then(|| format!("{dialect} {options:?} {message}: {}", document["notes"]))
}
