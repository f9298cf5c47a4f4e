//! Protected paths: files and directories that some program obeys at its next run. A write there acts outside of its
//! call.
//!
//! One table, grouped by the program that reads the names. A source is a page of the program's own manual; where a
//! group has several programs, it is the manual of the first. The table leaves out what a project's own build runs
//! anyway (`Makefile`, `package.json`, `build.rs`): a caller that may change the sources may change these files too.

use crate::name_pattern::NamePattern::{self, Name, Prefix, Suffix, Within};

/// Names that one kind of program obeys.
pub(crate) struct ProtectedPaths {
    /// The programs that obey the names, for people.
    pub(crate) reader: &'static str,
    /// The page that documents the names.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "only the table of the documentation shows it")
    )]
    pub(crate) source: &'static str,
    /// The names, in lower case.
    pub(crate) names: &'static [NamePattern],
}

/// All groups of protected paths.
pub(crate) const PROTECTED: &[ProtectedPaths] = &[
    ProtectedPaths {
        reader: "git",
        source: "https://git-scm.com/docs/gitrepository-layout",
        names: &[
            // A file of this name redirects git as well, so the name is protected, not only the directory.
            Name(".git"),
            Name(".gitmodules"),
            Name(".gitattributes"),
            Name(".gitconfig"),
            Name(".lfsconfig"),
            Within(".config", "git"),
        ],
    },
    ProtectedPaths {
        reader: "other version control",
        source: "https://www.mercurial-scm.org/doc/hgrc.5.html",
        names: &[Name(".hg"), Name(".hgrc"), Name(".svn"), Name(".jj")],
    },
    ProtectedPaths {
        reader: "managers of git hooks",
        source: "https://pre-commit.com/#plugins",
        names: &[
            Prefix(".pre-commit-config."),
            Name(".husky"),
            Name(".githooks"),
            Prefix("lefthook."),
            Prefix(".lefthook."),
            Prefix("lefthook-local."),
            Prefix(".lefthook-local."),
            Name(".overcommit.yml"),
            Name("captainhook.json"),
            Prefix(".simple-git-hooks."),
            Prefix("simple-git-hooks."),
        ],
    },
    ProtectedPaths {
        reader: "toolglot",
        source: "docs/security.md",
        names: &[
            Name(".ai"),
            // The journal that can undo a run.
            Within("state", "toolglot"),
            // The user's policy.
            Within(".config", "toolglot"),
        ],
    },
    ProtectedPaths {
        reader: "agents: instructions, rules and settings",
        source: "https://agents.md",
        names: &[
            Name(".mcp.json"),
            Name("agent.md"),
            Name("agents.md"),
            Name("agents.override.md"),
            Name("claude.md"),
            Name("claude.local.md"),
            Name("warp.md"),
            Name("gemini.md"),
            Name("qwen.md"),
            Name("replit.md"),
            Name(".claude"),
            Name(".codex"),
            Name(".roo"),
            Name(".roomodes"),
            Prefix(".roorules"),
            Name(".cline"),
            Prefix(".clinerules"),
            Prefix(".kilocode"),
            Name(".cursor"),
            Name(".cursorrules"),
            Name(".windsurf"),
            Name(".windsurfrules"),
            Prefix(".openhands"),
            Name(".goosehints"),
            Name(".kiro"),
            Name(".continue"),
            Name(".continuerules"),
            Name("opencode.json"),
            Name("opencode.jsonc"),
            Name(".opencode"),
            Name(".gemini"),
            Name(".qwen"),
            Name(".trae"),
            Name(".junie"),
            Name(".agent"),
            Name(".agents"),
            Name(".amazonq"),
            Name(".augment"),
            Name(".augment-guidelines"),
            Name(".crush"),
            Name(".crush.json"),
            Name("crush.json"),
            Name(".factory"),
            Name(".rovodev"),
            Name(".rules"),
            Prefix(".aider.conf."),
            Name(".aider.model.settings.yml"),
        ],
    },
    ProtectedPaths {
        reader: "GitHub Copilot",
        source: "https://docs.github.com/en/copilot/customizing-copilot/adding-repository-custom-instructions-for-github-copilot",
        names: &[
            Name("copilot-instructions.md"),
            Within(".github", "instructions"),
            Within(".github", "agents"),
            Within(".github", "prompts"),
            Within(".github", "chatmodes"),
            Within(".github", "hooks"),
            Suffix(".instructions.md"),
            Suffix(".chatmode.md"),
            Suffix(".agent.md"),
        ],
    },
    ProtectedPaths {
        reader: "editors",
        source: "https://code.visualstudio.com/docs/editor/workspace-trust",
        names: &[
            Name(".vscode"),
            Suffix(".code-workspace"),
            Name(".vs"),
            Name(".idea"),
            Name(".fleet"),
            Name(".zed"),
            Name(".helix"),
            Name(".vimrc"),
            Name(".lvimrc"),
            Name(".nvimrc"),
            Name(".nvim.lua"),
            Name(".lazy.lua"),
            Name(".neoconf.json"),
            Name(".vimspector.json"),
            Name(".ycm_extra_conf.py"),
            Name(".exrc"),
            Name(".vim"),
            Within(".config", "nvim"),
            Name(".dir-locals.el"),
            Name(".dir-locals-2.el"),
            Name(".emacs"),
            Name(".emacs.d"),
            Name(".kateproject"),
        ],
    },
    ProtectedPaths {
        reader: "development containers",
        source: "https://containers.dev/implementors/spec/",
        names: &[
            Name(".devcontainer"),
            Name(".devcontainer.json"),
            Name(".gitpod.yml"),
            Name("devfile.yaml"),
            Name(".devfile.yaml"),
        ],
    },
    ProtectedPaths {
        reader: "shells and terminals",
        source: "https://www.gnu.org/software/bash/manual/html_node/Bash-Startup-Files.html",
        names: &[
            // Both secret and obeyed, as `.npmrc` is: a program may create one where none exists.
            Name(".envrc"),
            Name(".profile"),
            Prefix(".bash"),
            Prefix(".zsh"),
            Name(".zprofile"),
            Prefix(".zlog"),
            Within(".config", "fish"),
            Name(".xonshrc"),
            Name(".kshrc"),
            Name(".cshrc"),
            Name(".tcshrc"),
            Name(".login"),
            Name(".xprofile"),
            Name(".xinitrc"),
            Name(".inputrc"),
            Name(".screenrc"),
            Name(".tmux.conf"),
            Name(".pam_environment"),
            Within(".config", "systemd"),
            Within(".config", "autostart"),
        ],
    },
    ProtectedPaths {
        reader: "interpreters, debuggers and clients when they start",
        source: "https://sourceware.org/gdb/current/onlinedocs/gdb.html/Init-File-in-the-Current-Directory.html",
        names: &[
            Name(".gdbinit"),
            Name(".lldbinit"),
            Name(".irbrc"),
            Name(".pdbrc"),
            Name(".rprofile"),
            Name(".pryrc"),
            Name(".ghci"),
            Name(".ocamlinit"),
            Name(".octaverc"),
            Name(".sqliterc"),
            Name(".psqlrc"),
            Name(".curlrc"),
            Name(".wgetrc"),
            Name(".ripgreprc"),
            Name(".watchmanconfig"),
        ],
    },
    ProtectedPaths {
        reader: "package managers, builders and managers of versions",
        source: "https://doc.rust-lang.org/cargo/reference/config.html",
        names: &[
            Within(".cargo", "config"),
            Within(".cargo", "config.toml"),
            // These may name the path of a custom toolchain.
            Name("rust-toolchain"),
            Name("rust-toolchain.toml"),
            Name(".npmrc"),
            Name(".yarnrc.yml"),
            Name(".yarnrc"),
            Prefix(".pnpmfile."),
            Name("bunfig.toml"),
            Name(".mvn"),
            Name(".bazelrc"),
            Name(".bazeliskrc"),
            Name(".buckconfig"),
            Name(".sbtopts"),
            Name(".jvmopts"),
            Name(".mise.toml"),
            Name("mise.toml"),
            Name(".mise"),
            Name(".tool-versions"),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::PROTECTED;

    /// The table of the documentation, as it follows from [`PROTECTED`].
    fn table() -> String {
        let rows = PROTECTED.iter().map(|group| {
            let names: Vec<String> = group
                .names
                .iter()
                .map(|name| format!("`{}`", name.written()))
                .collect();
            let source = if group.source.starts_with("https://") {
                format!("[source]({})", group.source)
            } else {
                "this page".to_owned()
            };
            format!("| {} ({source}) | {} |\n", group.reader, names.join(" "))
        });
        format!(
            "| who obeys them | names, in any spelling that some file system takes for them |\n|---|---|\n{}",
            rows.collect::<String>()
        )
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "a skipped test is reported loudly")]
    fn the_documentation_lists_the_names() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/security.md");
        let Ok(text) = std::fs::read_to_string(page) else {
            eprintln!(
                "SKIPPED: {page} is not there; it comes with the repository, not with the package"
            );
            return;
        };
        let table = table();
        assert!(
            text.contains(&table),
            "docs/security.md has another table; this is the right one:\n{table}"
        );
    }
}
