//! Who may say what is run: the policy files, and how a call is put before them.

use std::io::Write;
use std::path::{Path, PathBuf};

use toolglot::{Call, End, Place};
use toolglot_exec::{Plan, ProgramSandbox};
use toolglot_policy::{
    Authority, Effect, Level, Policy, PolicyError, Request, Scope, ToolPattern, is_secret,
};
use toolglot_sandbox::Cancel;
use toolglot_tools::ToolSpec;

use crate::args::PolicyArguments;
use crate::axe_yaml;
use crate::failure::Failure;
use crate::human::screen;
use crate::run::files::VERBS;
use crate::run::undo::journals;
use crate::{source, toolboxes};

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
        user: own.map(|path| read(&path, Scope::User, root)),
        project: project.map(|path| match inside(&path, root) {
            Ok(path) => read(&path, Scope::Project, root),
            Err(error) => Policy::broken(error),
        }),
    };
    for (whose, policy) in [("user", &authority.user), ("project", &authority.project)] {
        if let Some(why) = policy.as_ref().and_then(Policy::why_broken) {
            // The user alone is told: a verdict, which goes to the model, holds no letter of the file.
            let _ = writeln!(screen::stderr(), "note: the {whose}'s policy file: {why}");
        }
    }
    keep(&mut authority, root, log, &LOG);
    let own = arguments.policy.clone().or_else(user_place);
    keep(&mut authority, root, own.as_deref(), &POLICY);
    keep(&mut authority, root, journals().as_deref(), &JOURNAL);
    authority
}

/// Whether a policy file that the command line names is there. What is wrong inside of one denies everything; one that is not
/// there is a slip, as with every other file.
///
/// # Errors
/// If it is not.
pub(crate) fn named(arguments: &PolicyArguments) -> Result<(), Failure> {
    match &arguments.policy {
        Some(path) => path
            .metadata()
            .map(drop)
            .map_err(|error| source::failed(path, error)),
        None => Ok(()),
    }
}

/// Where policy files are, or could be.
pub(crate) fn files(arguments: &PolicyArguments, root: &Path) -> Vec<PathBuf> {
    let own = arguments.policy.clone().or_else(user_file);
    own.into_iter().chain([root.join(PROJECT_FILE)]).collect()
}

fn user_file() -> Option<PathBuf> {
    user_place().filter(|path| path.symlink_metadata().is_ok())
}

/// Where the user's policy file is, or could be.
fn user_place() -> Option<PathBuf> {
    let settings = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".config")))?;
    Some(settings.join(USER_FILE))
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

fn read(path: &Path, scope: Scope, root: &Path) -> Policy {
    let text = text(path);
    let is_axe = path
        .extension()
        .is_some_and(|extension| extension == "yaml" || extension == "yml");
    let policy = text.and_then(|text| {
        if is_axe {
            axe(&text)
        } else {
            Policy::parse(&text, scope).and_then(|policy| with_known_names(policy, root))
        }
    });
    let policy = policy.and_then(|policy| with_real_places(policy, root));
    policy.unwrap_or_else(Policy::broken)
}

/// Refuses a rule about a place that is named by a link: calls are judged by where paths lead.
fn with_real_places(policy: Policy, root: &Path) -> Result<Policy, PolicyError> {
    let link = |place: &str| {
        let is_name = |name: &&str| !name.contains(['*', '?', '[', '{', '\\']);
        let mut path = PathBuf::new();
        place.split('/').take_while(is_name).find_map(|name| {
            path.push(name);
            root.join(&path).is_symlink().then(|| path.clone())
        })
    };
    let wrong = policy
        .places()
        .find_map(|(rule, place)| Some((rule, place, link(place)?)));
    match wrong {
        None => Ok(policy),
        Some((rule, place, link)) => Err(PolicyError::Pattern {
            rule: rule.to_owned(),
            what: "paths",
            pattern: place.to_owned(),
            problem: format!(
                "`{}` is a link, and rules are about where paths lead: write that",
                link.display()
            ),
        }),
    }
}

/// Refuses a rule about another name of a tool, or none: calls are judged by the one that is the tool's own.
fn with_known_names(policy: Policy, root: &Path) -> Result<Policy, PolicyError> {
    let Ok(vocabulary) = toolboxes::builtin("vocabulary") else {
        return Ok(policy);
    };
    let own = |name: &str| {
        let folded = name.to_lowercase();
        let found = vocabulary
            .canonical(name)
            .or_else(|| vocabulary.canonical(&folded));
        found.map(|(spec, _)| spec.name.clone())
    };
    let known: Vec<&str> = vocabulary
        .iter()
        .map(|spec| spec.name.as_str())
        .chain(VERBS.iter().copied())
        .collect();
    let problem = |named: &ToolPattern<'_>| {
        let (pattern, fits) = (named.written(), |name: &str| named.fits(name));
        // What is called by an id has a slash in it.
        if known.iter().any(|name| fits(name)) || pattern.contains('/') {
            return None;
        }
        let is_pattern = pattern.contains('*') || pattern.starts_with("re:");
        let other = vocabulary
            .iter()
            .flat_map(|spec| vocabulary.aliases(&spec.name))
            .find(|name| fits(name));
        match other.or((!is_pattern).then_some(&pattern)) {
            Some(name) => Some(match own(name) {
                Some(own) => format!(
                    "`{name}` is another name of `{own}`, and rules are about that: write `{own}`"
                ),
                None if is_file(root, name) => return None,
                None => {
                    let near = toolglot_tools::nearest(name, known.iter().copied())?;
                    format!("there is no tool `{name}`: is `{near}` meant?")
                }
            }),
            None => None,
        }
    };
    let wrong = policy
        .tool_patterns()
        .find_map(|named| Some((named.rule().to_owned(), named.written(), problem(&named)?)));
    match wrong {
        None => Ok(policy),
        Some((rule, pattern, problem)) => Err(PolicyError::Pattern {
            rule,
            what: "tools",
            pattern,
            problem,
        }),
    }
}

/// Whether a tool that is a file has this name, without a category before it.
fn is_file(root: &Path, name: &str) -> bool {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let tops = [Some(root.to_path_buf()), home].into_iter().flatten();
    let mut entries = tops
        .filter_map(|top| std::fs::read_dir(top.join(".ai/tools")).ok())
        .flatten()
        .flatten();
    entries.any(|entry| Path::new(&entry.file_name()).file_stem() == Some(name.as_ref()))
}

/// A file of the user's own that calls are judged by, or that tells of them. Where it lies inside the root, calls keep it.
pub(crate) struct Own {
    /// The rule's name.
    rule: &'static str,
    because: &'static str,
    /// Whether it is not read either.
    is_secret: bool,
}

const LOG: Own = Own {
    rule: "audit-log",
    because: "the log of this run is written there, and by nobody else",
    is_secret: false,
};

const POLICY: Own = Own {
    rule: "policy-file",
    because: "the user's policy file is there, and no call changes what calls are judged by",
    is_secret: false,
};

const JOURNAL: Own = Own {
    rule: "journal",
    because: "what takes runs back is there, and no call changes it",
    is_secret: false,
};

/// The tools and dialects of a run.
pub(crate) const READING: Own = Own {
    rule: "own-file",
    because: "the command line names it to read calls by, and no call changes that",
    is_secret: false,
};

/// What clients of a server have to show.
pub(crate) const TOKEN: Own = Own {
    rule: "token-file",
    because: "the token of this server is there, which no call reads or changes",
    is_secret: true,
};

/// Keeps such a file as it is: where it is named, and where that leads.
pub(crate) fn keep(authority: &mut Authority, root: &Path, file: Option<&Path>, own: &Own) {
    let (Some(file), Ok(root)) = (file, root.canonicalize()) else {
        return;
    };
    let Ok(file) = std::path::absolute(file) else {
        return;
    };
    let named = match (file.parent(), file.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => return,
    };
    let mut places = vec![real(&file), named];
    places.dedup();
    for place in places {
        if let Ok(place) = place.strip_prefix(&root) {
            let mut capabilities = vec!["write", "delete"];
            if own.is_secret {
                capabilities.push("read");
            }
            let place = place.to_string_lossy();
            authority.keep(&place, &capabilities, (own.rule, own.because));
        }
    }
}

/// Where a path leads, as far as it is there; a link that leads to nothing leads to where that would be.
pub(crate) fn real(path: &Path) -> PathBuf {
    fn at(path: &Path, n_links: usize) -> PathBuf {
        const MOST_LINKS: usize = 16;
        if let Ok(real) = path.canonicalize() {
            return real;
        }
        let parent = match path.parent() {
            Some(parent) if parent.as_os_str().is_empty() => at(Path::new("."), n_links),
            Some(parent) => at(parent, n_links),
            None => return path.to_path_buf(),
        };
        match path.read_link() {
            Ok(target) if n_links < MOST_LINKS => at(&parent.join(target), n_links + 1),
            _ => parent.join(path.file_name().unwrap_or_default()),
        }
    }
    at(path, 0)
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

/// The sandbox of programs under an authority, with the level that the command line asks for.
pub(crate) fn sandbox(
    authority: &Authority,
    level: Option<Level>,
    cancel: Option<&Cancel>,
) -> ProgramSandbox {
    ProgramSandbox {
        settings: authority.sandbox_settings(level),
        may_write: authority.commands_may_write(),
        refused: authority.refusals(),
        watch: toolglot_sandbox::Watch {
            cancel: cancel.cloned(),
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
        below: plan.map_or(&[][..], Plan::below),
        command: plan.and_then(Plan::command),
        host: plan.and_then(Plan::host),
        ..Request::new(tool, effect, end, plan.map_or(&[][..], Plan::paths))
    }
}

/// How sure the end of a call is, for whoever judges it: one that stands in the model's reasoning, or in quoted code, is
/// trusted no more than one that had to be completed.
pub(crate) fn trusted_end(call: &Call) -> End {
    match call.place {
        Place::Reasoning | Place::Code => call.end.max(End::Recovered),
        Place::Answer => call.end,
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
