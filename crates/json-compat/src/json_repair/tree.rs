//! Values under construction, in one arena: no node owns another, so that depth costs no stack.

use std::collections::BTreeMap;

use toolglot_json::Shape;
use toolglot_json::internal::{blanks_end as blanks, string_end as string};
use toolglot_json::internal::{escape_into, unescape};

/// An index into the arena.
pub(super) type Id = usize;

/// An object with more members than this has a map of its keys.
const FEW: usize = 16;

#[derive(Debug)]
pub(super) enum Node {
    /// A missing value; written as the empty value of the shape.
    MissingValue,
    Null,
    Bool(bool),
    /// JSON text.
    Number(String),
    String(String),
    Array(Vec<Id>),
    Object(Members),
}

/// Members in the order of their keys' first occurrence.
#[derive(Debug, Default)]
pub(super) struct Members {
    pub(super) list: Vec<(String, Id)>,
    index: BTreeMap<String, usize>,
}

impl Members {
    pub(super) fn position(&self, key: &str) -> Option<usize> {
        if self.list.len() <= FEW {
            return self.list.iter().position(|(name, _)| name == key);
        }
        self.index.get(key).copied()
    }

    /// Sets a member; a key that exists keeps its position.
    pub(super) fn set(&mut self, key: String, value: Id) {
        if let Some(at) = self.position(&key) {
            self.list[at].1 = value;
            return;
        }
        self.list.push((key, value));
        match self.list.len() {
            n if n == FEW + 1 => {
                self.index = self
                    .list
                    .iter()
                    .enumerate()
                    .map(|(at, (name, _))| (name.clone(), at))
                    .collect();
            }
            n if n > FEW => {
                self.index.insert(self.list[n - 1].0.clone(), n - 1);
            }
            _ => {}
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    pub(super) fn add(&mut self, node: Node) -> Id {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    pub(super) fn get(&self, id: Id) -> &Node {
        &self.nodes[id]
    }

    pub(super) fn array(&mut self, id: Id) -> Option<&mut Vec<Id>> {
        match &mut self.nodes[id] {
            Node::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn object(&mut self, id: Id) -> Option<&mut Members> {
        match &mut self.nodes[id] {
            Node::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Whether the value is an empty string or an empty container.
    pub(super) fn is_empty(&self, id: Id) -> bool {
        match &self.nodes[id] {
            Node::MissingValue => true,
            Node::String(text) => text.is_empty(),
            Node::Array(items) => items.is_empty(),
            Node::Object(members) => members.list.is_empty(),
            _ => false,
        }
    }

    /// Whether the value is falsy in Python: empty, `null`, `false` or zero.
    pub(super) fn is_nothing(&self, id: Id) -> bool {
        match &self.nodes[id] {
            Node::Null | Node::Bool(false) => true,
            Node::Number(text) => text
                .trim_start_matches('-')
                .bytes()
                .take_while(|b| !matches!(b, b'e' | b'E'))
                .all(|b| matches!(b, b'0' | b'.')),
            _ => self.is_empty(id),
        }
    }

    pub(super) fn is_container(&self, id: Id) -> bool {
        matches!(self.nodes[id], Node::Array(_) | Node::Object(_))
    }

    /// Whether two values have the same keys and types.
    pub(super) fn is_same(&self, a: Id, b: Id, work: &mut u64) -> bool {
        let mut pairs = Vec::from([(a, b)]);
        while let Some((a, b)) = pairs.pop() {
            *work += 1;
            match (self.get(a), self.get(b)) {
                (Node::Null, Node::Null)
                | (Node::Bool(_), Node::Bool(_))
                | (Node::String(_) | Node::MissingValue, Node::String(_) | Node::MissingValue) => {}
                (Node::Number(a), Node::Number(b)) => {
                    let is_float = |text: &str| text.contains(['.', 'e', 'E']);
                    if is_float(a) != is_float(b) {
                        return false;
                    }
                }
                (Node::Array(a), Node::Array(b)) if a.len() == b.len() => {
                    pairs.extend(a.iter().copied().zip(b.iter().copied()));
                }
                (Node::Object(a), Node::Object(b)) if a.list.len() == b.list.len() => {
                    for (key, value) in &a.list {
                        match b.position(key) {
                            Some(at) => pairs.push((*value, b.list[at].1)),
                            None => return false,
                        }
                    }
                }
                _ => return false,
            }
        }
        true
    }

    /// The value of a JSON text.
    pub(super) fn read(&mut self, json: &str) -> Id {
        let bytes = json.as_bytes();
        // Open containers, each with the key of its next value.
        let mut open: Vec<(Id, Option<String>)> = Vec::new();
        let mut at = 0;
        loop {
            at = blanks(bytes, at);
            let done = match bytes.get(at) {
                Some(b'{' | b'[') => {
                    let node = if bytes[at] == b'{' {
                        Node::Object(Members::default())
                    } else {
                        Node::Array(Vec::new())
                    };
                    open.push((self.add(node), None));
                    at += 1;
                    None
                }
                Some(b'}' | b']') => {
                    at += 1;
                    open.pop().map(|(id, _)| id)
                }
                Some(b',' | b':') => {
                    at += 1;
                    None
                }
                Some(b'"') => {
                    let end = string(bytes, at + 1).unwrap_or(bytes.len());
                    let text = unescape(&json[at + 1..end - 1]).into_owned();
                    at = end;
                    let is_object = open
                        .last()
                        .is_some_and(|&(id, _)| matches!(self.nodes[id], Node::Object(_)));
                    match open.last_mut() {
                        Some((_, key @ None)) if is_object => {
                            *key = Some(text);
                            None
                        }
                        _ => Some(self.add(Node::String(text))),
                    }
                }
                Some(_) => {
                    let length = bytes[at..]
                        .iter()
                        .take_while(|b| !b",:]}[{ \t\r\n\"".contains(b))
                        .count()
                        .max(1);
                    let node = match &json[at..at + length] {
                        "true" => Node::Bool(true),
                        "false" => Node::Bool(false),
                        "null" => Node::Null,
                        number => Node::Number(String::from(number)),
                    };
                    at += length;
                    Some(self.add(node))
                }
                None => return open.first().map_or(0, |&(id, _)| id),
            };
            let Some(id) = done else { continue };
            match open.last_mut() {
                None => return id,
                Some((around, key)) => {
                    let (around, key) = (*around, key.take());
                    match &mut self.nodes[around] {
                        Node::Array(items) => items.push(id),
                        Node::Object(members) => members.set(key.unwrap_or_default(), id),
                        _ => {}
                    }
                }
            }
        }
    }

    /// JSON text, with a space after commas and colons.
    pub(super) fn write(&self, root: Id, shape: &Shape, out: &mut String) {
        enum Part<'a> {
            Value(Id, &'a Shape),
            Key(&'a str),
            Text(&'static str),
        }
        let mut parts = Vec::from([Part::Value(root, shape)]);
        while let Some(part) = parts.pop() {
            let (id, shape) = match part {
                Part::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Part::Key(key) => {
                    out.push('"');
                    escape_into(out, key);
                    out.push_str("\": ");
                    continue;
                }
                Part::Value(id, shape) => (id, shape),
            };
            match self.get(id) {
                Node::MissingValue => out.push_str(emptiest(shape)),
                Node::Null => out.push_str("null"),
                Node::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
                Node::Number(text) => out.push_str(text),
                Node::String(text) => {
                    out.push('"');
                    escape_into(out, text);
                    out.push('"');
                }
                Node::Array(items) => {
                    out.push('[');
                    let inner = match shape.of_container(false) {
                        Shape::Array(inner) => inner,
                        _ => &Shape::Any,
                    };
                    parts.push(Part::Text("]"));
                    for (n, item) in items.iter().enumerate().rev() {
                        parts.push(Part::Value(*item, inner));
                        if n > 0 {
                            parts.push(Part::Text(", "));
                        }
                    }
                }
                Node::Object(members) => {
                    out.push('{');
                    let shape = shape.of_container(true);
                    parts.push(Part::Text("}"));
                    for (n, (key, value)) in members.list.iter().enumerate().rev() {
                        parts.push(Part::Value(*value, of_member(shape, key)));
                        parts.push(Part::Key(key));
                        if n > 0 {
                            parts.push(Part::Text(", "));
                        }
                    }
                }
            }
        }
    }
}

/// The shape of an object's member.
fn of_member<'s>(object: &'s Shape, key: &str) -> &'s Shape {
    let Shape::Object(fields) = object else {
        return &Shape::Any;
    };
    let declared = fields.get(key).or(fields.others.as_deref());
    declared.unwrap_or(&Shape::Any)
}

/// The emptiest value of a shape, as JSON text.
fn emptiest(shape: &Shape) -> &'static str {
    match shape {
        Shape::Scalar(set) if set.integer || set.number => "0",
        Shape::Scalar(set) if set.boolean => "false",
        Shape::Scalar(_) => "null",
        Shape::Object(_) => "{}",
        Shape::Array(_) => "[]",
        Shape::OneOf(parts) => parts.first().map_or("\"\"", emptiest),
        _ => "\"\"",
    }
}
