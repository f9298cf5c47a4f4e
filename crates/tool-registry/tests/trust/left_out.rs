//! Text that no signature covers can neither run nor set a field; trust and the lock cover the whole text.

use std::fs;

use toolglot_tool_files::{Language, new_tool};
use toolglot_tool_signature::verify as verify_text;
use toolglot_tool_trust::Space;

use crate::trust::{PrivateKey, Style, TIME, World, item, mine, sign_text, tool, write};

/// Characters that end a line for one reader of tools or another, but not for all.
const ENDS: &[&str] = &[
    "\r", "\u{b}", "\u{c}", "\u{1c}", "\u{1d}", "\u{1e}", "\u{85}", "\u{2028}", "\u{2029}", "\r\r",
];
const HEADS: &[&str] = &[
    "rye:signed:x",
    "rye:validated:2026-01-01T00:00:00Z:placeholder",
    "kiwi-mcp:signed:x",
    "ryeos:signed:x",
    "toolglot:signed:2:x",
    "toolglot:signed:2:2026-02-23T05:24:41Z:work/a:1.0.0:x",
];

/// A project with `work/greet-it` in that language.
fn world(language: Language) -> (World, std::path::PathBuf) {
    let world = World::new();
    let name = format!(".ai/tools/work/greet-it.{}", language.extension());
    let file = world.project.join(name);
    write(&file, &new_tool(&item("work/greet-it"), language));
    (world, file)
}

#[test]
fn no_line_of_a_signed_file_goes_on_unsigned() {
    for language in [Language::Python, Language::Yaml, Language::Bash] {
        for v2 in [false, true] {
            let (world, file) = world(language);
            world.trust().new_key("me").expect("a home");
            world.sign("work/greet-it", v2);
            let signed = fs::read_to_string(&file).expect("it was signed");
            for end in ENDS {
                write(&file, &format!("#!/x{end}print('EVIL')\n{signed}"));
                assert_eq!(world.standing("work/greet-it"), "stripped", "{end:?}");
                // Signing the found text does not leave that line out either.
                let key = PrivateKey::generate().expect("random bytes");
                let text = format!("#!/x{end}print('EVIL')\n{signed}");
                let again = sign_text(&text, language.signature_style(), &key, TIME, None);
                let verdict = |text: &str| {
                    verify_text(
                        "work/greet-it",
                        text,
                        language.signature_style(),
                        &mine(&key),
                    )
                    .is_ok()
                };
                assert!(verdict(&again), "{end:?}");
                assert!(!verdict(&again.replace("EVIL", "WORSE")), "{end:?}");
            }
        }
    }
}

#[test]
fn no_part_of_a_signature_line_ends_it() {
    let key = PrivateKey::generate().expect("random bytes");
    let keys = mine(&key);
    for binding in [None, Some(("w/a", "1.0.0"))] {
        let signed = sign_text("a: 1\n", Style::Hash, &key, TIME, binding);
        let end_of_line = signed.find('\n').expect("a line");
        for at in (0..=end_of_line).filter(|at| signed.is_char_boundary(*at)) {
            for end in ENDS {
                let (before, after) = signed.split_at(at);
                // As `\r\n` it is another end of the same line.
                if at == end_of_line && *end == "\r" {
                    continue;
                }
                let text = format!("{before}{end}evil: 1{after}");
                assert!(
                    verify_text("w/a", &text, Style::Hash, &keys).is_err(),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn what_is_trusted_is_all_of_the_text() {
    for language in [
        Language::Python,
        Language::JavaScript,
        Language::Yaml,
        Language::Bash,
    ] {
        let (world, file) = world(language);
        let found = world.found("work/greet-it");
        world.trust().trust(&[(&found, "1.0.0")]).expect("a home");
        assert_eq!(world.standing("work/greet-it"), "trusted");
        let text = fs::read_to_string(&file).expect("it is there");
        let sign = language.signature_style().prefix();
        let heads = HEADS.iter().map(|head| format!("{sign}{head}"));
        for head in heads.chain(["#!/x".to_owned(), "\u{feff}".to_owned()]) {
            for end in ENDS.iter().copied().chain(["", "\r\n", "\n"]) {
                write(&file, &format!("{head}{end}{text}"));
                assert_eq!(world.standing("work/greet-it"), "changed", "{head}{end:?}");
            }
        }
        write(&file, &text);
        assert_eq!(world.standing("work/greet-it"), "trusted");
    }
}

#[test]
fn a_shebang_is_trusted_and_locked_with_the_rest() {
    let (world, file) = world(Language::Python);
    let text = format!("#!/usr/bin/env python3\n{}", tool("1.0.0"));
    write(&file, &text);
    let found = world.found("work/greet-it");
    world.trust().trust(&[(&found, "1.0.0")]).expect("a home");
    let record = world.trust().record(&found).expect("it was trusted");
    let copy = world.trust().trusted_text(&record);
    assert_eq!(copy.as_deref(), Some(text.as_str()));
    let other = text.replace("python3", "python3.99");
    write(&file, &other);
    assert_eq!(world.standing("work/greet-it"), "changed");

    write(&file, &text);
    world.trust().new_key("me").expect("a home");
    world.sign("work/greet-it", false);
    let signed = fs::read_to_string(&file).expect("it was signed");
    assert!(signed.starts_with("#!/usr/bin/env python3\n# rye:signed:"));
    // As in Rye's files, no signature covers the shebang; the lock does.
    write(&file, &signed.replace("python3", "python3.99"));
    assert_eq!(world.standing("work/greet-it"), "not_locked");
    let found = world.found("work/greet-it");
    let refusal = world.trust().standing(&found, Some("1.0.0"));
    let refusal = refusal.expect_err("it is another").to_string();
    assert!(refusal.contains("its shebang or the line"), "{refusal}");
    fs::remove_file(world.project.join(".ai/toolglot.lock")).expect("it was locked");
    assert_eq!(world.standing("work/greet-it"), "signed");
}

#[test]
fn what_was_written_down_by_the_body_counts_where_that_is_all() {
    let (world, file) = world(Language::Python);
    let found = world.found("work/greet-it");
    world.trust().trust(&[(&found, "1.0.0")]).expect("a home");
    let without_whole = |path: &std::path::Path| {
        let text = fs::read_to_string(path).expect("it was written");
        let lines: Vec<&str> = text.lines().filter(|l| !l.contains("\"whole\"")).collect();
        let text = lines.join("\n").replace("\",\n      }", "\"\n      }");
        let text = text.replace("true,\n    }", "true\n    }");
        text.replace("\",\n    }", "\"\n    }")
    };
    for path in [
        world.home.join(".ai/toolglot/ledger.json"),
        world.project.join(".ai/toolglot.lock"),
    ] {
        let before = without_whole(&path);
        assert_ne!(before, fs::read_to_string(&path).expect("it is there"));
        write(&path, &before);
    }
    assert_eq!(found.space, Space::Project);
    assert_eq!(world.standing("work/greet-it"), "trusted");
    write(&file, &format!("#!/x\n{}", found.text()));
    assert_eq!(world.standing("work/greet-it"), "changed");
}
