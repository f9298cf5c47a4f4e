//! Calls of tools as nodes: a walk over the forms in which a dialect writes them.

use std::collections::BTreeMap;

use toolglot_engine::form::{
    Alternative, Attribute, Capture, Condition, Envelope, Form, FormEntry, Forms, PythonQuote,
    Role, Typing,
};
use toolglot_engine::{Dialect, IdForm};
use toolglot_value::{Map, Value};

use crate::ToolSchema;
use crate::error::{GrammarError, GrammarNote};
use crate::grammar::{CharClass, Node, RuleId, Rules};
use crate::members::Member;
use crate::schema::{SchemaWriter, colon, constant, kinds};
use crate::text::{Closers, Notation};
use crate::values::{ElementLayout, Kind};

/// Why a form was not taken.
enum Unfit {
    /// The form cannot write such a call; another may.
    Form(String),
    /// There is no grammar at all.
    Grammar(GrammarError),
}

impl From<GrammarError> for Unfit {
    fn from(error: GrammarError) -> Unfit {
        Unfit::Grammar(error)
    }
}

type Walked = Result<Node, Unfit>;

/// Walks the forms of one dialect.
pub(crate) struct CallWriter<'a> {
    pub(crate) dialect: &'a Dialect,
    pub(crate) forms: &'a Forms,
    pub(crate) tools: &'a [ToolSchema<'a>],
    pub(crate) rules: Rules,
    pub(crate) notes: Vec<GrammarNote>,
    /// Rules of the calls that a rule of the dialect writes, by its name.
    calls: BTreeMap<String, RuleId>,
}

/// The calls of a message.
pub(crate) struct WrittenCalls {
    pub(crate) node: Node,
    /// What starts a call: no text that is not one may hold it.
    pub(crate) openers: Vec<String>,
}

/// What stands around a part of a form: the texts after it, the nearest first.
#[derive(Clone, Debug, Default)]
struct Around {
    before: String,
    after: Vec<String>,
}

/// A block of calls on the way.
struct Block {
    /// The tools that are left for this block.
    tools: Vec<usize>,
    /// More than one call may be written.
    is_many: bool,
    /// A call was written before.
    has_call: bool,
    /// Whether further calls follow in the loop.
    more: bool,
    skip: String,
}

/// A call on the way.
#[derive(Clone)]
struct CallState<'t> {
    name: &'t str,
    schema: &'t Value,
    members: Vec<Member>,
    /// The members that were written.
    is_written: Vec<bool>,
    /// The member whose key was written last, or comes next.
    key: Option<usize>,
    skip: String,
}

impl<'a> CallWriter<'a> {
    pub(crate) fn new(
        dialect: &'a Dialect,
        forms: &'a Forms,
        tools: &'a [ToolSchema<'a>],
    ) -> CallWriter<'a> {
        CallWriter {
            dialect,
            forms,
            tools,
            rules: Rules::default(),
            notes: Vec::new(),
            calls: BTreeMap::new(),
        }
    }

    /// The calls of a message: one, or one or more.
    pub(crate) fn message(&mut self, is_many: bool) -> Result<WrittenCalls, GrammarError> {
        let forms = self.forms;
        let one_call: Vec<&FormEntry> = forms.entries.iter().collect();
        let mut many = one_call.clone();
        many.sort_by_key(|entry| (!entry.is_taught, !entry.repeats_calls));
        let has_one_order = one_call.first() == many.first();
        let written = if is_many && has_one_order {
            self.entries(&many, true)?
        } else {
            let mut written = self.entries(&one_call, false)?;
            if is_many {
                let more = self.entries(&many, true)?;
                written.node = Node::choice([written.node, more.node]);
                written.openers.extend(more.openers);
            }
            written
        };
        let mut openers = written.openers;
        openers.sort();
        openers.dedup();
        Ok(WrittenCalls { openers, ..written })
    }

    /// Each tool by the first of these entries that can write a call of it.
    fn entries(
        &mut self,
        entries: &[&FormEntry],
        is_many: bool,
    ) -> Result<WrittenCalls, GrammarError> {
        let mut left: Vec<usize> = (0..self.tools.len()).collect();
        let mut nodes = Vec::new();
        let mut openers = Vec::new();
        let mut why = "it has no calls".to_owned();
        for entry in entries {
            if left.is_empty() {
                break;
            }
            if entry.is_call {
                let mut ways = Vec::new();
                let mut still = Vec::new();
                for tool in left {
                    let name = self.tools[tool].name;
                    if entry.tool.as_deref().is_some_and(|only| only != name) {
                        still.push(tool);
                        continue;
                    }
                    match self.call(&entry.form, tool, &Around::default()) {
                        Ok(node) => ways.push(node),
                        Err(Unfit::Form(reason)) => {
                            why = reason;
                            still.push(tool);
                        }
                        Err(Unfit::Grammar(error)) => return Err(error),
                    }
                }
                left = still;
                if !ways.is_empty() {
                    openers.extend(self.openers(&entry.form, &ways));
                    let call = Node::Rule(self.rules.add("call", Node::choice(ways)));
                    nodes.push(if is_many { lines(call) } else { call });
                }
                continue;
            }
            let mut block = Block {
                tools: left.clone(),
                is_many: is_many && entry.repeats_calls,
                has_call: false,
                more: false,
                skip: String::new(),
            };
            match self.block(&entry.form, &mut block, &Around::default()) {
                Ok(_) if !block.has_call => {}
                Ok(node) => {
                    openers.extend(self.openers(&entry.form, std::slice::from_ref(&node)));
                    nodes.push(if is_many && !entry.repeats_calls {
                        lines(node)
                    } else {
                        node
                    });
                    left.retain(|tool| !block.tools.contains(tool));
                }
                Err(Unfit::Form(reason)) => why = reason,
                Err(Unfit::Grammar(error)) => return Err(error),
            }
        }
        if let Some(tool) = left.first() {
            return Err(GrammarError::Dialect {
                dialect: self.dialect.name().to_owned(),
                tool: self.tools[*tool].name.to_owned(),
                reason: why,
            });
        }
        Ok(WrittenCalls {
            node: Node::choice(nodes),
            openers,
        })
    }

    /// The texts that start such calls: the marker, or everything up to the name if there is no marker.
    fn openers(&self, form: &Form, nodes: &[Node]) -> Vec<String> {
        let marker = self.leading_text(form);
        let marker = marker.trim_end();
        if marker.trim_start().len() >= 3
            && marker.contains(|c: char| !c.is_alphanumeric() && !"{[\"' ".contains(c))
        {
            return vec![marker.to_owned()];
        }
        let mut openers = Vec::new();
        for node in nodes {
            self.prefixes(node, &mut openers);
        }
        openers
    }

    fn prefixes(&self, node: &Node, openers: &mut Vec<String>) {
        match node {
            Node::Rule(id) => self.prefixes(self.rules.node(*id), openers),
            Node::Choice(nodes) => nodes.iter().for_each(|node| self.prefixes(node, openers)),
            Node::Sequence(nodes) => match nodes.as_slice() {
                [Node::Literal(text), next, ..] if text.trim().len() < 3 => {
                    let mut inner = Vec::new();
                    self.prefixes(next, &mut inner);
                    openers.extend(inner.into_iter().map(|inner| format!("{text}{inner}")));
                }
                [first, ..] => self.prefixes(first, openers),
                [] => {}
            },
            Node::Literal(text) if !text.is_empty() => openers.push(text.clone()),
            Node::Repeat(inner, 1.., _) => self.prefixes(inner, openers),
            _ => {}
        }
    }

    /// The literal that a form starts with.
    fn leading_text(&self, form: &Form) -> String {
        match form {
            Form::Literal(text) | Form::Skipped(text) => text.clone(),
            Form::Sequence(forms) => {
                let mut text = String::new();
                for form in forms {
                    match form {
                        Form::Literal(more) => text.push_str(more),
                        Form::LineStart => {}
                        other => {
                            if text.trim().is_empty() {
                                text.push_str(&self.leading_text(other));
                            }
                            break;
                        }
                    }
                }
                text
            }
            Form::Rule(name) => {
                let rule = self.forms.rules.get(name).and_then(|rules| rules.first());
                rule.map_or_else(String::new, |rule| self.leading_text(&rule.form))
            }
            Form::Choice(alternatives) => {
                let first = alternatives.first();
                first.map_or_else(String::new, |one| self.leading_text(&one.form))
            }
            Form::EachCall(inner) => self.leading_text(inner),
            _ => String::new(),
        }
    }

    /// A part of a message that holds calls.
    fn block(&mut self, form: &Form, block: &mut Block, around: &Around) -> Walked {
        Ok(match form {
            Form::Literal(text) => Node::literal(text.as_str()),
            Form::LineStart => Node::empty(),
            Form::Skipped(text) => {
                block.skip.clone_from(text);
                Node::literal(text.as_str())
            }
            Form::Captured(Capture::Skip) => Node::literal(block.skip.clone()),
            Form::Sequence(forms) => {
                let mut nodes = Vec::new();
                for (n, form) in forms.iter().enumerate() {
                    let mut around = around.clone();
                    around.after.splice(0..0, texts(&forms[n + 1..], None));
                    nodes.push(self.block(form, block, &around)?);
                }
                Node::sequence(nodes)
            }
            Form::Choice(alternatives) => {
                let mut order: Vec<&Alternative> = alternatives.iter().collect();
                order.sort_by_key(|one| block.is_many && !one.repeats_calls);
                self.first_block(order.iter().map(|one| &one.form), block, around)?
            }
            Form::Rule(name) => {
                let forms = self.forms;
                let rules = forms.rules.get(name).map_or(&[][..], Vec::as_slice);
                if rules.iter().any(|rule| rule.is_call) {
                    block.has_call = true;
                    return self.calls_of(name, block, around);
                }
                self.first_block(rules.iter().map(|rule| &rule.form), block, around)?
            }
            Form::EachCall(inner) => {
                if !block.is_many {
                    if block.has_call {
                        return Ok(Node::empty());
                    }
                    return self.block(inner, block, around);
                }
                let has_call = block.has_call;
                block.more = true;
                let one = self.block(inner, block, around)?;
                block.more = false;
                let last = self.block(inner, block, around)?;
                if one == last {
                    return Ok(one.repeat(u32::from(!has_call), None));
                }
                let some = Node::sequence([one.repeat(0, None), last]);
                if has_call { some.optional() } else { some }
            }
            Form::If(Condition::MoreCalls, inner) if block.more => {
                self.block(inner, block, around)?
            }
            Form::If(..) => Node::empty(),
            _ => return Err(Unfit::Form("a part of a call is outside it".to_owned())),
        })
    }

    fn first_block<'f>(
        &mut self,
        forms: impl Iterator<Item = &'f Form>,
        block: &mut Block,
        around: &Around,
    ) -> Walked {
        let mut why = Unfit::Form("nothing can be written".to_owned());
        for form in forms {
            let (has_call, tools) = (block.has_call, block.tools.clone());
            match self.block(form, block, around) {
                Err(Unfit::Form(reason)) => {
                    (block.has_call, block.tools) = (has_call, tools);
                    why = Unfit::Form(reason);
                }
                other => return other,
            }
        }
        Err(why)
    }

    /// The calls that the rules of a name write; tools that none of them can write leave the block.
    fn calls_of(&mut self, name: &str, block: &mut Block, around: &Around) -> Walked {
        if let Some(id) = self.calls.get(name) {
            return Ok(Node::Rule(*id));
        }
        let forms = self.forms;
        let rules = forms.rules.get(name).map_or(&[][..], Vec::as_slice);
        let mut ways = Vec::new();
        let mut why = "it has no calls".to_owned();
        let mut written = Vec::new();
        for &tool in &block.tools {
            for rule in rules.iter().filter(|rule| rule.is_call) {
                match self.call(&rule.form, tool, around) {
                    Ok(node) => {
                        ways.push(node);
                        written.push(tool);
                        break;
                    }
                    Err(Unfit::Form(reason)) => why = reason,
                    Err(error) => return Err(error),
                }
            }
        }
        if ways.is_empty() {
            return Err(Unfit::Form(why));
        }
        block.tools = written;
        let id = self.rules.add(name, Node::choice(ways));
        self.calls.insert(name.to_owned(), id);
        Ok(Node::Rule(id))
    }

    /// A call of one tool.
    fn call(&mut self, form: &Form, tool: usize, around: &Around) -> Walked {
        let tool = &self.tools[tool];
        let n_notes = self.notes.len();
        let walk = Walk {
            dialect: self.dialect,
            forms: self.forms,
        };
        let mut writer =
            SchemaWriter::new(tool.name, tool.parameters, &mut self.rules, &mut self.notes);
        let walked = walk.call(form, tool, &mut writer, around);
        if walked.is_err() {
            self.notes.truncate(n_notes);
        }
        let node = walked?;
        Ok(Node::Rule(self.rules.add(tool.name, node)))
    }
}

/// The walk inside a call.
struct Walk<'a> {
    dialect: &'a Dialect,
    forms: &'a Forms,
}

impl Walk<'_> {
    fn call(
        &self,
        form: &Form,
        tool: &ToolSchema<'_>,
        writer: &mut SchemaWriter<'_>,
        around: &Around,
    ) -> Walked {
        let schema = writer.resolved(tool.parameters, "")?.into_owned();
        let nothing = Map::new();
        let map = schema.as_object().unwrap_or(&nothing);
        let members = writer.declared(map, "")?;
        let mut state = CallState {
            name: tool.name,
            schema: &schema,
            is_written: vec![false; members.len()],
            members,
            key: None,
            skip: String::new(),
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
                state.skip.clone_from(text);
                Node::literal(text.as_str())
            }
            Form::NextKey => {
                let Some(key) = state.key else {
                    return Err(Unfit::Form("a key is outside the parameters".to_owned()));
                };
                Node::literal(state.members[key].name.as_str())
            }
            Form::Captured(Capture::Id) => self.id(),
            Form::Captured(capture) => {
                match state.text(*capture).or_else(|| self.kind(state, *capture)) {
                    Some(text) => Node::literal(text),
                    None => return Err(Unfit::Form("it asks for a server".to_owned())),
                }
            }
            Form::Value(argument) => {
                let at = match argument {
                    Some(name) => state
                        .member(name)
                        .ok_or_else(|| Unfit::Form(format!("it writes only `{name}`")))?,
                    None => state
                        .key
                        .ok_or_else(|| Unfit::Form("a value has no key".to_owned()))?,
                };
                state.is_written[at] = true;
                let member = &state.members[at];
                writer.raw(&member.schema, &member.pointer, &closers(around))?
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
                        .splice(0..0, texts(&forms[n + 1..], Some(state)));
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
            Form::Choice(alternatives) => {
                let next = state.key.map(|key| state.members[key].name.clone());
                let mut order: Vec<&Alternative> = alternatives.iter().collect();
                order.sort_by_key(|one| {
                    let is_for_next = one.arguments.iter().any(|name| Some(name) == next.as_ref());
                    (!is_for_next, !one.arguments.is_empty())
                });
                self.first(order.iter().map(|one| &one.form), state, writer, around)?
            }
            Form::Rule(name) => {
                let rules = self.forms.rules.get(name).map_or(&[][..], Vec::as_slice);
                self.first(rules.iter().map(|rule| &rule.form), state, writer, around)?
            }
            Form::If(condition, inner) => match condition {
                Condition::HasArguments if state.members.is_empty() => Node::empty(),
                Condition::HasArguments => {
                    let needs = state.members.iter().zip(&state.is_written);
                    let is_needed = needs
                        .into_iter()
                        .any(|(member, is)| member.is_required && !is);
                    let node = self.form(inner, state, writer, around)?;
                    if is_needed { node } else { node.optional() }
                }
                Condition::HasId => self.form(inner, state, writer, around)?.optional(),
                _ => Node::empty(),
            },
            Form::EachArgument(inner) => self.each_argument(inner, state, writer, around)?,
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
        for form in forms {
            let saved = state.clone();
            match self.form(form, state, writer, around) {
                Err(Unfit::Form(reason)) => {
                    *state = saved;
                    why = Unfit::Form(reason);
                }
                other => return other,
            }
        }
        Err(why)
    }

    fn each_argument(
        &self,
        inner: &Form,
        state: &mut CallState<'_>,
        writer: &mut SchemaWriter<'_>,
        around: &Around,
    ) -> Walked {
        let left: Vec<usize> = (0..state.members.len())
            .filter(|&n| !state.is_written[n])
            .collect();
        let members: Vec<Member> = left.iter().map(|&n| state.members[n].clone()).collect();
        let map = state.schema.as_object();
        if map.is_none_or(|map| {
            !map.contains_key("properties")
                || map
                    .get("additionalProperties")
                    .is_some_and(|more| *more != Value::Bool(false))
        }) {
            writer.note(
                "/additionalProperties",
                "parameters that are not declared are not in the grammar",
            );
        }
        let mut unfit = None;
        let node = writer.members(&members, "", Node::empty(), None, &mut |writer, member| {
            let is_it = |other: &Member| other.name == member.name;
            let Some(at) = state.members.iter().position(is_it) else {
                return Ok(Node::empty());
            };
            state.key = Some(at);
            // Where a word says the type, each type is a form of its own.
            let schemas = match self.dialect.values().typing {
                Typing::Kind(_) => writer.by_type(&member.schema, &member.pointer)?,
                _ => vec![member.schema.clone()],
            };
            let mut ways = Vec::new();
            for schema in schemas {
                state.members[at].schema = schema;
                state.is_written[at] = false;
                match self.form(inner, state, writer, around) {
                    Ok(node) => ways.push(node),
                    Err(Unfit::Grammar(error)) => return Err(error),
                    Err(Unfit::Form(reason)) => unfit = Some(reason),
                }
            }
            state.members[at].schema = member.schema.clone();
            state.is_written[at] = true;
            Ok(Node::choice(ways))
        })?;
        state.key = None;
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
        let (comma, colon, space) = (writer.comma(&json), colon(&json), writer.space(&json));
        let name = constant(&Value::from(state.name), &json);
        let mut members = Vec::new();
        if envelope.name_is_key {
            members.push(Node::sequence([
                name,
                colon,
                arguments(state, writer, &json)?,
            ]));
        } else {
            for (role, keys) in &envelope.roles {
                let Some(key) = keys.iter().find(|key| !key.contains('.')) else {
                    continue;
                };
                let value = match role {
                    Role::Name => name.clone(),
                    Role::Args => arguments(state, writer, &json)?,
                    Role::Id => {
                        Node::sequence([Node::literal("\""), self.id(), Node::literal("\"")])
                    }
                    Role::Ns => continue,
                };
                let key = constant(&Value::from(key.as_str()), &json);
                let between = if members.is_empty() {
                    Node::empty()
                } else {
                    comma.clone()
                };
                let member = Node::sequence([between, key, colon.clone(), value]);
                // An id that stands first has its comma after it, and is left out: models write it last.
                match role {
                    Role::Id if members.is_empty() => {}
                    Role::Id => members.push(member.optional()),
                    _ => members.push(member),
                }
            }
        }
        members.insert(0, Node::sequence([Node::literal("{"), space.clone()]));
        members.push(Node::sequence([space, Node::literal("}")]));
        Ok(Node::sequence(members))
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

    /// The word that says how a value is typed.
    fn kind(&self, state: &CallState<'_>, capture: Capture) -> Option<String> {
        if capture != Capture::Kind {
            return None;
        }
        let Typing::Kind(words) = &self.dialect.values().typing else {
            return Some("json".to_owned());
        };
        let schema = &state.members[state.key?].schema;
        let kind = match schema.get("const") {
            Some(value) => json_type_of(value),
            None => schema
                .as_object()
                .and_then(|map| kinds(map).first().copied())
                .unwrap_or("any"),
        };
        let is_json = !matches!(kind, "string" | "any");
        let named = words
            .iter()
            .find(|(word, means_json)| *means_json == is_json && word != "*");
        Some(named.map_or_else(
            || match kind {
                "integer" => "number".to_owned(),
                "any" => "string".to_owned(),
                kind => kind.to_owned(),
            },
            |(word, _)| word.clone(),
        ))
    }

    fn id(&self) -> Node {
        let alphanumeric = vec![('0', '9'), ('A', 'Z'), ('a', 'z')];
        match self.dialect.id_form() {
            Some(IdForm::Count) => Node::any_digit().repeat(1, Some(6)),
            Some(IdForm::Letters(n)) => {
                let n = u32::try_from(n).unwrap_or(9);
                Node::Class(CharClass::new(alphanumeric)).repeat(n, Some(n))
            }
            // An id that is spelt from parts counts.
            None if self.dialect.setting("id").is_some() => Node::any_digit().repeat(1, Some(6)),
            None => {
                let class = [alphanumeric, vec![('_', '_'), ('-', '-')]].concat();
                Node::Class(CharClass::new(class)).repeat(1, Some(40))
            }
        }
    }
}

impl CallState<'_> {
    fn member(&self, name: &str) -> Option<usize> {
        let at = self.members.iter().position(|member| member.name == name)?;
        (!self.is_written[at]).then_some(at)
    }

    /// What a capture is in this call, where it is one text.
    fn text(&self, capture: Capture) -> Option<String> {
        match capture {
            Capture::Name => Some(self.name.to_owned()),
            Capture::Key => Some(self.members[self.key?].name.clone()),
            Capture::Skip => Some(self.skip.clone()),
            Capture::Id | Capture::Ns | Capture::Kind => None,
        }
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

/// `name(key=value, ..)`: strings inside lists and objects stand in double quotes.
fn python(state: &CallState<'_>, writer: &mut SchemaWriter<'_>, strings: &Notation) -> Walked {
    let literals = Notation::Python('"');
    let comma = writer.comma(&literals);
    for member in &state.members {
        let is_name = member
            .name
            .starts_with(|c: char| c.is_alphabetic() || c == '_')
            && member.name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_name {
            return Err(Unfit::Form(format!(
                "`{}` cannot be a keyword argument",
                member.name
            )));
        }
    }
    let members = writer.members(&state.members, "", comma, None, &mut |writer, member| {
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
    })?;
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

/// Calls on lines of their own.
fn lines(call: Node) -> Node {
    let more = Node::sequence([Node::literal("\n"), call.clone()]).repeat(0, None);
    Node::sequence([call, more])
}

/// The texts that stand in forms, one for each run without a gap.
fn texts(forms: &[Form], state: Option<&CallState<'_>>) -> Vec<String> {
    let mut texts = Vec::new();
    let mut text = String::new();
    for form in forms {
        let more = match form {
            Form::Literal(more) => Some(more.clone()),
            Form::Captured(capture) => state.and_then(|state| state.text(*capture)),
            _ => None,
        };
        match more {
            Some(more) => text.push_str(&more),
            None => texts.push(std::mem::take(&mut text)),
        }
    }
    texts.push(text);
    texts.retain(|text| !text.is_empty());
    texts
}

/// What a raw value must not hold: the closers after it, and its own opener, which would nest.
fn closers(around: &Around) -> Closers {
    let mut closers: Vec<String> = Vec::new();
    let mut add = |text: &str| {
        if !text.is_empty() && !closers.iter().any(|other| other == text) {
            closers.push(text.to_owned());
        }
    };
    for (n, text) in around.after.iter().enumerate() {
        let trimmed = text.trim();
        match trimmed.is_empty() {
            // A line break closes where nothing else does.
            true if n == 0 => add(text),
            true => {}
            false => tags(trimmed).for_each(&mut add),
        }
    }
    add(opener(&around.before));
    Closers(closers)
}

/// The last tag that a text opens, up to what may differ in another of its kind: `<parameter=`, `<parameter`, `<path>`.
fn opener(text: &str) -> &str {
    let Some(start) = text.rfind('<') else {
        return "";
    };
    let tag = &text[start..];
    let end = tag.find(['=', '>', ' ', '\n']).map_or(tag.len(), |at| {
        at + usize::from(matches!(tag.as_bytes()[at], b'=' | b'>'))
    });
    if end < 3 { "" } else { &tag[..end] }
}

/// The tags of a text, each with what stands right after it, or all of the text where it has none.
fn tags(text: &str) -> impl Iterator<Item = &str> {
    let starts: Vec<usize> = text.match_indices('<').map(|(at, _)| at).collect();
    let first = starts.first().copied().filter(|&at| at > 0).map(|_| 0);
    let whole = starts.is_empty().then_some(0);
    let starts: Vec<usize> = first.into_iter().chain(whole).chain(starts).collect();
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    let pieces = starts.into_iter().zip(ends);
    pieces
        .map(|(start, end)| text[start..end].trim())
        .filter(|tag| !tag.is_empty())
}
