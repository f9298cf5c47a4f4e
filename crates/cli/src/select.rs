//! Which dialects a text is read with.

use std::path::Path;

use toolglot::Dialect;
use toolglot_tools::Toolbox;

use crate::dialect_file;
use crate::failure::Failure;

/// The dialects of `list`: names or paths of dialect files, separated by commas, or `auto`.
pub(crate) fn dialects(list: &str, toolbox: Option<&Toolbox>) -> Result<Vec<Dialect>, Failure> {
    chosen(list, toolbox, |name| {
        if is_file(name) {
            dialect_file::read(Path::new(name))?.map_err(Failure::DialectFile)
        } else if toolglot_dialects::get(name).is_none() && Path::new(name).is_file() {
            Err(Failure::BareFile(name.to_owned()))
        } else {
            Ok(vec![named(name)?.clone()])
        }
    })
}

/// Whether an item of a list is a path: no name of a dialect holds a slash or a dot.
pub(crate) fn is_file(name: &str) -> bool {
    name.contains(['/', '\\', '.'])
}

/// The dialects of a list that comes with the data: names only, since data opens no files.
pub(crate) fn by_name(list: &str, toolbox: Option<&Toolbox>) -> Result<Vec<Dialect>, Failure> {
    chosen(list, toolbox, |name| Ok(vec![named(name)?.clone()]))
}

fn chosen(
    list: &str,
    toolbox: Option<&Toolbox>,
    find: impl Fn(&str) -> Result<Vec<Dialect>, Failure>,
) -> Result<Vec<Dialect>, Failure> {
    let mut chosen: Vec<Dialect> = Vec::new();
    for name in list
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        let found = if name == "auto" {
            automatic(toolbox)
        } else {
            find(name)?
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

/// All dialects, those first whose system's tools are all there: where the bytes cannot tell, the first counts.
///
/// Dialects that read plain shell blocks take part only with their tools: elsewhere each block in prose would be a
/// command.
fn automatic(toolbox: Option<&Toolbox>) -> Vec<Dialect> {
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
