//! Which shape a value has: the steps from the document's shape to its own.

use crate::shape::Shape;

use super::Target;

/// A step from a container's shape to that of a value in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walk {
    Property(usize),
    Others,
    Item,
    Choice(usize),
}

/// The shape that the steps lead to.
pub(super) fn reached<'t>(target: Target<'t>, walk: &[Walk]) -> Option<Target<'t>> {
    let mut at = target;
    for step in walk {
        at = match (at, step) {
            (Target::Fields(fields) | Target::Shape(Shape::Object(fields)), Walk::Property(n)) => {
                Target::Shape(&fields.properties.get(*n)?.1)
            }
            (Target::Fields(fields) | Target::Shape(Shape::Object(fields)), Walk::Others) => {
                Target::Shape(fields.others.as_deref()?)
            }
            (Target::Shape(Shape::Array(item)), Walk::Item) => Target::Shape(item),
            (Target::Shape(Shape::OneOf(shapes)), Walk::Choice(n)) => {
                Target::Shape(shapes.get(*n)?)
            }
            _ => return None,
        };
    }
    Some(at)
}
