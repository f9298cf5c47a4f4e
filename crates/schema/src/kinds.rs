//! Shapes as sets: union and intersection.

use toolglot_engine::{Fields, Scalars, Shape};

/// A shape split by kind: at most one entry for each kind of JSON value.
///
/// Two object shapes of a union become one that knows the properties of both. While a value streams, its first byte
/// distinguishes an object from an array, but nothing distinguishes two objects.
#[derive(Default)]
struct Kinds {
    scalars: Scalars,
    object: Option<Fields>,
    array: Option<Shape>,
    text: bool,
}

/// The shape of the values that `a` or `b` admits.
pub(crate) fn union(a: Shape, b: Shape) -> Shape {
    let (Some(a), Some(b)) = (Kinds::of(a), Kinds::of(b)) else {
        return Shape::Any;
    };
    Kinds {
        scalars: Scalars {
            integer: a.scalars.integer || b.scalars.integer,
            number: a.scalars.number || b.scalars.number,
            boolean: a.scalars.boolean || b.scalars.boolean,
            null: a.scalars.null || b.scalars.null,
        },
        object: either(a.object, b.object, union_of_fields),
        array: either(a.array, b.array, union),
        text: a.text || b.text,
    }
    .into_shape()
}

/// The shape of the values that both `a` and `b` admit. A contradiction becomes an unknown shape: validation will
/// report it.
pub(crate) fn meet(a: Shape, b: Shape) -> Shape {
    let (a, b) = match (Kinds::of(a), Kinds::of(b)) {
        (Some(a), Some(b)) => (a, b),
        (Some(known), None) | (None, Some(known)) => return known.into_shape(),
        (None, None) => return Shape::Any,
    };
    let numeric = |scalars: Scalars| scalars.integer || scalars.number;
    Kinds {
        scalars: Scalars {
            integer: numeric(a.scalars)
                && numeric(b.scalars)
                && (a.scalars.integer || b.scalars.integer),
            number: a.scalars.number && b.scalars.number,
            boolean: a.scalars.boolean && b.scalars.boolean,
            null: a.scalars.null && b.scalars.null,
        },
        object: a.object.zip(b.object).map(|(a, b)| meet_of_fields(a, b)),
        array: a.array.zip(b.array).map(|(a, b)| meet(a, b)),
        text: a.text && b.text,
    }
    .into_shape()
}

impl Kinds {
    /// `None` if nothing is known.
    fn of(shape: Shape) -> Option<Kinds> {
        let mut kinds = Kinds::default();
        match shape {
            Shape::Text => kinds.text = true,
            Shape::Scalar(scalars) => kinds.scalars = scalars,
            Shape::Object(fields) => kinds.object = Some(fields),
            Shape::Array(items) => kinds.array = Some(*items),
            // A union from this module has each kind once, so the parts do not overlap.
            Shape::OneOf(parts) => {
                for part in parts {
                    let part = Kinds::of(part)?;
                    if part.scalars != Scalars::default() {
                        kinds.scalars = part.scalars;
                    }
                    kinds.object = kinds.object.or(part.object);
                    kinds.array = kinds.array.or(part.array);
                    kinds.text |= part.text;
                }
            }
            _ => return None,
        }
        Some(kinds)
    }

    /// Text comes last: it matches any text, so a later part would never be read.
    fn into_shape(self) -> Shape {
        let mut parts = Vec::new();
        if self.scalars != Scalars::default() {
            parts.push(Shape::Scalar(self.scalars));
        }
        parts.extend(self.object.map(Shape::Object));
        parts.extend(self.array.map(|items| Shape::Array(Box::new(items))));
        if self.text {
            parts.push(Shape::Text);
        }
        match parts.len() {
            0 => Shape::Any,
            1 => parts.remove(0),
            _ => Shape::OneOf(parts),
        }
    }
}

fn union_of_fields(a: Fields, b: Fields) -> Fields {
    Fields {
        properties: merged(a.properties, b.properties, union),
        others: either(a.others, b.others, |a, b| Box::new(union(*a, *b))),
    }
}

fn meet_of_fields(a: Fields, b: Fields) -> Fields {
    Fields {
        properties: merged(a.properties, b.properties, meet),
        others: a.others.zip(b.others).map(|(a, b)| Box::new(meet(*a, *b))),
    }
}

/// The properties of both in order; properties with the same name are joined.
fn merged(
    mut a: Vec<(String, Shape)>,
    b: Vec<(String, Shape)>,
    join: fn(Shape, Shape) -> Shape,
) -> Vec<(String, Shape)> {
    for (name, shape) in b {
        match a.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = join(std::mem::replace(known, Shape::Any), shape),
            None => a.push((name, shape)),
        }
    }
    a
}

fn either<T>(a: Option<T>, b: Option<T>, join: fn(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(join(a, b)),
        (one, other) => one.or(other),
    }
}
