//! Calls that are a text, one JSON value and a text, for targets that have a schema and no grammar.

use toolglot_engine::form::{Capture, Condition, Envelope, EnvelopeMember, Form, Forms, Role};
use toolglot_value::{Map, Value, json};

use crate::ToolSchema;

/// A call of one tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    /// The text before the JSON.
    pub(crate) begin: String,
    pub(crate) body: Body,
    /// The text after it.
    pub(crate) end: String,
}

/// The JSON of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    /// The arguments.
    Arguments,
    /// An object with the name and the arguments.
    Envelope(Envelope),
}

/// The frame of a call in the best form of the dialect; `None` where a call has more than a text, JSON and a text.
pub(crate) fn frame(forms: &Forms, tool: &ToolSchema<'_>) -> Option<Frame> {
    let mut entries = forms.entries.iter();
    let entry = entries.find(|entry| entry.tool.as_deref().is_none_or(|only| only == tool.name))?;
    let mut walk = Walk {
        forms,
        name: tool.name,
        skip: String::new(),
        begin: String::new(),
        body: None,
        end: String::new(),
    };
    walk.form(&entry.form)?;
    Some(Frame {
        begin: walk.begin,
        body: walk.body?,
        end: walk.end,
    })
}

struct Walk<'a> {
    forms: &'a Forms,
    name: &'a str,
    skip: String,
    begin: String,
    body: Option<Body>,
    end: String,
}

impl Walk<'_> {
    fn text(&mut self, text: &str) {
        match self.body {
            None => self.begin.push_str(text),
            Some(_) => self.end.push_str(text),
        }
    }

    fn body(&mut self, body: Body) -> Option<()> {
        let is_first = self.body.is_none();
        self.body = Some(body);
        is_first.then_some(())
    }

    /// Adds a form to the frame; `None` if the form has any other part.
    fn form(&mut self, form: &Form) -> Option<()> {
        match form {
            Form::Literal(text) => self.text(text),
            Form::Skipped(text) => {
                self.skip.clone_from(text);
                self.text(text);
            }
            Form::LineStart => {}
            Form::Captured(Capture::Name) => self.text(self.name),
            Form::Captured(Capture::Any) => {
                let skip = self.skip.clone();
                self.text(&skip);
            }
            Form::Json(None) => self.body(Body::Arguments)?,
            Form::Object(envelope) => self.body(Body::Envelope(envelope.clone()))?,
            Form::Sequence(forms) => forms.iter().try_for_each(|form| self.form(form))?,
            // After the first call, the loop is for further calls.
            Form::EachCall(_) if self.body.is_some() => {}
            Form::EachCall(inner) => self.form(inner)?,
            Form::If(Condition::HasArguments, inner) if self.body.is_none() => self.form(inner)?,
            Form::If(..) => {}
            // The first rule is the form that models are taught; the others are only parsed.
            Form::Rule(name) => {
                let forms = self.forms;
                self.form(&forms.rules.get(name)?.first()?.form)?;
            }
            Form::Choice(alternatives) => self.form(&alternatives.first()?.form)?,
            _ => return None,
        }
        Some(())
    }
}

/// The schema of a tool's arguments, embedded at `place` in another schema; its references are rebased to `place`.
pub(crate) fn arguments(tool: &ToolSchema<'_>, place: &str) -> Value {
    let mut schema = tool.parameters.clone();
    if let Value::Object(map) = &mut schema {
        map.insert("type".to_owned(), Value::from("object"));
    }
    let mut todo = vec![&mut schema];
    while let Some(value) = todo.pop() {
        match value {
            Value::Object(map) => {
                for (key, value) in map.iter_mut() {
                    match value {
                        Value::String(text) if key == "$ref" && text.starts_with('#') => {
                            *value = Value::from(format!("{place}{}", &text[1..]));
                        }
                        value => todo.push(value),
                    }
                }
            }
            Value::Array(items) => todo.extend(items.iter_mut()),
            _ => {}
        }
    }
    schema
}

/// The schema of a call in such an envelope, which is at `place`.
pub(crate) fn envelope_schema(envelope: &Envelope, tool: &ToolSchema<'_>, place: &str) -> Value {
    if envelope.name_is_key {
        let all = arguments(tool, &property(place, tool.name));
        return object_schema([(tool.name.to_owned(), all)]);
    }
    members_schema(envelope, &envelope.written(), tool, place)
}

fn members_schema(
    envelope: &Envelope,
    members: &[EnvelopeMember],
    tool: &ToolSchema<'_>,
    place: &str,
) -> Value {
    object_schema(members.iter().filter_map(|member| match member {
        EnvelopeMember::Object(key, inside) => {
            let schema = members_schema(envelope, inside, tool, &property(place, key));
            Some((key.clone(), schema))
        }
        EnvelopeMember::Role(key, role) => {
            let schema = match role {
                Role::Name => json!({"const": tool.name}),
                Role::Args => arguments(tool, &property(place, key)),
                Role::Fixed(n) => {
                    let value = envelope.fixed[*n][0].parse::<Value>().unwrap_or_default();
                    json!({"const": value})
                }
                Role::Id | Role::Server => return None,
            };
            Some((key.clone(), schema))
        }
    }))
}

/// The place of a member's schema in an object schema at `place`.
fn property(place: &str, key: &str) -> String {
    let key = key.replace('~', "~0").replace('/', "~1");
    format!("{place}/properties/{key}")
}

/// An object of exactly these members.
fn object_schema(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    let properties: Map = members.into_iter().collect();
    let required: Value = properties
        .keys()
        .map(|key| Value::from(key.as_str()))
        .collect();
    json!({
        "type": "object",
        "properties": Value::Object(properties),
        "required": required,
        "additionalProperties": false,
    })
}
