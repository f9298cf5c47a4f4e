use std::fs;

use toolglot_value::json;

use crate::world::World;

/// The names in the root; they show temporary files that are left.
fn names(world: &World) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(world.at(""))
        .expect("there")
        .map(|entry| {
            entry
                .expect("read")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_written_verbatim_with_its_directories() {
    let world = World::new();
    let content = "a\r\nb\n\n</content> \u{e9}\u{65e5}";
    let outcome = world.run(
        "write_file",
        json!({"path": "deep/er/we ird 'q' \"\u{65e5}\".txt", "content": content}),
    );
    assert!(outcome.ok, "{outcome:?}");
    assert_eq!(
        world.content("deep/er/we ird 'q' \"\u{65e5}\".txt"),
        content
    );
    assert_eq!(outcome.output["success"], true);
    assert_eq!(outcome.output["bytesWritten"], content.len());
    assert_eq!(outcome.output["created"], true);
}

#[test]
fn empty_content_makes_an_empty_file() {
    let world = World::with(&[("a.txt", "old")]);
    assert_eq!(
        world.text("write_file", json!({"path": "a.txt", "content": ""})),
        "wrote 0 bytes to a.txt"
    );
    assert_eq!(world.content("a.txt"), "");
}

#[test]
fn appending_keeps_what_is_there_and_makes_what_is_not() {
    let world = World::with(&[("a.txt", "one\n")]);
    let outcome = world.run("append_file", json!({"path": "a.txt", "content": "two\n"}));
    assert_eq!(
        (&outcome.output["bytesWritten"], &outcome.output["size"]),
        (&json!(4), &json!(8))
    );
    assert_eq!(world.content("a.txt"), "one\ntwo\n");
    assert_eq!(
        world.text("append_file", json!({"path": "b.txt", "content": "x"})),
        "appended 1 byte to the new file b.txt"
    );
    assert_eq!(names(&world), ["a.txt", "b.txt"]);
}

#[test]
fn ten_megabytes_are_fine_and_the_limit_is_told() {
    let world = World::new();
    let content = "0123456789abcdef".repeat(10 << 16);
    assert!(
        world
            .run("write_file", json!({"path": "big", "content": content}))
            .ok
    );
    assert_eq!(
        fs::metadata(world.at("big")).expect("there").len(),
        10 << 20
    );

    let world = World::with(&[("a", "12345")]).limited(|limits| limits.file_bytes = 8);
    assert_eq!(
        world.code("write_file", json!({"path": "b", "content": "123456789"})),
        "too-large"
    );
    let (code, text) = world.failure("append_file", json!({"path": "a", "content": "1234"}));
    assert_eq!(code, "too-large");
    assert!(
        text.contains("9 bytes") && text.contains("limit of 8"),
        "{text}"
    );
    assert_eq!(
        (world.content("a").as_str(), names(&world)),
        ("12345", vec!["a".to_owned()])
    );
}

#[test]
fn a_directory_is_not_overwritten() {
    let world = World::with(&[("dir/a", "")]);
    for path in ["dir", ".", "dir/..", "./"] {
        let code = world.code("write_file", json!({"path": path, "content": "x"}));
        assert!(
            ["is-directory", "ends-in-slash"].contains(&code.as_str()),
            "{path}: {code}"
        );
    }
    assert_eq!(names(&world), ["dir"]);
}

#[test]
fn directories_are_made_once() {
    let world = World::with(&[("file", "")]);
    let made = |path: &str| world.run("create_directory", json!({"path": path})).output;
    assert_eq!(
        made("a/b/c"),
        json!({"success": true, "path": "a/b/c", "created": true})
    );
    assert_eq!(made("a/b/c/")["created"], false);
    assert_eq!(made(".")["created"], false);
    assert_eq!(made("file")["error"], "not-directory");
    assert_eq!(made("file/x")["error"], "unusable-path");
    assert!(world.at("a/b/c").is_dir());
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use toolglot_value::json;

    use super::names;
    use crate::world::World;

    fn mode(world: &World, path: &str) -> u32 {
        fs::metadata(world.at(path)).expect("there").mode() & 0o7777
    }

    #[test]
    fn the_mode_stays_but_nothing_runs_as_somebody_else() {
        let world = World::with(&[("run.sh", "old"), ("suid", "old")]);
        fs::set_permissions(world.at("run.sh"), Permissions::from_mode(0o750)).expect("set");
        fs::set_permissions(world.at("suid"), Permissions::from_mode(0o4755)).expect("set");
        for (path, tool, expected) in [
            ("run.sh", "write_file", 0o750),
            ("run.sh", "append_file", 0o750),
            ("suid", "write_file", 0o755),
        ] {
            assert!(world.run(tool, json!({"path": path, "content": "new"})).ok);
            assert_eq!(mode(&world, path), expected, "{tool} {path}");
        }
    }

    #[test]
    fn the_owner_stays() {
        let world = World::with(&[("a", "old")]);
        let Ok(()) = std::os::unix::fs::chown(world.at("a"), Some(65534), Some(65534)) else {
            eprintln!("SKIPPED the_owner_stays: only root can give files away");
            return;
        };
        world.text("write_file", json!({"path": "a", "content": "new"}));
        let metadata = fs::metadata(world.at("a")).expect("there");
        assert_eq!((metadata.uid(), metadata.gid()), (65534, 65534));
    }

    #[test]
    fn a_read_only_file_stays_as_it_is() {
        let world = World::with(&[("a", "old")]);
        fs::set_permissions(world.at("a"), Permissions::from_mode(0o444)).expect("set");
        for tool in ["write_file", "append_file"] {
            assert_eq!(
                world.code(tool, json!({"path": "a", "content": "new"})),
                "read-only"
            );
        }
        assert_eq!(
            (
                world.content("a").as_str(),
                mode(&world, "a"),
                names(&world)
            ),
            ("old", 0o444, vec!["a".to_owned()])
        );
    }

    #[test]
    fn somebody_who_reads_the_old_file_goes_on_reading_it() {
        use std::io::Read;
        let world = World::with(&[("a", "old content")]);
        let mut reader = fs::File::open(world.at("a")).expect("opened");
        world.text("write_file", json!({"path": "a", "content": "new"}));
        let mut seen = String::new();
        reader.read_to_string(&mut seen).expect("read");
        assert_eq!(
            (seen.as_str(), world.content("a").as_str()),
            ("old content", "new")
        );
    }

    #[test]
    fn a_name_of_the_greatest_length_can_be_written() {
        let world = World::new();
        let name = "n".repeat(255);
        world.text("write_file", json!({"path": name, "content": "x"}));
        assert_eq!(world.content(&name), "x");
        assert_eq!(
            world.code(
                "write_file",
                json!({"path": "n".repeat(256), "content": "x"})
            ),
            "unusable-path"
        );
    }
}
