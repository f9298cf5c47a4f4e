//! What the code of a Python file looks like: `execute` and what it returns.

use tree_sitter::Node;

use super::super::code::{Entry, Gives};
use super::super::shape::Syntax;
use super::super::tree::{children, text};
use super::{Module, string};

pub(super) const SYNTAX: Syntax = Syntax {
    string: "string",
    decode: string::decode,
    catch: "except_clause",
    member: ("attribute", "attribute"),
    compares: &["is_relative_to", "relative_to", "commonpath"],
    call: "call",
    opens: |function| matches!(function, "Path" | "pathlib.Path" | "open" | "os.path.join"),
    parameters: "params",
    inner: &["function_definition", "class_definition", "lambda"],
    literals: &[
        ("none", "`None`"),
        ("true", "a boolean"),
        ("false", "a boolean"),
        ("integer", "a number"),
        ("float", "a number"),
        ("string", "a string"),
        ("concatenated_string", "a string"),
        ("list", "a list"),
        ("list_comprehension", "a list"),
        ("tuple", "a tuple"),
        ("expression_list", "a tuple"),
        ("set", "a set"),
        ("set_comprehension", "a set"),
    ],
    no_booleans: &[
        "none",
        "integer",
        "float",
        "string",
        "list",
        "dictionary",
        "tuple",
    ],
};

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
        let body = function.child_by_field_name("body");
        let returns = body.map(|body| SYNTAX.returns(body, |value| self.gives(value)));
        self.reading.code.entry = Some(Entry {
            span: name.start_byte()..end,
            returns: returns.unwrap_or_default(),
            n_parameters,
        });
    }

    fn gives(&self, value: Option<Node<'_>>) -> Gives {
        match value {
            None => Gives::Other("nothing"),
            Some(map) if map.kind() == "dictionary" => {
                SYNTAX.map(children(map).into_iter().map(|entry| {
                    let key = entry
                        .child_by_field_name("key")
                        .filter(|key| key.kind() == "string")?;
                    let key = string::decode(text(key, self.source)).ok()?;
                    Some((key, entry.child_by_field_name("value")?.kind()))
                }))
            }
            Some(value) => SYNTAX.other(value.kind()),
        }
    }
}
