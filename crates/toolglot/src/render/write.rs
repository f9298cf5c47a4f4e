//! Walks a dialect's rules and writes calls: the same rules that read them.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use toolglot_json::members;

use super::value::{envelope, python, raw, siblings};
use super::{CallText, Unrenderable};
use crate::grammar::{Alt, Attribute, Capture, Dialect, Piece, Rule, Term, TermKind};

/// Writes in one dialect.
pub(super) struct Writer<'a> {
    dialect: &'a Dialect,
}

type Written = Result<(), Unrenderable>;

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
    index: usize,
    /// More calls follow in this loop.
    more: bool,
    /// Every call was written.
    wrote_calls: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(dialect: &'a Dialect) -> Writer<'a> {
        Writer { dialect }
    }

    /// All ways to write `calls`, best first: entries in order; those that hold one call each are joined.
    pub(super) fn ways<'c>(
        &'c self,
        calls: &'c [CallText<'c>],
    ) -> impl Iterator<Item = Result<String, Unrenderable>> + 'c {
        let entries = self.entries();
        entries.into_iter().map(move |(rule, seq)| {
            let holds_many =
                rule.name != "call" && seq.iter().any(|term| loops_calls(self.dialect, term));
            if holds_many || calls.len() == 1 {
                return self.one(rule, seq, calls);
            }
            // Each call may need an entry of its own.
            let mut texts = Vec::new();
            for call in calls {
                let one = core::slice::from_ref(call);
                let mut entries = self
                    .entries()
                    .into_iter()
                    .filter(|(rule, _)| rule.name == "call");
                let text = entries.find_map(|(rule, seq)| self.one(rule, seq, one).ok());
                texts.push(text.ok_or_else(|| {
                    Unrenderable::new(format!(
                        "no rule of `{}` writes `{}`",
                        self.dialect.name(),
                        call.name
                    ))
                })?);
            }
            Ok(texts.join("\n"))
        })
    }

    /// Rules that begin a message and lead to a call.
    fn entries(&self) -> Vec<(&'a Rule, &'a [Term])> {
        let mut used = Vec::new();
        for rule in &self.dialect.rules {
            references(&rule.alt, &mut used);
        }
        let mut all = Vec::new();
        for rule in &self.dialect.rules {
            if rule.tool.is_none() && used.contains(&rule.name.as_str()) {
                continue;
            }
            if matches!(
                rule.name.as_str(),
                "think" | "say" | "stop" | "result" | "failure"
            ) {
                continue;
            }
            for seq in &rule.alt.0 {
                all.push((rule, seq.as_slice()));
            }
        }
        all
    }

    fn one<'c>(
        &self,
        rule: &Rule,
        seq: &[Term],
        calls: &'c [CallText<'c>],
    ) -> Result<String, Unrenderable> {
        let mut pen = Pen {
            out: String::new(),
            calls,
            call: None,
            left: Vec::new(),
            key: String::new(),
            skip: String::new(),
            index: 0,
            more: false,
            wrote_calls: 0,
        };
        if rule.name == "call" {
            pen.begin(0, rule.tool.as_deref())?;
            self.seq(&mut pen, seq)?;
            pen.end()?;
        } else {
            self.seq(&mut pen, seq)?;
        }
        if pen.wrote_calls == calls.len() {
            Ok(pen.out)
        } else {
            Err(Unrenderable::new("the rule holds fewer calls"))
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
            TermKind::Capture(Capture::Kind, _) => pen.out.push_str("json"),
            TermKind::Capture(Capture::Key, _) => {
                let Some((key, _)) = pen.left.first() else {
                    return Err(Unrenderable::new("no argument is left"));
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
                    return Err(Unrenderable::new(format!(
                        "the call has no argument `{key}`"
                    )));
                };
                let (_, json) = pen.left.remove(at);
                pen.out.push_str(&raw(json));
            }
            TermKind::Json(quote) => {
                if quote.is_some() {
                    return Err(Unrenderable::new(
                        "strings between tokens are not written yet",
                    ));
                }
                let Some(call) = pen.call else {
                    return Err(Unrenderable::new("arguments without a call"));
                };
                pen.out.push_str(call.args);
                pen.left.clear();
            }
            TermKind::Object(shape) => {
                let Some(call) = pen.call else {
                    return Err(Unrenderable::new("an envelope without a call"));
                };
                envelope(&mut pen.out, shape, &call);
                pen.left.clear();
            }
            TermKind::Xml(prefix) => {
                let Some(call) = pen.call else {
                    return Err(Unrenderable::new("elements without a call"));
                };
                pen.out.push('\n');
                siblings(
                    &mut pen.out,
                    call.args,
                    &self.dialect.values,
                    prefix.as_deref().unwrap_or(""),
                    1,
                )?;
                pen.left.clear();
            }
            TermKind::Py => {
                let Some(call) = pen.call else {
                    return Err(Unrenderable::new("a Python call without a call"));
                };
                python(&mut pen.out, &call)?;
                pen.left.clear();
            }
            TermKind::Attrs(attributes) => Writer::attributes(pen, attributes)?,
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
        let fits = |seq: &&Vec<Term>| {
            seq.iter().any(|term| matches!(&term.kind, TermKind::Text(Some(argument)) if Some(argument) == next.as_ref()))
        };
        // One for another argument comes last: the order of the arguments is kept.
        let open = |seq: &&Vec<Term>| {
            !seq.iter()
                .any(|term| matches!(&term.kind, TermKind::Text(Some(_))))
        };
        let order = (alt.0.iter().filter(fits))
            .chain(alt.0.iter().filter(|seq| !fits(seq) && open(seq)))
            .chain(alt.0.iter().filter(|seq| !fits(seq) && !open(seq)));
        let mut why = Unrenderable::new("no alternative can be written");
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
        let mut why = Unrenderable::new(format!("rule `{name}` writes nothing"));
        for rule in rules {
            let saved = (pen.out.len(), pen.left.clone(), pen.wrote_calls, pen.call);
            let inside = |pen: &mut Pen<'_>| -> Written {
                if name == "call" {
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
        if loops_calls(self.dialect, inner) {
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
                    return Err(Unrenderable::new("an argument has no place in the rule"));
                }
            }
        }
        Ok(())
    }

    /// Whether an optional part is to be written.
    fn is_wanted(&self, pen: &Pen<'_>, inner: &Term, last: bool) -> bool {
        if holds(self.dialect, inner, &|kind| {
            matches!(kind, TermKind::Capture(Capture::Ns, _))
        }) {
            return pen.call.is_some_and(|call| call.ns.is_some());
        }
        if holds(self.dialect, inner, &|kind| {
            matches!(kind, TermKind::Capture(Capture::Id, _))
        }) {
            return pen.call.is_some_and(|call| call.id.is_some());
        }
        if holds(self.dialect, inner, &|kind| {
            matches!(
                kind,
                TermKind::Text(_) | TermKind::Json(_) | TermKind::Xml(_) | TermKind::Object(_)
            )
        }) {
            return !pen.left.is_empty();
        }
        match &inner.kind {
            TermKind::Literal(pieces) if matches!(pieces.as_slice(), [Piece::Bytes(text)] if text == ",") => {
                pen.more
            }
            TermKind::Literal(_) => last,
            _ => false,
        }
    }

    fn attributes(pen: &mut Pen<'_>, attributes: &[Attribute]) -> Written {
        for (n, attribute) in attributes.iter().enumerate() {
            let key = attribute.keys.first().map_or("", String::as_str);
            let value: String = match (&attribute.capture, &attribute.argument) {
                (Some(Capture::Name), _) => {
                    pen.call.map(|call| call.name.into()).unwrap_or_default()
                }
                (Some(Capture::Key), _) => {
                    let Some((key, _)) = pen.left.first() else {
                        return Err(Unrenderable::new("no argument is left"));
                    };
                    pen.key = key.clone().into_owned();
                    pen.key.clone()
                }
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
                        return Err(Unrenderable::new(format!(
                            "the call has no argument `{argument}`"
                        )));
                    };
                    raw(pen.left.remove(at).1).into_owned()
                }
                (None, None) => continue,
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
            return Err(Unrenderable::new("no call is left"));
        };
        if tool.is_some_and(|tool| tool != call.name) {
            return Err(Unrenderable::new(format!(
                "the rule is for `{}` only",
                tool.unwrap_or("")
            )));
        }
        self.call = Some(*call);
        self.left = members(call.args).collect();
        Ok(())
    }

    fn end(&mut self) -> Written {
        if let Some((key, _)) = self.left.first() {
            return Err(Unrenderable::new(format!(
                "the rule has no place for the argument `{key}`"
            )));
        }
        self.call = None;
        self.wrote_calls += 1;
        Ok(())
    }

    fn captured(&self, capture: Capture) -> String {
        let of_call = |text: Option<&str>| String::from(text.unwrap_or(""));
        match capture {
            Capture::Name => of_call(self.call.map(|call| call.name)),
            Capture::Id => self
                .call
                .and_then(|call| call.id)
                .map_or_else(|| format!("{}", self.index), String::from),
            Capture::Ns => of_call(self.call.and_then(|call| call.ns)),
            Capture::Key => self.key.clone(),
            Capture::Skip => self.skip.clone(),
            Capture::Kind => String::new(),
        }
    }
}

/// `","?` between calls.
fn is_separator(term: &Term) -> bool {
    let TermKind::Optional(inner) = &term.kind else {
        return false;
    };
    matches!(&inner.kind, TermKind::Literal(pieces) if matches!(pieces.as_slice(), [Piece::Bytes(text)] if text == ","))
}

/// What `ws` is written as: a line break between markup, nothing beside a capture or a value, a blank before attributes.
fn blank(dialect: &Dialect, before: Option<&Term>, after: Option<&Term>) -> &'static str {
    let tight = |term: Option<&Term>| {
        match term.map(|term| &term.kind) {
        Some(TermKind::Capture(..) | TermKind::Text(_)) => true,
        Some(TermKind::Rule(name)) => dialect.rules_named(name).any(|rule| rule.alt.0.iter().any(|seq| matches!(seq.first().map(|t| &t.kind), Some(TermKind::Literal(p)) if matches!(p.as_slice(), [Piece::Bytes(t)] if t.starts_with("</") && t.len() < 6)))),
        _ => false,
    }
    };
    let json = |term: Option<&Term>| matches!(term.map(|term| &term.kind), Some(TermKind::Json(_)));
    if matches!(after.map(|term| &term.kind), Some(TermKind::Attrs(_))) {
        return " ";
    }
    let bracket = |term: Option<&Term>, brackets: &[&str]| matches!(term.map(|term| &term.kind), Some(TermKind::Literal(p)) if matches!(p.as_slice(), [Piece::Bytes(t)] if brackets.contains(&t.as_str())));
    if tight(before)
        || tight(after)
        || json(before)
        || json(after)
        || bracket(before, &["[", ":"])
        || bracket(after, &["]", ":", ";"])
    {
        return "";
    }
    match (before.map(|term| &term.kind), after.map(|term| &term.kind)) {
        (_, Some(TermKind::Many(_) | TermKind::Optional(_))) if bracket(before, &["["]) => "",
        (Some(TermKind::Many(_)), _) | (_, None)
            if matches!(before.map(|t| &t.kind), Some(TermKind::Many(_))) =>
        {
            ""
        }
        (Some(TermKind::Optional(_)), None) => " ",
        (_, Some(TermKind::Optional(inner))) if matches!(&inner.kind, TermKind::Literal(p) if matches!(p.as_slice(), [Piece::Bytes(t)] if t == ",")) => {
            ""
        }
        _ => "\n",
    }
}

fn references<'r>(alt: &'r Alt, used: &mut Vec<&'r str>) {
    fn term<'r>(kind: &'r TermKind, used: &mut Vec<&'r str>) {
        match kind {
            TermKind::Rule(name) => used.push(name),
            TermKind::Group(alt) => references(alt, used),
            TermKind::Optional(inner) | TermKind::Many(inner) => term(&inner.kind, used),
            _ => {}
        }
    }
    for t in alt.0.iter().flatten() {
        term(&t.kind, used);
    }
}

/// Whether a term, or what it leads to short of another call rule, is such.
fn holds(dialect: &Dialect, term: &Term, wanted: &dyn Fn(&TermKind) -> bool) -> bool {
    if wanted(&term.kind) {
        return true;
    }
    let in_alt = |alt: &Alt| {
        alt.0
            .iter()
            .flatten()
            .any(|term| holds(dialect, term, wanted))
    };
    match &term.kind {
        TermKind::Group(alt) => in_alt(alt),
        TermKind::Optional(inner) | TermKind::Many(inner) => holds(dialect, inner, wanted),
        TermKind::Rule(name) => dialect.rules_named(name).any(|rule| in_alt(&rule.alt)),
        _ => false,
    }
}

fn loops_calls(dialect: &Dialect, term: &Term) -> bool {
    holds(
        dialect,
        term,
        &|kind| matches!(kind, TermKind::Rule(name) if name == "call"),
    )
}
