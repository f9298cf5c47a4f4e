//! Which shape a value has, and what that makes of it.

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

/// What becomes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// It passes as it stands.
    Pass,
    /// It is held until it is whole, and then converted.
    Hold,
    /// It is a container whose shape is known.
    Descend,
    /// It is wrapped as the one item of an array.
    List,
}

/// What a value begins as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    String,
    Number,
    Boolean,
    Null,
    Object,
    Array,
}

impl Kind {
    pub(super) fn of(byte: u8) -> Kind {
        match byte {
            b'"' => Kind::String,
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b't' | b'f' => Kind::Boolean,
            b'n' => Kind::Null,
            _ => Kind::Number,
        }
    }
}

/// Whether a value of this kind is one of the shape's.
pub(super) fn admits(shape: &Shape, kind: Kind) -> bool {
    match (shape, kind) {
        (Shape::Any, _)
        | (Shape::Text, Kind::String)
        | (Shape::Object(_), Kind::Object)
        | (Shape::Array(_), Kind::Array) => true,
        (Shape::Scalar(scalars), Kind::Number) => scalars.integer || scalars.number,
        (Shape::Scalar(scalars), Kind::Boolean) => scalars.boolean,
        (Shape::Scalar(scalars), Kind::Null) => scalars.null,
        (Shape::OneOf(shapes), kind) => shapes.iter().any(|shape| admits(shape, kind)),
        _ => false,
    }
}

pub(super) fn plan_of(shape: &Shape, kind: Kind) -> Plan {
    match (shape, kind) {
        (Shape::Object(_), Kind::Object) | (Shape::Array(_), Kind::Array) => Plan::Descend,
        (Shape::Scalar(_) | Shape::Object(_) | Shape::Array(_), Kind::String)
        | (Shape::Text, Kind::Number | Kind::Boolean) => Plan::Hold,
        (Shape::Array(_), Kind::Number | Kind::Boolean | Kind::Object) => Plan::List,
        _ => Plan::Pass,
    }
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
