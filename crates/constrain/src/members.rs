//! Members of an object and parameters of a call: which are required, and in which order they may occur.

use toolglot_value::Value;

use crate::error::GrammarError;
use crate::grammar::{Node, RuleId};
use crate::schema::SchemaWriter;

/// Up to this many members may come in any order: each set of remaining members is a rule.
const FREE_ORDER: usize = 4;

/// A declared member.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) schema: Value,
    /// JSON pointer of its schema.
    pub(crate) pointer: String,
    pub(crate) is_required: bool,
}

type Built = Result<Node, GrammarError>;

impl SchemaWriter<'_> {
    /// The separated members, then any number of `extra` ones; at least one in all if `needs_one`. `item` makes the
    /// node of one.
    pub(crate) fn members(
        &mut self,
        members: &[Member],
        at: &str,
        separator: Node,
        extra: Option<Node>,
        needs_one: bool,
        item: &mut dyn FnMut(&mut Self, &Member) -> Built,
    ) -> Built {
        let mut items = Vec::new();
        for member in members {
            let node = item(self, member)?;
            items.push(Node::Rule(self.rules.add(&member.name, node)));
        }
        let list = List {
            members,
            items,
            separator,
            extra,
            needs_one,
        };
        if members.len() > FREE_ORDER {
            self.note(
                at,
                &format!(
                    "{} members: they stand in the order of the schema, since more than {FREE_ORDER} have too many orders",
                    members.len()
                ),
            );
            return Ok(self.in_order(&list));
        }
        Ok(self.in_any_order(&list))
    }

    /// The members in their order.
    fn in_order(&mut self, list: &List<'_>) -> Node {
        // From the last member to the first: the rest of the list after a member, and the rest that starts the list.
        let mut later = list.rest(false);
        let mut first = list.rest(true);
        for (n, member) in list.members.iter().enumerate().rev() {
            let with = list.item(n, true, later.clone());
            first = if member.is_required {
                with
            } else {
                Node::choice([with, first])
            };
            let with = list.item(n, false, later.clone());
            let node = if member.is_required {
                with
            } else {
                Node::choice([with, later])
            };
            later = Node::Rule(self.rules.add("then", node));
        }
        first
    }

    /// The members in any order: a rule for each set of members already written.
    fn in_any_order(&mut self, list: &List<'_>) -> Node {
        let n = list.members.len();
        let all = (1_usize << n) - 1;
        let ids: Vec<RuleId> = (0..all).map(|_| self.rules.reserve("some")).collect();
        for mask in (0..all).rev() {
            let mut ways: Vec<Node> = (0..n)
                .filter(|one| mask & (1 << one) == 0)
                .map(|one| {
                    let next = mask | (1 << one);
                    let after = match ids.get(next) {
                        Some(id) => Node::Rule(*id),
                        None => list.rest(false),
                    };
                    list.item(one, mask == 0, after)
                })
                .collect();
            let is_enough =
                (0..n).all(|one| mask & (1 << one) != 0 || !list.members[one].is_required);
            if is_enough {
                ways.push(list.rest(mask == 0));
            }
            self.rules.set(ids[mask], Node::choice(ways));
        }
        ids.first()
            .map_or_else(|| list.rest(true), |id| Node::Rule(*id))
    }
}

/// Members with their nodes.
struct List<'m> {
    members: &'m [Member],
    items: Vec<Node>,
    separator: Node,
    extra: Option<Node>,
    /// Whether at least one member, declared or extra, is needed.
    needs_one: bool,
}

impl List<'_> {
    fn item(&self, n: usize, is_first: bool, after: Node) -> Node {
        let separator = if is_first {
            Node::empty()
        } else {
            self.separator.clone()
        };
        Node::sequence([separator, self.items[n].clone(), after])
    }

    /// The part of the list after the declared members.
    fn rest(&self, is_first: bool) -> Node {
        let Some(extra) = &self.extra else {
            return if is_first && self.needs_one {
                Node::choice([])
            } else {
                Node::empty()
            };
        };
        let more = Node::sequence([self.separator.clone(), extra.clone()]).repeat(0, None);
        if is_first {
            let some = Node::sequence([extra.clone(), more]);
            if self.needs_one {
                some
            } else {
                some.optional()
            }
        } else {
            more
        }
    }
}
