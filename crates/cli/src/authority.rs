//! Who may say what is run: the policy files, and how a call is put before them.

use std::path::{Path, PathBuf};

use toolglot::End;
use toolglot_exec::{Plan, Walls};
use toolglot_policy::{Authority, Effect, Policy, PolicyError, Request, Scope};
use toolglot_tools::ToolSpec;

use crate::args::PolicyArguments;

/// Where a project keeps its policy, below the root.
const PROJECT_FILE: &str = ".ai/policy.toml";

/// The user's policy file below the directory of settings.
const USER_FILE: &str = "toolglot/policy.toml";

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

fn user_file() -> Option<PathBuf> {
    let settings = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".config")))?;
    Some(settings.join(USER_FILE)).filter(|path| path.symlink_metadata().is_ok())
}

fn read(path: &Path, scope: Scope) -> Policy {
    let text = std::fs::read_to_string(path).map_err(|error| PolicyError::Unreadable {
        why: error.to_string(),
    });
    text.and_then(|text| Policy::parse(&text, scope))
        .unwrap_or_else(Policy::broken)
}

/// The walls of commands under an authority.
pub(crate) fn walls(authority: &Authority) -> Walls {
    Walls {
        sandbox: authority.sandbox(),
        may_write: authority.commands_may_write(),
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
