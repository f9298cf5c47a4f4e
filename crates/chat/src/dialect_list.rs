//! Which dialects a text is read with.

use toolglot_engine::Dialect;
use toolglot_toolset::Toolbox;

use crate::dialect_choice::DialectChoice;
use crate::error::ChatError;

/// The embedded dialects of a list of names, separated by commas, or those of `auto`.
pub fn dialects_named(list: &str, toolbox: Option<&Toolbox>) -> Result<Vec<Dialect>, ChatError> {
    let find = |name: &str| Ok::<_, ChatError>(vec![dialect_named(name)?.clone()]);
    DialectChoice::new(list, find)?.dialects(toolbox)
}

/// These dialects, each name once; the first of a name counts.
pub(crate) fn merged(
    dialects: impl IntoIterator<Item = Dialect>,
) -> Result<Vec<Dialect>, ChatError> {
    let mut chosen: Vec<Dialect> = Vec::new();
    for dialect in dialects {
        if chosen.iter().all(|other| other.name() != dialect.name()) {
            chosen.push(dialect);
        }
    }
    if chosen.is_empty() {
        Err(ChatError::NoDialect)
    } else {
        Ok(chosen)
    }
}

/// All dialects, those first whose system's tools are all there: where the bytes cannot tell, the first counts.
///
/// Dialects that read plain shell blocks take part only with their tools: elsewhere each block in prose would be a
/// command.
pub(crate) fn automatic(toolbox: Option<&Toolbox>) -> Vec<Dialect> {
    let fits = |dialect: &Dialect| {
        let taught = Toolbox::taught(dialect.name()).zip(toolbox);
        taught.is_some_and(|(taught, tools)| {
            taught.iter().all(|spec| tools.get(&spec.name).is_some())
        })
    };
    let (mut first, others): (Vec<Dialect>, Vec<Dialect>) = toolglot_dialects::union()
        .into_iter()
        .cloned()
        .partition(fits);
    let others = others
        .into_iter()
        .filter(|dialect| dialect.split().is_none());
    first.extend(others);
    first
}

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
