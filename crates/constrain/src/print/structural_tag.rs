//! Structural tags, the JSON that xgrammar, vLLM and SGLang take: <https://xgrammar.mlc.ai/docs/structural_tag/index.html>.

use toolglot_value::{Value, json};

use super::{Message, gbnf};
use crate::Grammar;
use crate::error::{GrammarError, GrammarNote};
use crate::grammar::{Node, Rules};

/// The tag of a message: free text with tags at their triggers, or a sequence where the message is a call.
pub(super) fn message(message: &Message, rules: &Rules) -> Result<Grammar, GrammarError> {
    let mut n_rules = 0;
    let mut notes = Vec::new();
    let mut grammar = |node: &Node| {
        let (text, n) = gbnf::rules_text(node, rules);
        n_rules += n;
        json!({"type": "grammar", "grammar": text})
    };
    let answer = match &message.calls {
        None => grammar(&message.free_text()),
        Some(calls) if !message.has_text => grammar(calls),
        Some(calls) => {
            if message.openers.iter().any(|opener| opener.trim().len() < 3) {
                return Err(GrammarError::Target(
                    "no marker starts these calls, so no tag can be triggered; ask for a call (`--tool-choice required`)"
                        .to_owned(),
                ));
            }
            let tags: Vec<Value> = message
                .openers
                .iter()
                .map(|opener| {
                    // The tag starts with its trigger; the grammar goes on after it.
                    let rest = after(calls, opener, rules).unwrap_or_else(|| calls.clone());
                    json!({"type": "tag", "begin": opener.as_str(), "content": grammar(&rest), "end": ""})
                })
                .collect();
            let triggers: Vec<&str> = message.openers.iter().map(String::as_str).collect();
            json!({
                "type": "triggered_tags",
                "triggers": triggers,
                "tags": tags,
                "at_least_one": false,
                "stop_after_first": !message.is_parallel,
            })
        }
    };
    let format = match &message.reasoning {
        None => answer,
        Some(reasoning) => {
            let reasoning = grammar(reasoning);
            json!({"type": "sequence", "elements": [reasoning, answer]})
        }
    };
    if message.calls.is_none() {
        notes.push(GrammarNote {
            tool: String::new(),
            pointer: String::new(),
            message: "text without calls is a grammar here, as tags say only what may start"
                .to_owned(),
        });
    }
    let tag = json!({"type": "structural_tag", "format": format});
    Ok(Grammar {
        text: tag.to_string(),
        triggers: Vec::new(),
        n_rules,
        notes,
    })
}

/// What follows `opener` in a node that may start with it.
fn after(node: &Node, opener: &str, rules: &Rules) -> Option<Node> {
    match node {
        Node::Literal(text) => text.strip_prefix(opener).map(Node::literal),
        Node::Rule(id) => after(rules.node(*id), opener, rules),
        Node::Choice(nodes) => {
            let ways: Vec<Node> = nodes
                .iter()
                .filter_map(|node| after(node, opener, rules))
                .collect();
            (!ways.is_empty()).then(|| Node::choice(ways))
        }
        Node::Sequence(nodes) => {
            let (first, rest) = nodes.split_first()?;
            let rest = rest.iter().cloned();
            match first {
                // The opener goes on in what follows.
                Node::Literal(text) if opener.len() > text.len() => {
                    let opener = opener.strip_prefix(text.as_str())?;
                    after(&Node::sequence(rest), opener, rules)
                }
                first => {
                    let first = after(first, opener, rules)?;
                    Some(Node::sequence([first].into_iter().chain(rest)))
                }
            }
        }
        Node::Repeat(inner, min, max) => {
            let first = after(inner, opener, rules)?;
            let more = inner
                .as_ref()
                .clone()
                .repeat(min.saturating_sub(1), max.map(|max| max.saturating_sub(1)));
            Some(Node::sequence([first, more]))
        }
        Node::Class(_) | Node::Without(..) => None,
    }
}
