use toolglot_value::json;

use crate::world::World;

const FIVE: &str = "one\ntwo\nthree\nfour\nfive";

#[test]
fn the_whole_file_comes_verbatim() {
    let content = "a\r\n\r\n\tb \u{e9}\u{65e5}\n";
    let world = World::with(&[("a.txt", content)]);
    let outcome = world.run("read_file", json!({"path": "a.txt"}));
    assert_eq!(outcome.text, content);
    assert_eq!(
        outcome.output,
        json!({"path": "a.txt", "content": content, "size": content.len(), "start_line": 1, "end_line": 3,
               "total_lines": 3, "truncated": false, "lossy": false, "encoding": "utf-8"})
    );
}

#[test]
fn lines_count_from_one_and_both_ends_are_included() {
    let world = World::with(&[("a.txt", FIVE)]);
    let lines = |start, end| {
        world.text(
            "read_file",
            json!({"path": "a.txt", "start_line": start, "end_line": end}),
        )
    };
    assert_eq!(lines(json!(2), json!(3)), "two\nthree\n");
    assert_eq!(lines(json!(1), json!(1)), "one\n");
    assert_eq!(lines(json!(4.0), json!(null)), "four\nfive");
    assert_eq!(lines(json!(null), json!(2)), "one\ntwo\n");
    assert_eq!(lines(json!(5), json!(99)), "five");
}

#[test]
fn a_range_tells_where_it_stands() {
    let world = World::with(&[("a.txt", FIVE)]);
    let output = world
        .run(
            "read_file",
            json!({"path": "a.txt", "start_line": 4, "end_line": 99}),
        )
        .output;
    assert_eq!(
        [
            &output["start_line"],
            &output["end_line"],
            &output["total_lines"]
        ],
        [4, 5, 5]
    );
}

#[test]
fn ranges_that_are_none_are_explained() {
    let world = World::with(&[("a.txt", FIVE)]);
    let lines = |start, end| {
        world.failure(
            "read_file",
            json!({"path": "a.txt", "start_line": start, "end_line": end}),
        )
    };
    for (start, end) in [
        (json!(3), json!(2)),
        (json!(0), json!(2)),
        (json!(0), json!(null)),
        (json!(null), json!(0)),
    ] {
        assert_eq!(lines(start, end).0, "no-range");
    }
    assert_eq!(
        lines(json!(6), json!(null)),
        (
            "behind-end".into(),
            "`a.txt` has 5 lines, so there is no line 6".into()
        )
    );
    assert_eq!(lines(json!(u64::MAX), json!(u64::MAX)).0, "behind-end");
    assert_eq!(lines(json!(-1), json!(null)).0, "wrong-type");
    assert_eq!(lines(json!("2"), json!(null)).0, "wrong-type");
}

#[test]
fn an_empty_file_is_named_as_such() {
    let world = World::with(&[("a.txt", "")]);
    let outcome = world.run("read_file", json!({"path": "a.txt", "start_line": 1}));
    assert_eq!(
        (outcome.ok, outcome.text.as_str()),
        (true, "[the file is empty]\n")
    );
    assert_eq!(
        [&outcome.output["content"], &outcome.output["total_lines"]],
        [&json!(""), &json!(0)]
    );
}

#[test]
fn a_long_file_is_cut_between_lines_and_says_how_to_go_on() {
    let world = World::with(&[("a.txt", FIVE)]).limited(|limits| limits.output_bytes = 10);
    let outcome = world.run("read_file", json!({"path": "a.txt"}));
    assert_eq!(
        outcome.text,
        "one\ntwo\n[cut after line 2 of 5 lines: read on with start_line 3]\n"
    );
    assert_eq!(
        [&outcome.output["content"], &outcome.output["truncated"]],
        [&json!("one\ntwo\n"), &json!(true)]
    );
    // The advice leads to the rest of the file.
    let rest = world.text("read_file", json!({"path": "a.txt", "start_line": 3}));
    assert_eq!(
        rest,
        "three\n[cut after line 3 of 5 lines: read on with start_line 4]\n"
    );
}

#[test]
fn one_line_that_is_too_long_is_cut_between_characters() {
    let world = World::with(&[("a.txt", "\u{65e5}\u{65e5}\u{65e5}\u{65e5}")])
        .limited(|limits| limits.output_bytes = 8);
    let outcome = world.run("read_file", json!({"path": "a.txt"}));
    assert_eq!(outcome.output["content"], "\u{65e5}\u{65e5}");
    assert_eq!(outcome.output["lossy"], false);
    assert!(
        outcome
            .text
            .ends_with("[cut inside line 1 of 1 line, which is longer than what can be shown]\n"),
        "{}",
        outcome.text
    );
}

#[test]
fn a_cap_that_fits_exactly_cuts_nothing() {
    let world = World::with(&[("a.txt", FIVE)]).limited(|limits| limits.output_bytes = FIVE.len());
    assert_eq!(world.text("read_file", json!({"path": "a.txt"})), FIVE);
}

#[test]
fn what_was_not_looked_at_is_not_counted() {
    let world = World::with(&[("a.txt", FIVE)]).limited(|limits| limits.scan_bytes = 9);
    let outcome = world.run(
        "read_file",
        json!({"path": "a.txt", "start_line": 2, "end_line": 2}),
    );
    assert_eq!(
        outcome.text,
        "two\n[only the first 9 bytes of the file's 23 were looked at]\n"
    );
    assert_eq!(outcome.output["total_lines"], json!(null));
}

#[test]
fn binary_files_are_named_and_other_encodings_are_shown() {
    let world = World::new();
    world.put("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let (code, text) = world.failure("read_file", json!({"path": "a.png"}));
    assert_eq!(code, "binary");
    assert!(
        text.contains("a.png") && text.contains("16 bytes"),
        "{text}"
    );

    world.put("broken.txt", b"caf\xe9 caf\xc3\xa9\n");
    let outcome = world.run("read_file", json!({"path": "broken.txt"}));
    assert_eq!(
        (&outcome.output["content"], &outcome.output["lossy"]),
        (&json!("caf\u{fffd} caf\u{e9}\n"), &json!(true))
    );
    assert!(outcome.text.contains("not UTF-8"), "{}", outcome.text);
}

#[test]
fn other_encodings_are_read_and_said() {
    let world = World::new();
    let cases: &[(&str, &[u8], &str)] = &[
        ("latin1", b"caf\xe9\nx\n", "latin-1"),
        (
            "marked",
            b"\xef\xbb\xbfcaf\xc3\xa9\nx\n",
            "utf-8 with a byte order mark",
        ),
        ("little", b"\xff\xfec\0a\0f\0\xe9\0\n\0x\0\n\0", "utf-16le"),
        ("big", b"\xfe\xff\0c\0a\0f\0\xe9\0\n\0x\0\n", "utf-16be"),
    ];
    for (name, bytes, encoding) in cases {
        world.put(name, bytes);
        let outcome = world.run("read_file", json!({"path": name, "end_line": 1}));
        let found = (
            &outcome.output["content"],
            &outcome.output["encoding"],
            &outcome.output["total_lines"],
        );
        assert_eq!(
            found,
            (&json!("caf\u{e9}\n"), &json!(encoding), &json!(2)),
            "{name}"
        );
        assert!(outcome.text.contains(encoding), "{}", outcome.text);
    }
}

#[test]
fn what_is_missing_is_told_with_what_is_there() {
    let world = World::with(&[("src/main.rs", "")]);
    let missing = |path: &str| world.failure("read_file", json!({"path": path}));
    assert_eq!(
        missing("src/bin/mian.rs"),
        ("not-found".into(), "`src/bin/mian.rs` does not exist, but the directory `src` does: look into it with `list_files`".into())
    );
    assert!(missing("nope").1.contains("the directory `.` does"));
    assert_eq!(
        world.code("read_file", json!({"path": "src"})),
        "is-directory"
    );
    assert_eq!(
        world.code("read_file", json!({"path": "."})),
        "is-directory"
    );
    assert_eq!(
        world.code("read_file", json!({"path": "src/main.rs/"})),
        "ends-in-slash"
    );
    assert_eq!(
        world.code("read_file", json!({"path": "src/main.rs/x"})),
        "unusable-path"
    );
}

#[test]
fn arguments_are_asked_for_by_name() {
    let world = World::new();
    let (code, text) = world.failure("read_file", json!({}));
    assert_eq!(
        (code.as_str(), text.as_str()),
        (
            "missing-parameter",
            "`read_file` needs the parameter `path`: the file, relative to the root"
        )
    );
    assert_eq!(
        world.code("read_file", json!({"path": ["a"]})),
        "wrong-type"
    );
    assert_eq!(
        world.code("write_file", json!({"path": "a"})),
        "missing-parameter"
    );
    let (code, text) = world.failure("format_disk", json!({"path": "a"}));
    assert_eq!(code, "unknown-tool");
    assert!(text.contains("create_directory"), "{text}");
}

#[test]
fn every_tool_that_is_listed_exists() {
    let world = World::new();
    for tool in toolglot_builtins::TOOLS {
        assert_ne!(
            world.run(tool, json!({})).output["error"],
            "unknown-tool",
            "{tool}"
        );
    }
}
