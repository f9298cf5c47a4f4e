//! Elements as a tree, and the JSON that a tree becomes under a shape.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use toolglot_json::internal::{Target, escape_into, fitted, quoted};
use toolglot_json::{Fields, Output, Root, Shape, Step, Transducer};

use super::escaped::Escaped;
use crate::Code;
use crate::grammar::Values;
use crate::machine::{changed, listed, typed, untyped};
use crate::remark::remark;
use crate::render::ITEM;

/// An element's content. Its text is in a buffer that all trees of a body share.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) content: Content,
    pub(crate) attributes: Vec<(String, String)>,
    /// The content with its tags, entities decoded.
    pub(crate) flat: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// Text; `verbatim` if a part of it was CDATA.
    Text { verbatim: bool },
    /// Text between elements: the string is the flat text.
    Mixed,
    /// Elements only. The engine bounds the depth.
    Elements(Vec<(String, Tree)>),
}

/// Writes trees and collects notes.
pub(crate) struct Writer<'a> {
    pub(crate) flat: &'a str,
    pub(crate) values: &'a Values,
    /// Elements named `item` are the items of a list.
    pub(crate) has_items: bool,
    pub(crate) out: &'a mut String,
    pub(crate) remarks: Vec<(Code, String)>,
}

impl Writer<'_> {
    /// Writes one tree.
    pub(crate) fn tree(&mut self, tree: &Tree, shape: Option<&Shape>) {
        let text = &self.flat[tree.flat.clone()];
        if let (Some(shape), Content::Text { .. } | Content::Mixed) = (shape, &tree.content)
            && self.write_document(text, shape)
        {
            return;
        }
        match (shape, &tree.content) {
            (Some(Shape::Object(fields)), _) => self.object(tree, text, fields),
            (Some(Shape::Array(item)), _) => self.array(tree, text, item),
            (Some(shape @ Shape::OneOf(shapes)), Content::Elements(children)) => {
                match structured(shapes, children) {
                    Some(shape) => self.tree(tree, Some(shape)),
                    None => self.scalar(text, shape),
                }
            }
            (Some(shape @ (Shape::Scalar(_) | Shape::OneOf(_))), _) => self.scalar(text, shape),
            (Some(Shape::Text), _) | (_, Content::Mixed | Content::Text { verbatim: true }) => {
                self.string(text);
            }
            (_, Content::Text { .. }) => {
                let (json, remark) = untyped(text, self.values);
                self.out.push_str(&json);
                self.remarks.extend(remark);
            }
            (_, Content::Elements(children))
                if self.has_items && children.iter().all(|(name, _)| name == ITEM) =>
            {
                self.list(children.iter().map(|(_, child)| child), None);
            }
            (_, Content::Elements(children)) => self.members(children, &tree.attributes, None),
        }
    }

    /// The members of an object: siblings of one name are an array, or one value if the shape says so.
    pub(crate) fn members(
        &mut self,
        children: &[(String, Tree)],
        attributes: &[(String, String)],
        fields: Option<&Fields>,
    ) {
        self.out.push('{');
        let mut first = true;
        for (name, value) in attributes {
            let Some(shape) = fields.and_then(|fields| fields.get(name)) else {
                continue;
            };
            self.key(name, &mut first);
            match shape {
                Shape::Scalar(_) | Shape::OneOf(_) => self.scalar(value, shape),
                _ => self.string(value),
            }
        }
        for (name, group) in groups(children) {
            self.key(name, &mut first);
            let shape = fields.and_then(|fields| member_shape(fields, name));
            self.group(&group, shape);
        }
        self.out.push('}');
    }

    /// Writes all values of one name.
    pub(crate) fn group(&mut self, group: &[&Tree], shape: Option<&Shape>) {
        match (group, shape) {
            ([one], _) => self.tree(one, shape),
            (many, Some(Shape::Array(item))) => self.list(many.iter().copied(), Some(item)),
            (many, None | Some(Shape::Any | Shape::OneOf(_))) => {
                self.list(many.iter().copied(), None);
            }
            ([.., last], shape) => {
                self.remarks.push((
                    Code::DuplicateKey,
                    String::from("the parameter came more than once; the last value counts"),
                ));
                self.tree(last, shape);
            }
            ([], _) => {}
        }
    }

    fn list<'t>(&mut self, items: impl Iterator<Item = &'t Tree>, shape: Option<&Shape>) {
        self.out.push('[');
        for (n, item) in items.enumerate() {
            self.out.push_str(if n > 0 { "," } else { "" });
            self.tree(item, shape);
        }
        self.out.push(']');
    }

    fn object(&mut self, tree: &Tree, text: &str, fields: &Fields) {
        match &tree.content {
            Content::Elements(children) => self.members(children, &tree.attributes, Some(fields)),
            _ if text.trim_start().starts_with('{') => self.misfit(text, "object"),
            _ if text.trim().is_empty() && tree.attributes.is_empty() => self.out.push_str("{}"),
            _ => {
                // `<suggest mode="code">text</suggest>`: the text is under the field that the attributes leave.
                let is_free = |name: &str| tree.attributes.iter().all(|(have, _)| have != name);
                let is_text = |one: &&(String, Shape)| one.1 == Shape::Text && is_free(&one.0);
                let mut texts = fields.properties.iter().filter(is_text);
                let named = texts.clone().find(|(name, _)| name == "text");
                let other = || texts.next().filter(|_| !tree.attributes.is_empty());
                let Some((field, _)) = named.or_else(other) else {
                    return self.misfit(text, "object");
                };
                let mut child = tree.clone();
                child.attributes.clear();
                self.members(&[(field.clone(), child)], &tree.attributes, Some(fields));
            }
        }
    }

    /// An array: elements in a wrapper (`edits>edit`), JSON, or a lone value.
    fn array(&mut self, tree: &Tree, text: &str, item: &Shape) {
        match &tree.content {
            Content::Elements(children) => {
                let lone = matches!(item, Shape::Object(fields) if children.iter().all(|(name, _)| fields.get(name).is_some()));
                if lone {
                    self.list([tree].into_iter(), Some(item));
                } else {
                    self.list(children.iter().map(|(_, child)| child), Some(item));
                }
            }
            Content::Text { verbatim: false } if text.trim().is_empty() => self.out.push_str("[]"),
            _ if text.trim_start().starts_with('[') => self.misfit(text, "array"),
            _ => match listed(text, item, self.values) {
                Some(list) => self.out.push_str(&list),
                None => self.list([tree].into_iter(), Some(item)),
            },
        }
    }

    /// Writes a text that is one JSON document of the shape's kind, with its values coerced to their shapes. Only its
    /// spelling may be repaired. Returns whether it is one; otherwise nothing is written.
    fn write_document(&mut self, text: &str, shape: &Shape) -> bool {
        let text = text.trim();
        let starts = match shape {
            Shape::Object(_) => text.starts_with('{'),
            Shape::Array(_) => text.starts_with('['),
            Shape::OneOf(_) => text.starts_with(['{', '[']),
            _ => false,
        };
        if !starts {
            return false;
        }
        let mut out = Output::default();
        let mut json = Transducer::new(Root::Value);
        let (used, step) = Escaped::default().feed(true, &mut json, (text, 0), &mut out);
        if step != Step::Done || used != text.len() || json.is_structural() {
            return false;
        }
        for repaired in out.repairs {
            let (code, message) = remark(repaired.repair);
            self.remarks.push((code, message.into()));
        }
        let (json, changes) = fitted(Target::Shape(shape), &out.text);
        self.remarks
            .extend(changes.iter().map(|change| changed(change, None)));
        self.out.push_str(&json);
        true
    }

    fn scalar(&mut self, text: &str, shape: &Shape) {
        let (json, remark): (Cow<'_, str>, _) = typed(text, shape, self.values);
        self.out.push_str(&json);
        self.remarks.extend(remark);
    }

    fn misfit(&mut self, text: &str, wanted: &str) {
        let message = type_mismatch(text, wanted);
        self.remarks.push((Code::WrongType, message));
        self.string(text);
    }

    fn string(&mut self, text: &str) {
        self.out.push_str(&quoted(text));
    }

    fn key(&mut self, name: &str, first: &mut bool) {
        if !core::mem::replace(first, false) {
            self.out.push(',');
        }
        push_key(self.out, name);
    }
}

/// The message for a text that does not have the type of its shape.
pub(crate) fn type_mismatch(text: &str, wanted: &str) -> String {
    let start: String = text.trim().chars().take(40).collect();
    format!("`{start}` is not {wanted}; it was left as a string")
}

/// Writes the key of a member.
pub(crate) fn push_key(json: &mut String, name: &str) {
    json.push('"');
    escape_into(json, name);
    json.push_str("\":");
}

/// The shape of a member, which may be undeclared.
pub(crate) fn member_shape<'a>(fields: &'a Fields, name: &str) -> Option<&'a Shape> {
    fields.get(name).or(fields.others.as_deref())
}

/// Children by name, in order of first appearance. Linear for few names.
pub(crate) fn groups(children: &[(String, Tree)]) -> Vec<(&str, Vec<&Tree>)> {
    let mut index: alloc::collections::BTreeMap<&str, usize> = alloc::collections::BTreeMap::new();
    let mut groups: Vec<(&str, Vec<&Tree>)> = Vec::new();
    for (name, tree) in children {
        let at = *index.entry(name).or_insert_with(|| {
            groups.push((name, Vec::new()));
            groups.len() - 1
        });
        groups[at].1.push(tree);
    }
    groups
}

/// The shape of a union that elements are read as: an object that declares one of them, else an array if they all have
/// one name, else any object or array.
fn structured<'a>(shapes: &'a [Shape], children: &[(String, Tree)]) -> Option<&'a Shape> {
    let (first, _) = children.first()?;
    let is_list = children.iter().all(|(name, _)| name == first);
    let declares = |fields: &Fields| children.iter().any(|(name, _)| fields.get(name).is_some());
    let rank = |shape: &&Shape| match shape {
        Shape::Object(fields) if declares(fields) => 0,
        Shape::Array(_) if is_list => 1,
        Shape::Object(_) | Shape::Array(_) => 2,
        _ => 3,
    };
    let best = shapes.iter().min_by_key(rank);
    best.filter(|shape| rank(shape) < 3)
}
