use toolglot_value::json;

use crate::world::World;

fn tree() -> World {
    World::with(&[
        (
            "a.rs",
            "fn one() {}\nfn two() {}\n\n// end\nfn three() {}\n",
        ),
        ("sub/b.txt", "nothing\r\nfn here\r\n"),
        ("target/c.rs", "fn ignored() {}\n"),
        (".gitignore", "target/\n"),
    ])
}

#[test]
fn matches_come_with_path_and_line() {
    let outcome = tree().run("search_files", json!({"pattern": r"fn \w+"}));
    assert_eq!(
        outcome.text,
        "a.rs:1:fn one() {}\na.rs:2:fn two() {}\na.rs:5:fn three() {}\nsub/b.txt:2:fn here\n[1 entry left out, as git does]\n"
    );
    assert_eq!(
        outcome.output["matches"][3],
        json!({"path": "sub/b.txt", "line": 2, "text": "fn here"})
    );
    assert_eq!(
        [&outcome.output["total"], &outcome.output["files_searched"]],
        [4, 3]
    );
}

#[test]
fn paths_are_relative_to_the_root_wherever_the_search_begins() {
    let world = tree();
    assert_eq!(
        world.text("search_files", json!({"path": "sub", "pattern": "here"})),
        "sub/b.txt:2:fn here\n"
    );
    assert_eq!(
        world.text(
            "search_files",
            json!({"path": "sub/b.txt", "pattern": "here"})
        ),
        "sub/b.txt:2:fn here\n"
    );
    assert_eq!(
        world.text(
            "search_files",
            json!({"path": "target", "pattern": "ignored"})
        ),
        "target/c.rs:1:fn ignored() {}\n"
    );
}

#[test]
fn context_is_shown_once() {
    let world = tree();
    let around = |pattern: &str, n: u64| {
        world.run(
            "search_files",
            json!({"path": "a.rs", "pattern": pattern, "context_lines": n}),
        )
    };
    let apart = around("one|three", 1);
    assert_eq!(
        apart.text,
        "a.rs:1:fn one() {}\na.rs-2-fn two() {}\n--\na.rs-4-// end\na.rs:5:fn three() {}\n"
    );
    assert_eq!(
        apart.output["matches"][1],
        json!({"path": "a.rs", "line": 5, "text": "fn three() {}", "before": ["// end"], "after": []})
    );
    let joined = around("two|three", 1);
    assert_eq!(
        joined.text,
        "a.rs-1-fn one() {}\na.rs:2:fn two() {}\na.rs-3-\na.rs-4-// end\na.rs:5:fn three() {}\n"
    );
    let overlapping = around("one|two", 2);
    assert_eq!(
        overlapping.text,
        "a.rs:1:fn one() {}\na.rs:2:fn two() {}\na.rs-3-\na.rs-4-// end\n"
    );
}

#[test]
fn with_context_files_stand_apart() {
    let text = tree().text(
        "search_files",
        json!({"pattern": "three|nothing", "context_lines": 1}),
    );
    assert!(
        text.starts_with("a.rs-4-// end\na.rs:5:fn three() {}\n--\nsub/b.txt:1:nothing\n"),
        "{text}"
    );
}

#[test]
fn files_are_chosen_by_a_glob() {
    let world = tree();
    let text = world.text(
        "search_files",
        json!({"pattern": "fn", "file_pattern": "*.txt"}),
    );
    assert_eq!(
        text,
        "sub/b.txt:2:fn here\n[1 entry left out, as git does]\n"
    );
    assert_eq!(
        world.code(
            "search_files",
            json!({"pattern": "fn", "file_pattern": "{"})
        ),
        "bad-glob"
    );
}

#[test]
fn anchors_are_about_lines() {
    let world = tree();
    assert_eq!(
        world.text(
            "search_files",
            json!({"path": "sub", "pattern": "^fn here$"})
        ),
        "sub/b.txt:2:fn here\n"
    );
    assert_eq!(
        world.text("search_files", json!({"path": "sub", "pattern": "absent"})),
        "[no line fits in 1 file]\n"
    );
}

#[test]
fn a_regex_that_cannot_be_used_is_explained() {
    let world = tree();
    for pattern in [
        "(",
        "(?=x)",
        r"(a)\1",
        "(?:(?:a{1000}){1000}){1000}",
        r"\w{5000}",
    ] {
        let (code, text) = world.failure("search_files", json!({"pattern": pattern}));
        assert_eq!(code, "bad-regex", "{pattern}");
        assert!(text.contains("`pattern`"), "{text}");
    }
}

#[test]
fn what_is_left_out_is_told() {
    let world = tree();
    world.put("bin", b"fn\0");
    world.put(".env", "fn=1");
    world.put("keys/id_rsa", "fn");
    let outcome = world.run("search_files", json!({"pattern": "fn="}));
    assert!(!outcome.output.to_string().contains("fn=1"), "{outcome:?}");
    assert!(
        outcome
            .text
            .contains("[left out: 1 binary file]\n[left out: 2 secret files]\n"),
        "{}",
        outcome.text
    );
}

#[test]
fn many_matches_are_cut_and_said_to_be() {
    let world =
        World::with(&[("a", "x\n".repeat(100).as_str())]).limited(|limits| limits.matches = 7);
    let outcome = world.run("search_files", json!({"pattern": "x"}));
    assert_eq!(
        [&outcome.output["total"], &outcome.output["truncated"]],
        [&json!(7), &json!(true)]
    );
    assert!(
        outcome.text.contains("[cut after 7 matching lines"),
        "{}",
        outcome.text
    );
    // Exactly as many matches as the limit are not a cut.
    let world = world.limited(|limits| limits.matches = 100);
    assert_eq!(
        world.run("search_files", json!({"pattern": "x"})).output["truncated"],
        false
    );
}

#[test]
fn the_answer_is_bounded_in_bytes() {
    let line = "x".repeat(300) + "\n";
    let world = World::with(&[("a", line.repeat(400).as_str())])
        .limited(|limits| limits.output_bytes = 10_000);
    let outcome = world.run("search_files", json!({"pattern": "x", "context_lines": 20}));
    assert!(outcome.text.len() < 30_000, "{}", outcome.text.len());
    assert!(
        outcome.output.to_string().len() < 30_000,
        "{}",
        outcome.output.to_string().len()
    );
    assert_eq!(outcome.output["truncated"], true);
}

#[test]
fn of_a_long_line_the_part_around_the_match_is_shown() {
    let line = "\u{65e5}".repeat(2000) + "needle" + &"\u{65e5}".repeat(2000);
    let world = World::with(&[("a", line.as_str())]);
    let text = world.text("search_files", json!({"pattern": "needle"}));
    assert!(
        text.contains("needle") && text.len() < 600 && !text.contains('\u{fffd}'),
        "{text}"
    );
    assert!(
        text.starts_with("a:1:\u{2026}") && text.ends_with("\u{2026}\n"),
        "{text}"
    );

    let world = world.limited(|limits| limits.line_bytes = 64);
    let text = world.text("search_files", json!({"pattern": "needle"}));
    assert!(
        text.contains("[of 1 long line only the first 64 bytes were searched]"),
        "{text}"
    );
}

#[test]
fn large_files_and_long_searches_end() {
    let world = tree().limited(|limits| limits.file_bytes = 20);
    let outcome = world.run("search_files", json!({"pattern": "fn"}));
    assert!(
        outcome.text.contains("[left out: 1 too large file]"),
        "{}",
        outcome.text
    );

    let world = world.limited(|limits| limits.scan_bytes = 20);
    assert_eq!(
        world.run("search_files", json!({"pattern": "fn"})).output["truncated"],
        true
    );

    let world = world.limited(|limits| limits.search_time = std::time::Duration::ZERO);
    assert_eq!(
        world.run("search_files", json!({"pattern": "fn"})).output["truncated"],
        true
    );
}

#[test]
fn bytes_that_are_no_text_are_searched_all_the_same() {
    let world = World::new();
    world.put("latin1", b"caf\xe9 one\n");
    assert_eq!(
        world.text("search_files", json!({"pattern": "one"})),
        "latin1:1:caf\u{fffd} one\n"
    );
}

#[test]
fn a_file_of_nothing_but_line_breaks_is_searched_in_little_memory() {
    let world = World::with(&[("a", ("\n".repeat(8 << 20) + "x\n").as_str())]);
    let outcome = world.run("search_files", json!({"pattern": "x", "context_lines": 1}));
    assert_eq!(outcome.text, "a-8388608-\na:8388609:x\n");
}

#[test]
fn what_is_excluded_is_not_searched() {
    let search = |exclude| {
        let arguments = json!({"pattern": r"fn \w+", "exclude": exclude});
        tree().run("search_files", arguments).output["matches"].clone()
    };
    let paths = |matches: toolglot_value::Value| -> Vec<String> {
        let all = matches.as_array().into_iter().flatten();
        all.map(|one| one["path"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(paths(search(json!(["sub"]))), ["a.rs", "a.rs", "a.rs"]);
    assert_eq!(paths(search(json!(["*.rs"]))), ["sub/b.txt"]);
    assert_eq!(
        paths(search(json!(["sub/*.txt", "*.rs"]))),
        Vec::<String>::new()
    );
    assert_eq!(paths(search(json!([]))).len(), 4);
}
