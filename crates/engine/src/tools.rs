//! The tools a program is compiled for: names, and the shapes of their arguments.

use alloc::string::String;
use alloc::vec::Vec;

use toolglot_json::internal::scalar_of;
use toolglot_json::{Fields, Scalars, Shape};

/// One tool, as far as reading needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Fields,
}

/// The tools of a conversation. An empty set knows no name, and accepts any name after a marker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolSet {
    tools: Vec<Tool>,
}

impl ToolSet {
    /// The set of these tools; of two with one name the later is dropped.
    pub fn new(tools: impl IntoIterator<Item = Tool>) -> ToolSet {
        let mut set = ToolSet::default();
        for tool in tools {
            if set.get(&tool.name).is_none() {
                set.tools.push(tool);
            }
        }
        set
    }

    /// The tool of that name. Linear in the number of tools; the compiler makes its own index.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// The tools, in order.
    pub fn iter(&self) -> core::slice::Iter<'_, Tool> {
        self.tools.iter()
    }

    /// Whether the set has no tool.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The shape of `tool`'s parameter `key`, if declared.
    pub fn shape(&self, tool: &str, key: &str) -> Option<&Shape> {
        self.get(tool)?.parameters.get(key)
    }
}

impl<'a> IntoIterator for &'a ToolSet {
    type Item = &'a Tool;
    type IntoIter = core::slice::Iter<'a, Tool>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The shape of the items of an array, or of an array that may be `null`; `in_union`: also of one beside other types.
pub(crate) fn item_of(shape: &Shape, in_union: bool) -> Option<&Shape> {
    let null = Scalars {
        null: true,
        ..Scalars::default()
    };
    let is_other = |part: &Shape| !matches!(part, Shape::Array(_)) && *part != Shape::Scalar(null);
    match (shape, shape.of_container(false)) {
        (Shape::OneOf(parts), _) if !in_union && parts.iter().any(is_other) => None,
        (_, Shape::Array(item)) => Some(item),
        _ => None,
    }
}

/// What a shape takes, as far as it decides which forms of a value are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// Anything else, so that all forms are read.
    Other,
    /// Only texts or numbers.
    Scalar,
    /// Only objects, or numbers and flags beside them.
    Object,
}

impl ValueKind {
    pub(crate) fn of(shape: &Shape) -> ValueKind {
        match shape {
            _ if takes_one_value(shape) => ValueKind::Scalar,
            _ if takes_object(shape) => ValueKind::Object,
            _ => ValueKind::Other,
        }
    }
}

fn takes_object(shape: &Shape) -> bool {
    let is_other = |part: &Shape| !matches!(part, Shape::Object(_) | Shape::Scalar(_));
    matches!(shape.of_container(true), Shape::Object(_))
        && !matches!(shape, Shape::OneOf(parts) if parts.iter().any(is_other))
}

/// Whether values of this shape are texts or numbers: neither lists and objects nor flags.
fn takes_one_value(shape: &Shape) -> bool {
    match shape {
        Shape::Text => true,
        Shape::Scalar(scalars) => !scalars.boolean,
        Shape::OneOf(parts) => parts.iter().all(takes_one_value),
        _ => false,
    }
}

/// The values of a parameter that a text without a value means. A key alone is an empty list where the shape is a list
/// and not a flag, otherwise `true`; an empty form is an empty text where it is a text and not a list, otherwise `[]`.
pub(crate) fn unwritten_values(shape: Option<&Shape>) -> (&'static str, &'static str) {
    let is_list = shape.is_some_and(|shape| item_of(shape, true).is_some());
    let is_flag = shape.is_some_and(|shape| scalar_of("true", shape).is_some());
    let is_text = shape.is_some_and(|shape| match shape {
        Shape::OneOf(parts) => parts.contains(&Shape::Text),
        one => *one == Shape::Text,
    });
    let missing = if is_list && !is_flag { "[]" } else { "true" };
    let empty = if is_text && !is_list { "\"\"" } else { "[]" };
    (missing, empty)
}
