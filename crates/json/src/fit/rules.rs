//! The action for a value of one kind where a shape is wanted.
//!
//! | wanted      | string      | number, boolean | null | object  | array   |
//! |-------------|-------------|-----------------|------|---------|---------|
//! | text        | passes      | its text, quoted | ·   | ·       | ·       |
//! | scalars     | the scalar it spells | passes | ·    | ·       | ·       |
//! | object      | the object it holds | ·       | ·    | descend | ·       |
//! | array       | the array it holds, or a list of it | a list of it | · | a list of it | descend |
//! | any         | passes      | passes          | passes | passes | passes |
//!
//! A dot: the value passes unchanged. In a union, the first shape that allows the kind decides. If no shape allows the
//! kind, a shape that can coerce the value decides. A value to convert is [held](Plan::Hold) until it is whole;
//! [`super::unpack`] converts it.

use crate::shape::Shape;

/// The action for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// The value passes unchanged.
    Pass,
    /// The value is held until it is whole, and then converted.
    Hold,
    /// The value is a container whose shape is known.
    Descend,
    /// The value is wrapped as the one item of an array.
    List,
}

/// The kind of a value, by its first byte.
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

/// Whether the shape allows a value of this kind.
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

/// The table above, for a shape that is not a union.
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

/// Whether a lone value of this kind may become the one item of an array of `item`. A lone value does not become an
/// array of arrays: `1` may mean `[[1]]` or an item of another array. An object does not become a list whose items may
/// be anything: the object may mean the list itself.
fn takes(item: &Shape, kind: Kind) -> bool {
    if matches!(item, Shape::Any) && kind == Kind::Object {
        return false;
    }
    let converts =
        |item: &Shape| !matches!(item, Shape::Array(_)) && plan_of(item, kind) != Plan::Pass;
    readings(item).iter().any(converts) || admits(item, kind)
}

/// Whether the shapes allow text and integers, but no other numbers.
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
