//! Decides which places of a text are in quoted code. The engine decides: a call of a special dialect is inserted at
//! each place.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use toolglot_engine::{Dialect, Fields, InCode, Limits, Place, Program, Tool, ToolSet};

use crate::reader::Reader;

/// The dialect of the inserted call. No model writes these characters: they are private use characters.
const DIALECT: &str = "dialect place\ncall = \"\u{f0f0}\" name \"\u{f0f1}\"\n";

/// The inserted call.
const CALL: &str = "\u{f0f0}p\u{f0f1}";

/// The length of the call's opener, before its name.
const OPENER: usize = '\u{f0f0}'.len_utf8();

/// The most bytes of a form before the part that is searched for.
const LEAD: usize = 64;

/// For each of `places`, in order, whether a call that starts there would count.
///
/// A fence that may wrap calls counts if a call starts it. So brackets and tags before the place are treated as part of
/// the call. Linear in the text.
pub(super) fn is_open(text: &str, places: &[usize], in_code: InCode) -> Vec<bool> {
    let Some(program) = program() else {
        return vec![true; places.len()];
    };
    let places: Vec<Probe> = places.iter().map(|at| Probe::new(text, *at)).collect();
    let all = places.iter().flat_map(Probe::all);
    let all: BTreeSet<usize> = all.collect();
    let mut probed = String::with_capacity(text.len() + all.len() * CALL.len());
    let mut from = 0;
    let mut origins: Vec<(u64, usize)> = Vec::with_capacity(all.len());
    for at in all {
        probed.push_str(&text[from..at]);
        // Other markup may belong to the call, such as a fence at the start of a message, so the call's name gives its
        // position.
        origins.push(((probed.len() + OPENER) as u64, at));
        probed.push_str(CALL);
        from = at;
    }
    probed.push_str(&text[from..]);

    let mut reader = Reader::new(Arc::clone(program));
    reader.in_code = in_code;
    let mut open = BTreeSet::new();
    let mut in_fence = BTreeSet::new();
    for call in reader.read(probed.as_bytes()).trace.message.calls {
        let origin = origins.binary_search_by_key(&call.name_span.start, |(start, _)| *start);
        let Ok(origin) = origin else { continue };
        let at = origins[origin].1;
        open.insert(at);
        if call.place == Place::Code {
            in_fence.insert(at);
        }
    }
    let is_open = |probe: &Probe| {
        open.contains(&probe.at) || probe.lines.iter().any(|line| in_fence.contains(line))
    };
    places.iter().map(is_open).collect()
}

/// The positions where calls are inserted for one place.
struct Probe {
    at: usize,
    /// Starts of earlier lines, from where the form may start.
    lines: Vec<usize>,
}

impl Probe {
    fn new(text: &str, at: usize) -> Probe {
        let is_part = |one: u8| one.is_ascii_alphanumeric() || b"<>{[_\"' \t\r\n:".contains(&one);
        let bytes = text.as_bytes();
        let lead = bytes[..at].iter().rev().take(LEAD);
        let lead = at - lead.take_while(|one| is_part(**one)).count();
        let breaks = (lead.saturating_sub(1)..at).filter(|at| bytes[*at] == b'\n');
        let starts = breaks.map(|line| {
            let blanks = bytes[line..at]
                .iter()
                .take_while(|one| one.is_ascii_whitespace());
            line + blanks.count()
        });
        Probe {
            // Backticks before a name quote it.
            at: at + bytes[at..].iter().take_while(|one| **one == b'`').count(),
            // A line that starts with `>` is a quotation. A call before the `>` would change that.
            lines: starts.filter(|at| bytes.get(*at) != Some(&b'>')).collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = usize> {
        self.lines.iter().copied().chain([self.at])
    }
}

/// Always `Some`: the dialect is defined in this file.
fn program() -> Option<&'static Arc<Program>> {
    static PROGRAM: OnceLock<Option<Arc<Program>>> = OnceLock::new();
    let compiled = PROGRAM.get_or_init(|| {
        let dialects = Dialect::parse(DIALECT, &[]).ok()?;
        let tools = ToolSet::new([Tool {
            name: "p".to_owned(),
            parameters: Fields::default(),
        }]);
        let program = Program::compile(&dialects, &tools, Limits::default()).ok()?;
        Some(Arc::new(program))
    });
    compiled.as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `@` is the place in question.
    fn check(text: &str, is_call: bool) {
        let at = text.find('@').expect("a place");
        let plain = text.replacen('@', "", 1);
        assert!(program().is_some());
        assert_eq!(
            is_open(&plain, &[at], InCode::default()),
            [is_call],
            "{text}"
        );
    }

    #[test]
    fn places_in_quoted_code_are_those_of_the_engine() {
        check("one @<tool name=\"f\">", true);
        check("a `@<tool name=\"f\">` b", false);
        check("a @`f`: {\"path\": 1}", false);
        check("a **@`f`** b", false);
        check("> @<tool name=\"f\">", false);
        check("Ok:\n> @<tool name=\"f\">", false);
        check("Ok:\n> {@\"tool\": \"f\"}", false);
        check("<!-- @<tool name=\"f\"> -->", false);
        check("a <!-- b --> @<tool name=\"f\">", true);
        check("So:\n```rust\n@<tool name=\"f\">\n```\n", false);
        check("So:\n```rust\nx\n```\n@<tool name=\"f\">\n", true);
    }

    #[test]
    fn what_begins_a_wrapper_is_a_call() {
        check("So:\n```json\n@{\"f\": 1}\n```\n", true);
        check("So:\n```json\n{@\"tool\": \"f\"}\n```\n", true);
        check("So:\n```json\n  {\n    @\"tool\": \"f\"}\n```\n", true);
        check(
            "So:\n```json\nFor example:\n\n.{@\"tool\": \"f\"}\n```\n",
            false,
        );
        check("```json\n@{\"f\": 1}\n```\n", true);
        check("So:\n- ```json\n  @{\"f\": 1}\n  ```\n", true);
    }
}
