//! Special tokens of a dialect are forbidden in results: they are literals of its rules, and a tokenizer recognizes
//! their text.

use toolglot_engine::{CallText, ResultText, ResultWriter};

/// The special tokens in a literal, by their shape: `<|..|>`, `<｜..｜>`, `<|..>`, `<..|>`, `[UPPER_CASE]`.
fn tokens(literal: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in literal.match_indices(['<', '[']) {
        let rest = &literal[at..];
        let close = if rest.starts_with('<') { '>' } else { ']' };
        let Some(end) = rest.find(close) else {
            continue;
        };
        let inside = &rest[1..end];
        let is_word = !inside.contains([' ', '\n', '<', '[']);
        let is_token = if close == '>' {
            inside.starts_with(['|', '｜']) || inside.ends_with(['|', '｜'])
        } else {
            let is_upper = |c: char| c.is_ascii_uppercase() || "_/".contains(c);
            inside.len() > 2 && inside.chars().all(is_upper)
        };
        if is_word && is_token {
            found.push(&rest[..=end]);
        }
    }
    found
}

#[test]
fn special_tokens_of_a_dialect_are_barred_from_its_results() {
    let call = CallText {
        name: "f",
        arguments: "{}",
        server: None,
        id: None,
    };
    let mut missing = Vec::new();
    for dialect in toolglot_dialects::all() {
        let writer = ResultWriter::new(dialect);
        for token in dialect.literals().into_iter().flat_map(tokens) {
            let result = ResultText {
                call,
                text: &format!("a{token}b"),
                failed: false,
                is_json: false,
            };
            let written = writer.result(&result);
            if written.contains(&*format!("a{token}b")) {
                missing.push(format!("{}: {token}", dialect.name()));
            }
        }
    }
    missing.sort();
    missing.dedup();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
