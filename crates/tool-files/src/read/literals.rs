//! Literals of programming languages: the parts that all syntax trees share.

use tree_sitter::Node;

use super::tree::{children, shortened, text};
use crate::diagnostic::Diagnostics;
use crate::fields;
use crate::literal::{Content, Literal, MAX_DEPTH, MAX_VALUES, Member, negated};
use crate::rule;

/// The state of a reader of literals, in any language.
pub(super) struct LiteralContext<'s> {
    pub(super) source: &'s str,
    pub(super) diagnostics: &'s mut Diagnostics,
    /// How many more values may be read.
    values_left: usize,
}

impl<'s> LiteralContext<'s> {
    pub(super) fn new(source: &'s str, diagnostics: &'s mut Diagnostics) -> LiteralContext<'s> {
        LiteralContext {
            source,
            diagnostics,
            values_left: MAX_VALUES,
        }
    }
}

/// A reader of literals. The associated constants and [`literal`](Literals::literal) have the syntax of its language.
pub(super) trait Literals<'t, 's> {
    /// The kind of node of `a + b`.
    const BINARY: &'static str;
    /// The kind of node of a spread in a list.
    const SPREAD: &'static str;
    /// The language's name for a list.
    const LIST: &'static str;
    /// Whether `+` joins lists, as it joins texts.
    const JOINS_LISTS: bool;
    /// The message for a file whose literals have more than [`MAX_VALUES`] values.
    const TOO_MANY: &'static str;

    fn context(&mut self) -> &mut LiteralContext<'s>;
    /// The literal of a node that is counted already. Any other node is reported and gives [`Content::Computed`].
    fn literal(&mut self, node: Node<'t>, variable: &str, depth: usize) -> Literal;

    /// The literal of a node, unless it nests too deep or exceeds the limit of values.
    fn value(&mut self, node: Node<'t>, variable: &str, depth: usize) -> Literal {
        match self.refused(node, variable, depth) {
            Some(literal) => literal,
            None => self.literal(node, variable, depth),
        }
    }

    /// Reports that a node is not a literal.
    fn computed(&mut self, node: Node<'_>, variable: &str, why: &str) -> Literal {
        let code = shortened(text(node, self.context().source));
        self.context().diagnostics.help(
            rule::COMPUTED,
            node.byte_range(),
            format!("{code} in `{variable}` is not a literal: {why}"),
            "a tool file is read without running it: write the value itself".to_owned(),
        );
        Literal::computed(node.byte_range())
    }

    /// Counts a value before it is read. Returns its replacement if it nests too deep or exceeds the limit of values.
    fn refused(&mut self, node: Node<'_>, variable: &str, depth: usize) -> Option<Literal> {
        if depth > MAX_DEPTH {
            return Some(self.computed(node, variable, "it nests too deep"));
        }
        let Some(left) = self.context().values_left.checked_sub(1) else {
            return Some(Literal::computed(node.byte_range()));
        };
        self.context().values_left = left;
        (left == 0).then(|| self.computed(node, variable, Self::TOO_MANY))
    }

    /// Reports code that changes a field after its literal.
    fn changed(&mut self, variable: &str, at: Node<'_>, instead: &str) {
        self.context().diagnostics.help(
            rule::COMPUTED,
            at.byte_range(),
            format!("`{variable}` is computed here, and a tool file is read without running it"),
            format!("write `{instead}` once, as a literal"),
        );
    }

    /// Reports a variable whose name is close to that of a field.
    fn nearly(&mut self, variable: &str, name: Node<'_>) {
        let Some(nearest) = fields::nearly(variable) else {
            return;
        };
        let meant = match nearest {
            "tool_description" => "__tool_description__".to_owned(),
            other => fields::variable(other),
        };
        self.context().diagnostics.help(
            rule::UNKNOWN_FIELD,
            name.byte_range(),
            format!("`{variable}` says nothing about a tool"),
            format!("did you mean `{meant}`?"),
        );
    }

    /// `-1` and `+1`.
    fn unary(&mut self, node: Node<'t>, variable: &str, depth: usize) -> Literal {
        let operator = node
            .child_by_field_name("operator")
            .map(|operator| text(operator, self.context().source).to_owned());
        let Some(argument) = node.child_by_field_name("argument") else {
            return Literal::computed(node.byte_range());
        };
        let inner = self.value(argument, variable, depth + 1).content;
        let content = match (operator.as_deref(), inner) {
            (Some("+"), content @ Content::Number(_)) => content,
            (Some("-"), Content::Number(number)) => match negated(&number) {
                Some(number) => Content::Number(number),
                None => {
                    return self.computed(node, variable, "JSON cannot carry this number");
                }
            },
            (_, Content::Computed) => Content::Computed,
            _ => return self.computed(node, variable, "this is computed when the file runs"),
        };
        Literal::new(node.byte_range(), content)
    }

    /// `"a" + "b"`: a literal in pieces. A chain of them nests to the left.
    fn concatenation(&mut self, node: Node<'t>, variable: &str, depth: usize) -> Literal {
        let mut parts = Vec::new();
        let mut left = node;
        while left.kind() == Self::BINARY {
            let is_plus = left
                .child_by_field_name("operator")
                .is_some_and(|operator| text(operator, self.context().source) == "+");
            let (Some(first), Some(second), true) = (
                left.child_by_field_name("left"),
                left.child_by_field_name("right"),
                is_plus,
            ) else {
                return self.computed(node, variable, "this is computed when the file runs");
            };
            parts.push(second);
            left = first;
        }
        parts.push(left);
        let mut whole: Option<Content> = None;
        for part in parts.into_iter().rev() {
            let part = self.value(part, variable, depth + 1).content;
            whole = Some(match (whole, part) {
                (_, Content::Computed) | (Some(Content::Computed), _) => Content::Computed,
                (None, part @ Content::Text(_)) => part,
                (None, part @ Content::List(_)) if Self::JOINS_LISTS => part,
                (Some(Content::Text(a)), Content::Text(b)) => Content::Text(a + &b),
                (Some(Content::List(mut a)), Content::List(b)) => {
                    a.extend(b);
                    Content::List(a)
                }
                _ => return self.computed(node, variable, "this is computed when the file runs"),
            });
        }
        Literal::new(node.byte_range(), whole.unwrap_or(Content::Computed))
    }

    /// The items of a list, including those of lists that are spread in it.
    fn items(&mut self, node: Node<'t>, variable: &str, depth: usize) -> Literal {
        let mut items = Vec::new();
        for item in children(node) {
            if item.kind() != Self::SPREAD {
                items.push(self.value(item, variable, depth + 1));
                continue;
            }
            let spread = children(item)
                .first()
                .map(|inner| self.value(*inner, variable, depth + 1).content);
            match spread {
                Some(Content::List(more)) => items.extend(more),
                Some(Content::Computed) | None => items.push(Literal::computed(item.byte_range())),
                Some(_) => {
                    let why = format!("only {} can be spread here", Self::LIST);
                    return self.computed(item, variable, &why);
                }
            }
        }
        Literal::new(node.byte_range(), Content::List(items))
    }
}

/// Puts a member into a map. The last member of a name wins, and takes the place of the first.
pub(super) fn put(members: &mut Vec<Member>, member: Member) {
    match members.iter_mut().find(|known| known.key == member.key) {
        Some(known) => *known = member,
        None => members.push(member),
    }
}
