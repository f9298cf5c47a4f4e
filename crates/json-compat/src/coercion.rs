//! Values coerced to a schema at any price short of invention: the rules of `json_repair` (0.64), for its preset.
//!
//! The engine never does this to a call: there a value is coerced to its type or stays, and a validator reports the
//! mismatch.

use toolglot_value::{Map, Value};

use toolglot_schema::Validator;
use toolglot_schema::internal::Document;

/// How far coercion goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoercionRules {
    /// Values are coerced to their types, defaults are filled in, and forbidden undeclared properties are left out.
    Types,
    /// In addition, items that do not fit are left out, and lists become objects by position. Required values are
    /// supplied where the schema gives them.
    Salvage,
}

/// Why a value cannot be coerced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at `{path}`")]
#[non_exhaustive]
pub struct CoercionError {
    /// A JSON pointer into the value; empty for the whole.
    pub path: String,
    /// The expected type or value.
    pub message: String,
    /// The schema is at fault, not the value.
    pub is_schema: bool,
}

/// Coerces `value` to `schema`, which a [`Validator`] has accepted. The result is not validated yet.
///
/// # Errors
/// [`CoercionError`] if no rule leads to a value of the schema.
pub fn fit(schema: &Value, value: Value, how: CoercionRules) -> Result<Value, CoercionError> {
    Fitter {
        root: schema,
        document: Document::new(schema),
        how,
    }
    .value(value, schema, "")
}

struct Fitter<'a> {
    root: &'a Value,
    document: Document<'a>,
    how: CoercionRules,
}

type Fitted = Result<Value, CoercionError>;

impl<'a> Fitter<'a> {
    fn misfit<T>(path: &str, message: impl Into<String>) -> Result<T, CoercionError> {
        Err(CoercionError {
            path: path.to_owned(),
            message: message.into(),
            is_schema: false,
        })
    }

    fn fault<T>(path: &str, message: impl Into<String>) -> Result<T, CoercionError> {
        Err(CoercionError {
            path: path.to_owned(),
            message: message.into(),
            is_schema: true,
        })
    }

    /// The schema with its references resolved.
    fn resolve(&mut self, mut schema: &'a Value, path: &str) -> Result<&'a Value, CoercionError> {
        let mut n_followed = 0;
        while let Some(reference) = schema.get("$ref") {
            let target = reference
                .as_str()
                .and_then(|reference| self.document.resolve(reference));
            n_followed += 1;
            match target {
                Some(target) if n_followed <= 64 => schema = target,
                _ => return Self::fault(path, "the schema refers to nothing"),
            }
        }
        Ok(schema)
    }

    fn value(&mut self, value: Value, schema: &'a Value, path: &str) -> Fitted {
        if !self.document.visit() {
            return Self::fault(path, "the schema unfolds too far");
        }
        let keywords = match self.resolve(schema, path)? {
            Value::Bool(true) => return Ok(value),
            Value::Bool(false) => return Self::misfit(path, "the schema allows no value"),
            Value::Object(keywords) => keywords,
            _ => return Self::fault(path, "a schema must be an object"),
        };
        if let Some(Value::Array(parts)) = keywords.get("allOf") {
            return parts
                .iter()
                .try_fold(value, |value, part| self.value(value, part, path));
        }
        for union in ["oneOf", "anyOf"] {
            if let Some(Value::Array(parts)) = keywords.get(union) {
                return self.union(&value, parts, path);
            }
        }
        match keywords.get("type") {
            Some(Value::String(word)) => {
                let fitted = self.typed(value, word, keywords, path)?;
                Self::listed(fitted, keywords, path)
            }
            Some(Value::Array(words)) => {
                let mut last = None;
                for word in words.iter().filter_map(Value::as_str) {
                    let tried = self
                        .typed(value.clone(), word, keywords, path)
                        .and_then(|fitted| Self::listed(fitted, keywords, path));
                    match tried {
                        Ok(fitted) if self.is_valid(&fitted, keywords, Some(word)) => {
                            return Ok(fitted);
                        }
                        Ok(_) => {}
                        Err(misfit) => last = Some(misfit),
                    }
                }
                last.map_or_else(|| Self::misfit(path, "no type of the schema fits"), Err)
            }
            _ => {
                let fitted = if is_object_schema(keywords) {
                    self.object(value, keywords, path)?
                } else if is_array_schema(keywords) {
                    self.array(value, keywords, path)?
                } else {
                    value
                };
                Self::listed(fitted, keywords, path)
            }
        }
    }

    fn union(&mut self, value: &Value, parts: &'a [Value], path: &str) -> Fitted {
        let mut last = None;
        for part in parts {
            match self.value(value.clone(), part, path) {
                Ok(fitted) => {
                    let fits = match self.resolve(part, path)? {
                        Value::Object(keywords) => self.is_valid(&fitted, keywords, None),
                        schema => schema != &Value::Bool(false),
                    };
                    if fits {
                        return Ok(fitted);
                    }
                }
                Err(misfit) => last = Some(misfit),
            }
        }
        last.map_or_else(|| Self::misfit(path, "no part of the union fits"), Err)
    }

    /// Whether `value` is valid for a part of the schema, narrowed to one type.
    fn is_valid(&self, value: &Value, keywords: &Map<String, Value>, word: Option<&str>) -> bool {
        let mut schema = keywords.clone();
        if let Some(word) = word {
            schema.insert("type".into(), Value::from(word));
        }
        for shared in ["$defs", "definitions"] {
            if let Some(shared_schemas) = self.root.get(shared) {
                schema
                    .entry(shared)
                    .or_insert_with(|| shared_schemas.clone());
            }
        }
        Validator::new(&Value::Object(schema))
            .is_ok_and(|validator| validator.validate(value).is_empty())
    }

    fn typed(
        &mut self,
        value: Value,
        word: &str,
        keywords: &'a Map<String, Value>,
        path: &str,
    ) -> Fitted {
        match word {
            "object" => self.object(value, keywords, path),
            "array" => self.array(value, keywords, path),
            _ => scalar(&value, word, path),
        }
    }

    /// Applies `const` and `enum`.
    fn listed(value: Value, keywords: &Map<String, Value>, path: &str) -> Fitted {
        if keywords.get("const").is_some_and(|only| *only != value) {
            return Self::misfit(path, "expected the constant of the schema");
        }
        if let Some(Value::Array(options)) = keywords.get("enum")
            && !options.contains(&value)
        {
            return Self::misfit(path, "expected one of the schema's values");
        }
        Ok(value)
    }

    /// The container inside a string, if the schema requires a container.
    fn unpacked(&self, value: Value, is_object: bool) -> Value {
        let Value::String(text) = &value else {
            return value;
        };
        let is_kind = |inner: &Value| {
            if is_object {
                inner.is_object()
            } else {
                inner.is_array()
            }
        };
        let parsed = toolglot_value::from_str(text).ok().or_else(|| {
            let repaired = (self.how == CoercionRules::Salvage)
                .then(|| crate::json_repair(text, &toolglot_json::Shape::Any))?
                .ok()?;
            toolglot_value::from_str(&repaired.text).ok()
        });
        parsed.filter(is_kind).unwrap_or(value)
    }

    fn array(&mut self, value: Value, keywords: &'a Map<String, Value>, path: &str) -> Fitted {
        let items = match self.unpacked(value, false) {
            Value::Array(items) => items,
            lone => vec![lone],
        };
        let prefix = match (keywords.get("prefixItems"), keywords.get("items")) {
            (Some(Value::Array(prefix)), _) | (_, Some(Value::Array(prefix))) => prefix.as_slice(),
            _ => &[],
        };
        let rest = match (keywords.get("items"), keywords.get("additionalItems")) {
            (Some(Value::Array(_)), additional) => additional,
            (items, _) => items,
        };
        let mut fitted = Vec::with_capacity(items.len());
        for (n, item) in items.into_iter().enumerate() {
            let place = format!("{path}/{n}");
            let schema = match prefix.get(n).or(rest) {
                None => {
                    fitted.push(item);
                    continue;
                }
                Some(Value::Bool(false)) => continue,
                Some(schema) => schema,
            };
            match self.value(item, schema, &place) {
                Ok(item) => fitted.push(item),
                Err(misfit) if self.how == CoercionRules::Types || misfit.is_schema => {
                    return Err(misfit);
                }
                Err(_) => {}
            }
        }
        let least = keywords.get("minItems").and_then(Value::as_u64);
        if least.is_some_and(|least| (fitted.len() as u64) < least) {
            return Self::misfit(path, "expected more items");
        }
        Ok(Value::Array(fitted))
    }

    fn object(&mut self, value: Value, keywords: &'a Map<String, Value>, path: &str) -> Fitted {
        let value = match value {
            Value::Array(items)
                if self.how == CoercionRules::Salvage
                    && allows(keywords, "object")
                    && !allows(keywords, "array") =>
            {
                self.by_position(items, keywords, path)?
            }
            value => value,
        };
        let Value::Object(mut members) = self.unpacked(value, true) else {
            return Self::misfit(path, "expected an object");
        };
        let none = Map::new();
        let properties = match keywords.get("properties") {
            Some(Value::Object(properties)) => properties,
            _ => &none,
        };
        let required: Vec<&str> = match keywords.get("required") {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if self.how == CoercionRules::Salvage {
            for name in &required {
                if !members.contains_key(name)
                    && let Some(schema) = keywords.get("properties").and_then(|p| p.get(*name))
                    && let Some(value) = self.supplied(schema, path)?
                {
                    members.insert((*name).to_owned(), value);
                }
            }
        }
        if let Some(name) = required.iter().find(|name| !members.contains_key(name)) {
            return Self::misfit(path, format!("expected the required `{name}`"));
        }
        let mut fitted = Map::new();
        let declared = match keywords.get("properties") {
            Some(Value::Object(declared)) => Some(declared),
            _ => None,
        };
        for (name, schema) in declared.into_iter().flatten() {
            let place = pointer(path, name);
            if let Some(value) = members.shift_remove(name) {
                fitted.insert(name.clone(), self.value(value, schema, &place)?);
            } else if let Some(default) = schema.get("default")
                && !required.contains(&name.as_str())
            {
                fitted.insert(name.clone(), default.clone());
            }
        }
        let patterns = match keywords.get("patternProperties") {
            Some(Value::Object(patterns)) => Some(patterns),
            _ => None,
        };
        for (name, value) in members {
            debug_assert!(!properties.contains_key(&name), "declared ones were taken");
            let place = pointer(path, &name);
            let mut matching = Vec::new();
            for (pattern, schema) in patterns.into_iter().flatten() {
                if matches_pattern(pattern, &name) {
                    matching.push(schema);
                }
            }
            if !matching.is_empty() {
                let value = matching
                    .into_iter()
                    .try_fold(value, |value, schema| self.value(value, schema, &place))?;
                fitted.insert(name, value);
                continue;
            }
            match keywords.get("additionalProperties") {
                Some(Value::Bool(false)) => {}
                Some(schema @ Value::Object(_)) => {
                    let value = self.value(value, schema, &place)?;
                    fitted.insert(name, value);
                }
                _ => {
                    fitted.insert(name, value);
                }
            }
        }
        let least = keywords.get("minProperties").and_then(Value::as_u64);
        if least.is_some_and(|least| (fitted.len() as u64) < least) {
            return Self::misfit(path, "expected more properties");
        }
        Ok(Value::Object(fitted))
    }

    /// A list where the schema requires an object: its items are the properties in order, or the keys of a set, or the
    /// object itself.
    fn by_position(
        &mut self,
        mut items: Vec<Value>,
        keywords: &'a Map<String, Value>,
        path: &str,
    ) -> Fitted {
        if let Some(Value::Object(properties)) = keywords.get("properties")
            && !properties.is_empty()
            && properties.len() == items.len()
        {
            let mut mapped = Map::new();
            for ((name, schema), item) in properties.iter().zip(&items) {
                match self.value(item.clone(), schema, &pointer(path, name)) {
                    Ok(value) => {
                        mapped.insert(name.clone(), value);
                    }
                    Err(misfit) if misfit.is_schema => return Err(misfit),
                    Err(_) => break,
                }
            }
            if mapped.len() == items.len() {
                return Ok(Value::Object(mapped));
            }
        }
        if path.is_empty() && items.len() == 1 && items[0].is_object() {
            return Ok(items.remove(0));
        }
        if path.is_empty()
            && !items.is_empty()
            && items
                .iter()
                .all(|item| item.as_str().is_some_and(|s| !s.is_empty()))
        {
            let keys = items.into_iter().filter_map(|item| match item {
                Value::String(key) => Some((key, Value::Null)),
                _ => None,
            });
            return Ok(Value::Object(keys.collect()));
        }
        Ok(Value::Array(items))
    }

    /// The value that the schema gives for a required property, if it gives one.
    fn supplied(&mut self, schema: &'a Value, path: &str) -> Result<Option<Value>, CoercionError> {
        let Value::Object(keywords) = self.resolve(schema, path)? else {
            return Ok(None);
        };
        for word in ["default", "const"] {
            if let Some(value) = keywords.get(word) {
                return Ok(Some(value.clone()));
            }
        }
        if let Some(first) = keywords.get("enum").and_then(|options| options.get(0)) {
            return Ok(Some(first.clone()));
        }
        let is_none = |word| keywords.get(word).and_then(Value::as_u64).unwrap_or(0) == 0;
        let word = match keywords.get("type") {
            Some(word) => word.as_str().unwrap_or_default(),
            None if is_array_schema(keywords) => "array",
            None if is_object_schema(keywords) => "object",
            None => "",
        };
        Ok(match word {
            "array" if is_none("minItems") => Some(Value::Array(Vec::new())),
            "object" if is_none("minProperties") => Some(Value::Object(Map::new())),
            _ => None,
        })
    }
}

fn scalar(value: &Value, word: &str, path: &str) -> Fitted {
    let number = |text: &str| -> Option<Value> {
        let text = text.trim();
        toolglot_json::internal::is_number(text)
            .then(|| toolglot_value::from_str(text).ok())
            .flatten()
    };
    let is_whole = |value: &Value| {
        let text = value.to_string();
        text.parse::<f64>().is_ok_and(|float| float.fract() == 0.0)
    };
    let fitted = match (word, value) {
        ("string", Value::String(_))
        | ("number", Value::Number(_))
        | ("boolean", Value::Bool(_))
        | ("null", Value::Null) => Some(value.clone()),
        ("string", Value::Number(number)) => Some(Value::from(number.to_string())),
        ("integer", Value::Number(_)) if is_whole(value) => whole(value),
        ("integer", Value::String(text)) => number(text).filter(is_whole).and_then(|v| whole(&v)),
        ("number", Value::String(text)) => number(text),
        ("boolean", Value::String(text)) => match text.to_lowercase().as_str() {
            "true" | "yes" | "y" | "on" | "1" => Some(Value::Bool(true)),
            "false" | "no" | "n" | "off" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        ("boolean", Value::Number(number)) => match number.as_f64() {
            Some(1.0) => Some(Value::Bool(true)),
            Some(0.0) => Some(Value::Bool(false)),
            _ => None,
        },
        ("string" | "number" | "integer" | "boolean" | "null", _) => None,
        _ => return Fitter::fault(path, format!("no type is called `{word}`")),
    };
    fitted.map_or_else(|| Fitter::misfit(path, format!("expected {word}")), Ok)
}

/// A number with a zero fraction, written as an integer.
fn whole(value: &Value) -> Option<Value> {
    let text = value.to_string();
    if !text.contains(['.', 'e', 'E']) {
        return Some(value.clone());
    }
    let digits = match text.split_once('.') {
        Some((digits, fraction)) if !fraction.contains(['e', 'E']) => digits.to_owned(),
        _ => format!("{:.0}", text.parse::<f64>().ok()?),
    };
    toolglot_value::from_str(&digits).ok()
}

fn is_object_schema(keywords: &Map<String, Value>) -> bool {
    [
        "properties",
        "patternProperties",
        "additionalProperties",
        "required",
    ]
    .iter()
    .any(|word| keywords.contains_key(word))
}

fn is_array_schema(keywords: &Map<String, Value>) -> bool {
    keywords.contains_key("items") || keywords.contains_key("prefixItems")
}

/// Whether a schema allows a kind of container, by its type or its keywords.
fn allows(keywords: &Map<String, Value>, kind: &str) -> bool {
    match keywords.get("type") {
        Some(Value::String(word)) => word == kind,
        Some(Value::Array(words)) => words.iter().any(|word| word == kind),
        _ if kind == "object" => is_object_schema(keywords),
        _ => is_array_schema(keywords),
    }
}

fn pointer(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Whether a property's name matches a pattern; a validator decides.
fn matches_pattern(pattern: &str, name: &str) -> bool {
    let schema = toolglot_value::json!({ "pattern": pattern });
    Validator::new(&schema).is_ok_and(|validator| validator.validate(&Value::from(name)).is_empty())
}
