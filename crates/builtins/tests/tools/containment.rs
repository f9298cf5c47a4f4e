//! No path reads, lists or writes anything outside the root.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use proptest::prelude::{
    Just, ProptestConfig, Strategy, prop, prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use toolglot_builtins::Root;
use toolglot_policy::{Escape, Inside};
use toolglot_value::json;

use crate::world::{SECRET, World};

/// Every kind of link that leads out of the root, and links that stay inside.
///
/// ```text
///  sub/a.txt   plain         to_sub -> sub             abs_sub -> ROOT/sub
///  up -> ..    out -> OUT    c1 -> c2 -> c3 -> OUT     file -> OUT/secret.txt
///  new -> OUT/new            relative -> ../out        loop -> loop
///  sub/up -> ..              sub/back -> ../sub/a.txt  deep -> sub/../../out
/// ```
fn world() -> World {
    let world = World::with(&[("sub/a.txt", "inside"), ("a.txt", "inside")]);
    world.link("to_sub", "sub");
    world.link("abs_sub", world.at("sub"));
    world.link("up", "..");
    world.link("out", world.out());
    world.link("c1", "c2");
    world.link("c2", "c3");
    world.link("c3", world.out());
    world.link("file", world.out().join("secret.txt"));
    world.link("new", world.out().join("new"));
    world.link("relative", "../out");
    world.link("loop", "loop");
    world.link("sub/up", "..");
    world.link("sub/back", "../sub/a.txt");
    world.link("deep", "sub/../../out");
    world
}

fn inside(path: &str, climbs: bool) -> Inside {
    Inside {
        path: path.into(),
        climbs,
        is_shared: false,
    }
}

#[test]
fn ways_that_stay_inside_are_fine() {
    let world = world();
    let absolute = |path: &str| world.at(path).to_str().expect("UTF-8").to_owned();
    for (written, path, climbs) in [
        ("a.txt", "a.txt", false),
        ("./a.txt", "a.txt", false),
        (".//sub/./a.txt", "sub/a.txt", false),
        ("sub/../a.txt", "a.txt", true),
        ("to_sub/a.txt", "sub/a.txt", false),
        // As in the kernel, `..` leaves the directory that the link leads to.
        ("to_sub/../a.txt", "a.txt", true),
        ("sub/back", "sub/a.txt", false),
        ("sub/up/a.txt", "a.txt", false),
        ("abs_sub/a.txt", "sub/a.txt", false),
        (".", "", false),
        ("sub/..", "", true),
        (&absolute("sub/a.txt"), "sub/a.txt", false),
        (&absolute("sub/../a.txt"), "a.txt", true),
        (&absolute(""), "", false),
        ("not/yet/there", "not/yet/there", false),
        ("not/yet/../there", "not/there", true),
        ("not/../sub/a.txt", "sub/a.txt", true),
        (
            "we ird \u{e9}\u{65e5} 'q' \"\n\u{202e}",
            "we ird \u{e9}\u{65e5} 'q' \"\n\u{202e}",
            false,
        ),
        // Ordinary characters: nothing is decoded, folded or expanded.
        ("100%25.txt", "100%25.txt", false),
        ("a\u{2215}b", "a\u{2215}b", false),
        ("a\\b", "a\\b", false),
        ("...", "...", false),
        ("./~/x", "~/x", false),
        ("~x", "~x", false),
        ("a/~/x", "a/~/x", false),
        ("$HOME/x", "$HOME/x", false),
        ("-rf", "-rf", false),
    ] {
        assert_eq!(
            world.root.resolve(written),
            Ok(inside(path, climbs)),
            "{written:?}"
        );
    }
}

#[test]
fn ways_out_are_seen() {
    let world = world();
    let link = |link: &str| Escape::Link { link: link.into() };
    let out = world.out().join("secret.txt");
    for (written, escape) in [
        ("~/x", Escape::Home),
        ("~", Escape::Home),
        ("~root/.bashrc", Escape::Home),
        ("..", Escape::Climbs),
        ("../out/secret.txt", Escape::Climbs),
        ("sub/../../out/secret.txt", Escape::Climbs),
        ("./.././out/secret.txt", Escape::Climbs),
        ("not/../../out/secret.txt", Escape::Climbs),
        // A path that leaves the root and comes back is outside.
        ("../root/a.txt", Escape::Climbs),
        ("to_sub/../../out/secret.txt", Escape::Climbs),
        ("sub/up/../out/secret.txt", Escape::Climbs),
        (out.to_str().expect("UTF-8"), Escape::Absolute),
        ("%2e%2e/out/secret.txt", Escape::Disguised),
        ("..\u{2215}out\u{2215}secret.txt", Escape::Disguised),
        ("..\\out\\secret.txt", Escape::Disguised),
        ("C:\\x", Escape::Disguised),
        ("/etc/passwd", Escape::Absolute),
        ("//etc/passwd", Escape::Absolute),
        ("/proc/self/root/etc/passwd", Escape::Absolute),
        ("/proc/self/cwd", Escape::Absolute),
        ("/dev/zero", Escape::Absolute),
        ("/", Escape::Absolute),
        ("up", link("up")),
        ("up/out/secret.txt", link("up")),
        ("up/root/a.txt", link("up")),
        ("out", link("out")),
        ("out/secret.txt", link("out")),
        ("out/../root/a.txt", link("out")),
        ("c1/secret.txt", link("c1")),
        ("file", link("file")),
        ("new", link("new")),
        ("relative/secret.txt", link("relative")),
        ("deep/secret.txt", link("deep")),
        ("to_sub/up/up", link("up")),
        ("", Escape::Empty),
        ("a\0b", Escape::ZeroByte),
        ("file:///etc/passwd", Escape::Url),
        (
            "loop",
            Escape::Circle {
                link: "loop".into(),
            },
        ),
        (
            "loop/x",
            Escape::Circle {
                link: "loop".into(),
            },
        ),
        ("a.txt/x", Escape::ThroughFile { at: "a.txt".into() }),
        (
            "a.txt/../../out/pwned",
            Escape::ThroughFile { at: "a.txt".into() },
        ),
    ] {
        assert_eq!(world.root.resolve(written), Err(escape), "{written:?}");
    }
    // A neighbour whose name starts with the root's is outside.
    let like = format!("{}like/secret.txt", world.root.path().display());
    assert_eq!(world.root.resolve(&like), Err(Escape::Absolute));
    assert!(matches!(
        world.root.resolve(&"a".repeat(4097)),
        Err(Escape::TooLong { bytes: 4097 })
    ));
    assert!(matches!(
        world.root.resolve(&"a".repeat(300)),
        Err(Escape::Unreadable { .. })
    ));
}

#[test]
fn a_root_reached_through_a_link_takes_absolute_paths_in_both_spellings() {
    let world = world();
    let beside = tempfile::tempdir().expect("made");
    let alias = beside.path().join("alias");
    std::os::unix::fs::symlink(world.at(""), &alias).expect("linked");
    let root = Root::open(&alias).expect("opened");
    for path in [alias.join("sub/a.txt"), world.at("sub/a.txt")] {
        assert_eq!(
            root.resolve(path.to_str().expect("UTF-8")),
            Ok(inside("sub/a.txt", false))
        );
    }
}

#[test]
fn a_root_is_a_directory_that_exists() {
    let world = world();
    for path in ["a.txt", "not/there"] {
        assert!(Root::open(&world.at(path)).is_err(), "{path}");
    }
}

#[test]
fn a_root_that_is_renamed_stays_the_root() {
    let world = world();
    let (here, there) = (world.at(""), world.out().join("moved"));
    fs::rename(&here, &there).expect("moved");
    fs::create_dir(&here).expect("made");
    world.text("write_file", json!({"path": "a.txt", "content": "new"}));
    assert_eq!(
        fs::read_to_string(there.join("a.txt")).expect("there"),
        "new"
    );
    assert_eq!(fs::read_dir(&here).expect("there").count(), 0);
}

#[test]
fn every_tool_refuses_every_way_out() {
    let world = world();
    let out = world.out();
    for path in [
        "../out",
        "out",
        "up/out",
        "c1",
        "relative",
        "deep",
        out.to_str().expect("UTF-8"),
    ] {
        let file = format!("{path}/secret.txt");
        let new = format!("{path}/new.txt");
        for (tool, arguments) in [
            ("read_file", json!({"path": file})),
            ("write_file", json!({"path": file, "content": "pwned"})),
            ("write_file", json!({"path": new, "content": "pwned"})),
            ("append_file", json!({"path": file, "content": "pwned"})),
            ("list_files", json!({"path": path})),
            ("search_files", json!({"path": path, "pattern": SECRET})),
            ("search_files", json!({"path": file, "pattern": SECRET})),
            ("create_directory", json!({"path": new})),
        ] {
            let (code, text) = world.failure(tool, arguments.clone());
            assert_eq!(code, "outside-root", "{tool} {arguments}: {text}");
        }
    }
    assert_eq!(
        world.code("write_file", json!({"path": "new", "content": "pwned"})),
        "outside-root"
    );
    world.assert_outside_untouched();
}

#[test]
fn walks_follow_no_link() {
    let world = world();
    let listed = world.run("list_files", json!({"recursive": true}));
    assert!(!listed.text.contains("secret.txt"), "{}", listed.text);
    assert!(
        listed.text.contains("out (symbolic link)"),
        "{}",
        listed.text
    );
    let found = world.text("search_files", json!({"pattern": "."}));
    assert!(
        !found.contains(SECRET) && found.contains("inside"),
        "{found}"
    );
}

#[test]
fn a_write_through_a_link_inside_changes_its_target() {
    let world = world();
    let outcome = world.run("write_file", json!({"path": "sub/back", "content": "new"}));
    assert_eq!(outcome.output["path"], "sub/a.txt");
    assert_eq!(world.content("sub/a.txt"), "new");
    assert!(world.at("sub/back").is_symlink());
}

#[test]
fn a_hard_link_to_the_outside_is_cut_by_a_write() {
    let world = world();
    fs::hard_link(world.out().join("secret.txt"), world.at("hard")).expect("linked");
    for tool in ["append_file", "write_file"] {
        world.text(tool, json!({"path": "hard", "content": "new"}));
    }
    assert_eq!(world.content("hard"), "new");
    world.assert_outside_untouched();
}

#[test]
fn pipes_and_sockets_are_refused_without_waiting() {
    let world = world();
    assert!(
        Command::new("mkfifo")
            .arg(world.at("pipe"))
            .status()
            .expect("mkfifo runs")
            .success()
    );
    let _socket = std::os::unix::net::UnixListener::bind(world.at("socket")).expect("bound");
    for path in ["pipe", "socket"] {
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            ("write_file", json!({"path": path, "content": "x"})),
            ("append_file", json!({"path": path, "content": "x"})),
            ("search_files", json!({"path": path, "pattern": "x"})),
        ] {
            assert_eq!(world.code(tool, arguments), "not-regular", "{tool} {path}");
        }
    }
    assert!(world.run("search_files", json!({"pattern": "x"})).ok);
    assert!(
        world
            .text("list_files", json!({}))
            .contains("pipe (neither file nor directory)")
    );
}

#[test]
fn devices_inside_the_root_are_refused() {
    let world = world();
    let made = Command::new("mknod")
        .arg(world.at("zero"))
        .args(["c", "1", "5"])
        .output();
    if !made.is_ok_and(|made| made.status.success()) {
        eprintln!("SKIPPED devices_inside_the_root_are_refused: no right to make devices here");
        return;
    }
    assert_eq!(
        world.code("read_file", json!({"path": "zero"})),
        "not-regular"
    );
    assert_eq!(
        world.code("append_file", json!({"path": "zero", "content": "x"})),
        "not-regular"
    );
}

#[test]
fn endless_files_end() {
    let world = world().limited(|limits| limits.scan_bytes = 1 << 20);
    let sparse = fs::File::create(world.at("sparse")).expect("made");
    sparse.set_len(1 << 40).expect("sparse");
    assert_eq!(world.code("read_file", json!({"path": "sparse"})), "binary");
    assert_eq!(
        world.code("append_file", json!({"path": "sparse", "content": "x"})),
        "too-large"
    );
    let outcome = world.run("search_files", json!({"path": "sparse", "pattern": "x"}));
    assert!(
        outcome.text.contains("[left out: 1 too large file]"),
        "{}",
        outcome.text
    );

    // Text, then a hole: the tool reads up to its limit and says so.
    world.put("late", "x\n".repeat(8 << 10));
    fs::File::options()
        .write(true)
        .open(world.at("late"))
        .expect("opened")
        .set_len(1 << 40)
        .expect("sparse");
    let text = world.text("read_file", json!({"path": "late", "end_line": 1}));
    assert!(
        text.starts_with("x\n[only the first 1048576 bytes"),
        "{text}"
    );
}

#[test]
fn names_that_are_no_text_are_listed_and_nothing_breaks() {
    let world = world();
    fs::write(world.at("").join(OsStr::from_bytes(b"caf\xe9")), "x").expect("written");
    fs::write(world.at("a\nb\u{1b}[2J"), "x").expect("written");
    let text = world.text("list_files", json!({}));
    assert!(
        text.contains(r#""caf\xE9""#) && text.contains(r#""a\nb\u{1b}[2J""#),
        "{text}"
    );
    assert_eq!(
        world.text("read_file", json!({"path": "a\nb\u{1b}[2J"})),
        "x"
    );
    assert!(
        world
            .text("search_files", json!({"pattern": "^x$"}))
            .contains(r#""a\nb\u{1b}[2J":1:x"#)
    );
}

/// Paths of existing names, missing names and every way up.
fn paths() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just(".."),
        2 => prop::sample::select(vec![".", "", "sub", "a.txt", "secret.txt", "root", "x"]),
        4 => prop::sample::select(vec![
            "to_sub", "abs_sub", "up", "out", "c1", "file", "new", "relative", "loop", "back", "deep",
        ]),
    ];
    prop::collection::vec(piece, 1..8).prop_map(|pieces| pieces.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Compares with the kernel: where the kernel finds an entry, both find the same place, or the path is outside.
    #[test]
    fn resolving_agrees_with_the_kernel(written in paths()) {
        let world = world();
        let root = world.root.path().to_path_buf();
        let kernel = fs::canonicalize(root.join(written.trim_start_matches('/')));
        match (world.root.resolve(written.trim_start_matches('/')), kernel) {
            (Ok(found), Ok(place)) => prop_assert_eq!(root.join(found.path), place),
            (Err(escape), Ok(place)) => {
                // A path inside is refused only if it was outside on the way.
                let is_inside = place.starts_with(&root);
                prop_assert!(escape.is_outside() || escape == Escape::Empty, "{escape:?} for {place:?}");
                prop_assert!(!is_inside || written.contains("..") || written.contains("up") || escape == Escape::Empty);
            }
            (Ok(found), Err(_)) => {
                // The path does not exist: its existing part is inside and has no link.
                let mut there = root.join(&found.path);
                while fs::symlink_metadata(&there).is_err() {
                    prop_assert!(there.pop());
                }
                prop_assert_eq!(fs::canonicalize(&there).expect("there"), there);
            }
            (Err(_), Err(_)) => {}
        }
    }

    #[test]
    fn no_path_reads_or_changes_the_outside(written in paths(), absolute in prop::bool::ANY) {
        let world = world();
        let written = if absolute { format!("{}/{written}", world.root.path().display()) } else { written };
        for (tool, arguments) in [
            ("read_file", json!({"path": written})),
            ("list_files", json!({"path": written, "recursive": true})),
            ("search_files", json!({"path": written, "pattern": "."})),
            ("append_file", json!({"path": written, "content": "pwned"})),
            ("write_file", json!({"path": written, "content": "pwned"})),
            ("create_directory", json!({"path": written})),
        ] {
            let outcome = world.run(tool, arguments);
            prop_assert!(!outcome.output.to_string().contains(SECRET), "{tool} {written}: {outcome:?}");
            prop_assert!(!outcome.text.contains(SECRET), "{tool} {written}: {outcome:?}");
        }
        world.assert_outside_untouched();
    }

    /// Any text as a path gives a result, never a panic.
    #[test]
    fn any_text_is_a_path_or_an_error(written in "\\PC{0,40}|[./a\\\\~$%:\\x00-\\x1f]{0,20}") {
        let world = World::new();
        let outcome = world.run("write_file", json!({"path": written, "content": "x"}));
        if outcome.ok {
            let place = outcome.output["path"].as_str().expect("a path");
            prop_assert!(Path::new(place).is_relative());
            // The written path may lead through the new file: `a/b/..` is `a` only if `a/b` is not a file.
            prop_assert_eq!(world.run("read_file", json!({"path": place})).text, "x");
        }
        world.assert_outside_untouched();
    }
}
