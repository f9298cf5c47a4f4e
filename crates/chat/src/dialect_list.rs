//! The dialects that a text is read with.

use std::borrow::Borrow;
use std::sync::LazyLock;

use toolglot_engine::Dialect;
use toolglot_toolset::Toolbox;

use crate::dialect_choice::DialectChoice;
use crate::error::ChatError;

/// The embedded dialects of a list of names, separated by commas, or the dialects of `auto`.
pub fn dialects_named(list: &str, toolbox: Option<&Toolbox>) -> Result<Vec<Dialect>, ChatError> {
    let find = |name: &str| Ok::<_, ChatError>(vec![dialect_named(name)?.clone()]);
    DialectChoice::new(list, find)?.dialects(toolbox)
}

/// Like [`dialects_named`], without a copy of each dialect.
pub fn shared_dialects(
    list: &str,
    toolbox: Option<&Toolbox>,
) -> Result<Vec<&'static Dialect>, ChatError> {
    let names = list.split(',').map(str::trim);
    let found = names
        .filter(|name| !name.is_empty())
        .map(|name| match name {
            "auto" => Ok(automatic(toolbox)),
            name => dialect_named(name).map(|dialect| vec![dialect]),
        });
    let found = found.collect::<Result<Vec<_>, ChatError>>()?;
    merged(found.into_iter().flatten())
}

/// These dialects without duplicate names; the first of a name counts.
pub(crate) fn merged<D: Borrow<Dialect>>(
    dialects: impl IntoIterator<Item = D>,
) -> Result<Vec<D>, ChatError> {
    let mut chosen: Vec<D> = Vec::new();
    for dialect in dialects {
        let name = dialect.borrow().name();
        if chosen.iter().all(|other| other.borrow().name() != name) {
            chosen.push(dialect);
        }
    }
    if chosen.is_empty() {
        Err(ChatError::NoDialect)
    } else {
        Ok(chosen)
    }
}

/// All dialects. The dialects whose whole system tool set is present come first: if several dialects read the same
/// bytes, the first counts.
///
/// Dialects that read plain shell blocks are included only with their tools: otherwise each block in prose would be a
/// command.
pub(crate) fn automatic(toolbox: Option<&Toolbox>) -> Vec<&'static Dialect> {
    let fits = |dialect: &&Dialect| {
        let mut taught = TAUGHT.iter();
        let taught = taught.find(|(name, _)| *name == dialect.name());
        taught
            .zip(toolbox)
            .is_some_and(|((_, names), tools)| names.iter().all(|name| tools.get(name).is_some()))
    };
    let (mut first, others): (Vec<&Dialect>, Vec<&Dialect>) =
        toolglot_dialects::union().into_iter().partition(fits);
    let others = others
        .into_iter()
        .filter(|dialect| dialect.split().is_none());
    first.extend(others);
    first
}

/// The tools of each dialect's system, if it has one. Computed once: a server needs it for each new set of tools.
static TAUGHT: LazyLock<Vec<(&'static str, Vec<String>)>> = LazyLock::new(|| {
    let taught = toolglot_dialects::all().iter().filter_map(|dialect| {
        let taught = Toolbox::taught(dialect.name())?;
        let names = taught.iter().map(|spec| spec.name.clone());
        Some((dialect.name(), names.collect()))
    });
    taught.collect()
});

/// The embedded dialect of that name.
pub fn dialect_named(name: &str) -> Result<&'static Dialect, ChatError> {
    toolglot_dialects::get(name).ok_or_else(|| ChatError::UnknownDialect {
        name: name.to_owned(),
        nearest: nearest(name),
    })
}

fn nearest(name: &str) -> Option<&'static str> {
    let aliases = toolglot_dialects::ALIASES.iter().map(|(alias, _)| *alias);
    toolglot_toolset::nearest(
        name,
        toolglot_dialects::all()
            .iter()
            .map(Dialect::name)
            .chain(aliases),
    )
}
