//! The policy files: their paths and their faults.

use std::path::{Path, PathBuf};

use toolglot_policy::{Authority, Grants, Policy, PolicyError, Scope, ToolPattern, is_secret};
use toolglot_tool_trust::TrustRequirements;
use toolglot_toolset::Toolbox;

use crate::files_hash::FilesHash;
use crate::own_files::{JOURNAL, LOG, POLICY, protect};
use crate::{VERBS, axe_yaml, journals};

/// The project's policy file, relative to the root.
const PROJECT_FILE: &str = ".ai/policy.toml";

/// The user's policy file, relative to the settings directory.
const USER_FILE: &str = "toolglot/policy.toml";

/// The largest policy file, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The policy files of a root: the user's, which decides, and the project's, which can only narrow it.
///
/// A file that cannot be used denies every call. [`warnings`](Policies::warnings) has the reason, for the user only,
/// because it may quote the file.
#[derive(Clone, Debug)]
pub struct Policies {
    user: Option<Policy>,
    project: Option<Policy>,
    warnings: Vec<String>,
    source: Source,
    root: PathBuf,
    /// The state of the files before they were read.
    stamp: FilesHash,
}

/// The source of the user's policy.
#[derive(Clone, Debug)]
enum Source {
    /// The file that the caller named, or else the file in the user's settings.
    Files(Option<PathBuf>),
    /// A text from the caller.
    Text,
}

impl Source {
    /// The possible paths of policy files of `root`.
    fn files(&self, root: &Path) -> Vec<PathBuf> {
        match self {
            Source::Files(named) => Policies::places(root, named.as_deref()),
            Source::Text => vec![root.join(PROJECT_FILE)],
        }
    }

    /// The user's own policy files: the one in use, and the usual one, which a later run may use.
    fn own_files(&self, usual: Option<PathBuf>) -> Vec<PathBuf> {
        let named = match self {
            Source::Files(named) => named.clone(),
            Source::Text => None,
        };
        named.into_iter().chain(usual).collect()
    }
}

impl Policies {
    /// The policy files of `root`: the user's and the project's. Without the user's file the usual rules apply.
    pub fn discover(root: &Path) -> Policies {
        Policies::read(root, None)
    }

    /// Like [`Policies::discover`], with `file` in place of the user's settings, if there is a `file`.
    pub fn read(root: &Path, file: Option<&Path>) -> Policies {
        let user = || {
            let own = file.map(Path::to_path_buf).or_else(user_file);
            own.map(|path| read(&path, Scope::User, root))
        };
        Policies::with(root, user, Source::Files(file.map(Path::to_path_buf)))
    }

    /// The usual rules in place of the user's file; the project's file still narrows them.
    pub fn usual(root: &Path) -> Policies {
        Policies::with(root, || None, Source::Text)
    }

    /// A policy as text in place of the user's file; the project's file still narrows it.
    pub fn of_text(root: &Path, text: &str) -> Policies {
        let user = Policy::parse(text, Scope::User);
        let user = user
            .and_then(|policy| checked(policy, root))
            .unwrap_or_else(Policy::broken);
        Policies::with(root, || Some((user, None)), Source::Text)
    }

    fn with(root: &Path, user: impl FnOnce() -> Option<Read>, source: Source) -> Policies {
        // Stamped before anything is read, so that a change during the read counts as a change.
        let stamp = FilesHash::of(source.files(root));
        let user = user();
        let place = root.join(PROJECT_FILE);
        // Anything at this path counts as the project's: a dangling link, a directory, an unreadable file.
        let place = place.symlink_metadata().is_ok().then_some(place);
        let project = place.map(|path| match inside(&path, root) {
            Ok(path) => read(&path, Scope::Project, root),
            Err(error) => (Policy::broken(error), None),
        });
        let mut warnings = Vec::new();
        let mut policies = [("user", user), ("project", project)].map(|(whose, read)| {
            let (policy, report) = read?;
            warnings.extend(report);
            Some((whose, policy))
        });
        for (whose, policy) in policies.iter().flatten() {
            if let Some(why) = policy.why_broken() {
                warnings.push(format!("the {whose}'s policy file: {why}"));
            }
        }
        let [user, project] = [0, 1].map(|at| policies[at].take().map(|(_, policy)| policy));
        Policies {
            user,
            project,
            warnings,
            source,
            root: root.to_path_buf(),
            stamp,
        }
    }

    /// Warnings about the files, for the user only. A verdict goes to the model and quotes nothing from the files.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The faults for which a file denies everything: the warnings without the remarks.
    pub fn faults(&self) -> Vec<String> {
        let files = [("user", &self.user), ("project", &self.project)];
        let fault = |(whose, policy): (&str, &Option<Policy>)| {
            let why = policy.as_ref()?.why_broken()?;
            Some(format!("the {whose}'s policy file: {why}"))
        };
        files.into_iter().filter_map(fault).collect()
    }

    /// The possible paths of policy files of `root`, with `file` in place of the user's settings.
    pub fn places(root: &Path, file: Option<&Path>) -> Vec<PathBuf> {
        let own = file.map(Path::to_path_buf).or_else(user_file);
        own.into_iter().chain([root.join(PROJECT_FILE)]).collect()
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The state of the policy files before they were read.
    pub(crate) fn stamp(&self) -> FilesHash {
        self.stamp
    }

    /// The present state of the policy files.
    pub(crate) fn stamp_now(&self) -> FilesHash {
        FilesHash::of(self.source.files(&self.root))
    }

    /// The same files, read again. A policy that was given as text is unchanged.
    #[must_use]
    pub fn reread(&self) -> Policies {
        match &self.source {
            Source::Files(named) => Policies::read(&self.root, named.as_deref()),
            Source::Text => {
                let user = self.user.clone().map(|policy| (policy, None));
                Policies::with(&self.root, || user, Source::Text)
            }
        }
    }

    /// The requirements of the policies for file tools.
    pub fn demands(&self) -> TrustRequirements {
        demands(&self.authority(&Grants::default(), None))
    }

    /// The authority that decides calls: the files with these grants. No call changes the user's policy file, the
    /// journals, or `log`.
    pub fn authority(&self, grants: &Grants, log: Option<&Path>) -> Authority {
        let mut authority = Authority {
            grants: grants.clone(),
            user: self.user.clone(),
            project: self.project.clone(),
        };
        let mut protect = |file: Option<&Path>, kind| {
            protect(&mut authority, &self.root, file, kind);
        };
        protect(log, &LOG);
        for file in self.source.own_files(user_place()) {
            protect(Some(&file), &POLICY);
        }
        protect(journals().as_deref(), &JOURNAL);
        authority
    }
}

/// A policy, and a warning about its file.
type Read = (Policy, Option<String>);

fn user_file() -> Option<PathBuf> {
    user_place().filter(|path| path.symlink_metadata().is_ok())
}

/// The path of the user's policy file, whether it exists or not.
fn user_place() -> Option<PathBuf> {
    let settings = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".config")))?;
    Some(settings.join(USER_FILE))
}

/// Resolves the project's own file. Files outside the root and secrets are refused, because a message about their
/// faults would reveal their contents.
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

fn read(path: &Path, scope: Scope, root: &Path) -> Read {
    let is_axe = path
        .extension()
        .is_some_and(|extension| extension == "yaml" || extension == "yml");
    let mut report = None;
    let policy = text(path).and_then(|text| {
        if is_axe {
            let file = axe_yaml::read(&text)?;
            // What the file would allow elsewhere, and toolglot does not.
            report = file.report();
            with_real_places(Policy::of_access_lists(&file), root)
        } else {
            checked(Policy::parse(&text, scope)?, root)
        }
    });
    (policy.unwrap_or_else(Policy::broken), report)
}

fn checked(policy: Policy, root: &Path) -> Result<Policy, PolicyError> {
    with_real_places(with_known_names(policy, root)?, root)
}

/// Refuses a rule whose place contains a link: decisions use resolved paths.
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

/// Refuses a rule with an alias of a tool, or an unknown name: decisions use canonical names.
fn with_known_names(policy: Policy, root: &Path) -> Result<Policy, PolicyError> {
    let Some(vocabulary) = Toolbox::builtin("vocabulary") else {
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
        // The id of a file tool contains a slash.
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
                    let near = toolglot_toolset::nearest(name, known.iter().copied())?;
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

/// Whether a file tool has this name without its category.
fn is_file(root: &Path, name: &str) -> bool {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let tops = [Some(root.to_path_buf()), home].into_iter().flatten();
    let mut entries = tops
        .filter_map(|top| std::fs::read_dir(top.join(".ai/tools")).ok())
        .flatten()
        .flatten();
    entries.any(|entry| Path::new(&entry.file_name()).file_stem() == Some(name.as_ref()))
}

/// The text of a policy file. A file that is not regular could block forever, and a huge file is refused.
fn text(path: &Path) -> Result<String, PolicyError> {
    let unreadable = |why: String| PolicyError::Unreadable { why };
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return Err(unreadable(format!(
            "not a regular file of at most {MOST_BYTES} bytes"
        )));
    }
    std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))
}

pub(crate) fn demands(authority: &Authority) -> TrustRequirements {
    let rules = authority.trust();
    TrustRequirements {
        keys: rules.keys.clone(),
        first_use: rules.tofu,
        signed: Box::new(move |id| rules.requires_signature(id)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_policy_file_is_protected_beside_a_named_one() {
        let [named, usual] = ["named.toml", "usual.toml"].map(PathBuf::from);
        for (source, files) in [
            (
                Source::Files(Some(named.clone())),
                vec![named, usual.clone()],
            ),
            (Source::Files(None), vec![usual.clone()]),
            (Source::Text, vec![usual.clone()]),
        ] {
            assert_eq!(source.own_files(Some(usual.clone())), files);
        }
    }
}
