//! Names that mean trouble inside any root: what holds secrets, and what programs obey.
//!
//! Both lists are about the resolved path, so a link or a `..` hides nothing, and about letters
//! without their case, because some file systems ignore it.

use std::path::Path;

/// Directories and files that hold secrets, wherever they stand.
const SECRET: &[Pattern] = &[
    Pattern::Name(".ssh"),
    Pattern::Name(".aws"),
    Pattern::Name(".gnupg"),
    Pattern::Name(".netrc"),
    Pattern::Name(".git-credentials"),
    Pattern::Name("id_rsa"),
    Pattern::Name("id_dsa"),
    Pattern::Name("id_ecdsa"),
    Pattern::Name("id_ed25519"),
    Pattern::Prefix(".env"),
    Pattern::Suffix(".pem"),
    // The addresses of remotes may carry passwords.
    Pattern::Within(".git", "config"),
];

/// Names that [`SECRET`] covers although they are made to be shared.
const SHARED: &[&str] = &[".env.example", ".env.sample", ".env.template", ".env.dist"];

/// What some program obeys when it next runs: a write here acts outside the call that made it.
const GUARDED: &[Pattern] = &[
    // A file of this name redirects git as well, so the name is guarded, not only the directory.
    Pattern::Name(".git"),
    Pattern::Name(".gitmodules"),
    Pattern::Name(".gitattributes"),
    Pattern::Name(".gitconfig"),
    Pattern::Name(".ai"),
    Pattern::Name(".mcp.json"),
    Pattern::Name(".vscode"),
    Pattern::Name(".idea"),
    Pattern::Name(".claude"),
    Pattern::Name(".codex"),
    Pattern::Name(".roo"),
    Pattern::Name(".cursor"),
    Pattern::Name(".ripgreprc"),
    Pattern::Name("agents.md"),
    Pattern::Name(".profile"),
    Pattern::Prefix(".bash"),
    Pattern::Prefix(".zsh"),
    Pattern::Name(".zprofile"),
];

/// Which components of a path a row is about. All in lower case.
enum Pattern {
    /// A component of this name.
    Name(&'static str),
    /// A component that begins so.
    Prefix(&'static str),
    /// A component that ends so.
    Suffix(&'static str),
    /// The second, directly inside the first.
    Within(&'static str, &'static str),
}

/// Whether the path leads to what usually holds secrets: never read, never written.
///
/// `path` is relative to the root and resolved.
pub fn is_secret(path: &Path) -> bool {
    is_any(SECRET, path, SHARED)
}

/// Whether the path leads to what a program obeys, git or an editor for instance: never written.
///
/// `path` is relative to the root and resolved.
pub fn is_guarded(path: &Path) -> bool {
    is_any(GUARDED, path, &[])
}

fn is_any(patterns: &[Pattern], path: &Path, except: &[&str]) -> bool {
    let mut parent = String::new();
    for component in path {
        let name = folded(&component.to_string_lossy());
        let fits = |pattern: &Pattern| match *pattern {
            Pattern::Name(other) => name == other,
            Pattern::Prefix(prefix) => name.starts_with(prefix),
            Pattern::Suffix(suffix) => name.ends_with(suffix),
            Pattern::Within(directory, other) => parent == directory && name == other,
        };
        if !except.contains(&name.as_str()) && patterns.iter().any(fits) {
            return true;
        }
        parent = name;
    }
    false
}

/// A name as the most forgiving file system compares it: without case, and without the dots and
/// blanks at its end that some drop. Upper case first, since `ſ` and its like fold only that way.
fn folded(name: &str) -> String {
    let folded = name.to_uppercase().to_lowercase();
    folded.trim_end_matches(['.', ' ']).to_owned()
}

/// A path with every name folded.
pub(crate) fn folded_path(path: &str) -> String {
    let names: Vec<String> = path.split('/').map(folded).collect();
    names.join("/")
}

/// Whether a word that is no path inside the root names what holds secrets on this machine: by its names alone, wherever it is.
pub(crate) fn is_secret_word(word: &str) -> bool {
    const ELSEWHERE: &[&str] = &["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh"];
    let path = Path::new(word.strip_prefix("~/").unwrap_or(word));
    is_secret(path) || ELSEWHERE.iter().any(|place| path.starts_with(place))
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
            "id_rsa.pub",
            "docs/.git/refs/config",
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
        ] {
            assert!(is_guarded(Path::new(path)), "{path}");
        }
        for path in [
            "",
            "git/x",
            ".gitignore",
            ".github/workflows/ci.yml",
            "src/agents.rs",
            "bash/.x",
            "a.git",
        ] {
            assert!(!is_guarded(Path::new(path)), "{path}");
        }
    }
}
