//! Escapes the markers inside a result, and reverses that.
//!
//! Only the first character of a marker is escaped, so a reader still sees the marker:
//!
//! ```text
//!                     text          escaped once     escaped twice
//!   backslashes       </out>        <\/out>          <\\/out>
//!   entities          </out>        &lt;/out>        &amp;lt;/out>
//! ```
//!
//! A marker that the result already has in an escaped form is escaped once more, so that unescaping is exact.
//! The text is walked from its end, so everything after a character is final when that character is examined.
//! An escape inside a possible longer marker is then seen as it will be read.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use core::ops::Range;

use super::markers::{Found, Markers};

/// How a dialect escapes markers in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// A backslash after the first character.
    Backslash,
    /// An entity in place of the first character, if the dialect decodes entities.
    Entity,
}

/// The first character of a marker as a text spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) first: char,
    /// How many times it is escaped.
    pub(super) level: usize,
    /// The bytes of the character with its escapes.
    pub(super) len: usize,
}

impl Scheme {
    /// The character that `rest` starts with, with its escapes. `None` if no character starts there.
    pub(super) fn unit(self, rest: &[u8]) -> Option<Unit> {
        let plain = || {
            let len = match rest.first()? {
                0..=0x7f => 1,
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xff => 4,
                0x80..=0xbf => return None,
            };
            let first = core::str::from_utf8(rest.get(..len)?)
                .ok()?
                .chars()
                .next()?;
            let level = 0;
            Some(Unit { first, level, len })
        };
        match self {
            Scheme::Backslash => {
                let unit = plain()?;
                let after = rest[unit.len..].iter();
                let level = after.take_while(|byte| **byte == b'\\').count();
                let len = unit.len + level;
                Some(Unit { level, len, ..unit })
            }
            Scheme::Entity => {
                let Some(mut at) = rest.starts_with(b"&").then_some(1) else {
                    return plain();
                };
                let mut level = 1;
                while rest[at..].starts_with(b"amp;") {
                    level += 1;
                    at += 4;
                }
                let end = memchr::memchr(b';', rest[at..].get(..9).unwrap_or(&rest[at..]))?;
                let first = named(core::str::from_utf8(&rest[at..at + end]).ok()?)?;
                let len = at + end + 1;
                Some(Unit { first, level, len })
            }
        }
    }

    /// A character that is escaped `level` times.
    fn spelled(self, first: char, level: usize) -> String {
        let mut out = String::new();
        match (self, level) {
            (Scheme::Backslash, level) => {
                out.push(first);
                out.extend(core::iter::repeat_n('\\', level));
            }
            (Scheme::Entity, 0) => out.push(first),
            (Scheme::Entity, level) => {
                out.push('&');
                out.extend(core::iter::repeat_n("amp;", level - 1));
                out.push_str(&name_of(first));
            }
        }
        out
    }
}

/// The entity of a character, without its `&`.
fn name_of(c: char) -> String {
    match c {
        '<' => "lt;".into(),
        '>' => "gt;".into(),
        c => format!("#{};", u32::from(c)),
    }
}

/// The character that an entity of [`name_of`] means. `name` is without `&` and `;`.
fn named(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        name => {
            let c = char::from_u32(name.strip_prefix('#')?.parse().ok()?)?;
            // Another spelling of the number belongs to the text.
            (name_of(c).strip_suffix(';') == Some(name)).then_some(c)
        }
    }
}

/// A text whose markers were escaped.
#[derive(Debug, Default)]
pub(super) struct Escaped<'d> {
    pub(super) text: String,
    /// The changes, in order.
    pub(super) changes: Vec<Change<'d>>,
}

/// A marker that was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change<'d> {
    /// Its literal.
    pub(super) marker: &'d str,
    /// The offset of the marker's first byte before escaping.
    pub(super) at: usize,
    pub(super) from: String,
    pub(super) to: String,
}

/// `text` with its markers escaped. `starts_line`: whether `text` starts a line. Linear.
pub(super) fn escaped<'d>(
    text: &str,
    markers: &Markers<'d>,
    scheme: Scheme,
    starts_line: bool,
) -> Escaped<'d> {
    let bytes = text.as_bytes();
    let is_marker =
        |rest: &[u8], at: usize| markers.at(rest, scheme, is_line_start(bytes, at, starts_line));
    let found: Vec<usize> = markers
        .candidates(text)
        .filter(|&at| is_marker(&bytes[at..], at).is_some())
        .collect();
    let mut out = Backwards::with_room(bytes.len() + found.len() * LONGEST_ENTITY);
    let mut changes = Vec::with_capacity(found.len());
    let mut end = bytes.len();
    for at in found.into_iter().rev() {
        out.put(&bytes[at..end]);
        end = at;
        let Some(Found { literal, unit, len }) = is_marker(out.written(), at) else {
            // An escape inside the marker broke it.
            continue;
        };
        let from = String::from_utf8_lossy(&out.written()[..len]).into_owned();
        let spelled = scheme.spelled(unit.first, unit.level + 1);
        let to = format!("{spelled}{}", &from[unit.len..]);
        out.take(unit.len);
        out.put(spelled.as_bytes());
        let marker = literal;
        changes.push(Change {
            marker,
            at,
            from,
            to,
        });
    }
    out.put(&bytes[..end]);
    changes.reverse();
    let text = String::from_utf8_lossy(out.written()).into_owned();
    Escaped { text, changes }
}

/// The escaped markers of `text`, in order: the place of each, and its spelling before escaping.
pub(super) fn escapes(
    text: &str,
    markers: &Markers<'_>,
    scheme: Scheme,
    starts_line: bool,
) -> Vec<(Range<usize>, String)> {
    let bytes = text.as_bytes();
    let found = markers.candidates(text).filter_map(|at| {
        let starts_line = is_line_start(bytes, at, starts_line);
        let Found { unit, len, .. } = markers.at(&bytes[at..], scheme, starts_line)?;
        let before = scheme.spelled(unit.first, unit.level.checked_sub(1)?);
        let before = format!("{before}{}", text.get(at + unit.len..at + len)?);
        Some((at..at + len, before))
    });
    found.collect()
}

/// The text that [`escaped`] was given.
pub(super) fn unescaped(
    text: &str,
    markers: &Markers<'_>,
    scheme: Scheme,
    starts_line: bool,
) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for at in markers.candidates(text) {
        let starts_line = is_line_start(bytes, at, starts_line);
        if at >= from
            && let Some(Found { unit, .. }) = markers.at(&bytes[at..], scheme, starts_line)
            && let Some(level) = unit.level.checked_sub(1)
        {
            out.push_str(&text[from..at]);
            out.push_str(&scheme.spelled(unit.first, level));
            from = at + unit.len;
        }
    }
    out.push_str(&text[from..]);
    out
}

fn is_line_start(bytes: &[u8], at: usize, starts_line: bool) -> bool {
    at.checked_sub(1)
        .map_or(starts_line, |before| bytes[before] == b'\n')
}

/// The longest entity of a character.
const LONGEST_ENTITY: usize = "&#1114111;".len();

/// A buffer that is filled from its end to its start.
struct Backwards {
    room: Vec<u8>,
    free: usize,
}

impl Backwards {
    fn with_room(n: usize) -> Backwards {
        Backwards {
            room: alloc::vec![0; n],
            free: n,
        }
    }

    fn put(&mut self, piece: &[u8]) {
        let start = self.free - piece.len();
        self.room[start..self.free].copy_from_slice(piece);
        self.free = start;
    }

    /// Drops the first `n` written bytes.
    fn take(&mut self, n: usize) {
        self.free += n;
    }

    fn written(&self) -> &[u8] {
        &self.room[self.free..]
    }
}

/// `text` with `&`, `<` and `>` as entities. A marker without these gets an entity for its first character.
pub(super) fn as_xml<'d>(text: &str, markers: &Markers<'d>, starts_line: bool) -> Escaped<'d> {
    let bytes = text.as_bytes();
    let mut out = Escaped::default();
    out.text.reserve(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '&' => out.text.push_str("&amp;"),
            '<' => out.text.push_str("&lt;"),
            '>' => out.text.push_str("&gt;"),
            c if markers.may_start(bytes[at]) => {
                let starts_line = is_line_start(bytes, at, starts_line);
                let found = markers.at(&bytes[at..], Scheme::Backslash, starts_line);
                let found = found.filter(|found| found.unit.level == 0);
                let from = found.and_then(|found| text.get(at..at + found.len));
                let from = from.filter(|from| !from.contains(['&', '<', '>']));
                match found.zip(from) {
                    Some((found, from)) => {
                        let spelled = Scheme::Entity.spelled(c, 1);
                        let to = format!("{spelled}{}", &from[c.len_utf8()..]);
                        out.text.push_str(&spelled);
                        out.changes.push(Change {
                            marker: found.literal,
                            at,
                            from: from.into(),
                            to,
                        });
                    }
                    None => out.text.push(c),
                }
            }
            c => out.text.push(c),
        }
    }
    out
}

/// The entities that [`as_xml`] wrote in a text, in order: the place and the character of each.
pub(super) fn entities(text: &str) -> impl Iterator<Item = (Range<usize>, char)> {
    text.match_indices('&').filter_map(|(at, _)| {
        let name = text.as_bytes()[at + 1..].iter().take(9);
        let end = at + 1 + name.clone().position(|byte| *byte == b';')?;
        let c = match text.get(at + 1..end)? {
            "amp" => '&',
            name => named(name)?,
        };
        Some((at..end + 1, c))
    })
}

/// The text that [`as_xml`] was given.
pub(super) fn from_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (place, c) in entities(text) {
        out.push_str(&text[from..place.start]);
        out.push(c);
        from = place.end;
    }
    out.push_str(&text[from..]);
    out
}

/// Valid JSON text with the first character of each marker in its strings as `\u` and digits: the value is the same.
///
/// The places of changes are offsets in `json`. With `in_string`, `json` is the inside of a string, and the places are
/// offsets in the decoded text.
pub(super) fn as_json<'d>(json: &str, markers: &Markers<'d>, mut in_string: bool) -> Escaped<'d> {
    let is_inside = in_string;
    let bytes = json.as_bytes();
    let is_marker = |at: usize| {
        let found = bytes.get(at).filter(|byte| markers.may_start(**byte));
        let found = found.and_then(|_| markers.at(&bytes[at..], Scheme::Backslash, false));
        found.filter(|found| found.unit.level == 0)
    };
    let mut out = Escaped::default();
    out.text.reserve(json.len());
    let (mut at, mut place) = (0, 0);
    while let Some(c) = json[at..].chars().next() {
        let len = match bytes.get(at + 1) {
            Some(b'u') if in_string && c == '\\' && json.is_char_boundary(at + 6) => 6,
            Some(next) if in_string && c == '\\' && next.is_ascii() => 2,
            _ => c.len_utf8(),
        };
        let written = &json[at..at + len];
        let decoded = if len > 1 && c == '\\' {
            toolglot_json::internal::unescape(written)
        } else {
            written.into()
        };
        // In `\tool` the letter of the escape may start a marker.
        let starts = at + usize::from(c == '\\' && len == 2);
        match is_marker(starts).filter(|_| in_string) {
            Some(found) => {
                let mut spelled = String::new();
                for unit in decoded.encode_utf16() {
                    let _ = write!(spelled, "\\u{unit:04x}");
                }
                let end = (starts + found.len).max(at + len);
                let to = format!("{spelled}{}", &json[at + len..end]);
                out.text.push_str(&spelled);
                out.changes.push(Change {
                    marker: found.literal,
                    at: place,
                    from: json[starts..starts + found.len].into(),
                    to,
                });
            }
            None => out.text.push_str(written),
        }
        if c == '"' && !is_inside {
            in_string = !in_string;
        }
        at += len;
        place += if is_inside { decoded.len() } else { len };
    }
    out
}
