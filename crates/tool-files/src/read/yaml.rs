//! YAML 1.2, core schema. Aliases are followed within a bound; tags other than the core ones are refused.

use std::borrow::Cow;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};
use toolglot_value::Number;

use super::reading::{Field, Reading};
use crate::diagnostic::Diagnostics;
use crate::fields;
use crate::literal::{Content, Literal, MAX_DEPTH, MAX_VALUES, Member, integer, number};
use crate::rule;

pub(super) fn read(source: &str, diagnostics: &mut Diagnostics) -> Reading {
    let mut reading = Reading::default();
    let Some(document) = document(source, diagnostics) else {
        return reading;
    };
    fill(&document, &mut reading, diagnostics);
    reading
}

/// Reads the fields of a map that is a whole tool.
pub(super) fn fill(document: &Literal, reading: &mut Reading, diagnostics: &mut Diagnostics) {
    let Some(members) = document.as_map() else {
        diagnostics.help(
            rule::SYNTAX,
            document.span.clone(),
            format!("a tool is a map of fields, and this is {}", document.kind()),
            "begin with `tool_id: ..`".to_owned(),
        );
        return;
    };
    for member in members {
        let written = member.key.as_str();
        let name = fields::FIELDS
            .iter()
            .copied()
            .find(|field| *field == written)
            .or_else(|| (written == "tool_description").then_some("description"));
        if let Some(name) = name {
            reading.set(Field {
                name,
                name_span: member.key_span.clone(),
                value: member.value.clone(),
            });
        } else {
            let nearest = toolglot_toolset::nearest(written, fields::FIELDS.iter().copied());
            let help = nearest.map_or_else(
                || "what is your own goes under `metadata`".to_owned(),
                |nearest| format!("did you mean `{nearest}`?"),
            );
            diagnostics.help(
                rule::UNKNOWN_FIELD,
                member.key_span.clone(),
                format!("unknown field `{written}`"),
                help,
            );
        }
    }
}

/// The first document of a stream.
pub(super) fn document(source: &str, diagnostics: &mut Diagnostics) -> Option<Literal> {
    // JSON writes characters above U+FFFF as two escapes, a surrogate pair. In YAML each escape is a character,
    // although YAML claims to include JSON. The pairs of a text are joined, and the text is read again.
    let (mut text, mut offsets) = (Cow::Borrowed(source), Offsets::new(source));
    let mut work_left = MAX_JOINED.max(2 * source.len());
    loop {
        let mut found = Diagnostics::default();
        let read = once(&text, &offsets, &mut found);
        if let Err(at) = read
            && work_left >= text.len()
            && let Some((joined, its_offsets)) = joined(&text, &offsets, at)
        {
            work_left -= text.len();
            (text, offsets) = (Cow::Owned(joined), its_offsets);
            continue;
        }
        found.into_iter().for_each(|one| diagnostics.push(one));
        return read.unwrap_or(None);
    }
}

/// The most bytes that are read again to join surrogate pairs.
const MAX_JOINED: usize = 8 << 20;

/// The text with the surrogate pairs joined in the quoted text at the error, and the file's byte of each character.
/// `None` if there is no pair.
fn joined(text: &str, offsets: &Offsets, at: usize) -> Option<(String, Offsets)> {
    // The error is reported at the start of the quoted text.
    let first = at + 1;
    if !text.get(at..)?.starts_with('"') {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut bytes = Vec::with_capacity(text.len());
    let mut chars = text.char_indices().enumerate().peekable();
    let (mut is_open, mut is_joined) = (true, false);
    // As in JSON, the next quote also opens a text if only brackets, commas and colons are before it.
    let mut may_open = true;
    let mut put = |c: char, n: usize| {
        out.push(c);
        bytes.push(offsets.at(n));
    };
    while let Some((n, (at, c))) = chars.next() {
        if at < first || !is_open {
            if at >= first && may_open {
                is_open = c == '"';
                may_open = is_open || c.is_whitespace() || "[]{},:".contains(c);
            }
            put(c, n);
            continue;
        }
        if c == '\\' {
            if let Some(whole) = pair(&text[at..]) {
                put(whole, n);
                is_joined = true;
                for _ in 1..2 * ESCAPE {
                    chars.next();
                }
                continue;
            }
            put(c, n);
            if let Some((n, (_, escaped))) = chars.next() {
                put(escaped, n);
            }
            continue;
        }
        is_open = c != '"';
        put(c, n);
    }
    let len = offsets.len;
    is_joined.then_some((out, Offsets { bytes, len }))
}

/// The length of `\ud83d`.
const ESCAPE: usize = 6;

/// The character of a surrogate pair in two escapes at the start of a text.
fn pair(text: &str) -> Option<char> {
    let half = |at: usize| -> Option<u16> {
        let digits = text.get(at..at + ESCAPE)?.strip_prefix("\\u")?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u16::from_str_radix(digits, 16).ok())?
    };
    let halves = [half(0)?, half(ESCAPE)?];
    let mut decoded = char::decode_utf16(halves);
    match (decoded.next(), decoded.next()) {
        (Some(Ok(whole)), None) => Some(whole),
        _ => None,
    }
}

/// Reads a text once; the error is the byte where it cannot be read any further.
fn once(
    source: &str,
    offsets: &Offsets,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Literal>, usize> {
    let mut loader = Loader {
        diagnostics,
        open: Vec::new(),
        anchors: Vec::new(),
        done: None,
        values_left: MAX_VALUES,
    };
    let mut n_documents = 0;
    let mut parser = Parser::new_from_str(source);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((Event::DocumentStart(_), span)) => {
                n_documents += 1;
                if n_documents == 2 {
                    let at = offsets.range(span);
                    loader.diagnostics.help(
                        rule::SYNTAX,
                        at,
                        "a second document starts here, and a file holds one tool".to_owned(),
                        "put it into a file of its own".to_owned(),
                    );
                    break;
                }
            }
            Ok((event, span)) => {
                if loader.event(event, offsets.range(span)).is_none() {
                    return Ok(None);
                }
            }
            Err(error) => {
                let index = error.marker().index();
                let at = offsets.at(index);
                if error.info().contains("Unicode") {
                    loader.diagnostics.help(
                        rule::SYNTAX,
                        at..at,
                        format!("this is not YAML: {}", error.info()),
                        "write the character itself".to_owned(),
                    );
                } else {
                    loader.diagnostics.add(
                        rule::SYNTAX,
                        at..at,
                        format!("this is not YAML: {}", error.info()),
                    );
                }
                let is_ascii = source.is_ascii();
                let byte = source.char_indices().nth(index).filter(|_| !is_ascii);
                return Err(byte.map_or(index.min(source.len()), |(at, _)| at));
            }
        }
    }
    if loader.done.is_none() {
        loader.diagnostics.add(
            rule::SYNTAX,
            0..0,
            "the file is empty, where a tool has fields".to_owned(),
        );
    }
    Ok(loader.done)
}

struct Loader<'d> {
    diagnostics: &'d mut Diagnostics,
    open: Vec<Open>,
    anchors: Vec<(usize, Literal, usize)>,
    done: Option<Literal>,
    values_left: usize,
}

struct Open {
    start: usize,
    anchor: usize,
    values_before: usize,
    kind: OpenKind,
}

enum OpenKind {
    List(Vec<Literal>),
    Map {
        members: Vec<Member>,
        /// Keys that only a merge (`<<`) has set so far; the map's own keys replace them.
        merged: Vec<String>,
        key: Option<(String, Range<usize>)>,
    },
}

/// The name of a core schema tag, `str`, also in its long form (`!<tag:yaml.org,2002:str>`). `!` alone keeps the kind
/// of the value.
fn core<'t>(tag: &'t Tag, of_kind: &'t str) -> Option<&'t str> {
    const CORE: &str = "tag:yaml.org,2002:";
    if tag.is_yaml_core_schema() {
        return Some(&tag.suffix);
    }
    match (tag.handle.as_str(), tag.suffix.as_str()) {
        ("", "!") | ("!", "") => Some(of_kind),
        ("", whole) => whole.strip_prefix(CORE),
        _ => None,
    }
}

impl Loader<'_> {
    /// `None` if nothing more can be read.
    fn event(&mut self, event: Event<'_>, span: Range<usize>) -> Option<()> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let named = tag.as_deref().map(|tag| (tag, core(tag, "str")));
                let content = match named {
                    Some((_, Some("str"))) => Content::Text(text.into_owned()),
                    Some((tag, None)) => {
                        self.refuse(
                            span.clone(),
                            &format!("unknown tag `{}{}`", tag.handle, tag.suffix),
                        );
                        Content::Computed
                    }
                    Some((_, Some("int" | "float"))) => scalar_number(&text).map_or_else(
                        || {
                            self.refuse(span.clone(), "JSON cannot carry this number");
                            Content::Computed
                        },
                        Content::Number,
                    ),
                    Some((_, Some(kind @ ("bool" | "null")))) => {
                        match (scalar(&text, ScalarStyle::Plain), kind) {
                            (Content::Bool(flag), "bool") => Content::Bool(flag),
                            (Content::Null, "null") => Content::Null,
                            (_, kind) => {
                                self.refuse(span.clone(), &format!("not {kind}, as its tag says"));
                                Content::Computed
                            }
                        }
                    }
                    None if style == ScalarStyle::Plain && is_no_number(&text) => {
                        self.refuse(span.clone(), "JSON cannot carry this number");
                        Content::Computed
                    }
                    _ => scalar(&text, style),
                };
                self.value(Literal::new(span, content), anchor, 1)
            }
            Event::Alias(id) => {
                let known = self.anchors.iter().rev().find(|(anchor, ..)| *anchor == id);
                let Some((_, literal, size)) = known.cloned() else {
                    self.refuse(span.clone(), "the alias names what has not ended yet");
                    return self.value(Literal::computed(span), 0, 1);
                };
                self.value(Literal::new(span, literal.content), 0, size)
            }
            Event::SequenceStart(anchor, tag) => {
                self.tagged(&span, tag.as_deref(), "seq");
                self.begin(span, anchor, OpenKind::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                self.tagged(&span, tag.as_deref(), "map");
                let kind = OpenKind::Map {
                    members: Vec::new(),
                    merged: Vec::new(),
                    key: None,
                };
                self.begin(span, anchor, kind)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let open = self.open.pop()?;
                let end = match &open.kind {
                    OpenKind::List(items) => items.last().map(|item| item.span.end),
                    OpenKind::Map { members, .. } => {
                        members.last().map(|member| member.value.span.end)
                    }
                };
                let end = end
                    .unwrap_or(span.end)
                    .max(span.start.min(span.end))
                    .max(open.start);
                let content = match open.kind {
                    OpenKind::List(items) => Content::List(items),
                    OpenKind::Map { members, .. } => Content::Map(members),
                };
                let size = open.values_before - self.values_left;
                self.values_left += size;
                self.value(
                    Literal::new(open.start..end, content),
                    open.anchor,
                    size + 1,
                )
            }
            _ => Some(()),
        }
    }

    /// Refuses a tag that changes the kind of a list or a map.
    fn tagged(&mut self, span: &Range<usize>, tag: Option<&Tag>, kind: &str) {
        if let Some(tag) = tag
            && core(tag, kind) != Some(kind)
        {
            let why = format!("unknown tag `{}{}`", tag.handle, tag.suffix);
            self.refuse(span.clone(), &why);
        }
    }

    fn begin(&mut self, span: Range<usize>, anchor: usize, kind: OpenKind) -> Option<()> {
        if self.open.len() >= MAX_DEPTH {
            self.refuse(span, "it nests too deep");
            return None;
        }
        self.open.push(Open {
            start: span.start,
            anchor,
            values_before: self.values_left,
            kind,
        });
        Some(())
    }

    /// Adds a value of `size` values to the open list or map.
    fn value(&mut self, literal: Literal, anchor: usize, size: usize) -> Option<()> {
        let Some(left) = self.values_left.checked_sub(size) else {
            self.refuse(literal.span, "the aliases of this file unfold to too much");
            return None;
        };
        self.values_left = left;
        if anchor > 0 {
            self.anchors.push((anchor, literal.clone(), size));
        }
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.done = Some(literal),
            Some(OpenKind::List(items)) => items.push(literal),
            Some(OpenKind::Map {
                members,
                merged,
                key,
            }) => match key.take() {
                None => {
                    let text = match &literal.content {
                        Content::Text(text) => Some(text.clone()),
                        Content::Bool(flag) => Some(flag.to_string()),
                        Content::Number(number) => Some(number.to_string()),
                        Content::Null => Some("null".to_owned()),
                        _ => None,
                    };
                    let Some(text) = text else {
                        self.refuse(literal.span, "a key is not a string");
                        return None;
                    };
                    *key = Some((text, literal.span));
                }
                Some((key, key_span)) => {
                    // In quotes `<<` is an ordinary key.
                    if key == "<<" && key_span.len() == key.len() {
                        let span = literal.span.clone();
                        let Some(more) = merges(literal) else {
                            self.refuse(span, "`<<` takes a map, or a list of maps");
                            return Some(());
                        };
                        for member in more {
                            if members.iter().all(|known| known.key != member.key) {
                                merged.push(member.key.clone());
                                members.push(member);
                            }
                        }
                        return Some(());
                    }
                    if let Some(at) = merged.iter().position(|known| *known == key)
                        && let Some(member) = members.iter_mut().find(|member| member.key == key)
                    {
                        merged.swap_remove(at);
                        *member = Member {
                            key,
                            key_span,
                            value: literal,
                        };
                        return Some(());
                    }
                    if members.iter().any(|member| member.key == key) {
                        self.diagnostics.help(
                            rule::SYNTAX,
                            key_span.clone(),
                            format!("duplicate key `{key}`"),
                            "leave one of them out".to_owned(),
                        );
                        members.retain(|member| member.key != key);
                    }
                    members.push(Member {
                        key,
                        key_span,
                        value: literal,
                    });
                }
            },
        }
        Some(())
    }

    fn refuse(&mut self, span: Range<usize>, why: &str) {
        self.diagnostics
            .add(rule::SYNTAX, span, format!("this cannot be used: {why}"));
    }
}

/// The members that `<<` merges, those of earlier maps first; `None` if it is neither a map nor a list of maps.
fn merges(literal: Literal) -> Option<Vec<Member>> {
    match literal.content {
        Content::Map(members) => Some(members),
        Content::List(items) => {
            let maps = items.into_iter().map(|item| match item.content {
                Content::Map(members) => Some(members),
                _ => None,
            });
            Some(maps.collect::<Option<Vec<_>>>()?.concat())
        }
        _ => None,
    }
}

/// The value of a scalar in the core schema: YAML 1.2.2, section 10.3.2. `yes`, `no`, `on` and `off` are strings.
fn scalar(text: &str, style: ScalarStyle) -> Content {
    if style != ScalarStyle::Plain {
        return Content::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Content::Null,
        "true" | "True" | "TRUE" => return Content::Bool(true),
        "false" | "False" | "FALSE" => return Content::Bool(false),
        _ => {}
    }
    scalar_number(text).map_or_else(|| Content::Text(text.to_owned()), Content::Number)
}

/// `.inf` and `.nan`: numbers in YAML alone.
fn is_no_number(text: &str) -> bool {
    let plain = text.trim_start_matches(['-', '+']);
    matches!(plain, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

fn scalar_number(text: &str) -> Option<Number> {
    if text.contains('_') {
        return None;
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return integer(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return integer(digits, 8);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        let positive = integer(unsigned, 10)?;
        return if text.starts_with('-') && positive.to_string() != "0" {
            format!("-{positive}").parse().ok()
        } else {
            Some(positive)
        };
    }
    let is_float = unsigned
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'))
        && unsigned.bytes().any(|byte| byte.is_ascii_digit());
    if !is_float {
        return None;
    }
    number(text.parse().ok()?, false)
}

/// Maps the parser's character indices to bytes.
struct Offsets {
    /// The byte of each character; empty where both indices are equal.
    bytes: Vec<usize>,
    len: usize,
}

impl Offsets {
    fn new(source: &str) -> Offsets {
        let bytes = if source.is_ascii() {
            Vec::new()
        } else {
            source.char_indices().map(|(at, _)| at).collect()
        };
        Offsets {
            bytes,
            len: source.len(),
        }
    }

    fn at(&self, index: usize) -> usize {
        if self.bytes.is_empty() {
            index.min(self.len)
        } else {
            self.bytes.get(index).copied().unwrap_or(self.len)
        }
    }

    fn range(&self, span: Span) -> Range<usize> {
        let start = self.at(span.start.index());
        start..self.at(span.end.index()).max(start)
    }
}
