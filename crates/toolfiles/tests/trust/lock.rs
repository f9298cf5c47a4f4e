//! The lock of a project forbids, whoever signed or trusted.

use std::fs;

use crate::{World, tool, write};

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
            world.trust().trust(&found, "1.0.0").expect("a ledger");
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
        // What cannot be understood is not taken for "nothing is forbidden".
        for (from, to) in [("\"lock\": 1", "\"lock\": 99"), (&*digest, "")] {
            write(&path, &lock.replace(from, to));
            let opened = toolglot_toolfiles::Trust::open(&world.spaces());
            assert!(opened.is_err(), "{from} as {to:?}");
        }
        write(&path, &lock);
        assert_eq!(world.standing("work/greet-it"), runs);
    }
}

#[test]
fn what_was_only_trusted_elsewhere_is_unsigned_here() {
    let world = World::new();
    let file = world.project.join(".ai/tools/work/greet-it.py");
    write(&file, &tool("1.0.0"));
    let found = world.found("work/greet-it");
    world.trust().trust(&found, "1.0.0").expect("a ledger");
    // A clone: the lock is there, and what this user remembers is not.
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
