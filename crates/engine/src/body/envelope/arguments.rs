//! Routes the values of an envelope: arguments, also those inside a string, and captures.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;

use toolglot_json::internal::unescape;
use toolglot_json::{Output, RepairSpan, Root, Step, Transducer};

use super::{Envelope, Part};
use crate::grammar::Role;
use crate::thresholds::ENVELOPE_CAPTURE_MAX;

impl Envelope {
    /// Sends the transducer's output to the place that the value's role asks for.
    pub(super) fn route(&mut self) {
        if self.out.text.is_empty() {
            return;
        }
        match self.part {
            Part::Structure | Part::Skip => {}
            Part::Role(Role::Args) => self.arguments(),
            Part::Encoded => self.encoded(),
            Part::Flat => self.args.text.push_str(&self.out.text),
            Part::List => self.empty_list(),
            Part::Outer => self.loose.text.push_str(&self.out.text),
            Part::Meta => {
                if let Some((_, value)) = self.loose.meta.last_mut() {
                    value.push_str(&self.out.text);
                }
            }
            Part::Role(_) => {
                let room = ENVELOPE_CAPTURE_MAX.saturating_sub(self.capture.len());
                self.overlong |= self.out.text.len() > room;
                if !self.overlong {
                    self.capture.push_str(&self.out.text);
                }
            }
        }
        self.out.text.clear();
    }

    pub(super) fn arguments(&mut self) {
        if self.args.at.is_some() {
            return self.keep_args();
        }
        let text = self.out.text.trim_start();
        match text.as_bytes().first() {
            None => {}
            Some(b'{') => {
                let n_blanks = self.out.text.len() - text.len();
                self.out.text.drain(..n_blanks);
                self.args.at = Some(self.member_at);
                self.keep_args();
            }
            Some(b'"') => {
                self.encoded.at = Some(self.member_at);
                self.part = Part::Encoded;
                self.encoded.json =
                    Some(Box::new((Transducer::new(Root::Object), Output::default())));
                let text = text[1..].to_owned();
                self.out.text = text;
                self.encoded();
            }
            // `null`: no arguments.
            Some(b'n') => self.part = Part::Skip,
            // `[]`: no arguments either.
            Some(b'[') => {
                self.part = Part::List;
                self.empty_list();
            }
            Some(_) => {
                self.args.malformed = true;
                self.part = Part::Skip;
            }
        }
    }

    /// All of the transducer's output is arguments.
    fn keep_args(&mut self) {
        if self.args.text.is_empty() {
            core::mem::swap(&mut self.args.text, &mut self.out.text);
        } else {
            self.args.text.push_str(&self.out.text);
        }
    }

    /// A list in place of the arguments is accepted only if it is empty.
    fn empty_list(&mut self) {
        let is_empty = |c: char| matches!(c, '[' | ']') || c.is_ascii_whitespace();
        if !self.out.text.chars().all(is_empty) {
            self.args.malformed = true;
            self.part = Part::Skip;
        }
    }

    /// Argument text inside a string: the decoded string is JSON of its own.
    pub(super) fn encoded(&mut self) {
        // `None`: the string's JSON has ended or is malformed; the rest is left out.
        let Some((json, out)) = self.encoded.json.as_deref_mut() else {
            return;
        };
        // The transducer writes whole escapes; the closing quote is its last byte.
        let text = self.out.text.as_str();
        let text = closing_quote(text).map_or(text, |at| &text[..at]);
        let decoded = unescape(text);
        let started = self.args.at.is_some();
        let piece: &str = &decoded;
        let piece = if started { piece } else { piece.trim_start() };
        if piece.is_empty() {
            return;
        }
        if !started && !piece.starts_with('{') {
            self.args.malformed = true;
            self.encoded.json = None;
            return;
        }
        self.args.at.get_or_insert(self.member_at);
        let (used, step) = json.feed(piece, self.encoded.n_fed, out);
        self.encoded.n_fed += piece.len() as u64;
        let junk = step == Step::Stuck || (step == Step::Done && !piece[used..].trim().is_empty());
        self.args.text.push_str(&out.text);
        out.text.clear();
        let repairs = core::mem::take(&mut out.repairs);
        self.keep_repairs(&repairs);
        if junk {
            self.args.malformed = true;
            self.encoded.json = None;
        }
    }

    /// Repairs of the JSON inside a string. Each kind is kept once, because all are noted at one place. They are kept
    /// until the string ends: their order among the string's own repairs depends on the cut.
    pub(super) fn keep_repairs(&mut self, repairs: &[RepairSpan]) {
        for RepairSpan { repair, .. } in repairs {
            if !self.encoded.repairs.contains(repair) {
                self.encoded.repairs.push(*repair);
            }
        }
    }

    /// The string ended: its repairs point at the start of the arguments, because escapes shift the bytes after it.
    pub(super) fn end_encoded(&mut self) {
        let at = self.args.at.unwrap_or(self.member_at);
        let at_start = |repair| RepairSpan {
            repair,
            start: at,
            end: at,
        };
        self.repairs
            .extend(self.encoded.repairs.drain(..).map(at_start));
    }
}

/// The position of the first unescaped `"`.
pub(super) fn closing_quote(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}
