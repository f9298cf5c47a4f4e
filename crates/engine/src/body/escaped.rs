//! JSON that was escaped once too often: `{\"tool\": \"read_file\"}`.

use toolglot_json::{Output, Repair, RepairSpan, Step, Transducer};

use crate::Span;

/// Whether JSON is read through its escapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Escaped {
    #[default]
    No,
    /// Yes, between two characters.
    Yes,
    /// Yes, after a backslash: the escaped character follows.
    Slash,
    /// Yes, after the first backslash.
    First,
}

impl Escaped {
    /// Feeds `json` with `text`, which is at `at`. A backslash before the first key or item that escapes a quote, a
    /// backslash or a blank shows that all is escaped. If `may_start` allows it, the rest is decoded before it is read.
    pub(crate) fn feed(
        &mut self,
        may_start: bool,
        json: &mut Transducer,
        (text, at): (&str, u64),
        out: &mut Output,
    ) -> (usize, Step) {
        let mut i = 0;
        if *self == Escaped::No {
            let (used, step) = json.feed(text, at, out);
            let starts = step == Step::Stuck
                && may_start
                && json.is_before_members()
                && text[used..].starts_with('\\');
            if !starts {
                return (used, step);
            }
            (*self, i) = (Escaped::First, used + 1);
        }
        while i < text.len() || json.has_reports() {
            let rest = &text[i..];
            let here = at + i as u64;
            let Some(c) = rest.chars().next() else {
                let n_before = out.repairs.len();
                let (_, step) = json.feed("", here, out);
                self.place(&mut out.repairs[n_before..], Span::empty(here));
                return (i, step);
            };
            if *self == Escaped::First {
                if !matches!(c, '"' | '\'' | '\\' | 'n' | 'r' | 't') {
                    return (i, Step::Stuck);
                }
                out.repairs.push(RepairSpan {
                    repair: Repair::EscapedDocument,
                    start: here - 1,
                    end: here,
                });
                *self = Escaped::Slash;
            }
            let character = Span::new(here, here + c.len_utf8() as u64);
            let n_before = out.repairs.len();
            let (used, step) = match self {
                Escaped::Slash => {
                    let decoded = meant(c, rest);
                    // A `\u` is read with its backslash.
                    let at = here + c.len_utf8() as u64 - decoded.len() as u64;
                    let (used, step) = json.feed(decoded, at, out);
                    if used > 0 {
                        *self = Escaped::Yes;
                        (c.len_utf8(), step)
                    } else {
                        (0, step)
                    }
                }
                _ if c == '\\' => {
                    *self = Escaped::Slash;
                    (1, Step::More)
                }
                // One character at a time, so that a repair points at the character where it is made.
                _ => json.feed(&rest[..c.len_utf8()], here, out),
            };
            self.place(&mut out.repairs[n_before..], character);
            i += used;
            if step != Step::More {
                return (i, step);
            }
        }
        (i, Step::More)
    }

    /// Moves repairs to `place`, where they were made: the transducer counts decoded bytes, which are fewer.
    pub(crate) fn place(self, repairs: &mut [RepairSpan], place: Span) {
        if self != Escaped::No {
            for repair in repairs {
                (repair.start, repair.end) = (place.start, place.end);
            }
        }
    }
}

/// The meaning of a backslash before `c`, the first character of `rest`.
fn meant(c: char, rest: &str) -> &str {
    match c {
        'n' => "\n",
        't' => "\t",
        'r' => "\r",
        // In a string, `\u` with its backslash means the same.
        'u' => "\\u",
        _ => &rest[..c.len_utf8()],
    }
}
