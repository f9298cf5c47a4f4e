//! The delimiters of a field: texts, or a pattern.

use toolglot_value::Value;

use super::pattern::{self, Part, Pattern, Unsupported};
use super::terms::{Side, literal, terms};

/// Most texts that one end of a field lists.
const TEXTS: usize = 256;

/// The delimiter at one end of a field.
pub(super) enum Delimiter {
    Texts(Vec<String>),
    Pattern(Pattern),
}

impl Delimiter {
    /// Reads one side of a field; `None` if it has no delimiter, or if the message's end is the delimiter.
    pub(super) fn read(spec: &Value, side: Side) -> Result<Option<Delimiter>, Unsupported> {
        let key = if side == Side::Open { "open" } else { "close" };
        let pattern_key = format!("{key}_pattern");
        let texts = match (&spec[key], &spec[&pattern_key]) {
            (Value::Null, Value::Null) => return Ok(None),
            (Value::Null, Value::String(pattern)) => {
                let mut all = pattern::read(pattern)
                    .map_err(|Unsupported(why)| Unsupported(format!("`{pattern_key}`: {why}")))?;
                // A single group of alternatives is the same as its alternatives.
                let group = match &all[..] {
                    [seq] => match &seq[..] {
                        [Part::Group(inside)] => Some(inside.clone()),
                        _ => None,
                    },
                    _ => None,
                };
                all = group.unwrap_or(all);
                if side == Side::Close {
                    // The message's end closes everything, and JSON ends before any lookahead.
                    let is_json = spec["content"] == "json";
                    all.retain(|seq| match &seq[..] {
                        [Part::End] => false,
                        [Part::Lookahead(_)] => !is_json,
                        _ => true,
                    });
                }
                return Ok((!all.is_empty()).then_some(Delimiter::Pattern(all)));
            }
            (Value::Null, _) => {
                return Err(Unsupported(format!("`{pattern_key}` is not a string")));
            }
            (Value::String(text), Value::Null) => vec![text.clone()],
            (Value::Array(all), Value::Null) => all
                .iter()
                .map(|one| one.as_str().map(str::to_owned))
                .collect::<Option<Vec<String>>>()
                .ok_or_else(|| {
                    Unsupported(format!("`{key}` holds a value that is not a string"))
                })?,
            (_, Value::Null) => return Err(Unsupported(format!("`{key}` is not a string"))),
            _ => {
                return Err(Unsupported(format!(
                    "both `{key}` and `{pattern_key}`: write one of them"
                )));
            }
        };
        if texts.is_empty() || texts.iter().any(String::is_empty) {
            return Err(Unsupported(format!("`{key}` is empty: leave it out")));
        }
        if texts.len() > TEXTS {
            return Err(Unsupported(format!(
                "`{key}` lists more than {TEXTS} texts"
            )));
        }
        Ok(Some(Delimiter::Texts(texts)))
    }

    /// The delimiter as a pattern.
    pub(super) fn pattern(&self) -> Pattern {
        match self {
            Delimiter::Pattern(pattern) => pattern.clone(),
            Delimiter::Texts(texts) => {
                let texts = texts.iter();
                texts
                    .map(|text| text.chars().map(Part::Text).collect())
                    .collect()
            }
        }
    }
}

/// One delimiter as terms. `word` gives the term for a named group.
pub(super) fn side(
    delimiter: Option<&Delimiter>,
    side: Side,
    word: &dyn Fn(&str) -> Option<&'static str>,
) -> Result<Option<String>, Unsupported> {
    let key = if side == Side::Open {
        "open_pattern"
    } else {
        "close_pattern"
    };
    let written = match delimiter {
        None => None,
        Some(Delimiter::Texts(texts)) => {
            let mut all: Vec<String> = Vec::new();
            for text in texts {
                let one = literal(text);
                if !all.contains(&one) {
                    all.push(one);
                }
            }
            Some(match &all[..] {
                [one] => one.clone(),
                all => format!("({})", all.join(" | ")),
            })
        }
        Some(Delimiter::Pattern(pattern)) => Some(
            terms(pattern, side, word)
                .map_err(|Unsupported(why)| Unsupported(format!("`{key}`: {why}")))?,
        ),
    };
    // Blanks before an opener belong to the text before it.
    let is_open = side == Side::Open;
    let written = written.map(|terms| match terms.strip_prefix("ws ") {
        Some(rest) if is_open => rest.to_owned(),
        _ => terms,
    });
    Ok(written.filter(|terms| !terms.is_empty()))
}

/// The names of a pattern's groups.
pub(super) fn named(pattern: &Pattern, names: &mut Vec<String>) {
    fn of(part: &Part, names: &mut Vec<String>) {
        match part {
            Part::Named(name, inside) => {
                names.push(name.clone());
                named(inside, names);
            }
            Part::Group(inside) | Part::Lookahead(inside) => named(inside, names),
            Part::Repeat(inner, ..) => of(inner, names),
            _ => {}
        }
    }
    pattern.iter().flatten().for_each(|part| of(part, names));
}
