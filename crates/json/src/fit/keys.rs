//! Keys: declared ones, near misses, and wrappers of all arguments.

use alloc::borrow::Cow;

use super::names::{is_wrapper, renamable};
use super::walk::Walk;
use super::{Fit, FitKind, Job, Present, State, Target, Wrapper};
use crate::escape::{quoted, unescape};
use crate::pointer::push_key;
use crate::scan::boundary;
use crate::shape::Fields;

impl Fit {
    /// Handles a whole key, which is held.
    pub(super) fn key(&mut self, job: &mut Job<'_>) {
        let key = unescape(&self.held[1..self.held.len() - 1]).into_owned();
        let own = self.levels.last().map_or(0, |level| level.path);
        self.path.truncate(own);
        let Some(fields) = self.fields(job.target) else {
            return;
        };
        let declared = fields.place(&key);
        if !self.wrapper.is_empty() {
            // After `{"arguments": {`: only a key that is a parameter shows a wrapper.
            if !fields.is_known(&key) {
                self.no_wrapper(job);
                job.out.push_str(&self.held);
                self.state = State::FREE;
                return;
            }
            self.unwrap(job);
        }
        let nearest = fields
            .nearest(&key)
            .filter(|&(place, _)| self.may_rename(&key, place, fields, job));
        let known = declared.or(nearest.map(|(place, _)| place));
        if known.is_none()
            && !self.has_keys
            && self.levels.len() == 1
            && matches!(job.target, Target::Fields(_))
            && is_wrapper(&key)
        {
            self.has_keys = true;
            self.wrapper.push_str(&self.held);
            self.wrapped_at = self.start;
            self.step = step_to_others(fields);
            push_key(&mut self.path, &key);
            self.state = State::Wrapper(Wrapper::Colon);
            return;
        }
        self.has_keys = true;
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
        self.step = known.map(Walk::Property).or(step_to_others(fields));
        self.state = State::Colon;
    }

    /// Whether `key`, a near miss of the property at `place`, may take its name. Not if the object has the property. If
    /// the whole document is held, also not if the property follows or another key is a near miss of it.
    fn may_rename(&mut self, key: &str, place: usize, fields: &Fields, job: &Job<'_>) -> bool {
        if self.present(place).is_some() {
            return false;
        }
        let Some(level) = self.levels.last_mut() else {
            return false;
        };
        let Some(object) = job.whole.and_then(|whole| whole.get(level.start..)) else {
            return true;
        };
        let find = || renamable(object, fields);
        let names = level.renamable.get_or_insert_with(find);
        names.iter().any(|name| name == key)
    }

    /// Records a declared property. Notes a duplicate if the property had another name before.
    fn is_present(&mut self, property: usize, moved: bool, name: &str, job: &mut Job<'_>) {
        match self.present(property) {
            None => self.present.push(Present { property, moved }),
            Some(before) if before.moved => {
                let name = quoted(name);
                self.note(FitKind::Doubled, &name, &name, job);
            }
            // The writer of this text has noted a duplicate of the same name.
            Some(_) => {}
        }
    }

    /// Starts to hold a string or key. The caller appends its opening quote to `held`.
    pub(super) fn hold_string(&mut self, in_key: bool) {
        self.held.clear();
        (self.state, self.in_key) = (State::HELD, in_key);
    }

    /// The record of `property`, if the innermost object has the property.
    fn present(&self, property: usize) -> Option<&Present> {
        let from = self.levels.last().map_or(0, |level| level.present);
        let mut present = self.present[from..].iter();
        present.find(|present| present.property == property)
    }

    /// As much of `text` as may be held, and one character more.
    pub(super) fn room<'t>(&self, text: &'t str) -> &'t str {
        let room = (self.cap + 1).saturating_sub(self.held.len()).max(1);
        &text[..boundary(text, room)]
    }

    /// Reads a byte after the key of a possible wrapper. `false`: the byte must be read again, as there is no wrapper.
    pub(super) fn wrapper(&mut self, wrapper: Wrapper, byte: u8, job: &mut Job<'_>) -> bool {
        let next = match (wrapper, byte) {
            (_, b' ' | b'\t' | b'\n' | b'\r') => self.state,
            (Wrapper::Colon, b':') => State::Wrapper(Wrapper::Brace),
            (Wrapper::Brace, b'{') => State::Wrapper(Wrapper::Key),
            (Wrapper::Brace | Wrapper::Key, b'"') => {
                self.hold_string(wrapper == Wrapper::Key);
                self.held.push('"');
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

    /// Emits the text of a possible wrapper that is not one.
    pub(super) fn no_wrapper(&mut self, job: &mut Job<'_>) {
        job.out.push_str(&self.wrapper);
        self.wrapper.clear();
    }

    /// Leaves out the wrapper around the arguments.
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

/// The step to the value of an undeclared key.
pub(super) fn step_to_others(fields: &Fields) -> Option<Walk> {
    fields.others.as_ref().map(|_| Walk::Others)
}
