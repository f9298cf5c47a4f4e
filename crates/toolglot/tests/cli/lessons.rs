//! The answer to a model about a call that was not run: the fault, its place, and the right form, each once.

use crate::cli::toolglot;

/// A message, the texts that its answer must contain once, and the texts that it must not contain.
struct Lesson {
    dialect: &'static str,
    message: &'static str,
    says: &'static [&'static str],
    is_silent_on: &'static [&'static str],
}

const FORM: &str = "The right form is:";

const LESSONS: &[Lesson] = &[
    Lesson {
        dialect: "tool_call",
        message: "TOOL_CALL:\n{\"tool\": \"write_file\", \"arguments\": {\"path\": \"app.js\", \"content\": \"let a = 1;\"",
        says: &[
            "The call of `write_file` was not run: its text is broken",
            "a closing bracket was supplied (line 2, after `",
            "\"content\": \"let a = 1;\"`)",
            FORM,
            "{\"tool\": \"write_file\", \"arguments\": {\"path\": \"src/main.rs\"",
        ],
        is_silent_on: &["grant", "--allow"],
    },
    Lesson {
        dialect: "forge",
        message: "<tool>\n<tool_name>write_file</tool_name>\n<arguments><path>a</path><content>x</contnt></arguments>\n</tool>",
        says: &[
            "`</content>` is missing; it was supplied (line 3, after `",
            "<content>x</contnt>`)",
            FORM,
            "<tool_name>write_file</tool_name>",
        ],
        is_silent_on: &["grant"],
    },
    Lesson {
        dialect: "roo",
        message: "<tool_name>\n<parameter_name>a</parameter_name>\n</tool_name>",
        says: &[
            "No tool was run: `tool_name` is a placeholder",
            "(line 1); also line 2: `parameter_name`",
            "write the tool's own name, and the names of its parameters",
            FORM,
        ],
        is_silent_on: &[],
    },
    // A quoted call: what was found, where, and the right form of the same tool.
    Lesson {
        dialect: "roo",
        message: "I read it.\n```yaml\n<read_file>\n<path>a.rs</path>\n</read_file>\n```\n",
        says: &[
            "No tool was run: `<read_file` is in quoted code",
            "(line 3)",
            "write the call outside of backticks",
            FORM,
            "<read_file>\n<path>",
        ],
        is_silent_on: &[],
    },
    Lesson {
        dialect: "auto",
        message: "I list.\n\n> {\"name\": \"list_files\", \"arguments\": {\"path\": \".\"}}\n",
        says: &[
            "No tool was run: a call of `list_files` is in quoted code",
            "(line 3",
            FORM,
            "\n{\"name\": \"list_files\", \"arguments\": {",
        ],
        is_silent_on: &[],
    },
    // Which dialect has the placeholder is data.
    Lesson {
        dialect: "auto",
        message: "<tool_name>\n<parameter_name>a</parameter_name>\n</tool_name>",
        says: &["No tool was run", FORM, "<read_file>\n<path>"],
        is_silent_on: &[],
    },
    Lesson {
        dialect: "roo",
        message: "<read_file>\n<parameter_name>a</parameter_name>\n</read_file>",
        says: &[
            "`parameter_name` is a placeholder for a parameter's name; its value was left out (line 2)",
            "add the required `path`",
            FORM,
        ],
        is_silent_on: &[],
    },
    Lesson {
        dialect: "roo",
        message: "<read_file attr=\"x\">\n<path>a</path>\n</read_file>",
        says: &[
            "expected `>`, found `attr=\"x\">` (line 1)",
            FORM,
            "<path>src/main.rs</path>",
        ],
        is_silent_on: &["a tool's name"],
    },
    Lesson {
        dialect: "roo",
        message: "<write_to_file>\nhere: a.txt\n</write_to_file>",
        says: &[
            "and a parameter's name, found `here: a.txt` (line 1)",
            FORM,
            "<content>\nHello!",
        ],
        is_silent_on: &["<!--", "read_file"],
    },
    // A read runs, and fails because of a repair of its text.
    Lesson {
        dialect: "roo",
        message: "Look:\n<read_file>\n<path>a</pth>\n</read_file>",
        says: &[
            "`a</pth>` does not exist",
            "the closer of `path` is missing; it was supplied (line 3, after `<path>a</pth>`)",
            FORM,
        ],
        is_silent_on: &[],
    },
    Lesson {
        dialect: "tool_call",
        message: "TOOL_CALL:\nwrite_file a.txt",
        says: &[
            "expected a JSON object, found `write_file a.txt` (line 1)",
            FORM,
            "\"content\"",
        ],
        is_silent_on: &["read_file"],
    },
    Lesson {
        dialect: "forge",
        message: "<tool>\n<arguments><path>a</path></arguments>\n</tool>",
        says: &[
            "`<tool> <arguments>` opens a call of `forge`, but no tool name follows",
            FORM,
        ],
        is_silent_on: &[],
    },
    // A faulty call beside a good call, and two forms under one heading.
    Lesson {
        dialect: "hermes",
        message: "<tool_call>\n{\"name\": \"list_files\", \"arguments\": {\"path\": \".\"}}\n</tool_call>\n<tool_call>\nwrite_file path=a\n</tool_call>",
        says: &[
            "a.txt",
            "This was not run: `<tool_call>`",
            "found `write_file path=a` (line 4)",
            FORM,
        ],
        is_silent_on: &["No tool was run"],
    },
    Lesson {
        dialect: "hermes",
        message: "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {}}\n</tool_call>\n<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"x\": 1}}\n</tool_call>",
        says: &[
            "The right forms are:",
            "{\"name\": \"read_file\"",
            "{\"name\": \"write_file\"",
            "leave out `x`",
        ],
        is_silent_on: &[FORM],
    },
    // Another name of the tool gives the form of the tool, not of the first tool in the list.
    Lesson {
        dialect: "hermes",
        message: "<tool_call>\n{\"name\": \"create_file\", \"arguments\": {\"content\": \"x\"}}\n</tool_call>",
        says: &["add the required `path`", "{\"name\": \"write_file\""],
        is_silent_on: &["read_file"],
    },
    // Only a known name would make these texts calls.
    Lesson {
        dialect: "auto",
        message: "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}",
        says: &[
            "No tool was run: unknown tool `get_weather`",
            "the tools are: read_file",
        ],
        is_silent_on: &[],
    },
];

#[test]
fn a_refusal_says_what_is_wrong_and_where_and_shows_the_right_form_once() {
    let root = tempfile::tempdir().expect("a directory");
    std::fs::write(root.path().join("a.txt"), "one\n").expect("it is written");
    let path = root.path().to_str().expect("the path is text");
    for lesson in LESSONS {
        let arguments = [
            "run",
            "--dialect",
            lesson.dialect,
            "--root",
            path,
            "--allow",
            "write",
            "--finish",
            "stop",
        ];
        let ran = toolglot(&arguments, lesson.message);
        for expected in lesson.says {
            assert_eq!(
                ran.out.matches(expected).count(),
                1,
                "{expected:?} in the answer to {:?}:\n{}",
                lesson.message,
                ran.out
            );
        }
        for other in lesson.is_silent_on {
            assert!(
                !ran.out.contains(other),
                "{other:?} in the answer to {:?}:\n{}",
                lesson.message,
                ran.out
            );
        }
        assert!(!root.path().join("a").exists(), "{:?}", lesson.message);
    }
}

/// Text that is not a call has no errors: an error keeps a call from running, and the exit code is 1.
#[test]
fn what_parse_calls_an_error_fails() {
    for (message, tools) in [
        (
            "<tool_name>\n<parameter_name>a</parameter_name>\n</tool_name>",
            false,
        ),
        (
            "<read_file>\n<parameter_name>a</parameter_name>\n</read_file>",
            false,
        ),
        ("<read_fil>\n<path>a</path>\n</read_fil>", false),
        ("<read_file x=\"1\">", false),
        ("<read_file>\n<path>a", false),
        ("<read_file>\n<path>a</path>\n", false),
        ("<read_file>\n<content>a</content>\n</read_file>", true),
        ("<read_file>\n<path>a</path>\n</read_file>", true),
    ] {
        let tools: &[&str] = if tools {
            &["--tools", "builtin:roo"]
        } else {
            &[]
        };
        let ran = toolglot(&[&["parse", "--dialect", "roo"], tools].concat(), message);
        let has_error = ran.out.contains("error[N");
        assert_eq!(ran.code, i32::from(has_error), "{message:?}:\n{}", ran.out);
    }
}

/// If a command fails because nothing may be written, the answer reports that, and the person sees the missing grant.
#[cfg(target_os = "linux")]
#[test]
fn a_command_that_may_not_write_is_told_so() {
    let root = tempfile::tempdir().expect("a directory");
    let path = root.path().to_str().expect("the path is text");
    let message =
        "TOOL_CALL:\n{\"tool\": \"execute_command\", \"arguments\": {\"command\": \"touch a\"}}";
    let run = [
        "run",
        "--dialect",
        "tool_call",
        "--root",
        path,
        "--allow",
        "exec:touch",
    ];
    let ran = toolglot(&run, message);
    assert_eq!(ran.code, 1, "{}", ran.out);
    // Some kernels have sandboxes that refuse with other words.
    if ran.out.contains("Read-only file system") {
        // The result contains the reason, and nothing repeats it.
        let reason = "commands change no files here";
        assert_eq!(ran.out.matches(reason).count(), 1, "{}", ran.out);
        assert!(!ran.out.contains("In your call"), "{}", ran.out);
        assert!(ran.err.contains("`--allow write` grants it"), "{}", ran.err);
    }
}
