//! Names that mean trouble inside any root: what holds secrets, and what programs obey.
//!
//! Both tables are about the resolved path, so a link or a `..` hides nothing, and about letters
//! without their case, because some file systems ignore it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::protected_paths::PROTECTED;

/// Directories and files that hold secrets, wherever they stand.
const SECRET: &[Pattern] = &[
    Pattern::Name(".ssh"),
    Pattern::Name(".aws"),
    Pattern::Name(".gnupg"),
    Pattern::Prefix(".netrc"),
    Pattern::Name("_netrc"),
    Pattern::Name(".s3cfg"),
    Pattern::Name(".terraformrc"),
    Pattern::Prefix(".git-credentials"),
    Pattern::Name(".claude.json"),
    Pattern::Name(".terraform.d"),
    Pattern::Name(".password-store"),
    Pattern::Name(".vault_pass"),
    Pattern::Within(".config", "rclone"),
    Pattern::Within(".config", "sops"),
    Pattern::Name(".azure"),
    Pattern::Name(".pgpass"),
    Pattern::Name(".my.cnf"),
    Pattern::Name(".npmrc"),
    Pattern::Name(".pypirc"),
    Pattern::Name(".dockercfg"),
    Pattern::Name(".htpasswd"),
    Pattern::Name(".vault-token"),
    Pattern::Name(".dev.vars"),
    Pattern::Name(".mylogin.cnf"),
    Pattern::Name(".boto"),
    Pattern::Name(".databrickscfg"),
    Pattern::Name(".snowsql"),
    Pattern::Name("rclone.conf"),
    Pattern::Name(".rclone.conf"),
    // What people typed, passwords too.
    Pattern::Name(".bash_history"),
    Pattern::Name(".zsh_history"),
    Pattern::Name(".python_history"),
    Pattern::Name(".psql_history"),
    Pattern::Name(".mysql_history"),
    Pattern::Name(".node_repl_history"),
    // Tokens of servers of tools.
    Pattern::Name("mcp-tokens"),
    Pattern::Key("id_rsa"),
    Pattern::Key("id_dsa"),
    Pattern::Key("id_ecdsa"),
    Pattern::Key("id_ed25519"),
    Pattern::Key("id_xmss"),
    Pattern::Name("ssh_host_dsa_key"),
    Pattern::Name("ssh_host_ecdsa_key"),
    Pattern::Name("ssh_host_ed25519_key"),
    Pattern::Name("ssh_host_rsa_key"),
    Pattern::Prefix(".env"),
    Pattern::Suffix(".pem"),
    Pattern::Suffix(".key"),
    Pattern::Suffix(".ppk"),
    Pattern::Suffix(".p12"),
    Pattern::Suffix(".pfx"),
    Pattern::Suffix(".jks"),
    Pattern::Suffix(".keystore"),
    Pattern::Suffix(".kdbx"),
    Pattern::Within(".docker", "config.json"),
    Pattern::Within(".kube", "config"),
    Pattern::Within(".cargo", "credentials"),
    Pattern::Within(".cargo", "credentials.toml"),
    Pattern::Within(".gem", "credentials"),
    Pattern::Within(".huggingface", "token"),
    Pattern::Within(".kaggle", "kaggle.json"),
    Pattern::Within(".pulumi", "credentials.json"),
    Pattern::Within(".streamlit", "secrets.toml"),
    Pattern::Within(".svn", "auth"),
    Pattern::Name(".hgrc"),
    Pattern::Within(".hg", "hgrc"),
    Pattern::Within(".m2", "settings.xml"),
    Pattern::Within("gh", "hosts.yml"),
    Pattern::Within("gcloud", "credentials.db"),
    Pattern::Within("gcloud", "application_default_credentials.json"),
    // The addresses of remotes may carry passwords.
    Pattern::Under(".git", &["config", "config.worktree", "credentials"]),
];

/// How names of sources end: `id_rsa_test.go` holds no key.
const SOURCES: &[&str] = &[
    ".c", ".cc", ".cpp", ".cs", ".css", ".ex", ".go", ".h", ".hpp", ".html", ".java", ".js",
    ".jsx", ".kt", ".md", ".php", ".py", ".rb", ".rs", ".scala", ".swift", ".ts", ".tsx",
];

/// Names that [`SECRET`] covers although they are made to be shared.
const SHARED: &[&str] = &[
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    // What programs trust, as packages bring it along.
    "cacert.pem",
    "id_rsa.pub",
    "id_dsa.pub",
    "id_ecdsa.pub",
    "id_ecdsa_sk.pub",
    "id_ed25519.pub",
    "id_ed25519_sk.pub",
];

/// Which components of a path a row is about. All in lower case.
pub(crate) enum Pattern {
    /// A component of this name.
    Name(&'static str),
    /// A component that begins so.
    Prefix(&'static str),
    /// A component that begins so and is no source of a program.
    Key(&'static str),
    /// A component that ends so.
    Suffix(&'static str),
    /// The second, directly inside the first.
    Within(&'static str, &'static str),
    /// Any of these, anywhere below.
    Under(&'static str, &'static [&'static str]),
}

/// Whether the path leads to what usually holds secrets: never read, never written.
///
/// `path` is relative to the root and resolved.
pub fn is_secret(path: &Path) -> bool {
    is_any(SECRET, path, SHARED)
        || without_copies(path).is_some_and(|path| is_any(SECRET, &path, SHARED))
}

/// How names of copies that editors and people make end.
const COPIES: &[&str] = &[
    "~", ".backup", ".bak", ".old", ".orig", ".save", ".swo", ".swp",
];

/// A path of names as they were before somebody made copies of them; `None` where nobody did.
fn without_copies(path: &Path) -> Option<PathBuf> {
    let may_be_copy = |name: &OsStr| {
        let name = name.as_encoded_bytes();
        let ends_in = |end: &&str| {
            let begin = name.len().checked_sub(end.len());
            begin.is_some_and(|begin| name[begin..].eq_ignore_ascii_case(end.as_bytes()))
        };
        !name.is_ascii() || name.ends_with(b"#") || COPIES.iter().any(ends_in)
    };
    if !path.iter().any(may_be_copy) {
        return None;
    }
    let own = path
        .iter()
        .map(|name| {
            let name = name.to_string_lossy().to_lowercase();
            let in_signs = || name.strip_prefix('#')?.strip_suffix('#');
            let copy = COPIES
                .iter()
                .find_map(|end| name.strip_suffix(end))
                .or_else(in_signs);
            copy.filter(|own| !own.is_empty())
                .map_or(name.clone(), str::to_owned)
        })
        .collect();
    Some(own)
}

/// Whether the path leads to what a program obeys, git or an editor for instance: never written.
///
/// `path` is relative to the root and resolved.
pub fn is_guarded(path: &Path) -> bool {
    obeyed_by(path).is_some()
}

/// Who obeys what the path leads to; see [`PROTECTED`].
pub(crate) fn obeyed_by(path: &Path) -> Option<&'static str> {
    first(path, &[], |fits| {
        let group = PROTECTED
            .iter()
            .find(|group| group.names.iter().any(fits))?;
        Some(group.reader)
    })
}

fn is_any(patterns: &[Pattern], path: &Path, except: &[&str]) -> bool {
    first(path, except, |fits| patterns.iter().any(fits).then_some(())).is_some()
}

/// What `find` gives for the first component for which it gives anything; it is asked with whether a pattern fits there.
fn first<T>(
    path: &Path,
    except: &[&str],
    find: impl Fn(&dyn Fn(&Pattern) -> bool) -> Option<T>,
) -> Option<T> {
    let mut above: Vec<String> = Vec::new();
    for component in path {
        let component = component.to_string_lossy();
        let name = folded(&component);
        // A root has many names, and few of them are short for others.
        let may_be_short = name.contains('~');
        let is = |other| name == other || (may_be_short && is_short_for(&name, other, false));
        let fits = |pattern: &Pattern| match *pattern {
            Pattern::Name(other) => is(other),
            Pattern::Prefix(prefix) => {
                name.starts_with(prefix) || (may_be_short && is_short_for(&name, prefix, true))
            }
            Pattern::Key(prefix) => {
                name.starts_with(prefix) && !SOURCES.iter().any(|end| name.ends_with(end))
            }
            Pattern::Suffix(suffix) => name.ends_with(suffix),
            Pattern::Within(directory, other) => {
                is(other)
                    && above.last().is_some_and(|parent| {
                        parent == directory || is_short_for(parent, directory, false)
                    })
            }
            Pattern::Under(directory, names) => {
                names.contains(&&*name) && above.iter().any(|above| above == directory)
            }
        };
        if !except.contains(&&*name)
            && let Some(found) = find(&fits)
        {
            return Some(found);
        }
        above.push(name.into_owned());
    }
    None
}

/// A name as the most forgiving file system compares it: without case, without the letters that HFS+ does not see, without the
/// stream behind a `:` of NTFS, without the dots and blanks at its end that some drop, and `GIT~1` as what it is short for.
/// Upper case first, since `ſ` and its like fold only that way.
fn folded(name: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.');
    if name.bytes().all(is_plain) && !name.ends_with('.') {
        return Cow::Borrowed(name);
    }
    let seen: String = name.chars().filter(|c| !is_unseen(*c)).collect();
    let folded = seen.to_uppercase().to_lowercase();
    // A name of nothing but a stream is none.
    let whole = match folded.split_once(':') {
        Some((before, _)) if !before.is_empty() => before,
        _ => folded.as_str(),
    };
    let name = whole.trim_end_matches(['.', ' ']);
    match name.strip_prefix("git~") {
        Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => ".git".into(),
        _ => Cow::Owned(name.to_owned()),
    }
}

/// Whether a name is one of eight letters and three that some file systems give a longer one besides: `VSCODE~1` for `.vscode`,
/// `MCP~1.JSO` for `.mcp.json`. With `is_begin` the longer one begins so.
fn is_short_for(name: &str, long: &str, is_begin: bool) -> bool {
    let (stem, ext) = name.rsplit_once('.').unwrap_or((name, ""));
    let Some((stem, number)) = stem.rsplit_once('~') else {
        return false;
    };
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let long = long.trim_start_matches('.');
    let (long_stem, long_ext) = match long.rsplit_once('.') {
        Some(parts) if !is_begin => parts,
        _ => (long, ""),
    };
    let letters: String = long_stem.chars().filter(|c| !". ".contains(*c)).collect();
    // Of a name of which only the beginning is known more letters may follow.
    let n_most = 7_usize.saturating_sub(number.len()).min(6);
    if is_begin {
        let n = letters.len().min(n_most);
        return stem.len() >= n && stem.starts_with(&letters[..n]);
    }
    let n = letters.len().min(n_most);
    let n_ext = long_ext.len().min(3);
    letters.is_ascii() && stem == &letters[..n] && ext == &long_ext[..n_ext]
}

/// Letters that HFS+ leaves out when it compares names, as git lists them (`utf8.c`, `next_hfs_char`).
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// A path with every name folded.
pub(crate) fn folded_path(path: &str) -> String {
    let names: Vec<Cow<'_, str>> = path.split('/').map(folded).collect();
    names.join("/")
}

/// Whether a word that is no path inside the root names what holds secrets on this machine: by its names alone, wherever it is.
pub(crate) fn is_secret_word(word: &str) -> bool {
    const ELSEWHERE: &[&str] = &["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh"];
    let is_place = |word: &str| {
        let path = Path::new(word.strip_prefix("~/").unwrap_or(word));
        is_secret(path) || ELSEWHERE.iter().any(|place| path.starts_with(place))
    };
    // git names a file of a commit behind a colon: `HEAD:.env`.
    is_place(word) || word.split_once(':').is_some_and(|(_, rest)| is_place(rest))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{is_guarded, is_secret};

    #[test]
    fn secrets_are_secret_in_every_spelling() {
        for path in [
            ".env",
            ".ENV",
            ".env ",
            ".env.",
            ".env.local",
            "a/b/.env",
            ".envrc",
            "keys/server.PEM",
            "home/.ssh/id_rsa",
            ".ſsh/known_hosts",
            ".git/config",
            "sub/.git/config",
            "x/.aws/credentials",
            "id_ed25519",
            ".netrc. .",
            "id_ed25519_sk",
            "id_rsa.bak",
            ".e\u{200d}nv",
            ".env::$DATA",
            ".git/modules/a/b/config",
            ".git/config.worktree",
            "certs/site.key",
            ".npmrc",
            "GIT~1/config",
            ".netrc.gpg",
            ".cargo/credentials.toml",
            "id_xmss",
            "_netrc",
            "id_rsa_test.pem",
            ".config/gh/hosts.yml",
            ".ai/mcp-tokens/0a1b.json",
            ".git-credentials~",
            "server.pem~",
            ".npmrc.bak",
            ".claude.json",
            "ENV~1",
            "ENV~2.LOC",
            ".config/rclone/rclone.conf",
            "#.env#",
            "server.key.save",
            ".bash_history",
            "x/.dev.vars",
            ".streamlit/secrets.toml",
            "etc/ssh/ssh_host_rsa_key",
            ".HG/hgrc",
        ] {
            assert!(is_secret(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn what_only_looks_like_a_secret_is_readable() {
        for path in [
            "",
            "env",
            "src/environment.rs",
            ".env.example",
            "a/.env.sample",
            "pem",
            "pemberton.txt",
            ".gitignore",
            ".git/HEAD",
            "config",
            ".config/git",
            "venv/lib/certifi/cacert.pem",
            "id_rsa.pub",
            "monkey",
            "id_map.rs",
            "src/id_ed25519.pub",
            "keys.rs",
            "lib/id_rsa_test.go",
            "notes.bak",
            "env.old",
            "~",
            "a:b",
        ] {
            assert!(!is_secret(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn what_programs_obey_is_guarded_at_any_depth() {
        for path in [
            ".git/hooks/pre-commit",
            "sub/.git",
            ".GIT/config",
            ".vscode/tasks.json",
            ".mcp.json",
            "a/AGENTS.md",
            ".bashrc",
            ".bash_profile",
            ".zshenv",
            ".ai/tools/x.py",
            "x/.gitattributes",
            ".g\u{200c}it/hooks/x",
            ".git::$INDEX_ALLOCATION/x",
            "git~1/x",
            "CLAUDE.md",
            ".husky/pre-commit",
            ".zlogout",
            ".config/fish/config.fish",
            ".devcontainer/devcontainer.json",
            "x/.cargo/config.toml",
            "CLAUDE.local.md",
            "a/AGENTS.override.md",
            ".config/toolglot/policy.toml",
            "VSCODE~1/tasks.json",
            "AI~1/policy.toml",
            "MCP~1.JSO",
            "GITMOD~1",
            "CLAUDE~1.MD",
            ".config/systemd/user/x.service",
            ".yarnrc.yml",
            ".helix/languages.toml",
            "x.code-workspace",
            ".ghci",
            "a/AGENT.md",
            ".pnpmfile.cjs",
            "lefthook.yml",
            ".lefthook-local.toml",
            ".pre-commit-config.yaml",
            "rust-toolchain.toml",
            ".mvn/extensions.xml",
            ".mvn/jvm.config",
            ".bazelrc",
            ".github/instructions/x.instructions.md",
            ".github/agents/a.md",
            ".kilocode/rules/x.md",
            ".openhands/microagents/repo.md",
            ".lazy.lua",
            ".ycm_extra_conf.py",
            ".watchmanconfig",
            "sub/mise.toml",
        ] {
            assert!(is_guarded(Path::new(path)), "{path}");
        }
        for path in [
            "",
            "git/x",
            ".gitignore",
            ".github/workflows/ci.yml",
            ".github/ISSUE_TEMPLATE/agents.md.txt",
            "src/lefthook/main.go",
            "toolchain/rust-toolchain.md",
            "docs/instructions.md",
            "src/agents.rs",
            "bash/.x",
            "a.git",
            "digit~1",
            "notes~1",
            "ai~x",
            "vscode~",
            "emacs",
            "docs/claude.txt",
            "fish/config.fish",
            "cargo/config.toml",
            "config.toml",
        ] {
            assert!(!is_guarded(Path::new(path)), "{path}");
        }
    }
}
