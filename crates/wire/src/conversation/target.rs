//! Writes messages in a dialect.

use toolglot_engine::{CallText, Dialect, Renderer, ToolSet};
use toolglot_value::{Map, Value, json};

use super::fields::{with_reasoning, without_calls};
use super::reader::Reader;
use super::report::ConversionReport;
use super::results::Results;
use super::turn::{Turn, TurnCall};
use crate::{WireError, types_hint};

/// The dialect that messages are written in.
#[derive(Debug)]
pub(super) struct Target<'d> {
    pub(super) dialect: &'d Dialect,
    renderer: Renderer<'d>,
    pub(super) results: Results<'d>,
    server: Option<&'d str>,
    /// Reads written messages back.
    pub(super) reader: Reader,
}

impl<'d> Target<'d> {
    pub(super) fn new(
        dialect: &'d Dialect,
        tools: &ToolSet,
        server: Option<&'d str>,
    ) -> Result<Target<'d>, WireError> {
        Ok(Target {
            dialect,
            renderer: Renderer::new(dialect, tools)?,
            results: Results::new(dialect),
            server,
            reader: Reader::new(std::slice::from_ref(dialect), tools)?,
        })
    }
}

impl Target<'_> {
    /// The message in this dialect, or why it cannot be written.
    pub(super) fn message(
        &self,
        message: &Value,
        turn: &Turn,
        calls: &[TurnCall],
        check: bool,
        report: &mut ConversionReport,
    ) -> Result<Map<String, Value>, String> {
        let texts: Vec<CallText<'_>> = calls
            .iter()
            .map(text_of)
            .map(|call| CallText {
                server: call.server.or(self.server),
                ..call
            })
            .collect();
        let text = if texts.is_empty() {
            &turn.content
        } else {
            turn.content.trim_end()
        };
        let text = self
            .renderer
            .message(text, &texts)
            .map_err(|error| error.reason + &types_hint(self.dialect, &texts))?;
        let back = Turn::of(&json!({"content": text}), Some(&self.reader));
        if calls.is_empty() && (back.fault.is_some() || !back.calls.is_empty()) {
            report.differ += 1;
            return Err(format!(
                "`{}` would read a call in its text",
                self.dialect.name()
            ));
        }
        if check && (back.fault.is_some() || !back.says_the_same(turn)) {
            report.differ += 1;
            return Err(format!("`{}` would read it otherwise", self.dialect.name()));
        }
        let mut fields = without_calls(message);
        fields.insert("content".to_owned(), turn.whole.with(text));
        with_reasoning(&mut fields, turn);
        Ok(fields)
    }
}

/// The call as written.
pub(super) fn text_of(call: &TurnCall) -> CallText<'_> {
    CallText {
        name: &call.name,
        arguments: &call.arguments,
        server: call.server.as_deref().filter(|server| *server != "local"),
        id: call.id.as_deref(),
    }
}
