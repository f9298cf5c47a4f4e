//! `edit_file`, `delete_file`, `move_file`.

use toolglot_value::{Value, json};

use crate::world::World;

const FILE: &str = "one\ntwo\nthree\ntwo\nfive\n";

/// Checks an edit of `a.txt`: its new content, or the error's code and a part of its text.
fn check(edit: Value, content: &str, expected: Result<&str, (&str, &str)>) {
    let world = World::with(&[("a.txt", content)]);
    let Value::Object(mut arguments) = edit else {
        panic!("an object")
    };
    arguments.insert("path".into(), "a.txt".into());
    let arguments = Value::Object(arguments);
    match expected {
        Ok(new) => {
            world.text("edit_file", arguments.clone());
            assert_eq!(world.content("a.txt"), new, "{arguments}");
        }
        Err((code, part)) => {
            let (found, text) = world.failure("edit_file", arguments.clone());
            assert_eq!(found, code, "{arguments}: {text}");
            assert!(text.contains(part), "{arguments}: {text}");
            assert_eq!(world.content("a.txt"), content, "nothing was changed");
        }
    }
    world.assert_outside_untouched();
}

#[test]
fn exact_edits_are_made_in_order_all_or_none() {
    let edits = |list: &[(&str, &str)]| {
        let list: Vec<Value> = list
            .iter()
            .map(|(search, replace)| json!({"search": search, "replace": replace}))
            .collect();
        json!({"edits": list})
    };
    check(
        edits(&[("one", "1"), ("1\ntwo", "2")]),
        FILE,
        Ok("2\nthree\ntwo\nfive\n"),
    );
    check(
        edits(&[("one", "1"), ("nine", "9")]),
        FILE,
        Err(("stale-edit", "edit 2 of `a.txt` was not made")),
    );
    check(
        edits(&[("two", "2")]),
        FILE,
        Err((
            "stale-edit",
            "search text appears 2 times, not once, starting on the lines 2, 4",
        )),
    );
    check(
        edits(&[("thre\ne", "3")]),
        FILE,
        Err(("stale-edit", "    3 | three")),
    );
    check(
        edits(&[("", "x")]),
        FILE,
        Err(("bad-edit", "the text to search for is empty")),
    );
    check(
        json!({"edits": []}),
        FILE,
        Err(("bad-edit", "give `edits`")),
    );
    check(
        json!({"edits": [{"search": "two", "replace": "2", "start_line": 4}]}),
        FILE,
        Ok("one\ntwo\nthree\n2\nfive\n"),
    );
    check(
        json!({"edits": [{"search": "t[a-z]+", "replace": "T", "use_regex": true}]}),
        FILE,
        Ok("one\nT\nT\nT\nfive\n"),
    );
    check(
        json!({"edits": [{"search": "TWO", "replace": "2", "ignore_case": true}]}),
        FILE,
        Ok("one\n2\nthree\n2\nfive\n"),
    );
    check(
        json!({"search": "t[a-z]+", "replace": "T", "use_regex": true, "start_line": 3, "end_line": 4}),
        FILE,
        Ok("one\ntwo\nT\nT\nfive\n"),
    );
    check(
        json!({"search": "two", "replace": "2", "start_line": 3, "end_line": 5}),
        FILE,
        Ok("one\ntwo\nthree\n2\nfive\n"),
    );
    // A dollar sign in the new text is literal.
    check(
        edits(&[("one", "$0 $1 \\")]),
        FILE,
        Ok("$0 $1 \\\ntwo\nthree\ntwo\nfive\n"),
    );
    // The file uses other line endings than the model.
    check(edits(&[("a\nb", "x\ny")]), "a\r\nb\r\n", Ok("x\r\ny\r\n"));
}

#[test]
fn lines_are_inserted_by_the_numbers_before_any_change() {
    check(
        json!({"line": 2, "content": "a\nb"}),
        FILE,
        Ok("one\na\nb\ntwo\nthree\ntwo\nfive\n"),
    );
    check(
        json!({"line": 0, "content": "six"}),
        "five",
        Ok("five\nsix\n"),
    );
    check(
        json!({"start_line": 1, "content": "zero"}),
        "one\r\n",
        Ok("zero\r\none\r\n"),
    );
    check(
        json!({"edits": [{"start_line": 5, "content": "b"}, {"start_line": 1, "content": "a"}]}),
        FILE,
        Ok("a\none\ntwo\nthree\ntwo\nb\nfive\n"),
    );
    check(
        json!({"line": 9, "content": "x"}),
        FILE,
        Err(("stale-edit", "there are 5 lines")),
    );
    check(
        json!({"edits": [{"start_line": 1, "content": "a"}, {"search": "one", "replace": "1"}]}),
        FILE,
        Err(("bad-edit", "an insertion has the line")),
    );
    check(
        json!({"content": "x"}),
        FILE,
        Err(("bad-edit", "an insertion has the line")),
    );
}

#[test]
fn old_and_new_strings_are_counted() {
    let edit = |old: &str, n: u64| json!({"old_string": old, "new_string": "2", "expected_replacements": n});
    check(edit("two", 2), FILE, Ok("one\n2\nthree\n2\nfive\n"));
    check(
        edit("two", 3),
        FILE,
        Err(("stale-edit", "appears 2 times, not 3 times")),
    );
    check(
        json!({"old_string": "one", "new_string": "1"}),
        FILE,
        Ok("1\ntwo\nthree\ntwo\nfive\n"),
    );
    check(
        json!({"old_string": "one"}),
        FILE,
        Err(("missing-parameter", "new_string")),
    );
    check(
        json!({"old_string": "one", "new_string": "1", "diff": "x"}),
        FILE,
        Err(("bad-edit", "give `edits`")),
    );
}

#[test]
fn search_and_replace_blocks_are_of_whole_lines() {
    let block = |head: &str, search: &str, replace: &str| {
        format!("<<<<<<< SEARCH\n{head}{search}=======\n{replace}>>>>>>> REPLACE\n")
    };
    let diff = |text: &str| json!({"diff": text});
    check(
        diff(&block(":start_line:4\n-------\n", "two\n", "2\n")),
        FILE,
        Ok("one\ntwo\nthree\n2\nfive\n"),
    );
    check(
        diff(&block("", "one\ntwo\n", "1\n")),
        FILE,
        Ok("1\nthree\ntwo\nfive\n"),
    );
    check(
        diff(&block("", "two\n", "2\n")),
        FILE,
        Err(("stale-edit", "appear 2 times, starting on the lines 2, 4")),
    );
    check(
        diff(&block("", "tw\n", "2\n")),
        FILE,
        Err(("stale-edit", "are not in the file")),
    );
    check(
        diff(&block(":start_line:1\n-------\n", "", "0\n")),
        FILE,
        Ok("0\none\ntwo\nthree\ntwo\nfive\n"),
    );
    // Line numbers count the lines before the first block.
    let both = [
        block(":start_line:1\n-------\n", "one\n", "a\nb\nc\n"),
        block(":start_line:4\n-------\n", "two\n", "2\n"),
    ]
    .concat();
    check(diff(&both), FILE, Ok("a\nb\nc\ntwo\nthree\n2\nfive\n"));
    check(
        diff(&block("", "five\n", "\\=======\n\\>>>>>>> REPLACE\n")),
        FILE,
        Ok("one\ntwo\nthree\ntwo\n=======\n>>>>>>> REPLACE\n"),
    );
    check(
        diff(&block("", "a\n", "x\n")),
        "a\r\nb\r\n",
        Ok("x\r\nb\r\n"),
    );
    check(diff(&block("", "b\n", "c\n")), "a\nb", Ok("a\nc"));
    check(
        diff("<<<<<<< SEARCH\none\n"),
        FILE,
        Err(("bad-edit", "unclosed block")),
    );
    check(
        diff("<<<<<<< SEARCH\none\n>>>>>>> REPLACE\n"),
        FILE,
        Err(("bad-edit", "`=======` is missing")),
    );
}

#[test]
fn unified_diffs_are_of_the_file_that_was_judged() {
    let diff = |text: &str| json!({"diff": text});
    check(
        diff("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"),
        FILE,
        Ok("one\n2\nthree\ntwo\nfive\n"),
    );
    check(
        diff("@@ -9,2 +9,2 @@\n three\n-two\n+2\n"),
        FILE,
        Ok("one\ntwo\nthree\n2\nfive\n"),
    );
    check(
        diff("@@\n-five\n+5\n\\ No newline at end of file\n"),
        FILE,
        Ok("one\ntwo\nthree\ntwo\n5"),
    );
    check(
        diff("@@ -0,0 +1 @@\n+x\n"),
        FILE,
        Ok("x\none\ntwo\nthree\ntwo\nfive\n"),
    );
    check(
        diff("@@ -1 +1 @@\n-nine\n+9\n"),
        FILE,
        Err(("stale-edit", "are not in the file")),
    );
    check(
        diff("--- a/a.txt\n+++ b/../out/secret.txt\n@@ -0,0 +1 @@\n+x\n"),
        FILE,
        Err(("bad-edit", "the header names")),
    );
    check(
        diff("--- /etc/passwd\n+++ a.txt\n@@ -0,0 +1 @@\n+x\n"),
        FILE,
        Err(("bad-edit", "the header names")),
    );
    let two =
        "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+1\n--- b.txt\n+++ b.txt\n@@ -1 +1 @@\n-x\n+y\n";
    check(diff(two), FILE, Err(("bad-edit", "more than one file")));
    check(diff("nonsense"), FILE, Err(("bad-edit", "expected a hunk")));
}

#[test]
fn what_is_no_text_or_not_there_is_not_edited() {
    let world = World::new();
    world.put("latin", [b'a', 0x93, b'b']);
    world.put("binary", [b'a', 0, b'b', 1]);
    let edit = json!([{"search": "a", "replace": "b"}]);
    assert_eq!(
        world.code("edit_file", json!({"path": "latin", "edits": edit})),
        "not-text"
    );
    assert_eq!(
        world.code("edit_file", json!({"path": "binary", "edits": edit})),
        "binary"
    );
    assert_eq!(
        world.code("edit_file", json!({"path": "none", "edits": edit})),
        "not-found"
    );
    assert_eq!(
        world.code(
            "edit_file",
            json!({"path": "../out/secret.txt", "edits": edit})
        ),
        "outside-root"
    );
    world.assert_outside_untouched();
}

#[test]
fn one_file_is_deleted_and_nothing_else() {
    let world = World::with(&[("a/b", "x"), ("c", "y")]);
    assert_eq!(
        world.text("delete_file", json!({"path": "a/b"})),
        "deleted a/b"
    );
    assert!(!world.at("a/b").exists() && world.at("a").is_dir());
    assert_eq!(
        world.code("delete_file", json!({"path": "a"})),
        "deletes-directory"
    );
    assert_eq!(
        world.code("delete_file", json!({"path": "."})),
        "is-directory"
    );
    assert_eq!(
        world.code("delete_file", json!({"path": "a/b"})),
        "not-found"
    );
    assert_eq!(
        world.code("delete_file", json!({"path": "../out/secret.txt"})),
        "outside-root"
    );
    world.assert_outside_untouched();
}

#[test]
fn moving_replaces_nothing_and_stays_inside() {
    let world = World::with(&[("a", "x"), ("b", "y"), ("d/e", "z")]);
    world.text("move_file", json!({"from": "a", "to": "new/place"}));
    assert_eq!(world.content("new/place"), "x");
    world.text("move_file", json!({"from": "d", "to": "f"}));
    assert_eq!(world.content("f/e"), "z");
    assert_eq!(
        world.code("move_file", json!({"from": "b", "to": "new/place"})),
        "exists"
    );
    assert_eq!(
        world.code("move_file", json!({"from": "f", "to": "f/g"})),
        "into-itself"
    );
    assert_eq!(
        world.code("move_file", json!({"from": "b", "to": "../out/pwned"})),
        "outside-root"
    );
    assert_eq!(
        world.code("move_file", json!({"from": "../out/secret.txt", "to": "c"})),
        "outside-root"
    );
    assert_eq!(
        world.code("move_file", json!({"from": "none", "to": "c"})),
        "not-found"
    );
    world.assert_outside_untouched();
}

#[test]
fn an_edit_keeps_the_encoding_and_the_ends_of_lines() {
    let world = World::new();
    let cases: &[(&str, &[u8], &[u8])] = &[
        ("latin1", b"caf\xe9\r\nend\r\n", b"th\xe9\r\nx\r\nend\r\n"),
        (
            "marked",
            b"\xef\xbb\xbfcaf\xc3\xa9\n",
            b"\xef\xbb\xbfth\xc3\xa9\nx\n",
        ),
        (
            "little",
            b"\xff\xfec\0a\0f\0\xe9\0\n\0",
            b"\xff\xfet\0h\0\xe9\0\n\0x\0\n\0",
        ),
    ];
    for (name, before, after) in cases {
        world.put(name, before);
        let edits = json!([{"search": "caf\u{e9}", "replace": "th\u{e9}\nx"}]);
        let outcome = world.run("edit_file", json!({"path": name, "edits": edits}));
        assert!(outcome.ok, "{name}: {}", outcome.text);
        assert_eq!(
            std::fs::read(world.at(name)).expect("there"),
            *after,
            "{name}"
        );
    }
    world.put("latin1", b"caf\xe9\n");
    let edits = json!([{"search": "caf\u{e9}", "replace": "\u{20ac}"}]);
    assert_eq!(
        world.code("edit_file", json!({"path": "latin1", "edits": edits})),
        "no-such-letter"
    );
    world.put("little", b"\xff\xfea\0\n\0");
    let outcome = world.run("append_file", json!({"path": "little", "content": "b\n"}));
    assert!(outcome.ok);
    assert_eq!(
        std::fs::read(world.at("little")).expect("there"),
        b"\xff\xfea\0\n\0b\0\n\0"
    );
}
