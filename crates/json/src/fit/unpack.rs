//! Converts held values, once they are whole.

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
use crate::thresholds::UNPACKED;
use crate::transducer::computes;

/// The JSON text made from a held value, the kind of change, and the changes inside the value.
type Made = (String, FitKind, Vec<Fitted>);

impl Fit {
    /// Writes a whole held value as its shape wants it, or unchanged.
    pub(super) fn convert(&mut self, job: &mut Job<'_>) {
        let held = core::mem::take(&mut self.held);
        if !self.wrapper.is_empty() {
            self.unpack_arguments(&held, job);
            self.held = held;
            return;
        }
        let shape = self.shape(job.target);
        let converted = if held.starts_with('"') {
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
        match converted {
            Some((json, change, inner)) => {
                self.note(change, &held, &json, job);
                self.inside(inner, job);
                job.out.push_str(&json);
            }
            None => job.out.push_str(&held),
        }
        self.held = held;
    }

    /// Handles a whole string under a wrapper's key: the arguments, if it holds an object that starts with a parameter.
    fn unpack_arguments(&mut self, held: &str, job: &mut Job<'_>) {
        let text = unescape(&held[1..held.len() - 1]);
        let wrapper = core::mem::take(&mut self.wrapper);
        let fields = self.fields(job.target);
        let json = (self.deep < UNPACKED)
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

    /// Records the changes inside an unpacked string, with their places in the document.
    fn inside(&mut self, inner: Vec<Fitted>, job: &Job<'_>) {
        let path = self.pointer();
        let at = self.emitted + job.out.len() - job.from;
        for change in inner {
            self.changes.push(Fitted {
                path: format!("{path}{}", change.path),
                start: self.start,
                end: self.pos,
                at: at + change.at,
                ..change
            });
        }
    }

    /// A held key or value is too long to be held: it passes from here. The key counts as undeclared. A string becomes
    /// the one item of an array if the shape wants an array of strings.
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

    /// The shape of the current value.
    fn shape<'t>(&self, target: Target<'t>) -> &'t Shape {
        match reached(target, &self.walk) {
            Some(Target::Shape(shape)) => shape,
            _ => &Shape::Any,
        }
    }
}

/// The shape of the items of the first array among the alternatives of `shape`.
fn items(shape: &Shape) -> Option<&Shape> {
    readings(shape).iter().find_map(|shape| match shape {
        Shape::Array(item) => Some(&**item),
        _ => None,
    })
}

/// Converts a string where the shape wants no string.
fn from_string(text: &str, shape: &Shape, deep: u8) -> Option<Made> {
    let trimmed = text.trim();
    let scalar = scalar_of(trimmed, shape).or_else(|| scalar_of(unquoted(trimmed)?, shape));
    if let Some(json) = scalar {
        return Some((json.into_owned(), FitKind::Typed, Vec::new()));
    }
    if computes(trimmed) {
        // The list is an expression, whose source does not contain the items.
        return None;
    }
    let first = trimmed.as_bytes().first();
    let container = readings(shape).iter().find(|shape| {
        matches!(
            (shape, first),
            (Shape::Object(_), Some(b'{')) | (Shape::Array(_), Some(b'['))
        )
    });
    if let (Some(shape), true) = (container, deep < UNPACKED)
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
        // A list of scalars without brackets: `1, 2, 3`. `101,102` may be a list or a number in groups: it stays text.
        let scalars = text.split(',').map(|part| scalar_of(part.trim(), item));
        let scalars: Option<Vec<Cow<'_, str>>> = scalars.collect();
        let items = scalars.filter(|_| !is_grouped(text.trim()))?.join(",");
        return Some((format!("[{items}]"), FitKind::Unpacked, Vec::new()));
    }
    // An item is not an array, so that the recursion has one level.
    let (json, _, mut inner) = from_string(text, item, deep)?;
    for change in &mut inner {
        change.path.insert_str(0, "/0");
        change.at += 1;
    }
    Some((format!("[{json}]"), FitKind::Listed, inner))
}

/// The text between quotes, escaped or not, if the string has no other quotes: `"123"` where a number is wanted.
fn unquoted(text: &str) -> Option<&str> {
    let between = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    let inside = ["\\\"", "\"", "'"].into_iter().find_map(between)?;
    (!inside.contains(['"', '\'', '\\'])).then_some(inside)
}

/// Converts an untyped text where the shape has no string: to the scalar it spells, the object or array it holds, or an
/// array of its one value. `None` for any other text, or if the shape allows a string.
pub fn from_text(text: &str, shape: &Shape) -> Option<String> {
    if admits(shape, Kind::String) {
        return None;
    }
    from_string(text, shape, 0).map(|(json, ..)| json)
}

/// A whole text as one JSON document; `None` if a repair is more than spelling: it supplies the end of a value, or
/// leaves content out.
fn repaired<'t>(text: &'t str, shape: &Shape) -> Option<Cow<'t, str>> {
    let first = *text.as_bytes().first()?;
    let repaired = repair(text, shape);
    if repaired.edits.is_empty() {
        return Some(Cow::Borrowed(text));
    }
    let is_spelling = repaired.edits.iter().all(|edit| {
        !edit.repair.is_structural()
            && !matches!(
                edit.repair,
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
