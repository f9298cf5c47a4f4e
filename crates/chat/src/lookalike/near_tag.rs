//! Finds elements in plain text that look like calls, in dialects whose tag is the tool.
//!
//! Such a dialect reads only known names, so a misspelled name is an ordinary tag for the engine and causes no note.
//! This search finds tags between calls that were probably meant as calls.

use std::collections::HashMap;

use toolglot_engine::{Code, Note, Span};
use toolglot_toolset::Toolbox;

use super::outside::Outside;

/// Notes on tags that were probably meant as calls, in order.
pub(super) fn notes<'a>(
    outside: &'a Outside<'a>,
    tools: &'a Toolbox,
) -> impl Iterator<Item = Note> {
    let text = outside.text;
    outside
        .runs
        .iter()
        .flat_map(move |run| tags(text, *run))
        .filter(|tag| !outside.is_noted(tag.name_at))
        .filter_map(|tag| note(&tag, tools))
}

/// An opening tag without attributes whose closing tag comes later.
struct Tag<'a> {
    name: &'a str,
    name_at: Span,
    /// The name of the tag right before it, if only blanks are between them.
    outer: Option<&'a str>,
}

/// The most names that are checked in a run of text: each costs one search.
const NAMES: usize = 64;

/// The tags in a run of text.
fn tags(text: &str, at: Span) -> impl Iterator<Item = Tag<'_>> {
    let piece = text.get(at.range()).unwrap_or_default();
    let mut last_closers: HashMap<&str, Option<usize>> = HashMap::new();
    let mut outer: Option<(&str, usize)> = None;
    piece.match_indices('<').filter_map(move |(open, _)| {
        let inside = &piece[open + 1..];
        let name = &inside[..inside.find('>').filter(|end| *end <= 64)?];
        let is_name = !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        if !is_name {
            return None;
        }
        let end = open + 1 + name.len();
        let before = outer.replace((name, end + 1));
        // Without a closing tag, the word is more likely a placeholder in prose.
        if last_closers.len() == NAMES && !last_closers.contains_key(name) {
            return None;
        }
        let closer = last_closers
            .entry(name)
            .or_insert_with(|| piece.rfind(&format!("</{name}>")));
        if closer.is_none_or(|closer| closer < end) {
            return None;
        }
        let start = at.start + open as u64 + 1;
        let is_adjacent = |(_, end): &(&str, usize)| piece[*end..open].trim().is_empty();
        Some(Tag {
            name,
            name_at: Span::new(start, start + name.len() as u64),
            outer: before.filter(is_adjacent).map(|(name, _)| name),
        })
    })
}

fn note(tag: &Tag<'_>, toolbox: &Toolbox) -> Option<Note> {
    let name = tag.name;
    let note = |code, message, help| {
        Some(Note {
            code,
            span: tag.name_at,
            message,
            help: Some(help),
        })
    };
    if let Some(spec) = toolbox.get(name) {
        if let Some(outer) = tag
            .outer
            .filter(|outer| has_parameter(&spec.parameters, outer))
        {
            let message =
                format!("`<{name}>` is inside of its own parameter `<{outer}>`: nothing is called");
            return note(
                Code::NotACall,
                message,
                "write the tool's tag outside, the parameter's inside".to_owned(),
            );
        }
        let message =
            format!("`<{name}>` is a tool, but no parameter's tag follows: nothing is called");
        return note(
            Code::NotACall,
            message,
            "write each value in the tag of its parameter".to_owned(),
        );
    }
    if toolbox
        .iter()
        .any(|spec| has_parameter(&spec.parameters, name))
    {
        return None;
    }
    let names = toolbox.iter().map(|spec| spec.name.as_str());
    let nearest = toolglot_toolset::nearest(name, names)?;
    let message = format!("unknown tool `{name}`");
    note(
        Code::UnknownTool,
        message,
        format!("did you mean `{nearest}`?"),
    )
}

fn has_parameter(schema: &toolglot_value::Value, name: &str) -> bool {
    schema["properties"].get(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let toolbox = Toolbox::taught("roo").expect("it is built in");
        let all = Span::new(0, text.len() as u64);
        let notes = tags(text, all).filter_map(|tag| note(&tag, toolbox));
        notes
            .map(|note| {
                let at = &text[note.span.range()];
                format!("{at}: {}", note.message)
            })
            .collect()
    }

    #[test]
    fn a_misspelt_tool_is_told() {
        assert_eq!(
            messages("<read_fil>\n<path>a</path>\n</read_fil>"),
            ["read_fil: unknown tool `read_fil`"]
        );
    }

    #[test]
    fn a_tool_inside_its_parameter_is_told() {
        let [note] = &messages("<path><read_file>a</read_file></path>")[..] else {
            panic!("one")
        };
        assert!(
            note.contains("inside of its own parameter `<path>`"),
            "{note}"
        );
    }

    #[test]
    fn a_tool_without_parameters_is_told() {
        let [note] = &messages("<read_file>a</read_file>")[..] else {
            panic!("one")
        };
        assert!(note.contains("no parameter's tag follows"), "{note}");
    }

    #[test]
    fn other_tags_are_left_alone() {
        for text in [
            "<div>x</div>",
            "a <read_fil> b",
            "<path>a</path>",
            "1 < 2 > 1",
            "<漢>x</漢>",
            "<<a>",
        ] {
            assert_eq!(messages(text), [] as [String; 0], "{text}");
        }
    }
}
