//! Parses `transform`: the places of a call's name, arguments and id.

use toolglot_value::Value;

use super::pattern::Unsupported;

/// The place of a call's name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// In a named group of a delimiter.
    Group(String),
    /// Under a key of the parsed content.
    Key(String),
    /// In the template itself.
    Fixed(String),
}

/// The shape of a call, as `transform` builds it.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) name: Name,
    /// The key of the arguments; `None` means the whole content.
    pub(super) arguments: Option<String>,
    pub(super) id: Option<Name>,
    /// Whether the content is a list of calls.
    pub(super) is_list: bool,
}

impl Shape {
    /// Reads `transform`; `groups` are the named groups of the delimiters.
    pub(super) fn read(spec: &Value, groups: &[String]) -> Result<Shape, Unsupported> {
        let is_list = spec["transform_each"].as_bool().unwrap_or(false);
        let transform = match &spec["transform"] {
            // A field with one call becomes a list of that call.
            Value::Array(all) if all.len() == 1 => &all[0],
            other => other,
        };
        if transform.is_null() {
            return Ok(Shape::whole(is_list));
        }
        only(transform, "transform", &["type", "function", "id"])?;
        if !matches!(transform["type"].as_str(), None | Some("function")) {
            return Err(Unsupported(
                "`transform.type`: a call is a `function`".to_owned(),
            ));
        }
        let function = &transform["function"];
        if placeholder(function) == Some("content") {
            return Ok(Shape::whole(is_list));
        }
        only(function, "transform.function", &["name", "arguments", "id"])?;
        let from = |value: &Value, what: &str| -> Result<Name, Unsupported> {
            match placeholder(value) {
                Some(hole) if groups.iter().any(|group| group == hole) => {
                    Ok(Name::Group(hole.to_owned()))
                }
                Some("content") => Ok(Name::Key(String::new())),
                Some(hole) => match hole.strip_prefix("content.") {
                    Some(key) => Ok(Name::Key(key.to_owned())),
                    None if is_list => Ok(Name::Key(hole.to_owned())),
                    None => Err(Unsupported(format!(
                        "`{what}`: `{{{hole}}}` is not a group of a delimiter: write `{{content.{hole}}}` for a key"
                    ))),
                },
                None => match value.as_str() {
                    Some(fixed) => Ok(Name::Fixed(fixed.to_owned())),
                    None => Err(Unsupported(format!(
                        "`{what}` is missing: name a key of the content or a group of a delimiter, `{{content.name}}`"
                    ))),
                },
            }
        };
        let name = from(&function["name"], "transform.function.name")?;
        if name == Name::Key(String::new()) {
            return Err(Unsupported("`transform.function.name`: the name is all of the content: capture it in `open_pattern`".to_owned()));
        }
        let arguments = match from(&function["arguments"], "transform.function.arguments")? {
            Name::Key(key) if key.is_empty() => None,
            Name::Key(key) => Some(key),
            Name::Group(_) | Name::Fixed(_) => {
                return Err(Unsupported(
                    "`transform.function.arguments` are outside of the content: write `{content}`"
                        .to_owned(),
                ));
            }
        };
        let ids = [&transform["id"], &function["id"]];
        let id = match ids.into_iter().find(|id| !id.is_null()) {
            None => None,
            Some(id) => match from(id, "transform.id")? {
                id @ (Name::Group(_) | Name::Key(_)) => Some(id),
                Name::Fixed(_) => {
                    return Err(Unsupported(
                        "`transform.id` is the same for each call: leave it out".to_owned(),
                    ));
                }
            },
        };
        Ok(Shape {
            name,
            arguments,
            id,
            is_list,
        })
    }

    /// The shape of content that is the call itself.
    fn whole(is_list: bool) -> Shape {
        Shape {
            name: Name::Key("name".to_owned()),
            arguments: Some("arguments".to_owned()),
            id: None,
            is_list,
        }
    }

    /// The term for a named group of the delimiters.
    pub(super) fn word_of(&self, group: &str) -> Option<&'static str> {
        if self.name == Name::Group(group.to_owned()) {
            Some("name")
        } else if self.id == Some(Name::Group(group.to_owned())) {
            Some("id")
        } else {
            None
        }
    }
}

/// The path of a placeholder, `{content.name}`, that is the whole string.
fn placeholder(value: &Value) -> Option<&str> {
    let path = value.as_str()?.strip_prefix('{')?.strip_suffix('}')?;
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    path.split('.').all(is_word).then_some(path)
}

/// Checks that the object has no other keys.
fn only(object: &Value, what: &str, known: &[&str]) -> Result<(), Unsupported> {
    let Some(object) = object.as_object() else {
        return Err(Unsupported(format!(
            "`{what}` is not an object: write `{{\"name\": .., \"arguments\": ..}}`"
        )));
    };
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(Unsupported(format!(
            "`{what}.{}` has no word: leave it out",
            key.escape_debug()
        ))),
        None => Ok(()),
    }
}
