"""openai-python: `chat.completions.stream()`."""

import json

import openai
from judge import GATEWAY, judge

client = openai.OpenAI(base_url=GATEWAY + "/v1", api_key="any", max_retries=0)
USER = {"role": "user", "content": "Read a.rs."}
HISTORY = [
    USER,
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a.rs"}'}}]},
    {"role": "tool", "tool_call_id": "call_1", "content": "hello"},
]


def ask(model, scenario, tools):
    tools = [{"type": "function", "function": tool} for tool in tools]
    extra = {"tool_choice": "required"} if scenario == "choice" else {}
    messages = HISTORY if scenario == "result" else [USER]
    reasoning = ""
    calls = []
    try:
        with client.chat.completions.stream(model=model, messages=messages, tools=tools, **extra) as stream:
            for event in stream:
                if event.type == "chunk" and event.chunk.choices:
                    reasoning += getattr(event.chunk.choices[0].delta, "reasoning_content", None) or ""
                if event.type == "tool_calls.function.arguments.done":
                    calls.append([event.name, json.loads(event.arguments)])
            final = stream.get_final_completion()
    except openai.LengthFinishReasonError as error:
        message = error.completion.choices[0].message
        return {"text": message.content or "", "calls": [[c.function.name, json.loads(c.function.arguments)] for c in message.tool_calls or []], "end": "length", "reasoning": reasoning}
    choice = final.choices[0]
    whole = [[c.function.name, json.loads(c.function.arguments)] for c in choice.message.tool_calls or []]
    assert whole == calls, (whole, calls)
    assert final.usage is None or final.usage.total_tokens == 16
    end = {"tool_calls": "call"}.get(choice.finish_reason, choice.finish_reason)
    return {"text": choice.message.content or "", "calls": calls, "end": end, "reasoning": reasoning}


judge("openai-python chat", ask, without=["freeform"])
