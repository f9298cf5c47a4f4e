//! Schemas that are made of others: `allOf`, `anyOf` and `oneOf`, each merged with its sibling keywords.

use toolglot_value::{Map, Value};

use crate::error::GrammarError;
use crate::schema::{MAX_DEPTH, SchemaWriter, json_type};

pub(crate) const SEVERAL_FIT: &str = "a value that fits several of these is not excluded";

impl SchemaWriter<'_> {
    /// The alternatives of a schema, each with its JSON pointer and merged with the sibling keywords.
    pub(crate) fn alternatives(
        &mut self,
        schema: &Value,
        at: &str,
    ) -> Result<Vec<(Value, String)>, GrammarError> {
        let schema = self.resolved(schema, at)?.into_owned();
        let Value::Object(map) = &schema else {
            return Ok(vec![(schema, at.to_owned())]);
        };
        if map.contains_key("enum") || map.contains_key("const") {
            return Ok(vec![(schema, at.to_owned())]);
        }
        let mut siblings = map.clone();
        let (several, all_at);
        if let Some(Value::Array(all)) = map.get("allOf") {
            several = vec![Value::Object(self.merged(map, all, at)?)];
            siblings.clear();
            all_at = at.to_owned();
        } else if let Some((word, Value::Array(some))) = ["anyOf", "oneOf"]
            .into_iter()
            .find_map(|word| Some((word, map.get(word)?)))
        {
            if word == "oneOf" && some.len() > 1 {
                self.note(&format!("{at}/oneOf"), SEVERAL_FIT);
            }
            several = some.clone();
            siblings.shift_remove(word);
            all_at = format!("{at}/{word}");
        } else {
            return Ok(vec![(schema, at.to_owned())]);
        }
        self.depth += 1;
        let mut ways = Vec::new();
        let mut refused = None;
        for (n, one) in several.into_iter().enumerate() {
            if self.depth >= MAX_DEPTH {
                return Err(GrammarError::TooDeep {
                    tool: self.tool.to_owned(),
                    pointer: at.to_owned(),
                    limit: MAX_DEPTH,
                });
            }
            // An alternative that allows no value is left out.
            if one == Value::Bool(false) {
                refused = Some(self.nothing(&all_at, "it lists no schema"));
                continue;
            }
            let at = if siblings.is_empty() {
                at.to_owned()
            } else {
                format!("{all_at}/{n}")
            };
            let one = if is_only_about(&siblings) {
                Ok(one)
            } else {
                self.merged(&siblings, &[one], &at).map(Value::Object)
            };
            match one.and_then(|one| self.alternatives(&one, &at)) {
                Ok(some) => ways.extend(some),
                Err(error @ GrammarError::Nothing { .. }) => refused = Some(error),
                Err(error) => return Err(error),
            }
        }
        self.depth -= 1;
        if ways.is_empty() {
            let none = || self.nothing(&all_at, "it lists no schema");
            return Err(refused.unwrap_or_else(none));
        }
        Ok(ways)
    }

    /// The conjunction of a schema and several others.
    pub(crate) fn merged(
        &mut self,
        map: &Map<String, Value>,
        all: &[Value],
        at: &str,
    ) -> Result<Map<String, Value>, GrammarError> {
        let mut merged = map.clone();
        merged.shift_remove("allOf");
        for (n, one) in all.iter().enumerate() {
            let at = format!("{at}/allOf/{n}");
            let one = match self.resolved(one, &at)?.into_owned() {
                Value::Object(one) => one,
                Value::Bool(true) => continue,
                _ => return Err(self.nothing(&at, "no value fits `false`")),
            };
            let one = match one.get("allOf").and_then(Value::as_array) {
                Some(inner) if self.depth < MAX_DEPTH => {
                    self.depth += 1;
                    let inner = self.merged(&one, inner, &at);
                    self.depth -= 1;
                    inner?
                }
                _ => one,
            };
            for (word, value) in one {
                let Some(before) = merged.get_mut(&word) else {
                    merged.insert(word, value);
                    continue;
                };
                match (word.as_str(), before, value) {
                    ("properties", Value::Object(before), Value::Object(more)) => {
                        for (key, schema) in more {
                            let both = match before.get(&key) {
                                Some(first) if *first != schema => Value::from_iter([(
                                    "allOf",
                                    Value::from(vec![first.clone(), schema]),
                                )]),
                                _ => schema,
                            };
                            before.insert(key, both);
                        }
                    }
                    ("required", Value::Array(before), Value::Array(more)) => before.extend(more),
                    (_, before, value) if *before == value => {}
                    ("type", before, value) => {
                        *before = both_types(before, &value)
                            .ok_or_else(|| self.nothing(&at, "two types exclude each other"))?;
                    }
                    ("description" | "title" | "default" | "examples", ..) => {}
                    (word, ..) => {
                        self.note(
                            &at,
                            &format!("of two `{word}` only the first is in the grammar"),
                        );
                    }
                }
            }
        }
        Ok(merged)
    }
}

/// The types that are in both of two lists of types; `None` if the lists share no type.
fn both_types(first: &Value, second: &Value) -> Option<Value> {
    let words = |value: &Value| -> Vec<String> {
        let several = value
            .as_array()
            .map_or(std::slice::from_ref(value), Vec::as_slice);
        let words = several.iter().filter_map(Value::as_str);
        words.map(|word| json_type(word).to_owned()).collect()
    };
    let (first, second) = (words(first), words(second));
    let has = |words: &[String], word: &str| words.iter().any(|one| one == word);
    let is_in = |word: &String, other: &[String]| {
        has(other, word) || (word == "integer" && has(other, "number"))
    };
    let mut both: Vec<String> = first
        .iter()
        .filter(|word| is_in(word, &second))
        .cloned()
        .collect();
    both.extend(
        second
            .iter()
            .filter(|word| !has(&both, word) && is_in(word, &first))
            .cloned()
            .collect::<Vec<_>>(),
    );
    match both.as_slice() {
        [] => None,
        [one] => Some(Value::from(one.as_str())),
        several => Some(several.iter().map(String::as_str).collect()),
    }
}

/// Whether the schema has only descriptive keywords.
pub(crate) fn is_only_about(map: &Map<String, Value>) -> bool {
    map.keys().all(|word| {
        matches!(
            word.as_str(),
            "description"
                | "title"
                | "default"
                | "examples"
                | "$defs"
                | "definitions"
                | "$schema"
                | "$id"
                | "$comment"
                | "deprecated"
                | "readOnly"
                | "writeOnly"
        )
    })
}
