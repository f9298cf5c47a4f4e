//! A call whose arguments are read and whose paths are resolved, but that has not run.

use std::path::Path;
use std::time::Duration;

use toolglot_policy::{BadUrl, CommandFact, HostPort, PathFact};
use toolglot_value::{Map, Value};

use crate::arguments::Arguments;
use crate::command;
use crate::edit::{Edits, edit};
use crate::git;
use crate::glob::Glob;
use crate::http::{self, Question};
use crate::list::{Listing, list};
use crate::read::{Lines, read};
use crate::remove::{delete, move_file};
use crate::search::{Query, search};
use crate::subtree::moved_with;
use crate::summary::summary;
use crate::write::{Old, create_directory, write};
use crate::{Failure, Limits, Outcome, Root};

/// A call whose arguments are read and whose paths are resolved, but that has not run.
#[derive(Debug)]
#[must_use = "a plan does nothing until it is run"]
pub struct Plan<'a> {
    root: &'a Root,
    paths: Vec<PathFact>,
    below: Vec<PathFact>,
    command: Option<CommandFact>,
    host: Option<Result<HostPort, BadUrl>>,
    action: Action<'a>,
}

#[derive(Debug)]
enum Action<'a> {
    Read(Lines),
    Write {
        content: &'a str,
        old: Old,
    },
    List(Listing),
    Search(Box<Query>),
    CreateDirectory,
    Edit(Edits),
    Delete,
    Move,
    GitStatus,
    GitCommit {
        message: &'a str,
    },
    Summary,
    Ask(Box<Question>),
    /// A call that cannot run; the policy refuses it first.
    Failed(Failure),
    Command {
        time: Option<Duration>,
    },
}

impl Plan<'_> {
    /// The resolved paths of the arguments: facts for the policy.
    pub fn paths(&self) -> &[PathFact] {
        &self.paths
    }

    /// The new paths of all entries below a moved directory.
    pub fn below(&self) -> &[PathFact] {
        &self.below
    }

    /// The facts about the command in the arguments, if there is one.
    pub fn command(&self) -> Option<&CommandFact> {
        self.command.as_ref()
    }

    /// The host of the URL in the arguments, if there is one.
    pub fn host(&self) -> Option<&Result<HostPort, BadUrl>> {
        self.host.as_ref()
    }

    /// Executes the plan at the places of [`Plan::paths`]. The caller has the policy decision.
    pub fn run_unjudged(self) -> Outcome {
        self.done().unwrap_or_else(Outcome::from)
    }

    fn done(self) -> Result<Outcome, Failure> {
        let Plan {
            root,
            paths,
            command,
            action,
            host: _,
            below: _,
        } = self;
        let mut places = Vec::with_capacity(paths.len());
        for PathFact { written, found } in paths {
            places.push(found.map_err(|escape| Failure::Path { written, escape })?);
        }
        // Only `http_request` has no path, and does not use `place`.
        let place = places.first().cloned().unwrap_or_default();
        match action {
            Action::Read(lines) => read(root, &place.path, lines),
            Action::Write { content, old } => write(root, &place.path, content, old),
            Action::List(listing) => list(root, &place.path, &listing),
            Action::Search(query) => search(root, &place.path, &query),
            Action::CreateDirectory => create_directory(root, &place.path),
            Action::Edit(edits) => edit(root, &place.path, &edits),
            Action::GitStatus => git::status(root),
            Action::GitCommit { message } => {
                let files: Vec<&Path> = places
                    .iter()
                    .skip(1)
                    .map(|place| place.path.as_path())
                    .collect();
                git::commit(root, message, &files)
            }
            Action::Summary => summary(root),
            Action::Ask(question) => http::ask(root, &question),
            Action::Failed(failure) => Err(failure),
            Action::Delete => delete(root, &place.path),
            Action::Move => {
                let to = places.get(1).expect("it was planned with two");
                move_file(root, &place.path, &to.path)
            }
            Action::Command { time } => {
                let fact = command.expect("it was planned with one");
                let line = fact.line.map_err(|_| fact.text);
                command::run(root, &place.path, command::Run { line, time })
            }
        }
    }
}

/// Reads the arguments of a builtin tool's call and resolves its paths. Changes nothing.
///
/// A path that leads out of the root is not an error here: it is a fact for the policy, and the plan fails when run.
///
/// # Errors
/// If there is no such tool, or its arguments cannot be used.
pub fn plan<'a>(
    root: &'a Root,
    tool: &str,
    arguments: &'a Map<String, Value>,
) -> Result<Plan<'a>, Failure> {
    let arguments = Arguments {
        tool: tool.to_owned(),
        map: arguments,
    };
    let (action, written) = match tool {
        "read_file" => (lines(&arguments)?, file(&arguments)?),
        "write_file" => (content(&arguments, Old::Replaced)?, file(&arguments)?),
        "append_file" => (content(&arguments, Old::Kept)?, file(&arguments)?),
        "list_files" => (listing(&arguments)?, directory(&arguments)?),
        "search_files" => (query(&arguments, &root.limits)?, directory(&arguments)?),
        "create_directory" => (Action::CreateDirectory, new_directory(&arguments)?),
        "edit_file" => (Action::Edit(Edits::of(&arguments)?), file(&arguments)?),
        "git_status" => (Action::GitStatus, "."),
        "workspace_summary" => (Action::Summary, "."),
        "git_commit" => {
            let message = arguments.text("message", "what the commit is about")?;
            let files = git::files(arguments.map.get("files"));
            let paths = std::iter::once(".")
                .chain(files)
                .map(|path| fact(root, path))
                .collect();
            return Ok(Plan {
                root,
                paths,
                below: Vec::new(),
                command: None,
                host: None,
                action: Action::GitCommit { message },
            });
        }
        "http_request" => {
            let url = arguments.text("url", "the address to ask, with http:// or https://")?;
            let host = HostPort::of(url);
            // The policy refuses an unusable URL.
            let time = arguments.opt_seconds("timeout")?;
            let action = match Question::of(url, &host, arguments.map, time) {
                Ok(question) => Action::Ask(Box::new(question)),
                Err(failure) if host.is_err() => Action::Failed(failure),
                Err(failure) => return Err(failure),
            };
            return Ok(Plan {
                root,
                paths: Vec::new(),
                below: Vec::new(),
                command: None,
                host: Some(host),
                action,
            });
        }
        "delete_file" => (Action::Delete, file(&arguments)?),
        "move_file" => {
            let from = arguments.text("from", "what to move, relative to the root")?;
            let to = arguments.text("to", "its new path, relative to the root")?;
            let paths = vec![fact(root, from), fact(root, to)];
            let below = match (paths[0].inside(), paths[1].inside()) {
                (Some(from), Some(to)) => moved_with(root, from, to),
                _ => Vec::new(),
            };
            return Ok(Plan {
                root,
                paths,
                below,
                command: None,
                host: None,
                action: Action::Move,
            });
        }
        "execute_command" => return plan_command(root, &arguments),
        _ => {
            return Err(Failure::UnknownTool {
                tool: tool.to_owned(),
            });
        }
    };
    Ok(Plan {
        root,
        paths: vec![fact(root, written)],
        below: Vec::new(),
        command: None,
        host: None,
        action,
    })
}

/// Resolves a path.
fn fact(root: &Root, written: &str) -> PathFact {
    PathFact {
        written: written.to_owned(),
        found: root.resolve(written),
    }
}

fn plan_command<'a>(root: &'a Root, arguments: &Arguments<'a>) -> Result<Plan<'a>, Failure> {
    let text = arguments.text("command", "the command line to run")?;
    let cwd = arguments.opt_text("cwd")?.unwrap_or(".");
    let time = arguments.opt_seconds("timeout")?;
    Ok(Plan {
        root,
        paths: vec![fact(root, cwd)],
        below: Vec::new(),
        command: Some(command::fact(root, text, cwd)),
        host: None,
        action: Action::Command { time },
    })
}

/// Plans a call and runs it at once, without a policy decision. For callers without a policy.
pub fn execute_unjudged(root: &Root, tool: &str, arguments: &Map<String, Value>) -> Outcome {
    plan(root, tool, arguments).map_or_else(Outcome::from, Plan::run_unjudged)
}

fn file<'a>(arguments: &Arguments<'a>) -> Result<&'a str, Failure> {
    let path = arguments.text("path", "the file, relative to the root")?;
    if path.ends_with('/') || path.ends_with("/.") {
        return Err(Failure::EndsInSlash {
            path: path.to_owned(),
        });
    }
    Ok(path)
}

fn directory<'a>(arguments: &Arguments<'a>) -> Result<&'a str, Failure> {
    Ok(arguments.opt_text("path")?.unwrap_or("."))
}

fn new_directory<'a>(arguments: &Arguments<'a>) -> Result<&'a str, Failure> {
    arguments.text("path", "the directory to make, relative to the root")
}

fn lines<'a>(arguments: &Arguments<'_>) -> Result<Action<'a>, Failure> {
    let (start, end) = (
        arguments.opt_count("start_line")?,
        arguments.opt_count("end_line")?,
    );
    Ok(Action::Read(Lines::new(start, end)?))
}

fn content<'a>(arguments: &Arguments<'a>, old: Old) -> Result<Action<'a>, Failure> {
    let content = arguments.text(
        "content",
        "the text to write; an empty string makes an empty file",
    )?;
    Ok(Action::Write { content, old })
}

fn listing<'a>(arguments: &Arguments<'_>) -> Result<Action<'a>, Failure> {
    let pattern = opt_glob(arguments, "pattern")?;
    // A pattern of paths overrides `recursive`: a schema's default may fill in `false`, and then no path could match.
    let is_deep = arguments.opt_flag("recursive")?.unwrap_or(false)
        || pattern.as_ref().is_some_and(Glob::is_path);
    Ok(Action::List(Listing { is_deep, pattern }))
}

fn query<'a>(arguments: &Arguments<'_>, limits: &Limits) -> Result<Action<'a>, Failure> {
    let pattern = arguments.text("pattern", "a regular expression")?;
    let files = opt_glob(arguments, "file_pattern")?;
    let excluded = arguments.opt_texts("exclude")?;
    let excluded = excluded.into_iter().map(|glob| Glob::new("exclude", glob));
    let n_context = arguments.opt_count("context_lines")?.unwrap_or(0);
    let query = Query::new(pattern, files, n_context, limits)?;
    Ok(Action::Search(Box::new(
        query.without(excluded.collect::<Result<_, _>>()?),
    )))
}

fn opt_glob(arguments: &Arguments<'_>, parameter: &'static str) -> Result<Option<Glob>, Failure> {
    arguments
        .opt_text(parameter)?
        .map(|glob| Glob::new(parameter, glob))
        .transpose()
}
