//! Keys: declared, missed by a little, or a wrapper of all arguments.

use alloc::string::String;
use alloc::vec::Vec;

use super::shapes::Walk;
use super::{Fit, FitKind, Fitted, State, Target, Wrapper, names};
use crate::escape::{escape_into, unescape};

impl Fit {
    /// A key was read whole; it is held.
    pub(super) fn key(&mut self, target: Target<'_>, out: &mut String, fitted: &mut Vec<Fitted>) {
        let key = unescape(&self.held[1..self.held.len() - 1]).into_owned();
        let own = self.levels.last().map_or(0, |level| level.path);
        self.path.truncate(own);
        let Some(fields) = self.fields(target) else {
            return;
        };
        let declared = fields.properties.iter().position(|(name, _)| *name == key);
        // A key that was there already is not taken for another one.
        let nearest = fields
            .nearest(&key)
            .filter(|(_, name)| !self.had.has(name.as_bytes()));
        let known = declared.or(nearest.map(|(place, _)| place));
        if !self.wrapper.is_empty() {
            // Behind `{"arguments": {`: a parameter is what a wrapper holds.
            if known.is_none() {
                out.push_str(&self.wrapper);
                out.push_str(&self.held);
                self.wrapper.clear();
                self.state = State::Free {
                    depth: 1,
                    in_string: false,
                    escaped: false,
                };
                return;
            }
            self.wrapper.clear();
            let walk = self.walk.len();
            self.walk
                .truncate(self.levels.last().map_or(walk, |level| level.walk));
            self.note(
                FitKind::Unwrapped,
                "arguments in an object of their own",
                "the arguments",
                fitted,
            );
            self.open(false, true);
        } else if known.is_none()
            && self.first
            && self.levels.len() == 1
            && matches!(target, Target::Fields(_))
            && names::is_wrapper(&key)
        {
            self.first = false;
            self.wrapper.push_str(&self.held);
            self.step = fields.others.is_some().then_some(Walk::Others);
            self.path.push_str(&key);
            self.state = State::Wrapper(Wrapper::Colon);
            return;
        }
        self.first = false;
        if !self.path.is_empty() {
            self.path.push('.');
        }
        if let (None, Some((_, name))) = (declared, nearest) {
            self.path.push_str(name);
            self.note(FitKind::Renamed, &key, name, fitted);
            self.renamed.push((self.levels.len(), String::from(name)));
            self.had.insert(name.as_bytes());
            out.push('"');
            escape_into(out, name);
            out.push('"');
        } else {
            let is_renamed =
                |(depth, name): &(usize, String)| *depth == self.levels.len() && *name == key;
            if declared.is_some() {
                self.had.insert(key.as_bytes());
            }
            self.path.push_str(&key);
            if declared.is_some() && self.renamed.iter().any(is_renamed) {
                self.note(FitKind::Doubled, &key, &key, fitted);
            }
            out.push_str(&self.held);
        }
        self.step = match known {
            Some(place) => Some(Walk::Property(place)),
            None => fields.others.is_some().then_some(Walk::Others),
        };
        self.state = State::Colon;
    }

    /// A key is longer than any that is held: it is none that is declared.
    pub(super) fn long_key(&mut self, target: Target<'_>, out: &mut String) {
        let State::InKey { escaped } = self.state else {
            return;
        };
        out.push_str(&self.wrapper);
        out.push_str(&self.held);
        self.held.clear();
        (self.first, self.in_key) = (false, true);
        let others = self
            .fields(target)
            .is_some_and(|fields| fields.others.is_some());
        self.step = others.then_some(Walk::Others);
        self.state = if self.wrapper.is_empty() {
            State::String {
                held: false,
                escaped,
            }
        } else {
            self.in_key = false;
            State::Free {
                depth: 1,
                in_string: true,
                escaped,
            }
        };
        self.wrapper.clear();
    }

    /// As much of `text` as may be held, and a character more.
    pub(super) fn room<'t>(&self, text: &'t str) -> &'t str {
        let room = (self.cap + 1).saturating_sub(self.held.len()).max(1);
        match (room..text.len()).find(|&end| text.is_char_boundary(end)) {
            Some(end) => &text[..end],
            None => text,
        }
    }

    /// A byte behind the key of what may be a wrapper. `false`: it was none, and the byte is to be read again.
    pub(super) fn wrapper(&mut self, wrapper: Wrapper, byte: u8, out: &mut String) -> bool {
        let next = match (wrapper, byte) {
            (_, b' ' | b'\t' | b'\n' | b'\r') => self.state,
            (Wrapper::Colon, b':') => State::Wrapper(Wrapper::Brace),
            (Wrapper::Brace, b'{') => State::Wrapper(Wrapper::Key),
            (Wrapper::Key, b'"') => {
                self.held.clear();
                self.held.push('"');
                self.state = State::InKey { escaped: false };
                return true;
            }
            (Wrapper::Colon | Wrapper::Brace, _) => State::Value,
            (Wrapper::Key, _) => State::Free {
                depth: 1,
                in_string: false,
                escaped: false,
            },
        };
        let goes_on = matches!(next, State::Wrapper(_));
        if goes_on {
            self.wrapper.push(char::from(byte));
        } else {
            out.push_str(&self.wrapper);
            self.wrapper.clear();
        }
        self.state = next;
        goes_on
    }
}
