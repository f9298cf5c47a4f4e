//! JavaScript and TypeScript: exported constants, and the shape of the default export.

mod imports;
mod shape;
mod string;
mod type_stripper;
mod values;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use tree_sitter::Node;

use super::literals::{LiteralContext, Literals};
use super::reading::{Field, ReadScope, Reading};
use super::tree::{self, children, text, walk};
use crate::Language;
use crate::diagnostic::Diagnostics;
use crate::fields;
use crate::literal::Literal;
use crate::rule;

pub use type_stripper::javascript_of;

pub(super) fn read(
    (language, scope): (Language, ReadScope),
    source: &str,
    diagnostics: &mut Diagnostics,
) -> Reading {
    let mut reading = Reading::default();
    let Some(tree) = tree::parse(&grammar(language), source) else {
        return reading;
    };
    tree::broken(&tree, source, diagnostics);
    if language == Language::TypeScript
        && !tree.root_node().has_error()
        && let Err((node, what)) = type_stripper::blanks(tree.root_node(), source)
    {
        diagnostics.help(
            rule::RUNNABLE,
            node.byte_range(),
            format!("{what} is more than a type and cannot be left out"),
            "write it as JavaScript".to_owned(),
        );
    }
    let mut module = Module {
        context: LiteralContext::new(source, diagnostics),
        reading: &mut reading,
        constants: BTreeMap::new(),
        grown: BTreeSet::new(),
        functions: BTreeMap::new(),
        entry: None,
        exports_by_statement: false,
    };
    let statements = children(tree.root_node());
    for statement in &statements {
        module.declare(*statement);
    }
    if !module.constants.is_empty() {
        for statement in &statements {
            module.grow(*statement);
        }
    }
    for statement in &statements {
        module.statement(*statement);
    }
    module.finish();
    reading.code.only_defines = only_defines(tree.root_node(), source);
    match scope {
        ReadScope::ToRun => reading.imports = imports::imported(tree.root_node(), source),
        ReadScope::All => shape::SYNTAX.facts(tree.root_node(), source, &mut reading.code),
    }
    reading
}

/// Whether running the file only defines names: outside functions and classes it calls nothing but loaders of other
/// files.
fn only_defines(root: Node<'_>, source: &str) -> bool {
    let mut calls = false;
    walk(root, |node| {
        match node.kind() {
            "function_declaration"
            | "generator_function_declaration"
            | "function_expression"
            | "arrow_function"
            | "method_definition" => return ControlFlow::Break(()),
            "await_expression" | "new_expression" => calls = true,
            // `import "./start.js"` runs the code of another file.
            "import_statement" => calls |= !text(node, source).contains("from"),
            "call_expression" => {
                let function = node.child_by_field_name("function");
                let is_load = function.is_some_and(|function| {
                    let name = text(function, source);
                    matches!(name, "require" | "import" | "createRequire")
                });
                calls |= !is_load;
            }
            _ => {}
        }
        ControlFlow::Continue(())
    });
    !calls
}

fn grammar(language: Language) -> tree_sitter::Language {
    if language == Language::TypeScript {
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()
    } else {
        tree_sitter_javascript::LANGUAGE.into()
    }
}

struct Module<'a, 't> {
    context: LiteralContext<'a>,
    reading: &'a mut Reading,
    /// The values of `const NAME = ..` at the top of the file, which a spread may name.
    constants: BTreeMap<&'a str, Node<'t>>,
    /// The constants that the file changes after their literals.
    grown: BTreeSet<&'a str>,
    functions: BTreeMap<&'a str, Node<'t>>,
    entry: Option<Node<'t>>,
    /// Whether it exports by statements; then only the default export is called.
    exports_by_statement: bool,
}

impl<'a, 't> Module<'a, 't> {
    fn text(&self, node: Node<'_>) -> &'a str {
        text(node, self.context.source)
    }

    /// Records the names that a statement binds.
    fn declare(&mut self, statement: Node<'t>) {
        let declaration = match statement.kind() {
            "export_statement" => statement.child_by_field_name("declaration"),
            _ => Some(statement),
        };
        let Some(declaration) = declaration else {
            return;
        };
        match declaration.kind() {
            "lexical_declaration" => {
                let is_const = self.text(declaration).starts_with("const");
                for declarator in children(declaration) {
                    let (Some(name), Some(value)) = (
                        declarator.child_by_field_name("name"),
                        declarator.child_by_field_name("value"),
                    ) else {
                        continue;
                    };
                    let name = self.text(name);
                    if matches!(value.kind(), "arrow_function" | "function_expression") {
                        self.functions.insert(name, value);
                    } else if is_const {
                        self.constants.insert(name, value);
                    }
                }
            }
            "function_declaration" | "generator_function_declaration" => {
                if let Some(name) = declaration.child_by_field_name("name") {
                    self.functions.insert(self.text(name), declaration);
                }
            }
            _ => {}
        }
    }

    fn statement(&mut self, statement: Node<'t>) {
        match statement.kind() {
            "export_statement" => {
                self.exports_by_statement = true;
                if let Some(value) = statement.child_by_field_name("value") {
                    self.entry = Some(value);
                } else if let Some(declaration) = statement.child_by_field_name("declaration") {
                    let is_default = self.text(statement).starts_with("export default");
                    if is_default && declaration.kind().contains("function") {
                        self.entry = Some(declaration);
                    }
                    self.declaration(declaration);
                } else {
                    self.export_clause(statement);
                }
            }
            "lexical_declaration" | "variable_declaration" => self.declaration(statement),
            "expression_statement" => {
                for expression in children(statement) {
                    let kind = expression.kind();
                    self.reading.code.starts |=
                        matches!(kind, "call_expression" | "await_expression");
                    if kind == "assignment_expression" {
                        self.assignment(expression);
                    }
                }
                self.changes(statement);
            }
            "import_statement" => self.imported(statement),
            "if_statement" | "for_statement" | "for_in_statement" | "while_statement"
            | "do_statement" | "switch_statement" | "labeled_statement" | "try_statement"
            | "statement_block" => self.changes(statement),
            _ => {}
        }
    }

    fn declaration(&mut self, declaration: Node<'t>) {
        for declarator in children(declaration) {
            let Some(name) = declarator.child_by_field_name("name") else {
                continue;
            };
            let variable = self.text(name);
            if name.kind() != "identifier" || variable.contains('\\') {
                for bound in targets(name) {
                    self.bound(bound, declarator);
                }
                continue;
            }
            if fields::of_variable(variable).is_none() {
                self.changes(declarator);
            }
            match declarator.child_by_field_name("value") {
                Some(value) if fields::of_variable(variable).is_some() => {
                    self.set(variable, name, value);
                }
                _ => self.nearly(variable, name),
            }
        }
    }

    /// `export { a, main as default }`, `export * as a from ".."`.
    fn export_clause(&mut self, statement: Node<'t>) {
        let is_of_another = statement.child_by_field_name("source").is_some();
        for clause in children(statement) {
            if clause.kind() == "namespace_export" {
                for name in children(clause) {
                    self.bound(name, clause);
                }
            }
            for specifier in children(clause) {
                let name = specifier.child_by_field_name("name");
                let alias = specifier.child_by_field_name("alias");
                if alias.is_some_and(|alias| self.text(alias) == "default") {
                    self.entry = name;
                } else if let Some(outside) = alias.or(name.filter(|_| is_of_another)) {
                    let is_itself = name.is_some_and(|name| self.text(name) == self.text(outside));
                    if is_of_another || !is_itself {
                        self.bound(outside, specifier);
                    }
                }
            }
        }
    }

    /// `import { a, b as c } from ".."`, `import d, * as e from ".."`.
    fn imported(&mut self, statement: Node<'t>) {
        let clauses = children(statement).into_iter().flat_map(children);
        for part in clauses {
            match part.kind() {
                "identifier" => self.bound(part, part),
                "namespace_import" => {
                    for name in children(part) {
                        self.bound(name, part);
                    }
                }
                _ => {
                    for specifier in children(part) {
                        let alias = specifier.child_by_field_name("alias");
                        let name = alias.or_else(|| specifier.child_by_field_name("name"));
                        if let Some(name) = name {
                            self.bound(name, specifier);
                        }
                    }
                }
            }
        }
    }

    /// Handles a name that is bound to something other than a literal: a field of that name is reported.
    fn bound(&mut self, name: Node<'t>, at: Node<'t>) {
        let variable = self.name(name);
        if fields::of_variable(&variable).is_some() {
            self.exported(&variable, at, &format!("export const {variable} = .."));
        }
    }

    /// The name with its escapes decoded.
    fn name(&self, node: Node<'_>) -> Cow<'a, str> {
        let written = self.text(node);
        let decoded = match node.kind() {
            "string" => string::decode(written).ok(),
            _ if written.contains('\\') => string::decode(&format!("\"{written}\"")).ok(),
            _ => None,
        };
        decoded.map_or(Cow::Borrowed(written), Cow::Owned)
    }

    /// Reports a field that is exported otherwise than as a constant.
    fn exported(&mut self, variable: &str, at: Node<'t>, instead: &str) {
        self.changed(variable, at, instead);
        if let Some(name) = fields::of_variable(variable) {
            self.reading.set(Field {
                name,
                name_span: at.byte_range(),
                value: Literal::computed(at.byte_range()),
            });
        }
    }

    /// `exports.__version__ = ..`, `module.exports.main = ..`, `module.exports = {..}`.
    fn assignment(&mut self, assignment: Node<'t>) {
        let (Some(left), Some(right)) = (
            assignment.child_by_field_name("left"),
            assignment.child_by_field_name("right"),
        ) else {
            return;
        };
        let target = self.text(left);
        if target == "module.exports" {
            if right.kind() == "object" {
                self.exports(right);
            } else {
                self.entry = Some(right);
            }
            return;
        }
        let Some(property) = target
            .strip_prefix("module.exports.")
            .or_else(|| target.strip_prefix("exports."))
        else {
            let named = left.child_by_field_name("index").filter(|_| {
                let object = left.child_by_field_name("object");
                object
                    .is_some_and(|object| matches!(self.text(object), "exports" | "module.exports"))
            });
            let named = named.and_then(|name| string::decode(self.text(name)).ok());
            if let Some(variable) = named.filter(|name| fields::of_variable(name).is_some()) {
                self.exported(&variable, assignment, &format!("exports.{variable} = .."));
                return;
            }
            self.changed_by_name(left, assignment);
            return;
        };
        if matches!(property, "default" | "main" | "execute") {
            self.entry = Some(right);
        } else if fields::of_variable(property).is_some() {
            self.set(property, left, right);
        } else {
            self.nearly(property, left);
        }
    }

    /// `CONFIG_SCHEMA.required.push(..)`, `Object.assign(CONFIG_SCHEMA, ..)`, `delete CONFIG_SCHEMA.x`, and assignments
    /// in blocks: they change the literal.
    fn changes(&mut self, statement: Node<'t>) {
        for (target, node) in self.changed_in(statement) {
            // The effect of an assignment statement is reported already.
            let is_statement = node.kind() == "assignment_expression"
                && statement.kind() == "expression_statement"
                && node.parent() == Some(statement);
            if !is_statement {
                self.changed_by_name(target, node);
            }
        }
    }

    /// Reports the fields that a change of this target changes.
    fn changed_by_name(&mut self, target: Node<'t>, node: Node<'t>) {
        let roots = targets(target).into_iter().map(|root| self.name(root));
        for root in roots.collect::<BTreeSet<_>>() {
            if fields::of_variable(&root).is_some() {
                self.changed(&root, node, &format!("export const {root} = .."));
            }
        }
    }

    /// Records the constants that a statement of the file changes.
    fn grow(&mut self, statement: Node<'t>) {
        if !matches!(
            statement.kind(),
            "expression_statement"
                | "if_statement"
                | "for_statement"
                | "for_in_statement"
                | "while_statement"
                | "try_statement"
                | "statement_block"
        ) {
            return;
        }
        for (target, _) in self.changed_in(statement) {
            let roots = targets(target).into_iter().map(|root| self.text(root));
            let roots: Vec<&str> = roots
                .filter(|root| self.constants.contains_key(root))
                .collect();
            self.grown.extend(roots);
        }
    }

    /// The targets that a statement changes, each with the node that changes it.
    fn changed_in(&self, statement: Node<'t>) -> Vec<(Node<'t>, Node<'t>)> {
        let mut found = Vec::new();
        tree::walk(statement, |node| {
            let target = match node.kind() {
                "assignment_expression" | "augmented_assignment_expression" => {
                    node.child_by_field_name("left")
                }
                "for_in_statement" if node.child_by_field_name("kind").is_none() => {
                    node.child_by_field_name("left")
                }
                "update_expression" => node.child_by_field_name("argument"),
                "unary_expression" if self.text(node).starts_with("delete") => {
                    node.child_by_field_name("argument")
                }
                "call_expression" => self.changed_by(node),
                _ => None,
            };
            found.extend(target.map(|target| (target, node)));
            if node.kind().contains("function") || node.kind() == "class_body" {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        found
    }

    /// The target that a call changes: the object of its method, or the first argument of `Object.assign`.
    fn changed_by(&self, call: Node<'t>) -> Option<Node<'t>> {
        let function = call.child_by_field_name("function")?;
        let property = function.child_by_field_name("property")?;
        let object = function.child_by_field_name("object")?;
        match (self.text(object), self.text(property)) {
            ("Object", "assign" | "defineProperty" | "defineProperties") => {
                call.child_by_field_name("arguments")?.named_child(0)
            }
            (_, "push" | "pop" | "shift" | "unshift" | "splice" | "sort" | "reverse" | "fill") => {
                Some(object)
            }
            _ => None,
        }
    }

    fn exports(&mut self, object: Node<'t>) {
        for entry in children(object) {
            match entry.kind() {
                "pair" => {
                    let (Some(key), Some(value)) = (
                        entry.child_by_field_name("key"),
                        entry.child_by_field_name("value"),
                    ) else {
                        continue;
                    };
                    let name = self.text(key);
                    if matches!(name, "default" | "main" | "execute") {
                        self.entry = Some(value);
                    } else if fields::of_variable(name).is_some() {
                        self.set(name, key, value);
                    }
                }
                "shorthand_property_identifier" => {
                    let name = self.text(entry);
                    if matches!(name, "main" | "execute") {
                        self.entry = Some(entry);
                    }
                }
                "method_definition" => {
                    let name = entry.child_by_field_name("name");
                    if name.is_some_and(|name| matches!(self.text(name), "main" | "execute")) {
                        self.entry = Some(entry);
                    } else if let Some(name) = name {
                        self.bound(name, entry);
                    }
                }
                _ => {}
            }
        }
    }

    fn set(&mut self, variable: &str, name: Node<'_>, value: Node<'t>) {
        let Some(field) = fields::of_variable(variable) else {
            return;
        };
        let value = self.value(value, variable, 0);
        self.reading.set(Field {
            name: field,
            name_span: name.byte_range(),
            value,
        });
    }
}

/// The names that an assignment to this node changes: the root of a member, or the names that a pattern binds.
fn targets(node: Node<'_>) -> Vec<Node<'_>> {
    let (mut open, mut found) = (vec![node], Vec::new());
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => found.push(node),
            "member_expression" | "subscript_expression" => {
                open.extend(node.child_by_field_name("object"));
            }
            "pair_pattern" => open.extend(node.child_by_field_name("value")),
            "assignment_pattern" | "object_assignment_pattern" => {
                open.extend(node.child_by_field_name("left"));
            }
            "parenthesized_expression"
            | "non_null_expression"
            | "as_expression"
            | "satisfies_expression" => open.extend(node.named_child(0)),
            "array_pattern" | "object_pattern" | "rest_pattern" => {
                open.extend(children(node).into_iter().rev());
            }
            _ => {}
        }
    }
    found
}
