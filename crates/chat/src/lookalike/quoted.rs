//! Where a text quotes code: fences, spans of a line, block quotes and comments.
//!
//! The engine decides what is quoted while it reads, and keeps none of it. This is the same in short, for notes only.

use std::ops::Range;

/// A fence whose language may wrap calls.
const WRAPPERS: &[&str] = &[
    "",
    "json",
    "xml",
    "python",
    "py",
    "tool_code",
    "tool_call",
    "tool_calls",
    "text",
    "plaintext",
];

/// The quoted stretches of a text, in order.
#[derive(Debug, Default)]
pub(super) struct Quotes {
    stretches: Vec<Quote>,
}

#[derive(Debug)]
struct Quote {
    at: Range<usize>,
    /// Where the body of a fence begins that may wrap calls: what stands right there may be one.
    body: Option<usize>,
}

impl Quotes {
    pub(super) fn of(text: &str) -> Quotes {
        let mut stretches = Vec::new();
        let mut fence: Option<(Quote, &str)> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let inside = line.trim_start();
            let start = at;
            at += line.len();
            let ticks = inside.len() - inside.trim_start_matches(['`', '~']).len();
            if let Some((quote, marker)) = &mut fence {
                quote.at.end = at;
                if ticks >= marker.len()
                    && inside.starts_with(*marker)
                    && inside[ticks..].trim().is_empty()
                {
                    stretches.extend(fence.take().map(|(quote, _)| quote));
                }
                continue;
            }
            let info = inside[ticks..].trim();
            if ticks >= 3 && !info.contains('`') {
                let is_wrapper = WRAPPERS.iter().any(|one| one.eq_ignore_ascii_case(info));
                let blanks = text[at..].len() - text[at..].trim_start().len();
                let body = is_wrapper.then_some(at + blanks);
                fence = Some((
                    Quote {
                        at: start..at,
                        body,
                    },
                    &inside[..ticks],
                ));
            } else if inside.starts_with("> ") {
                stretches.push(Quote {
                    at: start..at,
                    body: None,
                });
            } else {
                spans(line, start, &mut stretches);
            }
        }
        stretches.extend(fence.map(|(quote, _)| quote));
        Quotes { stretches }
    }

    /// Whether what begins at `at` is quoted. What begins the body of a fence that may wrap calls is not, with brackets
    /// and tags before it.
    pub(super) fn hold(&self, text: &str, at: usize) -> bool {
        let next = self.stretches.partition_point(|quote| quote.at.end <= at);
        let is_opener = |one: u8| one.is_ascii_alphanumeric() || b"<>{[_\"' \t\r\n:".contains(&one);
        let begins = |body: usize| {
            let before = text.as_bytes().get(body..at).unwrap_or(b".");
            before.len() <= LEAD && before.iter().all(|one| is_opener(*one))
        };
        let quote = self.stretches.get(next);
        quote.is_some_and(|quote| quote.at.start <= at && !quote.body.is_some_and(begins))
    }
}

/// How many bytes of a form may stand before the part of it that is looked for.
const LEAD: usize = 64;

/// Code spans and comments within a line.
fn spans(line: &str, start: usize, stretches: &mut Vec<Quote>) {
    let mut rest = 0;
    // What found no closer once finds none later on, and is not looked for again.
    let (mut longest, mut comments) = (usize::MAX, true);
    while let Some(open) = line[rest..].find(['`', '<']) {
        let open = rest + open;
        let ticks = line[open..].len() - line[open..].trim_start_matches('`').len();
        let (opener, closer) = if ticks > 0 && ticks < longest {
            (ticks, &line[open..open + ticks])
        } else if comments && line[open..].starts_with("<!--") {
            (4, "-->")
        } else {
            rest = open + ticks.max(1);
            continue;
        };
        let Some(end) = line[open + opener..].find(closer) else {
            longest = if ticks > 0 { ticks } else { longest };
            comments &= ticks > 0;
            rest = open + opener;
            continue;
        };
        rest = open + opener + end + closer.len();
        stretches.push(Quote {
            at: start + open..start + rest,
            body: None,
        });
    }
}
