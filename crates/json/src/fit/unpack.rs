//! Held values, once they are whole.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::shapes::{Kind, admits, reached};
use super::{Fit, FitKind, Fitted, State, Target, scalar_of};
use crate::escape::{quoted, unescape};
use crate::shape::Shape;
use crate::transducer::{Output, Root, Step, Transducer};

/// Strings in strings are unpacked no deeper.
const DEEPEST: u8 = 4;

impl Fit {
    /// A held value is whole: writes it as its shape wants it, or as it stands.
    pub(super) fn convert(
        &mut self,
        target: Target<'_>,
        out: &mut String,
        fitted: &mut Vec<Fitted>,
    ) {
        let held = core::mem::take(&mut self.held);
        let shape = match reached(target, &self.walk) {
            Some(Target::Shape(shape)) => shape,
            _ => &Shape::Any,
        };
        let json = if held.starts_with('"') {
            let text = unescape(&held[1..held.len() - 1]);
            from_string(&text, shape, self.deep)
        } else {
            Some((quoted(&held), FitKind::Typed))
        };
        match json {
            Some((json, change)) => {
                self.note(change, &held, &json, fitted);
                out.push_str(&json);
            }
            None => out.push_str(&held),
        }
        self.held = held;
    }

    /// A held string is longer than any that is held: it passes from here, as the one item of an array if one is wanted.
    pub(super) fn give_up(&mut self, target: Target<'_>, out: &mut String) {
        let listed = match reached(target, &self.walk) {
            Some(Target::Shape(Shape::Array(item))) => admits(item, Kind::String),
            _ => false,
        };
        if listed {
            out.push('[');
            self.listed = true;
        }
        out.push_str(&self.held);
        self.held.clear();
        self.state = match self.state {
            State::String { escaped, .. } => State::String {
                held: false,
                escaped,
            },
            _ => State::Word { held: false },
        };
    }
}

/// What a string may stand for, where none is wanted.
fn from_string(text: &str, shape: &Shape, deep: u8) -> Option<(String, FitKind)> {
    let trimmed = text.trim();
    if let Some(json) = scalar_of(trimmed, shape) {
        return Some((json.into_owned(), FitKind::Typed));
    }
    let shapes = match shape {
        Shape::OneOf(shapes) => shapes.as_slice(),
        shape => core::slice::from_ref(shape),
    };
    let begins = trimmed.as_bytes().first();
    let container = shapes.iter().find(|shape| {
        matches!(
            (shape, begins),
            (Shape::Object(_), Some(b'{')) | (Shape::Array(_), Some(b'['))
        )
    });
    if let (Some(shape), true) = (container, deep < DEEPEST)
        && let Some(json) = document(trimmed, shape, deep)
    {
        return Some((json, FitKind::Unpacked));
    }
    let item = shapes.iter().find_map(|shape| match shape {
        Shape::Array(item) => Some(&**item),
        _ => None,
    })?;
    let json: Cow<'_, str> = match scalar_of(trimmed, item) {
        Some(json) => json,
        None if admits(item, Kind::String) => Cow::Owned(quoted(text)),
        None => return None,
    };
    Some((format!("[{json}]"), FitKind::Listed))
}

/// A whole text as one document of the shape; mended where that is only spelling.
fn document(text: &str, shape: &Shape, deep: u8) -> Option<String> {
    let mut output = Output::default();
    let mut json = Transducer::new(Root::Value);
    let (used, step) = json.feed(text, 0, &mut output);
    if step != Step::Done || used != text.len() || json.is_structural() {
        return None;
    }
    let mut out = String::new();
    let mut fit = Fit {
        deep: deep + 1,
        ..Fit::new(usize::MAX - 1)
    };
    let mut fitted = Vec::new();
    fit.feed(Target::Shape(shape), &output.text, &mut out, &mut fitted);
    fit.finish(Target::Shape(shape), true, &mut out, &mut fitted);
    Some(out)
}
