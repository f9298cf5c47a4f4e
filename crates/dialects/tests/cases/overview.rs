//! Generates `docs/dialects.md` from the data, and compares the file with it.
//!
//! `TOOLGLOT_BLESS=1 cargo test -p toolglot-dialects --test tests cases::` writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use toolglot_dialect_check::{Cut, Reading};
use toolglot_engine::{Dialect, Program};

use crate::cases::carried;
use crate::cases::closers;
use crate::cases::documents::{self, DocumentCase};

#[test]
fn the_overview_is_that_of_the_data() {
    documents::assert_up_to_date("docs/dialects.md", &page());
}

/// The results of `auto` for the cases of a dialect.
#[derive(Default)]
struct Union {
    n_cases: usize,
    /// Titles of cases whose calls differ.
    others: Vec<String>,
    /// The dialects that `auto` assigns to the calls, besides the dialect's own name.
    names: Vec<String>,
}

fn page() -> String {
    let cases = documents::all();
    let union = union(&cases);
    let mut out = String::from(
        "# Dialects\n\n\
         Written from `crates/dialects/dialects/` by a test; do not edit.\n\
         [The notation](notation.md) says what the rules mean, `toolglot dialects show NAME` shows them.\n\n",
    );
    out.push_str("| dialect | models | other spellings |\n|---|---|---|\n");
    for dialect in toolglot_dialects::all() {
        let name = dialect.name();
        writeln!(
            out,
            "| [`{name}`](#{name}) | {} | {} |",
            escaped(dialect.setting("models").unwrap_or("")),
            aliases(name).join(", ")
        )
        .expect("writing to a string");
    }
    out.push_str(&decisions(&union));
    out.push_str(&carried::table());
    out.push_str(&closers::table());
    for dialect in toolglot_dialects::all() {
        section(&mut out, dialect, &cases);
    }
    out
}

/// The decisions of `auto` where the bytes are ambiguous.
fn decisions(union: &BTreeMap<String, Union>) -> String {
    let mut out = String::from(
        "\n## What `auto` decides\n\n\
         `--dialect auto` is all dialects as one program. Those that read plain shell blocks take part only if their own tools are given.\n\
         Dialects that the bytes cannot tell apart are a family, named after the one that counts.\n\
         If all tools of an agent system are given, its dialect counts first.\n\n\
         | family | the others |\n|---|---|\n",
    );
    let mut families: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for dialect in toolglot_dialects::all() {
        if let Some(family) = dialect
            .setting("auto_prefers")
            .filter(|&f| f != dialect.name())
        {
            families
                .entry(family)
                .or_default()
                .push(format!("`{}`", dialect.name()));
        }
    }
    for (family, others) in families {
        writeln!(out, "| `{family}` | {} |", others.join(", ")).expect("writing to a string");
    }
    out.push_str(
        "\nEvery case of every dialect is read as the union, too.\n\
         The calls are the same, except in these dialects.\n\n\
         | dialect | cases | with other calls | read as | which |\n|---|--:|--:|---|---|\n",
    );
    let (mut n_cases, mut n_others) = (0, 0);
    for (name, union) in union {
        n_cases += union.n_cases;
        n_others += union.others.len();
        if union.others.is_empty() {
            continue;
        }
        writeln!(
            out,
            "| `{name}` | {} | {} | {} | {} |",
            union.n_cases,
            union.others.len(),
            union.names.join(", "),
            union.others.join("; ")
        )
        .expect("writing to a string");
    }
    writeln!(
        out,
        "\nOf {n_cases} cases {} have the same calls.",
        n_cases - n_others
    )
    .expect("writing to a string");
    out
}

/// The cases of the dialects' folders, read by the dialect and by the union.
fn union(cases: &[DocumentCase]) -> BTreeMap<String, Union> {
    let mut found: BTreeMap<String, Union> = BTreeMap::new();
    let mut programs: BTreeMap<Option<String>, Arc<Program>> = BTreeMap::new();
    for DocumentCase { file, case } in cases {
        let [name] = &*case.options.dialects else {
            continue;
        };
        // Shell-block dialects take part only with their own tools; a case of the documentation belongs to no dialect.
        let own = toolglot_dialects::get(name).expect("it is checked when it is read");
        if own.split().is_some() || !file.starts_with(documents::dialects()) {
            continue;
        }
        let program = programs.entry(case.tools.clone()).or_insert_with(|| {
            Arc::new(toolglot_dialects::auto().for_tools(&documents::tools(case)))
        });
        let alone = documents::program(case).expect("it is checked when it is read");
        let read =
            |program| Reading::of(program, case, Cut::Whole).expect("events cover the input");
        let (alone, together) = (read(&alone), read(program));
        let union = found.entry(own.name().to_owned()).or_default();
        union.n_cases += 1;
        if alone.calls() != together.calls() {
            union.others.push(case.title.clone());
            for other in together.dialects() {
                let other = format!("`{other}`");
                if !union.names.contains(&other) {
                    union.names.push(other);
                }
            }
        }
    }
    found
}

fn aliases(name: &str) -> Vec<String> {
    let all = toolglot_dialects::ALIASES.iter();
    all.filter(|(_, canonical)| *canonical == name)
        .map(|(alias, _)| format!("`{alias}`"))
        .collect()
}

/// The text as Markdown shows it: outside of code, a tag would become HTML.
fn escaped(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(index, part)| {
        if index % 2 == 0 {
            part.replace('<', "&lt;")
        } else {
            part.to_owned()
        }
    });
    parts.collect::<Vec<_>>().join("`")
}

fn section(out: &mut String, dialect: &Dialect, cases: &[DocumentCase]) {
    let name = dialect.name();
    writeln!(out, "\n## {name}\n").expect("writing to a string");
    for (word, setting) in [
        ("Models", "models"),
        ("Source", "source"),
        ("Special", "quirks"),
    ] {
        if let Some(value) = dialect.setting(setting) {
            writeln!(out, "{word}: {}.\\", escaped(value)).expect("writing to a string");
        }
    }
    if out.ends_with("\\\n") {
        out.truncate(out.len() - 2);
        out.push('\n');
    }
    let rules: String = dialect
        .source()
        .lines()
        .filter(|line| {
            !["models:", "source:", "quirks:", "license:"]
                .iter()
                .any(|header| line.starts_with(header))
        })
        .fold(String::new(), |all, line| all + line + "\n");
    fenced(out, "The rules:", rules.trim_end());
    let own = format!("dialects/{name}/cases/one_call.md");
    let example = cases.iter().find(|located| located.file.ends_with(&own));
    if let Some(example) = example {
        let text: String = example
            .case
            .input
            .iter()
            .map(|part| part.text.as_str())
            .collect();
        fenced(out, "A call:", &text);
    }
    if let Some(text) = carried::two_calls(dialect) {
        fenced(out, "Two calls, as they are written:", &text);
    }
}

/// A fence that is longer than any in the text.
fn fenced(out: &mut String, title: &str, text: &str) {
    let mut fence = String::from("```");
    while text.contains(&fence) {
        fence.push('`');
    }
    writeln!(out, "\n{title}\n\n{fence}text\n{text}\n{fence}").expect("writing to a string");
}
