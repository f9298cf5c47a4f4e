//! Python: assignments of literals at the top of the module, and the shape of `execute`.

mod shape;
mod string;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use tree_sitter::{Node, Tree};

use super::literals::{LiteralContext, Literals};
use super::reading::{Field, ReadScope, Reading};
use super::tree::{self, children, text, walk};
use crate::diagnostic::Diagnostics;
use crate::fields;
use crate::rule;

/// The function that the runtime calls.
const ENTRY: &str = "execute";

pub(super) fn read(scope: ReadScope, source: &str, diagnostics: &mut Diagnostics) -> Reading {
    let mut reading = Reading::default();
    let Some(tree) = parsed(source, diagnostics) else {
        return reading;
    };
    let mut module = Module::new(tree.root_node(), source, diagnostics, &mut reading);
    for statement in children(tree.root_node()) {
        if is_indented(statement, source) {
            module.context.diagnostics.help(
                rule::SYNTAX,
                statement.start_byte()..statement.start_byte(),
                "this line is indented, and nothing before it starts a block".to_owned(),
                "start it at the first column".to_owned(),
            );
        }
        module.statement(statement);
    }
    if !reading.code.is_async {
        reading.code.forgets_to_wait = None;
    }
    reading.code.only_defines = children(tree.root_node())
        .into_iter()
        .all(|statement| only_defines(statement, source));
    match scope {
        ReadScope::ToRun => reading.imports = imports(tree.root_node(), source),
        ReadScope::All => shape::SYNTAX.facts(tree.root_node(), source, &mut reading.code),
    }
    reading
}

/// Whether a statement of the module is indented: the grammar accepts that, and Python does not.
fn is_indented(statement: Node<'_>, source: &str) -> bool {
    let before = &source[..statement.start_byte()];
    let line = before.rfind('\n').map_or(0, |newline| newline + 1);
    let blanks = &before[line..];
    let joined = before[..line]
        .trim_end_matches(['\n', '\r'])
        .ends_with('\\');
    !joined && !blanks.is_empty() && blanks.chars().all(|c| matches!(c, ' ' | '\t'))
}

/// The modules that a file imports anywhere by an absolute name: the first part of each name, once.
fn imports(root: Node<'_>, source: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut known = BTreeSet::new();
    if !source.contains("import") {
        return names;
    }
    walk(root, |node| {
        let parts = match node.kind() {
            "import_statement" => children(node),
            "import_from_statement" => node
                .child_by_field_name("module_name")
                .into_iter()
                .collect(),
            _ => return ControlFlow::Continue(()),
        };
        for part in parts {
            let part = part.child_by_field_name("name").unwrap_or(part);
            let name = text(part, source)
                .split('.')
                .next()
                .unwrap_or_default()
                .trim();
            if !name.is_empty() && known.insert(name) {
                names.push(name.to_owned());
            }
        }
        ControlFlow::Break(())
    });
    names
}

/// Reads one field's literal from Python text in another file, such as a shell script's header.
pub(super) fn literal(source: &str, diagnostics: &mut Diagnostics) -> Reading {
    let mut reading = Reading::default();
    let Some(tree) = parsed(source, diagnostics) else {
        return reading;
    };
    let mut module = Module::new(tree.root_node(), source, diagnostics, &mut reading);
    for statement in children(tree.root_node()) {
        module.statement(statement);
    }
    reading
}

/// Parses a text and reports its syntax errors; `None` if the parser gives up.
fn parsed(source: &str, diagnostics: &mut Diagnostics) -> Option<Tree> {
    let tree = tree::parse(&tree_sitter_python::LANGUAGE.into(), source)?;
    tree::broken(&tree, source, diagnostics);
    Some(tree)
}

struct Module<'a> {
    context: LiteralContext<'a>,
    reading: &'a mut Reading,
    /// The root of the module, which has the constants of the file.
    root: Node<'a>,
    /// The values of `NAME = ..` at the top of the file that nothing changes; collected when a field first names one.
    constants: Option<BTreeMap<&'a str, Node<'a>>>,
    /// Whether the next dictionary maps names to schemas and is not itself a schema.
    holds_names: bool,
    /// Aliases of parts of fields: `P` after `P = CONFIG_SCHEMA["properties"]`.
    aliases: BTreeMap<String, String>,
}

impl<'a> Module<'a> {
    fn new(
        root: Node<'a>,
        source: &'a str,
        diagnostics: &'a mut Diagnostics,
        reading: &'a mut Reading,
    ) -> Module<'a> {
        Module {
            context: LiteralContext::new(source, diagnostics),
            reading,
            root,
            constants: None,
            holds_names: false,
            aliases: BTreeMap::new(),
        }
    }
}

/// The methods of lists and dictionaries that change them.
const MUTATORS: &[&str] = &[
    "update",
    "append",
    "extend",
    "insert",
    "setdefault",
    "pop",
    "popitem",
    "remove",
    "clear",
];

/// The name at the root of subscripts and attributes.
fn rooted(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    loop {
        node = match node.kind() {
            "identifier" => return Some(node),
            "subscript" => node.child_by_field_name("value")?,
            "attribute" => node.child_by_field_name("object")?,
            "parenthesized_expression" | "list_splat" | "list_splat_pattern" | "splat_pattern" => {
                node.named_child(0)?
            }
            // `case NAME:` binds a name; `case NAME.PART:` does not.
            "dotted_name" if node.named_child_count() == 1 => node.named_child(0)?,
            _ => return None,
        };
    }
}

/// The targets of an assignment; lists and tuples are taken apart.
fn targets(node: Node<'_>) -> Vec<Node<'_>> {
    let (mut open, mut found) = (vec![node], Vec::new());
    while let Some(node) = open.pop() {
        match node.kind() {
            "expression_list" | "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple"
            | "list" => open.extend(children(node).into_iter().rev()),
            _ => found.push(node),
        }
    }
    found
}

impl<'t> Module<'t> {
    fn statement(&mut self, statement: Node<'t>) {
        // Compound statements are handled by `hidden`.
        if !statement.kind().ends_with("_statement")
            || matches!(
                statement.kind(),
                "expression_statement"
                    | "delete_statement"
                    | "import_statement"
                    | "import_from_statement"
            )
        {
            self.rebound(statement);
        }
        match statement.kind() {
            "expression_statement" => {
                for expression in children(statement) {
                    self.reading.code.starts |= matches!(expression.kind(), "call" | "await");
                    match expression.kind() {
                        "assignment" => {
                            self.assignment(expression);
                            let left = expression.child_by_field_name("left");
                            if let Some(left) =
                                left.filter(|left| text(*left, self.context.source) == ENTRY)
                            {
                                self.bound(left, expression.child_by_field_name("right"));
                            }
                        }
                        "augmented_assignment" | "call" => self.change(expression),
                        _ => {}
                    }
                }
            }
            "function_definition" => self.function(statement),
            "decorated_definition" => {
                if let Some(definition) = statement.child_by_field_name("definition")
                    && definition.kind() == "function_definition"
                {
                    self.function(definition);
                }
            }
            "import_from_statement" => {
                // `from helper import execute`, `import run as execute`, `import *`.
                let name = children(statement).into_iter().skip(1).find(|name| {
                    let bound = name.child_by_field_name("alias").unwrap_or(*name);
                    bound.kind() == "wildcard_import" || text(bound, self.context.source) == ENTRY
                });
                if let Some(name) = name {
                    self.bound(name, None);
                }
            }
            "if_statement" => {
                if let Some(condition) = statement.child_by_field_name("condition") {
                    let place = condition.byte_range();
                    let condition = text(condition, self.context.source);
                    let is_main = condition.contains("__name__") && condition.contains("__main__");
                    self.reading.code.has_main_block |= is_main;
                    let body = text(statement, self.context.source);
                    let waits = ["await", "asyncio", "anyio", "trio", "run_until_complete"];
                    if is_main
                        && body.contains("execute(")
                        && !waits.iter().any(|word| body.contains(word))
                    {
                        self.reading.code.forgets_to_wait = Some(place);
                    }
                }
                self.hidden(statement);
            }
            "try_statement" | "for_statement" | "while_statement" | "with_statement"
            | "match_statement" => {
                self.hidden(statement);
            }
            _ => {}
        }
    }

    /// `NAME = literal`, also chained (`A = B = 1`) and annotated.
    fn assignment(&mut self, assignment: Node<'t>) {
        let Some(left) = assignment.child_by_field_name("left") else {
            return;
        };
        let Some(right) = assignment.child_by_field_name("right") else {
            return;
        };
        if left.kind() != "identifier" {
            self.change(assignment);
            return;
        }
        let variable = text(left, self.context.source);
        if right.kind() == "assignment" {
            self.assignment_of(left, innermost(right));
            self.assignment(right);
            return;
        }
        if fields::of_variable(variable).is_none() {
            // An alias of a part of a field: a change of the alias changes the field.
            let root = rooted(right).map(|root| text(root, self.context.source));
            if let Some(root) = root.filter(|root| fields::of_variable(root).is_some())
                && right.kind() != "identifier"
            {
                self.aliases.insert(variable.to_owned(), root.to_owned());
            }
            return self.nearly(variable, left);
        }
        self.assignment_of(left, right);
    }

    fn assignment_of(&mut self, left: Node<'_>, right: Node<'t>) {
        let variable = text(left, self.context.source);
        let Some(name) = fields::of_variable(variable) else {
            return;
        };
        let value = self.value(right, variable, 0);
        self.reading.set(Field {
            name,
            name_span: left.byte_range(),
            value,
        });
    }

    /// `CONFIG_SCHEMA["x"] = ..`, `CONFIG_SCHEMA.update(..)`, `__version__ += ".."`: they change the literal.
    fn change(&mut self, expression: Node<'_>) {
        let target = expression
            .child_by_field_name("left")
            .or_else(|| expression.child_by_field_name("function"));
        let Some(target) = target else { return };
        for part in targets(target) {
            // A call of a function with that name does not change the name.
            if let Some(root) = rooted(part)
                && (root != part || expression.kind() != "call")
            {
                self.refuse_change(root, expression);
            }
        }
    }

    fn refuse_change(&mut self, name: Node<'_>, expression: Node<'_>) {
        let written = text(name, self.context.source);
        let variable = self
            .aliases
            .get(written)
            .map_or(written, String::as_str)
            .to_owned();
        if name.kind() == "identifier" && fields::of_variable(&variable).is_some() {
            self.changed(&variable, expression, &format!("{variable} = .."));
        }
    }

    /// Handles assignments inside a block: they are made only at run time.
    fn hidden(&mut self, block: Node<'_>) {
        let mut entry = None;
        walk(block, |node| {
            if matches!(node.kind(), "function_definition" | "class_definition") {
                let name = node.child_by_field_name("name");
                entry = entry.or(name.filter(|name| text(*name, self.context.source) == ENTRY));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        let mut changes = Vec::new();
        walk(block, |node| {
            match node.kind() {
                "assignment" | "augmented_assignment" => changes.push(node),
                "call" if self.mutates(node) => changes.push(node),
                "function_definition" | "class_definition" | "lambda" => {
                    return ControlFlow::Break(());
                }
                _ => {}
            }
            ControlFlow::Continue(())
        });
        for change in changes {
            self.change(change);
        }
        self.rebound(block);
        // Which of several definitions is called is known only at run time.
        if let Some(entry) = entry {
            self.bound(entry, None);
        }
    }

    /// Whether a call is of a method that changes its object.
    fn mutates(&self, call: Node<'_>) -> bool {
        let method = call
            .child_by_field_name("function")
            .and_then(|function| function.child_by_field_name("attribute"));
        method.is_some_and(|method| MUTATORS.contains(&text(method, self.context.source)))
    }

    /// Reports code that rebinds or removes a field without being an assignment.
    fn rebound(&mut self, statement: Node<'_>) {
        // An expression rebinds a name only by `:=`, and most expressions are long literals.
        if statement.kind() == "expression_statement"
            && !text(statement, self.context.source).contains(":=")
        {
            return;
        }
        let mut found = Vec::new();
        walk(statement, |node| {
            let name = match node.kind() {
                "named_expression" => node.child_by_field_name("name"),
                "for_statement" => node.child_by_field_name("left"),
                "aliased_import" => node.child_by_field_name("alias"),
                "as_pattern_target" | "delete_statement" => node.named_child(0),
                "function_definition" | "class_definition" => node.child_by_field_name("name"),
                "case_pattern" => node
                    .named_child(0)
                    .filter(|inner| inner.kind() == "dotted_name"),
                "splat_pattern" => Some(node),
                _ => None,
            };
            if let Some(name) = name {
                found.push((name, node));
            }
            if node.kind() == "import_from_statement" {
                let names = children(node).into_iter().skip(1);
                found.extend(names.map(|name| (name, node)));
            }
            match node.kind() {
                "function_definition" | "class_definition" | "lambda" => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        for (name, node) in found {
            for part in targets(name) {
                if let Some(root) = rooted(part) {
                    self.refuse_change(root, node);
                }
            }
        }
    }
}

/// Whether a statement only defines names: it contains no call and no `await`.
fn only_defines(statement: Node<'_>, source: &str) -> bool {
    if statement.kind() != "expression_statement" {
        return matches!(
            statement.kind(),
            "function_definition"
                | "class_definition"
                | "import_statement"
                | "import_from_statement"
                | "future_import_statement"
                | "pass_statement"
        );
    }
    // Without `(` and `await` there is no call, so a large schema is not walked.
    let words = text(statement, source);
    if !words.contains('(') && !words.contains("await") {
        return true;
    }
    let mut calls = false;
    walk(statement, |node| {
        calls |= matches!(node.kind(), "call" | "await");
        ControlFlow::Continue(())
    });
    !calls
}

fn innermost(mut assignment: Node<'_>) -> Node<'_> {
    while assignment.kind() == "assignment" {
        match assignment.child_by_field_name("right") {
            Some(right) => assignment = right,
            None => break,
        }
    }
    assignment
}
