//! One call of a tool as a node: a walk over the form in which a dialect writes it.

use toolglot_engine::form::{
    Alternative, Attribute, Capture, Condition, Envelope, EnvelopeMember, Form, Forms, ItemsForm,
    LastBreak, PythonQuote, Role, Typing,
};
use toolglot_engine::{Dialect, IdForm};
use toolglot_value::{Map, Value};

use crate::ToolSchema;
use crate::around::{Around, closers, texts};
use crate::error::GrammarError;
use crate::grammar::{CharClass, Node, RawText};
use crate::members::Member;
use crate::schema::{SchemaWriter, kinds};
use crate::text::{Closers, Notation};
use crate::value_types::{colon, constant};
use crate::values::{ElementLayout, Kind};

/// Why a form was rejected.
pub(crate) enum Unfit {
    /// The form cannot write such a call; another may.
    Form(String),
    /// No grammar exists at all.
    Grammar(GrammarError),
}

impl From<GrammarError> for Unfit {
    fn from(error: GrammarError) -> Unfit {
        Unfit::Grammar(error)
    }
}

/// A node, or why the form was rejected.
pub(crate) type Walked = Result<Node, Unfit>;

/// The state of a call that is being written.
#[derive(Clone)]
struct CallState<'t> {
    name: &'t str,
    schema: &'t Value,
    members: Vec<Member>,
    /// The members that were written.
    is_written: Vec<bool>,
    /// The member whose key was written last, or comes next.
    key: Option<usize>,
    /// Whether the key was written and its value was not.
    is_open: bool,
    /// Whether the next loop over arguments needs at least one.
    needs_one: bool,
    skip: Option<String>,
}

/// The context of the walk over one call.
pub(crate) struct Walk<'a> {
    pub(crate) dialect: &'a Dialect,
    pub(crate) forms: &'a Forms,
}

impl Walk<'_> {
    /// A call of `tool` in this form.
    pub(crate) fn call(
        &self,
        form: &Form,
        tool: &ToolSchema<'_>,
        writer: &mut SchemaWriter<'_>,
        around: &Around,
    ) -> Walked {
        let mut ways = Vec::new();
        for (schema, _) in writer.alternatives(tool.parameters, "")? {
            ways.push(self.call_of(form, tool, &schema, writer, around)?);
        }
        if writer.input.take().is_some() {
            writer.note(
                "",
                "the input's grammar is not in the grammar, as its text is not raw",
            );
        }
        Ok(Node::choice(ways))
    }

    /// A call whose arguments have this schema, which has no alternatives.
    fn call_of(
        &self,
        form: &Form,
        tool: &ToolSchema<'_>,
        schema: &Value,
        writer: &mut SchemaWriter<'_>,
        around: &Around,
    ) -> Walked {
        let nothing = Map::new();
        let map = schema.as_object().unwrap_or(&nothing);
        let members = writer.declared(map, "")?;
        let mut state = CallState {
            name: tool.name,
            schema,
            is_written: vec![false; members.len()],
            members,
            key: None,
            is_open: false,
            needs_one: false,
            skip: None,
        };
        let node = self.form(form, &mut state, writer, around)?;
        match state
            .members
            .iter()
            .zip(&state.is_written)
            .find(|(member, is)| member.is_required && !**is)
        {
            None => Ok(node),
            Some((member, _)) => Err(Unfit::Form(format!(
                "it has no place for `{}`",
                member.name
            ))),
        }
    }

    fn form(
        &self,
        form: &Form,
        state: &mut CallState<'_>,
        writer: &mut SchemaWriter<'_>,
        around: &Around,
    ) -> Walked {
        Ok(match form {
            Form::Literal(text) => Node::literal(text.as_str()),
            Form::LineStart => Node::empty(),
            Form::Skipped(text) => {
                state.skip = Some(text.clone());
                Node::literal(text.as_str())
            }
            Form::NextKey => {
                let Some(key) = state.key else {
                    return Err(Unfit::Form("a key is outside the parameters".to_owned()));
                };
                state.is_open = true;
                Node::literal(state.members[key].name.as_str())
            }
            Form::False if state.may_be_flag(false) => {
                state.write(None)?;
                Node::empty()
            }
            Form::False => {
                return Err(Unfit::Form(
                    "the rule is for a flag that is `false`".to_owned(),
                ));
            }
            Form::Captured(Capture::Id) => self.id(),
            Form::Captured(Capture::Length) | Form::Bytes(_) => {
                return Err(Unfit::Form(
                    "it has the number of bytes of a value, which no grammar counts".to_owned(),
                ));
            }
            Form::Captured(capture) => {
                match state.text(*capture).or_else(|| self.kind(state, *capture)) {
                    Some(text) => Node::literal(text),
                    None => {
                        return Err(Unfit::Form(
                            format!("nobody knows what its `{capture:?}` is").to_lowercase(),
                        ));
                    }
                }
            }
            Form::Value(argument, last) => {
                let at = state.write(argument.as_deref())?;
                let member = &state.members[at];
                may_end(member, *last)?;
                let value = writer.raw(&member.schema, &member.pointer, &closers(around))?;
                let value = self.or_words(member, value);
                // Outside the loop over arguments a blank value counts as absent.
                if argument.is_some() && state.key.is_none() {
                    filled(value)
                } else {
                    value
                }
            }
            Form::Short(argument, one_of) if !one_of.is_empty() => {
                let at = state.write(Some(argument))?;
                let texts = one_of.iter();
                let texts: Vec<&String> = texts
                    .filter(|text| self.is_allowed(&state.members[at], text))
                    .collect();
                if texts.is_empty() {
                    let why = format!("no text of `any({argument}, ..)` fits the schema");
                    return Err(Unfit::Form(why));
                }
                Node::choice(texts.into_iter().map(Node::literal))
            }
            Form::Short(argument, _) => {
                let at = state.write(Some(argument))?;
                let member = &state.members[at];
                let firsts = around.after.iter().filter_map(|text| text.chars().next());
                let stops = firsts.chain(['\n', '\r', '<']).map(String::from);
                let value =
                    writer.raw(&member.schema, &member.pointer, &Closers(stops.collect()))?;
                filled(self.or_words(member, value))
            }
            Form::Line(argument) => {
                let at = state.write(argument.as_deref())?;
                let member = &state.members[at];
                self.or_words(
                    member,
                    writer.raw(&member.schema, &member.pointer, &line_ends())?,
                )
            }
            Form::Lines(argument, prefix, last) => {
                let at = state.write(argument.as_deref())?;
                let member = &state.members[at];
                may_end(member, *last)?;
                let line = line_ends();
                let first = writer.raw(&member.schema, &member.pointer, &line)?;
                let first = self.or_words(member, first);
                let is_blank = prefix.trim().is_empty();
                let prefix = Node::literal(prefix.as_str());
                if !is_any_text(&member.schema) {
                    return Ok(Node::sequence([prefix, first]));
                }
                let any = Node::Class(CharClass::except(&['\n', '\r'])).repeat(0, None);
                // Leading blanks of the first line would count as the indentation of all.
                let blanks: &[char] = if is_blank { &[' ', '\t'] } else { &[] };
                let solid = CharClass::except(&[&['\n', '\r'], blanks].concat());
                let more = [Node::literal("\n"), prefix.clone(), any.clone()];
                let more = Node::sequence(more).repeat(0, None);
                let text = Node::sequence([Node::Class(solid), any, more]);
                Node::sequence([prefix, text.optional()])
            }
            Form::JsonValue(argument, quote) => {
                let at = state.write(argument.as_deref())?;
                let member = &state.members[at];
                let value = match quote {
                    Some(quote) => writer.quoted(&member.schema, &member.pointer, quote)?,
                    None => writer.value(&member.schema, &member.pointer, &Notation::Json)?,
                };
                self.or_words(member, value)
            }
            Form::Json(quotes) => {
                let notation = match quotes {
                    Some(token) => Notation::Tokens(token.clone()),
                    None => Notation::Json,
                };
                state.is_written.fill(true);
                arguments(state, writer, &notation)?
            }
            Form::Object(envelope) => {
                state.is_written.fill(true);
                self.envelope(envelope, state, writer)?
            }
            Form::Elements(prefix) => {
                let layout = ElementLayout {
                    values: self.dialect.values(),
                    prefix,
                };
                state.is_written.fill(true);
                let members = writer.siblings(&state.members, "", layout)?;
                let line = if prefix.is_empty() { "\n" } else { "" };
                Node::sequence([Node::literal(line), members])
            }
            Form::Python(quote) => {
                state.is_written.fill(true);
                let strings = Notation::Python(match quote {
                    PythonQuote::Single => '\'',
                    PythonQuote::Double => '"',
                });
                python(state, writer, &strings)?
            }
            Form::Attributes(attributes) => self.attributes(attributes, state, writer)?,
            Form::Sequence(forms) => {
                let mut nodes = Vec::new();
                let mut before = String::new();
                for (n, form) in forms.iter().enumerate() {
                    let mut inner = around.clone();
                    inner.before.clone_from(&before);
                    inner
                        .after
                        .splice(0..0, texts(&forms[n + 1..], |capture| state.text(capture)));
                    nodes.push(self.form(form, state, writer, &inner)?);
                    match form {
                        Form::Literal(text) => before.push_str(text),
                        Form::Captured(capture) => {
                            before.push_str(&state.text(*capture).unwrap_or_default());
                        }
                        Form::NextKey => {
                            before.push_str(&state.text(Capture::Key).unwrap_or_default());
                        }
                        Form::Attributes(_) => {}
                        _ => before.clear(),
                    }
                }
                Node::sequence(nodes)
            }
            Form::Items(items) => self.items(items, state, writer, around)?,
            Form::Choice(alternatives) => {
                let next = state.key.map(|key| state.members[key].name.clone());
                let value = state.key.filter(|_| state.is_open);
                let is_list = value.is_some_and(|key| is_array(&state.members[key].schema));
                let of_key = state.key.map(|key| &state.members[key].schema);
                let is_scalar = of_key.is_some_and(is_scalar);
                let is_object = of_key.is_some_and(|schema| takes_only(schema, &["object"]));
                let mut order: Vec<&Alternative> = alternatives.iter().collect();
                let has_false = alternatives.iter().any(|one| one.form.writes_false());
                order.sort_by_key(|one| {
                    let is_for_next = one.arguments.iter().any(|name| Some(name) == next.as_ref());
                    let is_flag = state.is_open
                        && [true, false].map(|is| state.may_be_flag(is)) != [false; 2];
                    (
                        value.is_some()
                            && one.has_list != is_list
                            && (is_list || is_scalar || !one.is_quoted),
                        is_scalar && one.is_quoted || is_object && one.hides_objects,
                        !is_for_next,
                        !one.arguments.is_empty(),
                        is_flag && one.has_value == has_false,
                    )
                });
                self.first(order.iter().map(|one| &one.form), state, writer, around)?
            }
            Form::Rule(name) => {
                let rules = self.forms.rules.get(name).map_or(&[][..], Vec::as_slice);
                self.first(rules.iter().map(|rule| &rule.form), state, writer, around)?
            }
            Form::If(condition, inner) => match condition {
                Condition::HasArguments if state.members.is_empty() => {
                    state.note_others(writer);
                    Node::empty()
                }
                // A key without a value is `true`.
                Condition::HasArguments if state.is_open => {
                    let may_be_flag = state.may_be_flag(true);
                    let node = self.form(inner, state, writer, around)?;
                    state.is_open = false;
                    if may_be_flag { node.optional() } else { node }
                }
                Condition::HasArguments => {
                    let needs = state.members.iter().zip(&state.is_written);
                    let is_needed = needs
                        .into_iter()
                        .any(|(member, is)| member.is_required && !is);
                    state.needs_one = true;
                    let node = self.form(inner, state, writer, around)?;
                    state.needs_one = false;
                    if is_needed { node } else { node.optional() }
                }
                Condition::HasId => self.form(inner, state, writer, around)?.optional(),
                _ => Node::empty(),
            },
            Form::EachArgument(inner, _) if state.is_open => {
                self.each_value(inner, state, writer, around)?
            }
            Form::EachArgument(inner, separator) => {
                self.each_argument(inner, separator, state, writer, around)?
            }
            _ => return Err(Unfit::Form("a call holds calls".to_owned())),
        })
    }

    fn first<'f>(
        &self,
        forms: impl Iterator<Item = &'f Form>,
        state: &mut CallState<'_>,
        writer: &mut SchemaWriter<'_>,
        around: &Around,
    ) -> Walked {
        let mut why = Unfit::Form("nothing can be written".to_owned());
        // The node that leaves the key without a value: for a flag, or if the value comes later.
        let mut open: Option<(Node, CallState<'_>)> = None;
        for form in forms {
            let saved = state.clone();
            match self.form(form, state, writer, around) {
                Err(Unfit::Form(reason)) => {
                    *state = saved;
                    why = Unfit::Form(reason);
                }
                Ok(node) if state.is_open => {
                    let left = std::mem::replace(state, saved);
                    open.get_or_insert((node, left));
                }
                Ok(node) => {
                    let flag = open.filter(|(_, left)| left.may_have_no_value());
                    return Ok(match flag {
                        Some((flag, _)) => Node::choice([node, flag]),
                        None => node,
                    });
                }
                error => return error,
            }
        }
        let (node, left) = open.ok_or(why)?;
        *state = left;
        Ok(node)
    }

    fn each_argument(
        &self,
        inner: &Form,
        separator: &Form,
        state: &mut CallState<'_>,
        writer: &mut SchemaWriter<'_>,
        around: &Around,
    ) -> Walked {
        let left: Vec<usize> = (0..state.members.len())
            .filter(|&n| !state.is_written[n])
            .collect();
        let members: Vec<Member> = left.iter().map(|&n| state.members[n].clone()).collect();
        state.note_others(writer);
        let mut unfit = None;
        // Where the value has no closer of its own, the next argument ends it.
        let mut around = around.clone();
        if ends_with_value(inner) {
            around
                .after
                .extend(openers(inner).into_iter().map(str::to_owned));
        }
        around.after.splice(0..0, own_texts(separator));
        let around = &around;
        let separator = self.form(separator, state, writer, around)?;
        let needs_one = std::mem::take(&mut state.needs_one);
        let node = writer.members(
            &members,
            "",
            separator,
            None,
            needs_one,
            &mut |writer, member| {
                let is_it = |other: &Member| other.name == member.name;
                let Some(at) = state.members.iter().position(is_it) else {
                    return Ok(Node::empty());
                };
                state.key = Some(at);
                // Where a word names the type, each type has its own form.
                let schemas = match self.dialect.values().typing {
                    Typing::Kind(_) => writer.by_type(&member.schema, &member.pointer)?,
                    // Each value of a flag has its own form, too, if `false` has one.
                    _ if holds(inner, |form| matches!(form, Form::False))
                        && is_boolean(&member.schema) =>
                    {
                        [true, false]
                            .map(|is| {
                                Value::from_iter([
                                    ("type", Value::from("boolean")),
                                    ("const", is.into()),
                                ])
                            })
                            .into()
                    }
                    _ => vec![member.schema.clone()],
                };
                let mut one = |writer: &mut SchemaWriter<'_>, schema: &Value, pointer: &str| {
                    state.members[at].schema = schema.clone();
                    state.members[at].pointer = pointer.into();
                    state.is_written[at] = false;
                    let mut node = self.form(inner, state, writer, around);
                    let is_open = std::mem::take(&mut state.is_open);
                    if node.is_ok() && is_open && !state.may_have_no_value() {
                        let reason = format!("it has no value for `{}`", member.name);
                        node = Err(Unfit::Form(reason));
                    }
                    or_unfit(node, &mut unfit)
                };
                let mut ways = Vec::new();
                for schema in schemas {
                    let list = list_of(&schema);
                    let list = list.filter(|_| {
                        self.dialect.values().repeated
                            && !self.forms.has_lists
                            && !holds(inner, |form| matches!(form, Form::EachArgument(..)))
                    });
                    ways.push(match list {
                        Some(list) => {
                            writer.items(&list, &member.pointer, Node::empty(), &mut one)?
                        }
                        None => one(writer, &schema, &member.pointer)?,
                    });
                }
                state.members[at] = member.clone();
                state.is_written[at] = true;
                Ok(Node::choice(ways))
            },
        )?;
        state.key = None;
        match unfit {
            Some(reason) => Err(Unfit::Form(reason)),
            None => Ok(node),
        }
    }

    /// The items of a list, which is the value of the key before it.
    fn items(
        &self,
        form: &ItemsForm,
        state: &mut CallState<'_>,
        writer: &mut SchemaWriter<'_>,
        around: &Around,
    ) -> Walked {
        let key = state.key.filter(|_| state.is_open);
        let Some((at, member)) = key.map(|key| (key, state.members[key].clone())) else {
            return Err(Unfit::Form("the list has no key".to_owned()));
        };
        if !is_array(&member.schema) {
            if form.is_only_list {
                return Err(Unfit::Form("the rule is for a list".to_owned()));
            }
            return self.form(&form.item, state, writer, around);
        }
        let separator = self.form(&form.separator, state, writer, around)?;
        let mut around = around.clone();
        around.after.splice(0..0, own_texts(&form.separator));
        let mut unfit = None;
        let mut one = |writer: &mut SchemaWriter<'_>, schema: &Value, pointer: &str| {
            state.members[at].schema = schema.clone();
            state.members[at].pointer = pointer.into();
            or_unfit(self.form(&form.item, state, writer, &around), &mut unfit)
        };
        let list = member.schema.as_object().cloned().unwrap_or_default();
        let node = writer.items(&list, &member.pointer, separator, &mut one)?;
        state.members[at] = member;
        state.write(None)?;
        match unfit {
            Some(reason) => Err(Unfit::Form(reason)),
            None => Ok(node),
        }
    }

    /// The values of the last key: one, or each item of a list.
    fn each_value(
        &self,
        inner: &Form,
        state: &mut CallState<'_>,
        writer: &mut SchemaWriter<'_>,
        around: &Around,
    ) -> Walked {
        let Some((at, member)) = state.key.map(|key| (key, state.members[key].clone())) else {
            return self.form(inner, state, writer, around);
        };
        let Some(list) = list_of(&member.schema).filter(|_| self.dialect.values().repeated) else {
            return self.form(inner, state, writer, around);
        };
        let mut unfit = None;
        let mut one = |writer: &mut SchemaWriter<'_>, schema: &Value, pointer: &str| {
            state.members[at].schema = schema.clone();
            state.members[at].pointer = pointer.into();
            or_unfit(self.form(inner, state, writer, around), &mut unfit)
        };
        let node = writer.items(&list, &member.pointer, Node::empty(), &mut one)?;
        state.members[at] = member;
        match unfit {
            Some(reason) => Err(Unfit::Form(reason)),
            None => Ok(node),
        }
    }

    /// `{"name": .., "arguments": ..}`
    fn envelope(
        &self,
        envelope: &Envelope,
        state: &CallState<'_>,
        writer: &mut SchemaWriter<'_>,
    ) -> Walked {
        let json = Notation::Json;
        if !envelope.name_is_key {
            return self.object(envelope, &envelope.written(), state, writer);
        }
        let (colon, space) = (colon(&json), writer.space(&json));
        Ok(Node::sequence([
            Node::literal("{"),
            space.clone(),
            constant(&Value::from(state.name), &json),
            colon,
            arguments(state, writer, &json)?,
            space,
            Node::literal("}"),
        ]))
    }

    /// The object of these members. The server member is left out.
    fn object(
        &self,
        envelope: &Envelope,
        members: &[EnvelopeMember],
        state: &CallState<'_>,
        writer: &mut SchemaWriter<'_>,
    ) -> Walked {
        let json = Notation::Json;
        let (comma, colon, space) = (writer.comma(&json), colon(&json), writer.space(&json));
        let mut nodes = Vec::new();
        for member in members {
            let (key, role, value) = match member {
                EnvelopeMember::Object(key, inside) => {
                    (key, None, self.object(envelope, inside, state, writer)?)
                }
                EnvelopeMember::Role(key, role) => {
                    let value = match role {
                        Role::Name => constant(&Value::from(state.name), &json),
                        Role::Args => arguments(state, writer, &json)?,
                        Role::Id => {
                            Node::sequence([Node::literal("\""), self.id(), Node::literal("\"")])
                        }
                        Role::Server => continue,
                        Role::Fixed(n) => Node::literal(&envelope.fixed[*n][0]),
                    };
                    (key, Some(*role), value)
                }
            };
            let key = constant(&Value::from(key.as_str()), &json);
            let between = if nodes.is_empty() {
                Node::empty()
            } else {
                comma.clone()
            };
            let node = Node::sequence([between, key, colon.clone(), value]);
            // An id that comes first would have its comma after it; it is left out, since models write the id last.
            match role {
                // Every call of a dialect with an id form has an id.
                Some(Role::Id) if self.dialect.id_form().is_some() => nodes.push(node),
                Some(Role::Id) if nodes.is_empty() => {}
                Some(Role::Id) => nodes.push(node.optional()),
                _ => nodes.push(node),
            }
        }
        nodes.insert(0, Node::sequence([Node::literal("{"), space.clone()]));
        nodes.push(Node::sequence([space, Node::literal("}")]));
        Ok(Node::sequence(nodes))
    }

    fn attributes(
        &self,
        attributes: &[Attribute],
        state: &mut CallState<'_>,
        writer: &mut SchemaWriter<'_>,
    ) -> Walked {
        let quoted = |text: &str| {
            let text = text.replace('&', "&amp;").replace('"', "&quot;");
            Node::literal(format!("\"{text}\""))
        };
        let mut nodes = Vec::new();
        for attribute in attributes {
            let Some(key) = attribute.keys.first() else {
                continue;
            };
            let value = match (attribute.capture, &attribute.argument) {
                (Some(Capture::Key), _) => {
                    let key = state
                        .key
                        .ok_or_else(|| Unfit::Form("a key is outside the parameters".to_owned()))?;
                    state.is_open = true;
                    quoted(&state.members[key].name)
                }
                (Some(Capture::Id), _) => {
                    Node::sequence([Node::literal("\""), self.id(), Node::literal("\"")])
                }
                (Some(capture), _) => {
                    match state.text(capture).or_else(|| self.kind(state, capture)) {
                        Some(text) => quoted(&text),
                        None => continue,
                    }
                }
                (None, Some(_)) if key == "*" => {
                    return Err(Unfit::Form("its arguments are attributes".to_owned()));
                }
                (None, Some(argument)) => {
                    let at = state
                        .member(argument)
                        .ok_or_else(|| Unfit::Form(format!("it writes only `{argument}`")))?;
                    state.is_written[at] = true;
                    let member = &state.members[at];
                    let closers = Closers(["\"", "&", "<"].map(str::to_owned).to_vec());
                    let value = writer.raw(&member.schema, &member.pointer, &closers)?;
                    Node::sequence([Node::literal("\""), value, Node::literal("\"")])
                }
                (None, None) => continue,
            };
            let between = if nodes.is_empty() { "" } else { " " };
            nodes.push(Node::sequence([
                Node::literal(format!("{between}{key}=")),
                value,
            ]));
        }
        Ok(Node::sequence(nodes))
    }

    /// The word that names the type of the value.
    fn kind(&self, state: &CallState<'_>, capture: Capture) -> Option<String> {
        if capture != Capture::Type {
            return None;
        }
        let values = self.dialect.values();
        if !matches!(values.typing, Typing::Kind(_)) {
            return state.key.is_none().then(|| "json".to_owned());
        }
        let schema = &state.members[state.key?].schema;
        let json_type = match schema.get("const") {
            Some(value) => json_type_of(value),
            None => schema
                .as_object()
                .and_then(|map| kinds(map).first().copied())
                .unwrap_or("string"),
        };
        values.word_for(json_type).map(str::to_owned)
    }

    /// A value, or one of the dialect's words if the schema has the type of the word's value.
    fn or_words(&self, member: &Member, value: Node) -> Node {
        let Some(map) = member.schema.as_object() else {
            return value;
        };
        let is_open = !["enum", "const"].iter().any(|word| map.contains_key(word));
        let types = kinds(map);
        let has = |json: &str| types.contains(&if json == "null" { "null" } else { "boolean" });
        let words = self.dialect.values().words.iter();
        let words = words.filter(|(_, json)| is_open && has(json));
        let words = words.map(|(word, _)| Node::literal(word.as_str()));
        Node::choice(words.chain([value]))
    }

    /// Whether the schema allows what this text means: one of the dialect's words, or the text itself.
    fn is_allowed(&self, member: &Member, text: &str) -> bool {
        let Some(map) = member.schema.as_object() else {
            return true;
        };
        let word = self.dialect.word(text).and_then(|json| json.parse().ok());
        let meant = word.unwrap_or_else(|| Value::from(text));
        if let Some(values) = map.get("enum").and_then(Value::as_array) {
            return values.contains(&meant);
        }
        let kind = match meant {
            Value::Bool(_) => "boolean",
            Value::Null => "null",
            _ => "string",
        };
        let types = kinds(map);
        types.is_empty() || types.contains(&kind)
    }

    fn id(&self) -> Node {
        let alphanumeric = vec![('0', '9'), ('A', 'Z'), ('a', 'z')];
        match self.dialect.id_form() {
            Some(IdForm::Count) => Node::any_digit().repeat(1, Some(6)),
            Some(IdForm::Letters(n)) => {
                let n = u32::try_from(n).unwrap_or(9);
                Node::Class(CharClass::new(alphanumeric)).repeat(n, Some(n))
            }
            // An id that the dialect spells from parts is a counter.
            None if self.dialect.id_spelling().is_some() => Node::any_digit().repeat(1, Some(6)),
            None => {
                let class = [alphanumeric, vec![('_', '_'), ('-', '-')]].concat();
                Node::Class(CharClass::new(class)).repeat(1, Some(40))
            }
        }
    }
}

impl CallState<'_> {
    /// The member whose value is written here: the argument's member, or the member of the last key.
    fn write(&mut self, argument: Option<&str>) -> Result<usize, Unfit> {
        let at = match argument {
            Some(name) => self
                .member(name)
                .ok_or_else(|| Unfit::Form(format!("it writes only `{name}`")))?,
            None => self
                .key
                .ok_or_else(|| Unfit::Form("a value has no key".to_owned()))?,
        };
        self.is_open &= argument.is_some();
        self.is_written[at] = true;
        Ok(at)
    }

    /// Whether the argument of the last key may have this value.
    fn may_be_flag(&self, value: bool) -> bool {
        let value = Value::Bool(value);
        let schema = self.key.map(|key| self.members[key].schema.as_object());
        schema.flatten().is_none_or(|map| {
            let values = map.get("enum").and_then(Value::as_array);
            (map.is_empty() || kinds(map).contains(&"boolean"))
                && values.is_none_or(|all| all.contains(&value))
                && map.get("const").is_none_or(|only| *only == value)
        })
    }

    /// Whether the last key may have no value: as a flag, or as an empty list.
    fn may_have_no_value(&self) -> bool {
        let schema = self.key.map(|key| &self.members[key].schema);
        let may_be_empty = |schema: &Value| {
            let least = schema.get("minItems").and_then(Value::as_u64);
            // Models also write a list of objects as elements; the parser then does not read the parameter as a list.
            let items = schema.get("items").and_then(Value::as_object);
            let is_scalar = |kind| !matches!(kind, "array" | "object");
            let is_plain = items.is_none_or(|items| {
                items.contains_key("type") && kinds(items).into_iter().all(is_scalar)
            });
            is_array(schema) && is_plain && least.unwrap_or(0) == 0
        };
        self.may_be_flag(true) || schema.is_some_and(may_be_empty)
    }

    fn member(&self, name: &str) -> Option<usize> {
        let at = self.members.iter().position(|member| member.name == name)?;
        (!self.is_written[at]).then_some(at)
    }

    /// Adds a note if the schema allows undeclared parameters: such a form has no place for them.
    fn note_others(&self, writer: &mut SchemaWriter<'_>) {
        let takes_others = self.schema.as_object().is_none_or(|map| {
            let more = map.get("additionalProperties");
            !map.contains_key("properties") || more.is_some_and(|more| *more != Value::Bool(false))
        });
        if takes_others {
            writer.note(
                "/additionalProperties",
                "parameters that are not declared are not in the grammar",
            );
        }
    }

    /// The text of a capture in this call, if it has one text.
    fn text(&self, capture: Capture) -> Option<String> {
        match capture {
            Capture::Name => Some(self.name.to_owned()),
            Capture::Key => Some(self.members[self.key?].name.clone()),
            Capture::Any => self.skip.clone(),
            Capture::Id | Capture::Server | Capture::Type | Capture::Length => None,
        }
    }
}

/// The texts that end a line.
fn line_ends() -> Closers {
    Closers(vec!["\n".to_owned(), "\r".to_owned()])
}

/// Whether the schema allows any text, and nothing else.
fn is_any_text(schema: &Value) -> bool {
    let words = [
        "enum",
        "const",
        "pattern",
        "format",
        "minLength",
        "maxLength",
    ];
    let is_text = |map: &Map<String, Value>| {
        kinds(map) == ["string"] && !words.iter().any(|word| map.contains_key(word))
    };
    schema.as_object().is_some_and(is_text)
}

/// A value that ends with a line break is a text.
fn may_end(member: &Member, last: LastBreak) -> Result<(), Unfit> {
    if last == LastBreak::Value && !is_any_text(&member.schema) {
        let why = "its value ends with a line break, which its type has not";
        return Err(Unfit::Form(why.to_owned()));
    }
    Ok(())
}

/// Whether a form may end with a raw value.
fn ends_with_value(form: &Form) -> bool {
    match form {
        Form::Value(..) | Form::Short(..) | Form::Line(_) | Form::Lines(..) => true,
        Form::If(_, inner) => ends_with_value(inner),
        Form::Sequence(forms) => forms.last().is_some_and(ends_with_value),
        Form::Choice(ways) => ways.iter().any(|way| ends_with_value(&way.form)),
        _ => false,
    }
}

/// A node, or an empty choice where the form does not fit; `unfit` keeps the reason.
fn or_unfit(node: Walked, unfit: &mut Option<String>) -> Result<Node, GrammarError> {
    match node {
        Ok(node) => Ok(node),
        Err(Unfit::Grammar(error)) => Err(error),
        Err(Unfit::Form(reason)) => {
            *unfit = Some(reason);
            Ok(Node::choice([]))
        }
    }
}

/// Whether the form or a form inside it satisfies the predicate.
fn holds(form: &Form, wanted: fn(&Form) -> bool) -> bool {
    wanted(form)
        || match form {
            Form::Sequence(forms) => forms.iter().any(|form| holds(form, wanted)),
            Form::If(_, inner) => holds(inner, wanted),
            Form::Choice(ways) => ways.iter().any(|way| holds(&way.form, wanted)),
            _ => false,
        }
}

/// Whether a schema takes both values of a flag, and nothing else.
fn is_boolean(schema: &Value) -> bool {
    let is_open =
        |map: &Map<String, Value>| !map.contains_key("enum") && !map.contains_key("const");
    (schema.as_object()).is_some_and(|map| kinds(map) == ["boolean"] && is_open(map))
}

/// The texts of a form that consists of texts only.
fn own_texts(form: &Form) -> Vec<String> {
    match form {
        Form::Sequence(forms) => texts(forms, |_| None),
        one => texts(std::slice::from_ref(one), |_| None),
    }
}

/// The texts that a form may start with.
fn openers(form: &Form) -> Vec<&str> {
    match form {
        Form::Literal(text) => vec![text],
        Form::Sequence(forms) => forms.first().map_or(Vec::new(), openers),
        Form::Choice(ways) => ways.iter().flat_map(|way| openers(&way.form)).collect(),
        _ => Vec::new(),
    }
}

/// A value whose text is not blank.
fn filled(value: Node) -> Node {
    match value {
        Node::Text(text) => Node::Text(RawText {
            is_filled: true,
            ..text
        }),
        Node::Choice(nodes) => Node::choice(nodes.into_iter().map(filled)),
        other => other,
    }
}

/// All arguments as one value.
fn arguments(state: &CallState<'_>, writer: &mut SchemaWriter<'_>, notation: &Notation) -> Walked {
    let mut schema = state.schema.clone();
    if let Value::Object(map) = &mut schema {
        map.insert("type".to_owned(), Value::from("object"));
    }
    Ok(writer.value(&schema, "", notation)?)
}

/// `name(key=value, ..)`: strings inside lists and objects have double quotes.
fn python(state: &CallState<'_>, writer: &mut SchemaWriter<'_>, strings: &Notation) -> Walked {
    let literals = Notation::Python('"');
    let comma = writer.comma(&literals);
    let starts = |name: &str| name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if !starts(state.name) {
        let why = format!("`{}` cannot be the name of a function", state.name);
        return Err(Unfit::Form(why));
    }
    state.note_others(writer);
    for member in &state.members {
        let name = &member.name;
        if !starts(name) || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            let why = format!("`{name}` cannot be a keyword argument");
            return Err(Unfit::Form(why));
        }
    }
    let members = writer.members(
        &state.members,
        "",
        comma,
        None,
        false,
        &mut |writer, member| {
            let value = writer.by_kind(
                &member.schema,
                &member.pointer,
                &mut |writer, schema, kind, at| {
                    let notation = if kind == Kind::Text {
                        strings
                    } else {
                        &literals
                    };
                    let value = writer.value(schema, at, notation)?;
                    Ok(match kind {
                        Kind::Any => Node::choice([value, string_of(strings)]),
                        Kind::Text | Kind::Json => value,
                    })
                },
            )?;
            Ok(Node::sequence([
                Node::literal(format!("{}=", member.name)),
                value,
            ]))
        },
    )?;
    Ok(Node::sequence([
        Node::literal(format!("{}(", state.name)),
        members,
        Node::literal(")"),
    ]))
}

/// Any string in this notation.
fn string_of(notation: &Notation) -> Node {
    let quote = notation.quote();
    Node::sequence([
        Node::literal(quote.clone()),
        notation.any_content(),
        Node::literal(quote),
    ])
}

/// The type of a value.
fn json_type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The list schema with at least one item: an empty list is not written.
fn list_of(schema: &Value) -> Option<Map<String, Value>> {
    let mut list = schema.as_object()?.clone();
    let least = list.get("minItems").and_then(Value::as_u64).unwrap_or(0);
    list.insert("minItems".into(), least.max(1).into());
    is_array(schema).then_some(list)
}

/// Whether a schema takes lists only.
fn is_array(schema: &Value) -> bool {
    takes_only(schema, &["array"])
}

/// Whether a schema takes numbers, flags and `null` only.
fn is_scalar(schema: &Value) -> bool {
    takes_only(schema, &["integer", "number", "boolean", "null"])
}

/// Whether a schema names these types and no others.
fn takes_only(schema: &Value, types: &[&str]) -> bool {
    let is_one = |named: &Value| named.as_str().is_some_and(|named| types.contains(&named));
    match schema.as_object().and_then(|map| map.get("type")) {
        Some(Value::Array(all)) => !all.is_empty() && all.iter().all(is_one),
        named => named.is_some_and(is_one),
    }
}
