//! The shape of a value: the steps from the document's shape to the value's.

use crate::shape::Shape;

use super::Target;

/// A step from a container's shape to the shape of a value in it, or from a union to one alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walk {
    Property(usize),
    Others,
    Item,
    Choice(usize),
}

/// The shape that the steps lead to.
pub(super) fn reached<'t>(target: Target<'t>, walk: &[Walk]) -> Option<Target<'t>> {
    walk.iter().try_fold(target, |at, step| {
        let shape = match (at, *step) {
            (_, Walk::Property(n)) => &at.fields()?.properties.get(n)?.1,
            (_, Walk::Others) => at.fields()?.others.as_deref()?,
            (Target::Shape(Shape::Array(item)), Walk::Item) => item,
            (Target::Shape(Shape::OneOf(shapes)), Walk::Choice(n)) => shapes.get(n)?,
            _ => return None,
        };
        Some(Target::Shape(shape))
    })
}
