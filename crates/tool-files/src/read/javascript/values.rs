//! Literals of JavaScript.

use tree_sitter::Node;

use super::super::literals::{LiteralContext, Literals, put};
use super::super::tree::children;
use super::{Module, string};
use crate::literal::{Content, Literal, Member, has_stray_separator, integer, number};

impl<'a, 't> Literals<'t, 'a> for Module<'a, 't> {
    const BINARY: &'static str = "binary_expression";
    const SPREAD: &'static str = "spread_element";
    const LIST: &'static str = "an array";
    const JOINS_LISTS: bool = false;
    const TOO_MANY: &'static str = "the literals of this file unfold to too much";

    fn context(&mut self) -> &mut LiteralContext<'a> {
        &mut self.context
    }

    fn literal(&mut self, node: Node<'t>, variable: &str, depth: usize) -> Literal {
        let span = node.byte_range();
        let content = match node.kind() {
            "true" => Content::Bool(true),
            "false" => Content::Bool(false),
            "null" | "undefined" => Content::Null,
            "number" => match javascript_number(self.text(node)) {
                Some(number) => Content::Number(number),
                None => {
                    return self.computed(node, variable, "JSON cannot carry this number");
                }
            },
            "string" => match string::decode(self.text(node)) {
                Ok(text) => Content::Text(text),
                Err(why) => return self.computed(node, variable, why),
            },
            "template_string" => {
                if children(node)
                    .iter()
                    .any(|child| child.kind() == "template_substitution")
                {
                    return self.computed(node, variable, "a template with `${..}` is computed");
                }
                match string::decode(self.text(node)) {
                    Ok(text) => Content::Text(text),
                    Err(why) => return self.computed(node, variable, why),
                }
            }
            "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression" => {
                return match children(node).first() {
                    Some(inner) => self.value(*inner, variable, depth + 1),
                    None => Literal::computed(span),
                };
            }
            "identifier" | "shorthand_property_identifier" => {
                let name = self.text(node);
                if self.grown.contains(name) {
                    return self.computed(node, variable, "that constant is changed by the file");
                }
                return match self.constants.get(name).copied() {
                    Some(constant) => {
                        let literal = self.value(constant, variable, depth + 1);
                        Literal::new(span, literal.content)
                    }
                    None if name == "undefined" => Literal::new(span, Content::Null),
                    None => self.computed(node, variable, "no constant of this file has that name"),
                };
            }
            "unary_expression" => return self.unary(node, variable, depth),
            "binary_expression" => return self.concatenation(node, variable, depth),
            "array" if has_holes(node) => {
                return self.computed(node, variable, "a place of the array is left empty");
            }
            "array" => return self.items(node, variable, depth),
            "object" => return self.object(node, variable, depth),
            _ => return self.computed(node, variable, "this is computed when the file runs"),
        };
        Literal::new(span, content)
    }
}

impl<'t> Module<'_, 't> {
    fn object(&mut self, node: Node<'t>, variable: &str, depth: usize) -> Literal {
        let mut members: Vec<Member> = Vec::new();
        let mut put = |member: Member| put(&mut members, member);
        for entry in children(node) {
            match entry.kind() {
                "pair" => {
                    let (Some(key), Some(value)) = (
                        entry.child_by_field_name("key"),
                        entry.child_by_field_name("value"),
                    ) else {
                        continue;
                    };
                    let Some(name) = self.key(key, variable, depth) else {
                        continue;
                    };
                    // JSON has no key without a value.
                    if self.text(value) == "undefined" {
                        continue;
                    }
                    put(Member {
                        key: name,
                        key_span: key.byte_range(),
                        value: self.value(value, variable, depth + 1),
                    });
                }
                "shorthand_property_identifier" => put(Member {
                    key: self.text(entry).to_owned(),
                    key_span: entry.byte_range(),
                    value: self.value(entry, variable, depth + 1),
                }),
                "spread_element" => {
                    let Some(inner) = children(entry).first().copied() else {
                        continue;
                    };
                    match self.value(inner, variable, depth + 1).content {
                        Content::Map(more) => more.into_iter().for_each(&mut put),
                        Content::Computed => {}
                        _ => {
                            self.computed(entry, variable, "only an object can be spread here");
                        }
                    }
                }
                _ => {
                    self.computed(entry, variable, "this is computed when the file runs");
                }
            }
        }
        Literal::new(node.byte_range(), Content::Map(members))
    }

    fn is_prototype(&self, key: Node<'t>) -> bool {
        self.text(key).trim_matches(['"', '\'']) == "__proto__"
    }

    fn key(&mut self, key: Node<'t>, variable: &str, depth: usize) -> Option<String> {
        match key.kind() {
            "string" | "property_identifier" if self.is_prototype(key) => {
                self.computed(key, variable, "`__proto__` says what an object inherits");
                None
            }
            "string" => string::decode(self.text(key)).ok(),
            // Escapes in a name are decoded.
            "property_identifier" if self.text(key).contains('\\') => {
                string::decode(&format!("\"{}\"", self.text(key))).ok()
            }
            "number" => javascript_number(self.text(key)).map(|number| number.to_string()),
            "computed_property_name" => {
                let inner = children(key).first().copied()?;
                match self.value(inner, variable, depth + 1).content {
                    Content::Text(text) => Some(text),
                    Content::Number(number) => Some(number.to_string()),
                    _ => None,
                }
            }
            _ => Some(self.text(key).to_owned()),
        }
    }
}

/// Whether an array has holes: `[1, , 2]`.
fn has_holes(array: Node<'_>) -> bool {
    let mut cursor = array.walk();
    let kinds: Vec<&str> = array
        .children(&mut cursor)
        .map(|child| child.kind())
        .filter(|kind| *kind != "comment")
        .collect();
    kinds
        .windows(2)
        .any(|pair| pair[1] == "," && matches!(pair[0], "," | "["))
}

fn javascript_number(text: &str) -> Option<toolglot_value::Number> {
    let lower = text.to_ascii_lowercase();
    if has_stray_separator(&lower, lower.starts_with("0x")) {
        return None;
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = lower.strip_prefix(prefix) {
            return integer(digits, radix);
        }
    }
    let plain: String = lower.chars().filter(|c| *c != '_').collect();
    let is_octal = plain.len() > 1 && plain.starts_with('0') && !plain.contains(['.', 'e']);
    if is_octal || plain.ends_with('n') {
        return None;
    }
    if plain.bytes().all(|byte| byte.is_ascii_digit()) {
        return integer(&plain, 10);
    }
    number(plain.parse().ok()?, true)
}
