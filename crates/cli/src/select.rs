//! Which dialects a text is read with.

use std::path::Path;

use toolglot::Dialect;
use toolglot_tools::{Effect, Toolbox};

use crate::failure::{Failure, GrammarFault};
use crate::source;

/// The dialects of `list`: names or paths of dialect files, separated by commas, or `auto`.
pub(crate) fn dialects(list: &str, toolbox: Option<&Toolbox>) -> Result<Vec<Dialect>, Failure> {
    let mut chosen: Vec<Dialect> = Vec::new();
    for name in list
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        let found = match name {
            "auto" => automatic(toolbox),
            // No name of a dialect holds a slash or a dot.
            file if file.contains(['/', '\\', '.']) => from_file(Path::new(file))?,
            name => vec![named(name)?.clone()],
        };
        for dialect in found {
            if chosen.iter().all(|other| other.name() != dialect.name()) {
                chosen.push(dialect);
            }
        }
    }
    if chosen.is_empty() {
        Err(Failure::NoDialect)
    } else {
        Ok(chosen)
    }
}

/// All dialects, but those that read plain shell blocks only where the tools are theirs: elsewhere each block in prose
/// would be a command.
fn automatic(toolbox: Option<&Toolbox>) -> Vec<Dialect> {
    let is_wanted = |dialect: &Dialect| {
        dialect.setting("split").is_none()
            || toolbox
                .zip(Toolbox::taught(dialect.name()))
                .is_some_and(|(tools, taught)| {
                    taught.iter().any(|spec| {
                        spec.effect == Effect::Execute && tools.get(&spec.name).is_some()
                    })
                })
    };
    toolglot_dialects::all()
        .iter()
        .filter(|dialect| is_wanted(dialect))
        .cloned()
        .collect()
}

/// The embedded dialect of that name.
pub(crate) fn named(name: &str) -> Result<&'static Dialect, Failure> {
    toolglot_dialects::get(name).ok_or_else(|| Failure::UnknownDialect {
        name: name.to_owned(),
        nearest: nearest(name),
    })
}

/// The one dialect of that name, embedded or in a file.
pub(crate) fn one(name: &str) -> Result<Dialect, Failure> {
    let mut dialects = dialects(name, None)?;
    match dialects.len() {
        1 => Ok(dialects.remove(0)),
        _ => Err(Failure::NotOneDialect(name.to_owned())),
    }
}

fn from_file(path: &Path) -> Result<Vec<Dialect>, Failure> {
    let text = source::text(path)?;
    Dialect::parse(&text, toolglot_dialects::all()).map_err(|error| {
        let path = source::name(path);
        Failure::Grammar(Box::new(GrammarFault { error, text, path }))
    })
}

fn nearest(name: &str) -> Option<&'static str> {
    let aliases = toolglot_dialects::ALIASES.iter().map(|(alias, _)| *alias);
    toolglot_tools::nearest(
        name,
        toolglot_dialects::all()
            .iter()
            .map(Dialect::name)
            .chain(aliases),
    )
}
