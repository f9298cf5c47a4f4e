//! A message in the form of a chat API, written by `toolglot-wire`.

use toolglot_chat::PieceKind;
use toolglot_engine::{Call, CallHead, CallId, End, Event, Finish, Span};
use toolglot_value::{Value, json};
use toolglot_wire::{
    Answer, AnswerHead, Api, CallFilter, CompleteCall, Decision, Ending, FinishReason, Request,
    RequestError,
};

use crate::message::MessageData;

/// What of an answer is a message of its API's conversations.
pub(crate) fn message(
    data: &MessageData,
    api: Api,
    seed: &[u8],
    sends_recovered: bool,
) -> Result<Value, RequestError> {
    let request = Request::read(api, request(api, &data.freeform).to_string().as_bytes())?;
    let head = AnswerHead {
        seed,
        ..AnswerHead::default()
    };
    let mut writer = AnswerWriter {
        answer: Answer::new(&request, head),
        filter: SureCalls { sends_recovered },
    };
    writer.write(data);
    let reason = match data.finish {
        Finish::Stop => FinishReason::Stop,
        Finish::Length => FinishReason::Length,
        Finish::Unknown => FinishReason::Unknown,
    };
    let mut whole = writer.finish(reason);
    let message = match api {
        Api::Chat => whole.pointer_mut("/choices/0/message").map(std::mem::take),
        Api::Responses => whole.get_mut("output").map(std::mem::take),
        Api::Messages => whole
            .get_mut("content")
            .map(std::mem::take)
            .map(|content| json!({"role": "assistant", "content": content})),
    };
    Ok(message.unwrap_or_default())
}

/// A request that the message may answer, with the tools whose calls are no functions.
fn request(api: Api, freeform: &[String]) -> Value {
    let asked = json!([{"role": "user", "content": "any"}]);
    match api {
        Api::Chat => {
            let tool = |name| json!({"type": "custom", "custom": {"name": name}});
            let tools: Vec<Value> = freeform.iter().map(tool).collect();
            json!({"model": "any", "messages": asked, "tools": tools})
        }
        Api::Responses => {
            let tool = |name| json!({"type": "custom", "name": name});
            let tools: Vec<Value> = freeform.iter().map(tool).collect();
            json!({"model": "any", "input": asked, "tools": tools})
        }
        // This API has functions alone.
        Api::Messages => json!({"model": "any", "max_tokens": 1, "messages": asked}),
    }
}

/// Writes a message as its events told it.
struct AnswerWriter {
    answer: Answer,
    filter: SureCalls,
}

impl AnswerWriter {
    fn write(&mut self, data: &MessageData) {
        let mut calls = data.message.calls.iter().enumerate().peekable();
        for piece in &data.pieces {
            while let Some((index, call)) =
                calls.next_if(|(_, call)| call.span.end <= piece.span.start)
            {
                self.call(index, call);
            }
            let text = &data.text.as_str()[piece.span.range()];
            match piece.kind {
                PieceKind::Text => self.push(&Event::Text(text)),
                PieceKind::Reasoning => self.push(&Event::Reasoning(text)),
                PieceKind::Markup
                | PieceKind::CallStart
                | PieceKind::Arguments
                | PieceKind::CallEnd => {}
            }
        }
        for (index, call) in calls {
            self.call(index, call);
        }
    }

    /// Writes a call. Lines of one shell block are calls of one id, and here each has its own.
    fn call(&mut self, index: usize, call: &Call) {
        let id = CallId(index as u32);
        self.push(&Event::CallStart(CallHead {
            call: id,
            dialect: &call.dialect,
            name: &call.name,
            name_span: Span::empty(call.span.start),
            server: call.server.as_deref(),
            id: call.written_id.as_deref(),
            place: call.place,
        }));
        self.push(&Event::Args {
            call: id,
            json: &call.arguments,
        });
        self.push(&Event::CallEnd {
            call: id,
            end: call.end,
        });
    }

    fn push(&mut self, event: &Event<'_>) {
        // Nobody waits for frames: the request is not one for a stream.
        self.answer.push(event, &mut self.filter, &mut Vec::new());
    }

    fn finish(mut self, reason: FinishReason) -> Value {
        let ending = Ending {
            reason,
            ..Ending::default()
        };
        self.answer
            .finish(ending, &mut self.filter, &mut Vec::new());
        self.answer.whole()
    }
}

/// Gives the calls of which nothing was guessed. In place of another stands a text that says so, as from the gateway.
struct SureCalls {
    sends_recovered: bool,
}

impl CallFilter for SureCalls {
    fn streams(&mut self, _: &str) -> bool {
        false
    }

    fn decide(&mut self, call: &CompleteCall<'_>) -> Decision {
        let why = match call.end {
            End::Closed if call.is_object => return Decision::Send,
            End::Recovered if call.is_object && self.sends_recovered => return Decision::Send,
            End::Truncated => "it was cut off",
            End::Closed | End::Recovered => "a part of it was guessed",
        };
        Decision::Text(format!(
            "\n[The call of `{}` was not made, since {why}: {}]\n",
            call.name, call.arguments
        ))
    }
}
