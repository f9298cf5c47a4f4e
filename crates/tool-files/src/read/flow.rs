//! Data flow of a tool's parameters: which names hold a value made of them, and which calls open a file by such a
//! value.
//!
//! Scopes are ignored: a name that holds a parameter in one function holds one in all. The result of a function of
//! another file counts as clean, as that function may be the check.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

use tree_sitter::Node;

use super::code::Code;
use super::tree::{children, text, walk};

/// The most nodes that are visited; nothing is reported for a larger file.
const MAX_WORK: usize = 2_000_000;

/// The most rounds over the assignments.
const MAX_ROUNDS: usize = 8;

/// The syntax kinds and the names that data flow needs of a language.
pub(super) struct Flow {
    /// Bindings: the kind of node, the field of the names, the field of the value.
    pub(super) binds: &'static [(&'static str, &'static str, &'static str)],
    /// `a.b`: the kind, the field of `a`, the field of `b`.
    pub(super) member: (&'static str, &'static str, &'static str),
    /// A call.
    pub(super) call: &'static str,
    /// Functions with bodies of their own.
    pub(super) inner: &'static [&'static str],
    /// Which arguments of a function are paths that it opens, creates or walks; none for most functions.
    pub(super) opens: fn(&str) -> Opens,
    /// Methods of a path that open, create or walk it.
    pub(super) methods: &'static [&'static str],
    /// Functions whose result is made of their arguments.
    pub(super) passes: &'static [&'static str],
    /// Members and methods whose result is not a path: the last part of one, a number.
    pub(super) clean: &'static [&'static str],
    /// Methods that compare a path with another.
    pub(super) compares: &'static [&'static str],
}

/// Which arguments of a function are paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opens {
    Nothing,
    /// The first.
    One,
    /// The first two.
    Two,
    /// Any: the function joins them to a path and opens nothing.
    Joins,
}

struct Names<'a, 'n> {
    flow: &'a Flow,
    source: &'a str,
    held: BTreeSet<&'a str>,
    functions: BTreeMap<&'a str, Vec<&'a str>>,
    /// Each call with the start of the function around it.
    calls: Vec<(Node<'n>, Option<usize>)>,
    binds: Vec<(Vec<&'a str>, Node<'n>)>,
    work_left: usize,
}

/// Identifiers that `node` binds: a parameter, or the left side of `=`.
pub(super) fn names<'a>(node: Node<'_>, source: &'a str) -> Vec<&'a str> {
    let mut names = Vec::new();
    walk(node, |node| match node.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => {
            names.push(text(node, source));
            ControlFlow::Break(())
        }
        "type"
        | "type_annotation"
        | "attribute"
        | "subscript"
        | "member_expression"
        | "subscript_expression" => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    names
}

impl Flow {
    /// Records in `code` where a path of the parameters is first used, and whether it was checked before.
    pub(super) fn paths(&self, root: Node<'_>, source: &str, code: &mut Code) {
        let mut names = Names {
            flow: self,
            source,
            held: BTreeSet::new(),
            functions: BTreeMap::new(),
            calls: Vec::new(),
            binds: Vec::new(),
            work_left: MAX_WORK,
        };
        let given = std::mem::take(&mut code.given);
        names.held.extend(given.iter().map(String::as_str));
        names.collect(root);
        names.spread();
        let (mut first, mut opened) = (None, None);
        let mut checks = Vec::new();
        for (call, function) in names.calls.clone() {
            let Some((is_opened, span)) = names.used(call) else {
                if names.is_check(call) {
                    checks.push((call.start_byte(), function));
                }
                continue;
            };
            if is_opened && opened.is_none() {
                opened = Some((span.end, function));
            }
            first = first.or(Some(span));
        }
        if names.work_left == 0 {
            return;
        }
        code.uses_paths = first;
        // In the function that opens the path, the check comes first; when another function is called is unknown.
        code.checks_paths = checks.iter().any(|(at, function)| {
            opened.is_none_or(|(end, opener)| *at < end || *function != opener)
        });
    }
}

impl<'a, 'n> Names<'a, 'n> {
    /// Collects bindings, functions with their parameters, and calls with the function around them.
    fn collect(&mut self, root: Node<'n>) {
        let mut around: Vec<Range<usize>> = Vec::new();
        walk(root, |node| {
            let kind = node.kind();
            while around
                .last()
                .is_some_and(|function| function.end <= node.start_byte())
            {
                around.pop();
            }
            if kind == self.flow.call {
                self.calls
                    .push((node, around.last().map(|function| function.start)));
            }
            for (bind, target, value) in self.flow.binds {
                if kind == *bind
                    && let Some(target) = node.child_by_field_name(target)
                    && let Some(value) = node.child_by_field_name(value)
                {
                    if self.flow.inner.contains(&value.kind()) {
                        self.function(target, value);
                    }
                    self.binds.push((names(target, self.source), value));
                }
            }
            if self.flow.inner.contains(&kind) {
                around.push(node.byte_range());
                if let Some(name) = node.child_by_field_name("name") {
                    self.function(name, node);
                }
            }
            ControlFlow::Continue(())
        });
    }

    fn function(&mut self, name: Node<'_>, function: Node<'_>) {
        let Some(parameters) = function.child_by_field_name("parameters") else {
            return;
        };
        let each = children(parameters).into_iter();
        let each = each.map(|one| names(one, self.source).first().copied());
        let each = each.map(Option::unwrap_or_default).collect();
        self.functions.insert(text(name, self.source), each);
    }

    /// Propagates held names through assignments and through calls of the file's functions.
    fn spread(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let before = self.held.len();
            for at in 0..self.binds.len() {
                let value = self.binds[at].1;
                if self.holds(value) {
                    let names = self.binds[at].0.clone();
                    self.held.extend(names);
                }
            }
            for (call, _) in self.calls.clone() {
                let name = self.field(call, "function");
                let Some(parameters) = self.functions.get(name).cloned() else {
                    continue;
                };
                for (argument, parameter) in arguments(call).into_iter().zip(parameters) {
                    if self.holds(argument) {
                        let named = argument.child_by_field_name("name");
                        let named = named.filter(|_| argument.kind() == "keyword_argument");
                        let name = named.map_or(parameter, |name| text(name, self.source));
                        self.held.insert(name);
                    }
                }
            }
            self.held.remove("");
            if self.held.len() == before {
                return;
            }
        }
    }

    /// Whether a node holds a value made of the parameters.
    fn holds(&mut self, node: Node<'_>) -> bool {
        let mut holds = false;
        let (flow, source) = (self.flow, self.source);
        let mut work_left = self.work_left;
        // The name of a keyword argument is not a variable.
        let mut keyword = None;
        walk(node, |one| {
            work_left = work_left.saturating_sub(1);
            if holds || work_left == 0 {
                return ControlFlow::Break(());
            }
            let kind = one.kind();
            if matches!(kind, "identifier" | "shorthand_property_identifier") {
                holds = keyword != Some(one.id()) && self.held.contains(text(one, source));
            } else if kind == "keyword_argument" {
                keyword = one.child_by_field_name("name").map(|name| name.id());
            } else if flow.inner.contains(&kind) {
                return ControlFlow::Break(());
            } else if kind == flow.member.0 {
                let member = one.child_by_field_name(flow.member.2);
                if member.is_some_and(|member| flow.clean.contains(&text(member, source))) {
                    return ControlFlow::Break(());
                }
                if let Some(object) = one.child_by_field_name(flow.member.1)
                    && object.kind() == "identifier"
                {
                    holds = self.held.contains(text(object, source));
                    return ControlFlow::Break(());
                }
            } else if kind == flow.call
                && let Some(callee) = one.child_by_field_name("function")
                && (callee.kind() == "identifier"
                    || flow.clean.contains(&last(text(callee, source))))
            {
                let name = text(callee, source);
                let passes = flow.passes.contains(&name)
                    || (flow.opens)(name) != Opens::Nothing
                    || self.functions.contains_key(name);
                if !passes {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        self.work_left = work_left;
        holds
    }

    fn field(&self, node: Node<'_>, field: &str) -> &'a str {
        let child = node.child_by_field_name(field);
        child.map_or("", |child| text(child, self.source))
    }

    /// Where a call uses a path of the parameters, and whether it opens the path.
    fn used(&mut self, call: Node<'_>) -> Option<(bool, Range<usize>)> {
        let opens = (self.flow.opens)(self.field(call, "function"));
        let n_paths = match opens {
            Opens::Nothing => 0,
            Opens::One => 1,
            Opens::Two => 2,
            Opens::Joins => usize::MAX,
        };
        let mut arguments = arguments(call).into_iter().take(n_paths);
        if arguments.any(|argument| self.holds(argument)) {
            return Some((opens != Opens::Joins, call.byte_range()));
        }
        let callee = call.child_by_field_name("function")?;
        if callee.kind() != self.flow.member.0
            || !self
                .flow
                .methods
                .contains(&self.field(callee, self.flow.member.2))
        {
            return None;
        }
        let object = callee.child_by_field_name(self.flow.member.1)?;
        self.holds(object).then(|| (true, call.byte_range()))
    }

    /// Whether a call compares a path of the parameters with another path. A comparison with a literal is not a check.
    fn is_check(&mut self, call: Node<'_>) -> bool {
        let name = last(self.field(call, "function"));
        if !self.flow.compares.contains(&name) {
            return false;
        }
        let arguments = arguments(call);
        let is_word = matches!(arguments.as_slice(), [one] if one.kind() == "string");
        let object = call
            .child_by_field_name("function")
            .and_then(|callee| callee.child_by_field_name(self.flow.member.1));
        !is_word
            && object
                .into_iter()
                .chain(arguments)
                .any(|one| self.holds(one))
    }
}

/// The last part of `a.b.c`.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    let arguments = call.child_by_field_name("arguments");
    arguments.map(children).unwrap_or_default()
}
