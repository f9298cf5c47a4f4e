//! The user's git settings that the sandbox hides: the committer, and other users' trees that git trusts.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The committer's settings, and the environment variables that set them.
const WHO: [(&str, [&str; 2]); 2] = [
    ("name", ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"]),
    ("email", ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"]),
];

/// A pattern of the settings to read.
const ASKED: &str = r"^(user\.(name|email)|safe\.directory)$";

/// The most bytes of a repository's settings that are read.
const LONGEST: u64 = 1 << 20;

/// Names and values of settings, in order. The last of equal names counts, except for lists.
type Settings = Vec<(String, String)>;

/// Sets the committer in `env` for the directory `cwd` of the root: from the environment, else from the user's
/// settings. A name in the repository's settings comes before the user's; git finds it itself.
pub(crate) fn set(env: &mut Vec<(OsString, OsString)>, root: &Path, cwd: &Path) {
    env.retain(|(name, _)| !WHO.iter().any(|(_, all)| all.iter().any(|own| name == own)));
    let repository = of_repository(root, cwd);
    for (key, names) in WHO {
        let settings = (!has(&repository, key))
            .then(|| last(own(), &format!("user.{key}")))
            .flatten();
        for name in names {
            let said = std::env::var(name).ok();
            if let Some(value) = said.or_else(|| settings.map(str::to_owned)) {
                env.push((name.into(), value.into()));
            }
        }
    }
}

/// Other users' trees that the user's settings trust (`safe.directory`). A repository's settings cannot do that.
pub(crate) fn trusted() -> impl Iterator<Item = String> {
    let home = std::env::var("HOME").unwrap_or_default();
    let values = own().iter().filter(|(key, _)| key == "safe.directory");
    // The sandbox has another home directory.
    values.map(move |(_, value)| match value.strip_prefix("~/") {
        Some(rest) => format!("{home}/{rest}"),
        None => value.clone(),
    })
}

/// The user's settings, read by git itself, since they have includes and quotes. Read once.
fn own() -> &'static Settings {
    static OWN: OnceLock<Settings> = OnceLock::new();
    OWN.get_or_init(|| {
        let output = Command::new("git")
            .args(["config", "--includes", "--null", "--get-regexp", ASKED])
            // A directory without a repository's settings.
            .current_dir("/")
            .env_remove("GIT_DIR")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        output.map_or_else(
            |_| Settings::new(),
            |output| listed(&String::from_utf8_lossy(&output.stdout)),
        )
    })
}

/// `KEY\nVALUE\0`, as git lists settings.
fn listed(text: &str) -> Settings {
    text.split_terminator('\0')
        .filter_map(|entry| entry.split_once('\n'))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

fn last<'a>(settings: &'a Settings, key: &str) -> Option<&'a str> {
    let mut values = settings.iter().filter(|(own, _)| own == key);
    values.next_back().map(|(_, value)| value.as_str())
}

/// The settings of the repository around `cwd`, within the root and without included files.
fn of_repository(root: &Path, cwd: &Path) -> String {
    let mut config = cwd
        .ancestors()
        .map(|above| root.join(above).join(".git/config"))
        .filter(|path| path.is_file());
    let mut text = String::new();
    if let Some(file) = config
        .next()
        .and_then(|path| std::fs::File::open(path).ok())
    {
        // A file that is not text sets no name.
        let _ = file.take(LONGEST).read_to_string(&mut text);
    }
    text
}

/// Whether settings have this key in their section `user`.
fn has(text: &str, key: &str) -> bool {
    let mut is_user = false;
    text.lines().map(str::trim).any(|line| {
        if line.starts_with('[') {
            is_user = line.to_ascii_lowercase().starts_with("[user]");
        }
        let line = line.rsplit_once(']').map_or(line, |(_, rest)| rest);
        is_user
            && line
                .split('=')
                .next()
                .is_some_and(|name| name.trim().eq_ignore_ascii_case(key))
    })
}

#[cfg(test)]
mod tests {
    use super::{has, last, listed};

    #[test]
    fn settings_are_read_as_git_lists_them() {
        let settings = listed(
            "user.name\nA\0safe.directory\n/a\0user.name\nB = \"c\"\nd\0safe.directory\n*\0",
        );
        assert_eq!(last(&settings, "user.name"), Some("B = \"c\"\nd"));
        assert_eq!(last(&settings, "user.email"), None);
        assert_eq!(settings.len(), 4);
    }

    #[test]
    fn a_repository_has_a_name_of_its_own() {
        for (text, expected) in [
            ("[user]\n\tname = n\n", true),
            ("[core]\n\tbare = false\n[User]\n\tNAME=n", true),
            ("[user] name = n", true),
            ("[user]\n\temail = a@b\n[x]\n\tname = n", false),
            ("[user \"x\"]\n\tname = n", false),
            ("[remote \"user\"]\n\tname = n", false),
            ("", false),
        ] {
            assert_eq!(has(text, "name"), expected, "{text}");
        }
    }
}
