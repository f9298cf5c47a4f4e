//! What the user's own settings tell git: who commits, and whose trees may be worked in. They are not seen in the sandbox.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Who commits, by the variables in which git takes it.
const WHO: [(&str, [&str; 2]); 2] = [
    ("name", ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"]),
    ("email", ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"]),
];

/// The settings that are asked for.
const ASKED: &str = r"^(user\.(name|email)|safe\.directory)$";

/// More bytes than settings of a repository have.
const LONGEST: u64 = 1 << 20;

/// Settings by their names, in order; of equal names the last counts, but for lists.
type Settings = Vec<(String, String)>;

/// Says in `env` who commits in the directory `cwd` of the root: as the environment says, or else the user's settings, unless
/// the repository has a name of its own, which git finds there.
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

/// Trees of others that the user's settings trust (`safe.directory`). A repository's own settings cannot say that.
pub(crate) fn trusted() -> impl Iterator<Item = String> {
    let home = std::env::var("HOME").unwrap_or_default();
    let values = own().iter().filter(|(key, _)| key == "safe.directory");
    // In the sandbox home is another.
    values.map(move |(_, value)| match value.strip_prefix("~/") {
        Some(rest) => format!("{home}/{rest}"),
        None => value.clone(),
    })
}

/// What the user's settings say, asked of git itself, as they include others and have quotes. Found out once.
fn own() -> &'static Settings {
    static OWN: OnceLock<Settings> = OnceLock::new();
    OWN.get_or_init(|| {
        let output = Command::new("git")
            .args(["config", "--includes", "--null", "--get-regexp", ASKED])
            // Where no repository has a say.
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

/// The settings of the repository around `cwd`, as far as the root goes; nothing of what they include.
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
        // What is no text has no name either.
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
