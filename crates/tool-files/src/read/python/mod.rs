//! Python: assignments of literals at the top of the module, and the shape of `execute`.

mod shape;
mod string;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use tree_sitter::{Node, Tree};

use super::literals::{LiteralContext, Literals, put};
use super::tree::{self, children, text, walk};
use super::{Asked, Field, Reading};
use crate::diagnostic::Diagnostics;
use crate::fields;
use crate::literal::{Content, Literal, Member, has_stray_separator, integer, number};
use crate::rules;

/// The function that the runtime calls.
const ENTRY: &str = "execute";

pub(super) fn read(asked: Asked, source: &str, diagnostics: &mut Diagnostics) -> Reading {
    let mut reading = Reading::default();
    let Some(tree) = parsed(source, diagnostics) else {
        return reading;
    };
    let mut module = Module::new(tree.root_node(), source, diagnostics, &mut reading);
    for statement in children(tree.root_node()) {
        if is_indented(statement, source) {
            module.context.diagnostics.help(
                rules::SYNTAX,
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
    match asked {
        Asked::ToRun => reading.imports = imports(tree.root_node(), source),
        Asked::All => shape::SYNTAX.facts(tree.root_node(), source, &mut reading.code),
    }
    reading
}

/// Whether blanks come before a statement of the module: the grammar takes that, and Python does not.
fn is_indented(statement: Node<'_>, source: &str) -> bool {
    let before = &source[..statement.start_byte()];
    let line = before.rfind('\n').map_or(0, |newline| newline + 1);
    let blanks = &before[line..];
    let joined = before[..line]
        .trim_end_matches(['\n', '\r'])
        .ends_with('\\');
    !joined && !blanks.is_empty() && blanks.chars().all(|c| matches!(c, ' ' | '\t'))
}

/// The modules that a file imports by an absolute name, wherever it does: the first part of each name, once.
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

/// Reads one field's literal from Python text that stands elsewhere, as in a shell script's header.
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

/// The tree of a text, with what is wrong in it reported; `None` for one that the parser gives up.
fn parsed(source: &str, diagnostics: &mut Diagnostics) -> Option<Tree> {
    let tree = tree::parse(&tree_sitter_python::LANGUAGE.into(), source)?;
    tree::broken(&tree, source, diagnostics);
    Some(tree)
}

struct Module<'a> {
    context: LiteralContext<'a>,
    reading: &'a mut Reading,
    /// The module, to find the constants of the file in.
    root: Node<'a>,
    /// The values of `NAME = ..` at the top of the file that nothing changes; looked for when a field names one.
    constants: Option<BTreeMap<&'a str, Node<'a>>>,
    /// Whether the next dictionary maps names to schemas, and is none itself.
    holds_names: bool,
    /// Names of parts of fields: `P` after `P = CONFIG_SCHEMA["properties"]`.
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

/// The name that subscripts and attributes are of.
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
            // `case NAME:` binds a name, and `case NAME.PART:` none.
            "dotted_name" if node.named_child_count() == 1 => node.named_child(0)?,
            _ => return None,
        };
    }
}

/// The parts of what is assigned to, each without those of its own.
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
        // Blocks are looked through where they are `hidden`.
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
            // A part of a field by another name: what changes it changes the field.
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

    /// `CONFIG_SCHEMA["x"] = ..`, `CONFIG_SCHEMA.update(..)`, `__version__ += ".."`: the literal is no longer what it was.
    fn change(&mut self, expression: Node<'_>) {
        let target = expression
            .child_by_field_name("left")
            .or_else(|| expression.child_by_field_name("function"));
        let Some(target) = target else { return };
        for part in targets(target) {
            // A function of that name is called, and not changed.
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

    /// Assignments that only running the file would make.
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
        // Which of several is called, only running tells.
        if let Some(entry) = entry {
            self.bound(entry, None);
        }
    }

    /// Whether a call is of a method that changes what it is a method of.
    fn mutates(&self, call: Node<'_>) -> bool {
        let method = call
            .child_by_field_name("function")
            .and_then(|function| function.child_by_field_name("attribute"));
        method.is_some_and(|method| MUTATORS.contains(&text(method, self.context.source)))
    }

    /// What gives a field another value, or takes it away, without being an assignment.
    fn rebound(&mut self, statement: Node<'_>) {
        // Of an expression only that does, and most expressions are long literals.
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
                        rules::COMPUTED,
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
            let n_told = self.context.diagnostics.len();
            let value = self.value(value, variable, depth + 1);
            if value.is_computed() && !holds_names && ANNOTATIONS.contains(&name.as_str()) {
                // It is for people to read, and checks nothing.
                self.context.diagnostics.soften(n_told);
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
}

/// Keys of a schema under which names are mapped to schemas.
const MAPS_OF_SCHEMAS: &[&str] = &[
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
];
/// Keys of a schema that no value is checked by.
const ANNOTATIONS: &[&str] = &["description", "title", "examples", "$comment"];

/// The values of `NAME = ..` at the top of a file, of names that nothing else in the file binds or changes.
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

impl<'t> Module<'t> {
    /// The value of a constant of the file that is named after it.
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

/// Whether a statement does nothing but give names to things: nothing in it is called.
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
    // Without a bracket or that word there is neither, and no need to walk through a schema.
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

pub(super) fn python_number(text: &str) -> Option<toolglot_value::Number> {
    let lower = text.to_ascii_lowercase();
    // After `0x` one may stand as well.
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
        // Python has no such numbers any more.
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
