//! Names that other programs obey, made by programs where there were none.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use toolglot_exec::{ProgramSandbox, Root};
use toolglot_policy::is_guarded;

use crate::world::World;

/// A world whose commands may change the root, or `None`, said loudly, where there are no namespaces.
fn world(files: &[(&str, &str)]) -> Option<World> {
    if toolglot_sandbox::layers().level() != Some(toolglot_sandbox::Isolation::Namespaces) {
        eprintln!("SKIPPED: there are no namespaces here");
        return None;
    }
    Some(World::with(files).changed(|root: Root| {
        root.with_sandbox(ProgramSandbox {
            may_write: true,
            ..ProgramSandbox::default()
        })
    }))
}

/// All files and links below, by their paths in the root.
fn files(world: &World) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut ahead = vec![world.at("")];
    while let Some(directory) = ahead.pop() {
        for entry in fs::read_dir(directory).expect("readable").flatten() {
            if entry.file_type().expect("known").is_dir() {
                ahead.push(entry.path());
            } else {
                let path = entry.path();
                found.push(path.strip_prefix(world.at("")).expect("inside").to_owned());
            }
        }
    }
    found.sort();
    found
}

/// What plants something, and what must not be there afterwards. Every one writes `EVIL`.
const PLANTS: &[(&str, &str)] = &[
    ("echo EVIL > .envrc", ".envrc"),
    ("echo EVIL > CLAUDE.md", "CLAUDE.md"),
    ("echo EVIL > claude.MD", "claude.MD"),
    ("echo EVIL > .mcp.json", ".mcp.json"),
    ("mkdir .vscode; echo EVIL > .vscode/tasks.json", ".vscode"),
    (
        "mkdir -p a/b/c/.vscode; echo EVIL > a/b/c/.vscode/tasks.json",
        "a/b/c/.vscode",
    ),
    (
        "mkdir -p .github/instructions; echo EVIL > .github/instructions/x.md",
        ".github/instructions",
    ),
    (
        "mkdir sub; echo EVIL > sub/x.code-workspace",
        "sub/x.code-workspace",
    ),
    (
        "mkdir sub; echo EVIL > sub/.pre-commit-config.yaml",
        "sub/.pre-commit-config.yaml",
    ),
    // By a link, by renaming, out of a directory that tools fill.
    (
        "mkdir d; echo EVIL > d/tasks.json; ln -s d .vscode",
        ".vscode",
    ),
    ("mkdir d; echo EVIL > d/tasks.json; mv d .vscode", ".vscode"),
    (
        "mkdir -p target/x/.vscode; echo EVIL > target/x/.vscode/tasks.json; mv target/x x",
        "x/.vscode",
    ),
    ("ln -s /etc/passwd .envrc; echo EVIL > a", ".envrc"),
    // In directories that are closed afterwards.
    (
        "mkdir -p s/.vscode; echo EVIL > s/.vscode/tasks.json; chmod 500 s",
        "s/.vscode",
    ),
    (
        "mkdir -p s/t/.vscode; echo EVIL > s/t/.vscode/tasks.json; chmod 0 s/t s",
        "s/t/.vscode",
    ),
    // By what stays behind and would wait for our look.
    (
        "(setsid sh -c 'sleep 0.3; echo EVIL > .envrc' &) ; echo EVIL > a; sleep 0.6",
        ".envrc",
    ),
    (
        "while :; do echo EVIL >> .envrc; done & sleep 0.1",
        ".envrc",
    ),
    // A repository where there is none.
    (
        "mkdir .git; echo EVIL > .git/config; echo EVIL > .git/HEAD",
        ".git/config",
    ),
    (
        "git init -q; mkdir -p .git/hooks; echo EVIL > .git/hooks/pre-commit",
        ".git/hooks/pre-commit",
    ),
    (
        "git init -q; mkdir -p .git/hooks; ln -sf /bin/true .git/hooks/x.sample; echo EVIL > a",
        ".git/hooks/x.sample",
    ),
    (
        "git init -q; printf '[core]\\n\\tfsmonitor = EVIL\\n' >> .git/config",
        ".git/config",
    ),
    (
        "git init -q; printf '[core]\\n\\tbare = fal\\\\\\nse\\n# EVIL' >> .git/config",
        ".git/config",
    ),
    (
        "git init -q; printf '[include]\\n\\tpath = EVIL\\n' >> .git/config",
        ".git/config",
    ),
    (
        "git init -q; printf '[include] path = EVIL\\n' >> .git/config",
        ".git/config",
    ),
    (
        "git init -q; printf '[alias]\\n\\ts = !EVIL\\n' >> .git/config",
        ".git/config",
    ),
    (
        "git init -q; printf '[remote \"o\"]\\n\\turl = ext::EVIL\\n' >> .git/config",
        ".git/config",
    ),
    (
        "git init -q; printf '[remote \"o\"]\\n\\tuploadpack = EVIL\\n' >> .git/config",
        ".git/config",
    ),
    (
        "git init -q; printf '[submodule \"o\"]\\n\\tupdate = !EVIL\\n' >> .git/config",
        ".git/config",
    ),
    (
        "git init -q; mkdir -p .git/info; echo '* filter=EVIL' > .git/info/attributes",
        ".git/info/attributes",
    ),
    (
        "git init -q; mkdir -p .git/info; echo EVIL > .git/info/exclude",
        ".git/info/exclude",
    ),
    ("git init -q; echo EVIL > .git/commondir", ".git/commondir"),
    (
        "git init -q; mkdir -p .git/worktrees/x; echo ../../../EVIL > .git/worktrees/x/commondir",
        ".git/worktrees/x/commondir",
    ),
    (
        "git init -q; mkdir -p .git/modules/x/hooks; echo x > .git/modules/x/HEAD; echo EVIL > .git/modules/x/hooks/post-checkout",
        ".git/modules",
    ),
    (
        "git init -q; mkdir -p .git/modules/a/b; echo x > .git/modules/a/b/HEAD; echo '[core] pager=EVIL' > .git/modules/a/b/config",
        ".git/modules",
    ),
    (
        "mkdir evil sub; echo EVIL > evil/config; echo 'gitdir: ../evil' > sub/.git",
        "sub/.git",
    ),
    (
        "mkdir evil sub; echo EVIL > evil/config; echo \"gitdir: $PWD/evil\" > sub/.git",
        "sub/.git",
    ),
    (
        "mkdir evil; echo EVIL > evil/config; ln -s evil .git",
        ".git",
    ),
];

#[test]
fn what_is_planted_is_moved_aside_and_named() {
    for (script, planted) in PLANTS {
        let Some(world) = world(&[("own", "x\n")]) else {
            return;
        };
        // A shell has a grant of its own; here nobody judges.
        let command = format!("true; {script}; true | cat");
        let outcome = world.run(
            "execute_command",
            json!({"command": format!("{{ {command}; }}")}),
        );
        assert!(
            world.at(planted).symlink_metadata().is_err(),
            "{script}: {outcome:?}"
        );
        assert!(
            outcome.text.contains("[moved aside"),
            "{script}: {outcome:?}"
        );
        assert!(!outcome.text.contains("WARNING"), "{script}: {outcome:?}");
        for file in files(&world) {
            let is_of_git = file.components().any(|part| part.as_os_str() == ".git");
            let is_moved = file.to_string_lossy().contains("quarantine-1.");
            let is_filled = file.starts_with("target");
            assert!(
                is_of_git || is_moved || is_filled || !is_guarded(&file),
                "{script}: {}",
                file.display()
            );
        }
        // Nothing is lost.
        let holds = |path: &PathBuf| {
            fs::read_to_string(world.at("").join(path)).is_ok_and(|text| text.contains("EVIL"))
                || path.to_string_lossy().contains("EVIL")
        };
        assert!(files(&world).iter().any(holds), "{script}");
        assert_eq!(world.content("own"), "x\n");
    }
}

#[test]
fn what_was_there_stays_where_it_is() {
    let Some(world) = world(&[
        (".vscode/tasks.json", "own"),
        ("sub/.envrc", "own"),
        (".env", "SECRET=1"),
        ("real/x", "own"),
        ("keys/.ssh/id", "own"),
    ]) else {
        return;
    };
    let link = |from: &str, to: &str| {
        std::os::unix::fs::symlink(from, world.at(to)).expect("linked");
    };
    link("real", ".idea");
    link("real", "sub/.vscode");
    link("real", "gone.instructions.md");
    let command = "rm -f sub/.vscode gone.instructions.md; mkdir sub/.vscode; echo EVIL > sub/.vscode/tasks.json; echo x > .vscode/tasks.json; true | cat";
    let outcome = world.run(
        "execute_command",
        json!({"command": format!("{{ {command}; }}")}),
    );
    assert_eq!(world.content(".vscode/tasks.json"), "own", "{outcome:?}");
    assert_eq!(world.content("sub/.envrc"), "own");
    for place in [".idea", "sub/.vscode", "gone.instructions.md"] {
        let target = fs::read_link(world.at(place));
        assert_eq!(
            target.ok().as_deref(),
            Some(Path::new("real")),
            "{place}: {outcome:?}"
        );
    }
    assert_eq!(
        world.content("sub/quarantine-1.vscode.moved/tasks.json"),
        "EVIL\n"
    );
    // Nothing new, nothing to say.
    let outcome = world.run("execute_command", json!({"command": "touch new"}));
    assert!(!outcome.text.contains("moved aside"), "{outcome:?}");
}

#[test]
fn repositories_that_git_makes_stay() {
    let Some(world) = world(&[("src/a", "x\n")]) else {
        return;
    };
    let run = |command: &str| {
        let outcome = world.run("execute_command", json!({"command": command}));
        assert!(outcome.ok, "{command}: {outcome:?}");
        assert!(
            !outcome.text.contains("moved aside"),
            "{command}: {outcome:?}"
        );
        outcome
    };
    let git = |directory: &str, words: &[&str]| {
        let status = std::process::Command::new("git")
            .args(words)
            .current_dir(world.at(directory))
            .status();
        assert!(status.expect("git runs").success(), "{words:?}");
    };
    run("git init -q src");
    git("src", &["config", "user.name", "n"]);
    git("src", &["config", "user.email", "a@b"]);
    run("cd src && git add a && git commit -qm a");
    run("git clone -q --no-local src copy");
    run("git clone -q --bare src bare");
    run("git init -q --bare other");
    run("cd src && git worktree add -q ../tree");
    run("cd tree && git status --short");
    run("cd copy && git log --oneline");
    run("cd copy && git branch x");
    assert_eq!(world.content("copy/a"), "x\n");
    assert!(world.at("tree/.git").is_file());
    // What a clone brings stays together, and is named.
    world.put("src/.vscode/tasks.json", "x\n");
    world.put("src/CLAUDE.md", "x\n");
    git("src", &["add", "."]);
    git("src", &["commit", "-qm", "b"]);
    let outcome = run("git clone -q --no-local src second");
    assert!(outcome.text.contains("`second/.vscode`"), "{outcome:?}");
    assert!(world.at("second/CLAUDE.md").exists());
    // Not so what another program calls a clone.
    let shell = "{ git init -q third; mkdir third/.vscode; echo x > third/.vscode/tasks.json; }";
    let outcome = world.run("execute_command", json!({"command": shell}));
    assert!(outcome.text.contains("`third/.vscode`"), "{outcome:?}");
    assert!(!world.at("third/.vscode").exists());
}
