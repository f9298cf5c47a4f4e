//! Walks a dialect's rules and writes calls: the same rules that read them.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use toolglot_json::Shape;
use toolglot_json::internal::{Kind, kind, members};

use super::layout::{blank, is_comma, is_separator};
use super::reach::{holds, leads_to_calls, repeats_calls};
use super::value::{Layout, between_tokens, envelope, python, raw, siblings, spaced};
use super::{CallText, RenderError};
use crate::grammar::{
    Alt, Attribute, Capture, Dialect, Piece, Rule, Term, TermKind, Typing, Values,
};
use crate::machine::plain_json;
use crate::program::ToolIndex;

/// Writes in one dialect.
pub(super) struct Writer<'a> {
    dialect: &'a Dialect,
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
    pub(super) fn new(dialect: &'a Dialect, tools: &'a ToolIndex) -> Writer<'a> {
        Writer {
            dialect,
            tools,
            last_first: false,
        }
    }

    /// One that takes the last form of a value, not the first.
    pub(super) fn other(dialect: &'a Dialect, tools: &'a ToolIndex) -> Writer<'a> {
        Writer {
            last_first: true,
            ..Writer::new(dialect, tools)
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
        let holds_many = |rule: &Rule, seq: &[Term]| {
            !rule.is_call() && seq.iter().any(|term| repeats_calls(self.dialect, term))
        };
        let mut entries = self.entries();
        if calls.len() > 1 {
            entries.sort_by_key(|(rule, seq)| (!rule.is_taught(), !holds_many(rule, seq)));
        }
        entries.into_iter().map(move |(rule, seq)| {
            if holds_many(rule, seq) || calls.len() == 1 {
                return self.one(rule, seq, calls);
            }
            // Each call may need an entry of its own.
            let mut texts = Vec::new();
            for call in calls {
                let one = core::slice::from_ref(call);
                let mut entries = self.entries().into_iter();
                let text = entries.find_map(|(rule, seq)| self.one(rule, seq, one).ok());
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

    /// Rules that begin a message and lead to a call: what was taught first, then what is read.
    fn entries(&self) -> Vec<(&'a Rule, &'a [Term])> {
        let mut used = Vec::new();
        for rule in &self.dialect.rules {
            rule.alt.each_reference(&mut |name| used.push(name));
        }
        let leads_to_calls = |rule: &Rule, seq: &[Term]| {
            rule.is_call() || seq.iter().any(|term| leads_to_calls(self.dialect, term))
        };
        let mut all = Vec::new();
        for rule in &self.dialect.rules {
            let is_used = rule.tool.is_none() && used.contains(&rule.name.as_str());
            let is_other = matches!(rule.name.as_str(), "think" | "say" | "stop")
                || (rule.is_only_written() && !rule.is_taught());
            if is_used || is_other {
                continue;
            }
            let seqs = rule.alt.0.iter().map(Vec::as_slice);
            all.extend(
                seqs.filter(|seq| leads_to_calls(rule, seq))
                    .map(|seq| (rule, seq)),
            );
        }
        all.sort_by_key(|(rule, _)| !rule.is_taught());
        // What was taught has one form.
        if self.last_first && all.iter().any(|(rule, _)| !rule.is_taught()) {
            all.retain(|(rule, _)| !rule.is_taught());
        }
        all
    }

    fn one<'c>(
        &self,
        rule: &Rule,
        seq: &[Term],
        calls: &'c [CallText<'c>],
    ) -> Result<String, RenderError> {
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
        if rule.is_call() {
            pen.begin(0, rule.tool.as_deref())?;
            self.seq(&mut pen, seq)?;
            pen.end()?;
        } else {
            self.seq(&mut pen, seq)?;
        }
        if pen.wrote_calls == calls.len() {
            Ok(pen.out)
        } else {
            Err(RenderError::new("the rule holds fewer calls"))
        }
    }

    fn seq(&self, pen: &mut Pen<'_>, seq: &[Term]) -> Written {
        for (n, term) in seq.iter().enumerate() {
            self.term(pen, term, n.checked_sub(1).map(|n| &seq[n]), seq.get(n + 1))?;
        }
        Ok(())
    }

    fn term(
        &self,
        pen: &mut Pen<'_>,
        term: &Term,
        before: Option<&Term>,
        after: Option<&Term>,
    ) -> Written {
        match &term.kind {
            TermKind::Literal(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Bytes(text) => pen.out.push_str(text),
                        Piece::Hole(capture) => {
                            let text = pen.captured(*capture);
                            pen.out.push_str(&text);
                        }
                    }
                }
            }
            // Behind a separator that was left out nothing is to be kept apart.
            TermKind::Ws if !pen.more && before.is_some_and(is_separator) => {}
            TermKind::Ws => pen.out.push_str(blank(self.dialect, before, after)),
            TermKind::Nl => pen.out.push('\n'),
            TermKind::Bol => {
                if !pen.out.is_empty() && !pen.out.ends_with('\n') {
                    pen.out.push('\n');
                }
            }
            TermKind::Start | TermKind::End => {}
            TermKind::Capture(Capture::Skip, one_of) => {
                pen.skip = one_of.first().cloned().unwrap_or_default();
                let skip = pen.skip.clone();
                pen.out.push_str(&skip);
            }
            TermKind::Capture(Capture::Kind, _) => {
                let word = kind_word(&self.dialect.values, pen.value());
                pen.out.push_str(word.unwrap_or("json"));
            }
            TermKind::Capture(Capture::Key, _) => {
                let Some((key, _)) = pen.left.first() else {
                    return Err(RenderError::new("no argument is left"));
                };
                pen.key = key.clone().into_owned();
                let key = pen.key.clone();
                pen.out.push_str(&key);
            }
            TermKind::Capture(capture, _) => {
                let text = pen.captured(*capture);
                pen.out.push_str(&text);
            }
            TermKind::Text(argument) => {
                let key = String::from(argument.as_deref().unwrap_or(&pen.key));
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
            }
            TermKind::Json(quotes) => {
                let Some(call) = pen.call else {
                    return Err(RenderError::new("arguments without a call"));
                };
                match quotes.first() {
                    Some(quote) => between_tokens(&mut pen.out, call.arguments, quote)?,
                    None => pen.out.push_str(&spaced(call.arguments)),
                }
                pen.left.clear();
            }
            TermKind::Object(shape) => {
                let Some(call) = pen.call else {
                    return Err(RenderError::new("an envelope without a call"));
                };
                envelope(&mut pen.out, shape, &call);
                pen.left.clear();
            }
            TermKind::Xml(prefix) => {
                let Some(call) = pen.call else {
                    return Err(RenderError::new("elements without a call"));
                };
                let prefix = prefix.as_deref().unwrap_or("");
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
            TermKind::Py(mark) => {
                let Some(call) = pen.call else {
                    return Err(RenderError::new("a Python call without a call"));
                };
                python(&mut pen.out, &call, *mark)?;
                pen.left.clear();
            }
            TermKind::Attrs(attributes) => self.attributes(pen, attributes)?,
            TermKind::Rule(name) => self.rule(pen, name)?,
            TermKind::Group(alt) => self.choice(pen, alt)?,
            TermKind::Optional(inner) => {
                if self.is_wanted(pen, inner, after.is_none()) {
                    self.term(pen, inner, before, after)?;
                }
            }
            TermKind::Many(inner) => self.many(pen, inner, before, after)?,
        }
        Ok(())
    }

    /// The alternative that fits: the one for this key, else the first that can be written.
    fn choice(&self, pen: &mut Pen<'_>, alt: &Alt) -> Written {
        let next = pen.left.first().map(|(key, _)| key.clone().into_owned());
        let fits = |seq: &[Term]| {
            seq.iter().any(|term| matches!(&term.kind, TermKind::Text(Some(argument)) if Some(argument) == next.as_ref()))
        };
        // One for another argument comes last: the order of the arguments is kept.
        let other = |seq: &[Term]| {
            seq.iter()
                .any(|term| matches!(&term.kind, TermKind::Text(Some(_))))
        };
        // Several calls want a list.
        let is_list = pen.call.is_none() && pen.calls.len() > 1;
        let short =
            |seq: &[Term]| is_list && !seq.iter().any(|term| repeats_calls(self.dialect, term));
        let mut order: Vec<&Vec<Term>> = alt.0.iter().collect();
        order.sort_by_key(|seq| (short(seq), !fits(seq), other(seq)));
        let holds_text = |seq: &&Vec<Term>| {
            seq.iter()
                .any(|term| matches!(term.kind, TermKind::Text(_)))
        };
        if self.last_first && order.iter().all(holds_text) {
            order.reverse();
        }
        let mut why = RenderError::new("no alternative can be written");
        for seq in order {
            let saved = (pen.out.len(), pen.left.clone(), pen.wrote_calls, pen.call);
            match self.seq(pen, seq) {
                Ok(()) => return Ok(()),
                Err(error) => {
                    why = error;
                    pen.out.truncate(saved.0);
                    (pen.left, pen.wrote_calls, pen.call) = (saved.1, saved.2, saved.3);
                }
            }
        }
        Err(why)
    }

    fn rule(&self, pen: &mut Pen<'_>, name: &str) -> Written {
        let rules: Vec<&Rule> = self.dialect.rules_named(name).collect();
        let mut why = RenderError::new(format!("rule `{name}` writes nothing"));
        for rule in rules {
            let saved = (pen.out.len(), pen.left.clone(), pen.wrote_calls, pen.call);
            let inside = |pen: &mut Pen<'_>| -> Written {
                if rule.is_call() {
                    pen.begin(pen.index, None)?;
                    self.choice(pen, &rule.alt)?;
                    pen.end()
                } else {
                    self.choice(pen, &rule.alt)
                }
            };
            match inside(pen) {
                Ok(()) => return Ok(()),
                Err(error) => {
                    why = error;
                    pen.out.truncate(saved.0);
                    (pen.left, pen.wrote_calls, pen.call) = (saved.1, saved.2, saved.3);
                }
            }
        }
        Err(why)
    }

    /// A loop: over the calls, or over the arguments that are left; any other loop is left out.
    fn many(
        &self,
        pen: &mut Pen<'_>,
        inner: &Term,
        before: Option<&Term>,
        after: Option<&Term>,
    ) -> Written {
        if leads_to_calls(self.dialect, inner) {
            while pen.wrote_calls < pen.calls.len() {
                pen.index = pen.wrote_calls;
                pen.more = pen.wrote_calls + 1 < pen.calls.len();
                self.term(pen, inner, before, after)?;
            }
            return Ok(());
        }
        if holds(self.dialect, inner, &|kind| {
            matches!(kind, TermKind::Text(_))
        }) {
            while !pen.left.is_empty() {
                let left = pen.left.len();
                self.term(pen, inner, before, after)?;
                if pen.left.len() == left {
                    return Err(RenderError::new("an argument has no place in the rule"));
                }
            }
        }
        Ok(())
    }

    /// Whether an optional part is to be written.
    fn is_wanted(&self, pen: &Pen<'_>, inner: &Term, last: bool) -> bool {
        if holds(self.dialect, inner, &|kind| {
            matches!(
                kind,
                TermKind::Text(_) | TermKind::Json(_) | TermKind::Xml(_) | TermKind::Object(_)
            )
        }) {
            return !pen.left.is_empty();
        }
        if holds(self.dialect, inner, &|kind| {
            matches!(kind, TermKind::Capture(Capture::Ns, _))
        }) {
            return pen.call.is_some_and(|call| call.server.is_some());
        }
        if holds(self.dialect, inner, &|kind| {
            matches!(kind, TermKind::Capture(Capture::Id, _))
        }) {
            return pen.call.is_some_and(|call| call.id.is_some());
        }
        match &inner.kind {
            kind if is_comma(kind) => pen.more,
            // The fullest spelling is the one that was taught.
            TermKind::Literal(_) | TermKind::Nl => true,
            TermKind::Group(alt) => {
                let is_markup =
                    |term: &Term| matches!(term.kind, TermKind::Literal(_) | TermKind::Ws);
                !last && alt.0.iter().flatten().all(is_markup)
            }
            TermKind::Rule(_) => {
                last && !holds(self.dialect, inner, &|kind| {
                    !matches!(
                        kind,
                        TermKind::Literal(_) | TermKind::Ws | TermKind::Rule(_)
                    )
                })
            }
            _ => false,
        }
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
                (Some(Capture::Kind), _) => match kind_word(&self.dialect.values, pen.value()) {
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
            Capture::Ns => of_call(self.call.and_then(|call| call.server)),
            Capture::Key => self.key.clone(),
            Capture::Skip => self.skip.clone(),
            Capture::Kind => String::new(),
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
