//! Writes the history and the tools as text of a dialect, for a model whose template has no tools.

use toolglot_engine::{CallText, Dialect, ResultText, ResultWriter, ToolSet};
use toolglot_value::{Value, json};

use super::parts::first_other;
use super::{Request, RequestError};
use crate::conversation::ConversionReport;
use crate::{Converter, SourceForm, TargetForm, ToolChoice, WireError};

/// Writes histories in a dialect, after instructions that teach it. It is created once for a set of tools, and shared.
#[derive(Debug)]
pub struct Emulation<'d> {
    converter: Converter<'d>,
    instructions: String,
    block: ResultBlock,
}

/// The text around and between the results of one turn.
#[derive(Debug, Default)]
struct ResultBlock {
    before: String,
    gap: String,
    after: String,
}

impl<'d> Emulation<'d> {
    /// `toolglot_chat::instructions` creates instructions that teach `dialect`; `server` is the server of a call
    /// without a server in the source.
    ///
    /// # Errors
    /// [`WireError::Program`] if the dialect cannot be compiled with these tools.
    pub fn new(
        dialect: &'d Dialect,
        tools: &ToolSet,
        instructions: impl Into<String>,
        server: Option<&'d str>,
    ) -> Result<Emulation<'d>, WireError> {
        let to = TargetForm::Text {
            dialect,
            tools: tools.clone(),
            server,
        };
        Ok(Emulation {
            converter: Converter::new(SourceForm::Structured, to, false)?,
            instructions: instructions.into(),
            block: ResultBlock::of(dialect).unwrap_or_default(),
        })
    }

    /// The messages of a request: only roles that every template supports, equal neighbors merged, contents as strings.
    pub(super) fn messages(&self, request: &Request) -> Result<Vec<Value>, RequestError> {
        for one in &request.history {
            if let Some((n, kind)) = first_other(&one.message["content"]) {
                let at = format!("{}.content[{n}]", one.at);
                let why =
                    format!("the model reads text alone, and this part is of the type `{kind}`");
                return Err(RequestError::new(at, why));
            }
        }
        let source: Vec<Value> = request
            .history
            .iter()
            .map(|one| one.message.clone())
            .collect();
        let mut report = ConversionReport::default();
        let converted = self.converter.messages(&source, &mut report);
        for left in &report.left {
            let (n, why) = place(left).ok_or_else(|| RequestError::new("$", left.as_str()))?;
            let one = &request.history[n];
            // A text that only the converter reads as a call stays a text.
            if one.message["role"] == "tool" || one.message["tool_calls"].is_array() {
                return Err(RequestError::new(one.at.as_str(), why));
            }
        }
        let mut messages: Vec<Value> = Vec::with_capacity(converted.len() + 1);
        let instructions = self.instructions_for(request);
        let mut waiting = Some(instructions).filter(|text| !text.is_empty());
        let mut results: Vec<&str> = Vec::new();
        for message in &converted {
            let text = message["content"].as_str().unwrap_or_default();
            let role = match message["role"].as_str().unwrap_or_default() {
                // Templates accept instructions only at the start.
                "developer" | "system" if waiting.is_some() || !is_begun(&messages) => "system",
                "assistant" => "assistant",
                "tool" => {
                    results.push(text);
                    continue;
                }
                _ => "user",
            };
            if role != "system"
                && let Some(instructions) = waiting.take()
            {
                add(&mut messages, "system", &instructions);
            }
            let block = self.block.text(&std::mem::take(&mut results));
            add(&mut messages, "user", &block);
            add(&mut messages, role, text);
        }
        add(&mut messages, "user", &self.block.text(&results));
        if let Some(instructions) = waiting {
            add(&mut messages, "system", &instructions);
        }
        Ok(messages)
    }

    /// The instructions about the tools in this request.
    fn instructions_for(&self, request: &Request) -> String {
        if request.tools.is_empty() || request.choice == ToolChoice::None {
            return String::new();
        }
        let mut text = self.instructions.trim_end().to_owned();
        let names = |names: &[String]| {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            names.join(" or ")
        };
        let choice = match &request.choice {
            ToolChoice::Required => "Your next message must call a tool.".to_owned(),
            ToolChoice::Of { names: only, .. } if only.is_empty() => String::new(),
            ToolChoice::Of {
                names: only,
                is_required: true,
            } => {
                format!("Your next message must call {}.", names(only))
            }
            ToolChoice::Of {
                names: only,
                is_required: false,
            } => {
                format!(
                    "Of the tools, your next message may call {} alone.",
                    names(only)
                )
            }
            ToolChoice::Auto | ToolChoice::None => String::new(),
        };
        let parallel = if request.is_parallel {
            ""
        } else {
            "Call at most one tool per message."
        };
        for sentence in [&*choice, parallel] {
            if !sentence.is_empty() {
                text.push_str("\n\n");
                text.push_str(sentence);
            }
        }
        text
    }
}

impl ResultBlock {
    /// The frame of a dialect's result block, derived from its results; `None` if they do not show it.
    fn of(dialect: &Dialect) -> Option<ResultBlock> {
        let writer = ResultWriter::new(dialect);
        let result = |text| ResultText {
            call: CallText {
                name: "f",
                arguments: "{}",
                server: None,
                id: Some("1"),
            },
            text,
            failed: false,
            is_json: false,
        };
        let (one, other) = (result("one"), result("other"));
        let texts = [&one, &other].map(|result| writer.result(result));
        let both = writer.results(&[one, other]).text;
        let (before, rest) = both.split_once(&*texts[0])?;
        let (gap, after) = rest.split_once(&*texts[1])?;
        Some(ResultBlock {
            before: before.to_owned(),
            gap: gap.to_owned(),
            after: after.to_owned(),
        })
    }

    /// The results of one turn; each of `results` was written as a single result.
    fn text(&self, results: &[&str]) -> String {
        let inner = |text: &&str| {
            let text = text.strip_prefix(&*self.before)?;
            Some(text.strip_suffix(&*self.after)?.to_owned())
        };
        let all: Option<Vec<String>> = results.iter().map(inner).collect();
        match all {
            Some(all) if all.len() > 1 => {
                let (before, after) = (&self.before, &self.after);
                format!("{before}{}{after}", all.join(&self.gap))
            }
            _ => results.join("\n\n"),
        }
    }
}

/// Whether the messages contain anything but instructions.
fn is_begun(messages: &[Value]) -> bool {
    messages.last().is_some_and(|last| last["role"] != "system")
}

/// Appends a text to the last message if it has this role, or adds a message.
fn add(messages: &mut Vec<Value>, role: &str, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    match messages.last_mut().filter(|last| last["role"] == role) {
        Some(last) => {
            let before = last["content"].as_str().unwrap_or_default();
            let joined = format!("{}\n\n{text}", before.trim_end_matches('\n'));
            last["content"] = Value::String(joined);
        }
        None => messages.push(json!({"role": role, "content": text})),
    }
}

/// The index of a message in a line of the report, and why it is unchanged.
fn place(left: &str) -> Option<(usize, &str)> {
    let (n, why) = left.strip_prefix("messages[")?.split_once("]: ")?;
    Some((n.parse().ok()?, why))
}
