//! Results, in the shape of the dialect's `result` and `failure` rules; nothing in them can be read as a call, or ends the frame
//! or the turn.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::{IntoIter, Vec};
use core::iter::Peekable;

use toolglot_json::{escape_into, members};

use super::ResultText;
use super::markers::Markers;
use super::value::raw;
use crate::grammar::{Capture, Dialect, Piece, Term, TermKind};
use crate::{Calls, Finish, InCode, Input, Parser, Program};

/// Stands behind the first character of what would be read as a call, blanks and commas aside, which it would not break: U+2060
/// WORD JOINER, invisible, no blank.
const JOINER: char = '\u{2060}';

/// Rounds of reading in which single calls are taken away; what is left then loses every opener at once.
const ROUNDS: usize = 4;

/// Stands before a failure where the dialect has no rule for those.
const FAILED: &str = "Error: ";

/// Writes `results`; `guards` read no call in them, not even in quoted code.
pub(super) fn write(
    dialect: &Dialect,
    guards: &[Arc<Program>],
    results: &[ResultText<'_>],
) -> String {
    let all = |rounds| {
        let written = results.iter();
        let written = written.map(|result| one(dialect, guards, result, rounds));
        block(dialect, written.collect())
    };
    let text = all(ROUNDS);
    // A call might begin in one result and go on in the next.
    if results.len() == 1 || calls(guards, &text).is_empty() {
        return text;
    }
    let text = all(0);
    // What the frames alone call has the names of what they are about.
    let is_of_a_frame =
        |call: &(usize, String)| results.iter().any(|result| result.call.name == call.1);
    if named(guards, &text).iter().all(is_of_a_frame) {
        return text;
    }
    let texts: Vec<String> = results
        .iter()
        .map(|result| shattered(result.text))
        .collect();
    let broken: Vec<ResultText<'_>> = results
        .iter()
        .zip(&texts)
        .map(|(result, text)| ResultText { text, ..*result })
        .collect();
    let written = broken.iter().map(|result| one(dialect, guards, result, 0));
    block(dialect, written.collect())
}

/// One result without what stands around several.
pub(super) fn alone(dialect: &Dialect, guards: &[Arc<Program>], result: &ResultText<'_>) -> String {
    one(dialect, guards, result, ROUNDS)
}

/// Results that were written, as they stand together: the rule `result_block`, or with a blank line between them.
fn block(dialect: &Dialect, written: Vec<String>) -> String {
    let Some(rule) = dialect.rules_named("result_block").next() else {
        return written.join("\n\n");
    };
    let mut out = String::new();
    let mut written = written.into_iter().peekable();
    for term in rule.alt.0.first().into_iter().flatten() {
        together(term, &mut written, &mut out);
    }
    out
}

fn together(term: &Term, written: &mut Peekable<IntoIter<String>>, out: &mut String) {
    match &term.kind {
        TermKind::Literal(pieces) => {
            for piece in pieces {
                if let Piece::Bytes(text) = piece {
                    out.push_str(text);
                }
            }
        }
        TermKind::Rule(_) => out.push_str(&written.next().unwrap_or_default()),
        TermKind::Group(alt) => {
            for term in alt.0.first().into_iter().flatten() {
                together(term, written, out);
            }
        }
        TermKind::Many(inner) => {
            while written.peek().is_some() {
                let before = written.len();
                together(inner, written, out);
                if written.len() == before {
                    break;
                }
            }
        }
        _ => {}
    }
}

fn one(
    dialect: &Dialect,
    guards: &[Arc<Program>],
    result: &ResultText<'_>,
    rounds: usize,
) -> String {
    let is_untold = result.failed && !dialect.tells_failures();
    let mut text = String::from(if is_untold { FAILED } else { "" });
    text.push_str(result.text);
    match result_term(dialect, result) {
        Some(TermKind::Xml(_)) => {
            text = text
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;");
        }
        // What is put in below is part of the string.
        Some(TermKind::Json(_)) => {
            let mut inside = String::new();
            escape_into(&mut inside, &text);
            text = inside;
        }
        _ => {}
    }
    let markers = Markers::of(dialect, rule_of(dialect, result));
    text = broken(&text, &markers.places(&text));
    let is_marked = |(_, json)| !markers.places(&raw(json)).is_empty();
    let mut shows = if members(result.call.args).any(is_marked) {
        Shows::NameAlone
    } else {
        Shows::Arguments
    };
    for _ in 0..rounds {
        let mut whole = fill(dialect, result, &text, shows);
        let mut found = calls(guards, &whole.text);
        if shows == Shows::Arguments && found.iter().any(|&at| at < whole.text_at) {
            shows = Shows::NameAlone;
            whole = fill(dialect, result, &text, shows);
            found = calls(guards, &whole.text);
        }
        let inside: Vec<usize> = found
            .iter()
            .filter_map(|at| at.checked_sub(whole.text_at).filter(|&at| at < text.len()))
            .collect();
        if inside.is_empty() {
            // What is begun by the frame, such as a name with an object behind it, may be so in every result.
            if found.is_empty() || is_of_the_frame(dialect, guards, result, shows) {
                return whole.text;
            }
            break;
        }
        text = broken(&text, &inside);
    }
    let text = broken(&text, &openers(guards, &text));
    let whole = fill(dialect, result, &text, Shows::NameAlone);
    if rounds == 0
        || calls(guards, &whole.text)
            .iter()
            .all(|&at| at < whole.text_at)
    {
        return whole.text;
    }
    // Something opens behind what was broken. Without any sign that a call is made of there is none.
    fill(dialect, result, &shattered(&text), Shows::NameAlone).text
}

/// A text with every sign broken that could be of a call.
fn shattered(text: &str) -> String {
    let places = text
        .char_indices()
        .filter(|(_, c)| c.is_ascii_punctuation() && *c != ',');
    broken(text, &places.map(|(at, _)| at).collect::<Vec<usize>>())
}

/// Whether a call is read in every result of this frame, such as a name with an object behind it.
fn is_of_the_frame(
    dialect: &Dialect,
    guards: &[Arc<Program>],
    result: &ResultText<'_>,
    shows: Shows,
) -> bool {
    ["{}", r#"{"a": 1}"#, "{\n  \"a\": true\n}"]
        .iter()
        .any(|text| !calls(guards, &fill(dialect, result, text, shows).text).is_empty())
}

/// Where anything could open.
fn openers(guards: &[Arc<Program>], text: &str) -> Vec<usize> {
    let can_open = |at: &usize| {
        text.is_char_boundary(*at)
            && guards
                .iter()
                .any(|guard| guard.can_open(&text.as_bytes()[*at..]))
    };
    (0..text.len()).filter(can_open).collect()
}

/// What of the call stands in its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shows {
    /// Arguments too, where the rule names any.
    Arguments,
    /// No argument: one would be read as a call.
    NameAlone,
}

/// Longest argument in an optional part, in bytes.
const SHOWN: usize = 160;

/// `text` with what begins at each of `places` broken: `<` as an entity, any other character with a joiner behind it. A
/// backslash stays what it is in JSON: nothing begins with one.
fn broken(text: &str, places: &[usize]) -> String {
    let mut out = String::with_capacity(text.len() + 4 * places.len());
    let mut from = 0;
    for &at in places {
        let parts = |c: char| c.is_whitespace() || c == ',' || c == JOINER;
        let rest = text.get(at..).unwrap_or_default();
        let at = at + (rest.len() - rest.trim_start_matches(parts).len());
        let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            continue;
        };
        if at < from {
            continue;
        }
        out.push_str(&text[from..at]);
        if first == '\\' {
            out.push(first);
        } else if first == '<' {
            out.push_str("&lt;");
        } else {
            out.push(first);
            out.push(JOINER);
        }
        from = at + first.len_utf8();
    }
    out.push_str(&text[from..]);
    out
}

/// The rule for this result: `failure` for an error, where there is one.
fn rule_of<'a>(dialect: &'a Dialect, result: &ResultText<'_>) -> Option<&'a [Term]> {
    let names: &[&str] = if result.failed {
        &["failure", "result"]
    } else {
        &["result"]
    };
    let rule = names
        .iter()
        .find_map(|name| dialect.rules.iter().find(|rule| rule.name == *name))?;
    rule.alt.0.first().map(Vec::as_slice)
}

/// The term that is the result's own text: `text` as it is, `xml` with its entities, `json` as a string.
fn result_term<'a>(dialect: &'a Dialect, result: &ResultText<'_>) -> Option<&'a TermKind> {
    let mut terms = rule_of(dialect, result)?.iter().map(|term| &term.kind);
    terms.find(|kind| {
        matches!(
            kind,
            TermKind::Text(None) | TermKind::Xml(_) | TermKind::Json(_)
        )
    })
}

struct Filled {
    text: String,
    /// Where the result's own text begins.
    text_at: usize,
}

/// The rule with its parts filled in.
fn fill(dialect: &Dialect, result: &ResultText<'_>, text: &str, shows: Shows) -> Filled {
    let mut out = Filled {
        text: String::new(),
        text_at: 0,
    };
    let Some(seq) = rule_of(dialect, result) else {
        out.text.push_str(text);
        return out;
    };
    fill_seq(seq, result, text, shows, &mut out);
    out
}

fn fill_seq(seq: &[Term], result: &ResultText<'_>, text: &str, shows: Shows, out: &mut Filled) {
    for term in seq {
        match &term.kind {
            TermKind::Literal(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Bytes(literal) => out.text.push_str(literal),
                        Piece::Hole(capture) => out.text.push_str(&captured(*capture, result)),
                    }
                }
            }
            TermKind::Capture(capture, _) => out.text.push_str(&captured(*capture, result)),
            TermKind::Text(None) | TermKind::Xml(_) => {
                out.text_at = out.text.len();
                out.text.push_str(text);
            }
            TermKind::Json(_) => {
                out.text.push('"');
                out.text_at = out.text.len();
                out.text.push_str(text);
                out.text.push('"');
            }
            TermKind::Text(Some(name)) => {
                out.text
                    .push_str(&argument(result, name).unwrap_or_default());
            }
            TermKind::Nl | TermKind::Ws => out.text.push('\n'),
            TermKind::Optional(term) => {
                // The first alternative whose parts the call has.
                if let TermKind::Group(alt) = &term.kind
                    && let Some(seq) = alt.0.iter().find(|seq| is_said(seq, result, shows))
                {
                    fill_seq(seq, result, text, shows, out);
                }
            }
            _ => {}
        }
    }
}

/// The argument of that name, as text.
fn argument(result: &ResultText<'_>, name: &str) -> Option<String> {
    let (_, json) = members(result.call.args).find(|(key, _)| key == name)?;
    Some(raw(json).into_owned())
}

/// Whether what `seq` names of the call is there: its id and server, its arguments, on a line and short, where any are shown.
fn is_said(seq: &[Term], result: &ResultText<'_>, shows: Shows) -> bool {
    seq.iter().all(|term| match &term.kind {
        TermKind::Text(Some(name)) => argument(result, name).is_some_and(|text| {
            let is_short = (1..=SHOWN).contains(&text.len()) && !text.contains('\n');
            is_short && shows == Shows::Arguments
        }),
        TermKind::Capture(Capture::Id, _) => result.call.id.is_some(),
        TermKind::Capture(Capture::Ns, _) => result.call.ns.is_some(),
        _ => true,
    })
}

/// What stands in a capture's place: only what a name may hold, as a model wrote it.
fn captured(capture: Capture, result: &ResultText<'_>) -> String {
    let said = match capture {
        Capture::Name => result.call.name,
        Capture::Id => result.call.id.unwrap_or(""),
        Capture::Ns => result.call.ns.unwrap_or(""),
        Capture::Key | Capture::Kind | Capture::Skip => "",
    };
    let is_fit = |c: char| c.is_alphanumeric() || " _-./:$@#".contains(c);
    said.chars()
        .map(|c| if is_fit(c) { c } else { '_' })
        .collect()
}

/// Where calls would be read in `text`, in order: by readers that take them from quoted code too, and by those that do not,
/// to which a fence may be another thing.
fn calls(guards: &[Arc<Program>], text: &str) -> Vec<usize> {
    let mut starts: Vec<usize> = named(guards, text).into_iter().map(|call| call.0).collect();
    starts.dedup();
    starts
}

/// The same, with what is called.
fn named(guards: &[Arc<Program>], text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for guard in guards {
        for in_code in [InCode::Accept, InCode::default()] {
            let mut read = Calls::default();
            let mut parser = Parser::new(Arc::clone(guard)).in_code(in_code);
            parser.push(Input::Text(text), &mut read);
            parser.finish(Finish::Unknown, &mut read);
            let calls = read.calls.into_iter();
            found.extend(calls.map(|call| (call.span.range().start, call.name)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
