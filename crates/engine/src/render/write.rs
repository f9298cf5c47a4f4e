//! Walks the forms of a dialect and writes calls.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use toolglot_json::Shape;
use toolglot_json::internal::{Kind, kind, members};

use super::form::{Alternative, Condition, Form, FormEntry, Forms};
use super::value::{Layout, between_tokens, envelope, python, raw, siblings, spaced};
use super::{CallText, RenderError};
use crate::grammar::{Attribute, Capture, Dialect, Typing, Values};
use crate::machine::plain_json;
use crate::program::ToolIndex;

/// Writes in one dialect.
pub(super) struct Writer<'a> {
    dialect: &'a Dialect,
    forms: &'a Forms,
    tools: &'a ToolIndex,
    /// Of the forms of a value the last that can be written is.
    last_first: bool,
}

type Written = Result<(), RenderError>;

/// What is being written.
struct Pen<'a> {
    out: String,
    calls: &'a [CallText<'a>],
    /// The call, inside a call rule.
    call: Option<CallText<'a>>,
    /// Its arguments that were not written yet.
    left: Vec<(Cow<'a, str>, &'a str)>,
    key: String,
    skip: String,
    /// How the dialect spells ids.
    spelling: Option<&'a str>,
    index: usize,
    /// More calls follow in this loop.
    more: bool,
    /// Every call was written.
    wrote_calls: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(dialect: &'a Dialect, forms: &'a Forms, tools: &'a ToolIndex) -> Writer<'a> {
        Writer {
            dialect,
            forms,
            tools,
            last_first: false,
        }
    }

    /// One that takes the last form of a value, not the first.
    pub(super) fn last_first(self) -> Writer<'a> {
        Writer {
            last_first: true,
            ..self
        }
    }

    /// Whether the value of `key` is a string whatever it looks like.
    fn is_declared_text(&self, pen: &Pen<'_>, key: &str) -> bool {
        let tool = pen.call.and_then(|call| self.tools.find(call.name));
        let shape = tool.and_then(|tool| self.tools.tool(tool).parameters.get(key));
        matches!(shape, Some(Shape::Text))
    }

    /// All ways to write `calls`, best first: entries in order; those that hold one call each are joined.
    pub(super) fn ways<'c>(
        &'c self,
        calls: &'c [CallText<'c>],
    ) -> impl Iterator<Item = Result<String, RenderError>> + 'c {
        let mut entries = self.entries();
        if calls.len() > 1 {
            entries.sort_by_key(|entry| (!entry.is_taught, !entry.repeats_calls));
        }
        entries.into_iter().map(move |entry| {
            if entry.repeats_calls || calls.len() == 1 {
                return self.one(entry, calls);
            }
            // Each call may need an entry of its own.
            let mut texts = Vec::new();
            for call in calls {
                let one = core::slice::from_ref(call);
                let mut entries = self.entries().into_iter();
                let text = entries.find_map(|entry| self.one(entry, one).ok());
                texts.push(text.ok_or_else(|| {
                    RenderError::new(format!(
                        "no rule of `{}` writes `{}`",
                        self.dialect.name(),
                        call.name
                    ))
                })?);
            }
            Ok(texts.join("\n"))
        })
    }

    /// The entries. What was taught has one form: where the last form of a value is asked for, only others may have it.
    fn entries(&self) -> Vec<&'a FormEntry> {
        let entries = &self.forms.entries;
        let has_others = entries.iter().any(|entry| !entry.is_taught);
        let is_asked = |entry: &&FormEntry| !(self.last_first && has_others && entry.is_taught);
        entries.iter().filter(is_asked).collect()
    }

    fn one<'c>(&self, entry: &FormEntry, calls: &'c [CallText<'c>]) -> Result<String, RenderError> {
        let mut pen = Pen {
            out: String::new(),
            calls,
            call: None,
            left: Vec::new(),
            key: String::new(),
            skip: String::new(),
            spelling: self.dialect.id_spelling(),
            index: 0,
            more: false,
            wrote_calls: 0,
        };
        if entry.is_call {
            pen.begin(0, entry.tool.as_deref())?;
            self.write(&mut pen, &entry.form)?;
            pen.end()?;
        } else {
            self.write(&mut pen, &entry.form)?;
        }
        if pen.wrote_calls == calls.len() {
            Ok(pen.out)
        } else {
            Err(RenderError::new("the rule holds fewer calls"))
        }
    }

    fn write(&self, pen: &mut Pen<'_>, form: &Form) -> Written {
        match form {
            Form::Literal(text) => pen.out.push_str(text),
            Form::LineStart => {
                if !pen.out.is_empty() && !pen.out.ends_with('\n') {
                    pen.out.push('\n');
                }
            }
            Form::Skipped(text) => {
                pen.skip.clone_from(text);
                pen.out.push_str(text);
            }
            Form::NextKey => {
                let Some((key, _)) = pen.left.first() else {
                    return Err(RenderError::new("no argument is left"));
                };
                pen.key = key.clone().into_owned();
                pen.out.push_str(&pen.key);
            }
            Form::Captured(Capture::Type) => {
                let word = kind_word(&self.dialect.values, pen.value());
                pen.out.push_str(word.unwrap_or("json"));
            }
            Form::Captured(capture) => {
                let text = pen.captured(*capture);
                pen.out.push_str(&text);
            }
            Form::Value(argument) => self.value(pen, argument.as_deref())?,
            Form::Json(quotes) => {
                let Some(call) = pen.call else {
                    return Err(RenderError::new("arguments without a call"));
                };
                match quotes {
                    Some(quote) => between_tokens(&mut pen.out, call.arguments, quote)?,
                    None => pen.out.push_str(&spaced(call.arguments)),
                }
                pen.left.clear();
            }
            Form::Object(shape) => {
                let Some(call) = pen.call else {
                    return Err(RenderError::new("an envelope without a call"));
                };
                envelope(&mut pen.out, shape, &call);
                pen.left.clear();
            }
            Form::Elements(prefix) => {
                let Some(call) = pen.call else {
                    return Err(RenderError::new("elements without a call"));
                };
                if prefix.is_empty() {
                    pen.out.push('\n');
                }
                let tool = self.tools.find(call.name);
                let fields = tool.map(|tool| &self.tools.tool(tool).parameters);
                let layout = Layout {
                    values: &self.dialect.values,
                    prefix,
                    indent: 1,
                };
                siblings(&mut pen.out, call.arguments, fields, layout)?;
                pen.left.clear();
            }
            Form::Python(mark) => {
                let Some(call) = pen.call else {
                    return Err(RenderError::new("a Python call without a call"));
                };
                python(&mut pen.out, &call, *mark)?;
                pen.left.clear();
            }
            Form::Attributes(attributes) => self.attributes(pen, attributes)?,
            Form::Rule(name) => self.rule(pen, name)?,
            Form::Sequence(forms) => {
                for form in forms {
                    self.write(pen, form)?;
                }
            }
            Form::Choice(alternatives) => self.choice(pen, alternatives)?,
            Form::If(condition, inner) => {
                if pen.is_met(*condition) {
                    self.write(pen, inner)?;
                }
            }
            Form::EachCall(inner) => {
                while pen.wrote_calls < pen.calls.len() {
                    pen.index = pen.wrote_calls;
                    pen.more = pen.wrote_calls + 1 < pen.calls.len();
                    self.write(pen, inner)?;
                }
            }
            Form::EachArgument(inner) => {
                while !pen.left.is_empty() {
                    let left = pen.left.len();
                    self.write(pen, inner)?;
                    if pen.left.len() == left {
                        return Err(RenderError::new("an argument has no place in the rule"));
                    }
                }
            }
        }
        Ok(())
    }

    /// The raw value of an argument, that of the last key where none is named.
    fn value(&self, pen: &mut Pen<'_>, argument: Option<&str>) -> Written {
        let key = String::from(argument.unwrap_or(&pen.key));
        let Some(at) = pen.left.iter().position(|(have, _)| *have == key) else {
            return Err(RenderError::new(format!(
                "the call has no argument `{key}`"
            )));
        };
        let (_, json) = pen.left.remove(at);
        let text = raw(json);
        let guessed = self.dialect.values.typing == Typing::Json
            && kind(json) == Kind::String
            && plain_json(&text).is_some()
            && !self.is_declared_text(pen, &key);
        match kind(json) {
            Kind::Object | Kind::Array => pen.out.push_str(&spaced(json)),
            _ => pen.out.push_str(if guessed { json.trim() } else { &text }),
        }
        Ok(())
    }

    /// The alternative that fits: the one for this key, else the first that can be written.
    fn choice(&self, pen: &mut Pen<'_>, alternatives: &[Alternative]) -> Written {
        let next = pen.left.first().map(|(key, _)| key.clone().into_owned());
        // Several calls want a list.
        let is_list = pen.call.is_none() && pen.calls.len() > 1;
        let mut order: Vec<&Alternative> = alternatives.iter().collect();
        order.sort_by_key(|one| {
            (
                is_list && !one.repeats_calls,
                !one.arguments.iter().any(|name| Some(name) == next.as_ref()),
                // One for another argument comes last: the order of the arguments is kept.
                !one.arguments.is_empty(),
            )
        });
        if self.last_first && order.iter().all(|one| one.has_value) {
            order.reverse();
        }
        let mut why = RenderError::new("no alternative can be written");
        for one in order {
            match pen.attempt(|pen| self.write(pen, &one.form)) {
                Ok(()) => return Ok(()),
                Err(error) => why = error,
            }
        }
        Err(why)
    }

    fn rule(&self, pen: &mut Pen<'_>, name: &str) -> Written {
        let mut why = RenderError::new(format!("rule `{name}` writes nothing"));
        for rule in self.forms.rules.get(name).into_iter().flatten() {
            let written = pen.attempt(|pen| {
                if rule.is_call {
                    pen.begin(pen.index, None)?;
                    self.write(pen, &rule.form)?;
                    pen.end()
                } else {
                    self.write(pen, &rule.form)
                }
            });
            match written {
                Ok(()) => return Ok(()),
                Err(error) => why = error,
            }
        }
        Err(why)
    }

    fn attributes(&self, pen: &mut Pen<'_>, attributes: &[Attribute]) -> Written {
        let escapes = self.dialect.values.entities_in_attrs;
        for (n, attribute) in attributes.iter().enumerate() {
            let key = attribute.keys.first().map_or("", String::as_str);
            let value: String = match (&attribute.capture, &attribute.argument) {
                (Some(Capture::Name), _) => {
                    pen.call.map(|call| call.name.into()).unwrap_or_default()
                }
                (Some(Capture::Key), _) => {
                    let Some((key, _)) = pen.left.first() else {
                        return Err(RenderError::new("no argument is left"));
                    };
                    pen.key = key.clone().into_owned();
                    pen.key.clone()
                }
                (Some(Capture::Type), _) => match kind_word(&self.dialect.values, pen.value()) {
                    Some(word) => word.into(),
                    None => continue,
                },
                (Some(capture), _) => {
                    let text = pen.captured(*capture);
                    if text.is_empty() {
                        continue;
                    }
                    text
                }
                (None, Some(argument)) => {
                    let Some(at) = pen.left.iter().position(|(have, _)| **have == **argument)
                    else {
                        return Err(RenderError::new(format!(
                            "the call has no argument `{argument}`"
                        )));
                    };
                    raw(pen.left.remove(at).1).into_owned()
                }
                (None, None) => continue,
            };
            let value = if escapes {
                value.replace('&', "&amp;").replace('"', "&quot;")
            } else {
                value
            };
            let quote = if value.contains('"') { '\'' } else { '"' };
            if n > 0 || !pen.out.ends_with([' ', '\n']) {
                pen.out.push(' ');
            }
            let _ = write!(pen.out, "{key}={quote}{value}{quote}");
        }
        Ok(())
    }
}

impl<'a> Pen<'a> {
    /// Writes something, or nothing where that fails.
    fn attempt(&mut self, write: impl FnOnce(&mut Pen<'a>) -> Written) -> Written {
        let (length, left) = (self.out.len(), self.left.clone());
        let (wrote_calls, call) = (self.wrote_calls, self.call);
        write(self).inspect_err(|_| {
            self.out.truncate(length);
            self.left = left;
            (self.wrote_calls, self.call) = (wrote_calls, call);
        })
    }

    fn is_met(&self, condition: Condition) -> bool {
        match condition {
            Condition::HasArguments => !self.left.is_empty(),
            Condition::HasServer => self.call.is_some_and(|call| call.server.is_some()),
            Condition::HasId => self.call.is_some_and(|call| call.id.is_some()),
            Condition::MoreCalls => self.more,
        }
    }

    fn begin(&mut self, index: usize, tool: Option<&str>) -> Written {
        let calls: &'a [CallText<'a>] = self.calls;
        let Some(call) = calls.get(index) else {
            return Err(RenderError::new("no call is left"));
        };
        if tool.is_some_and(|tool| tool != call.name) {
            return Err(RenderError::new(format!(
                "the rule is for `{}` only",
                tool.unwrap_or("")
            )));
        }
        self.call = Some(*call);
        self.left = members(call.arguments).collect();
        Ok(())
    }

    fn end(&mut self) -> Written {
        if let Some((key, _)) = self.left.first() {
            return Err(RenderError::new(format!(
                "the rule has no place for the argument `{key}`"
            )));
        }
        self.call = None;
        self.wrote_calls += 1;
        Ok(())
    }

    /// The value that comes next.
    fn value(&self) -> Option<&'a str> {
        let next = self.left.iter().find(|(key, _)| **key == *self.key);
        next.or(self.left.first()).map(|(_, json)| *json)
    }

    fn captured(&self, capture: Capture) -> String {
        let of_call = |text: Option<&str>| String::from(text.unwrap_or(""));
        match capture {
            Capture::Name => of_call(self.call.map(|call| call.name)),
            Capture::Id => self
                .call
                .and_then(|call| written_id(self.spelling?, &call))
                .or_else(|| {
                    self.call?
                        .id
                        .filter(|_| self.spelling.is_none())
                        .map(String::from)
                })
                .unwrap_or_else(|| format!("{}", self.index)),
            Capture::Server => of_call(self.call.and_then(|call| call.server)),
            Capture::Key => self.key.clone(),
            Capture::Any => self.skip.clone(),
            Capture::Type => String::new(),
        }
    }
}

/// The word that says how a value is typed, where the dialect has one.
fn kind_word<'d>(values: &'d Values, json: Option<&str>) -> Option<&'d str> {
    let Typing::Kind(kinds) = &values.typing else {
        return None;
    };
    let json = json?;
    let is_json = kind(json) != Kind::String;
    let named = kinds
        .iter()
        .find(|(word, means_json)| *means_json == is_json && word != "*");
    Some(match (named, kind(json)) {
        (Some((word, _)), _) => word,
        (None, Kind::Object) => "object",
        (None, Kind::Array) => "array",
        (None, Kind::String) => "string",
        (None, Kind::Scalar) => match json.trim() {
            "true" | "false" => "boolean",
            "null" => "null",
            _ => "number",
        },
    })
}

/// What of a call's id stands in the text, where the dialect spells ids from parts.
fn written_id(spelling: &str, call: &CallText<'_>) -> Option<String> {
    let (before, behind) = spelling.split_once("{id}")?;
    let before = before.replace("{name}", call.name);
    let behind = behind.replace("{name}", call.name);
    let inside = call.id?.strip_prefix(&before)?.strip_suffix(&behind)?;
    Some(inside.into())
}
