//! `dynamo-parsers` 11.0.1: complete texts with recovery at their end, streams through its "jail".

use std::hint::black_box;

use dynamo_parsers::tool_calling::ToolDefinition;
use dynamo_parsers::tool_calling::jail::{Annotated, JailedStream};
use dynamo_parsers::tool_calling::parsers::{
    detect_and_parse_tool_call_with_recovery, get_tool_parser_map,
};
use dynamo_protocols::types::{
    ChatChoiceStream, ChatCompletionMessageContent, ChatCompletionStreamResponseDelta,
    CreateChatCompletionStreamResponse, FinishReason, Role,
};
use futures::StreamExt;
use futures::executor::block_on;

use super::{Out, Reader};
use crate::pushes::Pushes;
use crate::reading::{Ending, Told};
use crate::tools::Tool;

type Chunk = Annotated<CreateChatCompletionStreamResponse>;

/// One of its parsers.
pub struct First {
    parser: &'static str,
    tools: Vec<ToolDefinition>,
}

impl First {
    /// The parser of that name.
    ///
    /// If there is no parser of that name.
    /// If it has none.
    pub fn new(parser: &'static str, tools: &[Tool]) -> First {
        assert!(
            get_tool_parser_map().contains_key(parser),
            "dynamo-parsers has no {parser:?}"
        );
        let tools = tools
            .iter()
            .map(|tool| ToolDefinition {
                name: tool.name.clone(),
                parameters: Some(tool.parameters.clone()),
                strict: None,
            })
            .collect();
        First { parser, tools }
    }
}

impl Reader for First {
    fn name(&self) -> &str {
        "dynamo-parsers"
    }

    fn whole(&self, text: &str, out: Out<'_>) {
        let tools = (!self.tools.is_empty()).then_some(self.tools.as_slice());
        let answer = block_on(detect_and_parse_tool_call_with_recovery(
            text,
            Some(self.parser),
            tools,
        ));
        let Ok((calls, content)) = answer else {
            return;
        };
        out(Told::Text(content.as_deref().unwrap_or_default()));
        for (number, call) in calls.iter().enumerate() {
            out(Told::Begin {
                call: number,
                name: &call.function.name,
            });
            out(Told::Args {
                call: number,
                json: &call.function.arguments,
            });
            out(Told::End {
                call: number,
                ending: Ending::Runs,
            });
        }
    }

    fn pushed(&self, pushes: &Pushes, out: Out<'_>) {
        let mut builder = JailedStream::builder().tool_call_parser(self.parser);
        if !self.tools.is_empty() {
            builder = builder.tool_definitions(self.tools.clone());
        }
        let mut started: Vec<usize> = Vec::new();
        block_on(async {
            let stream = builder.build().apply(futures::stream::iter(chunks(pushes)));
            let mut stream = std::pin::pin!(stream);
            while let Some(chunk) = stream.next().await {
                let choices = chunk.data.map(|data| data.choices).unwrap_or_default();
                for choice in choices {
                    if let Some(ChatCompletionMessageContent::Text(text)) = &choice.delta.content {
                        out(Told::Text(text));
                    }
                    for delta in choice.delta.tool_calls.unwrap_or_default() {
                        let call = delta.index as usize;
                        let function = delta.function.as_ref();
                        if let Some(name) = function.and_then(|function| function.name.as_deref()) {
                            started.push(call);
                            out(Told::Begin { call, name });
                        }
                        if let Some(json) =
                            function.and_then(|function| function.arguments.as_deref())
                        {
                            out(Told::Args { call, json });
                        }
                    }
                }
            }
        });
        for call in started {
            // It has no state for an incomplete call.
            out(Told::End {
                call,
                ending: Ending::Runs,
            });
        }
    }

    fn wrapping(&self, pushes: &Pushes) {
        for chunk in chunks(pushes) {
            black_box(chunk);
        }
    }
}

/// The pieces as responses of a server, followed by one with the finish reason.
fn chunks(pushes: &Pushes) -> impl Iterator<Item = Chunk> + Send + 'static {
    let pushes = pushes.clone();
    let mut index = 0;
    let pieces = std::iter::from_fn(move || {
        let piece = pushes.piece(index)?.to_owned();
        index += 1;
        Some(chunk(Some(piece)))
    });
    pieces.chain(std::iter::once_with(|| chunk(None)))
}

fn chunk(content: Option<String>) -> Chunk {
    #[allow(deprecated)]
    let choice = ChatChoiceStream {
        index: 0,
        finish_reason: content.is_none().then_some(FinishReason::Stop),
        delta: ChatCompletionStreamResponseDelta {
            role: Some(Role::Assistant),
            content: content.map(ChatCompletionMessageContent::Text),
            tool_calls: None,
            function_call: None,
            refusal: None,
            reasoning_content: None,
        },
        logprobs: None,
    };
    Annotated {
        data: Some(CreateChatCompletionStreamResponse {
            id: String::new(),
            choices: vec![choice],
            created: 0,
            model: String::new(),
            system_fingerprint: None,
            object: String::new(),
            usage: None,
            service_tier: None,
        }),
        id: None,
        event: None,
        comment: None,
        error: None,
    }
}
