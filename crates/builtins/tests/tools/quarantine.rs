//! Names that other programs obey and that a program created.

use std::fs;
use std::path::{Path, PathBuf};

use toolglot_builtins::{ProgramSandbox, Root};
use toolglot_policy::is_guarded;
use toolglot_value::json;

use crate::world::{World, has_namespaces};

/// A world whose commands may change the root, or `None` with a message where there are no namespaces.
fn world(files: &[(&str, &str)]) -> Option<World> {
    if !has_namespaces("quarantine") {
        return None;
    }
    Some(World::with(files).changed(|root: Root| {
        root.with_sandbox(ProgramSandbox {
            may_write: true,
            ..ProgramSandbox::default()
        })
    }))
}

/// The paths of all files and links in the root.
fn files(world: &World) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut stack = vec![world.at("")];
    while let Some(directory) = stack.pop() {
        for entry in fs::read_dir(directory).expect("readable").flatten() {
            if entry.file_type().expect("known").is_dir() {
                stack.push(entry.path());
            } else {
                let path = entry.path();
                found.push(path.strip_prefix(world.at("")).expect("inside").to_owned());
            }
        }
    }
    found.sort();
    found
}

/// A script that plants a file, and the path that must not exist afterwards. Every script writes `EVIL`.
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
    // By a link, by a rename, and by a move out of a build directory.
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
    // In directories without permissions afterwards.
    (
        "mkdir -p s/.vscode; echo EVIL > s/.vscode/tasks.json; chmod 500 s",
        "s/.vscode",
    ),
    (
        "mkdir -p s/t/.vscode; echo EVIL > s/t/.vscode/tasks.json; chmod 0 s/t s",
        "s/t/.vscode",
    ),
    // By a process that outlives the command and waits for the inspection.
    (
        "(setsid sh -c 'sleep 0.3; echo EVIL > .envrc' &) ; echo EVIL > a; sleep 0.6",
        ".envrc",
    ),
    (
        "while :; do echo EVIL >> .envrc; done & sleep 0.1",
        ".envrc",
    ),
    // A new repository.
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
        "git init -q; mkdir .git/rebase-merge; echo ' x EVIL' > .git/rebase-merge/git-rebase-todo",
        ".git/rebase-merge/git-rebase-todo",
    ),
    (
        "git init -q; mkdir evil; echo 'exec EVIL' > evil/git-rebase-todo; ln -s ../evil .git/rebase-merge",
        ".git/rebase-merge",
    ),
    (
        "git init -q; mkdir -p .git/worktrees/x/rebase-merge; echo 'exec EVIL' > .git/worktrees/x/rebase-merge/git-rebase-todo",
        ".git/worktrees/x/rebase-merge/git-rebase-todo",
    ),
    (
        "git init -q; mkdir -p .git/modules/x/rebase-merge; echo x > .git/modules/x/HEAD; echo 'exec EVIL' > .git/modules/x/rebase-merge/git-rebase-todo",
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
        // A shell needs its own grant; there is no policy here.
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
        // No planted file is lost.
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
    // Without new names there is no remark.
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
    // The files of a clone stay in place, and the result names them.
    world.put("src/.vscode/tasks.json", "x\n");
    world.put("src/CLAUDE.md", "x\n");
    git("src", &["add", "."]);
    git("src", &["commit", "-qm", "b"]);
    let outcome = run("git clone -q --no-local src second");
    assert!(outcome.text.contains("`second/.vscode`"), "{outcome:?}");
    assert!(world.at("second/CLAUDE.md").exists());
    // The files of another program's repository do not stay.
    let shell = "{ git init -q third; mkdir third/.vscode; echo x > third/.vscode/tasks.json; }";
    let outcome = world.run("execute_command", json!({"command": shell}));
    assert!(outcome.text.contains("`third/.vscode`"), "{outcome:?}");
    assert!(!world.at("third/.vscode").exists());
}

/// Makes a repository at `$1` that runs `touch MARK` when git looks at it, with more settings of `core` in `$2`.
const EVIL: &str = r#"evil() {
  mkdir -p "$1/objects" "$1/refs"; echo 'ref: refs/heads/m' > "$1/HEAD"
  printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n%b\tfsmonitor = "touch MARK; false"\n' "$2" > "$1/config"
}
plain() { mkdir -p "$1/objects" "$1/refs"; echo 'ref: refs/heads/m' > "$1/HEAD"; printf '[core]\n\tbare = false\n' > "$1/config"; }
"#;

/// A script that plants settings that make git run a program, and the path that must not exist afterwards. Then a
/// directory, and the git command that runs the program there.
const RUN_BY_GIT: &[(&str, &str, &str, &str)] = &[
    // Files that lead to unsearched directories: below a worktree, below a submodule, into build directories.
    (
        "git init -q; mkdir sub; evil .git/worktrees/a/evil; echo 'gitdir: ../.git/worktrees/a/evil' > sub/.git",
        "sub/.git",
        "sub",
        "status",
    ),
    (
        "git init -q; mkdir sub; evil .git/worktrees/a/modules/x; echo 'gitdir: ../.git/worktrees/a/modules/x' > sub/.git",
        "sub/.git",
        "sub",
        "status",
    ),
    (
        "git init -q; mkdir sub; plain .git/modules/a; evil .git/modules/a/evil; echo 'gitdir: ../.git/modules/a/evil' > sub/.git",
        "sub/.git",
        "sub",
        "status",
    ),
    (
        "mkdir sub; evil target/e/.git/modules/x; echo 'gitdir: ../target/e/.git/modules/x' > sub/.git",
        "sub/.git",
        "sub",
        "status",
    ),
    (
        "mkdir sub; evil target/e/.git; mkdir -p target/e/.git/worktrees/x; cd target/e/.git/worktrees/x; \
         echo ../.. > commondir; cp ../../HEAD .; cd ../../../../..; echo 'gitdir: ../target/e/.git/worktrees/x' > sub/.git",
        "sub/.git",
        "sub",
        "status",
    ),
    (
        "git init -q; plain .git/modules/x; evil target/e/.git/modules/x; mkdir -p target/e/d sub; ln -s ../target/e/d sub/l; \
         echo 'gitdir: l/../.git/modules/x' > sub/.git; mkdir -p sub/.git2",
        "sub/.git",
        "sub",
        "status",
    ),
    (
        "git init -q; mkdir sub; plain .git/modules/x; evil '.git/modules/x '; echo 'gitdir: ../.git/modules/x ' > sub/.git",
        "sub/.git",
        "sub",
        "status",
    ),
    // Repositories with any name.
    (
        "evil docs '\\tworktree = .\\n'",
        "docs/HEAD",
        "docs",
        "status",
    ),
    ("evil src '\\tworktree = .\\n'", "src/HEAD", "src", "status"),
    ("evil . '\\tworktree = .\\n'", "HEAD", "", "status"),
    (
        "plain e/c; printf '[remote \"o\"]\\n\\turl = ext::touch MARK\\n' >> e/c/config; mkdir docs; mv e/c/HEAD docs; echo ../e/c > docs/commondir",
        "docs/HEAD",
        "docs",
        "fetch o",
    ),
    // Settings.
    (
        "git init -q; printf '[core] fsmonitor = \"touch MARK; false\" #]\\n' >> .git/config",
        ".git/config",
        "",
        "status",
    ),
    (
        "git init -q; printf '[remote \"o\"]\\n\\turl = e\"xt\"::touch MARK\\n' >> .git/config",
        ".git/config",
        "",
        "fetch o",
    ),
    (
        "git init -q; printf '[branch \"m\"]\\n\\tremote = ext::touch MARK\\n\\tmerge = refs/heads/x\\n' >> .git/config; \
         echo 'ref: refs/heads/m' > .git/HEAD",
        ".git/config",
        "",
        "fetch",
    ),
];

#[test]
fn git_runs_nothing_that_was_planted() {
    for (script, planted, directory, words) in RUN_BY_GIT {
        let files = [("src/own", "x\n")];
        let Some(world) = world(&files) else {
            return;
        };
        let script_in = |world: &World| {
            let marker = world.out().join("ran");
            format!("{EVIL}{script}").replace("MARK", &marker.display().to_string())
        };
        let git_runs_it = |world: &World| {
            let status = std::process::Command::new("git")
                .args(words.split(' '))
                .current_dir(world.at(directory))
                .env("HOME", world.out())
                .env(
                    "GIT_CEILING_DIRECTORIES",
                    world.out().parent().expect("above"),
                )
                .env("GIT_ALLOW_PROTOCOL", "ext")
                .output();
            status.expect("git is there");
            world.out().join("ran").exists()
        };
        // Without a sandbox the program runs, so the row is a real attack.
        let open = World::with(&files);
        let status = std::process::Command::new("sh")
            .args(["-c", &script_in(&open)])
            .current_dir(open.at(""))
            .env("HOME", open.out())
            .status();
        assert!(status.expect("there is a shell").success(), "{script}");
        assert!(git_runs_it(&open), "{script}");

        world.put("plant.sh", script_in(&world));
        let outcome = world.run("execute_command", json!({"command": "sh plant.sh"}));
        assert!(
            outcome.text.contains("[moved aside"),
            "{script}: {outcome:?}"
        );
        assert!(
            world.at(planted).symlink_metadata().is_err(),
            "{script}: {outcome:?}"
        );
        assert!(!git_runs_it(&world), "{script}: {outcome:?}");
        assert_eq!(world.content("src/own"), "x\n");
    }
}

/// git itself writes the todo list of a rebase, and `git log --output` writes any file.
#[test]
fn a_rebase_gets_no_command_from_a_program() {
    let Some(world) = world(&[("f", "1\n")]) else {
        return;
    };
    let git = |words: &str| {
        let output = std::process::Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b.test"])
            .args(words.split(' '))
            .current_dir(world.at(""))
            .env("HOME", world.out())
            .output();
        output.expect("git is there").status.success()
    };
    assert!(git("init -q -b main") && git("add f") && git("commit -qm 1"));
    assert!(git("checkout -q -b side"));
    world.put("f", "2\n");
    assert!(git("commit -qam 2") && git("checkout -q main"));
    world.put("f", "3\n");
    assert!(git("commit -qam 3"));
    let todo = ".git/rebase-merge/git-rebase-todo";
    // The user's own rebase stops at a conflict, with a pending command.
    assert!(!git("rebase -x true side"));
    let own = world.content(todo);
    assert!(own.contains("exec true"), "{own}");
    let outcome = world.run("execute_command", json!({"command": "git status"}));
    assert_eq!(world.content(todo), own, "{outcome:?}");

    let write = format!("git log -1 --format=tformat:exec%x20EVIL --output={todo}");
    let outcome = world.run("execute_command", json!({"command": write}));
    assert!(outcome.text.contains("[moved aside"), "{outcome:?}");
    assert!(!world.at(todo).exists(), "{outcome:?}");
}

#[test]
fn what_git_obeys_in_a_bare_repository_of_the_user_stays() {
    let Some(world) = world(&[("own", "x\n")]) else {
        return;
    };
    let git = |directory: &str, words: &[&str]| {
        let status = std::process::Command::new("git")
            .args(words)
            .current_dir(world.at(directory))
            .status();
        assert!(status.expect("git runs").success(), "{words:?}");
    };
    git("", &["init", "-q", "--bare", "store"]);
    git("store", &["config", "alias.s", "!true"]);
    let config = world.content("store/config");
    let command = "{ echo '[core] pager = EVIL' >> store/config; echo EVIL > store/hooks/update; echo EVIL > store/commondir; true | cat; }";
    let outcome = world.run("execute_command", json!({"command": command}));
    assert_eq!(world.content("store/config"), config, "{outcome:?}");
    assert!(!world.at("store/hooks/update").exists(), "{outcome:?}");
    assert!(!world.at("store/commondir").exists(), "{outcome:?}");
    assert!(world.at("store/HEAD").exists(), "{outcome:?}");
    assert!(outcome.text.contains("`store/commondir`"), "{outcome:?}");
}

#[test]
fn files_that_lead_to_submodules_and_their_trees_stay() {
    let Some(world) = world(&[("src/a", "x\n")]) else {
        return;
    };
    let make = "set -e; git init -q src; cd src; git config user.name n; git config user.email a@b; git add a; git commit -qm a; cd ..; \
        git -c protocol.file.allow=always clone -q --no-local src top; cd top; \
        git -c protocol.file.allow=always submodule --quiet add ../src parts/sub; git -C parts/sub worktree add -q ../../../tree";
    world.put("make.sh", make);
    let outcome = world.run("execute_command", json!({"command": "sh make.sh"}));
    assert!(outcome.ok, "{outcome:?}");
    for path in ["top/parts/sub/.git", "tree/.git"] {
        assert!(world.at(path).is_file(), "{path}: {outcome:?}");
    }
}

#[test]
fn what_builtin_tools_write_meanwhile_stays_as_long_as_it_holds_that() {
    let Some(world) = world(&[("own", "x\n")]) else {
        return;
    };
    let command = "{ touch started; while [ ! -e done ]; do sleep 0.05; done; echo EVIL >> CLAUDE.md; echo EVIL > .vscode/b.json; true | cat; }";
    let outcome = std::thread::scope(|scope| {
        let program = scope.spawn(|| world.run("execute_command", json!({"command": command})));
        while !world.at("started").exists() {
            std::thread::yield_now();
        }
        for path in ["AGENTS.md", "CLAUDE.md", ".idea/a.xml", ".vscode/a.json"] {
            world.text("write_file", json!({"path": path, "content": "approved"}));
        }
        world.put("done", "");
        program.join().expect("it ends")
    });
    assert_eq!(world.content("AGENTS.md"), "approved", "{outcome:?}");
    assert_eq!(world.content(".idea/a.xml"), "approved", "{outcome:?}");
    assert!(!world.at("CLAUDE.md").exists(), "{outcome:?}");
    assert!(!world.at(".vscode").exists(), "{outcome:?}");
    assert!(outcome.text.contains("`CLAUDE.md`"), "{outcome:?}");
}
