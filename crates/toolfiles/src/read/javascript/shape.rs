//! What the code of a JavaScript file looks like: the default export and what it returns.

use tree_sitter::Node;

use super::super::code::{Entry, Gives, Return};
use super::super::shape::Syntax;
use super::super::tree::children;
use super::{Module, string};

pub(super) const SYNTAX: Syntax = Syntax {
    string: "string",
    decode: string::decode,
    catch: "catch_clause",
    member: ("member_expression", "property"),
    compares: &["relative", "startsWith"],
    call: "call_expression",
    opens: |function| {
        [
            "resolve",
            "join",
            "readFile",
            "readFileSync",
            "writeFile",
            "writeFileSync",
        ]
        .iter()
        .any(|name| function.ends_with(name))
    },
    parameters: "params.",
    leaves: &[
        "throw_statement",
        "while_statement",
        "do_statement",
        "for_statement",
    ],
    inner: &[
        "function_declaration",
        "function_expression",
        "arrow_function",
        "method_definition",
        "class_declaration",
    ],
    literals: &[
        ("null", "nothing"),
        ("undefined", "nothing"),
        ("true", "a boolean"),
        ("false", "a boolean"),
        ("number", "a number"),
        ("string", "a string"),
        ("template_string", "a string"),
        ("array", "an array"),
    ],
    no_booleans: &[
        "null",
        "number",
        "string",
        "object",
        "array",
        "template_string",
    ],
};

impl Module<'_, '_> {
    pub(super) fn finish(&mut self) {
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
    }

    fn function(&self, function: Node<'_>) -> Entry {
        let body = function.child_by_field_name("body");
        let one = |span, gives| vec![Return { span, gives }];
        let returns = match body {
            Some(body) if body.kind() == "statement_block" => {
                SYNTAX.returns(body, |value| self.gives(value))
            }
            Some(expression) => one(expression.byte_range(), self.gives(Some(expression))),
            None => one(function.byte_range(), Gives::Unknown),
        };
        let end = body.map_or(function.end_byte(), |body| body.start_byte());
        Entry {
            span: function.start_byte()..end,
            returns,
            takes_two: true,
            may_leave: body.is_some_and(|body| SYNTAX.may_leave(body, self.source)),
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
        if value.kind() != "object" {
            return SYNTAX.other(value.kind());
        }
        SYNTAX.map(children(value).into_iter().map(|entry| match entry.kind() {
            "pair" => {
                let key = self.text(entry.child_by_field_name("key")?);
                let kind = entry.child_by_field_name("value")?.kind();
                Some((key.trim_matches(['"', '\'']).to_owned(), kind))
            }
            "shorthand_property_identifier" => Some((self.text(entry).to_owned(), "identifier")),
            _ => None,
        }))
    }
}
