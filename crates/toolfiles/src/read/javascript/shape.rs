//! What the code of a JavaScript file looks like: the default export, what it returns, and facts that may stand anywhere.

use std::ops::ControlFlow;

use tree_sitter::Node;

use super::super::code::{Entry, Gives, Return, Success, is_absolute};
use super::super::tree::{children, text, walk};
use super::{Module, string};

impl<'t> Module<'_, 't> {
    pub(super) fn finish(&mut self, root: Node<'t>) {
        let named = self
            .functions
            .get("execute")
            .or_else(|| self.functions.get("main"))
            .copied();
        let mut entry = self.entry.or(named);
        if let Some(node) = entry
            && matches!(node.kind(), "identifier" | "shorthand_property_identifier")
        {
            entry = self.functions.get(self.text(node)).copied().or(entry);
        }
        self.reading.code.entry = entry.map(|entry| self.function(entry));
        let source = self.source;
        let code = &mut self.reading.code;
        walk(root, |node| {
            match node.kind() {
                "string" => {
                    if let Ok(text) = string::decode(text(node, source))
                        && is_absolute(&text)
                    {
                        code.absolute_paths.push(node.byte_range());
                    }
                    return ControlFlow::Break(());
                }
                "catch_clause" => code.catches = true,
                "member_expression" => {
                    code.checks_paths |= node.child_by_field_name("property").is_some_and(|name| {
                        matches!(text(name, source), "relative" | "startsWith")
                    });
                }
                "call_expression" => {
                    let function = node
                        .child_by_field_name("function")
                        .map_or("", |function| text(function, source));
                    let arguments = node
                        .child_by_field_name("arguments")
                        .map_or("", |arguments| text(arguments, source));
                    let opens = function.ends_with("resolve")
                        || function.ends_with("join")
                        || function.ends_with("readFile")
                        || function.ends_with("readFileSync")
                        || function.ends_with("writeFile")
                        || function.ends_with("writeFileSync");
                    if opens && arguments.contains("params.") && code.uses_paths.is_none() {
                        code.uses_paths = Some(node.byte_range());
                    }
                }
                _ => {}
            }
            ControlFlow::Continue(())
        });
    }

    fn function(&self, function: Node<'_>) -> Entry {
        let body = function.child_by_field_name("body");
        let mut returns = Vec::new();
        match body {
            Some(body) if body.kind() == "statement_block" => walk(body, |node| {
                match node.kind() {
                    "function_declaration"
                    | "function_expression"
                    | "arrow_function"
                    | "method_definition"
                    | "class_declaration" => return ControlFlow::Break(()),
                    "return_statement" => returns.push(Return {
                        span: node.byte_range(),
                        gives: self.gives(children(node).first().copied()),
                    }),
                    _ => {}
                }
                ControlFlow::Continue(())
            }),
            Some(expression) => returns.push(Return {
                span: expression.byte_range(),
                gives: self.gives(Some(expression)),
            }),
            None => returns.push(Return {
                span: function.byte_range(),
                gives: Gives::Unknown,
            }),
        }
        let end = body.map_or(function.end_byte(), |body| body.start_byte());
        Entry {
            span: function.start_byte()..end,
            returns,
            n_parameters: None,
        }
    }

    fn gives(&self, value: Option<Node<'_>>) -> Gives {
        let Some(mut value) = value else {
            return Gives::Other("nothing");
        };
        while value.kind() == "parenthesized_expression" {
            match children(value).first() {
                Some(inner) => value = *inner,
                None => break,
            }
        }
        match value.kind() {
            "object" => {
                let (mut keys, mut open, mut success) = (Vec::new(), false, Success::Missing);
                for entry in children(value) {
                    match entry.kind() {
                        "pair" => {
                            let key = entry.child_by_field_name("key");
                            let key = key.map_or("", |key| self.text(key));
                            let key = key.trim_matches(['"', '\'']);
                            if key == "success" {
                                let kind = entry
                                    .child_by_field_name("value")
                                    .map_or("", |value| value.kind());
                                success = match kind {
                                    "true" => Success::True,
                                    "false" => Success::False,
                                    "null" | "number" | "string" | "object" | "array"
                                    | "template_string" => Success::NoBoolean,
                                    _ => Success::Computed,
                                };
                            }
                            keys.push(key.to_owned());
                        }
                        "shorthand_property_identifier" => {
                            let key = self.text(entry);
                            if key == "success" {
                                success = Success::Computed;
                            }
                            keys.push(key.to_owned());
                        }
                        _ => open = true,
                    }
                }
                Gives::Map {
                    keys,
                    open,
                    success,
                }
            }
            "null" | "undefined" => Gives::Other("nothing"),
            "true" | "false" => Gives::Other("a boolean"),
            "number" => Gives::Other("a number"),
            "string" | "template_string" => Gives::Other("a string"),
            "array" => Gives::Other("an array"),
            _ => Gives::Unknown,
        }
    }
}
