//! `values:` how the text of a value becomes JSON.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// How untyped text is read, and what is decoded in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Values {
    /// Without a schema.
    pub typing: Typing,
    /// Entities (`&lt;`) are decoded in values.
    pub entities: bool,
    /// Entities are decoded in attributes.
    pub entities_in_attrs: bool,
    /// CDATA sections are unwrapped.
    pub cdata: bool,
}

/// What a value is where no schema says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Typing {
    /// A string.
    #[default]
    Text,
    /// What it looks like: a boolean, `null`, a number, otherwise a string.
    Infer,
    /// JSON where the whole text is a JSON value, otherwise a string.
    Json,
    /// An attribute says it: its value and whether that means JSON; `*` is any other.
    Kind(Vec<(String, bool)>),
}

impl Values {
    /// Reads the setting; the error is a message.
    pub(crate) fn parse(setting: &str) -> Result<Values, String> {
        let mut values = Values::default();
        for part in split_outside_parentheses(setting) {
            match part {
                "entities" => values.entities = true,
                "entities in attrs" => values.entities_in_attrs = true,
                "cdata" => values.cdata = true,
                "schema" | "string" | "schema|string" => values.typing = Typing::Text,
                "schema|infer" => values.typing = Typing::Infer,
                "schema|json" => values.typing = Typing::Json,
                _ => match part
                    .strip_prefix("schema|type(")
                    .and_then(|rest| rest.strip_suffix(')'))
                {
                    Some(kinds) => values.typing = kinds_of(kinds)?,
                    None => {
                        return Err(format!(
                            "`values` has no `{part}`: it takes schema, string, schema|string, schema|infer, schema|json, schema|type(..), entities, entities in attrs, cdata"
                        ));
                    }
                },
            }
        }
        Ok(values)
    }
}

/// `id_form:` what an id has to look like for the dialect's models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdForm {
    /// A number that counts over the conversation, from 0.
    Count,
    /// So many letters and digits of ASCII.
    Letters(usize),
}

impl IdForm {
    /// The form that the setting says: `count` or `letters N`.
    pub(crate) fn parse(setting: &str) -> Option<IdForm> {
        match setting.split_once(' ') {
            None if setting == "count" => Some(IdForm::Count),
            Some(("letters", n)) => {
                let n = n.trim().parse().ok().filter(|n| (8..=64).contains(n));
                n.map(IdForm::Letters)
            }
            _ => None,
        }
    }

    /// Whether an id looks so.
    pub fn fits(self, id: &str) -> bool {
        match self {
            IdForm::Count => id.parse::<u64>().is_ok_and(|n| n.to_string() == id),
            IdForm::Letters(n) => {
                id.len() == n && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
            }
        }
    }

    /// The id of this form with the number `n`.
    pub fn id(self, n: u64) -> String {
        match self {
            IdForm::Count => n.to_string(),
            IdForm::Letters(length) => {
                let number = format!("{n:0>length$}");
                // What is longer keeps what tells it from those before it.
                let number = &number[number.len() - length..];
                match number.strip_prefix("0000") {
                    Some(rest) => format!("call{rest}"),
                    None => number.into(),
                }
            }
        }
    }
}

fn kinds_of(kinds: &str) -> Result<Typing, String> {
    let mut list = Vec::new();
    for pair in kinds.split(',') {
        match pair
            .split_once(':')
            .map(|(kind, means)| (kind.trim(), means.trim()))
        {
            Some((kind, "string")) => list.push((kind.to_string(), false)),
            Some((kind, "json")) => list.push((kind.to_string(), true)),
            _ => {
                return Err(format!(
                    "`type({kinds})`: each item is `VALUE: string` or `VALUE: json`"
                ));
            }
        }
    }
    Ok(Typing::Kind(list))
}

fn split_outside_parentheses(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    text.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
}
