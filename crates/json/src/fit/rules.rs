//! What becomes of a value of one kind where a shape is wanted.
//!
//! | wanted      | string      | number, boolean | null | object  | array   |
//! |-------------|-------------|-----------------|------|---------|---------|
//! | text        | passes      | its text, quoted | ·   | ·       | ·       |
//! | scalars     | what it spells | passes       | ·    | ·       | ·       |
//! | object      | what it holds | ·             | ·    | descend | ·       |
//! | array       | what it holds, or a list of it | a list of it | · | a list of it | descend |
//! | any         | passes      | passes          | passes | passes | passes |
//!
//! A dot: nothing can be done, it passes as it stands. Of a union, the first shape that has a value of the kind takes it
//! as it stands; only where none has, one that can change it does. What is changed is [held](Plan::Hold) until it is
//! whole; [`super::unpack`] does it.

use crate::shape::Shape;

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

/// What a value starts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
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

/// The shapes of a union, or the shape itself.
pub(super) fn readings(shape: &Shape) -> &[Shape] {
    match shape {
        Shape::OneOf(shapes) => shapes,
        shape => core::slice::from_ref(shape),
    }
}

/// Whether a value of this kind is one of the shape's.
pub(crate) fn admits(shape: &Shape, kind: Kind) -> bool {
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

/// The table above, for a shape that is no union.
pub(super) fn plan_of(shape: &Shape, kind: Kind) -> Plan {
    match (shape, kind) {
        (Shape::Object(_), Kind::Object) | (Shape::Array(_), Kind::Array) => Plan::Descend,
        (Shape::Scalar(_) | Shape::Object(_) | Shape::Array(_), Kind::String)
        | (Shape::Text, Kind::Number | Kind::Boolean) => Plan::Hold,
        (Shape::Array(item), Kind::Number | Kind::Boolean | Kind::Object) if takes(item, kind) => {
            Plan::List
        }
        _ => Plan::Pass,
    }
}

/// Whether a lone value of this kind may become the one item of an array of `item`. Arrays of arrays are made of no lone
/// value: whether `1` stands for `[[1]]` or for an item of another, nothing says. Nor does it of an object where items may be
/// anything: it may stand for the list as well.
fn takes(item: &Shape, kind: Kind) -> bool {
    if matches!(item, Shape::Any) && kind == Kind::Object {
        return false;
    }
    let is_made =
        |item: &Shape| !matches!(item, Shape::Array(_)) && plan_of(item, kind) != Plan::Pass;
    readings(item).iter().any(is_made) || admits(item, kind)
}

/// Whether a number may be text, and is a number here only if it is an integer.
pub(super) fn is_text_or_integer(shapes: &[Shape]) -> bool {
    let is_number = |shape: &Shape| match shape {
        Shape::Scalar(scalars) => scalars.number,
        shape => *shape == Shape::Any,
    };
    shapes.contains(&Shape::Text) && shapes.iter().any(is_integer) && !shapes.iter().any(is_number)
}

pub(super) fn is_integer(shape: &Shape) -> bool {
    matches!(shape, Shape::Scalar(scalars) if scalars.integer)
}
