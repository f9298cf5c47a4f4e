//! The tree changes while a call runs.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use toolglot_builtins::plan;
use toolglot_value::json;

use crate::world::{SECRET, World};

/// Runs `call` while a directory and a link to the outside alternate under the name `a`.
fn while_swapping(world: &World, mut call: impl FnMut()) {
    let done = AtomicBool::new(false);
    let (name, aside) = (world.at("a"), world.at("kept"));
    // A write may make a directory with that name while there is none, and continue to fill it.
    let insist = |put: &dyn Fn() -> io::Result<()>| {
        while put().is_err() {
            let _ = fs::remove_dir_all(&name);
        }
    };
    std::thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            let mut n_swaps = 0_u32;
            while !done.load(Ordering::Relaxed) {
                fs::rename(&name, &aside).expect("moved away");
                insist(&|| symlink(world.out(), &name));
                fs::remove_file(&name).expect("unlinked");
                insist(&|| fs::rename(&aside, &name));
                n_swaps += 1;
            }
            n_swaps
        });
        for _ in 0..2_000 {
            call();
        }
        done.store(true, Ordering::Relaxed);
        assert!(swapper.join().expect("no panic") > 0);
    });
}

#[test]
fn a_directory_that_becomes_a_link_while_it_is_used_leads_nowhere() {
    let world = World::with(&[("a/secret.txt", "inside"), ("a/deep/x", "inside")]);
    let (mut n_done, mut n_fired) = (0, 0);
    while_swapping(&world, || {
        // The attack is real: a plain read of the same path sometimes leads outside.
        let careless = fs::read_to_string(world.at("a/secret.txt"));
        n_fired += u32::from(careless.is_ok_and(|text| text == SECRET));
        for (tool, arguments) in [
            (
                "write_file",
                json!({"path": "a/secret.txt", "content": "inside"}),
            ),
            ("read_file", json!({"path": "a/secret.txt"})),
            ("search_files", json!({"path": ".", "pattern": SECRET})),
            ("list_files", json!({"path": "a", "recursive": true})),
        ] {
            let outcome = world.run(tool, arguments);
            let text = outcome.output.to_string();
            // A search's result contains the pattern itself.
            assert!(tool == "search_files" || !text.contains(SECRET), "{text}");
            assert!(
                tool != "search_files" || !outcome.ok || outcome.output["total"] == 0,
                "{text}"
            );
            n_done += u32::from(outcome.ok);
        }
    });
    assert!(n_fired > 0 && n_done > 0, "{n_fired} fired, {n_done} done");
    world.assert_outside_untouched();
}

#[test]
fn what_was_judged_is_what_is_used() {
    let world = World::with(&[
        ("notes/config", "harmless"),
        (".git/config", "[core]"),
        ("a.txt", "inside"),
    ]);
    let arguments = json!({"path": "notes/config", "content": "pwned"});
    let planned = plan(
        &world.root,
        "write_file",
        arguments.as_object().expect("an object"),
    )
    .expect("planned");
    assert_eq!(planned.paths()[0].inside(), Some("notes/config".as_ref()));

    // Between the decision and the write the directory becomes a link to another one inside the root.
    fs::remove_dir_all(world.at("notes")).expect("removed");
    world.link("notes", ".git");
    let outcome = planned.run_unjudged();
    assert!(!outcome.ok, "{outcome:?}");
    assert_eq!(world.content(".git/config"), "[core]");
}

#[test]
fn a_file_that_becomes_a_link_is_told() {
    let world = World::with(&[("a.txt", "inside")]);
    for (tool, arguments) in [
        ("read_file", json!({"path": "a.txt"})),
        ("write_file", json!({"path": "a.txt", "content": "pwned"})),
        ("append_file", json!({"path": "a.txt", "content": "pwned"})),
        ("search_files", json!({"path": "a.txt", "pattern": "."})),
    ] {
        world.put("a.txt", "inside");
        let planned =
            plan(&world.root, tool, arguments.as_object().expect("an object")).expect("planned");
        fs::remove_file(world.at("a.txt")).expect("removed");
        world.link("a.txt", world.out().join("secret.txt"));
        let outcome = planned.run_unjudged();
        assert_eq!(outcome.output["error"], "changed", "{tool}: {outcome:?}");
        fs::remove_file(world.at("a.txt")).expect("removed");
    }
    world.assert_outside_untouched();
}

#[test]
fn a_plan_is_no_act() {
    let world = World::new();
    for (tool, arguments) in [
        ("write_file", json!({"path": "deep/a.txt", "content": "x"})),
        ("create_directory", json!({"path": "deep"})),
    ] {
        let _ =
            plan(&world.root, tool, arguments.as_object().expect("an object")).expect("planned");
    }
    assert_eq!(fs::read_dir(world.at("")).expect("there").count(), 0);
}
