//! Tags of a Jinja template: their starts and ends.

use super::tokens::string;

/// What a tag is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Output,
    Statement,
    Comment,
}

impl Tag {
    pub(super) fn closer(self) -> &'static str {
        match self {
            Tag::Output => "}}",
            Tag::Statement => "%}",
            Tag::Comment => "#}",
        }
    }
}

/// The first opener of a tag.
pub(super) fn next_tag(text: &str) -> Option<(usize, Tag)> {
    text.match_indices('{').find_map(|(at, _)| {
        let tag = match text.as_bytes().get(at + 1)? {
            b'{' => Tag::Output,
            b'%' => Tag::Statement,
            b'#' => Tag::Comment,
            _ => return None,
        };
        Some((at, tag))
    })
}

/// The offset after the `endfor` of the loop around `text`.
pub(super) fn end_of_loop(text: &str) -> usize {
    let (mut at, mut depth) = (0, 1_usize);
    while let Some((start, tag)) = next_tag(&text[at..]) {
        let from = at + start + 2;
        let Some(length) = end_of(&text[from..], tag) else {
            break;
        };
        let code = text[from..from + length].trim_matches(['-', '+']).trim();
        at = from + length + tag.closer().len();
        match code.split_whitespace().next() {
            Some("for") if tag == Tag::Statement => depth += 1,
            Some("endfor") if tag == Tag::Statement => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// The offset of a tag's closer, outside strings.
pub(super) fn end_of(text: &str, tag: Tag) -> Option<usize> {
    let closer = tag.closer();
    if tag == Tag::Comment {
        return text.find(closer);
    }
    let mut at = 0;
    // An object's brackets may end right before the closer.
    let mut depth = 0_usize;
    while let Some(c) = text[at..].chars().next() {
        if depth == 0 && text[at..].starts_with(closer) {
            return Some(at);
        }
        at += match c {
            '"' | '\'' => string(&text[at..]).1,
            c => {
                match c {
                    '{' => depth += 1,
                    '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                c.len_utf8()
            }
        };
    }
    None
}
