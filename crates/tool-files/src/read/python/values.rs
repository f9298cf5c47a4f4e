//! Literals of Python, and the constants of a file that name a literal.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use tree_sitter::Node;

use super::super::literals::{LiteralContext, Literals, put};
use super::super::tree::{children, text, walk};
use super::{MUTATORS, Module, rooted, string, targets};
use crate::literal::{Content, Literal, Member, has_stray_separator, integer, number};
use crate::rule;

/// Keys of a schema whose values map names to schemas.
const MAPS_OF_SCHEMAS: &[&str] = &[
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
];
/// Keys of a schema that validate nothing.
const ANNOTATIONS: &[&str] = &["description", "title", "examples", "$comment"];

impl<'t> Module<'t> {
    fn dictionary(&mut self, node: Node<'t>, variable: &str, depth: usize) -> Literal {
        let mut members: Vec<Member> = Vec::new();
        let holds_names = std::mem::take(&mut self.holds_names);
        for entry in children(node) {
            if entry.kind() == "dictionary_splat" {
                let spread = children(entry)
                    .first()
                    .map(|inner| self.value(*inner, variable, depth + 1));
                if let Some(Content::Map(more)) = spread.map(|literal| literal.content) {
                    for member in more {
                        put(&mut members, member);
                    }
                }
                continue;
            }
            let (Some(key), Some(value)) = (
                entry.child_by_field_name("key"),
                entry.child_by_field_name("value"),
            ) else {
                continue;
            };
            let name = match self.value(key, variable, depth + 1).content {
                Content::Text(text) => text,
                Content::Computed => continue,
                _ => {
                    self.context.diagnostics.help(
                        rule::COMPUTED,
                        key.byte_range(),
                        format!(
                            "a key of `{variable}` is not a string, and JSON has no other keys"
                        ),
                        "write it in quotes".to_owned(),
                    );
                    continue;
                }
            };
            self.holds_names = !holds_names && MAPS_OF_SCHEMAS.contains(&name.as_str());
            let n_before = self.context.diagnostics.len();
            let value = self.value(value, variable, depth + 1);
            if value.is_computed() && !holds_names && ANNOTATIONS.contains(&name.as_str()) {
                // The annotation is for people and validates nothing.
                self.context.diagnostics.soften(n_before);
                continue;
            }
            put(
                &mut members,
                Member {
                    key: name,
                    key_span: key.byte_range(),
                    value,
                },
            );
        }
        Literal::new(node.byte_range(), Content::Map(members))
    }

    /// The value of the constant that a name refers to.
    fn constant(&mut self, name: Node<'_>) -> Option<Node<'t>> {
        let (root, source) = (self.root, self.context.source);
        let constants = self
            .constants
            .get_or_insert_with(|| constants(root, source));
        let value = constants.get(text(name, source)).copied();
        value.filter(|value| value.end_byte() <= name.start_byte())
    }
}

impl<'t> Literals<'t, 't> for Module<'t> {
    const BINARY: &'static str = "binary_operator";
    const SPREAD: &'static str = "list_splat";
    const LIST: &'static str = "a list";
    const JOINS_LISTS: bool = true;
    const TOO_MANY: &'static str = "the literals of this file have too many values";

    fn context(&mut self) -> &mut LiteralContext<'t> {
        &mut self.context
    }

    fn literal(&mut self, node: Node<'t>, variable: &str, depth: usize) -> Literal {
        let span = node.byte_range();
        let content = match node.kind() {
            "true" => Content::Bool(true),
            "false" => Content::Bool(false),
            "none" => Content::Null,
            "integer" | "float" => match python_number(text(node, self.context.source)) {
                Some(number) => Content::Number(number),
                None => {
                    return self.computed(node, variable, "JSON cannot carry this number");
                }
            },
            "string" => {
                if children(node)
                    .iter()
                    .any(|child| child.kind() == "interpolation")
                {
                    return self.computed(node, variable, "an f-string with `{..}` is computed");
                }
                match string::decode(text(node, self.context.source)) {
                    Ok(text) => Content::Text(text),
                    Err(why) => return self.computed(node, variable, why),
                }
            }
            "concatenated_string" => {
                let mut joined = String::new();
                for part in children(node) {
                    match self.value(part, variable, depth + 1).content {
                        Content::Text(text) => joined.push_str(&text),
                        _ => return Literal::computed(span),
                    }
                }
                Content::Text(joined)
            }
            "parenthesized_expression" => {
                return match children(node).first() {
                    Some(inner) => self.value(*inner, variable, depth + 1),
                    None => self.computed(node, variable, "the brackets are empty"),
                };
            }
            "unary_operator" => return self.unary(node, variable, depth),
            "binary_operator" => return self.concatenation(node, variable, depth),
            "list" | "tuple" | "expression_list" | "set" => {
                return self.items(node, variable, depth);
            }
            "dictionary" => return self.dictionary(node, variable, depth),
            "identifier" => {
                return match self.constant(node) {
                    Some(value) => self.value(value, variable, depth + 1),
                    None => self.computed(node, variable, "a name is looked up when the file runs"),
                };
            }
            _ => return self.computed(node, variable, "this is computed when the file runs"),
        };
        Literal::new(span, content)
    }
}

/// The values of `NAME = ..` at the top of a file, for names that nothing else in the file binds or changes.
fn constants<'t, 's>(root: Node<'t>, source: &'s str) -> BTreeMap<&'s str, Node<'t>> {
    let mut constants = BTreeMap::new();
    for statement in children(root) {
        for assignment in children(statement) {
            let left = assignment.child_by_field_name("left");
            let right = assignment.child_by_field_name("right");
            if assignment.kind() == "assignment"
                && let (Some(left), Some(right)) = (left, right)
                && left.kind() == "identifier"
                && right.kind() != "assignment"
            {
                constants.insert(text(left, source), right);
            }
        }
    }
    let mut n_bound: BTreeMap<&str, usize> = BTreeMap::new();
    walk(root, |node| {
        let bound: Vec<Node<'_>> = match node.kind() {
            "assignment" | "augmented_assignment" => node
                .child_by_field_name("left")
                .into_iter()
                .flat_map(targets)
                .collect(),
            "call" => {
                let function = node.child_by_field_name("function");
                let method =
                    function.and_then(|function| function.child_by_field_name("attribute"));
                let changes = method.is_some_and(|method| MUTATORS.contains(&text(method, source)));
                function.filter(|_| changes).into_iter().collect()
            }
            "for_statement" | "for_in_clause" => node
                .child_by_field_name("left")
                .into_iter()
                .flat_map(targets)
                .collect(),
            "named_expression" | "function_definition" | "class_definition" => {
                node.child_by_field_name("name").into_iter().collect()
            }
            "aliased_import" => node.child_by_field_name("alias").into_iter().collect(),
            "import_statement"
            | "import_from_statement"
            | "global_statement"
            | "delete_statement"
            | "as_pattern_target" => children(node).into_iter().flat_map(targets).collect(),
            _ => Vec::new(),
        };
        for name in bound.into_iter().filter_map(rooted) {
            let weight = if matches!(node.kind(), "assignment") {
                1
            } else {
                2
            };
            *n_bound.entry(text(name, source)).or_default() += weight;
        }
        ControlFlow::Continue(())
    });
    constants.retain(|name, _| n_bound.get(name).is_none_or(|n| *n == 1));
    constants
}

fn python_number(text: &str) -> Option<toolglot_value::Number> {
    let lower = text.to_ascii_lowercase();
    // A `_` may also come right after `0x`.
    let digits = lower
        .strip_prefix("0x")
        .or_else(|| lower.strip_prefix("0o"));
    let digits = digits.or_else(|| lower.strip_prefix("0b"));
    let digits = digits.map_or(lower.as_str(), |digits| {
        digits.strip_prefix('_').unwrap_or(digits)
    });
    if has_stray_separator(digits, lower.starts_with("0x")) {
        return None;
    }
    let is_octal =
        lower.starts_with('0') && lower.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    if is_octal
        && lower
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'_')
    {
        // Python 3 has no such numbers.
        return None;
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = lower.strip_prefix(prefix) {
            return integer(digits, radix);
        }
    }
    if lower
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'_')
    {
        return integer(&lower, 10);
    }
    let plain: String = lower.chars().filter(|c| *c != '_').collect();
    number(plain.parse().ok()?, false)
}
