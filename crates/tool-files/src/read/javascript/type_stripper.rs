//! Removes the types of TypeScript: blanks replace them, so every line and column stays where it is.
//!
//! It refuses syntax that is more than types: enums, namespaces, parameter properties, decorators. Node's own type
//! stripping refuses the same.

use std::ops::{ControlFlow, Range};

use tree_sitter::Node;

use super::super::tree::{self, text, walk};

/// The JavaScript in a TypeScript file.
///
/// # Errors
/// The first syntax that cannot be removed, and its place.
pub fn javascript_of(source: &str) -> Result<String, String> {
    let grammar = tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into();
    let tree = tree::parse(&grammar, source).ok_or("the grammar does not fit its library")?;
    if tree.root_node().has_error() {
        return Err("it is not TypeScript".to_owned());
    }
    let blanks = blanks(tree.root_node(), source).map_err(|(node, what)| {
        let line = node.start_position().row + 1;
        format!(
            "line {line} holds {what}, which is more than a type and cannot be left out: write it as JavaScript"
        )
    })?;
    let mut bytes = source.as_bytes().to_vec();
    for range in blanks {
        for byte in &mut bytes[range] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(bytes).map_err(|_| "a type ends inside a character".to_owned())
}

/// The bytes to remove from TypeScript, or the first node that cannot be removed, with its description.
pub(super) fn blanks<'n>(
    root: Node<'n>,
    source: &str,
) -> Result<Vec<Range<usize>>, (Node<'n>, &'static str)> {
    let mut blanks: Vec<Range<usize>> = Vec::new();
    let mut refused = None;
    walk(root, |node| {
        if refused.is_some() {
            return ControlFlow::Break(());
        }
        match node.kind() {
            "type_annotation"
            | "asserts_annotation"
            | "type_predicate_annotation"
            | "type_parameters"
            | "type_arguments"
            | "interface_declaration"
            | "type_alias_declaration"
            | "ambient_declaration"
            | "accessibility_modifier"
            | "override_modifier"
            | "implements_clause"
            | "abstract_method_signature"
            | "function_signature"
            | "method_signature"
            | "index_signature" => {
                blanks.push(node.byte_range());
                return ControlFlow::Break(());
            }
            "as_expression" | "satisfies_expression" => {
                if let Some(inner) = node.named_child(0) {
                    blanks.push(inner.end_byte()..node.end_byte());
                }
            }
            "non_null_expression" => blanks.push(node.end_byte() - 1..node.end_byte()),
            // A field that is only declared creates no property.
            "public_field_definition" if token(node, &["declare", "abstract"]).is_some() => {
                blanks.push(node.byte_range());
                return ControlFlow::Break(());
            }
            "public_field_definition" if token(node, &["accessor"]).is_some() => {
                refused = Some((node, "an accessor field"));
            }
            "optional_parameter"
            | "public_field_definition"
            | "method_definition"
            | "variable_declarator" => {
                let tokens = children_of(node).into_iter().filter(|child| {
                    !child.is_named()
                        && ["?", "!", "readonly", "declare", "abstract"].contains(&child.kind())
                });
                blanks.extend(tokens.map(|child| child.byte_range()));
            }
            "import_require_clause" => refused = Some((node, "an import by `= require(..)`")),
            "required_parameter" => {
                if token(node, &["readonly"]).is_some()
                    || children_of(node)
                        .iter()
                        .any(|child| child.kind() == "accessibility_modifier")
                {
                    refused = Some((node, "a parameter that is a property too"));
                }
                // A parameter `this` is only a type.
                let name = node.named_child(0);
                if name.is_some_and(|name| name.kind() == "this") {
                    blanks.push(with_comma(node, source));
                    return ControlFlow::Break(());
                }
            }
            "export_statement" if token(node, &["="]).is_some() => {
                refused = Some((node, "an export by `export =`"));
            }
            "export_statement" if token(node, &["namespace"]).is_some() => {
                refused = Some((node, "an export as a namespace"));
            }
            "import_statement" | "export_statement" | "import_specifier" | "export_specifier" => {
                if token(node, &["type"]).is_some() {
                    if node.kind().ends_with("statement") {
                        blanks.push(node.byte_range());
                    } else {
                        blanks.push(with_comma(node, source));
                    }
                    return ControlFlow::Break(());
                }
                if node.kind() == "export_statement"
                    && node
                        .child_by_field_name("declaration")
                        .is_some_and(|declaration| {
                            matches!(
                                declaration.kind(),
                                "interface_declaration"
                                    | "type_alias_declaration"
                                    | "ambient_declaration"
                                    | "function_signature"
                            )
                        })
                {
                    blanks.push(node.byte_range());
                    return ControlFlow::Break(());
                }
            }
            "abstract_class_declaration" => {
                if let Some(word) = token(node, &["abstract"]) {
                    blanks.push(word.byte_range());
                }
            }
            "enum_declaration" => refused = Some((node, "an enum")),
            "internal_module" | "module" => refused = Some((node, "a namespace")),
            "decorator" => refused = Some((node, "a decorator")),
            "type_assertion" => refused = Some((node, "a type in angle brackets before a value")),
            "import_alias" => refused = Some((node, "an import alias")),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    refused.map_or(Ok(blanks), Err)
}

fn children_of(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

fn token<'n>(node: Node<'n>, kinds: &[&str]) -> Option<Node<'n>> {
    children_of(node)
        .into_iter()
        .find(|child| !child.is_named() && kinds.contains(&child.kind()))
}

/// The bytes of a specifier and of the comma after it.
fn with_comma(node: Node<'_>, source: &str) -> Range<usize> {
    match node.next_sibling() {
        Some(next) if text(next, source) == "," => node.start_byte()..next.end_byte(),
        _ => node.byte_range(),
    }
}

#[cfg(test)]
mod tests {
    use super::javascript_of;

    #[test]
    fn types_become_blanks() {
        for (typescript, javascript) in [
            ("const a: string = `x`;", "const a         = `x`;"),
            (
                "function f<T>(a?: T, b: T[] = []): T | null { return a!; }",
                "function f   (a    , b      = [])           { return a ; }",
            ),
            (
                "interface A { b: string }\nx;",
                "                         \nx;",
            ),
            (
                "export type A = { b: string };\nx;",
                "                              \nx;",
            ),
            (
                "import type { A } from 'a';\nimport { type B, c } from 'd';",
                "                           \nimport {         c } from 'd';",
            ),
            ("const a = b as const;", "const a = b         ;"),
            (
                "const a = { b } satisfies Record<string, é>;",
                "const a = { b }                             ;",
            ),
            (
                "class A<T> { private b?: string; readonly c = 1; }",
                "class A    {         b         ;          c = 1; }",
            ),
            (
                "function f(this: A, b: B) {}",
                "function f(         b   ) {}",
            ),
            ("f<string>(a);", "f        (a);"),
            ("let a!: number;", "let a         ;"),
            (
                "abstract class A { abstract readonly a: B; protected abstract readonly b; declare readonly c: D; e = 1 }",
                "         class A {                       ;                              ;                      ; e = 1 }",
            ),
        ] {
            assert_eq!(
                javascript_of(typescript).as_deref(),
                Ok(javascript),
                "{typescript}"
            );
        }
        for refused in [
            "enum A { B }",
            "namespace A { export const b = 1 }",
            "class A { constructor(private b: string) {} }",
            "const z = 1; export = z;",
            "import fs = require('fs');",
            "export as namespace Foo;",
            "class A { accessor x = 1 }",
            "a b c",
        ] {
            assert!(javascript_of(refused).is_err(), "{refused}");
        }
    }
}
