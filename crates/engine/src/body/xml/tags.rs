//! Tags: reading the tag at a `<`, and the lookahead that confirms a closer.

use alloc::string::String;
use alloc::vec::Vec;

use toolglot_json::Shape;

use super::{Frame, Xml, XmlOut};
use crate::program::{Fits, fits, is_blank, near};
use crate::thresholds::{
    ELEMENT_DEPTH_MAX, GAP_MAX, INTERVENING_UNDECLARED_MAX, SKIPPED_ELEMENT_MAX, SKIPPED_MAX,
    TAG_MAX,
};
use crate::{Code, Recovery, Span};

/// A tag that opens an element.
pub(super) struct OpenTag<'a> {
    pub(super) name: &'a str,
    pub(super) attributes: Vec<(String, String)>,
    empty: bool,
    pub(super) length: usize,
}

/// A tag as it is written.
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
    /// More bytes may complete a tag.
    Cut,
    None,
}

impl Xml {
    pub(super) fn tag(&mut self, text: &str, out: &mut XmlOut) -> TagStep {
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
        // Outside of all elements the caller's closers end the arguments. Such a closer may have lost its slash.
        if self.frames.is_empty()
            && let Tag::Open(_) | Tag::Close { .. } = tag
            && let Some(step) = self.ends_level(text).ends()
        {
            return step;
        }
        match tag {
            Tag::Cut if !self.eof => TagStep::Wait { far: false },
            Tag::CData => {
                self.in_cdata = true;
                if let Some(frame) = self.frames.last_mut() {
                    frame.verbatim = true;
                }
                TagStep::By(self.prefix.len() + 9)
            }
            Tag::Comment { length } if !raw => TagStep::By(length),
            Tag::Close { name, length } => self.close_tag(name, length, text, out),
            Tag::Open(tag) if !raw && self.frames.len() < ELEMENT_DEPTH_MAX => {
                let (empty, length) = (tag.empty, tag.length);
                self.open_element(tag, text, out);
                if empty {
                    self.end_element(out);
                }
                self.spill(self.pos + length as u64, out);
                TagStep::By(length)
            }
            tag => {
                if let (Tag::Open(tag), Some(frame)) = (&tag, self.frames.last_mut())
                    && !tag.empty
                {
                    if let Some(nest) = frame.nest.as_mut().filter(|_| frame.name == tag.name) {
                        *nest += 1;
                    }
                } else if !self.prefix.is_empty() && text.starts_with(&self.prefix) {
                    self.doubt(Recovery::MarkerInside, out);
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

    /// The first byte of `text` is data.
    fn pass_byte(&mut self, text: &str, out: &mut XmlOut) -> TagStep {
        self.push_text(&text[..1], self.in_cdata, out);
        TagStep::By(1)
    }

    pub(super) fn close_tag(
        &mut self,
        name: &str,
        length: usize,
        text: &str,
        out: &mut XmlOut,
    ) -> TagStep {
        let is_innermost = self.frames.last().is_some_and(|frame| frame.name == name);
        if !is_innermost && !self.frames.is_empty() {
            // Inside an element, more markup must follow the caller's closers.
            let evidence = match self.ends_here(text) {
                Evidence::Yes => self.tag_after(text),
                evidence => evidence,
            };
            if let Some(step) = evidence.ends() {
                return step;
            }
        }
        let raw = self.frames.last().is_some_and(|frame| frame.raw);
        let ended = self.frames.iter().rposition(|frame| frame.name == name);
        let Some(ended) = ended.filter(|_| is_innermost || !raw) else {
            return self.pass_byte(text, out);
        };
        match self.confirms(ended, &text[length..]) {
            Evidence::Wait { far } => TagStep::Wait { far },
            Evidence::Yes => {
                if self.prefix.is_empty() && !is_innermost {
                    // An outer element ends: the elements open inside it are text.
                    self.flatten_above(ended);
                } else {
                    self.close_above(ended + 1, out);
                }
                self.end_element(out);
                self.spill(self.pos + length as u64, out);
                TagStep::By(length)
            }
            Evidence::No => {
                if is_innermost {
                    match self.frames.last_mut().and_then(|frame| frame.nest.as_mut()) {
                        Some(nest @ 1..) => *nest -= 1,
                        _ => self.doubt(Recovery::PassedCloser, out),
                    }
                }
                self.pass_byte(text, out)
            }
        }
    }

    /// Whether the text after the closer of frame `index` confirms that closer.
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
            if index == 0
                && let evidence @ (Evidence::Yes | Evidence::Wait { .. }) = self.ends_level(rest)
            {
                return evidence;
            }
            let Tag::Open(tag) = self.read_tag(rest) else {
                return match self.closes_level(parent, rest) {
                    Evidence::No if index == 0 => self.opens_after_text(rest),
                    evidence => evidence,
                };
            };
            if self.declares(parent, tag.name) {
                return Evidence::Yes;
            }
            // A well-formed unknown element is skipped.
            match self.element(rest) {
                Ok(length) => after = &rest[length..],
                Err(evidence) => return evidence,
            }
        }
        Evidence::No
    }

    /// Whether an argument opens after a little text: a declared one, or any after punctuation.
    fn opens_after_text(&self, rest: &str) -> Evidence {
        if !self.prefix.is_empty() {
            return Evidence::No;
        }
        let near = &rest.as_bytes()[..rest.len().min(GAP_MAX + 1)];
        let at = memchr::memchr(b'<', near);
        let root = self.root.as_ref();
        let is_declared = root.is_some_and(|root| !root.properties.is_empty());
        let text = &near[..at.unwrap_or(near.len())];
        let is_sign = |byte: &u8| byte.is_ascii_punctuation() || is_blank(*byte);
        if text.is_empty()
            || !(is_declared
                || text.len() as u64 <= INTERVENING_UNDECLARED_MAX && text.iter().all(is_sign))
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
            Tag::Open(tag) if self.declares(None, tag.name) => Evidence::Yes,
            Tag::Cut if !self.eof => Evidence::Wait { far: false },
            _ => Evidence::No,
        }
    }

    /// In CDATA, at a `]`: the end of CDATA, whole or broken.
    pub(super) fn cdata_end(&mut self, text: &str, out: &mut XmlOut) -> TagStep {
        match text.as_bytes() {
            [b']', b']', b'>', ..] => {
                self.in_cdata = false;
                return TagStep::By(3);
            }
            [b']'] | [b']', b']'] if !self.eof => return TagStep::Wait { far: false },
            _ => {}
        }
        match self.ends_cdata(text) {
            (Evidence::Yes, length) => {
                self.in_cdata = false;
                let at = Span::new(self.pos, self.pos + length as u64);
                out.recovered(Recovery::CdataEnd, at, "");
                TagStep::By(length)
            }
            (Evidence::Wait { far }, _) => TagStep::Wait { far },
            (Evidence::No, _) => self.pass_byte(text, out),
        }
    }

    /// Whether CDATA ends at this `]` although its end is incomplete: the confirmed closer of its element follows. Also
    /// the length of that end.
    fn ends_cdata(&self, text: &str) -> (Evidence, usize) {
        let Some(frame) = self.frames.last() else {
            return (Evidence::No, 0);
        };
        let rest = text.strip_prefix("]]").or_else(|| text.strip_prefix("]>"));
        let rest = rest.or_else(|| text.strip_prefix(']')).unwrap_or(text);
        let used = text.len() - rest.len();
        let Some(tag) = after_gap(rest) else {
            return (Evidence::No, 0);
        };
        match self.read_tag(tag) {
            Tag::Close { name, length } if name == frame.name => {
                let evidence = self.confirms(self.frames.len() - 1, &tag[length..]);
                (evidence, used)
            }
            Tag::Cut if !self.eof && "</".starts_with(tag.get(..2).unwrap_or(tag)) => {
                (Evidence::Wait { far: false }, used)
            }
            _ => (Evidence::No, used),
        }
    }

    /// Whether an element of that name may be in `parent`.
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

    /// The length of the element that `text` starts with; otherwise whether more bytes may complete one.
    fn element(&self, text: &str) -> Result<usize, Evidence> {
        let wait = Evidence::Wait { far: true };
        let is_final = self.eof || text.len() > SKIPPED_ELEMENT_MAX;
        let cut = Err(if is_final { Evidence::No } else { wait });
        // Bytes after the cap are not read.
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
            let rest = bytes.get(at..);
            match rest.and_then(|rest| memchr::memchr(self.intro(), rest)) {
                Some(tag) => at += tag,
                None => return cut,
            }
        }
        cut
    }

    /// Whether the text at `rest` ends the level of `parent`.
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
                    // One more closer is enough evidence if any markup follows.
                    if after.is_empty() && self.eof {
                        return Evidence::Yes;
                    }
                    let is_bare = self.prefix.is_empty();
                    self.starts_with(if is_bare { "<" } else { &self.prefix }, after)
                }
                _ => Evidence::No,
            },
            _ => Evidence::No,
        }
    }

    /// If every tag has a token before it: whether another tag follows the caller's closer. A value that mentions the
    /// closer continues in words, or may have done so where the message is cut off.
    fn tag_after(&self, text: &str) -> Evidence {
        let closer = self.closers.first().map_or(0, String::len);
        if self.prefix.is_empty() {
            return Evidence::Yes;
        }
        let rest = after_gap(&text[closer..]);
        rest.map_or(Evidence::No, |rest| self.starts_with(&self.prefix, rest))
    }

    /// Whether the arguments end here, with all elements closed. One of the caller's closers is enough if it ends the
    /// message, or if markup follows, or a little text and the next closer. A misspelt or damaged closer is enough if
    /// the next of the caller's closers follows.
    fn ends_level(&self, text: &str) -> Evidence {
        let first = self.closers.first().map_or("", String::as_str);
        let (evidence, length) = match (self.ends_here(text), self.read_tag(text)) {
            (Evidence::No, Tag::Close { length, .. }) => (Evidence::Yes, length),
            (Evidence::No, _) => self.damaged(first, text),
            (evidence, _) => return evidence,
        };
        if evidence != Evidence::Yes {
            return evidence;
        }
        let Some(rest) = after_gap(&text[length..]) else {
            return Evidence::No;
        };
        let is_ours = self.closers.iter().any(|closer| *closer == text[..length]);
        if is_ours && self.frames.is_empty() {
            return Evidence::Yes;
        }
        let next = self.closers.get(1).map_or("", String::as_str);
        let near = &rest.as_bytes()[..rest.len().min(GAP_MAX + 1)];
        let stray = match memchr::memchr(self.intro(), near) {
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

    /// Whether the caller's first closer is here and, without a token before tags, its second.
    fn ends_here(&self, text: &str) -> Evidence {
        let Some(first) = self.closers.first() else {
            return Evidence::No;
        };
        // Where every tag has a token before it, one closer is enough evidence: prose does not hold the token.
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
                Evidence::No if n > 0 => return self.damaged(closer, rest).0,
                evidence => return evidence,
            }
        }
        Evidence::Yes
    }

    /// Whether `text` starts with `literal`.
    fn starts_with(&self, literal: &str, text: &str) -> Evidence {
        self.evidence(fits(literal.as_bytes(), text.as_bytes(), false))
    }

    /// Whether `text` starts with `literal`, damaged in one place, and the length of the match.
    fn damaged(&self, literal: &str, text: &str) -> (Evidence, usize) {
        let (fits, length) = near(literal.as_bytes(), text.as_bytes(), (false, self.eof));
        (self.evidence(fits), length)
    }

    fn evidence(&self, fits: Fits) -> Evidence {
        match fits {
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
        // Bytes after the cap are not read: a longer tag is not a tag however the text is cut.
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
        // A longer text is not a tag.
        let is_long = bytes.len() > TAG_MAX;
        let cut = if is_long { Tag::None } else { Tag::Cut };
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
        // A name space is not part of the name.
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

pub(super) enum TagStep {
    By(usize),
    /// `far`: no single tag decides, so much more text is needed.
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

impl Evidence {
    /// What evidence for the end of the arguments means for the tag.
    fn ends(self) -> Option<TagStep> {
        match self {
            Evidence::Yes => Some(TagStep::End),
            Evidence::Wait { far } => Some(TagStep::Wait { far }),
            Evidence::No => None,
        }
    }
}

/// The text after a gap of blanks; `None` if the gap is too long.
fn after_gap(text: &str) -> Option<&str> {
    let rest = text.trim_ascii_start();
    (text.len() - rest.len() <= GAP_MAX).then_some(rest)
}

/// Reads attributes up to the `>`: its end, and whether the element is empty. An error says if a `>` may still come.
fn tag_end(text: &str, attributes: &mut Vec<(String, String)>) -> Result<(usize, bool), Fits> {
    let bytes = text.as_bytes();
    let mut at = 0;
    // Skips blanks, and gives the byte after them.
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
        let is_name_byte = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':');
        let name = &text[at..][..bytes[at..].iter().take_while(is_name_byte).count()];
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
