//! Values brought to the types of a shape, as text: nothing is parsed into a tree, nothing that fits is touched.
//!
//! What is done is what `docs/repair.md` lists, and nothing else. A value that cannot be brought to its type stays as
//! it was written; saying so is a validator's task.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::document::{Options, repair};
use crate::escape::{escape_into, unescape};
use crate::reader::{extent, members};
use crate::repair::Repair;
use crate::shape::{Fields, Scalars, Shape};
use crate::word;

/// Strings that hold JSON that holds strings: no deeper than this.
const MAX_UNPACKED: usize = 4;

/// JSON text whose values have the types of a shape, as far as they can be brought to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coerced {
    /// The JSON text; the input, byte for byte, where nothing had to change.
    pub text: String,
    /// What was changed, in order.
    pub changes: Vec<Change>,
}

/// One value, or one key, that was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What was done.
    pub repair: Repair,
    /// Where in the value: a JSON pointer (RFC 6901), empty for the root.
    pub path: String,
    /// The first byte in the JSON text.
    pub start: usize,
    /// The byte after the last. The text between is what stood there before.
    pub end: usize,
    /// What stands there now; of a container only how it begins.
    pub after: String,
}

/// Brings the values of `json`, a valid JSON text, to the types of `shape`.
///
/// - A string becomes the number, boolean or `null` that it spells where the shape has no string; booleans only from
///   `true` and `false`, in any case, `null` only from `null`.
/// - A string that holds an object or a list becomes it where the shape asks for one and for no string.
/// - A number becomes a string where the shape has only strings.
/// - A lone value becomes a list of one; at the root, a list of one object becomes the object.
/// - At the root, an object whose only member wraps the arguments is unwrapped, if the shape does not know the
///   wrapper's key and knows the keys inside.
/// - A key that is not declared becomes a declared one if they differ in case, `_` and `-` alone, exactly one fits, and
///   it is not there already.
///
/// Linear in the text for one shape; iterative. Only strings that hold JSON are entered by a call, at most four deep.
///
/// ```
/// use toolglot_json::{Fields, Scalars, Shape, coerce};
///
/// let count = Shape::Scalar(Scalars { integer: true, ..Scalars::default() });
/// let shape = Shape::Object(Fields {
///     properties: vec![("lineCount".into(), count), ("paths".into(), Shape::Array(Box::new(Shape::Text)))],
///     others: None,
/// });
/// let coerced = coerce(r#"{"line_count": "42", "paths": "a.rs"}"#, &shape);
/// assert_eq!(coerced.text, r#"{"lineCount": 42, "paths": ["a.rs"]}"#);
/// assert_eq!(coerced.changes.len(), 3);
/// ```
pub fn coerce(json: &str, shape: &Shape) -> Coerced {
    let mut coercer = Coercer {
        out: String::with_capacity(json.len()),
        changes: Vec::new(),
        path: Vec::new(),
        n_unpacked: 0,
    };
    coercer.document(json, shape);
    Coerced {
        text: coercer.out,
        changes: coercer.changes,
    }
}

/// An open container.
struct Level<'s> {
    is_object: bool,
    fields: Option<&'s Fields>,
    /// The shape of elements, or of the member whose value comes.
    inner: &'s Shape,
    /// A bracket was supplied before the container, and is behind it.
    is_wrapped: bool,
    /// Keys are compared once, when the first unknown one comes.
    near: Option<Vec<(String, String)>>,
    start: usize,
    n_elements: usize,
}

struct Coercer {
    out: String,
    changes: Vec<Change>,
    path: Vec<String>,
    n_unpacked: usize,
}

impl Coercer {
    fn document(&mut self, json: &str, shape: &Shape) {
        let bytes = json.as_bytes();
        let begin = blanks(bytes, 0);
        self.out.push_str(&json[..begin]);
        let (from, to, wrapper) = unwrapped(json, begin, shape);
        if let Some(wrapper) = wrapper {
            let whole = begin + extent(&json[begin..]);
            self.change(Repair::UnwrappedArguments, begin, whole, wrapper);
            self.value(&json[..to], from, shape);
            self.out.push_str(&json[whole..]);
        } else {
            self.value(json, from, shape);
        }
    }

    fn change(&mut self, repair: Repair, start: usize, end: usize, after: &str) {
        let mut path = String::new();
        for part in &self.path {
            path.push('/');
            path.push_str(&part.replace('~', "~0").replace('/', "~1"));
        }
        self.changes.push(Change {
            repair,
            path,
            start,
            end,
            after: after.chars().take(200).collect(),
        });
    }

    /// Copies the value at `begin` and what is behind it, coerced to `shape`.
    fn value<'s>(&mut self, json: &str, begin: usize, shape: &'s Shape) {
        let bytes = json.as_bytes();
        let floor = self.path.len();
        let mut levels: Vec<Level<'s>> = Vec::new();
        let mut at = begin;
        let mut due = shape;
        loop {
            // A value is due at `at`.
            let opened = match bytes.get(at) {
                Some(b'{' | b'[') => self.container(json, at, due),
                Some(b'"') => {
                    let end = at + extent(&json[at..]);
                    self.string(json, at, end, due);
                    at = end;
                    None
                }
                Some(_) => {
                    let end = at + extent(&json[at..]).max(1);
                    self.scalar(json, at, end.min(json.len()), due);
                    at = end.min(json.len());
                    None
                }
                None => return,
            };
            if let Some(opened) = opened {
                match opened {
                    Ok(level) => {
                        levels.push(level);
                        at += 1;
                    }
                    Err(end) => at = end,
                }
            }
            // On to the next value: over blanks, commas, closers and keys, copied as they stand.
            loop {
                let next = blanks(bytes, at);
                self.out.push_str(&json[at..next]);
                at = next;
                let Some(level) = levels.last_mut() else {
                    self.path.truncate(floor);
                    self.out.push_str(&json[at..]);
                    return;
                };
                match bytes.get(at) {
                    Some(b'}' | b']') => {
                        self.out.push_str(&json[at..=at]);
                        if level.is_wrapped {
                            self.out.push(']');
                        }
                        levels.pop();
                        self.path.truncate(floor + levels.len());
                        at += 1;
                    }
                    Some(b',') => {
                        self.out.push(',');
                        at += 1;
                    }
                    Some(b'"') if level.is_object => {
                        let end = at + extent(&json[at..]);
                        let key = unescape(&json[at + 1..end.max(at + 2) - 1]).into_owned();
                        let renamed = level.key(json, &key);
                        let name = renamed.as_deref().unwrap_or(&key);
                        due = level.fields.map_or(&Shape::Any, |fields| {
                            fields
                                .get(name)
                                .or(fields.others.as_deref())
                                .unwrap_or(&Shape::Any)
                        });
                        let name = String::from(name);
                        self.path.truncate(floor + levels.len() - 1);
                        self.path.push(name);
                        match renamed {
                            Some(name) => {
                                self.change(Repair::NearName, at, end, &name);
                                self.out.push('"');
                                escape_into(&mut self.out, &name);
                                self.out.push('"');
                            }
                            None => self.out.push_str(&json[at..end]),
                        }
                        let colon = blanks(bytes, end);
                        let next = blanks(bytes, (colon + 1).min(bytes.len()));
                        self.out.push_str(&json[end..next]);
                        at = next;
                        break;
                    }
                    Some(_) => {
                        due = level.inner;
                        let n = level.n_elements;
                        level.n_elements += 1;
                        self.path.truncate(floor + levels.len() - 1);
                        self.path.push(alloc::format!("{n}"));
                        break;
                    }
                    None => {
                        self.path.truncate(floor);
                        return;
                    }
                }
            }
        }
    }

    /// Opens the container at `at`; `Err` is where it ends if nothing in it has a shape and it was copied whole.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "the caller tells values that open nothing by `None`"
    )]
    fn container<'s>(
        &mut self,
        json: &str,
        at: usize,
        shape: &'s Shape,
    ) -> Option<Result<Level<'s>, usize>> {
        let is_object = json.as_bytes()[at] == b'{';
        let mut level = Level {
            is_object,
            fields: None,
            inner: &Shape::Any,
            is_wrapped: false,
            near: None,
            start: at,
            n_elements: 0,
        };
        let mut fits = false;
        for reading in readings(shape) {
            match reading {
                Shape::Object(fields) if is_object => {
                    level.fields = Some(fields);
                    fits = true;
                }
                Shape::Array(items) if !is_object => {
                    level.inner = items;
                    fits = true;
                }
                Shape::Any => fits = true,
                _ => continue,
            }
            break;
        }
        if !fits && is_object {
            // An object where a list of objects is asked for.
            let items = readings(shape).find_map(|reading| match reading {
                Shape::Array(items) => Some(&**items),
                _ => None,
            });
            if let Some(items) = items
                && let Some(fields) = readings(items).find_map(|item| match item {
                    Shape::Object(fields) => Some(Some(fields)),
                    Shape::Any => Some(None),
                    _ => None,
                })
            {
                self.change(Repair::WrappedValue, at, at, "[");
                self.out.push('[');
                level.fields = fields;
                level.is_wrapped = true;
                fits = true;
            }
        }
        if !fits
            || (level.fields.is_none() && matches!(level.inner, Shape::Any) && !level.is_wrapped)
        {
            let end = at + extent(&json[at..]);
            self.out.push_str(&json[at..end]);
            return Some(Err(end));
        }
        self.out.push_str(&json[at..=at]);
        Some(Ok(level))
    }

    fn string(&mut self, json: &str, at: usize, end: usize, shape: &Shape) {
        let source = &json[at..end];
        if readings(shape).any(|reading| matches!(reading, Shape::Text | Shape::Any)) {
            self.out.push_str(source);
            return;
        }
        let text = unescape(&source[1..source.len().max(2) - 1]);
        if let Some(value) = scalar_of(text.trim(), shape) {
            self.change(Repair::TypedBySchema, at, end, &value);
            self.out.push_str(&value);
            return;
        }
        if let Some(inner) = self.packed(&text, shape) {
            self.change(Repair::TypedBySchema, at, end, &inner);
            self.n_unpacked += 1;
            let begin = blanks(inner.as_bytes(), 0);
            self.value(inner[begin..].trim_end(), 0, shape);
            self.n_unpacked -= 1;
            return;
        }
        self.wrapped(json, at, end, shape);
    }

    /// The JSON that a string holds, if the shape asks for a container of that kind.
    fn packed<'t>(&self, text: &'t str, shape: &Shape) -> Option<Cow<'t, str>> {
        let trimmed = text.trim();
        let first = *trimmed.as_bytes().first()?;
        if self.n_unpacked == MAX_UNPACKED || !matches!(first, b'{' | b'[') {
            return None;
        }
        let is_asked_for = readings(shape).any(|reading| {
            matches!(
                (first, reading),
                (b'{', Shape::Object(_)) | (b'[', Shape::Array(_))
            )
        });
        if !is_asked_for {
            return None;
        }
        let repaired = repair(trimmed, &Options::LLM, shape).ok()?;
        if repaired.fixes.is_empty() {
            return Some(Cow::Borrowed(trimmed));
        }
        // A text that only begins like JSON, or was several values, stays text.
        let is_same_kind = repaired.text.trim_start().as_bytes().first() == Some(&first);
        let is_whole = repaired
            .fixes
            .iter()
            .all(|fix| !matches!(fix.repair, Repair::Prose | Repair::SeveralValues));
        (is_same_kind && is_whole).then_some(Cow::Owned(repaired.text))
    }

    fn scalar(&mut self, json: &str, at: usize, end: usize, shape: &Shape) {
        let source = &json[at..end];
        let kind = scalar_kind(source);
        let mut wants_text = false;
        for reading in readings(shape) {
            match reading {
                Shape::Any => {
                    self.out.push_str(source);
                    return;
                }
                Shape::Scalar(set) if admits(*set, kind, source) => {
                    self.out.push_str(source);
                    return;
                }
                Shape::Text => wants_text = true,
                _ => {}
            }
        }
        if wants_text && kind == Scalar::Number {
            self.out.push('"');
            self.out.push_str(source);
            self.out.push('"');
            let after = crate::escape::quoted(source);
            self.change(Repair::TypedBySchema, at, end, &after);
            return;
        }
        if kind == Scalar::Null {
            self.out.push_str(source);
            return;
        }
        self.wrapped(json, at, end, shape);
    }

    /// A lone value where a list is asked for, or the value as it stands.
    fn wrapped(&mut self, json: &str, at: usize, end: usize, shape: &Shape) {
        let source = &json[at..end];
        let items = readings(shape).find_map(|reading| match reading {
            Shape::Array(items) => Some(&**items),
            _ => None,
        });
        let Some(items) = items.filter(|items| !matches!(items, Shape::Array(_))) else {
            self.out.push_str(source);
            return;
        };
        self.change(Repair::WrappedValue, at, end, "[");
        self.out.push('[');
        if source.starts_with('"') {
            let is_text = readings(items).any(|item| matches!(item, Shape::Text | Shape::Any));
            let text = unescape(&source[1..source.len().max(2) - 1]);
            match scalar_of(text.trim(), items).filter(|_| !is_text) {
                Some(value) => self.out.push_str(&value),
                None => self.out.push_str(source),
            }
        } else {
            self.out.push_str(source);
        }
        self.out.push(']');
    }
}

impl Level<'_> {
    /// The declared name that `key`, which is none, misses by a little.
    fn key(&mut self, json: &str, key: &str) -> Option<String> {
        let fields = self.fields?;
        if fields.properties.is_empty() || fields.get(key).is_some() {
            return None;
        }
        let near = self.near.get_or_insert_with(|| {
            let present: Vec<String> = members(&json[self.start..])
                .map(|(name, _)| name.into_owned())
                .collect();
            near_names(fields, &present)
        });
        near.iter()
            .find(|(written, _)| written == key)
            .map(|(_, declared)| declared.clone())
    }
}

/// Which of the keys that are there stand for which declared names.
fn near_names(fields: &Fields, present: &[String]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let folded: Vec<String> = fields
        .properties
        .iter()
        .map(|(name, _)| fold(name))
        .collect();
    let present_folded: Vec<String> = present.iter().map(|name| fold(name)).collect();
    for (name, key) in present.iter().zip(&present_folded) {
        if fields.get(name).is_some() {
            continue;
        }
        let mut fitting = folded
            .iter()
            .enumerate()
            .filter(|(_, folded)| *folded == key);
        let (Some((n, _)), None) = (fitting.next(), fitting.next()) else {
            continue;
        };
        let declared = &fields.properties[n].0;
        let n_claims = present_folded.iter().filter(|other| *other == key).count();
        if n_claims == 1 && !present.contains(declared) {
            found.push((name.clone(), declared.clone()));
        }
    }
    found
}

/// A name without what misspellings differ in.
fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-' | ' ' | '.'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// What is left of the root once a wrapper is taken off: where the value begins and ends, and the wrapper.
fn unwrapped<'j>(json: &'j str, begin: usize, shape: &Shape) -> (usize, usize, Option<&'j str>) {
    let whole = (begin, json.len(), None);
    let fields = readings(shape).find_map(|reading| match reading {
        Shape::Object(fields) => Some(fields),
        _ => None,
    });
    let Some(fields) = fields else {
        return whole;
    };
    let place = |part: &str| part.as_ptr() as usize - json.as_ptr() as usize;
    match json.as_bytes().get(begin) {
        Some(b'{') if !fields.properties.is_empty() => {
            let mut parts = members(&json[begin..]);
            let (Some((key, value)), None) = (parts.next(), parts.next()) else {
                return whole;
            };
            let near = fold(&key);
            let is_known = fields.properties.iter().any(|(name, _)| fold(name) == near);
            if is_known || !value.starts_with('{') {
                return whole;
            }
            let mut n_inner = 0usize;
            let knows_all = members(value).all(|(key, _)| {
                n_inner += 1;
                fields.get(&key).is_some()
            });
            if knows_all && n_inner > 0 {
                let at = place(value);
                return (at, at + value.len(), Some("{"));
            }
            whole
        }
        Some(b'[') if !readings(shape).any(|r| matches!(r, Shape::Array(_) | Shape::Any)) => {
            // The first object that the shape knows keys of; the only one if it knows none.
            let mut objects =
                crate::reader::elements(&json[begin..]).filter(|item| item.starts_with('{'));
            let fits = |item: &&str| {
                fields.properties.is_empty()
                    || members(item).any(|(key, _)| fields.get(&key).is_some())
            };
            match objects.find(fits) {
                Some(value) => {
                    let at = place(value);
                    (at, at + value.len(), Some("{"))
                }
                None => whole,
            }
        }
        _ => whole,
    }
}

/// The readings of a shape, in order: itself, or the parts of a union.
fn readings(shape: &Shape) -> core::slice::Iter<'_, Shape> {
    match shape {
        Shape::OneOf(parts) => parts.iter(),
        shape => core::slice::from_ref(shape).iter(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    Number,
    Boolean,
    Null,
}

fn scalar_kind(source: &str) -> Scalar {
    match source.as_bytes().first() {
        Some(b't' | b'f') => Scalar::Boolean,
        Some(b'n') => Scalar::Null,
        _ => Scalar::Number,
    }
}

fn admits(set: Scalars, kind: Scalar, source: &str) -> bool {
    match kind {
        Scalar::Number => set.number || set.integer && is_integer(source),
        Scalar::Boolean => set.boolean,
        Scalar::Null => set.null,
    }
}

/// Whether a JSON number is an integer, as JSON Schema counts: `42.0` is one.
fn is_integer(number: &str) -> bool {
    match number.split_once('.') {
        None => !number.contains(['e', 'E']),
        Some((_, fraction)) => fraction.bytes().all(|byte| byte == b'0'),
    }
}

/// The number, boolean or `null` that `text` spells, if the shape has it.
fn scalar_of(text: &str, shape: &Shape) -> Option<String> {
    readings(shape).find_map(|reading| {
        let Shape::Scalar(set) = reading else {
            return None;
        };
        if set.null && text == "null" {
            return Some(String::from("null"));
        }
        if set.boolean {
            for word in ["true", "false"] {
                if text.eq_ignore_ascii_case(word) {
                    return Some(String::from(word));
                }
            }
        }
        if !set.number && !set.integer {
            return None;
        }
        let number = if word::is_number(text) {
            String::from(text)
        } else if is_grouped(text) {
            text.replace(',', "")
        } else {
            match word::value(text, false) {
                (json, Some(Repair::BadNumber)) => json.into_owned(),
                _ => return None,
            }
        };
        (set.number || is_integer(&number)).then_some(number)
    })
}

/// Whether `text` is a number whose digits stand in groups of three: `12,345.6`.
fn is_grouped(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut groups = whole.strip_prefix('-').unwrap_or(whole).split(',');
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    groups
        .next()
        .is_some_and(|first| is_digits(first) && first.len() <= 3 && first != "0")
        && whole.contains(',')
        && groups.all(|group| group.len() == 3 && is_digits(group))
        && is_digits(fraction)
}

fn blanks(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::boxed::Box;
    use alloc::vec;

    fn shape() -> Shape {
        let scalar = |set| Shape::Scalar(set);
        let integer = Scalars {
            integer: true,
            ..Scalars::default()
        };
        let flag = Scalars {
            boolean: true,
            null: true,
            ..Scalars::default()
        };
        let number = Scalars {
            number: true,
            ..Scalars::default()
        };
        let item = Shape::Object(Fields {
            properties: vec![("id".into(), scalar(integer))],
            others: Some(Box::new(Shape::Any)),
        });
        Shape::Object(Fields {
            properties: vec![
                ("path".into(), Shape::Text),
                ("lineCount".into(), scalar(integer)),
                ("flag".into(), scalar(flag)),
                (
                    "ratio".into(),
                    Shape::OneOf(vec![scalar(number), Shape::Text]),
                ),
                ("tags".into(), Shape::Array(Box::new(Shape::Text))),
                ("items".into(), Shape::Array(Box::new(item.clone()))),
                ("item".into(), item),
                (
                    "size".into(),
                    Shape::OneOf(vec![scalar(integer), scalar(number)]),
                ),
            ],
            others: None,
        })
    }

    const CASES: &[(&str, &str)] = &[
        (
            r#" {"path": "007", "ratio": "1"} "#,
            r#" {"path": "007", "ratio": "1"} "#,
        ),
        (r#"{"path": 007}"#, r#"{"path": "007"}"#),
        (
            r#"{"lineCount": "42", "flag": "True"}"#,
            r#"{"lineCount": 42, "flag": true}"#,
        ),
        (
            r#"{"lineCount": "4.5", "flag": "yes"}"#,
            r#"{"lineCount": "4.5", "flag": "yes"}"#,
        ),
        (r#"{"flag": "null"}"#, r#"{"flag": null}"#),
        (
            r#"{"flag": "none", "lineCount": null}"#,
            r#"{"flag": "none", "lineCount": null}"#,
        ),
        (r#"{"size": "42.5"}"#, r#"{"size": 42.5}"#),
        (r#"{"size": "12,345"}"#, r#"{"size": 12345}"#),
        (r#"{"tags": "a"}"#, r#"{"tags": ["a"]}"#),
        (r#"{"tags": "[\"a\", 1]"}"#, r#"{"tags": ["a", "1"]}"#),
        (r#"{"tags": "[a, b]"}"#, r#"{"tags": ["a", "b"]}"#),
        (
            r#"{"items": {"id": "1"}, "tags": []}"#,
            r#"{"items": [{"id": 1}], "tags": []}"#,
        ),
        (
            r#"{"items": [{"id": "1"}, {"id": 2}]}"#,
            r#"{"items": [{"id": 1}, {"id": 2}]}"#,
        ),
        (r#"{"item": "{\"id\": \"7\"}"}"#, r#"{"item": {"id": 7}}"#),
        (
            r#"{"arguments": {"path": "a", "line-count": "1"}}"#,
            r#"{"arguments": {"path": "a", "line-count": "1"}}"#,
        ),
        (
            r#"{"arguments": {"path": "a", "tags": "x"}}"#,
            r#"{"path": "a", "tags": ["x"]}"#,
        ),
        (
            r#"{"line_count": 1, "Path": "b"}"#,
            r#"{"lineCount": 1, "path": "b"}"#,
        ),
        (
            r#"{"line_count": 1, "linecount": 2}"#,
            r#"{"line_count": 1, "linecount": 2}"#,
        ),
        (
            r#"{"line_count": 1, "lineCount": 2}"#,
            r#"{"line_count": 1, "lineCount": 2}"#,
        ),
        (r#"[{"path": "a"}]"#, r#"{"path": "a"}"#),
        (
            r#"{"other": {"path": "a", "x": 1}}"#,
            r#"{"other": {"path": "a", "x": 1}}"#,
        ),
    ];

    #[test]
    fn values_come_to_the_types_of_the_shape() {
        for (json, want) in CASES {
            let coerced = coerce(json, &shape());
            assert_eq!(coerced.text, *want, "{json}");
            assert_eq!(coerced.changes.is_empty(), json == want, "{json}");
            assert_eq!(coerce(want, &shape()).text, *want, "again: {want}");
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let text = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(coerce(&text, &Shape::Any).text, text);
    }

    #[test]
    fn changes_say_where() {
        let coerced = coerce(r#"{"items": [{"id": 1}, {"id": "2"}]}"#, &shape());
        assert_eq!(coerced.changes[0].path, "/items/1/id");
        assert_eq!(coerced.changes[0].after, "2");
    }
}
