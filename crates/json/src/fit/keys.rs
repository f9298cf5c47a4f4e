//! Keys: declared, missed by a little, or a wrapper of all arguments.

use alloc::borrow::Cow;

use super::names::{is_wrapper, uncontested};
use super::walk::Walk;
use super::{Fit, FitKind, Job, Present, State, Target, Wrapper};
use crate::escape::{quoted, unescape};
use crate::pointer::push_key;
use crate::reader::UnknownValue;
use crate::scan::plain;
use crate::shape::Fields;

impl Fit {
    /// A key was read whole; it is held.
    pub(super) fn key(&mut self, job: &mut Job<'_>) {
        let key = unescape(&self.held[1..self.held.len() - 1]).into_owned();
        let own = self.levels.last().map_or(0, |level| level.path);
        self.path.truncate(own);
        let Some(fields) = self.fields(job.target) else {
            return;
        };
        let declared = fields.place(&key);
        if !self.wrapper.is_empty() {
            // After `{"arguments": {`: a parameter is what a wrapper holds.
            if !fields.is_known(&key) {
                self.no_wrapper(job);
                job.out.push_str(&self.held);
                self.state = State::FREE;
                return;
            }
            self.unwrap(job);
        }
        let nearest = match declared {
            Some(_) => None,
            None => fields
                .nearest(&key)
                .filter(|&(place, _)| self.may_rename(&key, place, fields, job)),
        };
        let known = declared.or(nearest.map(|(place, _)| place));
        if known.is_none()
            && self.first
            && self.levels.len() == 1
            && matches!(job.target, Target::Fields(_))
            && is_wrapper(&key)
        {
            self.first = false;
            self.wrapper.push_str(&self.held);
            self.wrapped_at = self.start;
            self.step = fields.others.is_some().then_some(Walk::Others);
            push_key(&mut self.path, &key);
            self.state = State::Wrapper(Wrapper::Colon);
            return;
        }
        self.first = false;
        let name: Cow<'_, str> = match nearest {
            Some((_, name)) => Cow::Borrowed(name),
            None => Cow::Owned(key),
        };
        push_key(&mut self.path, &name);
        if nearest.is_some() {
            let before = core::mem::take(&mut self.held);
            let after = quoted(&name);
            self.note(FitKind::Renamed, &before, &after, job);
            self.held = after;
        }
        if let Some(place) = known {
            self.is_present(place, nearest.is_some(), &name, job);
        }
        job.out.push_str(&self.held);
        self.step = match known {
            Some(place) => Some(Walk::Property(place)),
            None => fields.others.is_some().then_some(Walk::Others),
        };
        self.state = State::Colon;
    }

    /// The length of the key that `text` starts with after its quote, if all of it is here without an escape, it is one
    /// that is declared, and comes for the first time: it passes as it is then, and its value is next.
    pub(super) fn key_passes(&mut self, text: &str, target: Target<'_>) -> Option<usize> {
        let level = self.levels.last()?;
        let (own, from) = (level.path, level.present);
        let fields = self.fields(target)?;
        if fields.properties.is_empty() || !self.wrapper.is_empty() {
            return None;
        }
        let length = plain(text.as_bytes());
        if text.as_bytes().get(length) != Some(&b'"') || length + 2 > self.cap {
            return None;
        }
        let key = &text[..length];
        let property = fields.place(key)?;
        let is_it = |present: &Present| present.property == property;
        if self.present[from..].iter().any(is_it) {
            return None;
        }
        self.first = false;
        self.path.truncate(own);
        push_key(&mut self.path, key);
        let moved = false;
        self.present.push(Present { property, moved });
        self.step = Some(Walk::Property(property));
        self.state = State::Colon;
        Some(length)
    }

    /// Whether `key`, which misses the property at `place`, may take its name: not where that is there already, nor, where
    /// the whole document is held, where it comes or another key misses it as well.
    fn may_rename(&mut self, key: &str, place: usize, fields: &Fields, job: &Job<'_>) -> bool {
        let Some(level) = self.levels.last_mut() else {
            return false;
        };
        let present = &self.present[level.present..];
        if present.iter().any(|present| present.property == place) {
            return false;
        }
        let Some(object) = job.whole.and_then(|whole| whole.get(level.start..)) else {
            return true;
        };
        let find = || uncontested(object, fields);
        let names = level.uncontested.get_or_insert_with(find);
        names.iter().any(|name| name == key)
    }

    /// A declared property is here. One that came under another name before is said to come twice.
    fn is_present(&mut self, property: usize, moved: bool, name: &str, job: &mut Job<'_>) {
        let from = self.levels.last().map_or(0, |level| level.present);
        let is_it = |present: &&Present| present.property == property;
        match self.present[from..].iter().find(is_it) {
            None => self.present.push(Present { property, moved }),
            Some(before) if before.moved => {
                let name = quoted(name);
                self.note(FitKind::Doubled, &name, &name, job);
            }
            // Its own name twice is what whoever wrote this text has noted.
            Some(_) => {}
        }
    }

    /// A key is longer than any that is held: it is none that is declared.
    pub(super) fn long_key(&mut self, job: &mut Job<'_>) {
        let State::InKey { escaped } = self.state else {
            return;
        };
        let wrapped = !self.wrapper.is_empty();
        self.no_wrapper(job);
        job.out.push_str(&self.held);
        self.held.clear();
        (self.first, self.in_key) = (false, !wrapped);
        let fields = self.fields(job.target);
        let others = fields.and_then(|fields| fields.others.as_ref());
        self.step = others.map(|_| Walk::Others);
        self.state = if wrapped {
            State::Free(UnknownValue {
                depth: 1,
                in_string: true,
                escaped,
            })
        } else {
            State::String {
                held: false,
                escaped,
            }
        };
    }

    /// As much of `text` as may be held, and a character more.
    pub(super) fn room<'t>(&self, text: &'t str) -> &'t str {
        let room = (self.cap + 1).saturating_sub(self.held.len()).max(1);
        match (room..text.len()).find(|&end| text.is_char_boundary(end)) {
            Some(end) => &text[..end],
            None => text,
        }
    }

    /// A byte after the key of what may be a wrapper. `false`: it was none, and the byte is to be read again.
    pub(super) fn wrapper(&mut self, wrapper: Wrapper, byte: u8, job: &mut Job<'_>) -> bool {
        let next = match (wrapper, byte) {
            (_, b' ' | b'\t' | b'\n' | b'\r') => self.state,
            (Wrapper::Colon, b':') => State::Wrapper(Wrapper::Brace),
            (Wrapper::Brace, b'{') => State::Wrapper(Wrapper::Key),
            (Wrapper::Brace | Wrapper::Key, b'"') => {
                self.held.clear();
                self.held.push('"');
                self.state = match wrapper {
                    Wrapper::Key => State::InKey { escaped: false },
                    _ => State::String {
                        held: true,
                        escaped: false,
                    },
                };
                return true;
            }
            (Wrapper::Colon | Wrapper::Brace, _) => State::Value,
            (Wrapper::Key, _) => State::FREE,
        };
        if matches!(next, State::Wrapper(_)) {
            self.wrapper.push(char::from(byte));
            self.state = next;
            return true;
        }
        self.no_wrapper(job);
        self.state = next;
        false
    }

    /// What may have been a wrapper is told as it stands.
    pub(super) fn no_wrapper(&mut self, job: &mut Job<'_>) {
        job.out.push_str(&self.wrapper);
        self.wrapper.clear();
    }

    /// What is in the wrapper is the arguments.
    fn unwrap(&mut self, job: &mut Job<'_>) {
        let wrapper = core::mem::take(&mut self.wrapper);
        let walk = self.levels.last().map_or(0, |level| level.walk);
        self.walk.truncate(walk);
        let (key, end) = (self.start, self.pos);
        (self.start, self.pos) = (self.wrapped_at, key);
        self.note(FitKind::Unwrapped, &wrapper, "", job);
        self.start = self.wrapped_at + wrapper.rfind('{').unwrap_or_default();
        self.open(false, true);
        (self.start, self.pos) = (key, end);
    }
}
