//! Where the parameters of a tool go: which names hold something made of them, and what opens a file by one of those.
//!
//! Names are followed without their scopes: a name that holds a parameter in one function holds one in all. What a function
//! that is not in the file gives back is taken to be clean, as it may be the check.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

use tree_sitter::Node;

use super::code::Code;
use super::tree::{children, text, walk};

/// At most so many nodes are visited; a file with more is not reported on.
const MAX_WORK: usize = 2_000_000;

/// So often what is assigned is looked at again.
const MAX_ROUNDS: usize = 8;

/// The words by which a language's code is followed.
pub(super) struct Flow {
    /// What gives names to values: a kind of node, the field of the names, that of the value.
    pub(super) binds: &'static [(&'static str, &'static str, &'static str)],
    /// `a.b`: the kind, the field of `a`, that of `b`.
    pub(super) member: (&'static str, &'static str, &'static str),
    /// A call.
    pub(super) call: &'static str,
    /// Functions with bodies of their own.
    pub(super) inner: &'static [&'static str],
    /// Which of its arguments a function opens, makes or goes through as paths; none of most.
    pub(super) opens: fn(&str) -> Opens,
    /// Methods of a path that do.
    pub(super) methods: &'static [&'static str],
    /// Functions that give back what they are given, more or less.
    pub(super) passes: &'static [&'static str],
    /// Members and methods that are no path any more: the last part of one, a number.
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
    /// Any, to make a path of them; nothing is opened yet.
    Joins,
}

struct Names<'a, 'n> {
    flow: &'a Flow,
    source: &'a str,
    held: BTreeSet<&'a str>,
    functions: BTreeMap<&'a str, Vec<&'a str>>,
    /// With where the function starts that they are in.
    calls: Vec<(Node<'n>, Option<usize>)>,
    binds: Vec<(Vec<&'a str>, Node<'n>)>,
    work_left: usize,
}

/// Identifiers that `node` gives something to: a parameter, or what stands left of `=`.
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
    /// Tells in `code` where a path of the parameters is used first, and whether it was checked before.
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
        // In the function that opens it, the check comes first; in another nobody knows when that is called.
        code.checks_paths = checks.iter().any(|(at, function)| {
            opened.is_none_or(|(end, opener)| *at < end || *function != opener)
        });
    }
}

impl<'a, 'n> Names<'a, 'n> {
    /// Notes what gives names, functions with their parameters, and calls with the function that they are in.
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

    /// Follows what is held through assignments and the functions of the file.
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

    /// Whether something is made of the parameters.
    fn holds(&mut self, node: Node<'_>) -> bool {
        let mut holds = false;
        let (flow, source) = (self.flow, self.source);
        let mut work_left = self.work_left;
        // A name after a dot, and that of an argument: nobody's.
        let mut passed_over = None;
        walk(node, |one| {
            work_left = work_left.saturating_sub(1);
            if holds || work_left == 0 {
                return ControlFlow::Break(());
            }
            let kind = one.kind();
            if matches!(kind, "identifier" | "shorthand_property_identifier") {
                holds = passed_over != Some(one.id()) && self.held.contains(text(one, source));
            } else if kind == "keyword_argument" {
                passed_over = one.child_by_field_name("name").map(|name| name.id());
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

    /// Whether a call uses a path of the parameters, whether it opens it, and where.
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

    /// Whether a call compares a path of the parameters with another. What is compared with a word is no such thing.
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
