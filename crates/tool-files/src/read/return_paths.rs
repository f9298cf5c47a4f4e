//! How a function ends: the values of its `return` statements, and whether it may run off its end.
//!
//! The syntax trees of Python and JavaScript differ only in names, so one analysis serves both. It reports only what is
//! certain: a chain of conditions without `else` may be complete, and a function of another file may never return.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use tree_sitter::Node;

use super::code::{Gives, Return};
use super::shape::Syntax;
use super::tree::{children, text, walk};

/// How deep blocks, and conditions in a `return`, are followed.
const MAX_DEPTH: usize = 64;

/// Objects whose calls only print or log, and return.
const TELLS: &[&str] = &["print", "console", "log", "logger", "logging", "warnings"];

/// How control leaves a statement or a block.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// Never by reaching its end.
    Never,
    /// Perhaps by reaching its end.
    Perhaps,
    /// By reaching its end, with the last statement on that path.
    Falls(Range<usize>),
}

/// Analyzes the ends of one function.
pub(super) struct Ends<'a, 'n, L> {
    syntax: &'a Syntax,
    source: &'a str,
    function: Node<'n>,
    /// Classifies a literal value.
    literal: L,
    /// The places of each name in the function.
    names: OnceCell<BTreeMap<&'a str, Vec<Node<'n>>>>,
}

impl<'a, 'n, L: Fn(Node<'n>) -> Gives> Ends<'a, 'n, L> {
    /// The ends of a function. `literal` classifies literal values.
    pub(super) fn of(
        syntax: &'a Syntax,
        function: Node<'n>,
        source: &'a str,
        literal: L,
    ) -> Ends<'a, 'n, L> {
        Ends {
            syntax,
            source,
            function,
            literal,
            names: OnceCell::new(),
        }
    }

    /// The values of a body's `return` statements; inner functions are skipped.
    pub(super) fn returns(&self, body: Node<'n>) -> Vec<Return> {
        let mut returns = Vec::new();
        walk(body, |node| {
            // Half of a tree is punctuation without children, and `is_named` is cheaper than `kind`.
            if !node.is_named() || self.syntax.inner.contains(&node.kind()) {
                return ControlFlow::Break(());
            }
            if node.kind() == "return_statement" {
                match children(node).first() {
                    Some(value) => self.value(*value, &node.byte_range(), 0, &mut returns),
                    None => returns.push(Return {
                        span: node.byte_range(),
                        gives: Gives::Other("nothing"),
                    }),
                }
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        returns
    }

    /// Classifies a value: each branch of a condition on its own.
    pub(super) fn value(
        &self,
        value: Node<'n>,
        span: &Range<usize>,
        depth: usize,
        returns: &mut Vec<Return>,
    ) {
        let parts = children(value);
        let branches = match (value.kind(), parts.as_slice()) {
            ("parenthesized_expression", [inner]) => [Some(*inner), None],
            // `a if b else c` and `b ? a : c`.
            ("conditional_expression", [first, _, second])
            | ("ternary_expression", [_, first, second]) => [Some(*first), Some(*second)],
            _ => [None, None],
        };
        let is_one = branches[1].is_none();
        if depth < MAX_DEPTH && branches[0].is_some() {
            for branch in branches.into_iter().flatten() {
                let span = if is_one { span } else { &branch.byte_range() };
                self.value(branch, span, depth + 1, returns);
            }
            return;
        }
        let gives = match value.kind() {
            "identifier" => self.variable(value),
            _ => (self.literal)(value),
        };
        returns.push(Return {
            span: span.clone(),
            gives,
        });
    }

    /// Classifies a variable that is assigned once; it is a map only if the name is otherwise just returned.
    fn variable(&self, name: Node<'n>) -> Gives {
        let known = (self.literal)(name);
        if !matches!(known, Gives::Unknown) {
            return known;
        }
        let names = self.names.get_or_init(|| self.names());
        let all = names.get(text(name, self.source));
        let mut bound = None;
        let mut only_returned = true;
        for place in all.into_iter().flatten() {
            match Use::of(*place) {
                Use::Given(value) if bound.is_none() => bound = Some(value),
                Use::Given(_) | Use::Changed => return Gives::Unknown,
                Use::Read => only_returned &= is_returned(*place),
            }
        }
        let Some(value) = bound else {
            return Gives::Unknown;
        };
        match (self.literal)(value) {
            Gives::Map { .. } if !only_returned => Gives::Unknown,
            gives => gives,
        }
    }

    fn names(&self) -> BTreeMap<&'a str, Vec<Node<'n>>> {
        let mut names: BTreeMap<&'a str, Vec<Node<'n>>> = BTreeMap::new();
        walk(self.function, |node| {
            if matches!(
                node.kind(),
                "identifier"
                    | "shorthand_property_identifier"
                    | "shorthand_property_identifier_pattern"
            ) {
                names.entry(text(node, self.source)).or_default().push(node);
            }
            ControlFlow::Continue(())
        });
        names
    }
}

/// How a name is used at one place.
enum Use<'n> {
    /// `name = value`.
    Given(Node<'n>),
    /// It is bound or changed in another way.
    Changed,
    /// Its value is read.
    Read,
}

impl<'n> Use<'n> {
    fn of(name: Node<'n>) -> Use<'n> {
        let mut inner = name;
        if name.kind() == "shorthand_property_identifier_pattern" {
            return Use::Changed;
        }
        while let Some(outer) = inner.parent() {
            let target = match outer.kind() {
                "assignment" | "assignment_expression" => ("left", Some("right")),
                "variable_declarator" => ("name", Some("value")),
                "augmented_assignment"
                | "augmented_assignment_expression"
                | "for_statement"
                | "for_in_clause"
                | "for_in_statement" => ("left", None),
                "named_expression"
                | "function_definition"
                | "class_definition"
                | "function_declaration"
                | "class_declaration"
                | "default_parameter"
                | "typed_default_parameter" => ("name", None),
                "aliased_import" => ("alias", None),
                "update_expression" => ("argument", None),
                "catch_clause" => ("parameter", None),
                "as_pattern_target"
                | "global_statement"
                | "nonlocal_statement"
                | "parameters"
                | "formal_parameters"
                | "lambda_parameters"
                | "typed_parameter"
                | "import_statement"
                | "import_from_statement"
                | "case_pattern"
                | "except_clause"
                | "delete_statement" => return Use::Changed,
                // A name below one of these is not a target of the nodes above it.
                "attribute"
                | "subscript"
                | "member_expression"
                | "subscript_expression"
                | "call"
                | "call_expression"
                | "block"
                | "statement_block"
                | "return_statement"
                | "expression_statement" => return Use::Read,
                _ => {
                    inner = outer;
                    continue;
                }
            };
            if outer.child_by_field_name(target.0) != Some(inner) {
                return Use::Read;
            }
            let value = target.1.filter(|_| inner == name);
            let value = value.and_then(|value| outer.child_by_field_name(value));
            return value.map_or(Use::Changed, Use::Given);
        }
        Use::Read
    }
}

/// Whether a name is the value of a `return`.
fn is_returned(name: Node<'_>) -> bool {
    let mut node = name;
    while let Some(outer) = node.parent() {
        match outer.kind() {
            "return_statement" => return true,
            "parenthesized_expression" | "conditional_expression" | "ternary_expression" => {
                node = outer;
            }
            _ => return false,
        }
    }
    false
}

impl<L> Ends<'_, '_, L> {
    /// Where a body certainly runs off its end: the last statement on that path.
    pub(super) fn falls(&self, body: Node<'_>) -> Option<Range<usize>> {
        match self.block(body, 0) {
            End::Falls(span) => Some(span),
            End::Never | End::Perhaps => None,
        }
    }

    fn block(&self, block: Node<'_>, depth: usize) -> End {
        self.sequence(&children(block), block.byte_range(), depth)
    }

    /// Statements in sequence: the last decides, unless an earlier one leaves.
    fn sequence(&self, statements: &[Node<'_>], whole: Range<usize>, depth: usize) -> End {
        if depth > MAX_DEPTH {
            return End::Perhaps;
        }
        let mut last = End::Falls(whole);
        for statement in statements {
            last = self.statement(*statement, depth + 1);
            if last == End::Never {
                return End::Never;
            }
        }
        last
    }

    fn statement(&self, statement: Node<'_>, depth: usize) -> End {
        let field = |name: &str| statement.child_by_field_name(name);
        let body = |name: &str| field(name).map(|body| self.inner(body, depth));
        let falls = || End::Falls(statement.byte_range());
        let is_true = || {
            let condition = field("condition").map(|condition| text(condition, self.source));
            matches!(condition, Some("True" | "1" | "true" | "(true)" | "(1)"))
        };
        match statement.kind() {
            "return_statement" | "raise_statement" | "throw_statement" | "break_statement"
            | "continue_statement" => End::Never,
            "expression_statement" => self.expression(statement),
            "block" | "statement_block" => self.block(statement, depth),
            "labeled_statement" => End::Perhaps,
            "with_statement" => body("body").unwrap_or_else(falls),
            "assert_statement" if text(statement, self.source).starts_with("assert False") => {
                End::Never
            }
            "while_statement" | "do_statement" | "for_statement" | "for_in_statement" => {
                let is_endless = is_true()
                    || statement.kind() == "for_statement"
                        && text(statement, self.source)
                            .replace(' ', "")
                            .starts_with("for(;;");
                match (is_endless, leaves_by(statement, "break_statement")) {
                    (true, false) => End::Never,
                    (_, true) => End::Perhaps,
                    _ if leaves_by(statement, "return_statement") => End::Perhaps,
                    _ => falls(),
                }
            }
            "if_statement" => {
                let mut branches = vec![body("consequence").unwrap_or_else(falls)];
                let mut cursor = statement.walk();
                let others: Vec<Node<'_>> = statement
                    .children_by_field_name("alternative", &mut cursor)
                    .collect();
                let mut has_else = is_true();
                for other in others {
                    let own = other.child_by_field_name("consequence");
                    has_else |= own.is_none();
                    let branch = own
                        .or_else(|| other.child_by_field_name("body"))
                        .or_else(|| children(other).first().copied());
                    branches.push(branch.map_or_else(falls, |branch| self.inner(branch, depth)));
                }
                if !has_else {
                    branches.push(End::Perhaps);
                }
                worst(branches)
            }
            "match_statement" | "switch_statement" => self.cases(statement, depth),
            "try_statement" => {
                let last = field("finalizer").or_else(|| clause(statement, "finally_clause"));
                let last = last.and_then(|last| {
                    last.child_by_field_name("body")
                        .or_else(|| children(last).last().copied())
                });
                if last.is_some_and(|last| self.inner(last, depth) == End::Never) {
                    return End::Never;
                }
                let mut branches = vec![body("body").unwrap_or_else(falls)];
                if let Some(other) = clause(statement, "else_clause")
                    && branches[0] != End::Never
                {
                    let body = other.child_by_field_name("body");
                    branches = vec![body.map_or_else(falls, |body| self.inner(body, depth))];
                }
                for handler in children(statement) {
                    if matches!(
                        handler.kind(),
                        "except_clause" | "except_group_clause" | "catch_clause"
                    ) {
                        let body = handler
                            .child_by_field_name("body")
                            .or_else(|| children(handler).last().copied());
                        branches.push(body.map_or_else(falls, |body| self.inner(body, depth)));
                    }
                }
                worst(branches)
            }
            _ => falls(),
        }
    }

    /// A block, or the single statement in its place.
    fn inner(&self, body: Node<'_>, depth: usize) -> End {
        if depth > MAX_DEPTH {
            return End::Perhaps;
        }
        match body.kind() {
            "block" | "statement_block" => self.block(body, depth),
            _ => self.statement(body, depth + 1),
        }
    }

    /// `match` and `switch`: without a default case the cases may still be exhaustive.
    fn cases(&self, statement: Node<'_>, depth: usize) -> End {
        let body = statement.child_by_field_name("body");
        let cases = body.map(children).unwrap_or_default();
        if statement.kind() == "switch_statement" {
            let is_left = leaves_by(statement, "break_statement");
            let has_default = cases.iter().any(|case| case.kind() == "switch_default");
            // A case that does not leave falls through to the next: only the last one ends the statement.
            let last = cases.last().map(|last| {
                let mut statements = children(*last);
                if last.kind() == "switch_case" && !statements.is_empty() {
                    statements.remove(0);
                }
                self.sequence(&statements, last.byte_range(), depth)
            });
            return match last {
                Some(End::Never) if has_default && !is_left => End::Never,
                _ => End::Perhaps,
            };
        }
        let mut branches = Vec::new();
        let mut has_rest = false;
        for case in &cases {
            let pattern = children(*case).first().map(|one| text(*one, self.source));
            has_rest |= pattern == Some("_") && case.child_by_field_name("guard").is_none();
            let own = case.child_by_field_name("consequence");
            branches.push(own.map_or(End::Perhaps, |own| self.inner(own, depth)));
        }
        if !has_rest {
            branches.push(End::Perhaps);
        }
        worst(branches)
    }

    /// The called function may never return: it may end the program, or be unknown here.
    fn expression(&self, statement: Node<'_>) -> End {
        let falls = End::Falls(statement.byte_range());
        let Some(call) = children(statement).first().copied() else {
            return falls;
        };
        let call = match call.kind() {
            "await" | "await_expression" => children(call).first().copied().unwrap_or(call),
            _ => call,
        };
        if call.kind() == "yield" {
            return End::Perhaps;
        }
        if call.kind() != self.syntax.flow.call {
            return falls;
        }
        let name = call.child_by_field_name("function");
        let name = name.map_or("", |name| text(name, self.source));
        let (of, last) = name.rsplit_once('.').unwrap_or(("", name));
        if super::shape::ENDS.contains(&last) {
            return End::Never;
        }
        let of = of.rsplit('.').next().unwrap_or(of);
        if TELLS.contains(&of) || of.is_empty() && TELLS.contains(&last) {
            falls
        } else {
            End::Perhaps
        }
    }
}

/// Whether such a statement leaves this loop or `switch`; inner functions are skipped.
fn leaves_by(statement: Node<'_>, kind: &str) -> bool {
    let mut leaves = false;
    walk(statement, |node| {
        leaves |= node.kind() == kind;
        let is_inner = node != statement
            && (node.kind().contains("function")
                || kind == "break_statement"
                    && matches!(
                        node.kind(),
                        "for_statement"
                            | "for_in_statement"
                            | "while_statement"
                            | "do_statement"
                            | "switch_statement"
                    ));
        if leaves || is_inner {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    leaves
}

fn clause<'n>(statement: Node<'n>, kind: &str) -> Option<Node<'n>> {
    let mut all = children(statement).into_iter();
    all.find(|child| child.kind() == kind)
}

/// The worst end of some branches: a branch that certainly falls through is reported.
fn worst(branches: Vec<End>) -> End {
    let mut worst = End::Never;
    for branch in branches {
        match branch {
            End::Falls(_) => return branch,
            End::Perhaps => worst = End::Perhaps,
            End::Never => {}
        }
    }
    worst
}
