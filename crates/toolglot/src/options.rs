//! How a message is read, with a given dialect and given tools.

use std::sync::Arc;

use toolglot_engine::{Dialect, Finish, Limits, Program, ToolSet};

use crate::Error;

/// How a message is read.
///
/// A field may be added in any release: write `..Options::default()`.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The name of a dialect, or a model family (`qwen3`); `auto` reads all at once.
    pub dialect: &'a str,
    /// The tools that may be called. An empty set knows no names and no types: calls of any name are read.
    pub tools: ToolSet,
    /// Why the model stopped. [`parse_with`](crate::parse_with) uses this field; a stream passes the reason to
    /// [`Parser::finish`](crate::Parser::finish).
    pub finish: Finish,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            dialect: "auto",
            tools: ToolSet::default(),
            finish: Finish::Stop,
        }
    }
}

impl Options<'_> {
    /// The program, which the parsers of many messages can share.
    ///
    /// # Errors
    /// A dialect that is not known.
    pub fn program(&self) -> Result<Arc<Program>, Error> {
        if self.dialect == "auto" {
            let all = toolglot_dialects::auto();
            return Ok(if self.tools.is_empty() {
                Arc::clone(all)
            } else {
                Arc::new(all.for_tools(&self.tools))
            });
        }
        let dialect = dialect(self.dialect)?;
        Ok(Arc::new(Program::compile(
            [dialect],
            &self.tools,
            Limits::default(),
        )?))
    }
}

/// The dialect of that name or alias.
pub(crate) fn dialect(name: &str) -> Result<&'static Dialect, Error> {
    toolglot_dialects::get(name).ok_or_else(|| {
        let aliases = toolglot_dialects::ALIASES.iter().map(|(alias, _)| *alias);
        let names = toolglot_dialects::all().iter().map(Dialect::name);
        Error::UnknownDialect {
            name: name.to_owned(),
            nearest: toolglot_toolset::nearest(name, names.chain(aliases)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_that_is_not_known_is_named_with_the_nearest() {
        let error = dialect("hermse").expect_err("there is none");
        assert_eq!(
            error.to_string(),
            "unknown dialect `hermse`; did you mean `hermes`?"
        );
        assert_eq!(
            dialect("zzzz").expect_err("there is none").to_string(),
            "unknown dialect `zzzz`"
        );
    }

    #[test]
    fn without_tools_the_program_of_all_dialects_is_shared() {
        let options = Options::default();
        let program = options.program().expect("it compiles");
        assert!(Arc::ptr_eq(&program, toolglot_dialects::auto()));
    }
}
