//! The shape of a JavaScript file's code: the default export and what it returns.

use tree_sitter::Node;

use super::super::code::{Entry, Gives, Return, WorksOn};
use super::super::flow::{Flow, Opens, names};
use super::super::return_paths::Ends;
use super::super::shape::Syntax;
use super::super::tree::children;
use super::{Module, string};

pub(super) const SYNTAX: Syntax = Syntax {
    string: "string",
    decode: string::decode,
    flow: Flow {
        binds: &[
            ("variable_declarator", "name", "value"),
            ("assignment_expression", "left", "right"),
            ("for_in_statement", "left", "right"),
        ],
        member: ("member_expression", "object", "property"),
        call: "call_expression",
        inner: &[
            "function_declaration",
            "function_expression",
            "arrow_function",
            "method_definition",
        ],
        opens,
        methods: &[],
        passes: &["String"],
        clean: &["basename", "extname", "length"],
        compares: &["relative", "startsWith"],
    },
    imports: &["import_statement"],
    works_on,
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

/// Which arguments of a function are paths.
fn opens(function: &str) -> Opens {
    const FILES: &[&str] = &[
        "",
        "fs",
        "fsp",
        "fse",
        "promises",
        "fsPromises",
        "Deno",
        "Bun",
    ];
    let (of, name) = function.rsplit_once('.').unwrap_or(("", function));
    let of = of.rsplit('.').next().unwrap_or(of);
    let name = name.strip_suffix("Sync").unwrap_or(name);
    match name {
        "join" | "resolve" if matches!(of, "" | "path" | "posix" | "nodePath") => Opens::Joins,
        "readFile" | "writeFile" | "appendFile" | "createReadStream" | "createWriteStream"
        | "readTextFile" | "writeTextFile" | "mkdtemp" => Opens::One,
        "open" | "unlink" | "rm" | "rmdir" | "mkdir" | "readdir" | "opendir" | "truncate"
        | "chmod" | "file"
            if FILES.contains(&of) && (name != "file" || of == "Bun") =>
        {
            Opens::One
        }
        "copyFile" | "cp" | "rename" | "link" | "symlink" if FILES.contains(&of) => Opens::Two,
        _ => Opens::Nothing,
    }
}

/// The resource that a module or a function works on.
fn works_on(name: &str) -> Option<WorksOn> {
    match name.strip_prefix("node:").unwrap_or(name) {
        "http" | "https" | "http2" | "net" | "tls" | "dgram" | "axios" | "node-fetch"
        | "undici" | "got" | "ky" | "superagent" | "ws" | "fetch()" | "globalThis.fetch()" => {
            Some(WorksOn::Network)
        }
        "child_process" | "execa" | "zx" => Some(WorksOn::Programs),
        _ => None,
    }
}

impl Module<'_, '_> {
    pub(super) fn finish(&mut self) {
        // A function of one of these names is meant to be called.
        let meant = ["execute", "main"];
        self.reading.code.starts |= meant.iter().any(|name| self.functions.contains_key(name));
        let named = self
            .functions
            .get("execute")
            .or_else(|| self.functions.get("main"))
            .copied()
            .filter(|_| !self.exports_by_statement);
        let mut entry = self.entry.or(named);
        if let Some(node) = entry
            && matches!(node.kind(), "identifier" | "shorthand_property_identifier")
        {
            entry = self.functions.get(self.text(node)).copied().or(entry);
        }
        let entry = entry.map(|entry| self.function(entry));
        self.reading.code.entry = entry;
    }

    fn function(&mut self, function: Node<'_>) -> Entry {
        let first = function
            .child_by_field_name("parameter")
            .or_else(|| function.child_by_field_name("parameters")?.named_child(0));
        if let Some(first) = first {
            let names = names(first, self.context.source);
            self.reading.code.given = names.into_iter().map(str::to_owned).collect();
        }
        let body = function.child_by_field_name("body");
        let ends = Ends::of(&SYNTAX, function, self.context.source, |value| {
            self.gives(value)
        });
        let mut returns = Vec::new();
        let mut falls = None;
        match body {
            Some(body) if body.kind() == "statement_block" => {
                returns = ends.returns(body);
                falls = ends.falls(body);
            }
            Some(body) => ends.value(body, &body.byte_range(), 0, &mut returns),
            None => returns.push(Return {
                span: function.byte_range(),
                gives: Gives::Unknown,
            }),
        }
        // Other ends matter only for a function that returns nothing.
        let leaves = |body| returns.is_empty() && SYNTAX.may_leave(body, self.context.source);
        let may_leave = body.is_some_and(leaves);
        let end = body.map_or(function.end_byte(), |body| body.start_byte());
        Entry {
            span: function.start_byte()..end,
            returns,
            takes_two: true,
            may_leave,
            falls,
        }
    }

    fn gives(&self, value: Node<'_>) -> Gives {
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
