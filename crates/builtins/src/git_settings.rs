//! The settings of git in every command, and the programs that git may start.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use toolglot_sandbox::{Command, Start};

use crate::identity;

/// The settings of git in every command: they switch off the programs that a repository's settings could run unasked.
/// Filters, drivers and conversions have arbitrary names and cannot be switched off, and a nested repository has its
/// own settings. So git may start no other program at all, see [`starts`].
const GIT: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    // No user can create a file below a device, so an installer of hooks fails.
    ("core.hooksPath", "/dev/null/hooks"),
    ("core.pager", "cat"),
    ("core.editor", "false"),
    ("core.sshCommand", "false"),
    ("core.askPass", ""),
    ("sequence.editor", "false"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.x509.program", "false"),
    ("gpg.ssh.program", "false"),
    ("log.showSignature", "false"),
    ("credential.helper", ""),
    ("protocol.ext.allow", "never"),
    ("uploadpack.packObjectsHook", ""),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
];

/// Sets git's settings and the environment variables in `names` for a command in the directory `cwd` of the root.
pub(crate) fn set_git(command: &mut Command, names: &[String], root: &Path, cwd: &Path) {
    command.env = environment(names);
    // An empty file replaces the user's settings, whichever home the policy passes on. Settings that a command writes
    // end with its line.
    command.private_files = vec![("GIT_CONFIG_GLOBAL".into(), ".gitconfig")];
    identity::set(&mut command.env, root, cwd);
}

/// The variables of these names, and the settings of git.
fn environment(names: &[String]) -> Vec<(OsString, OsString)> {
    let mut env: BTreeMap<OsString, OsString> = BTreeMap::new();
    for name in names {
        if let Some(value) = std::env::var_os(name) {
            env.insert(name.into(), value);
        }
    }
    let mut set = |name: String, value: &str| env.insert(name.into(), value.into());
    for (name, value) in [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_PAGER", "cat"),
        ("GIT_EDITOR", "false"),
        ("PAGER", "cat"),
    ] {
        set(name.to_owned(), value);
    }
    let fixed = GIT.iter().map(|(key, value)| (*key, (*value).to_owned()));
    let trusted = identity::trusted().map(|path| ("safe.directory", path));
    let mut n = 0;
    for (key, value) in fixed.chain(trusted) {
        set(format!("GIT_CONFIG_KEY_{n}"), key);
        set(format!("GIT_CONFIG_VALUE_{n}"), &value);
        n += 1;
    }
    set("GIT_CONFIG_COUNT".to_owned(), &n.to_string());
    env.into_iter().collect()
}

/// The git commands that start other programs. All other commands run in git itself.
const GIT_WITH_OTHERS: &[&str] = &[
    "bisect",
    "clone",
    "difftool",
    "fetch",
    "filter-branch",
    "lfs",
    "ls-remote",
    "mergetool",
    "p4",
    "pull",
    "push",
    "rebase",
    "request-pull",
    "send-email",
    "submodule",
    "subtree",
    "svn",
];

/// Options of git itself whose value is the next word.
const GIT_OPTIONS: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--super-prefix",
];

/// Which other programs a command may start: git none, except for [`GIT_WITH_OTHERS`]. So no program from a
/// repository's settings runs, wherever the settings are.
pub(crate) fn starts(words: &[String]) -> Start {
    let program = words.first().and_then(|program| program.rsplit('/').next());
    let needs_others = |command: &str| GIT_WITH_OTHERS.contains(&command);
    if program == Some("git") && !git_command(words).is_some_and(needs_others) {
        Start::Itself
    } else {
        Start::Any
    }
}

/// The git command in `words`: the first word after git's own options.
pub(crate) fn git_command(words: &[String]) -> Option<&str> {
    let mut rest = words.get(1..)?;
    while let Some((word, after)) = rest.split_first() {
        if !word.starts_with('-') {
            return Some(word);
        }
        rest = if GIT_OPTIONS.contains(&word.as_str()) {
            after.get(1..).unwrap_or_default()
        } else {
            after
        };
    }
    None
}
