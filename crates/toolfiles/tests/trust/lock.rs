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
