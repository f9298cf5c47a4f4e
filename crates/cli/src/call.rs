//! `toolglot call`: one tool that is a file, by its id.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use toolglot::End;
use toolglot_exec::{Journal, ProgramSandbox, Root};
use toolglot_policy::{Authority, Decision, Level, ServerRules, Verdict};
use toolglot_runtimes::{
    Budget, CallError, Called, Cancel, Host, Interpreters, Progress, Servers, Watch,
};

use crate::allowed::Allowed;
use crate::approval::{Approver, Shown};
use crate::args::PolicyArguments;
use crate::audit::{self, Auditor, Came};
use crate::failure::Failure;
use crate::gate::{Asked, Gate, Passed};
use crate::human::screen;
use crate::parse::write_line;
use crate::run::undo;
use crate::{Outcome, authority, gate, interrupt, source};

#[derive(Debug, Args)]
pub(crate) struct CallArguments {
    /// The tool's id, or ID.ACTION
    pub(crate) id: String,
    /// Its arguments, a JSON object; @FILE reads a file, @- standard input
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub(crate) args: String,
    /// The project: the directory that holds .ai
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    /// What the tool may do beyond reading: write, net, exec:bash, or capabilities such as shell.execute, by commas
    #[arg(long, value_name = "GRANTS", default_value = "")]
    pub(crate) allow: Allowed,
    /// A policy file; without it that of the user, and without one the usual rules. The project's narrows it in any case
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// A log to which is appended what is decided and done; also by the variable `TOOLGLOT_AUDIT`
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Put the arguments themselves into the log, secrets masked, and not only their sizes
    #[arg(long)]
    pub(crate) audit_values: bool,
    #[command(flatten)]
    pub(crate) walls: Walls,
    /// Check everything and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// What to write
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: CallFormat,
}

/// An amount: a number from 0, which `nan` is not.
fn amount(text: &str) -> Result<f64, String> {
    let amount: f64 = text.parse().map_err(|_| "no number".to_owned())?;
    if amount.is_finite() && amount >= 0.0 {
        Ok(amount)
    } else {
        Err("no amount: write a number from 0".to_owned())
    }
}

/// How tools that are files are run; `call` and `run` share it.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Walls {
    /// How strong the sandbox of programs is; where the policy states a level, only a stronger one counts
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) sandbox: Option<SandboxWord>,
    /// What the calls may cost together, in the currency of the tools
    #[arg(long, value_name = "AMOUNT", value_parser = amount)]
    pub(crate) max_cost: Option<f64>,
    /// Tell on standard error how far a tool is, and what it says there
    #[arg(long)]
    pub(crate) progress: bool,
}

impl Walls {
    /// The level that the command line asks for.
    pub(crate) fn level(&self) -> Option<Level> {
        self.sandbox.map(Into::into)
    }

    /// Who watches the calls.
    pub(crate) fn watch(&self, cancel: &Cancel) -> Watch {
        Watch {
            cancel: Some(cancel.clone()),
            progress: self.progress.then(|| Arc::new(told_on_stderr) as _),
        }
    }
}

/// One line for a step; what the tool itself says as it says it. Nothing is lost where standard error is closed.
fn told_on_stderr(progress: Progress) {
    let mut out = screen::stderr();
    let _ = match progress {
        Progress::Attempt(number) => writeln!(out, "attempt {number}"),
        Progress::Waiting(delay) => writeln!(out, "failed; again in {} s", delay.as_secs_f64()),
        Progress::Said(said) => write!(out, "{said}"),
        Progress::At {
            done,
            total,
            message,
        } => {
            let total = total
                .map(|total| format!(" of {total}"))
                .unwrap_or_default();
            let message = message
                .map(|message| format!(": {message}"))
                .unwrap_or_default();
            writeln!(out, "{done}{total}{message}")
        }
        Progress::Log {
            level,
            logger,
            data,
        } => {
            let logger = logger
                .map(|logger| format!(" ({logger})"))
                .unwrap_or_default();
            let data = data
                .as_str()
                .map_or_else(|| data.to_string(), str::to_owned);
            writeln!(out, "{level}{logger}: {data}")
        }
        _ => Ok(()),
    };
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CallFormat {
    /// What the tool returned, as JSON
    #[default]
    Result,
    /// The whole record of the call, as JSON
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxWord {
    /// Limits only, and nothing left behind
    Plain,
    /// Files and system calls
    Landlock,
    /// And processes, mounts and network of its own
    Namespaces,
}

impl From<SandboxWord> for Level {
    fn from(word: SandboxWord) -> Level {
        match word {
            SandboxWord::Plain => Level::Plain,
            SandboxWord::Landlock => Level::Landlock,
            SandboxWord::Namespaces => Level::Namespaces,
        }
    }
}

/// Calls a tool.
pub(crate) fn call(arguments: &CallArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let given = given(&arguments.args)?;
    let project = project(&arguments.root)?;
    let root = Root::open(&project).map_err(|error| source::failed(&project, error))?;
    let policy = PolicyArguments {
        policy: arguments.policy.clone(),
        allow: arguments.allow.grants.clone(),
    };
    authority::named(&policy)?;
    let log_place = audit::place(arguments.audit.as_deref());
    let authority = authority::load(&policy, root.path(), log_place.as_deref());
    let (registry, trust) = gate::open(&project, &authority)?;
    let mut host = host(
        &registry,
        &trust,
        project,
        arguments.allow.capabilities(),
        &arguments.walls,
    );
    host.budget = budget(&arguments.walls, &authority);
    host.server_rules = authority.server_rules();
    let cancel = interrupt::cancel().map_err(Failure::Signals)?;
    let level = arguments.walls.level();
    host.sandbox = authority::sandbox(&authority, level, Some(&cancel));
    let root = root.with_sandbox(host.sandbox.clone());
    host.watch = arguments.walls.watch(&cancel);
    let auditor = log_place.map(|place| Auditor::new(&place, arguments.audit_values));
    let journal = undo::journals()
        .filter(|_| !arguments.dry_run)
        .map(|place| Journal::new(&place, root.path()));
    let gate = Gate {
        root: &root,
        authority: &authority,
        approver: Approver::here(),
        auditor: auditor.as_ref(),
        journal: journal.as_ref(),
        dry_run: arguments.dry_run,
        seen: None,
    };
    let asked = Asked {
        id: &arguments.id,
        arguments: given.clone(),
        // Who writes the call on a command line wrote all of it.
        end: End::Closed,
        n_before: 0,
        is_repeat: false,
    };
    let started = Instant::now();
    let passed = gate.pass(&host, asked);
    if let Some(auditor) = &auditor {
        let shown = Shown {
            root: &root,
            tool: &arguments.id,
            arguments: &given,
        };
        // What is done cannot be undone by a log that fails now: it said what would be done before.
        let _ = log(auditor, &shown, &passed, started.elapsed());
    }
    let (json, outcome) = told(passed, arguments);
    write_line(out, &json).map_err(Failure::Output)?;
    Ok(if cancel.is_cancelled() {
        Outcome::Interrupted
    } else {
        outcome
    })
}

/// What came of the call, for whoever called.
fn told(passed: Passed, arguments: &CallArguments) -> (Value, Outcome) {
    let id = arguments.id.as_str();
    match passed {
        Passed::Unfit(error) => (refusal(id, &error), Outcome::Faulty),
        Passed::Refused(verdict) => {
            let mut json = json!({
                "success": false, "error": verdict.because, "code": verdict.rule, "id": id,
                "decision": verdict.decision.word(),
            });
            if verdict.rule == "not-granted" {
                json["help"] = json!("`--allow` grants it, as does a rule of the user's policy");
            }
            (json, Outcome::Faulty)
        }
        Passed::Planned(_, prepared) => {
            let chain = &prepared.chain;
            let json = json!({"runs": true, "id": chain.tool().0.id.as_str(), "chain": chain.ids(), "standing": chain.standing.word()});
            (json, Outcome::Fine)
        }
        Passed::Done(_, called) => match *called {
            Ok(called) => {
                for note in &called.notes {
                    // What is to be said about the tool is not its answer.
                    let _ = writeln!(screen::stderr(), "note: {note}");
                }
                let outcome = Outcome::faulty_if(!called.returned.success);
                let json = match arguments.format {
                    CallFormat::Result => Value::Object(called.returned.value),
                    CallFormat::Json => record(&called),
                };
                (json, outcome)
            }
            Err(error) => (refusal(id, &error), Outcome::Faulty),
        },
    }
}

/// Writes into the log what came of it.
pub(crate) fn log(
    auditor: &Auditor,
    shown: &Shown<'_>,
    passed: &Passed,
    duration: Duration,
) -> std::io::Result<()> {
    let refused = |error: &CallError| Verdict {
        decision: Decision::Deny,
        rule: error.code().into(),
        because: error.to_string(),
    };
    let (verdict, result) = match passed {
        Passed::Unfit(error) => (refused(error), None),
        Passed::Refused(verdict) => (verdict.clone(), None),
        Passed::Planned(..) => return Ok(()),
        Passed::Done(verdict, called) => match &**called {
            Ok(called) => {
                let text = Value::Object(called.returned.value.clone()).to_string();
                (verdict.clone(), Some((called.returned.success, text)))
            }
            // It was under way: what it did by then is done.
            Err(error @ CallError::Stopped { .. }) => {
                (verdict.clone(), Some((false, error.to_string())))
            }
            Err(error) => (refused(error), None),
        },
    };
    let result = result.as_ref().map(|(ok, text)| Came {
        ok: *ok,
        error: None,
        text,
    });
    auditor.came(shown, &verdict, result, duration)
}

/// What calls may cost together: the least of what the command line and the policies say.
pub(crate) fn budget(walls: &Walls, authority: &Authority) -> Budget {
    let most = [walls.max_cost, authority.cost_per_run()];
    Budget::of(most.into_iter().flatten().min_by(f64::total_cmp))
}

/// A host for the tools of a project.
pub(crate) fn host<'a>(
    registry: &'a toolglot_toolfiles::Registry,
    trust: &'a std::cell::RefCell<toolglot_toolfiles::Trust>,
    project: PathBuf,
    granted: Vec<String>,
    walls: &Walls,
) -> Host<'a> {
    let variables: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    Host {
        registry,
        trust,
        interpreters: Interpreters::new(std::env::var_os("PATH").as_deref(), &project),
        project,
        granted,
        sandbox: ProgramSandbox::default(),
        variables,
        budget: Budget::of(walls.max_cost),
        pause: std::thread::sleep,
        servers: Servers::default(),
        server_rules: ServerRules::default(),
        watch: Watch::default(),
        warm: RefCell::default(),
        approved: RefCell::default(),
    }
}

/// A project's directory, absolute and without links.
pub(crate) fn project(root: &Path) -> Result<PathBuf, Failure> {
    std::fs::canonicalize(root).map_err(|error| source::failed(root, error))
}

fn given(args: &str) -> Result<Map<String, Value>, Failure> {
    let text = match args.strip_prefix('@') {
        Some(file) => source::document(Path::new(file))?,
        None => args.to_owned(),
    };
    let given = toolglot_mcp::read_once(text.as_bytes()).and_then(serde_json::from_value);
    given.map_err(Failure::Args)
}

/// Why a tool was not run, in the form of its answers.
pub(crate) fn refusal(id: &str, error: &CallError) -> Value {
    let mut json =
        json!({"success": false, "error": error.to_string(), "code": error.code(), "id": id});
    if let CallError::Arguments { violations, .. } = error {
        json["violations"] = violations
            .iter()
            .map(|one| json!({"path": one.path, "keyword": one.keyword, "message": one.message}))
            .collect();
    }
    if let CallError::NotGranted { missing, .. } = error {
        json["help"] = json!(format!("`--allow {}` grants it", missing.join(",")));
    }
    json
}

fn record(called: &Called) -> Value {
    json!({
        "id": called.id,
        "action": called.action,
        "version": called.version,
        "chain": called.chain,
        "standing": called.standing.word(),
        "arguments": called.arguments,
        "result": called.returned.value,
        "attempts": called.attempts.iter().map(|attempt| json!({
            "number": attempt.number,
            "success": attempt.success,
            "error": attempt.error,
            "duration_ms": attempt.duration.as_millis() as u64,
            "delay_ms": attempt.delay.map(|delay| delay.as_millis() as u64),
        })).collect::<Vec<_>>(),
        "cost": called.cost,
        "duration_ms": called.duration.as_millis() as u64,
        "notes": called.notes,
    })
}
