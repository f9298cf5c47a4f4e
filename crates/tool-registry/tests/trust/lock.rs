//! The lock of a project forbids a text, even one that is signed or trusted.

use std::fs;

use crate::trust::{World, tool, write};

#[test]
fn what_the_lock_names_otherwise_does_not_run() {
    for signs in [false, true] {
        let world = World::new();
        world.trust().new_key("me").expect("a home");
        let file = world.project.join(".ai/tools/work/greet-it.py");
        write(&file, &tool("1.0.0"));
        if signs {
            world.sign("work/greet-it", false);
        } else {
            let found = world.found("work/greet-it");
            world.trust().trust(&[(&found, "1.0.0")]).expect("a ledger");
        }
        let runs = if signs { "signed" } else { "trusted" };
        assert_eq!(world.standing("work/greet-it"), runs);
        let path = world.project.join(".ai/toolglot.lock");
        let lock = fs::read_to_string(&path).expect("it was locked");
        let digest = lock.split('"').find(|word| word.len() == 64);
        let digest = digest.expect("a digest").to_owned();
        for (from, to) in [(&*digest, "0".repeat(64)), ("1.0.0", "9.9.9".to_owned())] {
            write(&path, &lock.replace(from, &to));
            assert_eq!(world.standing("work/greet-it"), "not_locked", "{to}");
        }
        // An unreadable lock is not taken for "nothing is forbidden".
        for (from, to) in [("\"lock\": 1", "\"lock\": 99"), (&*digest, "")] {
            write(&path, &lock.replace(from, to));
            let opened = toolglot_tool_trust::Trust::open(&world.spaces());
            assert!(opened.is_err(), "{from} as {to:?}");
        }
        write(&path, &lock);
        assert_eq!(world.standing("work/greet-it"), runs);
    }
}

#[test]
fn what_others_locked_meanwhile_stays_locked() {
    let world = World::new();
    for name in ["greet-it", "other-it"] {
        let file = world.project.join(format!(".ai/tools/work/{name}.py"));
        write(&file, &tool("1.0.0"));
    }
    let (mut one, mut other) = (world.trust(), world.trust());
    for (trust, id) in [(&mut one, "work/greet-it"), (&mut other, "work/other-it")] {
        trust
            .trust(&[(&world.found(id), "1.0.0")])
            .expect("a ledger");
    }
    let lock = fs::read_to_string(world.project.join(".ai/toolglot.lock")).expect("locked");
    assert!(
        lock.contains("work/greet-it") && lock.contains("work/other-it"),
        "{lock}"
    );
}

#[test]
fn what_was_only_trusted_elsewhere_is_unsigned_here() {
    let world = World::new();
    let file = world.project.join(".ai/tools/work/greet-it.py");
    write(&file, &tool("1.0.0"));
    let found = world.found("work/greet-it");
    world.trust().trust(&[(&found, "1.0.0")]).expect("a ledger");
    // A clone has the lock, but not this user's ledger.
    fs::remove_dir_all(world.home.join(".ai/toolglot")).expect("it was there");
    assert_eq!(world.standing("work/greet-it"), "unsigned");
    write(&file, &tool("1.0.0").replace("Whom", "Who"));
    assert_eq!(world.standing("work/greet-it"), "not_locked");
}

#[test]
fn line_endings_that_changed_are_named() {
    let world = World::new();
    world.trust().new_key("me").expect("a home");
    let file = world.project.join(".ai/tools/work/greet-it.py");
    for (before, after) in [("\n", "\r\n"), ("\r\n", "\n")] {
        write(&file, &tool("1.0.0").replace('\n', before));
        world.sign("work/greet-it", false);
        let signed = fs::read_to_string(&file).expect("it was signed");
        let unix = signed.replace("\r\n", "\n");
        write(&file, &unix.replace('\n', after));
        let found = world.found("work/greet-it");
        let refusal = world.trust().standing(&found, Some("1.0.0"));
        let refusal = refusal.expect_err("it was changed");
        assert_eq!(refusal.code(), "hash_mismatch");
        assert!(refusal.to_string().contains("line endings"), "{refusal}");
    }
}

#[test]
fn without_the_lock_the_ledger_knows_what_was_where() {
    let world = World::new();
    world.trust().new_key("me").expect("a home");
    let lock = world.project.join(".ai/toolglot.lock");
    let file = |name: &str| world.project.join(format!(".ai/tools/work/{name}.py"));
    for (name, whom) in [("greet-it", "Whom"), ("greet-me", "Me")] {
        write(&file(name), &tool("1.0.0").replace("Whom", whom));
        world.sign(&format!("work/{name}"), false);
    }
    let texts = ["greet-it", "greet-me"].map(|name| fs::read_to_string(file(name)).expect("it"));
    for with_lock in [true, false] {
        if with_lock {
            // A program that can move files can also write the lock.
            let text = fs::read_to_string(&lock).expect("it was locked");
            write(&lock, &text.replace("work/greet-it", "work/greet-us"));
        } else {
            fs::remove_file(&lock).expect("it is there");
        }
        write(&file("greet-us"), &texts[0]);
        assert_eq!(world.standing("work/greet-us"), "moved");
        fs::remove_file(file("greet-us")).expect("it is there");
    }
    write(&file("greet-it"), &texts[1]);
    write(&file("greet-me"), &texts[0]);
    assert_eq!(world.standing("work/greet-it"), "moved");
    assert_eq!(world.standing("work/greet-me"), "moved");
    // An earlier text of another tool counts as moved too. One of this tool is not moved, but older than the seen one.
    write(&file("greet-it"), &tool("1.0.0").replace("Whom", "All"));
    world.sign("work/greet-it", false);
    fs::remove_file(&lock).expect("it was locked");
    assert_eq!(world.standing("work/greet-me"), "moved");
    write(&file("greet-it"), &texts[0]);
    assert_eq!(world.standing("work/greet-it"), "replayed");
    // A new signature at the new place accepts the move.
    world.sign("work/greet-me", false);
    assert_eq!(world.standing("work/greet-me"), "signed");
}

#[test]
fn of_two_texts_of_one_version_the_later_signature_counts() {
    let world = World::new();
    world.trust().new_key("me").expect("a home");
    let lock = world.project.join(".ai/toolglot.lock");
    let file = world.project.join(".ai/tools/work/greet-it.py");
    let sign = |text: &str, time: &str| {
        write(&file, text);
        world.sign_at("work/greet-it", true, time);
        fs::read_to_string(&file).expect("it was signed")
    };
    let old = sign(&tool("1.0.0"), "2026-02-23T05:24:41Z");
    let new = sign(
        &tool("1.0.0").replace("Whom", "Who"),
        "2026-02-23T05:24:42Z",
    );
    fs::remove_file(&lock).expect("it was locked");
    assert_eq!(world.standing("work/greet-it"), "signed");
    write(&file, &old);
    assert_eq!(world.standing("work/greet-it"), "replayed");
    let refusal = world
        .trust()
        .standing(&world.found("work/greet-it"), Some("1.0.0"));
    let refusal = refusal.expect_err("it is older").to_string();
    assert!(
        refusal.contains("1.0.0 of 2026-02-23T05:24:41Z"),
        "{refusal}"
    );
    write(&file, &new);
    assert_eq!(world.standing("work/greet-it"), "signed");
    // Trust in the older text does not make it later, and a signature that is not valid has no effect.
    let found = world.found("work/greet-it").with_text(old.clone());
    world.trust().trust(&[(&found, "1.0.0")]).expect("a ledger");
    write(&file, &old);
    assert_eq!(world.standing("work/greet-it"), "trusted");
    let record = world.trust().record(&found).expect("it was trusted");
    assert_eq!(record.time.as_deref(), Some("2026-02-23T05:24:42Z"));
}

#[test]
fn what_is_no_file_is_no_lock_and_no_key() {
    use std::os::unix::fs::symlink;
    use std::process::Command;
    let world = World::new();
    let lock = world.project.join(".ai/toolglot.lock");
    let opened = || toolglot_tool_trust::Trust::open(&world.spaces()).map(|_| ());
    // A pipe has no end; a reader of it waits forever.
    let pipe = |path: &std::path::Path| {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        assert!(
            Command::new("mkfifo")
                .arg(path)
                .status()
                .expect("it is there")
                .success()
        );
    };
    pipe(&lock);
    let why = opened().expect_err("it is a pipe").to_string();
    assert!(why.ends_with("it is not a file"), "{why}");
    toolglot_tool_trust::Trust::fingerprint(&world.spaces());
    fs::remove_file(&lock).expect("it is there");
    let elsewhere = world.home.join("lock");
    write(&elsewhere, "{\"lock\": 1, \"tools\": {}}");
    symlink(&elsewhere, &lock).expect("a link");
    let why = opened().expect_err("it leads out").to_string();
    assert!(why.ends_with("out of the project"), "{why}");
    fs::remove_file(&lock).expect("it is there");
    // An unusable key file of a project is ignored; one among the user's own keys is reported.
    let keys = |root: &std::path::Path| root.join(".ai/trusted_keys/x.toml");
    pipe(&keys(&world.project));
    assert!(opened().is_ok());
    pipe(&keys(&world.home));
    assert!(opened().is_err());
    toolglot_tool_trust::Trust::fingerprint(&world.spaces());
}
