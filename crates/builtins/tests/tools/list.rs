use toolglot_value::json;

use crate::world::World;

fn tree() -> World {
    World::with(&[
        ("README.md", ""),
        ("src/main.rs", ""),
        ("src/b/mod.rs", ""),
        ("src/b/data.json", ""),
        ("target/debug/x.rs", ""),
        (".git/HEAD", ""),
        (".gitignore", "/target\n*.tmp\n!keep.tmp\n"),
        ("a.tmp", ""),
        ("keep.tmp", ""),
    ])
}

#[test]
fn a_directory_is_listed_by_name() {
    let outcome = tree().run("list_files", json!({}));
    assert_eq!(
        outcome.text,
        ".git/\n.gitignore\nREADME.md\na.tmp\nkeep.tmp\nsrc/\ntarget/\n"
    );
    assert_eq!(
        outcome.output,
        json!({"directory": ".", "files": [".gitignore", "README.md", "a.tmp", "keep.tmp"], "directories": [".git", "src", "target"],
               "others": [], "total": 7, "ignored": 0, "truncated": false})
    );
}

#[test]
fn a_deep_list_leaves_out_what_git_ignores_and_says_so() {
    let text = tree().text("list_files", json!({"path": ".", "recursive": true}));
    assert_eq!(
        text,
        ".gitignore\nREADME.md\nkeep.tmp\nsrc/\nsrc/b/\nsrc/b/data.json\nsrc/b/mod.rs\nsrc/main.rs\n[3 entries left out, as git does]\n"
    );
}

#[test]
fn an_ignored_directory_is_listed_when_it_is_named() {
    let text = tree().text("list_files", json!({"path": "target", "recursive": true}));
    assert_eq!(text, "debug/\ndebug/x.rs\n");
}

#[test]
fn inner_ignore_files_win_over_outer_ones() {
    let world = World::with(&[
        (".gitignore", "*.log\n"),
        ("a/.gitignore", "!*.log\n/b\n"),
        ("a/x.log", ""),
        ("a/b/y", ""),
        ("c/x.log", ""),
        ("c/b/y", ""),
    ]);
    let files = world.run("list_files", json!({"recursive": true})).output["files"].clone();
    assert_eq!(
        files,
        json!([".gitignore", "a/.gitignore", "a/x.log", "c/b/y"])
    );
    // In a subdirectory the rules of its parents still apply.
    let files = world
        .run("list_files", json!({"path": "c", "recursive": true}))
        .output["files"]
        .clone();
    assert_eq!(files, json!(["b/y"]));
}

#[test]
fn patterns_are_about_names_or_about_paths() {
    let world = tree();
    let files = |arguments| world.run("list_files", arguments).output["files"].clone();
    assert_eq!(files(json!({"pattern": "*.rs"})), json!([]));
    assert_eq!(
        files(json!({"pattern": "*.rs", "recursive": true})),
        json!(["src/b/mod.rs", "src/main.rs"])
    );
    assert_eq!(
        files(json!({"pattern": "**/*.{rs,json}"})),
        json!(["src/b/data.json", "src/b/mod.rs", "src/main.rs"])
    );
    assert_eq!(
        files(json!({"pattern": "./src/*.rs"})),
        json!(["src/main.rs"])
    );
    // A schema's default may fill in `recursive`.
    assert_eq!(
        files(json!({"pattern": "**/*.json", "recursive": false})),
        json!(["src/b/data.json"])
    );
    assert_eq!(
        files(json!({"path": "src", "pattern": "b/*"})),
        json!(["b/data.json", "b/mod.rs"])
    );
    assert_eq!(
        world.text("list_files", json!({"pattern": "*.py"})),
        "[nothing here fits the pattern]\n"
    );
    assert_eq!(
        world.code("list_files", json!({"pattern": "src/["})),
        "bad-glob"
    );
}

#[test]
fn what_cannot_be_listed_is_told() {
    let world = tree();
    assert_eq!(
        world.code("list_files", json!({"path": "README.md"})),
        "not-directory"
    );
    assert_eq!(
        world.code("list_files", json!({"path": "nope"})),
        "not-found"
    );
    assert_eq!(
        world.code("list_files", json!({"path": ""})),
        "unusable-path"
    );
    assert_eq!(
        world.code("list_files", json!({"recursive": "yes"})),
        "wrong-type"
    );
    world.text("create_directory", json!({"path": "empty"}));
    assert_eq!(
        world.text("list_files", json!({"path": "empty"})),
        "[the directory is empty]\n"
    );
}

#[test]
fn a_great_tree_is_cut_and_says_so() {
    let world = World::new();
    for directory in 0..10 {
        for file in 0..10 {
            world.put(&format!("d{directory}/f{file}"), "");
        }
    }
    let world = world.limited(|limits| limits.entries = 25);
    let outcome = world.run("list_files", json!({"recursive": true}));
    assert_eq!(
        [&outcome.output["total"], &outcome.output["truncated"]],
        [&json!(25), &json!(true)]
    );
    assert!(
        outcome.text.contains("[cut after 25 entries"),
        "{}",
        outcome.text
    );

    let world = world.limited(|limits| limits.visits = 15);
    let outcome = world.run(
        "list_files",
        json!({"recursive": true, "pattern": "nothing"}),
    );
    assert_eq!(
        [&outcome.output["total"], &outcome.output["truncated"]],
        [&json!(0), &json!(true)]
    );
}

#[test]
fn a_deep_tree_is_not_followed_to_its_end() {
    let world = World::new();
    world.put(&format!("{}end", "d/".repeat(300)), "");
    let outcome = world.run("list_files", json!({"recursive": true}));
    assert_eq!(outcome.output["total"], 64);
    assert!(
        outcome.text.contains("[1 directory not entered"),
        "{}",
        outcome.text
    );
}
