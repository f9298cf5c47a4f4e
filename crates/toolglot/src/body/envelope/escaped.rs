//! An envelope that was escaped once too often: `{\"tool\": \"read_file\"}`.

use toolglot_json::{Mended, Repair, Step};

use super::Envelope;

/// Whether an envelope is read through its escapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Escaped {
    #[default]
    No,
    /// It is, up to a whole character.
    Yes,
    /// A backslash waits for what it escapes.
    Slash,
}

impl Envelope {
    /// Reads on. Where a backslash stands before the first key of an object with a marker, all of the object is read as
    /// what its escapes stand for.
    pub(super) fn read(&mut self, text: &str) -> (usize, Step) {
        let mut i = 0;
        if self.escaped == Escaped::No {
            let (used, step) = self.json.feed(text, self.pos, &mut self.out);
            let is_escaped = step == Step::Stuck
                && self.is_marked()
                && self.json.is_before_members()
                && text[used..].starts_with('\\');
            if !is_escaped {
                return (used, step);
            }
            let start = self.pos + used as u64;
            self.repairs.push(Mended {
                repair: Repair::EscapedDocument,
                start,
                end: start + 1,
            });
            (self.escaped, i) = (Escaped::Yes, used);
        }
        while i < text.len() || self.json.has_read_ahead() {
            let rest = &text[i..];
            let Some(c) = rest.chars().next() else {
                let (_, step) = self.json.feed("", self.pos + i as u64, &mut self.out);
                return (i, step);
            };
            let (used, step) = match self.escaped {
                Escaped::Slash => {
                    let meant = meant(c, rest);
                    let at = self.pos + (i + c.len_utf8() - meant.len()) as u64;
                    let (used, step) = self.json.feed(meant, at, &mut self.out);
                    if used > 0 {
                        self.escaped = Escaped::Yes;
                        (c.len_utf8(), step)
                    } else {
                        (0, step)
                    }
                }
                _ if c == '\\' => {
                    self.escaped = Escaped::Slash;
                    (1, Step::More)
                }
                _ => {
                    let length = rest.find('\\').unwrap_or(rest.len());
                    let at = self.pos + i as u64;
                    self.json.feed(&rest[..length], at, &mut self.out)
                }
            };
            i += used;
            if step != Step::More {
                return (i, step);
            }
        }
        (i, Step::More)
    }
}

/// What a backslash and `c`, which `rest` begins with, stand for.
fn meant(c: char, rest: &str) -> &str {
    match c {
        'n' => "\n",
        't' => "\t",
        'r' => "\r",
        // In a string it says the same with its backslash.
        'u' => "\\u",
        _ => &rest[..c.len_utf8()],
    }
}
