//! Held values, once they are whole.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::keys::step_to_others;
use super::rules::{Kind, admits, is_integer, readings};
use super::scalars::{is_grouped, is_integral};
use super::walk::reached;
use super::{Fit, FitKind, Fitted, Job, Present, State, Target, fit_whole, scalar_of};
use crate::document::repair;
use crate::escape::{quoted, unescape};
use crate::reader::{UnknownValue, members};
use crate::repair::Repair;
use crate::shape::Shape;
use crate::transducer::is_made;

/// Strings in strings are unpacked no deeper.
const DEEPEST: u8 = 4;

/// What a held value became, what was done to it, and what was changed inside of it.
type Made = (String, FitKind, Vec<Fitted>);

impl Fit {
    /// A held value is whole: writes it as its shape wants it, or as it stands.
    pub(super) fn convert(&mut self, job: &mut Job<'_>) {
        let held = core::mem::take(&mut self.held);
        if !self.wrapper.is_empty() {
            self.unpack_arguments(&held, job);
            self.held = held;
            return;
        }
        let shape = self.shape(job.target);
        let made = if held.starts_with('"') {
            let text = unescape(&held[1..held.len() - 1]);
            let is_item = self.levels.last().is_some_and(|level| level.array);
            let made = || from_string(&text, shape, self.deep);
            // `"101,102"` in a list may be two items.
            (!(is_item && is_grouped(text.trim()))).then(made).flatten()
        } else {
            // A number or boolean where a string is wanted.
            let is_number = readings(shape).iter().any(is_integer) && is_integral(&held);
            (!is_number).then(|| (quoted(&held), FitKind::Typed, Vec::new()))
        };
        match made {
            Some((json, change, inner)) => {
                self.note(change, &held, &json, job);
                self.inside(inner, job);
                job.out.push_str(&json);
            }
            None => job.out.push_str(&held),
        }
        self.held = held;
    }

    /// A string under a wrapper's key is whole: the arguments, if it is an object that starts with a parameter.
    fn unpack_arguments(&mut self, held: &str, job: &mut Job<'_>) {
        let text = unescape(&held[1..held.len() - 1]);
        let wrapper = core::mem::take(&mut self.wrapper);
        let fields = self.fields(job.target);
        let json = (self.deep < DEEPEST)
            .then(|| repaired(text.trim(), &Shape::Any))
            .flatten();
        let arguments = json.zip(fields).filter(|(json, fields)| {
            let first = members(json).next();
            first.is_some_and(|(key, _)| fields.is_known(&key))
        });
        let Some((json, fields)) = arguments else {
            job.out.push_str(&wrapper);
            job.out.push_str(held);
            return;
        };
        let (json, inner) = fit_whole(job.target, &json, self.deep + 1);
        let inside = json.trim();
        let inside = inside[1..inside.len() - 1].trim();
        let skipped = inside.as_ptr() as usize - json.as_ptr() as usize;
        let inner = inner.into_iter().map(|change| Fitted {
            at: change.at.saturating_sub(skipped),
            ..change
        });
        self.path.clear();
        self.start = self.wrapped_at;
        self.note(FitKind::Unwrapped, &format!("{wrapper}{held}"), inside, job);
        self.inside(inner.collect(), job);
        let moved = true;
        let properties = members(&json).filter_map(|(key, _)| fields.place(&key));
        self.present
            .extend(properties.map(|property| Present { property, moved }));
        job.out.push_str(inside);
    }

    /// What was changed in a string that was unpacked: at its place.
    fn inside(&mut self, inner: Vec<Fitted>, job: &mut Job<'_>) {
        let path = self.pointer();
        let at = self.emitted + job.out.len() - job.from;
        for change in inner {
            job.fitted.push(Fitted {
                path: format!("{path}{}", change.path),
                start: self.start,
                end: self.pos,
                at: at + change.at,
                ..change
            });
        }
    }

    /// A held key or value is longer than any that is held: it passes from here. The key is none that is declared, and the
    /// value the one item of an array if one is wanted.
    pub(super) fn give_up(&mut self, job: &mut Job<'_>) {
        let is_wrapped = !self.wrapper.is_empty();
        if self.in_key {
            self.has_keys = true;
            self.step = self.fields(job.target).and_then(step_to_others);
        } else if !is_wrapped
            && matches!(self.state, State::String { .. })
            && items(self.shape(job.target)).is_some_and(|item| admits(item, Kind::String))
        {
            self.pos = self.start;
            self.note(FitKind::Listed, "", "[", job);
            job.out.push('[');
            self.listed = true;
        }
        self.no_wrapper(job);
        job.out.push_str(&self.held);
        self.held.clear();
        self.state = match self.state {
            State::String { escaped, .. } if is_wrapped && self.in_key => {
                self.in_key = false;
                State::Free(UnknownValue {
                    depth: 1,
                    in_string: true,
                    escaped,
                })
            }
            State::String { escaped, .. } => State::String {
                held: false,
                escaped,
            },
            _ => State::Word { held: false },
        };
    }

    /// The shape of the value that is being read.
    fn shape<'t>(&self, target: Target<'t>) -> &'t Shape {
        match reached(target, &self.walk) {
            Some(Target::Shape(shape)) => shape,
            _ => &Shape::Any,
        }
    }
}

/// The items of the array among the readings of a shape.
fn items(shape: &Shape) -> Option<&Shape> {
    readings(shape).iter().find_map(|shape| match shape {
        Shape::Array(item) => Some(&**item),
        _ => None,
    })
}

/// What a string may stand for, where none is wanted.
fn from_string(text: &str, shape: &Shape, deep: u8) -> Option<Made> {
    let trimmed = text.trim();
    let scalar = scalar_of(trimmed, shape).or_else(|| scalar_of(unquoted(trimmed)?, shape));
    if let Some(json) = scalar {
        return Some((json.into_owned(), FitKind::Typed, Vec::new()));
    }
    if is_made(trimmed) {
        // Its source holds none of its items.
        return None;
    }
    let starts = trimmed.as_bytes().first();
    let container = readings(shape).iter().find(|shape| {
        matches!(
            (shape, starts),
            (Shape::Object(_), Some(b'{')) | (Shape::Array(_), Some(b'['))
        )
    });
    if let (Some(shape), true) = (container, deep < DEEPEST)
        && let Some(json) = repaired(trimmed, shape)
    {
        let (json, inner) = fit_whole(Target::Shape(shape), &json, deep + 1);
        return Some((json, FitKind::Unpacked, inner));
    }
    let item = items(shape)?;
    if admits(item, Kind::String) {
        return Some((format!("[{}]", quoted(text)), FitKind::Listed, Vec::new()));
    }
    if items(item).is_some() {
        return None;
    }
    if text.contains(',') {
        // A list of scalars without its brackets: `1, 2, 3`. Whether `101,102` is one, or a number in groups, nothing says.
        let scalars = text.split(',').map(|part| scalar_of(part.trim(), item));
        let scalars: Option<Vec<Cow<'_, str>>> = scalars.collect();
        let items = scalars.filter(|_| !is_grouped(text.trim()))?.join(",");
        return Some((format!("[{items}]"), FitKind::Unpacked, Vec::new()));
    }
    // An item is no array, so that this goes one level down.
    let (json, _, mut inner) = from_string(text, item, deep)?;
    for change in &mut inner {
        change.path.insert_str(0, "/0");
        change.at += 1;
    }
    Some((format!("[{json}]"), FitKind::Listed, inner))
}

/// What stands between the quotes of a string that has no others, escaped or not: `"123"` where a number is wanted.
fn unquoted(text: &str) -> Option<&str> {
    let between = |mark| text.strip_prefix(mark)?.strip_suffix(mark);
    let inside = ["\\\"", "\"", "'"].into_iter().find_map(between)?;
    (!inside.contains(['"', '\'', '\\'])).then_some(inside)
}

/// What an untyped text stands for where the shape has no string: the scalar it spells, the object or array it holds, an
/// array of the one value it is. `None` if it is none of those, or may be a string.
pub fn from_text(text: &str, shape: &Shape) -> Option<String> {
    if admits(shape, Kind::String) {
        return None;
    }
    from_string(text, shape, 0).map(|(json, ..)| json)
}

/// A whole text as one JSON document, repaired where that is only spelling: nothing that ends a value is supplied, nothing
/// is left out.
fn repaired<'t>(text: &'t str, shape: &Shape) -> Option<Cow<'t, str>> {
    let first = *text.as_bytes().first()?;
    let repaired = repair(text, shape);
    if repaired.edits.is_empty() {
        return Some(Cow::Borrowed(text));
    }
    let is_spelling = repaired.edits.iter().all(|fix| {
        !fix.repair.is_structural()
            && !matches!(
                fix.repair,
                Repair::Prose
                    | Repair::MultipleValues
                    | Repair::TruncatedJson
                    | Repair::Ellipsis
                    | Repair::Junk
                    | Repair::Wrapper
                    | Repair::CodeFence
            )
    });
    let json = repaired.text.trim();
    (is_spelling && json.as_bytes().first() == Some(&first)).then(|| Cow::Owned(String::from(json)))
}
