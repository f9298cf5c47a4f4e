//! How calls are written: a dialect's rules, with the choices made that a parser leaves open.
//!
//! [`Forms`] is made once for a dialect. The renderer walks it with given calls, and a grammar for constrained decoding
//! is made from it. `Forms` describes what a call *should* look like: a parser reads more.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::reach::{holds, leads_to_calls, repeats_calls};
use super::separator::{is_comma, is_separator};
use crate::grammar::lists::{self, InList};
use crate::grammar::{Alt, Delimiter, Dialect, Habit, Piece, Rule, Term, TermKind};
pub use crate::grammar::{
    Attribute, Capture, Envelope, EnvelopeMember, LastBreak, PythonQuote, QuoteStyle, Role, Typing,
    Values,
};
use crate::thresholds::MARKER_MIN;

/// How a dialect writes calls.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Forms {
    /// The forms for the calls of a message, best first.
    pub entries: Vec<FormEntry>,
    /// The rules that forms refer to, by name. The rules of one name are alternatives.
    pub rules: BTreeMap<String, Vec<FormRule>>,
    /// The text between calls that no form joins.
    pub between: &'static str,
    /// Lists are written between brackets, so `repeated` repeats no key.
    pub has_lists: bool,
    /// The literals before and after reasoning, from the first rule `think` that has both.
    pub reasoning: Option<(String, String)>,
}

/// A form for the calls of a message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FormEntry {
    /// The written form.
    pub form: Form,
    /// The form is one call.
    pub is_call: bool,
    /// The only tool that the form calls.
    pub tool: Option<String>,
    /// The form takes any number of calls. Any other form is written once for each call.
    pub repeats_calls: bool,
    /// The model was taught this form (`write`, `write_block`).
    pub is_taught: bool,
}

/// A rule that forms refer to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FormRule {
    /// The written form.
    pub form: Form,
    /// The rule is one call.
    pub is_call: bool,
}

/// A part of a text that writes calls.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Form {
    /// This text.
    Literal(String),
    /// A line break, unless the text is empty or ends with one.
    LineStart,
    /// The call's text for this capture. `Captured(Any)` repeats the last `Skipped` text, and needs one.
    Captured(Capture),
    /// The next argument's key.
    NextKey,
    /// Nothing: the key before it has the value `false`.
    False,
    /// A text without a meaning, which `Captured(Any)` repeats.
    Skipped(String),
    /// The raw value of the argument of that name, or of the key before it.
    Value(Option<String>, LastBreak),
    /// The raw value of the argument of that name, on one line, not empty and without `<`; of the listed texts, if there
    /// are any.
    Short(String, Vec<String>),
    /// The raw value of the argument of that name, or of the key before it, on one line.
    Line(Option<String>),
    /// The raw value of the argument of that name, or of the key before it. `Captured(Length)` is its length.
    Bytes(Option<String>),
    /// The raw value of the argument of that name, or of the key before it, with this prefix on each line.
    Lines(Option<String>, String, LastBreak),
    /// The value of the argument of that name, or of the key before it, as JSON; a string between these quotes.
    JsonValue(Option<String>, Option<String>),
    /// The arguments as JSON, its strings between these quotes.
    Json(Option<String>),
    /// A JSON object with the name and the arguments.
    Object(Envelope),
    /// The arguments as elements, with this text before each tag.
    Elements(String),
    /// A Python call.
    Python(PythonQuote),
    /// Attributes.
    Attributes(Vec<Attribute>),
    /// One of the rules of that name.
    Rule(String),
    /// One after the other.
    Sequence(Vec<Form>),
    /// The values of the key before it: none, one, or several with a separator between them.
    Items(Box<ItemsForm>),
    /// The alternative for the next argument, else the first that can be written.
    Choice(Vec<Alternative>),
    /// The form to write only if the condition holds.
    If(Condition, Box<Form>),
    /// Once for each call that is left.
    EachCall(Box<Form>),
    /// Once for each argument that is left; inside such a loop, for each value of the key before it.
    ///
    /// The second form is the separator.
    EachArgument(Box<Form>, Box<Form>),
}

impl Form {
    /// Whether the form writes or names keys of parameters, whose values the form then writes.
    pub(super) fn has_key(&self) -> bool {
        match self {
            Form::NextKey | Form::Rule(_) => true,
            Form::Attributes(all) => {
                let is_key = |one: &Attribute| one.capture == Some(Capture::Key);
                all.iter().any(|one| one.argument.is_some() || is_key(one))
            }
            Form::Json(_) | Form::Object(_) | Form::Elements(_) | Form::Python(_) => true,
            Form::Sequence(forms) => forms.iter().any(Form::has_key),
            Form::Choice(ways) => ways.iter().any(|way| way.form.has_key()),
            Form::If(_, inner) | Form::EachArgument(inner, _) => inner.has_key(),
            form => !form.named().is_empty(),
        }
    }

    /// Whether the form writes a key whose value is `false`.
    pub fn writes_false(&self) -> bool {
        match self {
            Form::False => true,
            Form::Sequence(forms) => forms.iter().any(Form::writes_false),
            _ => false,
        }
    }

    /// The arguments that a form names.
    pub(super) fn named(&self) -> Vec<String> {
        match self {
            Form::Value(Some(name), _)
            | Form::Short(name, _)
            | Form::Line(Some(name))
            | Form::Bytes(Some(name))
            | Form::Lines(Some(name), ..)
            | Form::JsonValue(Some(name), _) => [name.clone()].into(),
            Form::Sequence(forms) => forms.iter().flat_map(Form::named).collect(),
            Form::Choice(ways) => ways.iter().flat_map(|way| way.form.named()).collect(),
            Form::If(_, inner) | Form::EachArgument(inner, _) => inner.named(),
            Form::Items(items) => items.item.named(),
            _ => Vec::new(),
        }
    }
}

/// A list, without its brackets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ItemsForm {
    /// One item.
    pub item: Form,
    /// The text between two items.
    pub separator: Form,
    /// A value that is not a list has another form.
    pub is_only_list: bool,
}

/// One of several forms.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Alternative {
    /// The written form.
    pub form: Form,
    /// The arguments that the form names.
    pub arguments: Vec<String>,
    /// The form holds a value, raw or JSON.
    pub has_value: bool,
    /// The form holds a list.
    pub has_list: bool,
    /// Quotation marks or brackets enclose the value, or each item. Numbers, flags and `null` go into a form without
    /// them, if there is one.
    pub is_quoted: bool,
    /// The form starts as a JSON object does. Objects go into a form without an opener, if there is one.
    pub hides_objects: bool,
    /// The form takes any number of calls.
    pub repeats_calls: bool,
}

/// When an optional part is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Condition {
    /// Some argument is not yet written.
    HasArguments,
    /// The call names a server.
    HasServer,
    /// The call has an id.
    HasId,
    /// A further call follows.
    MoreCalls,
}

impl Forms {
    /// The forms of `dialect`: linear in its rules.
    pub fn new(dialect: &Dialect) -> Forms {
        let compiler = Compiler { dialect };
        let mut rules: BTreeMap<String, Vec<FormRule>> = BTreeMap::new();
        for rule in dialect.rules.iter().filter(|rule| rule.tool.is_none()) {
            let mut named = dialect.rules_named(&rule.name).flat_map(|rule| &rule.alt.0);
            let beside_single = named.any(|seq| lists::is_single(dialect, seq));
            let form = compiler.choice(&rule.alt, beside_single);
            let is_call = rule.is_call();
            let of_name = rules.entry(rule.name.clone()).or_default();
            of_name.push(FormRule { form, is_call });
        }
        Forms {
            entries: compiler.entries(),
            rules,
            between: dialect.between_calls(),
            has_lists: dialect.has_lists(),
            reasoning: compiler.reasoning(),
        }
    }

    /// The literals around names and values in the best form, in order, each once, with written blanks. Short literals
    /// are left out.
    pub fn literals(&self) -> Vec<String> {
        let mut runs = Runs::default();
        if let Some(entry) = self.entries.first() {
            self.add_runs(&entry.form, &mut runs, 0);
        }
        runs.end();
        runs.all
    }

    /// Adds the literals of a form. Of several alternatives only the first counts.
    fn add_runs(&self, form: &Form, runs: &mut Runs, depth: usize) {
        match form {
            Form::Literal(text) => runs.open.push_str(text),
            Form::LineStart => {}
            Form::Sequence(forms) => {
                for form in forms {
                    self.add_runs(form, runs, depth);
                }
            }
            Form::Choice(alternatives) => {
                if let Some(first) = alternatives.first() {
                    self.add_runs(&first.form, runs, depth);
                }
            }
            Form::Rule(name) if depth < MAX_DEPTH => {
                let rule = self.rules.get(name).and_then(|rules| rules.first());
                if let Some(rule) = rule {
                    self.add_runs(&rule.form, runs, depth + 1);
                }
            }
            // An optional or repeated form is not part of the runs around it.
            Form::If(_, inner) | Form::EachCall(inner) | Form::EachArgument(inner, _) => {
                runs.end();
                self.add_runs(inner, runs, depth);
                runs.end();
            }
            _ => runs.end(),
        }
    }
}

/// Rules do not refer to themselves. Deeper rules add nothing that distinguishes dialects.
const MAX_DEPTH: usize = 8;

/// Runs of literals that are written without anything between.
#[derive(Default)]
struct Runs {
    all: Vec<String>,
    open: String,
}

impl Runs {
    fn end(&mut self) {
        let run = core::mem::take(&mut self.open);
        if run.trim().len() >= MARKER_MIN && !self.all.contains(&run) {
            self.all.push(run);
        }
    }
}

struct Compiler<'d> {
    dialect: &'d Dialect,
}

impl Compiler<'_> {
    /// The rules that start a message and lead to a call: taught rules first, then rules for parsing.
    fn entries(&self) -> Vec<FormEntry> {
        let used = self.dialect.parts(|_| true);
        let is_entry = |rule: &&Rule| {
            let is_used = rule.tool.is_none() && used.contains(&rule.name.as_str());
            let is_other = matches!(rule.name.as_str(), "think" | "say" | "stop")
                || (rule.is_only_written() && !rule.is_taught());
            !is_used && !is_other
        };
        let mut entries: Vec<FormEntry> = Vec::new();
        for rule in self.dialect.rules.iter().filter(is_entry) {
            let is_call = rule.is_call();
            let leads = |seq: &&Vec<Term>| {
                is_call || seq.iter().any(|term| leads_to_calls(self.dialect, term))
            };
            entries.extend(rule.alt.0.iter().filter(leads).map(|seq| FormEntry {
                form: self.sequence(seq, false),
                is_call,
                tool: rule.tool.clone(),
                repeats_calls: !is_call && self.repeats_calls(seq),
                is_taught: rule.is_taught(),
            }));
        }
        entries.sort_by_key(|entry| !entry.is_taught);
        entries
    }

    /// The literals around the text of the first rule `think` that has both.
    fn reasoning(&self) -> Option<(String, String)> {
        let around = |seq: &Vec<Term>| {
            let text = seq
                .iter()
                .position(|term| matches!(term.kind, TermKind::Raw(..)))?;
            let opener: String = seq[..text]
                .iter()
                .filter_map(|term| self.text(term))
                .collect();
            let mut after = seq[text + 1..].iter().filter_map(|term| self.text(term));
            let closer = after.find(|text| !text.is_empty())?;
            (!opener.is_empty()).then_some((opener, closer))
        };
        let rules = self.dialect.rules_named("think");
        rules.flat_map(|rule| &rule.alt.0).find_map(around)
    }

    /// The text that is written for a term, if the text is the same for all calls.
    fn text(&self, term: &Term) -> Option<String> {
        match &term.kind {
            TermKind::Literal(pieces) => match pieces.as_slice() {
                [Piece::Bytes(text)] => Some(text.clone()),
                _ => None,
            },
            TermKind::Ws(written) => Some(written.clone().unwrap_or_default()),
            TermKind::Optional(_, Habit::Untaught) => Some(String::new()),
            TermKind::Group(alt) => self.first_text(alt),
            TermKind::Rule(name) => {
                let rule = self.dialect.rules_named(name).next();
                self.first_text(&rule.filter(|rule| !rule.is_call())?.alt)
            }
            _ => None,
        }
    }

    /// The text that is written for the first alternative.
    fn first_text(&self, alt: &Alt) -> Option<String> {
        alt.0.first()?.iter().map(|term| self.text(term)).collect()
    }

    /// Whether the text to write for a term is unknown: an `any` that lists no texts, a `type` without words.
    fn is_unknown(&self, term: &Term) -> bool {
        let first = |alt: &Alt| {
            alt.0
                .first()
                .into_iter()
                .flatten()
                .any(|term| self.is_unknown(term))
        };
        match &term.kind {
            TermKind::Capture(Capture::Any, texts) => texts.is_empty(),
            TermKind::Capture(Capture::Type, _) => {
                !matches!(self.dialect.values.typing, Typing::Kind(_))
            }
            TermKind::Group(alt) => first(alt),
            TermKind::Rule(name) => self
                .dialect
                .rules_named(name)
                .next()
                .is_some_and(|rule| first(&rule.alt)),
            _ => false,
        }
    }

    fn repeats_calls(&self, seq: &[Term]) -> bool {
        seq.iter().any(|term| repeats_calls(self.dialect, term))
    }

    /// `beside_single`: a single value may be written in place of the sequence.
    fn sequence(&self, seq: &[Term], beside_single: bool) -> Form {
        let mut forms = Vec::with_capacity(seq.len());
        let series = lists::series_in(self.dialect, seq, beside_single);
        for (n, term) in seq.iter().enumerate() {
            let before = n.checked_sub(1).map(|n| &seq[n]);
            match &series {
                Some(series) if series.place.start == n => {
                    let [item, separator] =
                        [series.item, series.separator].map(|seq| self.sequence(seq, false));
                    forms.push(match series.list {
                        InList::No => Form::EachArgument(Box::new(item), Box::new(separator)),
                        list => Form::Items(Box::new(ItemsForm {
                            item,
                            separator,
                            is_only_list: list == InList::Always
                                && !lists::has_quoted_items(self.dialect, seq),
                        })),
                    });
                }
                Some(series) if series.place.contains(&n) => {}
                _ => match &term.kind {
                    TermKind::Group(alt) if beside_single && seq.len() == 1 => {
                        forms.push(self.choice(alt, beside_single));
                    }
                    _ => self.term(&mut forms, term, before),
                },
            }
        }
        separate_before(&mut forms);
        match forms.len() {
            1 => forms.swap_remove(0),
            _ => Form::Sequence(forms),
        }
    }

    fn choice(&self, alt: &Alt, beside_single: bool) -> Form {
        let has_single = |seq: &Vec<Term>| lists::has_single(self.dialect, seq);
        let beside_single = beside_single || alt.0.iter().any(has_single);
        let alternative = |seq: &Vec<Term>| {
            let argument = |term: &Term| match &term.kind {
                TermKind::Raw(argument, _) | TermKind::Value(argument, _) => argument.clone(),
                _ => None,
            };
            let has = |wanted: &dyn Fn(&Term) -> bool| seq.iter().any(wanted);
            let is_value =
                |kind: &TermKind| matches!(kind, TermKind::Raw(..) | TermKind::Value(..));
            let is_loop = |term: &Term| lists::is_loop_of_values(self.dialect, term);
            Alternative {
                form: self.sequence(seq, beside_single),
                arguments: seq.iter().filter_map(argument).collect(),
                has_value: has(&|term| holds(self.dialect, term, &is_value)),
                has_list: lists::holds_list(self.dialect, seq)
                    || self.dialect.values.repeated && has(&is_loop),
                is_quoted: is_quoted(seq),
                hides_objects: lists::opens_as_object(self.dialect, seq),
                repeats_calls: self.repeats_calls(seq),
            }
        };
        Form::Choice(alt.0.iter().map(alternative).collect())
    }

    /// Adds the forms that write a term.
    fn term(&self, forms: &mut Vec<Form>, term: &Term, before: Option<&Term>) {
        let one = |inner: &Term| {
            let mut forms = Vec::new();
            self.term(&mut forms, inner, before);
            Box::new(match forms.len() {
                1 => forms.swap_remove(0),
                _ => Form::Sequence(forms),
            })
        };
        match &term.kind {
            TermKind::Literal(pieces) => forms.extend(pieces.iter().map(|piece| match piece {
                Piece::Bytes(text) => Form::Literal(text.clone()),
                Piece::Hole(capture) => Form::Captured(*capture),
            })),
            TermKind::Ws(None) => {}
            TermKind::Ws(Some(written)) => {
                let written = Form::Literal(written.clone());
                // Blanks after a separator are written only if the separator is.
                forms.push(
                    if before.is_some_and(|before| is_separator(self.dialect, before)) {
                        Form::If(Condition::MoreCalls, Box::new(written))
                    } else {
                        written
                    },
                );
            }
            TermKind::Nl => forms.push(Form::Literal("\n".to_string())),
            TermKind::LineStart => forms.push(Form::LineStart),
            TermKind::MessageStart | TermKind::MessageEnd => {}
            TermKind::False => forms.push(Form::False),
            TermKind::Capture(Capture::Any, one_of) if !one_of.is_empty() => {
                forms.push(Form::Skipped(one_of[0].clone()));
            }
            TermKind::Capture(Capture::Key, _) => forms.push(Form::NextKey),
            TermKind::Capture(capture, _) => forms.push(Form::Captured(*capture)),
            TermKind::Argument(name, one_of) => {
                forms.push(Form::Short(name.clone(), one_of.clone()));
            }
            TermKind::Raw(argument, delimiter) => {
                let argument = argument.clone();
                forms.push(match delimiter {
                    Delimiter::Closer(last) => Form::Value(argument, *last),
                    Delimiter::Line => Form::Line(argument),
                    Delimiter::Lines(indent, last) => {
                        Form::Lines(argument, indent.written().into(), *last)
                    }
                    Delimiter::Length => Form::Bytes(argument),
                });
            }
            TermKind::Value(argument, quotes) => {
                forms.push(Form::JsonValue(argument.clone(), quotes.first().cloned()));
            }
            TermKind::Json(quotes) => forms.push(Form::Json(quotes.first().cloned())),
            TermKind::Object(envelope) => forms.push(Form::Object(envelope.clone())),
            TermKind::Xml(prefix) => {
                forms.push(Form::Elements(prefix.clone().unwrap_or_default()));
            }
            TermKind::Python(quote) => forms.push(Form::Python(*quote)),
            TermKind::Attrs(attributes) => forms.push(Form::Attributes(attributes.clone())),
            // A term whose other alternatives hold arguments is a choice, even if its first alternative is a text.
            TermKind::Group(_) | TermKind::Rule(_)
                if self.text(term).is_some() && !self.holds(term, &has_arguments) =>
            {
                forms.extend(self.text(term).map(Form::Literal));
            }
            TermKind::Rule(name) => forms.push(Form::Rule(name.clone())),
            TermKind::Group(alt) => forms.push(self.choice(alt, false)),
            TermKind::Optional(_, Habit::Untaught) => {}
            TermKind::Optional(inner, _) if self.is_unknown(inner) => {}
            TermKind::Optional(inner, Habit::Taught) => match self.condition(inner) {
                None => self.term(forms, inner, before),
                Some(Condition::HasArguments) if self.holds(inner, &is_named) => {
                    let none = Box::new(Form::Sequence(Vec::new()));
                    let either = [one(inner), none].map(|form| Alternative {
                        form: *form,
                        arguments: Vec::new(),
                        has_value: false,
                        has_list: false,
                        is_quoted: false,
                        hides_objects: false,
                        repeats_calls: false,
                    });
                    let either = Box::new(Form::Choice(either.into()));
                    forms.push(Form::If(Condition::HasArguments, either));
                }
                Some(condition) => forms.push(Form::If(condition, one(inner))),
            },
            TermKind::Many(inner) => {
                if leads_to_calls(self.dialect, inner) {
                    forms.push(Form::EachCall(one(inner)));
                } else if self.holds(inner, &is_value) {
                    let nothing = Box::new(Form::Sequence(Vec::new()));
                    forms.push(Form::EachArgument(one(inner), nothing));
                }
                // Any other loop is left out.
            }
        }
    }

    fn holds(&self, term: &Term, wanted: &dyn Fn(&TermKind) -> bool) -> bool {
        holds(self.dialect, term, wanted)
    }

    /// The condition to write an optional part, if there is one.
    fn condition(&self, inner: &Term) -> Option<Condition> {
        let has = |wanted: &dyn Fn(&TermKind) -> bool| self.holds(inner, wanted);
        let is_object = |kind: &TermKind| matches!(kind, TermKind::Json(_) | TermKind::Object(_));
        if leads_to_calls(self.dialect, inner) || has(&is_object) {
            None
        } else if has(&|kind| {
            is_value(kind) || matches!(kind, TermKind::Xml(_) | TermKind::Capture(Capture::Key, _))
        }) {
            Some(Condition::HasArguments)
        } else if has(&|kind| matches!(kind, TermKind::Capture(Capture::Server, _))) {
            Some(Condition::HasServer)
        } else if has(&|kind| matches!(kind, TermKind::Capture(Capture::Id, _))) {
            // With `id_spelling`, every call is written with an id.
            match self.dialect.id_spelling() {
                None => Some(Condition::HasId),
                Some(_) => None,
            }
        } else if is_comma(self.dialect, inner) {
            Some(Condition::MoreCalls)
        } else {
            None
        }
    }
}

/// Whether a term of this kind is a value of an argument that the rule names.
fn is_named(kind: &TermKind) -> bool {
    kind.named_argument().is_some()
}

/// Whether a term of this kind reads arguments.
fn has_arguments(kind: &TermKind) -> bool {
    is_value(kind)
        || matches!(
            kind,
            TermKind::Json(_) | TermKind::Object(_) | TermKind::Xml(_) | TermKind::Python(_)
        )
}

fn is_value(kind: &TermKind) -> bool {
    matches!(
        kind,
        TermKind::Raw(..) | TermKind::Value(..) | TermKind::Argument(..)
    )
}

/// Moves the separators between a call and the loop over others into the loop: `call, (call,)*` as `call (, call)*`.
fn separate_before(forms: &mut Vec<Form>) {
    let is_separator = |form: &Form| matches!(form, Form::If(Condition::MoreCalls, _));
    let Some(at) = forms
        .windows(2)
        .position(|two| is_separator(&two[0]) && matches!(two[1], Form::EachCall(_)))
    else {
        return;
    };
    let n_separators = forms[..=at]
        .iter()
        .rev()
        .take_while(|form| is_separator(form))
        .count();
    let start = at + 1 - n_separators;
    let Form::EachCall(inner) = &mut forms[at + 1] else {
        return;
    };
    let inner = match inner.as_mut() {
        Form::Choice(alternatives) if alternatives.len() == 1 => &mut alternatives[0].form,
        inner => inner,
    };
    let Form::Sequence(parts) = inner else {
        return;
    };
    parts.retain(|part| !is_separator(part));
    let separators = forms.drain(start..=at).filter_map(|form| match form {
        Form::If(_, inner) => Some(*inner),
        _ => None,
    });
    let separators: Vec<Form> = separators.collect();
    if let Some(Form::EachCall(inner)) = forms.get_mut(start) {
        let each = core::mem::replace(inner.as_mut(), Form::Sequence(separators));
        if let Form::Sequence(parts) = inner.as_mut() {
            parts.push(each);
        }
    }
}

/// Whether quotation marks or brackets are around a value of the sequence.
fn is_quoted(seq: &[Term]) -> bool {
    /// Quotation marks besides [`lists::BRACKETS`].
    const QUOTES: [(char, char); 5] =
        [('"', '"'), ('\'', '\''), ('`', '`'), ('‘', '’'), ('»', '«')];
    let is_pair = |pair| lists::BRACKETS.contains(&pair) || QUOTES.contains(&pair);
    seq.windows(3).any(|terms| match terms {
        [before, value, after] if matches!(value.kind, TermKind::Raw(..)) => {
            let opener = lists::literal(before).and_then(|text| text.chars().next_back());
            let closer = lists::literal(after).and_then(|text| text.chars().next());
            opener.zip(closer).is_some_and(is_pair)
        }
        _ => false,
    })
}
