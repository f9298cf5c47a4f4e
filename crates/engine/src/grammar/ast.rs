//! The syntax tree of a rule.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::Dialect;

/// One rule: `RULE [TOOL] = alt`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    pub(crate) name: String,
    /// The tool that the rule fixes.
    pub(crate) tool: Option<String>,
    pub(crate) alt: Alt,
    /// The place of the rule's name in its file.
    pub(crate) span: Range<usize>,
}

impl Rule {
    /// Whether the rule is only for writing, so that no text is parsed by it.
    pub(crate) fn is_only_written(&self) -> bool {
        self.is_taught()
            || matches!(
                self.name.as_str(),
                "result" | "failure" | "result_block" | "not_in_results"
            )
    }

    /// Whether the rule describes how the model was taught to write a call or a block of calls.
    pub(crate) fn is_taught(&self) -> bool {
        matches!(self.name.as_str(), "write" | "write_block")
    }

    /// Whether the rule describes one call.
    pub(crate) fn is_call(&self) -> bool {
        matches!(self.name.as_str(), "call" | "write")
    }
}

/// Alternatives, each a sequence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Alt(pub(crate) Vec<Vec<Term>>);

/// An argument that a rule names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedArgument<'d> {
    /// Its name.
    pub name: &'d str,
    /// Whether its value is on one line.
    pub is_short: bool,
    /// The first of the only texts that its value may be, `any(mode, "r"|"w")`.
    pub listed: Option<&'d str>,
}

impl Alt {
    /// The arguments that the alternatives name, each once; with the dialect those of the rules in them, too.
    pub(crate) fn arguments<'d>(&'d self, dialect: Option<&'d Dialect>) -> Vec<NamedArgument<'d>> {
        fn collect<'d>(
            dialect: Option<&'d Dialect>,
            kind: &'d TermKind,
            found: &mut Vec<NamedArgument<'d>>,
        ) {
            let mut add = |name: &'d str, is_short, listed| {
                if !found.iter().any(|other| other.name == name) {
                    found.push(NamedArgument {
                        name,
                        is_short,
                        listed,
                    });
                }
            };
            match kind {
                TermKind::Argument(name, listed) => {
                    add(name, true, listed.first().map(String::as_str));
                }
                TermKind::Raw(Some(name), Delimiter::Line) => add(name, true, None),
                TermKind::Raw(Some(name), _) | TermKind::Value(Some(name), _) => {
                    add(name, false, None);
                }
                TermKind::Attrs(attributes) => {
                    let named = attributes.iter().filter(|one| !one.is_any());
                    let arguments = named.filter_map(|one| one.argument.as_deref());
                    arguments.for_each(|name| add(name, false, None));
                }
                TermKind::Group(alt) => {
                    for term in alt.0.iter().flatten() {
                        collect(dialect, &term.kind, found);
                    }
                }
                TermKind::Optional(inner, _) | TermKind::Many(inner) => {
                    collect(dialect, &inner.kind, found);
                }
                TermKind::Rule(name) => {
                    let rules = dialect
                        .into_iter()
                        .flat_map(|dialect| dialect.rules_named(name));
                    for term in rules.flat_map(|rule| rule.alt.0.iter().flatten()) {
                        collect(dialect, &term.kind, found);
                    }
                }
                _ => {}
            }
        }
        let mut found = Vec::new();
        for term in self.0.iter().flatten() {
            collect(dialect, &term.kind, &mut found);
        }
        found
    }

    /// Calls `visit` with the name and the place of each rule that the alternatives refer to.
    pub(crate) fn each_reference<'r>(&'r self, visit: &mut dyn FnMut(&'r str, &'r Range<usize>)) {
        fn of<'r>(term: &'r Term, visit: &mut dyn FnMut(&'r str, &'r Range<usize>)) {
            match &term.kind {
                TermKind::Rule(rule) => visit(rule, &term.span),
                TermKind::Group(alt) => alt.each_reference(visit),
                TermKind::Optional(inner, _) | TermKind::Many(inner) => of(inner, visit),
                _ => {}
            }
        }
        self.0.iter().flatten().for_each(|term| of(term, visit));
    }

    /// The size of all terms, nested ones included.
    pub(crate) fn n_terms(&self) -> usize {
        fn of(kind: &TermKind) -> usize {
            kind.size()
                + match kind {
                    TermKind::Group(alt) => alt.n_terms(),
                    TermKind::Optional(inner, _) | TermKind::Many(inner) => of(&inner.kind),
                    _ => 0,
                }
        }
        let terms = self.0.iter().flatten();
        self.0.len() + terms.map(|term| of(&term.kind)).sum::<usize>()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    pub(crate) kind: TermKind,
    pub(crate) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TermKind {
    Literal(Vec<Piece>),
    Rule(String),
    Group(Alt),
    Optional(Box<Term>, Habit),
    Many(Box<Term>),
    /// Any blanks, and the blanks that are written for them.
    Ws(Option<String>),
    Nl,
    LineStart,
    /// A flag: the key before this term has the value `false`.
    False,
    MessageStart,
    MessageEnd,
    /// An empty list accepts any text. Otherwise only the listed texts fit.
    Capture(Capture, Vec<String>),
    /// A short value of the argument with this name, on one line; of the listed texts, if there are any.
    Argument(String, Vec<String>),
    /// A value as it is.
    Raw(Option<String>, Delimiter),
    /// A value as JSON, or a string between one of the listed quotes.
    Value(Option<String>, Vec<String>),
    Json(Vec<String>),
    Object(Envelope),
    Xml(Option<String>),
    /// The quote around strings when the call is written. Parsing accepts either quote.
    Python(PythonQuote),
    Attrs(Vec<Attribute>),
}

impl TermKind {
    /// The pieces of a literal.
    pub(crate) fn pieces(&self) -> &[Piece] {
        match self {
            TermKind::Literal(pieces) => pieces,
            _ => &[],
        }
    }

    /// The argument that a value names.
    pub(crate) fn named_argument(&self) -> Option<&str> {
        match self {
            TermKind::Raw(name, _) | TermKind::Value(name, _) => name.as_deref(),
            TermKind::Argument(name, _) => Some(name),
            _ => None,
        }
    }

    /// Whether the term captures a text: it is a capture, or a choice of literals and at least one capture.
    pub(crate) fn captures(&self) -> bool {
        let TermKind::Group(alt) = self else {
            return matches!(self, TermKind::Capture(..) | TermKind::Argument(..));
        };
        let is_short =
            |term: &Term| matches!(term.kind, TermKind::Literal(_) | TermKind::Capture(..));
        let terms = || alt.0.iter().flatten();
        terms().all(is_short) && terms().any(|term| term.kind.captures())
    }

    /// The capture of this term, if it accepts any text.
    pub(crate) fn open_capture(&self) -> Option<Capture> {
        match self {
            TermKind::Capture(what, one_of) => one_of.is_empty().then_some(*what),
            TermKind::Argument(_, one_of) => one_of.is_empty().then_some(Capture::Any),
            _ => None,
        }
    }

    /// How many terms this term counts as, without nested terms. A literal counts its pieces. A word counts itself and
    /// the texts and keys that it lists.
    pub(crate) fn size(&self) -> usize {
        let all = |texts: &[String]| texts.iter().map(|text| size(text)).sum::<usize>();
        let listed = match self {
            TermKind::Literal(pieces) => {
                let pieces = pieces.iter().map(|piece| match piece {
                    Piece::Bytes(text) => size(text),
                    Piece::Hole(_) => 1,
                });
                return pieces.sum::<usize>().max(1);
            }
            TermKind::Capture(_, texts) | TermKind::Json(texts) => all(texts),
            TermKind::Raw(name, _) | TermKind::Xml(name) => name.as_deref().map_or(0, size),
            TermKind::Argument(name, texts) => size(name) + all(texts),
            TermKind::Value(name, quotes) => name.as_deref().map_or(0, size) + all(quotes),
            TermKind::Object(envelope) => {
                let keys = envelope.roles.iter().map(|(_, keys)| keys);
                keys.chain(&envelope.fixed).map(|texts| all(texts)).sum()
            }
            TermKind::Attrs(attributes) => attributes.iter().map(|one| all(&one.keys)).sum(),
            TermKind::Rule(_)
            | TermKind::Group(_)
            | TermKind::Optional(..)
            | TermKind::Many(_)
            | TermKind::Ws(_)
            | TermKind::Nl
            | TermKind::LineStart
            | TermKind::False
            | TermKind::MessageStart
            | TermKind::MessageEnd
            | TermKind::Python(_) => 0,
        };
        1 + listed
    }
}

/// A quote of `value`, and how a string escapes this quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuoteStyle {
    /// The character.
    pub sign: char,
    /// Inside a string the quote is doubled and nothing is escaped. Otherwise a backslash escapes the quote,
    /// and all that JSON escapes.
    pub is_doubled: bool,
}

impl QuoteStyle {
    /// The quote that `text` shows in its escaped form, `''` or `\'`. `None`: `text` encloses verbatim strings.
    pub fn of(text: &str) -> Option<QuoteStyle> {
        let mut chars = text.chars();
        match (chars.next(), chars.next(), chars.next()) {
            (Some(first), Some(sign), None) if first == sign || first == '\\' => Some(QuoteStyle {
                sign,
                is_doubled: first == sign,
            }),
            _ => None,
        }
    }
}

/// The end of a raw value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delimiter {
    /// The literal that follows the value.
    Closer(LastBreak),
    /// The end of the value's line.
    Line,
    /// The first line outside the block. The indentation is not part of the value.
    Lines(Indent, LastBreak),
    /// The number of bytes that the `length` before the value gives.
    Length,
}

/// Whether the line break before a closer at the start of a line belongs to the closer or to the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastBreak {
    Closer,
    Value,
}

impl Default for Delimiter {
    fn default() -> Delimiter {
        Delimiter::Closer(LastBreak::Closer)
    }
}

impl Delimiter {
    pub(crate) fn indent(&self) -> Option<&Indent> {
        match self {
            Delimiter::Lines(indent, _) => Some(indent),
            _ => None,
        }
    }

    pub(crate) fn is_closer(&self) -> bool {
        matches!(self, Delimiter::Closer(_))
    }

    /// The owner of the line break after the value, where the delimiter has a choice.
    pub(crate) fn last_break(&mut self) -> Option<&mut LastBreak> {
        match self {
            Delimiter::Closer(last) | Delimiter::Lines(_, last) => Some(last),
            Delimiter::Line | Delimiter::Length => None,
        }
    }

    /// Whether the value includes the line break before its closer.
    pub(crate) fn keeps_break(&self) -> bool {
        matches!(
            self,
            Delimiter::Closer(LastBreak::Value) | Delimiter::Lines(_, LastBreak::Value)
        )
    }

    /// Whether no value of this kind starts with `byte`: a block with a sign before each line starts with that sign.
    pub(crate) fn starts_otherwise(&self, byte: u8) -> bool {
        let sign = self.indent().filter(|indent| !indent.is_blank());
        sign.is_some_and(|sign| !sign.written().as_bytes().starts_with(&[byte]))
    }
}

/// The indentation of a block of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Indent {
    /// The blanks before the first line that is not blank.
    FirstLine,
    /// This text.
    Prefix(String),
}

impl Indent {
    /// Whether the indentation is blank, so that empty lines are part of the block.
    pub(crate) fn is_blank(&self) -> bool {
        self.written().trim().is_empty()
    }

    /// The bytes that, right after `start`, put a line outside of the block. `None` if `start` already decides.
    pub(crate) fn others_after(&self, start: &str) -> Option<Vec<u8>> {
        let next = match self {
            Indent::FirstLine => start.is_empty().then_some(b' '),
            Indent::Prefix(prefix) => prefix.strip_prefix(start)?.bytes().next(),
        };
        let next = next?;
        // A line of the sign alone is an empty line of the block.
        let is_whole = !start.is_empty() && start == self.written().trim_end();
        // The first byte of a longer character does not decide.
        let is_of_block = |byte: u8| {
            byte == next && byte.is_ascii()
                || self.is_blank() && b" \t\r\n".contains(&byte)
                || is_whole && b"\r\n".contains(&byte)
        };
        Some((0..=255).filter(|&byte| !is_of_block(byte)).collect())
    }

    /// What a line may start with that has less than the whole prefix: fewer blanks, or the start of a sign.
    pub(crate) fn shorter(&self) -> impl Iterator<Item = &str> {
        let prefix = match self {
            Indent::FirstLine => "",
            Indent::Prefix(prefix) => prefix,
        };
        (1..prefix.len()).filter_map(|n| prefix.get(..n))
    }

    /// Whether a line of the block may start as `line` does, after which a word comes if `is_before_word`.
    pub(crate) fn may_start(&self, line: &[u8], is_before_word: bool) -> bool {
        let others = self.others_after("").unwrap_or_default();
        let n_blanks = line.iter().take_while(|byte| b" \t".contains(byte)).count();
        let is_shorter = match self {
            Indent::FirstLine => false,
            Indent::Prefix(prefix) if self.is_blank() => {
                (1..prefix.len()).contains(&n_blanks)
                    && prefix.as_bytes().starts_with(&line[..n_blanks])
            }
            Indent::Prefix(prefix) => {
                let n = prefix.len().min(line.len());
                prefix.as_bytes()[..n] != line[..n]
                    || is_before_word && prefix[n..].starts_with([' ', '\t'])
            }
        };
        !others.contains(&line[0]) && !is_shorter
    }

    /// Whether the indentation may have `c` after `n` bytes.
    pub(crate) fn continues(&self, n: usize, c: char) -> bool {
        match self {
            Indent::FirstLine => matches!(c, ' ' | '\t'),
            Indent::Prefix(prefix) => prefix.get(n..).is_some_and(|rest| rest.starts_with(c)),
        }
    }

    /// The bytes of the indentation, unless the first line decides them.
    pub(crate) fn width(&self) -> Option<usize> {
        match self {
            Indent::FirstLine => None,
            Indent::Prefix(prefix) => Some(prefix.len()),
        }
    }

    /// The indentation that is written.
    pub(crate) fn written(&self) -> &str {
        match self {
            Indent::FirstLine => "  ",
            Indent::Prefix(text) => text,
        }
    }
}

/// Whether models were taught to write an optional part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Habit {
    /// `x?`: it is written.
    Taught,
    /// `("" | x)`: it is read, and not written.
    Untaught,
}

/// The bytes of a text that count as one term.
const TERM_BYTES: usize = 64;

/// How many terms a text counts as.
fn size(text: &str) -> usize {
    1 + text.len() / TERM_BYTES
}

/// The quotes around strings that are arguments of a written Python call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PythonQuote {
    /// `'a'`
    Single,
    /// `"a"`
    Double,
}

/// A piece of a literal: bytes, or a hole for the text of an earlier capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Bytes(String),
    Hole(Capture),
}

impl Piece {
    /// The text, unless the piece is a hole.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Piece::Bytes(text) => Some(text),
            Piece::Hole(_) => None,
        }
    }
}

/// The meaning of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capture {
    /// The tool's name.
    Name,
    /// A parameter's name.
    Key,
    /// The call's id.
    Id,
    /// The tool's name space or server.
    Server,
    /// A short word that gives the type of a value.
    Type,
    /// A short text without a meaning.
    Any,
    /// The number of bytes of the next value.
    Length,
}

impl Capture {
    pub(crate) fn named(word: &str) -> Option<Capture> {
        Some(match word {
            "name" => Capture::Name,
            "key" => Capture::Key,
            "id" => Capture::Id,
            "server" => Capture::Server,
            "type" => Capture::Type,
            "any" => Capture::Any,
            "length" => Capture::Length,
            _ => return None,
        })
    }
}

/// The meaning of a member of a JSON envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The tool's name.
    Name,
    /// The call's id.
    Id,
    /// The tool's name space or server.
    Server,
    /// The arguments.
    Args,
    /// Identifies the object as a call: the member has one of the values of [`Envelope::fixed`] at this index.
    Fixed(usize),
}

/// `object(..)`: roles and the paths of the keys that have these roles. The path `*` makes the key itself the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Each role with the keys that have it. The first key that is not a path is written.
    pub roles: Vec<(Role, Vec<String>)>,
    /// `type = "tool_use"`: the values of each fixed member as JSON texts; the first is written.
    pub fixed: Vec<Vec<String>>,
    /// `args: *`: the only key is the name, its value the arguments.
    pub name_is_key: bool,
}

/// A member of a JSON envelope as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvelopeMember {
    /// This key, and the role of its value.
    Role(String, Role),
    /// This key, and the members of the object that is its value.
    Object(String, Vec<EnvelopeMember>),
}

impl Envelope {
    /// The members that are written, in order: for each role the first key that is not a path, or else the first path.
    pub fn written(&self) -> Vec<EnvelopeMember> {
        let mut members = Vec::new();
        for (role, keys) in &self.roles {
            let plain = keys.iter().find(|key| !key.contains('.'));
            if let Some(path) = plain.or(keys.first()) {
                EnvelopeMember::insert(&mut members, path, *role);
            }
        }
        members
    }
}

impl EnvelopeMember {
    fn insert(members: &mut Vec<EnvelopeMember>, path: &str, role: Role) {
        let Some((first, rest)) = path.split_once('.') else {
            members.push(EnvelopeMember::Role(path.into(), role));
            return;
        };
        for member in members.iter_mut() {
            match member {
                EnvelopeMember::Object(key, inside) if key == first => {
                    return EnvelopeMember::insert(inside, rest, role);
                }
                _ => {}
            }
        }
        let mut inside = Vec::new();
        EnvelopeMember::insert(&mut inside, rest, role);
        members.push(EnvelopeMember::Object(first.into(), inside));
    }
}

/// One attribute of `attrs(..)`: a capture or a named argument, and the spellings of the attribute's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The meaning of the attribute's value.
    pub capture: Option<Capture>,
    /// The argument that the attribute holds, if it is not a capture.
    pub argument: Option<String>,
    /// The names of the attribute; the first is written.
    pub keys: Vec<String>,
}

impl Attribute {
    /// The argument that the attribute holds, if the rule names the argument.
    pub(crate) fn named(&self) -> Option<&str> {
        self.argument.as_deref().filter(|_| !self.is_any())
    }

    /// Whether the attribute matches every other attribute, which is then an argument of its own name.
    pub(crate) fn is_any(&self) -> bool {
        self.argument.is_some() && self.keys.first().is_some_and(|key| key == "*")
    }
}
