//! Structural tags, the JSON that xgrammar, vLLM and SGLang take: <https://xgrammar.mlc.ai/docs/structural_tag/index.html>.

use toolglot_value::{Value, json};

use super::{Message, Piece, gbnf, pieces, rest_after};
use crate::Grammar;
use crate::error::{GrammarError, GrammarNote};
use crate::grammar::{Node, Rules};

/// The tag of a message: free text with tags at their triggers, or a sequence where the message is a call.
pub(super) fn message(message: &Message, rules: &Rules) -> Result<Grammar, GrammarError> {
    let mut n_rules = 0;
    let mut notes = Vec::new();
    let mut grammar = |node: &Node| {
        let (text, n) = gbnf::rules_text(node, rules, &[]);
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
            // A tag starts with its trigger; the grammar covers the text after it. A token triggers at the first token
            // of an opener.
            let tokens: Option<Vec<&str>> = message
                .openers
                .iter()
                .map(|opener| match pieces(opener, &message.tokens).first() {
                    Some(Piece::Token(token)) => Some(*token),
                    _ => None,
                })
                .collect();
            let is_token = tokens.is_some();
            let mut triggers =
                tokens.unwrap_or_else(|| message.openers.iter().map(String::as_str).collect());
            triggers.dedup();
            let mut tags: Vec<Value> = Vec::new();
            for &trigger in &triggers {
                let rest = grammar(&rest_after(calls, trigger, rules)?);
                let begin = if is_token {
                    json!({"type": "token", "token": trigger})
                } else {
                    Value::from(trigger)
                };
                tags.push(json!({"type": "tag", "begin": begin, "content": rest, "end": ""}));
            }
            let (kind, word) = if is_token {
                ("token_triggered_tags", "trigger_tokens")
            } else {
                ("triggered_tags", "triggers")
            };
            json!({
                "type": kind,
                word: triggers,
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
