//! Tags: what stands at a `<`, and the evidence that a closer is one.

use alloc::string::String;
use alloc::vec::Vec;

use toolglot_json::Shape;

use super::{Frame, Xml, XmlOut};
use crate::program::{Fits, fits, is_blank};
use crate::remark::{MARKER_INSIDE, PASSED_CLOSER};
use crate::thresholds::{
    ELEMENT_DEPTH_MAX, GAP_MAX, INTERVENING_UNDECLARED_MAX, SKIPPED_ELEMENT_MAX, SKIPPED_MAX,
    TAG_MAX,
};
use crate::{Code, Span};

/// A tag that opens an element.
pub(super) struct OpenTag<'a> {
    pub(super) name: &'a str,
    pub(super) attributes: Vec<(String, String)>,
    empty: bool,
    pub(super) length: usize,
}

/// A tag as it stands.
pub(super) enum Tag<'a> {
    Open(OpenTag<'a>),
    Close {
        name: &'a str,
        length: usize,
    },
    Comment {
        length: usize,
    },
    CData,
    /// It may still become one.
    Cut,
    None,
}

impl Xml {
    pub(super) fn tag(&mut self, text: &str, out: &mut XmlOut) -> Moved {
        let raw = self.frames.last().is_some_and(|frame| frame.raw);
        let is_comment = text
            .strip_prefix(self.prefix.as_str())
            .is_some_and(|tag| tag.starts_with("<!--") || tag.starts_with("<?"));
        let tag = if is_comment && self.pos < self.no_comment {
            Tag::None
        } else {
            let tag = self.read_tag(text);
            if is_comment && matches!(tag, Tag::None) {
                self.no_comment = self.pos + TAG_MAX as u64;
            }
            tag
        };
        match tag {
            Tag::Cut if !self.eof => Moved::Wait { far: false },
            Tag::CData => {
                self.in_cdata = true;
                if let Some(frame) = self.frames.last_mut() {
                    frame.verbatim = true;
                }
                Moved::By(self.prefix.len() + 9)
            }
            Tag::Comment { length } if !raw => Moved::By(length),
            Tag::Close { name, length } => self.close_tag(name, length, text, out),
            Tag::Open(tag) if !raw && self.frames.len() < ELEMENT_DEPTH_MAX => {
                let (empty, length) = (tag.empty, tag.length);
                self.open_element(tag, text, out);
                if empty {
                    self.end_element(out);
                }
                self.spill(self.pos + length as u64, out);
                Moved::By(length)
            }
            tag => {
                if let (Tag::Open(tag), Some(frame)) = (&tag, self.frames.last_mut())
                    && !tag.empty
                {
                    if let Some(nest) = frame.nest.as_mut().filter(|_| frame.name == tag.name) {
                        *nest += 1;
                    }
                } else if !self.prefix.is_empty() && text.starts_with(&self.prefix) {
                    self.doubt(MARKER_INSIDE, out);
                }
                if !raw && !self.frames.is_empty() && self.prefix.is_empty() {
                    out.remark(
                        Code::BareLessThan,
                        Span::new(self.pos, self.pos + 1),
                        "a `<` that starts no tag was left as it is",
                    );
                }
                self.pass_byte(text, out)
            }
        }
    }

    /// The byte that `text` begins with is data.
    fn pass_byte(&mut self, text: &str, out: &mut XmlOut) -> Moved {
        self.push_text(&text[..1], self.in_cdata, out);
        Moved::By(1)
    }

    pub(super) fn close_tag(
        &mut self,
        name: &str,
        length: usize,
        text: &str,
        out: &mut XmlOut,
    ) -> Moved {
        let is_innermost = self.frames.last().is_some_and(|frame| frame.name == name);
        if !is_innermost {
            // A closer of the caller ends the arguments, if all of them are there, and an element that is open if more
            // markup follows.
            let evidence = if self.frames.is_empty() {
                self.ends_level(text)
            } else {
                match self.ends_here(text) {
                    Evidence::Yes => self.tag_after(text),
                    evidence => evidence,
                }
            };
            match evidence {
                Evidence::Yes => return Moved::End,
                Evidence::Wait { far } => return Moved::Wait { far },
                Evidence::No => {}
            }
        }
        let raw = self.frames.last().is_some_and(|frame| frame.raw);
        let ended = self.frames.iter().rposition(|frame| frame.name == name);
        let Some(ended) = ended.filter(|_| is_innermost || !raw) else {
            return self.pass_byte(text, out);
        };
        match self.confirms(ended, &text[length..]) {
            Evidence::Wait { far } => Moved::Wait { far },
            Evidence::Yes => {
                if self.prefix.is_empty() && !is_innermost {
                    // An outer element ends: what was open above it was text.
                    self.flatten_above(ended);
                } else {
                    self.close_above(ended + 1, out);
                }
                self.end_element(out);
                self.spill(self.pos + length as u64, out);
                Moved::By(length)
            }
            Evidence::No => {
                if is_innermost {
                    match self.frames.last_mut().and_then(|frame| frame.nest.as_mut()) {
                        Some(nest @ 1..) => *nest -= 1,
                        _ => self.doubt(PASSED_CLOSER, out),
                    }
                }
                self.pass_byte(text, out)
            }
        }
    }

    /// Whether the closer of frame `index` is one, by what stands behind it.
    fn confirms(&self, index: usize, after: &str) -> Evidence {
        let frame = &self.frames[index];
        // Inside an undeclared element text may follow: only the top level, and declared strings, need evidence.
        if index > 0 && !frame.raw {
            return Evidence::Yes;
        }
        let parent = index.checked_sub(1).map(|n| &self.frames[n]);
        let mut after = after;
        for _ in 0..=SKIPPED_MAX {
            let Some(rest) = after_gap(after) else {
                return Evidence::No;
            };
            let Tag::Open(tag) = self.read_tag(rest) else {
                return match self.closes_level(parent, rest) {
                    Evidence::No if index == 0 => self.opens_after_text(rest),
                    evidence => evidence,
                };
            };
            if self.declares(parent, tag.name) {
                return Evidence::Yes;
            }
            // An unknown element is read over if it is well-formed.
            match self.element(rest) {
                Ok(length) => after = &rest[length..],
                Err(evidence) => return evidence,
            }
        }
        Evidence::No
    }

    /// Whether an argument that did not come yet opens behind a little text: one that the tool declares, or any, behind a
    /// comma and the like.
    fn opens_after_text(&self, rest: &str) -> Evidence {
        if !self.prefix.is_empty() {
            return Evidence::No;
        }
        let near = &rest.as_bytes()[..rest.len().min(GAP_MAX + 1)];
        let at = memchr::memchr(b'<', near);
        let is_declared = self
            .root
            .as_ref()
            .is_some_and(|root| !root.properties.is_empty());
        let text = &near[..at.unwrap_or(near.len())];
        let is_mark = |byte: &u8| byte.is_ascii_punctuation() || is_blank(*byte);
        if text.is_empty()
            || !(is_declared
                || text.len() as u64 <= INTERVENING_UNDECLARED_MAX && text.iter().all(is_mark))
        {
            return Evidence::No;
        }
        let Some(at) = at else {
            return if near.len() > GAP_MAX || self.eof {
                Evidence::No
            } else {
                Evidence::Wait { far: false }
            };
        };
        match self.read_tag(&rest[at..]) {
            Tag::Open(tag)
                if self.declares(None, tag.name)
                    && self.frames.iter().all(|have| have.name != tag.name) =>
            {
                Evidence::Yes
            }
            Tag::Cut if !self.eof => Evidence::Wait { far: false },
            _ => Evidence::No,
        }
    }

    /// In CDATA, at a `]`: its end, or one that is broken.
    pub(super) fn cdata_end(&mut self, text: &str, out: &mut XmlOut) -> Moved {
        match text.as_bytes() {
            [b']', b']', b'>', ..] => {
                self.in_cdata = false;
                return Moved::By(3);
            }
            [b']'] | [b']', b']'] if !self.eof => return Moved::Wait { far: false },
            _ => {}
        }
        match self.ends_cdata(text) {
            (Evidence::Yes, length) => {
                self.in_cdata = false;
                out.structural = true;
                let at = Span::new(self.pos, self.pos + length as u64);
                let message = "the end of CDATA is incomplete; it was supplied";
                out.remark(Code::MissingCloser, at, message);
                Moved::By(length)
            }
            (Evidence::Wait { far }, _) => Moved::Wait { far },
            (Evidence::No, _) => self.pass_byte(text, out),
        }
    }

    /// How the CDATA that stands at `]` ends, if it lacks a part of its own end: the closer of its element, confirmed, stands
    /// right behind.
    fn ends_cdata(&self, text: &str) -> (Evidence, usize) {
        let Some(frame) = self.frames.last() else {
            return (Evidence::No, 0);
        };
        let rest = text.strip_prefix("]]").or_else(|| text.strip_prefix("]>"));
        let rest = rest.or_else(|| text.strip_prefix(']')).unwrap_or(text);
        let mark = text.len() - rest.len();
        let Some(tag) = after_gap(rest) else {
            return (Evidence::No, 0);
        };
        match self.read_tag(tag) {
            Tag::Close { name, length } if name == frame.name => {
                let evidence = self.confirms(self.frames.len() - 1, &tag[length..]);
                (evidence, mark)
            }
            Tag::Cut if !self.eof && "</".starts_with(tag.get(..2).unwrap_or(tag)) => {
                (Evidence::Wait { far: false }, mark)
            }
            _ => (Evidence::No, mark),
        }
    }

    /// Whether an element of that name may stand in `parent`.
    fn declares(&self, parent: Option<&Frame>, name: &str) -> bool {
        let fields = match parent {
            Some(Frame {
                shape: Some(Shape::Object(fields)),
                ..
            }) => Some(fields),
            Some(_) => None,
            None => self.root.as_ref(),
        };
        fields.is_none_or(|fields| fields.properties.is_empty() || fields.get(name).is_some())
    }

    /// How long the element is that `text` begins with; otherwise whether it may still become one.
    fn element(&self, text: &str) -> Result<usize, Evidence> {
        let wait = Evidence::Wait { far: true };
        let is_over = self.eof || text.len() > SKIPPED_ELEMENT_MAX;
        let cut = Err(if is_over { Evidence::No } else { wait });
        // Nothing behind the cap is looked at.
        let bytes = &text.as_bytes()[..text.len().min(SKIPPED_ELEMENT_MAX + 1)];
        let mut open: Vec<&str> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            match self.read_tag(&text[at..]) {
                Tag::Open(tag) => {
                    at += tag.length;
                    if !tag.empty {
                        open.push(tag.name);
                    }
                }
                Tag::Close { name, length } if open.pop() == Some(name) => at += length,
                Tag::Comment { length } => at += length,
                Tag::CData => match bytes[at..].windows(3).position(|end| end == b"]]>") {
                    Some(end) => at += end + 3,
                    None => return cut,
                },
                Tag::Cut if !self.eof => return Err(wait),
                _ => return Err(Evidence::No),
            }
            if open.is_empty() {
                return Ok(at);
            }
            match bytes
                .get(at..)
                .and_then(|rest| memchr::memchr(self.intro(), rest))
            {
                Some(tag) => at += tag,
                None => return cut,
            }
        }
        cut
    }

    /// Whether what stands at `rest` ends the level that `parent` is.
    fn closes_level(&self, parent: Option<&Frame>, rest: &str) -> Evidence {
        match self.read_tag(rest) {
            Tag::Cut if !self.eof => Evidence::Wait { far: false },
            Tag::Cut | Tag::Comment { .. } => Evidence::Yes,
            Tag::Close { name, length } => match parent {
                Some(parent) if parent.name == name => {
                    let rest = &rest[length..];
                    let after = rest.trim_start();
                    if rest.len() - after.len() > GAP_MAX {
                        return Evidence::No;
                    }
                    // One more closer is evidence enough if anything of markup follows.
                    if after.is_empty() && self.eof {
                        return Evidence::Yes;
                    }
                    let is_bare = self.prefix.is_empty();
                    self.starts_with(if is_bare { "<" } else { &self.prefix }, after)
                }
                Some(_) => Evidence::No,
                None => self.ends_level(rest),
            },
            _ => Evidence::No,
        }
    }

    /// Where every tag has a token before it: whether another tag follows the caller's closer. A value that speaks of the
    /// closer goes on in words, and one that the message's end cuts off behind it may have.
    fn tag_after(&self, text: &str) -> Evidence {
        let closer = self.closers.first().map_or(0, String::len);
        if self.prefix.is_empty() {
            return Evidence::Yes;
        }
        let rest = after_gap(&text[closer..]);
        rest.map_or(Evidence::No, |rest| self.starts_with(&self.prefix, rest))
    }

    /// Whether the arguments end here, where all elements are closed: one of the caller's closers is enough then if it is
    /// the message's last, or markup or a little text stands before the next one; and a misspelt one, where the
    /// next of the caller's follows.
    fn ends_level(&self, text: &str) -> Evidence {
        match self.ends_here(text) {
            Evidence::No if self.prefix.is_empty() => {}
            evidence => return evidence,
        }
        let Tag::Close { length, .. } = self.read_tag(text) else {
            return Evidence::No;
        };
        let Some(rest) = after_gap(&text[length..]) else {
            return Evidence::No;
        };
        let is_ours = self.closers.iter().any(|closer| *closer == text[..length]);
        let next = self.closers.get(1).map_or("", String::as_str);
        let near = &rest.as_bytes()[..rest.len().min(GAP_MAX + 1)];
        let stray = match memchr::memchr(b'<', near) {
            Some(at) => at,
            None if near.len() > GAP_MAX => return Evidence::No,
            None if self.eof && is_ours && rest.is_empty() => return Evidence::Yes,
            None if self.eof => return Evidence::No,
            None => return Evidence::Wait { far: false },
        };
        let rest = &rest[stray..];
        let evidence = self.starts_with(next, rest);
        if evidence != Evidence::No && !next.is_empty() {
            return evidence;
        }
        let is_markup = |byte: u8| byte.is_ascii_alphabetic() || b"/!".contains(&byte);
        match rest.as_bytes().get(1) {
            Some(&byte) if is_ours && stray == 0 && is_markup(byte) => Evidence::Yes,
            None if !self.eof => Evidence::Wait { far: false },
            _ => Evidence::No,
        }
    }

    /// Whether the caller's closers stand here, all that the arguments have.
    fn ends_here(&self, text: &str) -> Evidence {
        let Some(first) = self.closers.first() else {
            return Evidence::No;
        };
        // Where every tag has a token before it, one closer is evidence enough: prose does not hold the token.
        let second = self.closers.get(1).filter(|_| self.prefix.is_empty());
        let mut rest = text;
        for (n, closer) in core::iter::once(first).chain(second).enumerate() {
            if n > 0 {
                let Some(after) = after_gap(rest) else {
                    return Evidence::No;
                };
                if self.eof && after.is_empty() {
                    return Evidence::Yes;
                }
                rest = after;
            }
            match self.starts_with(closer, rest) {
                Evidence::Yes => rest = &rest[closer.len()..],
                evidence => return evidence,
            }
        }
        Evidence::Yes
    }

    /// Whether `text` begins with `literal`.
    fn starts_with(&self, literal: &str, text: &str) -> Evidence {
        match fits(literal.as_bytes(), text.as_bytes(), false) {
            Fits::Whole => Evidence::Yes,
            Fits::SoFar if !self.eof => Evidence::Wait { far: false },
            _ => Evidence::No,
        }
    }

    pub(super) fn read_tag<'a>(&self, text: &'a str) -> Tag<'a> {
        let Some(inside) = text.strip_prefix(self.prefix.as_str()) else {
            return if self.prefix.starts_with(text) {
                Tag::Cut
            } else {
                Tag::None
            };
        };
        // Nothing behind the cap is looked at: a longer tag is none in every cut.
        let inside = match (TAG_MAX + 1..inside.len()).find(|&end| inside.is_char_boundary(end)) {
            Some(end) => &inside[..end],
            None => inside,
        };
        let skipped = self.prefix.len();
        let bytes = inside.as_bytes();
        if bytes.is_empty() {
            return Tag::Cut;
        }
        if bytes[0] != b'<' {
            return Tag::None;
        }
        // Longer than that is no tag.
        let cut = if bytes.len() > TAG_MAX {
            Tag::None
        } else {
            Tag::Cut
        };
        for (opener, closer) in [("<![CDATA[", ""), ("<!--", "-->"), ("<?", "?>")] {
            let Some(content) = inside.strip_prefix(opener) else {
                if opener.starts_with(inside) {
                    return Tag::Cut;
                }
                continue;
            };
            return match content.find(closer) {
                _ if closer.is_empty() && self.values.cdata => Tag::CData,
                _ if closer.is_empty() => Tag::None,
                Some(end) => Tag::Comment {
                    length: skipped + opener.len() + end + closer.len(),
                },
                None if self.eof => Tag::None,
                None => cut,
            };
        }
        let closing = bytes.get(1) == Some(&b'/');
        let start = if closing { 2 } else { 1 };
        let Some(&first) = bytes.get(start) else {
            return Tag::Cut;
        };
        if !(first.is_ascii_alphabetic() || first == b'_' || first >= 0x80) {
            return Tag::None;
        }
        let length = bytes[start..].iter().position(|&b| {
            !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':') || b >= 0x80)
        });
        let Some(length) = length else {
            return cut;
        };
        // A name space is none of ours.
        let name = inside[start..start + length]
            .rsplit(':')
            .next()
            .unwrap_or("");
        let mut attributes = Vec::new();
        match tag_end(&inside[start + length..], &mut attributes) {
            Ok((used, empty)) => {
                let length = skipped + start + length + used;
                match closing {
                    true if attributes.is_empty() && !empty => Tag::Close { name, length },
                    true => Tag::None,
                    false => Tag::Open(OpenTag {
                        name,
                        attributes,
                        empty,
                        length,
                    }),
                }
            }
            Err(Fits::SoFar) => cut,
            Err(_) => Tag::None,
        }
    }
}

pub(super) enum Moved {
    By(usize),
    /// `far`: for much more, no single tag decides.
    Wait {
        far: bool,
    },
    End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Evidence {
    Yes,
    No,
    Wait { far: bool },
}

/// What stands after a gap of blanks; `None` if the gap is too long.
fn after_gap(text: &str) -> Option<&str> {
    let rest = text.trim_ascii_start();
    (text.len() - rest.len() <= GAP_MAX).then_some(rest)
}

/// Attributes up to the `>`: where it ends, and whether the element is empty. Otherwise whether it may still come.
fn tag_end(text: &str, attributes: &mut Vec<(String, String)>) -> Result<(usize, bool), Fits> {
    let bytes = text.as_bytes();
    let mut at = 0;
    // The byte after blanks.
    let solid = |at: &mut usize| {
        *at += bytes[*at..].iter().take_while(|&&b| is_blank(b)).count();
        bytes.get(*at).copied().ok_or(Fits::SoFar)
    };
    loop {
        match (solid(&mut at)?, bytes.get(at + 1)) {
            (b'/', None) => return Err(Fits::SoFar),
            (b'>', _) => return Ok((at + 1, false)),
            (b'/', Some(b'>')) => return Ok((at + 2, true)),
            (byte, _) if byte.is_ascii_alphabetic() || byte == b'_' => {}
            _ => return Err(Fits::Not),
        }
        let is_of_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':');
        let name = &text[at..][..bytes[at..].iter().take_while(is_of_name).count()];
        at += name.len();
        if solid(&mut at)? != b'=' {
            return Err(Fits::Not);
        }
        at += 1;
        let quote = solid(&mut at)?;
        if !matches!(quote, b'"' | b'\'') {
            return Err(Fits::Not);
        }
        let value = &text[at + 1..];
        let length = value.find(char::from(quote)).ok_or(Fits::SoFar)?;
        attributes.push((name.into(), value[..length].into()));
        at += length + 2;
    }
}
