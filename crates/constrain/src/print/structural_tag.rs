//! Structural tags, the JSON that xgrammar, vLLM and SGLang take: <https://xgrammar.mlc.ai/docs/structural_tag/index.html>.

use toolglot_value::{Value, json};

use super::{Message, gbnf, rest_after};
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
            if message.openers.is_empty()
                || message.openers.iter().any(|opener| opener.trim().len() < 3)
            {
                return Err(GrammarError::Target(
                    "no marker starts these calls, so no tag can be triggered; ask for a call (`--tool-choice required`)"
                        .to_owned(),
                ));
            }
            let mut tags: Vec<Value> = Vec::new();
            for opener in &message.openers {
                // The tag starts with its trigger; the grammar goes on after it.
                let rest = grammar(&rest_after(calls, opener, rules)?);
                tags.push(
                    json!({"type": "tag", "begin": opener.as_str(), "content": rest, "end": ""}),
                );
            }
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
