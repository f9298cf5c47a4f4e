//! Finds calls of known tools in a text by reading it as another dialect.

use std::sync::Arc;

use toolglot_engine::{Call, Code, Note, Place, Program, Span};
use toolglot_toolset::Toolbox;

use super::context::LookalikeContext;
use super::outside::Outside;
use super::words::{names, words};
use crate::reader::Reader;

/// A call that another dialect finds.
#[derive(Debug)]
pub(super) struct OtherCall {
    /// The whole call.
    pub(super) span: Span,
    /// The start of the call with its name, or the opener of a rule that fixes the tool.
    at: Span,
    tool: String,
    dialect: String,
    /// Whether the call is a plain shell block, which also occurs in prose.
    is_shell_block: bool,
}

impl OtherCall {
    pub(super) fn note(&self) -> Note {
        let OtherCall { tool, dialect, .. } = self;
        Note {
            code: Code::UnrecognizedCall,
            span: self.at,
            message: format!(
                "a call of `{tool}` as the dialect `{dialect}` writes it, read as text"
            ),
            help: Some(format!("`--dialect {dialect}` reads it")),
        }
    }
}

/// The calls of known tools outside of what was read, each with its dialect.
pub(super) fn calls(
    context: LookalikeContext<'_>,
    outside: &Outside<'_>,
    tools: Option<&Toolbox>,
) -> Vec<OtherCall> {
    let LookalikeContext {
        cache, dialects, ..
    } = context;
    let mut found = Vec::new();
    let is_asked = |tools: &&Toolbox| cache.has_marked(dialects) && outside.names_one_of(tools);
    if let Some(tools) = tools.filter(is_asked) {
        found.extend(read(context, outside, cache.marked(tools), tools));
    }
    for other in cache.fenced(dialects) {
        let taught = Toolbox::taught(other.dialect.name());
        let Some(tools) = context.toolbox.or(taught) else {
            continue;
        };
        if !other.opens_in(outside.texts()) {
            continue;
        }
        let Some(program) = other.program(tools) else {
            continue;
        };
        let calls = read(context, outside, program, tools);
        // A shell block alone may occur in any answer.
        if calls.iter().any(|call| !call.is_shell_block) {
            found.extend(calls);
        }
    }
    found
}

fn read(
    context: LookalikeContext<'_>,
    outside: &Outside<'_>,
    program: &Arc<Program>,
    tools: &Toolbox,
) -> Vec<OtherCall> {
    let reader = Reader {
        program: Arc::clone(program),
        ..context.reader.clone()
    };
    let reading = reader.read(outside.text.as_bytes());
    let calls = reading.trace.message.calls.iter();
    calls
        .filter(|call| call.place != Place::Reasoning && outside.holds(call.span))
        .filter(|call| {
            context
                .dialects
                .iter()
                .all(|used| used.name() != call.dialect)
        })
        .filter_map(|call| other_call(call, outside.text, tools))
        .collect()
}

fn other_call(call: &Call, text: &str, tools: &Toolbox) -> Option<OtherCall> {
    tools.canonical(&call.name)?;
    let dialect = toolglot_dialects::get(&call.dialect)?;
    let is_shell_block = dialect.split().is_some_and(|(block, _)| {
        let key = format!("\"{block}\"");
        call.arguments.contains(&key)
    });
    let at = if call.name_span.is_empty() {
        opener(call.span, text)?
    } else {
        Span::new(
            call.span.start.min(call.name_span.start),
            call.name_span.end,
        )
    };
    Some(OtherCall {
        span: call.span,
        at,
        tool: call.name.clone(),
        dialect: call.dialect.clone(),
        is_shell_block,
    })
}

/// The word that opens a call whose rule fixes the tool; `None` for punctuation alone, which does not show a call.
fn opener(span: Span, text: &str) -> Option<Span> {
    let call = text.get(span.range())?;
    let end = call
        .find([' ', '\n', '\r', '\t', '>'])
        .unwrap_or(call.len());
    let end = end + usize::from(call[end..].starts_with('>'));
    let has_word = call[..end].contains(|one: char| one.is_alphanumeric());
    // Such a rule has one value, and would read an object of several parameters as this value.
    let is_object = call[end..].trim_start().starts_with('{');
    (has_word && !is_object).then(|| Span::new(span.start, span.start + end as u64))
}

impl Outside<'_> {
    /// Whether the text contains a tool's name as a word.
    fn names_one_of(&self, tools: &Toolbox) -> bool {
        let names = names(tools);
        let mut words = self.texts().flat_map(words);
        words.any(|(_, word)| names.contains_key(word))
    }
}
