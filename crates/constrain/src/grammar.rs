//! The intermediate form: rules of nodes, from which each target is printed.

use std::collections::HashSet;

/// A set of characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CharClass {
    /// Ranges with both ends included, sorted and disjoint.
    pub(crate) ranges: Vec<(char, char)>,
}

impl CharClass {
    pub(crate) fn new(mut ranges: Vec<(char, char)>) -> CharClass {
        ranges.sort_unstable();
        let mut merged: Vec<(char, char)> = Vec::new();
        for (first, last) in ranges {
            match merged.last_mut() {
                Some((_, end)) if first <= *end || Some(first) == after(*end) => {
                    *end = (*end).max(last);
                }
                _ => merged.push((first, last)),
            }
        }
        CharClass { ranges: merged }
    }

    /// All characters but these.
    pub(crate) fn except(chars: &[char]) -> CharClass {
        CharClass::new(chars.iter().map(|&c| (c, c)).collect()).negated()
    }

    pub(crate) fn negated(&self) -> CharClass {
        let mut ranges = Vec::new();
        let mut next = Some('\0');
        for &(first, last) in &self.ranges {
            if let (Some(start), Some(end)) = (next, before(first))
                && start <= end
            {
                ranges.push((start, end));
            }
            next = after(last);
        }
        if let Some(start) = next {
            ranges.push((start, char::MAX));
        }
        CharClass { ranges }
    }

    /// The intersection of two classes.
    pub(crate) fn and(&self, other: &CharClass) -> CharClass {
        let mut outside = self.negated().ranges;
        outside.extend(other.negated().ranges);
        CharClass::new(outside).negated()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub(crate) fn contains(&self, c: char) -> bool {
        self.ranges
            .iter()
            .any(|&(first, last)| first <= c && c <= last)
    }
}

/// The next character; the surrogates are skipped.
fn after(c: char) -> Option<char> {
    match c {
        '\u{d7ff}' => Some('\u{e000}'),
        char::MAX => None,
        c => char::from_u32(u32::from(c) + 1),
    }
}

/// The previous character.
fn before(c: char) -> Option<char> {
    match c {
        '\u{e000}' => Some('\u{d7ff}'),
        '\0' => None,
        c => char::from_u32(u32::from(c) - 1),
    }
}

/// The name of a rule: its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RuleId(pub(crate) usize);

/// A set of texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Literal(String),
    Class(CharClass),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat(Box<Node>, u32, Option<u32>),
    Rule(RuleId),
    /// Any text that contains none of some strings.
    Text(RawText),
    /// A Lark grammar, nested verbatim.
    Lark(String),
}

/// Any text that contains none of some strings, with further conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RawText {
    /// The excluded strings.
    pub(crate) without: Vec<String>,
    /// The text is not blank.
    pub(crate) is_filled: bool,
    /// After blanks, the text does not start like a JSON object or array.
    pub(crate) is_plain: bool,
    /// The minimum and maximum number of characters, for targets that can count.
    pub(crate) length: Option<(u32, Option<u32>)>,
}

impl RawText {
    pub(crate) fn without(strings: &[String]) -> RawText {
        RawText {
            without: strings.to_vec(),
            ..RawText::default()
        }
    }
}

impl Node {
    pub(crate) fn literal(text: impl Into<String>) -> Node {
        Node::Literal(text.into())
    }

    pub(crate) fn empty() -> Node {
        Node::Sequence(Vec::new())
    }

    pub(crate) fn optional(self) -> Node {
        Node::Repeat(Box::new(self), 0, Some(1))
    }

    pub(crate) fn repeat(self, min: u32, max: Option<u32>) -> Node {
        Node::Repeat(Box::new(self), min, max)
    }

    pub(crate) fn any_digit() -> Node {
        Node::Class(CharClass::new(vec![('0', '9')]))
    }

    /// A concatenation: nested sequences are flattened, adjacent literals joined.
    pub(crate) fn sequence(nodes: impl IntoIterator<Item = Node>) -> Node {
        fn push(flat: &mut Vec<Node>, node: Node) {
            match node {
                Node::Sequence(nodes) => nodes.into_iter().for_each(|node| push(flat, node)),
                Node::Literal(text) => match flat.last_mut() {
                    Some(Node::Literal(before)) => before.push_str(&text),
                    _ if text.is_empty() => {}
                    _ => flat.push(Node::Literal(text)),
                },
                node => flat.push(node),
            }
        }
        let mut flat = Vec::new();
        nodes.into_iter().for_each(|node| push(&mut flat, node));
        match flat.len() {
            1 => flat.swap_remove(0),
            _ => Node::Sequence(flat),
        }
    }

    /// A choice: nested choices are flattened, equal alternatives merged.
    pub(crate) fn choice(nodes: impl IntoIterator<Item = Node>) -> Node {
        let flat: Vec<Node> = nodes
            .into_iter()
            .flat_map(|node| match node {
                Node::Choice(inner) => inner,
                node => vec![node],
            })
            .collect();
        let mut seen = HashSet::new();
        let is_first: Vec<bool> = flat.iter().map(|node| seen.insert(node)).collect();
        let marked = flat.into_iter().zip(is_first);
        let mut flat: Vec<Node> = marked
            .filter_map(|(node, is_first)| is_first.then_some(node))
            .collect();
        match flat.len() {
            1 => flat.swap_remove(0),
            _ => Node::Choice(flat),
        }
    }
}

/// Rules by their ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    rules: Vec<(String, Node)>,
    names: HashSet<String>,
}

impl Rules {
    /// A rule whose node is set later, so that it may refer to itself.
    pub(crate) fn reserve(&mut self, name: &str) -> RuleId {
        self.add(name, Node::empty())
    }

    pub(crate) fn set(&mut self, id: RuleId, node: Node) {
        self.rules[id.0].1 = node;
    }

    /// A new rule. Its name has lower-case letters, digits and `-`, and is unique.
    pub(crate) fn add(&mut self, name: &str, node: Node) -> RuleId {
        let mut plain: String = name
            .chars()
            .map(|c| match c.to_ascii_lowercase() {
                c @ ('a'..='z' | '0'..='9') => c,
                _ => '-',
            })
            .take(40)
            .collect();
        // Printers use these names for the start rule and the automaton states.
        let is_taken = plain == "root" || plain.starts_with("text-");
        if is_taken || !plain.starts_with(|c: char| c.is_ascii_lowercase()) {
            plain.insert_str(0, "r-");
        }
        let id = RuleId(self.rules.len());
        if self.names.contains(&plain) {
            plain = format!("{plain}-{}", id.0);
        }
        self.names.insert(plain.clone());
        self.rules.push((plain, node));
        id
    }

    pub(crate) fn name(&self, id: RuleId) -> &str {
        &self.rules[id.0].0
    }

    pub(crate) fn node(&self, id: RuleId) -> &Node {
        &self.rules[id.0].1
    }

    pub(crate) fn len(&self) -> usize {
        self.rules.len()
    }

    /// The rules reachable from `start`, in the order of their first use.
    pub(crate) fn reached(&self, start: &Node) -> Vec<RuleId> {
        let mut seen = vec![false; self.rules.len()];
        let mut order = Vec::new();
        let mut todo: Vec<&Node> = vec![start];
        while let Some(node) = todo.pop() {
            match node {
                Node::Sequence(nodes) | Node::Choice(nodes) => todo.extend(nodes.iter().rev()),
                Node::Repeat(inner, ..) => todo.push(inner),
                Node::Rule(id) if !std::mem::replace(&mut seen[id.0], true) => {
                    order.push(*id);
                    todo.push(self.node(*id));
                }
                Node::Rule(_)
                | Node::Literal(_)
                | Node::Class(_)
                | Node::Text(_)
                | Node::Lark(_) => {}
            }
        }
        order
    }
}
