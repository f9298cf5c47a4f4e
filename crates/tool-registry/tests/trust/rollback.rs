//! An older text that is put back does not run, even if the lock beside it is removed.
//!
//! A row of [`ROWS`] has the texts that were signed and seen, in order, and the text that is there at the end.

use std::fs;

use toolglot_tool_signature::{Generation, Header, PrivateKey, Style, sign as sign_text};

use crate::trust::{TIME, World, tool, write};

const T1: &str = "2026-02-23T05:24:41Z";
const T2: &str = "2026-02-23T05:24:42Z";
const T3: &str = "2026-02-23T05:24:43Z";
const ID: &str = "work/greet-it";

/// A signed text: its version, a word in its body, the form of its signature, its time.
type Signed = (&'static str, &'static str, Generation, &'static str);

const V1: Generation = Generation::V1;
const V2: Generation = Generation::V2;

/// The texts that were seen, in order; the text that is put there then; the result.
const ROWS: &[(&[Signed], Signed, &str)] = &[
    // The text that was seen, by the same line or another.
    (&[("1.0.0", "a", V1, T1)], ("1.0.0", "a", V1, T1), "signed"),
    (&[("1.0.0", "a", V1, T2)], ("1.0.0", "a", V1, T1), "signed"),
    (&[("1.0.0", "a", V2, T2)], ("1.0.0", "a", V2, T1), "signed"),
    (&[("1.0.0", "a", V2, T2)], ("1.0.0", "a", V1, T1), "signed"),
    // A replaced text of the same version: by version 1, whatever time its line states.
    (
        &[("1.0.0", "a", V1, T1), ("1.0.0", "b", V1, T2)],
        ("1.0.0", "a", V1, T1),
        "replayed",
    ),
    (
        &[("1.0.0", "a", V1, T1), ("1.0.0", "b", V1, T2)],
        ("1.0.0", "a", V1, T3),
        "replayed",
    ),
    (
        &[("1.0.0", "a", V1, T1), ("1.0.0", "b", V2, T2)],
        ("1.0.0", "a", V1, T3),
        "replayed",
    ),
    (
        &[("1.0.0", "a", V2, T1), ("1.0.0", "b", V1, T2)],
        ("1.0.0", "a", V1, T3),
        "replayed",
    ),
    (
        &[("1.0.0", "a", V2, T1), ("1.0.0", "b", V1, T2)],
        ("1.0.0", "a", V2, T1),
        "replayed",
    ),
    (
        &[("1.0.0", "a", V2, T1), ("1.0.0", "b", V2, T2)],
        ("1.0.0", "a", V2, T1),
        "replayed",
    ),
    (
        &[("1.0.0", "a", V2, T1), ("1.0.0", "b", V2, T1)],
        ("1.0.0", "a", V2, T1),
        "replayed",
    ),
    // A text that was never seen here and may be older.
    (
        &[("1.0.0", "b", V1, T2)],
        ("1.0.0", "a", V1, T1),
        "replayed",
    ),
    (
        &[("1.0.0", "b", V1, T2)],
        ("1.0.0", "a", V1, T3),
        "replayed",
    ),
    (
        &[("1.0.0", "b", V2, T2)],
        ("1.0.0", "a", V1, T3),
        "replayed",
    ),
    (
        &[("1.0.0", "b", V2, T2)],
        ("1.0.0", "a", V2, T2),
        "replayed",
    ),
    (
        &[("1.0.0", "b", V2, T2)],
        ("1.0.0", "a", V2, T1),
        "replayed",
    ),
    (
        &[("1.0.0", "b", V1, T2)],
        ("1.0.0", "a", V2, T1),
        "replayed",
    ),
    (
        &[("1.0.0", "b", V1, T2)],
        ("1.0.0", "a", V2, T2),
        "replayed",
    ),
    (
        &[("1.1.0", "b", V1, T2)],
        ("1.0.0", "a", V1, T3),
        "replayed",
    ),
    (
        &[("1.1.0", "b", V2, T2)],
        ("1.0.0", "a", V2, T3),
        "replayed",
    ),
    // A higher version that the user has replaced.
    (
        &[("2.0.0", "a", V1, T1), ("1.0.0", "b", V1, T2)],
        ("2.0.0", "a", V1, T3),
        "replayed",
    ),
    (
        &[("2.0.0", "a", V2, T1), ("1.0.0", "b", V2, T2)],
        ("2.0.0", "a", V2, T1),
        "replayed",
    ),
    // The first and the second of three texts.
    (
        &[
            ("1.0.0", "a", V1, T1),
            ("1.0.0", "b", V1, T1),
            ("1.0.0", "c", V1, T1),
        ],
        ("1.0.0", "a", V1, T3),
        "replayed",
    ),
    (
        &[
            ("1.0.0", "a", V1, T1),
            ("1.0.0", "b", V1, T1),
            ("1.0.0", "c", V1, T1),
        ],
        ("1.0.0", "b", V1, T3),
        "replayed",
    ),
    // A text that is newer by what its signature covers: the version in the body, the time of version 2.
    (&[("1.0.0", "a", V1, T1)], ("1.0.1", "b", V1, T1), "signed"),
    (&[("1.0.0", "a", V2, T1)], ("1.0.1", "b", V1, T1), "signed"),
    (&[("1.0.0", "a", V2, T1)], ("1.0.0", "b", V2, T2), "signed"),
    (&[("1.0.0", "a", V1, T1)], ("1.0.0", "b", V2, T2), "signed"),
    // Its author reverted the change, and signed that.
    (
        &[("1.0.0", "a", V2, T1), ("1.0.0", "b", V2, T2)],
        ("1.0.0", "a", V2, T3),
        "signed",
    ),
];

/// The text of a row.
fn text(signed: Signed, key: &PrivateKey) -> String {
    let (version, word, generation, time) = signed;
    let body = tool(version).replace("Whom", word);
    let binding = (generation == V2).then_some((ID, version));
    sign_text(&body, Style::Hash, key, time, binding)
}

fn put(world: &World, text: &str) {
    write(&world.project.join(".ai/tools/work/greet-it.py"), text);
    // A program that can put a tool back can also remove the lock.
    let _ = fs::remove_file(world.project.join(".ai/toolglot.lock"));
}

#[test]
fn an_older_text_that_is_put_back_is_refused() {
    for (n, (seen, last, expected)) in ROWS.iter().enumerate() {
        let world = World::new();
        world.trust().new_key("me").expect("a home");
        let key = world.trust().private_key().expect("there is a key");
        for signed in *seen {
            put(&world, &text(*signed, &key));
            let found = world.found(ID);
            let signing = world.trust().signed(&[(&found, signed.0)]);
            signing.expect("a lock and a ledger");
        }
        put(&world, &text(*last, &key));
        assert_eq!(world.standing(ID), *expected, "row {n}: {seen:?} {last:?}");
        if *expected == "signed" {
            continue;
        }
        let found = world.found(ID);
        let refusal = world.trust().standing(&found, Some(last.0));
        let why = refusal.expect_err("it is replayed").to_string();
        assert!(why.contains("`work/greet-it`"), "{why}");
        assert!(why.contains("toolglot tools trust work/greet-it"), "{why}");
        // Running the refused text, as a program with an old copy of the ledger may do, does not change the ledger.
        world.trust().seen(&found, last.0).expect("a ledger");
        assert_eq!(world.standing(ID), *expected, "row {n}: {seen:?} {last:?}");
        // The user's trust accepts it as it is; then the other one is the older text.
        world.trust().trust(&[(&found, last.0)]).expect("a ledger");
        assert_eq!(world.standing(ID), "trusted", "row {n}");
        let newest = seen.last().expect("one was seen");
        put(&world, &text(*newest, &key));
        assert_ne!(world.standing(ID), "trusted", "row {n}");
    }
}

#[test]
fn what_ran_is_remembered_without_the_lock() {
    for generation in [V1, V2] {
        let world = World::new();
        world.trust().new_key("me").expect("a home");
        let key = world.trust().private_key().expect("there is a key");
        let (old, new) = (
            text(("1.0.0", "a", generation, T1), &key),
            text(("1.0.1", "b", generation, T2), &key),
        );
        for signed in [&old, &new] {
            put(&world, signed);
            assert_eq!(world.standing(ID), "signed");
            let found = world.found(ID);
            let version = found.tool().metadata.version.clone().expect("a version");
            world.trust().seen(&found, &version).expect("a ledger");
        }
        put(&world, &old);
        assert_eq!(world.standing(ID), "replayed");
        // Another machine has seen nothing yet: it accepts any signed text, and remembers that text.
        fs::remove_dir_all(world.home.join(".ai/toolglot")).expect("it was there");
        assert_eq!(world.standing(ID), "signed");
    }
}

#[test]
fn a_program_that_read_the_ledger_before_does_not_undo_what_another_wrote() {
    for generation in [V1, V2] {
        let world = World::new();
        world.trust().new_key("me").expect("a home");
        let key = world.trust().private_key().expect("there is a key");
        let old = text(("1.0.0", "a", generation, T1), &key);
        put(&world, &old);
        let before = world.found(ID);
        world
            .trust()
            .signed(&[(&before, "1.0.0")])
            .expect("a ledger");
        let mut early = world.trust();
        put(&world, &text(("1.0.0", "b", generation, T2), &key));
        let found = world.found(ID);
        world
            .trust()
            .signed(&[(&found, "1.0.0")])
            .expect("a ledger");
        early.seen(&before, "1.0.0").expect("a ledger");
        early.pin_server(&before, "a digest").expect("a ledger");
        put(&world, &old);
        assert_eq!(world.standing(ID), "replayed");
        assert_eq!(world.trust().pinned(&before), Some("a digest"));
    }
}

/// Two programs may both see a server's tool for the first time: the first pin stays.
#[test]
fn what_a_server_says_is_pinned_once() {
    let world = World::new();
    world.trust().new_key("me").expect("a home");
    let key = world.trust().private_key().expect("there is a key");
    put(&world, &text(("1.0.0", "a", V2, T1), &key));
    let found = world.found(ID);
    let (mut one, mut other) = (world.trust(), world.trust());
    one.pin_server(&found, "first").expect("a ledger");
    let error = other
        .pin_server(&found, "second")
        .map_err(|error| error.to_string());
    assert!(
        error
            .expect_err("another is pinned")
            .contains("differs from the pinned one")
    );
    other.pin_server(&found, "first").expect("the same");
    assert_eq!(world.trust().pinned(&found), Some("first"));
}

/// Each field of the line, its new value, and the result with version 1 and with version 2.
const FIELDS: &[(&str, &str, &str)] = &[
    ("time", "2027-02-23T05:24:41Z", "signed bad_signature"),
    ("time", "2025-02-23T05:24:41Z", "signed bad_signature"),
    ("time", "2026-02-23 05:24:41Z", "stripped stripped"),
    ("id", "work/greet-me", "- bad_signature"),
    ("id", "", "- stripped"),
    ("version", "9.9.9", "- bad_signature"),
    ("version", "", "- stripped"),
    (
        "hash",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "hash_mismatch hash_mismatch",
    ),
    ("hash", "00", "stripped stripped"),
    ("signature", "AAAA", "bad_signature bad_signature"),
    ("signature", "", "stripped stripped"),
    ("key", "0000000000000000", "untrusted_key untrusted_key"),
    ("key", "00", "stripped stripped"),
    ("more", "x", "stripped stripped"),
];

#[test]
fn each_field_of_the_line_counts() {
    for (field, value, expected) in FIELDS {
        let expected: Vec<&str> = expected.split(' ').collect();
        for (generation, expected) in [(V1, expected[0]), (V2, expected[1])] {
            let world = World::new();
            world.trust().new_key("me").expect("a home");
            let key = world.trust().private_key().expect("there is a key");
            let signed = text(("1.0.0", "a", generation, TIME), &key);
            put(&world, &signed);
            let found = world.found(ID);
            world
                .trust()
                .signed(&[(&found, "1.0.0")])
                .expect("a ledger");
            let header = Header::find(&signed, Style::Hash).expect("it is signed");
            let line = &signed[header.line.clone()];
            let fields: Vec<&str> = line.rsplit(':').collect();
            let changed = match *field {
                "time" => line.replace(TIME, value),
                "id" => line.replace(&format!(":{ID}:"), &format!(":{value}:")),
                "version" => line.replace(":1.0.0:", &format!(":{value}:")),
                "hash" => line.replace(fields[2], value),
                "signature" => line.replace(fields[1], value),
                "key" => line.replace(fields[0], value),
                _ => format!("{line}:{value}"),
            };
            if expected == "-" {
                assert_eq!(line, changed, "version 1 has no {field}");
                continue;
            }
            put(&world, &signed.replace(line, &changed));
            assert_eq!(
                world.standing(ID),
                expected,
                "{field} as {value:?}: {changed}"
            );
        }
    }
}
