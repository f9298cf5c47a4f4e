//! The context of a raw value: the texts that close it, and the opener that would nest in it.

use toolglot_engine::form::{Capture, Form};

use crate::text::Closers;

/// The context of a part of a form: the text before it, and the texts after it, the nearest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    pub(crate) before: String,
    pub(crate) after: Vec<String>,
}

/// The literal texts of forms, one for each run without a gap. `captured` gives the text of a capture that has one
/// text.
pub(crate) fn texts(forms: &[Form], captured: impl Fn(Capture) -> Option<String>) -> Vec<String> {
    let mut texts = Vec::new();
    let mut text = String::new();
    for form in forms {
        let more = match form {
            Form::Literal(more) => Some(more.clone()),
            Form::Captured(capture) => captured(*capture),
            _ => None,
        };
        match more {
            Some(more) => text.push_str(&more),
            None => texts.push(std::mem::take(&mut text)),
        }
    }
    texts.push(text);
    texts.retain(|text| !text.is_empty());
    texts
}

/// The texts that a raw value must not contain: the closers after it, and its own opener, which would nest.
pub(crate) fn closers(around: &Around) -> Closers {
    let mut closers: Vec<String> = Vec::new();
    let mut add = |text: &str| {
        if !text.is_empty() && !closers.iter().any(|other| other == text) {
            closers.push(text.to_owned());
        }
    };
    for (n, text) in around.after.iter().enumerate() {
        let trimmed = text.trim();
        match trimmed.is_empty() {
            // A line break closes the value where no other text does.
            true if n == 0 => add(text),
            true => {}
            false => tags(trimmed).map(stem).for_each(&mut add),
        }
    }
    add(opener(&around.before));
    Closers(closers)
}

/// The last tag that a text opens, up to where tags of its kind may differ: `<parameter=`, `<parameter`, `<path>`.
fn opener(text: &str) -> &str {
    let Some(start) = text.rfind('<') else {
        return "";
    };
    let tag = &text[start..];
    let end = tag.find(['=', '>', ' ', '\n']).map_or(tag.len(), |at| {
        at + usize::from(matches!(tag.as_bytes()[at], b'=' | b'>'))
    });
    if end < 3 { "" } else { &tag[..end] }
}

/// A closing tag without its end: the parser takes `</p` and any text after it for a closer, as in `</p name="b">`.
fn stem(tag: &str) -> &str {
    match tag.strip_suffix('>') {
        Some(stem) if stem.starts_with("</") && stem.len() > 2 => stem,
        _ => tag,
    }
}

/// The tags of a text, each with the text right after it, or the whole text where it has no tag.
fn tags(text: &str) -> impl Iterator<Item = &str> {
    let starts: Vec<usize> = text.match_indices('<').map(|(at, _)| at).collect();
    let first = starts.first().copied().filter(|&at| at > 0).map(|_| 0);
    let whole = starts.is_empty().then_some(0);
    let starts: Vec<usize> = first.into_iter().chain(whole).chain(starts).collect();
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    let pieces = starts.into_iter().zip(ends);
    pieces
        .map(|(start, end)| text[start..end].trim())
        .filter(|tag| !tag.is_empty())
}
