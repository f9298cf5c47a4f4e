//! Who may say what is run: the policy files, and how a call is put before them.

use std::io::Write;
use std::path::{Path, PathBuf};

use toolglot::{Call, End, Place};
use toolglot_exec::{Plan, Walls};
use toolglot_policy::{Authority, Effect, Policy, PolicyError, Request, Scope};
use toolglot_sandbox::Cancel;
use toolglot_tools::ToolSpec;

use crate::args::PolicyArguments;
use crate::axe_yaml;

/// Where a project keeps its policy, below the root.
const PROJECT_FILE: &str = ".ai/policy.toml";

/// The user's policy file below the directory of settings.
const USER_FILE: &str = "toolglot/policy.toml";

/// The largest policy file, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Reads the policy files. One that cannot be used denies everything, and says why.
pub(crate) fn load(arguments: &PolicyArguments, root: &Path) -> Authority {
    let own = arguments.policy.clone().or_else(user_file);
    let project = root.join(PROJECT_FILE);
    // Whatever stands there is the project's: a link that leads nowhere, a directory, a file that may not be read.
    let project = project.symlink_metadata().is_ok().then_some(project);
    Authority {
        grants: arguments.allow.clone(),
        user: own.map(|path| read(&path, Scope::User)),
        project: project.map(|path| read(&path, Scope::Project)),
    }
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

fn read(path: &Path, scope: Scope) -> Policy {
    let text = text(path);
    let is_axe = path
        .extension()
        .is_some_and(|extension| extension == "yaml" || extension == "yml");
    let policy = text.and_then(|text| {
        if is_axe {
            axe(&text)
        } else {
            Policy::parse(&text, scope)
        }
    });
    policy.unwrap_or_else(Policy::broken)
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
        let _ = writeln!(std::io::stderr(), "note: {report}");
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
