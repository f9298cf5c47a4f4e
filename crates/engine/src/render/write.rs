//! Walks the forms of a dialect and writes calls.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use toolglot_json::Shape;
use toolglot_json::internal::{Kind, elements, kind, members};

use super::form::{Alternative, Condition, Form, FormEntry, Forms, ItemsForm};
use super::value::{
    Layout, between_tokens, envelope, escape_entities, python, quoted_in, raw, siblings, spaced,
};
use super::{CallText, RenderError};
use crate::grammar::{
    Attribute, CDATA, Capture, Dialect, IdForm, LastBreak, QuoteStyle, Typing, Values,
};
use crate::machine::plain_json;
use crate::program::ToolIndex;
use crate::tools::item_of;

/// Writes calls in one dialect.
pub(super) struct Writer<'a> {
    dialect: &'a Dialect,
    forms: &'a Forms,
    tools: &'a ToolIndex,
    /// The choices that try their last alternative first.
    last_first: LastFirst,
}

/// The choices that try their last alternative first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastFirst {
    Nowhere,
    /// Choices between the forms of a value.
    Values,
    /// All choices inside a call.
    Calls,
}

type Written = Result<(), RenderError>;

/// The state of writing one text.
struct Pen<'a> {
    out: String,
    calls: &'a [CallText<'a>],
    /// The call, inside a call rule.
    call: Option<CallText<'a>>,
    /// The call's arguments that are not yet written.
    left: Vec<(Cow<'a, str>, &'a str)>,
    /// The arguments that the rule names. No loop writes their keys.
    named: Vec<String>,
    key: String,
    /// The key is written, and its value is not yet.
    is_open: bool,
    /// The tool declares the key's value as a list.
    is_list: bool,
    skip: Option<String>,
    /// The offset in `out` at which the length of the next value is inserted.
    length_at: Option<usize>,
    dialect: &'a Dialect,
    index: usize,
    /// How many calls of the message come before `calls`.
    number: usize,
    /// Inside the loop over arguments.
    is_argument: bool,
    /// Inside the loop over calls.
    is_repeated: bool,
    /// More calls follow in this loop.
    more: bool,
    /// How many calls are written.
    wrote_calls: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(dialect: &'a Dialect, forms: &'a Forms, tools: &'a ToolIndex) -> Writer<'a> {
        Writer {
            dialect,
            forms,
            tools,
            last_first: LastFirst::Nowhere,
        }
    }

    /// A writer that tries the last alternative first in these choices.
    pub(super) fn last_first(&self, last_first: LastFirst) -> Writer<'a> {
        Writer {
            last_first,
            ..*self
        }
    }

    /// The shape that the tool declares for the value of `key`.
    fn shape(&self, pen: &Pen<'_>, key: &str) -> Option<&'a Shape> {
        let tool = pen.call.and_then(|call| self.tools.find(call.name))?;
        self.tools.tool(tool).parameters.get(key)
    }

    /// Whether the tool declares the value of `key` as a list.
    fn is_declared_list(&self, pen: &Pen<'_>, key: &str) -> bool {
        let shape = self.shape(pen, key);
        shape.is_some_and(|shape| item_of(shape, false).is_some())
    }

    /// Whether the tool declares the value of `key`, or an item of it that is written alone, as a string.
    fn is_declared_text(&self, pen: &Pen<'_>, key: &str) -> bool {
        let shape = self.shape(pen, key);
        let item = shape.filter(|_| self.dialect.values.repeated);
        let item = item.and_then(|shape| item_of(shape, false)).or(shape);
        matches!(item, Some(Shape::Text))
    }

    /// Splits lists into one argument per item, if the dialect repeats a parameter for each item.
    fn repeat_lists(&self, pen: &mut Pen<'_>) {
        if !self.dialect.values.repeated || self.forms.has_lists {
            return;
        }
        for (key, json) in core::mem::take(&mut pen.left) {
            let is_list = kind(json) == Kind::Array && elements(json).next().is_some();
            if is_list && self.is_declared_list(pen, &key) {
                let items = elements(json).map(|item| (key.clone(), item));
                pen.left.extend(items);
            } else {
                pen.left.push((key, json));
            }
        }
    }

    /// All ways to write `calls`, best first: the entries in order. Texts of one call each are joined.
    pub(super) fn ways<'c>(
        &'c self,
        calls: &'c [CallText<'c>],
    ) -> impl Iterator<Item = Result<String, RenderError>> + 'c {
        let mut entries = self.entries();
        let is_of_calls = |entry: &&FormEntry| {
            let tool = entry.tool.as_deref();
            tool.is_none_or(|tool| calls.iter().any(|call| call.name == tool))
        };
        if entries.iter().any(is_of_calls) {
            entries.retain(is_of_calls);
        }
        if calls.len() > 1 {
            entries.sort_by_key(|entry| (!entry.is_taught, !entry.repeats_calls));
        }
        entries.into_iter().map(move |entry| {
            if entry.repeats_calls || calls.len() == 1 {
                return self.one(entry, calls, 0);
            }
            // Each call may need an entry of its own.
            let mut texts = Vec::new();
            for (n, call) in calls.iter().enumerate() {
                let one = core::slice::from_ref(call);
                let mut entries = self.entries().into_iter();
                let text = entries.find_map(|entry| self.one(entry, one, n).ok());
                texts.push(text.ok_or_else(|| {
                    RenderError::new(format!(
                        "no rule of `{}` writes `{}`",
                        self.dialect.name(),
                        call.name
                    ))
                })?);
            }
            Ok(texts.join(self.forms.between))
        })
    }

    /// The entries. A taught entry has one form, so a writer that tries last forms first skips it if there are others.
    fn entries(&self) -> Vec<&'a FormEntry> {
        let entries = &self.forms.entries;
        let has_others = entries.iter().any(|entry| !entry.is_taught);
        let is_last_first = self.last_first != LastFirst::Nowhere;
        let is_asked = |entry: &&FormEntry| !(is_last_first && has_others && entry.is_taught);
        entries.iter().filter(is_asked).collect()
    }

    /// `number`: how many calls of the message come before `calls`.
    fn one<'c>(
        &'c self,
        entry: &FormEntry,
        calls: &'c [CallText<'c>],
        number: usize,
    ) -> Result<String, RenderError> {
        let mut pen = Pen {
            out: String::new(),
            calls,
            call: None,
            left: Vec::new(),
            named: Vec::new(),
            key: String::new(),
            is_open: false,
            is_list: false,
            skip: None,
            length_at: None,
            dialect: self.dialect,
            index: 0,
            number,
            is_argument: false,
            is_repeated: false,
            more: false,
            wrote_calls: 0,
        };
        let written = self.entry(&mut pen, entry);
        match written {
            Ok(()) => Ok(pen.out),
            Err(error) => Err(error.after(&pen.out)),
        }
    }

    fn entry(&self, pen: &mut Pen<'_>, entry: &FormEntry) -> Written {
        if entry.is_call {
            pen.named = entry.form.named();
            pen.start(0, entry.tool.as_deref())?;
            self.write(pen, &entry.form)?;
            pen.end()?;
        } else {
            self.write(pen, &entry.form)?;
        }
        if pen.wrote_calls == pen.calls.len() {
            Ok(())
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
                pen.skip = Some(text.clone());
                pen.out.push_str(text);
            }
            Form::NextKey => {
                pen.next_key()?;
                pen.is_list = self.is_declared_list(pen, &pen.key);
                pen.out.push_str(&pen.key);
            }
            Form::False => {
                if pen.take(None)?.trim() != "false" {
                    return Err(RenderError::new("the rule is for a flag that is `false`"));
                }
            }
            Form::Captured(Capture::Length) => pen.length_at = Some(pen.out.len()),
            Form::Captured(Capture::Type) => {
                let word = kind_word(&self.dialect.values, pen.value())?;
                pen.out.push_str(word.ok_or_else(|| {
                    RenderError::new(if pen.is_argument {
                        "`type` of a value has no word: `values: schema|type(..)` lists them"
                    } else {
                        "`type` has no word: write it before, (\"json\" | type)"
                    })
                })?);
            }
            Form::Captured(capture) => {
                let text = pen.captured(*capture)?;
                pen.out.push_str(&text);
            }
            Form::Value(argument, last) => {
                let from = pen.out.len();
                self.value(pen, argument.as_deref())?;
                leave_break(&mut pen.out, from, *last)?;
            }
            Form::Short(argument, one_of) if !one_of.is_empty() => {
                let json = pen.take(Some(argument))?.trim();
                let means = |one: &&String| match self.dialect.values.word(one) {
                    Some(word) => word == json,
                    None => raw(json) == one.as_str(),
                };
                let why = || format!("`any({argument}, ..)` lists no text for {json}");
                let text = one_of.iter().find(means);
                pen.out
                    .push_str(text.ok_or_else(|| RenderError::new(why()))?);
            }
            Form::Short(argument, _) => {
                let from = pen.out.len();
                self.value(pen, Some(argument))?;
                if pen.out[from..].is_empty() || pen.out[from..].contains(['\n', '\r', '<']) {
                    let why = "is written on one line, not empty, and without `<`";
                    return Err(RenderError::new(format!("`any({argument})` {why}")));
                }
            }
            Form::Line(argument) => {
                let from = pen.out.len();
                self.value(pen, argument.as_deref())?;
                if pen.out[from..].contains(['\n', '\r']) {
                    return Err(RenderError::new("a value of `line` has one line"));
                }
            }
            Form::Bytes(argument) => {
                let from = pen.out.len();
                self.value(pen, argument.as_deref())?;
                let length = pen.out.len() - from;
                if let Some(at) = pen.length_at.take() {
                    pen.out.insert_str(at, &format!("{length}"));
                }
            }
            Form::Lines(argument, prefix, last) => {
                let from = pen.out.len();
                self.value(pen, argument.as_deref())?;
                leave_break(&mut pen.out, from, *last)?;
                if from <= pen.out.len() {
                    let text = pen.out.split_off(from);
                    indented(&mut pen.out, &text, prefix);
                }
            }
            Form::JsonValue(argument, quote) => {
                let json = pen.take(argument.as_deref())?;
                if self.word(pen, json) {
                    return Ok(());
                }
                let style = quote.as_deref().and_then(QuoteStyle::of);
                if let Some(quote) = style.filter(|_| kind(json) == Kind::String) {
                    quoted_in(&mut pen.out, &raw(json), quote);
                    return Ok(());
                }
                // JSON's own quotes are read, too. A string that the other quotes cannot hold is written between those.
                let is_between = |quote: &String| {
                    kind(json) == Kind::String && between_tokens(&mut pen.out, json, quote).is_ok()
                };
                if !quote.as_ref().is_some_and(is_between) {
                    pen.out.push_str(&spaced(json));
                }
            }
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
                // Models whose ids have a form were shown no call without an id.
                let id = match self.dialect.id_form() {
                    Some(_) => Some(pen.captured(Capture::Id)?),
                    None => call.id.map(String::from),
                };
                let id = id.as_deref();
                envelope(&mut pen.out, shape, &CallText { id, ..call });
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
            Form::Python(quote) => {
                let Some(call) = pen.call else {
                    return Err(RenderError::new("a Python call without a call"));
                };
                python(&mut pen.out, &call, *quote)?;
                pen.left.clear();
            }
            Form::Attributes(attributes) => self.attributes(pen, attributes)?,
            Form::Rule(name) => self.rule(pen, name)?,
            Form::Sequence(forms) => {
                for (n, form) in forms.iter().enumerate() {
                    match form {
                        Form::EachArgument(inner, separator) if !pen.is_open && inner.has_key() => {
                            let takes_key =
                                |form: &Form| form.has_key() && !matches!(form, Form::Rule(_));
                            let may_leave = forms[n + 1..].iter().any(takes_key);
                            self.each_argument(pen, inner, separator, may_leave)?;
                        }
                        _ => self.write(pen, form)?,
                    }
                }
            }
            Form::Items(items) => self.items(pen, items)?,
            Form::Choice(alternatives) => self.choice(pen, alternatives)?,
            Form::If(condition, inner) => {
                if pen.is_met(*condition) {
                    self.write(pen, inner)?;
                }
            }
            Form::EachCall(inner) => {
                pen.is_repeated = true;
                while pen.wrote_calls < pen.calls.len() {
                    let n_before = pen.wrote_calls;
                    pen.index = n_before;
                    pen.more = pen.wrote_calls + 1 < pen.calls.len();
                    self.write(pen, inner)?;
                    if pen.wrote_calls == n_before {
                        return Err(RenderError::new("a round of the loop writes no call"));
                    }
                }
                pen.is_repeated = false;
            }
            // The loop is over the values of the key before it.
            Form::EachArgument(inner, _) if pen.is_open || !inner.has_key() => {
                let is_none = |json| kind(json) == Kind::Array && elements(json).next().is_none();
                if pen.is_open && pen.value().is_some_and(is_none) {
                    // A key without a value is an empty list.
                    pen.take(None)?;
                }
                while !pen.is_flag() && pen.left.iter().any(|(key, _)| *key == pen.key) {
                    let n_before = pen.left.len();
                    self.write(pen, inner)?;
                    if pen.left.len() == n_before {
                        return Err(RenderError::new("a round of the loop writes no value"));
                    }
                }
            }
            Form::EachArgument(inner, separator) => {
                self.each_argument(pen, inner, separator, false)?;
            }
        }
        Ok(())
    }

    /// Writes `inner` once for each argument that it may write. `may_leave`: another part of the rule may write those
    /// that it cannot.
    fn each_argument<'p>(
        &self,
        pen: &mut Pen<'p>,
        inner: &Form,
        separator: &Form,
        may_leave: bool,
    ) -> Written {
        self.repeat_lists(pen);
        let inside = inner.named();
        let is_of_loop =
            |pen: &Pen<'_>, key: &str| !pen.is_named(key) || inside.iter().any(|name| name == key);
        let (mut is_first, mut others) = (true, Vec::new());
        while let Some(next) = { pen.left.iter() }.position(|(key, _)| is_of_loop(pen, key)) {
            let round = |pen: &mut Pen<'p>| {
                let left = pen.left.len();
                if !is_first {
                    self.write(pen, separator)?;
                }
                pen.is_argument = true;
                self.write(pen, inner)?;
                pen.end_key()?;
                pen.is_argument = false;
                if pen.left.len() == left {
                    let why = format!("the rule has no place for `{}`", pen.left[0].0);
                    return Err(RenderError::new(why));
                }
                Ok(())
            };
            if !may_leave {
                round(pen)?;
            } else if pen.attempt(round).is_err() {
                pen.is_argument = false;
                others.push(pen.left.remove(next));
                continue;
            }
            is_first = false;
        }
        pen.left.splice(0..0, others);
        Ok(())
    }

    /// Writes the items of a list, which is the value of the last key.
    fn items(&self, pen: &mut Pen<'_>, form: &ItemsForm) -> Written {
        let at = pen.left.iter().position(|(key, _)| **key == *pen.key);
        let at = at.ok_or_else(|| RenderError::new("the list has no key"))?;
        let (key, json) = pen.left[at].clone();
        if kind(json) != Kind::Array {
            if form.is_only_list {
                return Err(RenderError::new("the rule is for a list"));
            }
            return self.write(pen, &form.item);
        }
        pen.left.remove(at);
        for (n, item) in elements(json).enumerate() {
            if n > 0 {
                self.write(pen, &form.separator)?;
            }
            pen.left.insert(at, (key.clone(), item));
            pen.is_open = true;
            self.write(pen, &form.item)?;
        }
        pen.is_open = false;
        Ok(())
    }

    /// Writes the raw value of `argument`, or of the last key if `argument` is `None`.
    fn value(&self, pen: &mut Pen<'_>, argument: Option<&str>) -> Written {
        let json = pen.take(argument)?;
        if self.word(pen, json) {
            return Ok(());
        }
        let key = argument.unwrap_or(&pen.key);
        let text = raw(json);
        let guessed = self.dialect.values.typing == Typing::Json
            && kind(json) == Kind::String
            && plain_json(&text).is_some()
            && !self.is_declared_text(pen, key);
        let spaced = matches!(kind(json), Kind::Object | Kind::Array).then(|| {
            let list = self.list(pen, key, json);
            list.unwrap_or_else(|| spaced(json))
        });
        let text = match &spaced {
            Some(spaced) => spaced,
            None if guessed => json.trim(),
            None => &*text,
        };
        if pen.out.ends_with(CDATA) {
            pen.out.push_str(text);
            return Ok(());
        }
        let line = pen.out.trim_end_matches([' ', '\t']);
        let starts_line = line.is_empty() || line.ends_with('\n');
        let text = self.dialect.values.escape(text, starts_line);
        if self.dialect.values.entities {
            let is_quoted = pen.out.ends_with('"');
            escape_entities(&mut pen.out, &text, is_quoted);
        } else {
            pen.out.push_str(&text);
        }
        Ok(())
    }

    /// Writes the dialect's word for `true`, `false` or `null`, if it has one.
    fn word(&self, pen: &mut Pen<'_>, json: &str) -> bool {
        let word = self.dialect.values.written_word(json.trim());
        pen.out.push_str(word.unwrap_or_default());
        word.is_some()
    }

    /// A list without brackets, if the dialect and the tool's schema have one. A second try writes JSON instead.
    fn list(&self, pen: &Pen<'_>, key: &str, json: &str) -> Option<String> {
        let items: Vec<&str> = elements(json).collect();
        let is_plain = |item: &&str| matches!(kind(item), Kind::String | Kind::Scalar);
        let is_second = self.last_first != LastFirst::Nowhere;
        if is_second || !self.is_declared_list(pen, key) || !items.iter().all(is_plain) {
            return None;
        }
        let items: Vec<_> = items.into_iter().map(raw).collect();
        let items: Vec<&str> = items.iter().map(|item| &**item).collect();
        self.dialect.values.list(&items)
    }

    /// Writes the alternative for the next argument, else the first alternative that can be written.
    fn choice(&self, pen: &mut Pen<'_>, alternatives: &[Alternative]) -> Written {
        let next = pen.left.first().map(|(key, _)| key.clone().into_owned());
        // Several calls need an alternative that repeats calls.
        let is_list = pen.call.is_none() && !pen.is_repeated && pen.calls.len() > 1;
        // Beside values, a key without one is a flag if `false` has a form as well, otherwise an empty list.
        let has_false = alternatives.iter().any(|one| one.form.writes_false());
        let has_value = match pen.value().filter(|_| pen.is_open) {
            Some("true" | "false") => Some(!has_false),
            Some(_) if pen.is_flag() => Some(has_false),
            _ => None,
        };
        // A list has a form of its own if another form takes single values.
        let is_array = |json: &str| kind(json) == Kind::Array;
        let is_list_of_key = match pen.left.first().filter(|_| !pen.is_open) {
            Some((key, json)) => is_array(json) || self.is_declared_list(pen, key),
            None => pen.is_open && (pen.is_list || pen.value().is_some_and(is_array)),
        };
        let next_value = pen.value().filter(|_| pen.is_open);
        let next_value = next_value.or(pen.left.first().map(|(_, json)| *json));
        let is_scalar = next_value.is_some_and(|json| kind(json) == Kind::Scalar);
        let is_object = next_value.is_some_and(|json| kind(json) == Kind::Object);
        // A text may be the only item of a list with quotes.
        let has_other_form = |one: &Alternative| {
            one.has_list != is_list_of_key && (is_list_of_key || is_scalar || !one.is_quoted)
        };
        let is_value_form =
            |one: &Alternative| pen.is_open || pen.is_argument && one.form.has_key();
        let lacks_arguments = |one: &Alternative| {
            !(pen.is_argument || pen.call.is_none() || pen.left.is_empty() || one.form.has_key())
        };
        let mut order: Vec<&Alternative> = alternatives.iter().collect();
        order.sort_by_key(|one| {
            (
                is_value_form(one) && has_other_form(one),
                is_scalar && one.is_quoted || is_object && one.hides_objects,
                lacks_arguments(one),
                is_list && !one.repeats_calls,
                !one.arguments.iter().any(|name| Some(name) == next.as_ref()),
                // An alternative for another argument comes last, so the order of the arguments is kept.
                !one.arguments.is_empty(),
                has_value.is_some_and(|has_value| one.has_value != has_value),
            )
        });
        let is_reversed = match self.last_first {
            LastFirst::Nowhere => false,
            LastFirst::Values => pen.call.is_some() && order.iter().all(|one| one.has_value),
            LastFirst::Calls => pen.call.is_some(),
        };
        if is_reversed {
            order.reverse();
        }
        let mut why = RenderError::new("no alternative can be written");
        // At first only a flag may stay without a value. In the second round a later form may write the value.
        for may_stay_open in [false, true] {
            for one in &order {
                let written = pen.attempt(|pen| {
                    self.write(pen, &one.form)?;
                    if may_stay_open || pen.is_open == pen.is_flag() {
                        return Ok(());
                    }
                    Err(RenderError::new("a key has no value in the rule"))
                });
                match written {
                    Ok(()) => return Ok(()),
                    Err(error) => why = error,
                }
            }
        }
        Err(why)
    }

    fn rule(&self, pen: &mut Pen<'_>, name: &str) -> Written {
        let mut why = RenderError::new(format!("rule `{name}` writes nothing"));
        for rule in self.forms.rules.get(name).into_iter().flatten() {
            let written = pen.attempt(|pen| {
                if rule.is_call {
                    pen.named = rule.form.named();
                    pen.start(pen.index, None)?;
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
        let mut is_first = true;
        for attribute in attributes {
            let key = attribute.keys.first().map_or("", String::as_str);
            let value: String = match (&attribute.capture, &attribute.argument) {
                (Some(Capture::Name), _) => {
                    pen.call.map(|call| call.name.into()).unwrap_or_default()
                }
                (Some(Capture::Key), _) => {
                    pen.next_key()?;
                    pen.key.clone()
                }
                (Some(Capture::Type), _) => match kind_word(&self.dialect.values, pen.value())? {
                    Some(word) => word.into(),
                    None => continue,
                },
                (Some(capture), _) => match pen.captured(*capture) {
                    Ok(text) if !text.is_empty() => text,
                    _ => continue,
                },
                (None, Some(_)) if key == "*" => {
                    for (key, json) in core::mem::take(&mut pen.left) {
                        let is_name = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
                        if !key.chars().all(is_name)
                            || key.starts_with(|c: char| !c.is_alphabetic())
                        {
                            return Err(RenderError::new(format!(
                                "`{key}` cannot be an attribute"
                            )));
                        }
                        self.attribute(pen, &key, &raw(json), is_first);
                        is_first = false;
                    }
                    continue;
                }
                (None, Some(argument)) => match pen.take(Some(argument)) {
                    Ok(json) => raw(json).into_owned(),
                    Err(_) if attributes.len() > 1 => continue,
                    Err(error) => return Err(error),
                },
                (None, None) => continue,
            };
            self.attribute(pen, key, &value, is_first);
            is_first = false;
        }
        Ok(())
    }

    fn attribute(&self, pen: &mut Pen<'_>, key: &str, value: &str, is_first: bool) {
        let value = if self.dialect.values.entities_in_attrs {
            value.replace('&', "&amp;").replace('"', "&quot;")
        } else {
            value.into()
        };
        let quote = if value.contains('"') { '\'' } else { '"' };
        if !(is_first && pen.out.ends_with([' ', '\n'])) {
            pen.out.push(' ');
        }
        let _ = write!(pen.out, "{key}={quote}{value}{quote}");
    }
}

impl<'a> Pen<'a> {
    /// The key of the next argument.
    fn next_key(&mut self) -> Written {
        self.end_key()?;
        let Some(next) = self.next() else {
            return Err(RenderError::new("no argument is left"));
        };
        self.key = self.left[next].0.clone().into_owned();
        (self.is_open, self.is_list) = (true, false);
        Ok(())
    }

    /// The next argument that a loop writes: one that the rule does not name.
    fn next(&self) -> Option<usize> {
        self.left.iter().position(|(key, _)| !self.is_named(key))
    }

    fn is_named(&self, key: &str) -> bool {
        self.named.iter().any(|name| name == key)
    }

    /// Ends the last key. A key without a value must be a flag.
    fn end_key(&mut self) -> Written {
        if self.is_open && !self.is_flag() {
            let why = format!("the rule has no place for the value of `{}`", self.key);
            return Err(RenderError::new(why));
        }
        if self.is_open {
            self.take(None)?;
        }
        Ok(())
    }

    /// Whether the value of the last key may be left unwritten: `true`, or a declared list without items.
    fn is_flag(&self) -> bool {
        let value = self.left.iter().find(|(key, _)| **key == *self.key);
        value.is_some_and(|(_, json)| {
            if self.is_list {
                kind(json) == Kind::Array && elements(json).next().is_none()
            } else {
                json.trim() == "true"
            }
        })
    }

    /// Runs `write`, and restores the state if it fails.
    fn attempt(&mut self, write: impl FnOnce(&mut Pen<'a>) -> Written) -> Written {
        let (length, left) = (self.out.len(), self.left.clone());
        let (wrote_calls, call) = (self.wrote_calls, self.call);
        let (key, is_open, is_list) = (self.key.clone(), self.is_open, self.is_list);
        let length_at = self.length_at;
        write(self).map_err(|error| {
            let error = error.after(&self.out);
            self.out.truncate(length);
            self.left = left;
            (self.wrote_calls, self.call) = (wrote_calls, call);
            (self.key, self.is_open, self.is_list) = (key, is_open, is_list);
            self.length_at = length_at;
            error
        })
    }

    fn is_met(&self, condition: Condition) -> bool {
        match condition {
            Condition::HasArguments => {
                let is_flag = self.is_open && !self.is_list && self.is_flag();
                !(self.left.is_empty() || is_flag)
            }
            Condition::HasServer => self.call.is_some_and(|call| call.server.is_some()),
            Condition::HasId => self.call.is_some_and(|call| call.id.is_some()),
            Condition::MoreCalls => self.more,
        }
    }

    fn start(&mut self, index: usize, tool: Option<&str>) -> Written {
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
        self.end_key()?;
        if let Some((key, _)) = self.left.first() {
            return Err(RenderError::new(format!(
                "the rule has no place for the argument `{key}`"
            )));
        }
        if self.length_at.is_some() {
            return Err(RenderError::new(
                "`length` is the number of `bytes` that follow it",
            ));
        }
        self.call = None;
        self.wrote_calls += 1;
        Ok(())
    }

    /// Takes the value of `argument`, or of the last key if `argument` is `None`.
    fn take(&mut self, argument: Option<&str>) -> Result<&'a str, RenderError> {
        let key = argument.unwrap_or(&self.key);
        self.is_open &= argument.is_some();
        match self.left.iter().position(|(have, _)| *have == key) {
            Some(at) => Ok(self.left.remove(at).1),
            None => Err(RenderError::new(format!(
                "the call has no argument `{key}`"
            ))),
        }
    }

    /// The value that is written next.
    fn value(&self) -> Option<&'a str> {
        let next = self.left.iter().find(|(key, _)| **key == *self.key);
        next.or(self.left.first()).map(|(_, json)| *json)
    }

    fn captured(&self, capture: Capture) -> Result<String, RenderError> {
        let missing = |what: &str| Err(RenderError::new(what));
        Ok(match capture {
            Capture::Name => self.call.map(|call| call.name.into()).unwrap_or_default(),
            Capture::Id => {
                let number = (self.number + self.index) as u64;
                let form = self.dialect.id_form().unwrap_or(IdForm::Count);
                let spelling = self.dialect.id_spelling();
                let id = match (self.call, spelling) {
                    (Some(call), Some(spelling)) => written_id(spelling, &call),
                    (Some(call), None) => call.id.map(String::from),
                    (None, _) => None,
                };
                id.unwrap_or_else(|| form.id(number))
            }
            Capture::Server => match self.call.and_then(|call| call.server) {
                Some(server) => server.into(),
                None => return missing("the call names no server, which the dialect asks for"),
            },
            Capture::Key => self.key.clone(),
            Capture::Any => match &self.skip {
                Some(text) => text.clone(),
                None => {
                    return missing(
                        "`any` says no text to write: name one beside it, (\"a\" | any), or list all, any(\"a\"|\"b\")",
                    );
                }
            },
            Capture::Type | Capture::Length => return missing("the call has no `type`"),
        })
    }
}

/// Drops the last line break of the value from `from`, if it belongs to the value: the closer writes it. An empty value
/// has no break, and the closer then writes the break before the value.
fn leave_break(out: &mut String, from: usize, last: LastBreak) -> Written {
    let is_left = match last {
        LastBreak::Closer => true,
        LastBreak::Value if from < out.len() || out.ends_with('\n') => out.pop() == Some('\n'),
        LastBreak::Value => false,
    };
    if !is_left {
        let why = "the value of `raw line_start` and `lines line_start` ends with a line break";
        return Err(RenderError::new(why));
    }
    Ok(())
}

/// Writes a text with `prefix` before each line. Inner empty lines get no blank prefix. At the ends of the text
/// the prefix keeps an empty line from being lost.
fn indented(out: &mut String, text: &str, prefix: &str) {
    let lines: Vec<&str> = text.split('\n').collect();
    for (n, line) in lines.iter().enumerate() {
        let is_inside = n > 0 && n + 1 < lines.len();
        out.push_str(if n > 0 { "\n" } else { "" });
        if !(is_inside && line.is_empty() && prefix.trim().is_empty()) {
            out.push_str(prefix);
        }
        out.push_str(line);
    }
}

/// The word for the type of a value, if the dialect has such words.
fn kind_word<'d>(values: &'d Values, json: Option<&str>) -> Result<Option<&'d str>, RenderError> {
    let (Typing::Kind(_), Some(json)) = (&values.typing, json) else {
        return Ok(None);
    };
    let json_type = match (kind(json), json.trim()) {
        (Kind::Object, _) => "object",
        (Kind::Array, _) => "array",
        (Kind::String, _) => "string",
        (Kind::Scalar, "true" | "false") => "boolean",
        (Kind::Scalar, "null") => "null",
        (Kind::Scalar, number) if number.contains(['.', 'e', 'E']) => "number",
        (Kind::Scalar, _) => "integer",
    };
    match values.word_for(json_type) {
        Some(word) => Ok(Some(word)),
        None => Err(RenderError::new(format!(
            "`values: schema|type(..)` has no word for {json_type}"
        ))),
    }
}

/// The part of a call's id that is written, if the dialect spells ids from parts.
fn written_id(spelling: &str, call: &CallText<'_>) -> Option<String> {
    let (before, after) = spelling.split_once("{id}")?;
    let before = before.replace("{name}", call.name);
    let after = after.replace("{name}", call.name);
    let inside = call.id?.strip_prefix(&before)?.strip_suffix(&after)?;
    Some(inside.into())
}
