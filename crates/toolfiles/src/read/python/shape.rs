//! What the code of a Python file looks like: `execute`, what it returns, and facts that may stand anywhere.

use std::ops::ControlFlow;

use tree_sitter::Node;

use super::super::code::{Entry, Gives, Return, Success, is_absolute};
use super::super::tree::{children, text, walk};
use super::{Module, string};

impl Module<'_> {
    pub(super) fn function(&mut self, function: Node<'_>) {
        let Some(name) = function.child_by_field_name("name") else {
            return;
        };
        if text(name, self.source) != "execute" {
            return;
        }
        let parameters = function.child_by_field_name("parameters");
        let end = parameters.map_or(name.end_byte(), |parameters| parameters.end_byte());
        let n_parameters = parameters.map(children).and_then(|parameters| {
            let is_plain = parameters.iter().all(|parameter| {
                matches!(
                    parameter.kind(),
                    "identifier"
                        | "typed_parameter"
                        | "default_parameter"
                        | "typed_default_parameter"
                ) && !text(*parameter, self.source).starts_with('*')
            });
            is_plain.then_some(parameters.len())
        });
        let mut returns = Vec::new();
        if let Some(body) = function.child_by_field_name("body") {
            walk(body, |node| {
                match node.kind() {
                    "function_definition" | "class_definition" | "lambda" => {
                        return ControlFlow::Break(());
                    }
                    "return_statement" => returns.push(self.returned(node)),
                    _ => {}
                }
                ControlFlow::Continue(())
            });
        }
        self.reading.code.entry = Some(Entry {
            span: name.start_byte()..end,
            returns,
            n_parameters,
        });
    }

    fn returned(&self, statement: Node<'_>) -> Return {
        let span = statement.byte_range();
        let values = children(statement);
        let gives = match values.first() {
            None => Gives::Other("nothing"),
            Some(value) => match value.kind() {
                "dictionary" => self.returned_map(*value),
                "none" => Gives::Other("`None`"),
                "true" | "false" => Gives::Other("a boolean"),
                "integer" | "float" => Gives::Other("a number"),
                "string" | "concatenated_string" => Gives::Other("a string"),
                "list" | "list_comprehension" => Gives::Other("a list"),
                "tuple" | "expression_list" => Gives::Other("a tuple"),
                "set" | "set_comprehension" => Gives::Other("a set"),
                _ => Gives::Unknown,
            },
        };
        Return { span, gives }
    }

    fn returned_map(&self, map: Node<'_>) -> Gives {
        let (mut keys, mut open, mut success) = (Vec::new(), false, Success::Missing);
        for entry in children(map) {
            let (Some(key), Some(value)) = (
                entry.child_by_field_name("key"),
                entry.child_by_field_name("value"),
            ) else {
                open = true;
                continue;
            };
            if key.kind() != "string" {
                open = true;
                continue;
            }
            let Ok(key) = string::decode(text(key, self.source)) else {
                open = true;
                continue;
            };
            if key == "success" {
                success = match value.kind() {
                    "true" => Success::True,
                    "false" => Success::False,
                    "none" | "integer" | "float" | "string" | "list" | "dictionary" | "tuple" => {
                        Success::NoBoolean
                    }
                    _ => Success::Computed,
                };
            }
            keys.push(key);
        }
        Gives::Map {
            keys,
            open,
            success,
        }
    }

    /// Facts that may stand anywhere in the file.
    pub(super) fn code(&mut self, root: Node<'_>) {
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
                "except_clause" => code.catches = true,
                "attribute" => {
                    let name = node
                        .child_by_field_name("attribute")
                        .map_or("", |name| text(name, source));
                    code.checks_paths |=
                        matches!(name, "is_relative_to" | "relative_to" | "commonpath");
                }
                "call" => {
                    let function = node
                        .child_by_field_name("function")
                        .map_or("", |function| text(function, source));
                    let arguments = node
                        .child_by_field_name("arguments")
                        .map_or("", |arguments| text(arguments, source));
                    let opens =
                        matches!(function, "Path" | "pathlib.Path" | "open" | "os.path.join");
                    if opens && arguments.contains("params") && code.uses_paths.is_none() {
                        code.uses_paths = Some(node.byte_range());
                    }
                }
                _ => {}
            }
            ControlFlow::Continue(())
        });
    }
}
