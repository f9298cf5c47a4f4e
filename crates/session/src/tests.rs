//! Sessions on hand-made calls: what runs, what is refused, and by which rule.

use std::fs;

use crate::{AfterFailure, Policies};
use tempfile::TempDir;
use toolglot_engine::{CallHead, CallId, Calls, Dialect, End, Event, Place, Sink, Span};
use toolglot_toolset::Toolbox;
use toolglot_value::{Value, json};

use crate::message_session::MessageSession;
use crate::step::{State, Step};

/// A message in `dialect` that holds these calls and nothing else.
fn message(dialect: &str, calls: &[(&str, Value, End)]) -> Calls {
    let mut message = Calls::default();
    for (index, (name, arguments, end)) in calls.iter().enumerate() {
        let call = CallId(u32::try_from(index).expect("few calls"));
        let at = 10 * index as u64;
        let name_at = Span::empty(at);
        let place = Place::Answer;
        let head = CallHead {
            call,
            dialect,
            name,
            name_span: name_at,
            server: None,
            id: None,
            place,
        };
        message.event(Span::empty(at), Event::CallStart(head));
        let json = arguments.to_string();
        message.event(Span::new(at, at + 10), Event::Args { call, json: &json });
        message.event(Span::empty(at + 10), Event::CallEnd { call, end: *end });
    }
    message
}

/// A root with one file, and the settings of a session in it.
struct World {
    directory: TempDir,
    dialects: Vec<Dialect>,
    vocabulary: Toolbox,
    grants: String,
    after_failing_line: AfterFailure,
    many: bool,
    dry_run: bool,
}

impl World {
    fn new(grants: &str) -> World {
        let directory = tempfile::tempdir().expect("a directory");
        fs::write(directory.path().join("notes.txt"), "one\ntwo\n").expect("it is written");
        World {
            directory,
            dialects: toolglot_dialects::all().to_vec(),
            vocabulary: Toolbox::builtin("vocabulary").expect("it is built in"),
            grants: grants.to_owned(),
            after_failing_line: AfterFailure::Run,
            many: false,
            dry_run: false,
        }
    }

    fn run_as(
        &self,
        dialect: &str,
        calls: &[(&str, Value, End)],
        named: Option<&Toolbox>,
    ) -> Vec<Step> {
        self.run_message(&message(dialect, calls), named)
    }

    fn run_message(&self, message: &Calls, named: Option<&Toolbox>) -> Vec<Step> {
        let policies = Policies::usual(self.directory.path());
        let opened = crate::Session::builder(self.directory.path(), policies)
            .grants(self.grants.parse().expect("known words"))
            .without_journal()
            .dry_run(self.dry_run)
            .build()
            .expect("it is opened");
        let session = MessageSession {
            dialects: &self.dialects,
            named,
            vocabulary: &self.vocabulary,
            files: None,
            gate: opened.gate(None),
            after_failing_line: self.after_failing_line,
            many: self.many,
            spans: None,
            quoted: &[],
            is_empty_handed: false,
            cancel: None,
            functions: &[],
            repeated: &[],
        };
        session.steps(message)
    }

    fn run(&self, calls: &[(&str, Value)]) -> Vec<Step> {
        let calls: Vec<_> = calls
            .iter()
            .map(|(name, arguments)| (*name, arguments.clone(), End::Closed))
            .collect();
        self.run_as("hermes", &calls, None)
    }

    fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.directory.path().join(path)).ok()
    }
}

/// The rules that decided, in order.
fn rules(steps: &[Step]) -> Vec<&str> {
    steps.iter().map(|step| &*step.verdict.rule).collect()
}

#[test]
fn what_is_written_can_be_read_by_the_next_call() {
    let world = World::new("write");
    let steps = world.run(&[
        (
            "write_file",
            json!({"path": "new/a.txt", "content": "fresh"}),
        ),
        ("view_file", json!({"filename": "new/a.txt"})),
    ]);
    assert_eq!(rules(&steps), ["write-granted", "read-inside-root"]);
    let State::Done(outcome) = &steps[1].state else {
        panic!("{:?}", steps[1])
    };
    assert_eq!(outcome.output["content"], "fresh");
    assert_eq!(steps[1].call.tool, "read_file");
}

#[test]
fn without_a_grant_nothing_is_written() {
    let world = World::new("");
    let steps = world.run(&[("write_file", json!({"path": "notes.txt", "content": ""}))]);
    assert_eq!(rules(&steps), ["write-needs-grant"]);
    assert!(!steps[0].is_fine());
    assert_eq!(world.text("notes.txt").as_deref(), Some("one\ntwo\n"));
}

#[test]
fn a_write_is_done_once_however_its_path_is_spelled() {
    let world = World::new("write");
    let append = |path: &str| {
        let arguments = json!({"path": path, "content": "three\n"});
        ("append_file", arguments)
    };
    std::fs::create_dir(world.directory.path().join("sub")).expect("it is made");
    let steps = world.run(&[
        append("notes.txt"),
        append("./notes.txt"),
        append("sub/../notes.txt"),
        append("sub//../././notes.txt"),
    ]);
    assert_eq!(rules(&steps)[0], "write-granted");
    for rule in &rules(&steps)[1..] {
        assert_eq!(*rule, "repeated-write");
    }
    assert_eq!(
        world.text("notes.txt").as_deref(),
        Some("one\ntwo\nthree\n")
    );
}

#[test]
fn a_dry_run_changes_nothing() {
    let world = World {
        dry_run: true,
        ..World::new("write")
    };
    let steps = world.run(&[("write_file", json!({"path": "a.txt", "content": "x"}))]);
    assert!(matches!(steps[0].state, State::Planned), "{steps:?}");
    assert_eq!(world.text("a.txt"), None);
}

#[test]
fn half_a_call_and_a_mended_write_do_not_run() {
    let world = World::new("write");
    let write = json!({"path": "a.txt", "content": "x"});
    let calls = [
        ("write_file", write.clone(), End::Truncated),
        ("write_file", write, End::Recovered),
    ];
    let steps = world.run_as("hermes", &calls, None);
    assert_eq!(
        rules(&steps),
        ["truncated-never-runs", "recovered-needs-grant"]
    );
    assert_eq!(world.text("a.txt"), None);
}

#[test]
fn misfits_are_refused_with_the_reason() {
    let steps = World::new("").run(&[
        ("read_file", json!({"start_line": 1})),
        ("raed_file", json!({"path": "notes.txt"})),
        ("read_file", json!({"path": "notes.txt", "start_line": "x"})),
    ]);
    assert_eq!(
        rules(&steps),
        ["invalid-arguments", "unknown-tool", "invalid-arguments"]
    );
    assert!(
        steps[0].verdict.because.contains("`path`"),
        "{}",
        steps[0].verdict.because
    );
    assert!(
        steps[1].verdict.because.contains("`read_file`"),
        "{}",
        steps[1].verdict.because
    );
}

#[test]
fn an_equal_read_is_not_run_again_unless_something_was_written() {
    let read = ("read_file", json!({"path": "notes.txt"}));
    let write = ("write_file", json!({"path": "notes.txt", "content": "new"}));
    let steps = World::new("write").run(&[read.clone(), read.clone(), write, read]);
    assert!(matches!(steps[1].state, State::Repeated(0)), "{steps:?}");
    let State::Done(outcome) = &steps[3].state else {
        panic!("{:?}", steps[3])
    };
    assert_eq!(outcome.output["content"], "new");
}

#[test]
fn a_command_needs_a_grant_and_runs_in_the_root() {
    let command = |text: &str| ("bash", json!({"command": text}));
    let steps = World::new("write").run(&[command("touch x")]);
    assert_eq!(rules(&steps), ["command-needs-grant"]);
    let world = World::new("write,exec:cp,exec:cat,exec:false");
    if no_walls() {
        return;
    }
    let steps = world.run(&[
        command("cp notes.txt x && cat x"),
        command("cat notes.txt; touch y"),
        command("false || cat x | cat"),
        command("cd .. && cat x"),
        command("cd ."),
    ]);
    let expected = [
        "command-granted",
        "command-needs-grant",
        "command-granted",
        "command-granted",
        "command-granted",
    ];
    assert_eq!(rules(&steps), expected);
    let texts: Vec<&str> = steps
        .iter()
        .map(|step| match &step.state {
            State::Done(outcome) => outcome.text.as_str(),
            _ => "",
        })
        .collect();
    assert_eq!((texts[0], texts[2]), ("one\ntwo\n", "one\ntwo\n"));
    assert!(
        texts[3].contains("leads above the root") && texts[4].contains("`cwd`"),
        "{texts:?}"
    );
    assert_eq!(world.text("x").as_deref(), Some("one\ntwo\n"));
}

/// Whether the sandbox is missing here; a message reports it.
#[expect(clippy::print_stderr, reason = "what is skipped is said loudly")]
fn no_walls() -> bool {
    let missing =
        toolglot_sandbox::layers().level() != Some(toolglot_sandbox::Isolation::Namespaces);
    if missing {
        eprintln!("SKIPPED: there are no namespaces here");
    }
    missing
}

#[test]
fn lines_after_a_failing_one_run_or_are_skipped() {
    if no_walls() {
        return;
    }
    let lines = || {
        let mut message = message(
            "axe",
            &["false", "true"].map(|line| ("bash", json!({"command": line}), End::Closed)),
        );
        // Lines of one block have the span of the block.
        message.calls[1].span = message.calls[0].span;
        message
    };
    let mut world = World::new("exec:false,exec:true");
    assert_eq!(
        rules(&world.run_message(&lines(), None)),
        ["command-granted", "command-granted"]
    );
    world.after_failing_line = AfterFailure::Skip;
    assert_eq!(
        rules(&world.run_message(&lines(), None)),
        ["command-granted", "after-a-failing-line"]
    );
}

#[test]
fn a_question_ends_the_message() {
    let steps = World::new("").run(&[
        (
            "ask_followup_question",
            json!({"question": "Which?", "follow_up": ["a", "b"]}),
        ),
        ("read_file", json!({"path": "notes.txt"})),
    ]);
    assert!(matches!(steps[0].state, State::Pending), "{steps:?}");
    assert_eq!(rules(&steps), ["asks-the-user", "message-ended"]);
}

#[test]
fn roo_runs_one_call_per_message() {
    let read = ("read_file", json!({"path": "notes.txt"}), End::Closed);
    let list = ("list_files", json!({"path": "."}), End::Closed);
    let world = World::new("");
    let steps = world.run_as("roo", &[read.clone(), list.clone()], None);
    assert_eq!(rules(&steps), ["read-inside-root", "one-call-only"]);
    assert!(
        steps[1]
            .verdict
            .because
            .starts_with("Tool [list_files] was not executed because")
    );
    let world = World {
        many: true,
        ..world
    };
    let steps = world.run_as("roo", &[read, list], None);
    assert_eq!(rules(&steps), ["read-inside-root", "read-inside-root"]);
}

#[test]
fn swe_agent_runs_the_last_fence_of_a_message() {
    let read = ("read_file", json!({"path": "notes.txt"}), End::Closed);
    let list = ("list_files", json!({"path": "."}), End::Closed);
    let mut message = message("swe_agent", &[read.clone(), list, read]);
    for (n, call) in message.calls.iter_mut().enumerate() {
        call.span = toolglot_engine::Span::new(10 * n as u64, 10 * n as u64 + 9);
    }
    let steps = World::new("").run_message(&message, None);
    assert_eq!(
        rules(&steps),
        ["one-call-only", "one-call-only", "read-inside-root"]
    );
    // The calls of one block count as one call.
    for call in &mut message.calls {
        call.span = toolglot_engine::Span::new(0, 9);
    }
    let steps = World::new("").run_message(&message, None);
    assert_eq!(rules(&steps), ["read-inside-root"; 3]);
}

#[test]
fn only_named_tools_may_be_called() {
    let named =
        json!({"view": {"type": "object"}, "read_file": {"type": "object", "required": ["why"]}});
    let named = Toolbox::from_json(&named).expect("two tools");
    let calls = [
        ("list_files", json!({}), End::Closed),
        ("read_file", json!({"path": "notes.txt"}), End::Closed),
        ("view", json!({}), End::Closed),
    ];
    let steps = World::new("").run_as("hermes", &calls, Some(&named));
    assert_eq!(
        rules(&steps),
        ["unknown-tool", "invalid-arguments", "unknown-tool"]
    );
}

#[test]
fn a_tool_of_another_server_is_another_tool() {
    let mut message = message(
        "forge",
        &[("read_file", json!({"path": "notes.txt"}), End::Closed)],
    );
    message.calls[0].server = Some("github".to_owned());
    let world = World::new("");
    assert_eq!(
        rules(&world.run_message(&message, None)),
        ["unknown-server"]
    );
    message.calls[0].server = Some("local".to_owned());
    assert_eq!(
        rules(&world.run_message(&message, None)),
        ["read-inside-root"]
    );
}

#[cfg(unix)]
#[test]
fn nothing_leaves_the_root() {
    let world = World::new("write");
    std::os::unix::fs::symlink("/etc", world.directory.path().join("link")).expect("it is made");
    for path in ["../x", "/etc/hostname", "a/../../x", "link/hostname"] {
        let steps = world.run(&[
            ("read_file", json!({"path": path})),
            ("write_file", json!({"path": path, "content": "x"})),
        ]);
        assert_eq!(rules(&steps), ["path-outside-root"; 2], "{path}");
    }
}

#[test]
fn a_policy_that_changes_before_the_session_is_built_is_noticed() {
    let world = World::new("");
    let file = world.directory.path().join("p.toml");
    let write = |text: &str| fs::write(&file, format!("version = 1\n{text}")).expect("written");
    write("");
    let root = world.directory.path();
    let builder = crate::Session::builder(root, Policies::read(root, Some(&file)));
    let before = builder.stamp(root);
    assert!(!builder.clone().build().expect("opened").is_outdated());
    write("[limits]\ncost_per_run = 2.0\n");
    assert_ne!(builder.stamp(root), before);
    let late = builder.clone().build().expect("opened");
    assert!(late.is_outdated(), "its rules are those of before");
    let read = builder.reread().build().expect("opened");
    assert!(!read.is_outdated());
    // A project's own policy that comes later counts as well.
    fs::create_dir_all(root.join(".ai")).expect("made");
    fs::write(root.join(".ai/policy.toml"), "version = 1\n").expect("written");
    assert!(read.is_outdated());
}

#[test]
fn copies_of_a_builder_have_their_own_limit_of_costs() {
    let world = World::new("");
    let root = world.directory.path();
    let file = root.join("p.toml");
    let builder = crate::Session::builder(root, Policies::read(root, Some(&file)));
    let cap = |builder: &crate::SessionBuilder| {
        let session = builder.clone().build().expect("opened");
        session.runner.budget().cap
    };
    assert_eq!(cap(&builder), None);
    assert_eq!(cap(&builder.clone().max_cost(1.0)), Some(1.0));
    let limits = "version = 1\n[limits]\ncost_per_run = 0.5\n";
    fs::write(&file, limits).expect("written");
    assert_eq!(cap(&builder.clone().reread()), Some(0.5));
    assert_eq!(cap(&builder.max_cost(0.25).reread()), Some(0.25));
}
