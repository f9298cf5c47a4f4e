//! The calls of a message as nodes: a walk over the forms in which a dialect writes blocks of them.

use std::collections::BTreeMap;

use toolglot_engine::Dialect;
use toolglot_engine::form::{Alternative, Capture, Condition, Form, FormEntry, Forms};

use crate::around::{Around, texts};
use crate::call::{Unfit, Walk, Walked};
use crate::error::{GrammarError, GrammarNote};
use crate::grammar::{Node, RuleId, Rules};
use crate::print::after;
use crate::schema::SchemaWriter;
use crate::{Options, Target, ToolSchema};

/// Walks the forms of one dialect.
pub(crate) struct CallWriter<'a> {
    pub(crate) dialect: &'a Dialect,
    pub(crate) forms: &'a Forms,
    pub(crate) tools: &'a [ToolSchema<'a>],
    options: &'a Options<'a>,
    pub(crate) rules: Rules,
    pub(crate) notes: Vec<GrammarNote>,
    /// Rules for calls, by the name of the dialect's rule that writes them.
    calls: BTreeMap<String, RuleId>,
}

/// The calls of a message.
pub(crate) struct WrittenCalls {
    pub(crate) node: Node,
    /// The texts that start a call: text that is not a call may not contain them.
    pub(crate) openers: Vec<String>,
}

/// The state of a block of calls.
#[derive(Clone)]
struct Block {
    /// The tools that this block can still call.
    tools: Vec<usize>,
    /// Whether the block may have more than one call.
    is_many: bool,
    /// Whether the block already has a call.
    has_call: bool,
    /// Whether the walk is inside the loop over calls.
    is_repeated: bool,
    /// Whether further calls follow in the loop.
    more: bool,
    skip: String,
}

impl<'a> CallWriter<'a> {
    pub(crate) fn new(
        dialect: &'a Dialect,
        forms: &'a Forms,
        tools: &'a [ToolSchema<'a>],
        options: &'a Options<'a>,
    ) -> CallWriter<'a> {
        CallWriter {
            dialect,
            forms,
            tools,
            options,
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
        let WrittenCalls {
            mut node,
            mut openers,
        } = written;
        // A prompt may end with the turn head, and the first call follows the head.
        let mut heads: Vec<&str> = openers
            .iter()
            .filter_map(|opener| turn_head(opener))
            .collect();
        heads.sort_unstable();
        heads.dedup();
        let rests: Vec<Node> = heads
            .iter()
            .filter_map(|head| after(&node, head, &self.rules))
            .collect();
        for rest in rests {
            self.prefixes(&rest, &mut openers);
            node = Node::choice([node, rest]);
        }
        openers.sort();
        openers.dedup();
        Ok(WrittenCalls { node, openers })
    }

    /// Each tool with the first of these entries that can write its call.
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
                        Ok(node) if entry.tool.is_none() && self.is_other_form(tool, &node) => {
                            still.push(tool);
                        }
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
                    nodes.push(if is_many { self.joined(call) } else { call });
                }
                continue;
            }
            let mut block = Block {
                tools: left.clone(),
                is_many: is_many && entry.repeats_calls,
                has_call: false,
                is_repeated: false,
                more: false,
                skip: String::new(),
            };
            match self.block(&entry.form, &mut block, &Around::default()) {
                Ok(_) if !block.has_call => {}
                Ok(node) => {
                    openers.extend(self.openers(&entry.form, std::slice::from_ref(&node)));
                    nodes.push(if is_many && !entry.repeats_calls {
                        self.joined(node)
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

    /// Whether the call starts like another form that the dialect has for this tool name: the parser would read that
    /// form.
    fn is_other_form(&self, tool: usize, node: &Node) -> bool {
        let name = Some(self.tools[tool].name);
        let mut starts = Vec::new();
        self.prefixes(node, &mut starts);
        let entries = self.forms.entries.iter();
        let mut own = entries.filter(|entry| entry.tool.as_deref() == name);
        own.any(|entry| {
            let marker = self.leading_text(&entry.form);
            !marker.trim().is_empty()
                && starts
                    .iter()
                    .any(|start| start.starts_with(marker.trim_end()))
        })
    }

    /// The texts that start such calls: the marker, or everything up to the name if there is no marker.
    fn openers(&self, form: &Form, nodes: &[Node]) -> Vec<String> {
        let mut openers = Vec::new();
        for node in nodes {
            self.prefixes(node, &mut openers);
        }
        let marker = self.leading_text(form);
        let marker = marker.trim_end();
        if marker.trim_start().len() >= 3
            && marker.contains(|c: char| !c.is_alphanumeric() && !"{[\"' ".contains(c))
            // The first form of a block may be the block's text.
            && openers.iter().all(|opener| opener.starts_with(marker))
        {
            return vec![marker.to_owned()];
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

    /// The text at the start of a form, from its first alternative.
    fn leading_text(&self, form: &Form) -> String {
        let mut text = String::new();
        self.add_leading_text(form, &mut text);
        text
    }

    /// Adds the leading text of the form. Whether the form is this text and nothing else.
    fn add_leading_text(&self, form: &Form, text: &mut String) -> bool {
        match form {
            Form::Literal(more) | Form::Skipped(more) => {
                text.push_str(more);
                true
            }
            Form::LineStart => true,
            Form::Sequence(forms) => forms.iter().all(|form| {
                // A complete marker suffices: the text after it may differ.
                let is_whole = text.trim().ends_with(['>', ']']);
                let is_text = matches!(form, Form::Literal(_) | Form::LineStart);
                (is_text || !is_whole) && self.add_leading_text(form, text)
            }),
            Form::Rule(name) => {
                let rule = self.forms.rules.get(name).and_then(|rules| rules.first());
                rule.is_some_and(|rule| self.add_leading_text(&rule.form, text))
            }
            Form::Choice(alternatives) => {
                let first = alternatives.first();
                first.is_some_and(|one| self.add_leading_text(&one.form, text))
            }
            Form::EachCall(inner) => {
                self.add_leading_text(inner, text);
                false
            }
            Form::Attributes(attributes) => {
                if let Some(key) = attributes.first().and_then(|first| first.keys.first()) {
                    if !text.ends_with([' ', '\n']) {
                        text.push(' ');
                    }
                    text.push_str(key);
                    text.push('=');
                }
                false
            }
            _ => false,
        }
    }

    /// One call or more, without an enclosing form.
    fn joined(&self, call: Node) -> Node {
        let between = Node::literal(self.forms.between);
        let more = Node::sequence([between, call.clone()]).repeat(0, None);
        Node::sequence([call, more])
    }

    /// A part of a message that contains calls.
    fn block(&mut self, form: &Form, block: &mut Block, around: &Around) -> Walked {
        Ok(match form {
            Form::Literal(text) => Node::literal(text.as_str()),
            Form::LineStart => Node::empty(),
            Form::Skipped(text) => {
                block.skip.clone_from(text);
                Node::literal(text.as_str())
            }
            Form::Captured(Capture::Any) => Node::literal(block.skip.clone()),
            Form::Sequence(forms) => {
                let mut nodes = Vec::new();
                for (n, form) in forms.iter().enumerate() {
                    let mut around = around.clone();
                    around.after.splice(0..0, texts(&forms[n + 1..], |_| None));
                    nodes.push(self.block(form, block, &around)?);
                }
                Node::sequence(nodes)
            }
            Form::Choice(alternatives) => {
                let mut order: Vec<&Alternative> = alternatives.iter().collect();
                let is_list = block.is_many && !block.is_repeated;
                order.sort_by_key(|one| is_list && !one.repeats_calls);
                // A single call may have its own form.
                let own = alternatives
                    .first()
                    .filter(|one| is_list && !one.repeats_calls);
                let mut alone = Block {
                    is_many: false,
                    ..block.clone()
                };
                let list = self.first_block(order.iter().map(|one| &one.form), block, around)?;
                match own.map(|one| self.block(&one.form, &mut alone, around)) {
                    Some(Ok(one)) if alone.has_call => Node::choice([one, list]),
                    Some(Err(Unfit::Grammar(error))) => return Err(Unfit::Grammar(error)),
                    _ => list,
                }
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
                (block.is_repeated, block.more) = (true, true);
                let one = self.block(inner, block, around)?;
                block.more = false;
                let last = self.block(inner, block, around)?;
                block.is_repeated = false;
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

    /// The calls that the rules of a name write. Tools without a fitting rule are removed from the block.
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
        writer.is_lark = self.options.target == Target::Lark;
        let mut inputs = self.options.inputs.iter();
        writer.input = inputs.find(|input| input.tool == tool.name).copied();
        let walked = walk.call(form, tool, &mut writer, around);
        if walked.is_err() {
            self.notes.truncate(n_notes);
        }
        let node = walked?;
        Ok(Node::Rule(self.rules.add(tool.name, node)))
    }
}

/// The head of a model turn at the start of an opener: `<|start|>assistant`.
fn turn_head(opener: &str) -> Option<&str> {
    const ROLE: &str = "assistant";
    let end = opener.find(ROLE)? + ROLE.len();
    (opener.starts_with('<') && end < opener.len()).then(|| &opener[..end])
}
