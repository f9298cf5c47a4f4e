//! Names that are dangerous inside any root: files that hold secrets, and files that programs obey.
//!
//! Both tables match the resolved path, so that a link or a `..` hides nothing. Both ignore case, because some file
//! systems do.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::name_pattern::{NamePattern, find, is_any};
use crate::protected_paths::PROTECTED;

/// Directories and files that hold secrets, in any directory.
const SECRET: &[NamePattern] = &[
    NamePattern::Name(".ssh"),
    NamePattern::Name(".aws"),
    NamePattern::Name(".gnupg"),
    NamePattern::Prefix(".netrc"),
    NamePattern::Name("_netrc"),
    NamePattern::Name(".s3cfg"),
    NamePattern::Name(".terraformrc"),
    NamePattern::Prefix(".git-credentials"),
    NamePattern::Name(".claude.json"),
    NamePattern::Name(".terraform.d"),
    NamePattern::Name(".password-store"),
    NamePattern::Name(".vault_pass"),
    NamePattern::Within(".config", "rclone"),
    NamePattern::Within(".config", "sops"),
    NamePattern::Name(".azure"),
    NamePattern::Name(".pgpass"),
    NamePattern::Name(".my.cnf"),
    NamePattern::Name(".npmrc"),
    NamePattern::Name(".pypirc"),
    NamePattern::Name(".dockercfg"),
    NamePattern::Name(".htpasswd"),
    NamePattern::Name(".vault-token"),
    NamePattern::Name(".dev.vars"),
    NamePattern::Name(".mylogin.cnf"),
    NamePattern::Name(".boto"),
    NamePattern::Name(".databrickscfg"),
    NamePattern::Name(".snowsql"),
    NamePattern::Name("rclone.conf"),
    NamePattern::Name(".rclone.conf"),
    // Histories of typed lines, which may contain passwords.
    NamePattern::Name(".bash_history"),
    NamePattern::Name(".zsh_history"),
    NamePattern::Name(".python_history"),
    NamePattern::Name(".psql_history"),
    NamePattern::Name(".mysql_history"),
    NamePattern::Name(".node_repl_history"),
    // Tokens of MCP servers.
    NamePattern::Name("mcp-tokens"),
    NamePattern::Key("id_rsa"),
    NamePattern::Key("id_dsa"),
    NamePattern::Key("id_ecdsa"),
    NamePattern::Key("id_ed25519"),
    NamePattern::Key("id_xmss"),
    NamePattern::Name("ssh_host_dsa_key"),
    NamePattern::Name("ssh_host_ecdsa_key"),
    NamePattern::Name("ssh_host_ed25519_key"),
    NamePattern::Name("ssh_host_rsa_key"),
    NamePattern::Prefix(".env"),
    NamePattern::Suffix(".pem"),
    NamePattern::Suffix(".key"),
    NamePattern::Suffix(".ppk"),
    NamePattern::Suffix(".p12"),
    NamePattern::Suffix(".pfx"),
    NamePattern::Suffix(".jks"),
    NamePattern::Suffix(".keystore"),
    NamePattern::Suffix(".kdbx"),
    NamePattern::Within(".docker", "config.json"),
    NamePattern::Within(".kube", "config"),
    NamePattern::Within(".cargo", "credentials"),
    NamePattern::Within(".cargo", "credentials.toml"),
    NamePattern::Within(".gem", "credentials"),
    NamePattern::Within(".huggingface", "token"),
    NamePattern::Within(".kaggle", "kaggle.json"),
    NamePattern::Within(".pulumi", "credentials.json"),
    NamePattern::Within(".streamlit", "secrets.toml"),
    NamePattern::Within(".svn", "auth"),
    NamePattern::Name(".hgrc"),
    NamePattern::Within(".hg", "hgrc"),
    NamePattern::Within(".m2", "settings.xml"),
    NamePattern::Within("gh", "hosts.yml"),
    NamePattern::Within("gcloud", "credentials.db"),
    NamePattern::Within("gcloud", "application_default_credentials.json"),
    // The addresses of remotes may carry passwords.
    NamePattern::Under(".git", &["config", "config.worktree", "credentials"]),
];

/// Names that [`SECRET`] covers, but that are made to be shared.
const SHARED: &[&str] = &[
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    // Public root certificates, as packages ship them.
    "cacert.pem",
    "id_rsa.pub",
    "id_dsa.pub",
    "id_ecdsa.pub",
    "id_ecdsa_sk.pub",
    "id_ed25519.pub",
    "id_ed25519_sk.pub",
];

/// Whether the path leads to a file that usually holds secrets: it is never read and never written.
///
/// `path` is relative to the root and resolved.
pub fn is_secret(path: &Path) -> bool {
    is_any(SECRET, path, SHARED)
        || without_copies(path).is_some_and(|path| is_any(SECRET, &path, SHARED))
}

/// Suffixes of copies that editors and people make.
const COPIES: &[&str] = &[
    "~", ".backup", ".bak", ".old", ".orig", ".save", ".swo", ".swp",
];

/// The path without the suffixes and signs of copies in its names; `None` if no name has one.
fn without_copies(path: &Path) -> Option<PathBuf> {
    let may_be_copy = |name: &OsStr| {
        let name = name.as_encoded_bytes();
        let ends_in = |end: &&str| {
            let start = name.len().checked_sub(end.len());
            start.is_some_and(|start| name[start..].eq_ignore_ascii_case(end.as_bytes()))
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

/// Whether the path leads to a file that a program obeys, git or an editor for instance: it is never written.
///
/// `path` is relative to the root and resolved.
pub fn is_guarded(path: &Path) -> bool {
    obeyed_by(path).is_some()
}

/// The programs that obey the file at the path; see [`PROTECTED`].
pub(crate) fn obeyed_by(path: &Path) -> Option<&'static str> {
    find(path, &[], |fits| {
        let group = PROTECTED
            .iter()
            .find(|group| group.names.iter().any(fits))?;
        Some(group.reader)
    })
}

/// Whether a word that is not a path inside the root names a file with secrets on this machine. Only the names count.
pub(crate) fn is_secret_word(word: &str) -> bool {
    const ELSEWHERE: &[&str] = &["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh"];
    let is_place = |word: &str| {
        let path = Path::new(word.strip_prefix("~/").unwrap_or(word));
        is_secret(path) || ELSEWHERE.iter().any(|place| path.starts_with(place))
    };
    // git names a file of a commit after a colon: `HEAD:.env`.
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
