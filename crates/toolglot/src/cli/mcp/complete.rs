//! Completions of a prompt's argument, or of a part of a resource's address.

use toolglot_mcp::message::{Fault, PARAMS};
use toolglot_value::{Map, Value, json};

use super::sources::Shelf;
use super::{prompts, sources};

/// The most values of an answer.
const MOST: usize = 100;

pub(super) fn complete(shelf: &Shelf<'_>, params: &Map<String, Value>) -> Result<Value, Fault> {
    let text = |of: &str, key: &str| params.get(of)?.get(key)?.as_str();
    let (argument, prefix) = (text("argument", "name"), text("argument", "value"));
    let (Some(argument), Some(prefix)) = (argument, prefix) else {
        return Err(Fault::new(PARAMS, "`argument` has a `name` and a `value`"));
    };
    let all: Vec<String> = match (text("ref", "type"), text("ref", "name"), text("ref", "uri")) {
        (Some("ref/prompt"), Some(prompts::NAME), _) if argument == prompts::DIALECT => {
            let dialects = toolglot_dialects::all();
            dialects
                .iter()
                .map(|dialect| dialect.name().to_owned())
                .collect()
        }
        (Some("ref/resource"), _, Some(sources::TEMPLATE))
            if argument == "id" && shelf.shows_sources =>
        {
            sources::ids(shelf)?
        }
        _ => {
            return Err(Fault::new(
                PARAMS,
                "there is nothing of that name to complete",
            ));
        }
    };
    let fits: Vec<&String> = all
        .iter()
        .filter(|value| value.starts_with(prefix))
        .collect();
    Ok(json!({"completion": {
        "values": &fits[..fits.len().min(MOST)],
        "total": fits.len(),
        "hasMore": fits.len() > MOST,
    }}))
}
