//! A list of dialects that is resolved once and serves many sets of tools.

use toolglot_engine::Dialect;
use toolglot_toolset::Toolbox;

use crate::dialect_list::{automatic, merged};
use crate::error::ChatError;

/// The resolved dialects of a list. The dialects of `auto` depend on the tools, and are chosen with them.
#[derive(Clone, Debug)]
pub struct DialectChoice {
    items: Vec<Item>,
}

#[derive(Clone, Debug)]
enum Item {
    Auto,
    Named(Vec<Dialect>),
}

impl DialectChoice {
    /// Resolves each item of `list` except `auto`: names separated by commas.
    ///
    /// # Errors
    /// An error of `find`, or a list without a name.
    pub fn new<E: From<ChatError>>(
        list: &str,
        find: impl Fn(&str) -> Result<Vec<Dialect>, E>,
    ) -> Result<DialectChoice, E> {
        let names = list.split(',').map(str::trim);
        let items = names.filter(|name| !name.is_empty()).map(|name| {
            Ok(match name {
                "auto" => Item::Auto,
                name => Item::Named(find(name)?),
            })
        });
        let items = items.collect::<Result<Vec<Item>, E>>()?;
        if items.is_empty() {
            return Err(ChatError::NoDialect.into());
        }
        Ok(DialectChoice { items })
    }

    /// The dialects for these tools, without duplicates.
    ///
    /// # Errors
    /// [`ChatError::NoDialect`] if the files of the list contain no dialect.
    pub fn dialects(&self, toolbox: Option<&Toolbox>) -> Result<Vec<Dialect>, ChatError> {
        let items = self.items.iter().map(|item| match item {
            Item::Auto => automatic(toolbox).into_iter().cloned().collect(),
            Item::Named(dialects) => dialects.clone(),
        });
        merged(items.flatten())
    }
}
