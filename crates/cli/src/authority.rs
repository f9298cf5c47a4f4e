//! Who may say what is run: the policy files, and how a call is put before them.

use std::io::Write;
use std::path::{Path, PathBuf};

use toolglot::{Call, End, Place};
use toolglot_exec::{Plan, Walls};
use toolglot_policy::{Authority, Effect, Policy, PolicyError, Request, Scope, is_secret};
use toolglot_sandbox::Cancel;
use toolglot_tools::ToolSpec;

use crate::args::PolicyArguments;
use crate::axe_yaml;
use crate::human::screen;
use crate::toolboxes;

/// Where a project keeps its policy, below the root.
const PROJECT_FILE: &str = ".ai/policy.toml";

/// The user's policy file below the directory of settings.
const USER_FILE: &str = "toolglot/policy.toml";

/// The largest policy file, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Reads the policy files. One that cannot be used denies everything, and says why. The log of what is done is kept as it is.
pub(crate) fn load(arguments: &PolicyArguments, root: &Path, log: Option<&Path>) -> Authority {
    let own = arguments.policy.clone().or_else(user_file);
    let project = root.join(PROJECT_FILE);
    // Whatever stands there is the project's: a link that leads nowhere, a directory, a file that may not be read.
    let project = project.symlink_metadata().is_ok().then_some(project);
    let mut authority = Authority {
        grants: arguments.allow.clone(),
        user: own.map(|path| read(&path, Scope::User)),
        project: project.map(|path| match inside(&path, root) {
            Ok(path) => read(&path, Scope::Project),
            Err(error) => Policy::broken(error),
        }),
    };
    keep_log(&mut authority, log, root);
    authority
}

/// Where policy files are, or could be.
pub(crate) fn files(arguments: &PolicyArguments, root: &Path) -> Vec<PathBuf> {
    let own = arguments.policy.clone().or_else(user_file);
    own.into_iter().chain([root.join(PROJECT_FILE)]).collect()
}

fn user_file() -> Option<PathBuf> {
    let settings = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".config")))?;
    Some(settings.join(USER_FILE)).filter(|path| path.symlink_metadata().is_ok())
}

/// Where the project's own file really stands. A project has no say over what is outside of its root, nor over secrets: what
/// would be wrong with such a file would tell of it.
fn inside(path: &Path, root: &Path) -> Result<PathBuf, PolicyError> {
    let unreadable = |why: &str| PolicyError::Unreadable {
        why: why.to_owned(),
    };
    let (Ok(real), Ok(root)) = (path.canonicalize(), root.canonicalize()) else {
        return Err(unreadable("it leads nowhere"));
    };
    match real.strip_prefix(root) {
        Err(_) => Err(unreadable("it is a link that leads out of the root")),
        Ok(below) if is_secret(below) => {
            Err(unreadable("it is a link to what usually holds secrets"))
        }
        Ok(_) => Ok(real),
    }
}

fn read(path: &Path, scope: Scope) -> Policy {
    let text = text(path);
    let is_axe = path
        .extension()
        .is_some_and(|extension| extension == "yaml" || extension == "yml");
    let policy = text.and_then(|text| {
        if is_axe {
            axe(&text)
        } else {
            Policy::parse(&text, scope).and_then(with_known_names)
        }
    });
    policy.unwrap_or_else(Policy::broken)
}

/// Refuses a rule about another name of a tool: calls are judged by the one that is the tool's own.
fn with_known_names(policy: Policy) -> Result<Policy, PolicyError> {
    let Ok(vocabulary) = toolboxes::builtin("vocabulary") else {
        return Ok(policy);
    };
    let own = |name: &str| {
        let folded = name.to_lowercase();
        let found = vocabulary
            .canonical(name)
            .or_else(|| vocabulary.canonical(&folded));
        found
            .map(|(spec, _)| spec.name.clone())
            .filter(|own| own != name)
    };
    let wrong = policy
        .tool_names()
        .find_map(|(rule, name)| Some((rule, name, own(name)?)));
    match wrong {
        None => Ok(policy),
        Some((rule, name, own)) => Err(PolicyError::Pattern {
            rule: rule.to_owned(),
            what: "tools",
            pattern: name.to_owned(),
            problem: format!(
                "it is another name of `{own}`, and rules are about that: write `{own}`"
            ),
        }),
    }
}

/// Keeps the log as it is: it has to tell what is done, whoever does it.
fn keep_log(authority: &mut Authority, log: Option<&Path>, root: &Path) {
    let place = log.and_then(|log| {
        let parent = match log.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let place = parent.canonicalize().ok()?.join(log.file_name()?);
        Some(
            place
                .strip_prefix(root)
                .ok()?
                .to_string_lossy()
                .into_owned(),
        )
    });
    if let Some(place) = place {
        authority.keep(
            &place,
            "audit-log",
            "the log of this run is written there, and by nobody else",
        );
    }
}

/// The text of a policy file. What is no regular file could make us wait for ever, and what is huge is none.
fn text(path: &Path) -> Result<String, PolicyError> {
    let unreadable = |why: String| PolicyError::Unreadable { why };
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return Err(unreadable(format!(
            "it is no file of at most {MOST_BYTES} bytes"
        )));
    }
    std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))
}

/// Reads an `axe.yaml`, and tells the user what it would let happen and toolglot does not.
fn axe(text: &str) -> Result<Policy, PolicyError> {
    let file = axe_yaml::read(text)?;
    if let Some(report) = file.report() {
        let _ = writeln!(screen::stderr(), "note: {report}");
    }
    Ok(Policy::of_axe(&file))
}

/// The walls of commands under an authority.
pub(crate) fn walls(authority: &Authority, cancel: &Cancel) -> Walls {
    Walls {
        sandbox: authority.sandbox(),
        may_write: authority.commands_may_write(),
        refused: authority.refusals(),
        watch: toolglot_sandbox::Watch {
            cancel: Some(cancel.clone()),
            heard: None,
        },
    }
}

/// A call as it is put before an authority.
pub(crate) fn request<'a>(
    tool: &'a str,
    effect: Effect,
    end: End,
    plan: Option<&'a Plan<'_>>,
) -> Request<'a> {
    Request {
        command: plan.and_then(Plan::command),
        host: plan.and_then(Plan::host),
        ..Request::new(tool, effect, end, plan.map_or(&[][..], Plan::paths))
    }
}

/// How sure the end of a call is, for whoever judges it: one that stands in the model's reasoning is trusted no more than
/// one that had to be completed.
pub(crate) fn trusted_end(call: &Call) -> End {
    match call.place {
        Place::Reasoning => call.end.max(End::Recovered),
        _ => call.end,
    }
}

/// The effect of a tool as the policy calls it; the crates of tools and of policy know nothing of each other.
pub(crate) fn effect(spec: Option<&ToolSpec>) -> Effect {
    match spec.map(|spec| spec.effect) {
        Some(toolglot_tools::Effect::Read) => Effect::Read,
        Some(toolglot_tools::Effect::Write) => Effect::Write,
        Some(toolglot_tools::Effect::Delete) => Effect::Delete,
        Some(toolglot_tools::Effect::Execute) => Effect::Execute,
        Some(toolglot_tools::Effect::Network) => Effect::Network,
        Some(toolglot_tools::Effect::Ask) => Effect::Ask,
        _ => Effect::Unknown,
    }
}
