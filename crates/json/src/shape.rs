//! The part of a schema that the engine needs to type a value while it streams.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// The shape of one value, made from a JSON Schema elsewhere.
///
/// A shape decides how text is *read* (`42` as a number or as a string), never whether it is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// A string, whatever it looks like: `007`, `null` and `{}` stay text.
    Text,
    /// One of the scalar types in the set.
    Scalar(Scalars),
    /// An object.
    Object(Fields),
    /// An array whose items have this shape.
    Array(Box<Shape>),
    /// Nothing is known about the value.
    Any,
    /// Any of these (`anyOf`, `oneOf`, type lists), tried in order.
    OneOf(Vec<Shape>),
}

impl Shape {
    /// The first object (or array) shape among the alternatives, or [`Shape::Any`].
    #[doc(hidden)]
    pub fn of_container(&self, is_object: bool) -> &Shape {
        let fits = |shape: &&Shape| match shape {
            Shape::Object(_) => is_object,
            Shape::Array(_) => !is_object,
            _ => false,
        };
        match self {
            Shape::OneOf(parts) => parts.iter().find(fits).unwrap_or(&Shape::Any),
            shape if fits(&shape) => shape,
            _ => &Shape::Any,
        }
    }
}

/// The properties of an object, in the schema's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Name and shape of each declared property.
    pub properties: Vec<(String, Shape)>,
    /// The shape of an undeclared property; `None` where the schema forbids undeclared properties.
    pub others: Option<Box<Shape>>,
}

impl Fields {
    /// The shape of `key`, if it is declared. Linear in the number of properties.
    pub fn get(&self, key: &str) -> Option<&Shape> {
        Some(&self.properties.get(self.place(key)?)?.1)
    }

    /// The index of the property `key`. Linear in the number of properties.
    pub(crate) fn place(&self, key: &str) -> Option<usize> {
        self.properties.iter().position(|(name, _)| name == key)
    }
}

/// A set of scalar types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scalars {
    /// JSON integers.
    pub integer: bool,
    /// JSON numbers.
    pub number: bool,
    /// `true` and `false`.
    pub boolean: bool,
    /// `null`.
    pub null: bool,
}
