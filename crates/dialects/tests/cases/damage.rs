//! Generates `docs/damage.md` from the tables of repairs, recovery and doubt, and compares the file with it.
//!
//! `TOOLGLOT_BLESS=1 cargo test -p toolglot-dialects --test tests cases::` writes it anew.

use std::fmt::Write as _;

use toolglot_engine::{Code, DoubtRule, End, Finish, Recovery, remark};
use toolglot_json::Repair;

use crate::cases::documents;

#[test]
fn the_page_on_damage_is_up_to_date() {
    documents::assert_up_to_date("docs/damage.md", &page());
}

fn page() -> String {
    let mut out = String::from(
        "# Damaged messages\n\n\
         Written by a test from the tables of the engine and of its JSON; do not edit.\n\n\
         A damaged call is read as far as the evidence goes, with a [note](notes.md) for each repair.\n\
         The last column is the best end that the call may have; of several rows the worst counts.\n\
         It is `closed` also where no call is read.\n\
         [What may run](design-faq.md#why-three-ways-to-end-closed-recovered-truncated) depends on it.\n\
         Each row's example is a test. In examples, ↵ is a line break and ⇥ a tab.\n",
    );
    repairs(&mut out);
    recovery(&mut out);
    doubt(&mut out);
    out
}

/// Writes the table of `json/src/repair.rs`.
fn repairs(out: &mut String) {
    out.push_str(
        "\n## Repairs of JSON\n\n\
         If only spelling is repaired, the call stays `closed`; where a value, its end or its name is in doubt, not.\n\
         Where the message itself is cut off, a row of [recovery](#recovery) counts too.\n\
         Some examples have a schema: `path` is a string, `limit` an integer, `tags` a list, `options` an object.\n\n\
         | note | what is done | text | JSON | end |\n|---|---|---|---|---|\n",
    );
    for &repair in Repair::ALL {
        let (code, what) = remark(repair);
        let (text, json) = repair.example();
        let end = if repair.is_structural() {
            End::Recovered
        } else {
            End::Closed
        };
        row(
            out,
            &[
                note(code),
                cell(what),
                example(text),
                example(json),
                end_of(end),
            ],
        );
    }
}

/// Writes the table of `engine/src/recovery.rs`.
fn recovery(out: &mut String) {
    out.push_str(
        "\n## Recovery\n\n\
         The message leaves its dialect: a closer is missing, text is where none may be, or the message ends early.\n\
         The only tool of the examples is `read_file(path, limit, options)`.\n\n\
         | note | what is done | dialect | example | end |\n|---|---|---|---|---|\n",
    );
    for recovery in Recovery::ALL {
        let rule = recovery.rule();
        let mut text = example(rule.example);
        text.push_str(match rule.finish {
            Finish::Length => ", cut off at the length limit",
            Finish::Unknown => ", cut off for an unknown reason",
            Finish::Stop => "",
        });
        let is_name = !rule.dialect.contains(' ');
        let dialect = if is_name {
            format!("[`{0}`](dialects.md#{0})", rule.dialect)
        } else {
            example(rule.dialect)
        };
        let message = rule.message.replace("{}", "…");
        row(
            out,
            &[
                note(rule.code),
                cell(&message),
                dialect,
                text,
                end_of(rule.end),
            ],
        );
    }
}

/// Writes the table of `engine/src/doubt.rs`.
fn doubt(out: &mut String) {
    out.push_str(
        "\n## Doubt\n\n\
         The call is read, but the model may not mean it so. A host may add rows, or leave all of them out.\n\
         In the examples `read_file` is the only tool, and the last call is the one in doubt.\n\n\
         | note | what is seen | example | end |\n|---|---|---|---|\n",
    );
    for rule in DoubtRule::TABLE {
        let reported = rule
            .code
            .map_or_else(|| "no note of its own".to_owned(), note);
        let seen = if rule.message.is_empty() {
            rule.name
        } else {
            rule.message
        };
        row(
            out,
            &[
                reported,
                cell(seen),
                example(rule.example),
                end_of(rule.end),
            ],
        );
    }
}

fn row(out: &mut String, cells: &[String]) {
    writeln!(out, "| {} |", cells.join(" | ")).expect("writing to a string");
}

fn note(code: Code) -> String {
    let (number, name) = (code.number(), code.name());
    format!("[N{number:03}](notes.md#n{number:03}-{name})")
}

fn end_of(end: End) -> String {
    format!("{end:?}").to_lowercase()
}

/// Text in a cell of a table; code in it stays code.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// An example as code in a cell.
fn example(text: &str) -> String {
    let text = text.replace('\n', "↵").replace('\t', "⇥");
    let text = text.replace('\u{a0}', "\\u{a0}").replace('|', "\\|");
    let longest = text.split(|c| c != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0) + 1);
    let is_at_edge = text.starts_with('`') || text.ends_with('`');
    let pad = if is_at_edge { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}
