//! Runs messages and calls in a small project, and checks the outcome.
//!
//! `scenarios/*.txt` are the cases. The lines above `--` are the settings and the messages; those below it are the
//! outcome. A case lists all lines of a kind (`step`, `file`, `log`, ..) in order, or none if the kind is not its
//! subject. `step` and `report` lines are always listed.
//!
//! | above | |
//! |---|---|
//! | `dialect NAMES`, `grants WORDS`, `policy LINE`, `policy_file PATH`, `approver yes\|no`, `in_code ignore`, `in_reasoning accept`, `reasoning_open`, `prompt_suffix TEXT`, `finish stop`, `dry`, `many`, `skip`, `cancelled`, `key` | the session; with `key` the user can sign; it reads Hermes |
//! | `function EFFECT` | a function `weather` of the embedding program |
//! | `file PATH TEXT`, `link PATH TARGET`, `home PATH TEXT` | below the root, where `notes.txt` is anyway, and in the user's home |
//! | `call NAME ARGUMENTS` | a call in a message; lines in a row make one message |
//! | `says TEXT` | a message |
//! | `direct NAME ARGUMENTS` | a call that the embedding program makes |
//! | `undo` | takes the latest run back |
//!
//! `\n` is a line break in texts, and `WEATHER` in a file the lines of a tool. `..` replaces a text that is a sentence:
//! other tests check the sentences.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolglot_engine::{Finish, InCode, InReasoning};
use toolglot_session::{
    AfterFailure, Approval, ApprovalRequest, Approver, Attempt, AuditLog, CallReport, CallSummary,
    Cancel, Effect, FileLog, LoggedResult, PathFact, Policies, ReadingSettings, Run, Session,
    SessionBuilder, State, Step, Tool, Verdict, undo,
};
use toolglot_tool_registry::{Spaces, Trust};
use toolglot_value::{Map, Value, json};

/// The file that every project has.
const NOTES: (&str, &str) = ("notes.txt", "one\ntwo\nthree\n");

/// A tool that is a file: `WEATHER` stands for its first lines. It sends a request to a local port without a listener.
const WEATHER: &str = r"tool_type: http
version: 1.0.0
category: say
executor_id: http_client
description: Tells the weather
tags: [sky]
requires: [net.http]
config: {url: 'http://127.0.0.1:9/'}
input_schema: {type: object, properties: {city: {type: string}}}
";

/// The path of the log file.
const LOG: &str = "log";

/// The environment variable with the home directory of a test.
const HOME: &str = "TOOLGLOT_TEST_HOME";

/// The outcome of a case, one line per event, in order.
#[derive(Clone, Default)]
struct Outcome(Arc<Mutex<Vec<String>>>);

impl Outcome {
    fn add(&self, kind: &str, line: impl std::fmt::Display) {
        let line = format!("{kind} {line}").replace('\n', "\\n");
        let line = line.trim_end().to_owned();
        self.0.lock().expect("nobody panics").push(line);
    }
}

struct Log(Outcome);

impl AuditLog for Log {
    fn before(
        &self,
        call: &CallSummary<'_>,
        verdict: &Verdict,
        paths: &[PathFact],
    ) -> io::Result<()> {
        let paths: Vec<&str> = paths.iter().map(|path| path.written.as_str()).collect();
        let line = format!(
            "before {} by {} at [{}]",
            call.tool(),
            verdict.rule,
            paths.join(", ")
        );
        self.0.add("log", line);
        Ok(())
    }

    fn after(
        &self,
        call: &CallSummary<'_>,
        verdict: &Verdict,
        result: &LoggedResult<'_>,
        _: Duration,
    ) -> io::Result<()> {
        let state = if result.ok { "fine" } else { "failed" };
        let error = result
            .error
            .map_or(String::new(), |error| format!(", {}", brief(error)));
        let line = format!("after {} by {}: {state}{error}", call.tool(), verdict.rule);
        self.0.add("log", line);
        Ok(())
    }

    fn attempt(&self, call: &CallSummary<'_>, _: &Verdict, attempt: &Attempt) -> io::Result<()> {
        let state = if attempt.success { "fine" } else { "failed" };
        let line = format!("attempt {} of {}: {state}", attempt.number, call.tool());
        self.0.add("log", line);
        Ok(())
    }

    fn refused(&self, call: &CallSummary<'_>, verdict: &Verdict, _: Duration) -> io::Result<()> {
        self.0.add(
            "log",
            format!("refused {} by {}", call.tool(), verdict.rule),
        );
        self.0.add("logged", call.canonical());
        Ok(())
    }
}

/// Gives every request the same answer, and records the request.
struct Always(Approval, Outcome);

impl Approver for Always {
    fn ask(&self, request: &ApprovalRequest<'_>) -> Approval {
        let call = request.call();
        let notes: Vec<&str> = request
            .notes()
            .iter()
            .map(|note| note.code.name())
            .collect();
        let calls = request.message().map_or(0, |message| message.calls.len());
        let rule = &request.verdict().rule;
        let line = format!(
            "{} by {rule}, notes [{}], one of {calls}",
            call.canonical(),
            notes.join(", ")
        );
        self.1.add("asked", line);
        if let Some(diff) = call.diff() {
            self.1.add("diff", diff);
        }
        self.0
    }
}

/// A function of the embedding program.
struct Weather(Effect);

impl Tool for Weather {
    fn name(&self) -> &'static str {
        "weather"
    }

    fn parameters(&self) -> Value {
        let properties =
            json!({"city": {"type": "string"}, "days": {"type": "integer", "default": 1}});
        json!({"type": "object", "properties": properties, "required": ["city"]})
    }

    fn effect(&self, _: &Map<String, Value>) -> Effect {
        self.0
    }

    fn call(&self, arguments: &Map<String, Value>, _: &Cancel) -> Result<Value, String> {
        match arguments["city"].as_str() {
            Some("Nowhere") => Err("unknown city".to_owned()),
            Some("Atlantis") => Ok(json!({"depth": [1, {"unit": "m"}]})),
            city => Ok(json!(city)),
        }
    }
}

fn with_line_breaks(text: &str) -> String {
    text.replace("\\n", "\n")
}

/// One scenario: its title, its settings, and its expected outcome.
struct Scenario<'a> {
    title: &'a str,
    given: Vec<(&'a str, &'a str)>,
    expected: Vec<&'a str>,
}

impl<'a> Scenario<'a> {
    fn new(text: &'a str) -> Scenario<'a> {
        let (title, rest) = text.split_once('\n').expect("a title");
        let (given, expected) = rest.split_once("--\n").expect("a line `--`");
        let lines = |text: &'a str| text.lines().filter(|line| !line.is_empty());
        Scenario {
            title,
            given: lines(given)
                .map(|line| line.split_once(' ').unwrap_or((line, "")))
                .collect(),
            expected: lines(expected).collect(),
        }
    }

    fn all(&self, key: &str) -> impl Iterator<Item = &'a str> {
        let all = self.given.iter().filter(move |(name, _)| *name == key);
        all.map(|(_, value)| *value)
    }

    fn one(&self, key: &str) -> Option<&'a str> {
        self.all(key).last()
    }

    fn is(&self, key: &str) -> bool {
        self.one(key).is_some()
    }

    /// Commands need the sandbox.
    fn runs_commands(&self) -> bool {
        self.one("grants")
            .is_some_and(|grants| grants.contains("exec:"))
            && !self.is("dry")
    }

    fn builder(&self, root: &Path, journals: &Path, outcome: &Outcome) -> SessionBuilder {
        let policy: Vec<&str> = self.all("policy").collect();
        let policies = if let Some(file) = self.one("policy_file") {
            Policies::read(root, Some(&root.join(file)))
        } else if policy.is_empty() {
            Policies::discover(root)
        } else {
            Policies::of_text(root, &format!("version = 1\n{}", policy.join("\n")))
        };
        for fault in policies.faults() {
            outcome.add("fault", without_sentences(&fault));
        }
        let names = self.one("dialect").unwrap_or("hermes").split(',');
        let dialects = names.map(|name| toolglot_dialects::get(name).expect("it is built in"));
        let mut builder = Session::builder(root, policies)
            .dialects(dialects.cloned().collect())
            .grants(
                self.one("grants")
                    .unwrap_or_default()
                    .parse()
                    .expect("known words"),
            )
            .dry_run(self.is("dry"))
            .many(self.is("many"));
        if !self.is("own_journal") {
            builder = builder.journal(journals);
        }
        builder = match self.one("log_file") {
            Some(what) => builder.audit(FileLog::new(&root.join(LOG), what == "values")),
            None => builder.audit(Log(outcome.clone())),
        };
        if let Some(answer) = self.one("approver") {
            let answer = if answer == "yes" {
                Approval::Yes
            } else {
                Approval::No
            };
            builder = builder.approver(Always(answer, outcome.clone()));
        }
        let mut reading = ReadingSettings::default();
        if self.is("in_code") {
            reading.in_code = InCode::Ignore;
        }
        if self.is("in_reasoning") {
            reading.in_reasoning = InReasoning::Accept;
        }
        reading.reasoning_open = self.is("reasoning_open");
        reading.prompt_suffix = self.one("prompt_suffix").map(with_line_breaks);
        reading.finish = self.one("finish").map(|_| Finish::Stop);
        builder = builder.reading(reading);
        if self.is("skip") {
            builder = builder.after_failing_line(AfterFailure::Skip);
        }
        for warning in builder.warnings() {
            outcome.add("warning", without_sentences(warning));
        }
        if let Some(effect) = self.one("function") {
            builder = builder.function(Weather(match effect {
                "read" => Effect::Read,
                "write" => Effect::Write,
                _ => Effect::Unknown,
            }));
        }
        builder
    }

    /// The outcome of the scenario, in lines.
    fn outcome(&self, home: &Path) -> Vec<String> {
        // Removes what the previous scenario left.
        let _ = fs::remove_dir_all(home);
        fs::create_dir_all(home).expect("made");
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().canonicalize().expect("it is there");
        write(&root, NOTES.0, NOTES.1);
        for (key, below) in [("file", &*root), ("home", home)] {
            for file in self.all(key) {
                let (path, text) = file.split_once(' ').expect("a path and a text");
                write(
                    below,
                    path,
                    &with_line_breaks(text).replace("WEATHER", WEATHER),
                );
            }
        }
        #[cfg(unix)]
        for link in self.all("link") {
            let (path, target) = link.split_once(' ').expect("a path and a target");
            std::os::unix::fs::symlink(target, root.join(path)).expect("made");
        }
        if self.is("key") {
            let mut trust = Trust::open(&Spaces::of(&root)).expect("opened");
            trust.new_key("a user").expect("made");
        }
        let outcome = Outcome::default();
        if self.is("broken_journal") {
            write(home, "journals", "");
        }
        let journals = match toolglot_session::journals() {
            Some(own) if self.is("own_journal") => own,
            _ => home.join("journals"),
        };
        let session = self
            .builder(&root, &journals, &outcome)
            .build()
            .expect("opened");
        if self.is("cancelled") {
            session.cancel();
        }
        let mut message = String::new();
        let mut given = self.given.iter().peekable();
        while let Some((key, value)) = given.next() {
            match *key {
                "call" => {
                    let (name, arguments) = value.split_once(' ').expect("a name and arguments");
                    write!(message, "<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {arguments}}}\n</tool_call>\n")
                        .expect("a string takes all");
                    if given.peek().is_none_or(|(next, _)| *next != "call") {
                        add_run(
                            &session
                                .run(std::mem::take(&mut message))
                                .expect("a program"),
                            &outcome,
                        );
                    }
                }
                "says" => add_run(
                    &session.run(with_line_breaks(value)).expect("a program"),
                    &outcome,
                ),
                "direct" => {
                    let (name, arguments) = value.split_once(' ').expect("a name and arguments");
                    let arguments = serde_json::from_str(arguments).expect("an object");
                    add_report(&session.call(name, arguments), &outcome);
                }
                "undo" => {
                    let undone = undo(&journals, session.root(), None, false);
                    let report = undone.expect("there is a run");
                    for (what, path) in report.steps {
                        outcome.add("undone", format!("{what} {}", path.display()));
                    }
                    for tool in report.remaining {
                        outcome.add("undone", format!("without {tool}"));
                    }
                }
                _ => {}
            }
        }
        if self.is("log_file") {
            add_log(&root.join(LOG), &outcome);
        }
        for (path, text) in files(&root) {
            if path != NOTES.0 || text != NOTES.1 {
                outcome.add("file", format!("{path} {text}"));
            }
        }
        if !root.join(NOTES.0).exists() {
            outcome.add("gone", NOTES.0);
        }
        let lines = outcome.0.lock().expect("nobody panics");
        let root = &*root.to_string_lossy();
        lines
            .iter()
            .map(|line| line.replace(root, "ROOT"))
            .collect()
    }

    /// The fault of the outcome, if there is one.
    fn fault(&self, home: &Path) -> Option<String> {
        let outcome = self.outcome(home);
        let mut kinds = vec!["step", "report", "fault"];
        kinds.extend(self.expected.iter().map(|line| kind(line)));
        let none = self
            .expected
            .iter()
            .filter_map(|line| line.strip_prefix("no "));
        kinds.extend(none.clone());
        for kind_of in kinds {
            let wanted = self.expected.iter().filter(|line| kind(line) == kind_of);
            let found = outcome.iter().filter(|line| kind(line) == kind_of);
            if kind_of != "no" && !wanted.copied().eq(found) {
                let title = self.title;
                return Some(format!("== {title}: {kind_of}\n{}", outcome.join("\n")));
            }
        }
        None
    }
}

/// The first word of a line.
fn kind(line: &str) -> &str {
    line.split(' ').next().unwrap_or_default()
}

fn write(below: &Path, path: &str, text: &str) {
    let path = below.join(path);
    fs::create_dir_all(path.parent().expect("it has one")).expect("made");
    fs::write(path, text).expect("written");
}

/// All files below `root`, without `.ai` and without link targets.
fn files(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut directories: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("readable") {
            let entry = entry.expect("readable");
            let (path, kind) = (entry.path(), entry.file_type().expect("known"));
            let name = path
                .strip_prefix(root)
                .expect("inside")
                .display()
                .to_string();
            if kind.is_dir() && name != ".ai" {
                directories.push(path);
            } else if kind.is_file() {
                found.push((name, fs::read_to_string(&path).expect("readable")));
            }
        }
    }
    found.sort();
    found
}

/// `..` instead of a text that is a sentence.
fn without_sentences(text: &str) -> String {
    let is_sentence = text.split(' ').count() > 4 && !text.starts_with(['<', '{', '[']);
    if is_sentence {
        "..".to_owned()
    } else {
        text.to_owned()
    }
}

/// A value with `..` instead of its sentences.
fn brief(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(without_sentences(text)),
        Value::Array(items) => items.iter().map(brief).collect(),
        Value::Object(members) => {
            let members = members.iter();
            Value::Object(
                members
                    .map(|(name, value)| (name.clone(), brief(value)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

/// Adds the lines of a log without the parts that differ in each run.
fn add_log(file: &Path, outcome: &Outcome) {
    for line in fs::read_to_string(file).expect("readable").lines() {
        let mut line: Map<String, Value> = serde_json::from_str(line).expect("JSON");
        let call = line["call"].as_str().expect("a hash").len();
        outcome.add("hash", call);
        let kept = [
            "event",
            "tool",
            "arguments",
            "decision",
            "rule",
            "because",
            "paths",
            "result",
            "number",
        ];
        line.retain(|name, _| kept.contains(&name.as_str()));
        if let Some(result) = line.get_mut("result").and_then(Value::as_object_mut) {
            result.remove("sha256");
            // The length of a sentence does not matter.
            if result["ok"] == json!(false) {
                result.remove("bytes");
            }
        }
        outcome.add("line", brief(&Value::Object(line)));
    }
}

fn add_step(step: &Step, outcome: &Outcome) {
    let state = match &step.state {
        State::Done(done) if done.ok => "done".to_owned(),
        State::Done(_) => "failed".to_owned(),
        State::Repeated(first) => format!("repeats {first}"),
        other => other.word().to_owned(),
    };
    let verdict = format!("{} {}", step.verdict.decision.word(), step.verdict.rule);
    outcome.add("step", format!("{}: {verdict}, {state}", step.call.tool));
    outcome.add("arguments", Value::Object(step.call.arguments.clone()));
    if let State::Done(done) = &step.state {
        outcome.add("output", brief(&done.output));
    }
    if let Some(text) = step.text() {
        outcome.add("text", without_sentences(&text));
    }
    for note in &step.notes {
        outcome.add("note", note.code.name());
    }
    for remark in &step.remarks {
        outcome.add("remark", without_sentences(remark));
    }
    if !step.lesson.reasons.is_empty() {
        outcome.add("reasons", step.lesson.reasons.len());
    }
    if let Some(form) = &step.lesson.form {
        outcome.add("form", form);
    }
}

fn add_run(run: &Run, outcome: &Outcome) {
    for step in &run.steps {
        add_step(step, outcome);
        for note in &step.notes {
            let place = note.span.start as usize..note.span.end as usize;
            outcome.add("place", &run.text[place]);
        }
        outcome.add(
            "rendered",
            run.rendered(step).map_or(0, |text| text.lines().count()),
        );
    }
    for note in &run.message.notes {
        outcome.add("noted", note.code.name());
    }
    for line in run.answer.lines() {
        outcome.add("answer", without_sentences(line));
    }
    if let Some(problem) = &run.journal_problem {
        outcome.add("journal", without_sentences(problem));
    }
    let state = if run.is_fine() { "fine" } else { "not fine" };
    outcome.add("run", state);
    if let Some(at) = run.pending() {
        outcome.add("pending", at);
    }
}

fn add_report(report: &CallReport, outcome: &Outcome) {
    match report {
        CallReport::Unfit(error) => outcome.add("report", format!("unfit {}", error.code())),
        CallReport::Refused(verdict) => {
            outcome.add("report", format!("refused {}", verdict.rule));
        }
        CallReport::Planned(verdict, call) => {
            outcome.add(
                "report",
                format!("planned {} {}", verdict.rule, call.chain.join(" ")),
            );
        }
        CallReport::Steps(steps) => steps.iter().for_each(|step| add_step(step, outcome)),
        CallReport::Done(verdict, called) => match &**called {
            Ok(called) => {
                let state = if called.returned.success {
                    "done"
                } else {
                    "failed"
                };
                outcome.add("report", format!("{state} {}", verdict.rule));
            }
            Err(error) => outcome.add("report", format!("stopped {}", error.code())),
        },
    }
    outcome.add("fine", report.is_fine());
    outcome.add("reported", without_sentences(&report.text()));
}

/// Runs the scenarios of a file, in a process with its own home directory.
fn check(test: &str, scenarios: &str) {
    let Some(home) = std::env::var_os(HOME) else {
        let home = tempfile::tempdir().expect("a directory");
        let run = Command::new(std::env::current_exe().expect("it runs"))
            .args(["--exact", test, "--nocapture"])
            .envs([(HOME, home.path()), ("HOME", home.path())])
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .output()
            .expect("it starts");
        let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(run.status.success(), "{stderr}");
        let skipped = stderr.lines().filter(|line| line.starts_with("SKIPPED"));
        skipped.for_each(|line| writeln!(std::io::stderr(), "{line}").expect("written"));
        return;
    };
    let scenarios = scenarios.strip_prefix("== ").expect("a title");
    let has_sandbox =
        toolglot_sandbox::layers().level() == Some(toolglot_sandbox::Isolation::Namespaces);
    let (can_run, skipped): (Vec<_>, Vec<_>) = scenarios
        .split("\n== ")
        .map(Scenario::new)
        .partition(|scenario| has_sandbox || !scenario.runs_commands());
    if !skipped.is_empty() {
        let n = skipped.len();
        let what = format!("{n} scenarios of {test} that run commands (there are no namespaces)");
        writeln!(std::io::stderr(), "SKIPPED: {what}").expect("written");
    }
    let faults = can_run.iter();
    let faults = faults.filter_map(|scenario| scenario.fault(Path::new(&home)));
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// One test per file.
macro_rules! scenarios {
    ($($name:ident),*) => {$(
        #[test]
        fn $name() {
            let test = concat!("scenarios::", stringify!($name));
            check(test, include_str!(concat!("scenarios/", stringify!($name), ".txt")));
        }
    )*};
}

scenarios!(
    builtin_tools,
    doubts,
    misfits,
    tool_files,
    verbs,
    functions,
    policies,
    copied_markers,
    answers,
    direct_calls
);
