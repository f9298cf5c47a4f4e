//! `toolglot policy check`: the decision on a call, its rules, and what would change it.

use std::io::Write;

use toolglot_builtins::{Root, plan};
use toolglot_engine::{Call, CallId, End, Place, Span};
use toolglot_policy::{Decision, Explanation, Item, Layer, Reason, Request};
use toolglot_toolset::Toolbox;
use toolglot_value::{Map, Value, json};

use crate::cli::args::PolicyCommand;
use crate::cli::failure::Failure;
use crate::cli::human::screen::Screen;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;
use crate::cli::{open_session, source, toolboxes};

/// Carries out a command about policies.
pub(crate) fn policy(command: &PolicyCommand, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let PolicyCommand::Check {
        call,
        root,
        policy,
        json: is_json,
    } = command;
    let text = source::bytes(call)?;
    let parsed: Value = toolglot_value::from_slice(&text).map_err(|source| Failure::Json {
        origin: source::name(call),
        source,
    })?;
    let written = parsed
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let arguments = parsed
        .get("arguments")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let vocabulary: Toolbox = toolboxes::builtin("vocabulary")?;
    let spec = vocabulary.canonical(written).map(|(spec, _)| spec);
    let tool = spec.map_or(written, |spec| spec.name.as_str());
    let arguments = canonical(written, arguments, &vocabulary);
    let root = Root::open(root).map_err(|error| source::failed(root, error))?;
    let policies = open_session::policies(policy, root.path())?;
    let authority = policies.authority(policy.allow.policy(), None);
    let planned = plan(&root, tool, &arguments);
    let request: Request<'_> = toolglot_session::request(
        tool,
        toolglot_session::effect(spec),
        End::Closed,
        planned.as_ref().ok(),
    );
    let explanation = authority.judge(&request);
    let broken = policies.faults();
    let problem = planned.as_ref().err().map(ToString::to_string);
    let about = About {
        tool,
        arguments: &arguments,
        request: &request,
        problem: problem.as_deref(),
        broken: &broken,
    };
    if *is_json {
        write_line(out, &about.json(&explanation))
    } else {
        about.write(&explanation, &mut Screen::new(out))
    }
    .map_err(Failure::Output)?;
    Ok(Outcome::faulty_if(
        explanation.verdict.decision != Decision::Allow || problem.is_some(),
    ))
}

/// The arguments under their canonical names, for which `run` makes its decision.
fn canonical(
    name: &str,
    arguments: Map<String, Value>,
    vocabulary: &Toolbox,
) -> Map<String, Value> {
    let nowhere = Span { start: 0, end: 0 };
    let call = Call {
        id: CallId(0),
        written_id: None,
        name: name.to_owned(),
        name_span: nowhere,
        server: None,
        arguments: Value::Object(arguments.clone()).to_string(),
        span: nowhere,
        dialect: String::new(),
        place: Place::Answer,
        end: End::Closed,
        notes: Vec::new(),
    };
    let mut canonical = toolglot_toolset::normalize(&[call], vocabulary).into_iter();
    match (canonical.next(), canonical.next()) {
        (Some(only), None) => only.arguments,
        // For a call that becomes several calls, the written form is decided.
        _ => arguments,
    }
}

/// The call that a verdict is about.
struct About<'a> {
    tool: &'a str,
    arguments: &'a Map<String, Value>,
    request: &'a Request<'a>,
    problem: Option<&'a str>,
    /// Faults of the policy files, for the user alone, since faults show text of the files.
    /// People read the faults on standard error.
    broken: &'a [String],
}

impl About<'_> {
    fn json(&self, explanation: &Explanation) -> Value {
        let verdict = &explanation.verdict;
        let command = self.request.command.map(|fact| {
            json!({
                "commands": fact.survey.names(),
                "needs_shell": fact.survey.needs_shell,
                "runs_without_shell": fact.line.is_ok(),
                "why_shell": fact.line.as_ref().err().map(ToString::to_string),
            })
        });
        let paths: Vec<Value> = self
            .request
            .paths
            .iter()
            .map(|fact| {
                json!({
                    "written": fact.written,
                    "resolved": fact.inside().map(|path| path.to_string_lossy()),
                    "problem": fact.found.as_ref().err().map(ToString::to_string),
                })
            })
            .collect();
        json!({
            "schema": 1,
            "call": {"name": self.tool, "arguments": self.arguments},
            "decision": verdict.decision.word(),
            "rule": verdict.rule,
            "because": verdict.because,
            "rules": explanation.reasons.iter().map(reason).collect::<Vec<_>>(),
            "would_change": changes(explanation),
            "paths": paths,
            "command": command,
            "problem": self.problem,
            "broken": self.broken,
        })
    }

    fn write(&self, explanation: &Explanation, out: &mut dyn Write) -> std::io::Result<()> {
        let verdict = &explanation.verdict;
        writeln!(
            out,
            "{}: {} ({})",
            verdict.decision.word(),
            verdict.because,
            verdict.rule
        )?;
        if let Some(problem) = self.problem {
            writeln!(out, "  and it could not be run: {problem}")?;
        }
        for reason in &explanation.reasons {
            let granted = if reason.is_granted {
                ", granted beforehand"
            } else {
                ""
            };
            let Reason { layer, verdict, .. } = reason;
            writeln!(
                out,
                "  {:5} {} [{}{granted}]: {}",
                verdict.decision.word(),
                verdict.rule,
                layer.word(),
                verdict.because
            )?;
        }
        for change in changes(explanation) {
            writeln!(out, "  to change it: {change}")?;
        }
        Ok(())
    }
}

fn reason(reason: &Reason) -> Value {
    let item = reason.item.as_ref().and_then(|item| match item {
        Item::Path(path) => Some(json!({"path": path})),
        Item::Command(words) => Some(json!({"argv": words})),
        Item::Shell(text) => Some(json!({"shell": text})),
        Item::Host(host) => Some(json!({"host": host.name, "port": host.port})),
        Item::Capability(name) => Some(json!({"capability": name})),
        Item::Nothing => None,
    });
    json!({
        "layer": reason.layer.word(),
        "rule": reason.verdict.rule,
        "decision": reason.verdict.decision.word(),
        "because": reason.verdict.because,
        "about": item,
        "granted": reason.is_granted,
    })
}

/// What would relax the verdict, one line for each rule that does not allow the call.
fn changes(explanation: &Explanation) -> Vec<String> {
    let against = explanation
        .reasons
        .iter()
        .filter(|reason| reason.verdict.decision != Decision::Allow);
    let mut changes: Vec<String> = against.map(change).collect();
    changes.dedup();
    changes
}

fn change(reason: &Reason) -> String {
    let rule = &reason.verdict.rule;
    match (reason.layer, reason.verdict.decision, &**rule) {
        (_, _, "policy-broken") => "correct the policy file".to_owned(),
        (Layer::Floor, Decision::Deny, _) => format!(
            "nothing: `{rule}` holds whatever a policy says; {}",
            reason.verdict.because
        ),
        (Layer::Floor | Layer::Usual, _, _) => reason.verdict.because.clone(),
        (layer, _, "policy-default") => {
            format!("a rule of the {}'s policy that allows it", layer.word())
        }
        (layer, Decision::Ask, _) => format!(
            "a grant, or a person at the terminal, answers rule `{rule}` of the {}'s policy",
            layer.word()
        ),
        (layer, _, _) => format!(
            "rule `{rule}` of the {}'s policy refuses it, and no other rule lifts that",
            layer.word()
        ),
    }
}
