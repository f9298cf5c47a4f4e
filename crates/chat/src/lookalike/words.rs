//! Words of a text, and the names of tools among them.

use std::collections::HashMap;

use toolglot_toolset::{ToolSpec, Toolbox};

/// The names of the tools, aliases included, each with its tool.
pub(super) fn names(tools: &Toolbox) -> HashMap<&str, &ToolSpec> {
    let all = tools.iter().flat_map(|spec| {
        let others = tools.aliases(&spec.name).iter().map(String::as_str);
        others
            .chain([spec.name.as_str()])
            .map(move |name| (name, spec))
    });
    all.collect()
}

/// The words of a text that can be names, each with its position.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_inside = |one: char| one.is_alphanumeric() || matches!(one, '_' | '-' | '.');
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(is_inside)?;
        let end = text[start..].find(|one| !is_inside(one));
        rest = end.map_or(text.len(), |end| start + end);
        Some((start, text[start..rest].trim_end_matches(['.', '-'])))
    })
}
