//! The parts of a message around calls: reasoning, text, and text without openers where no call is allowed.

use toolglot_engine::Dialect;
use toolglot_engine::form::Forms;

use crate::calls::CallWriter;
use crate::error::{GrammarError, GrammarNote};
use crate::grammar::{CharClass, Node, RawText};
use crate::print::{self, Message};
use crate::{Grammar, Options, Reasoning, ToolChoice, ToolSchema};

pub(crate) fn grammar(
    dialect: &Dialect,
    tools: &[ToolSchema<'_>],
    options: &Options<'_>,
) -> Result<Grammar, GrammarError> {
    let tools = chosen(tools, options.tool_choice)?;
    let forms = Forms::new(dialect);
    let mut writer = CallWriter::new(dialect, &forms, &tools, options);
    let mut calls = writer.message(options.parallel)?;
    let mut has_text = matches!(options.tool_choice, ToolChoice::Auto | ToolChoice::None);
    let mut notes = std::mem::take(&mut writer.notes);
    let reasoning = reasoning(options.reasoning, &forms, dialect.name(), &mut notes)?;
    if options.tool_choice == ToolChoice::Auto && calls.openers.is_empty() {
        // The whole message is calls or text.
        let text = Node::Text(RawText {
            is_plain: true,
            ..RawText::default()
        });
        calls.node = Node::choice([calls.node, text]);
        has_text = false;
        notes.push(GrammarNote {
            tool: String::new(),
            pointer: String::new(),
            message: "no marker starts these calls: beside them is only text that does not start with `{` or `[`".to_owned(),
        });
    }
    let message = Message {
        reasoning,
        calls: match options.tool_choice {
            ToolChoice::None => None,
            _ => Some(calls.node),
        },
        openers: calls.openers,
        has_text,
        is_parallel: options.parallel,
        tokens: tokens(options, &forms, &mut notes),
    };
    let mut grammar = print::print(options.target, message, &mut writer.rules)?;
    grammar.notes.splice(0..0, notes);
    Ok(grammar)
}

/// The tools that may be called: all, or the named one.
pub(crate) fn chosen<'a>(
    tools: &[ToolSchema<'a>],
    choice: ToolChoice<'_>,
) -> Result<Vec<ToolSchema<'a>>, GrammarError> {
    let chosen = match choice {
        ToolChoice::Named(name) => {
            let Some(tool) = tools.iter().find(|tool| tool.name == name) else {
                return Err(GrammarError::Tools(format!(
                    "the tool choice names `{name}`, which is not in the tool set"
                )));
            };
            vec![*tool]
        }
        _ => tools.to_vec(),
    };
    if chosen.is_empty() {
        return Err(GrammarError::Tools(
            "there is no tool, so no call can be written; give tools".to_owned(),
        ));
    }
    Ok(chosen)
}

/// The markers that can be named as tokens.
fn tokens(options: &Options<'_>, forms: &Forms, notes: &mut Vec<GrammarNote>) -> Vec<String> {
    let mut note = |message: String| {
        notes.push(GrammarNote {
            tool: String::new(),
            pointer: String::new(),
            message,
        });
    };
    let literals = forms.literals();
    let mut tokens = Vec::new();
    for &token in options.tokens {
        let inner = token
            .strip_prefix('<')
            .and_then(|rest| rest.strip_suffix('>'));
        let is_named = inner.is_some_and(|inner| {
            !inner.is_empty()
                && !inner.contains(|c: char| matches!(c, '<' | '>') || c.is_whitespace())
        });
        if !literals.iter().any(|literal| literal.contains(token)) {
            note(format!("the dialect writes no `{token}`"));
        } else if !is_named {
            note(format!(
                "`{token}` is a text in the grammar: only tokens between `<` and `>` have a name"
            ));
        } else {
            tokens.push(token.to_owned());
        }
    }
    tokens
}

/// The reasoning before the answer.
fn reasoning(
    wanted: Reasoning,
    forms: &Forms,
    dialect: &str,
    notes: &mut Vec<GrammarNote>,
) -> Result<Option<Node>, GrammarError> {
    if wanted == Reasoning::None {
        return Ok(None);
    }
    let Some((opener, closer)) = &forms.reasoning else {
        let message = format!("dialect `{dialect}` has no reasoning");
        if wanted == Reasoning::Open {
            return Err(GrammarError::Target(format!(
                "{message}; leave `--reasoning open` out"
            )));
        }
        notes.push(GrammarNote {
            tool: String::new(),
            pointer: String::new(),
            message,
        });
        return Ok(None);
    };
    let blank = Node::Class(CharClass::new(vec![('\n', '\n'), (' ', ' ')])).repeat(0, Some(4));
    let rest = Node::sequence([
        Node::Text(RawText::without(std::slice::from_ref(closer))),
        Node::literal(closer.as_str()),
        blank,
    ]);
    Ok(Some(match wanted {
        Reasoning::Open => rest,
        _ => Node::sequence([Node::literal(opener.as_str()), rest]).optional(),
    }))
}
