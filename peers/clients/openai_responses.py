"""openai-python: `responses.stream()`."""

import json

import openai
from judge import GATEWAY, judge

client = openai.OpenAI(base_url=GATEWAY + "/v1", api_key="any", max_retries=0)
PATCH = {"type": "custom", "name": "apply_patch", "description": "Patches files."}
USER = {"role": "user", "content": "Read a.rs."}
HISTORY = [
    USER,
    {"type": "function_call", "call_id": "call_1", "name": "read_file", "arguments": '{"path": "a.rs"}'},
    {"type": "function_call_output", "call_id": "call_1", "output": "hello"},
]


def ask(model, scenario, tools):
    tools = [{"type": "function", "strict": False, **tool} for tool in tools] + ([] if scenario == "case" else [PATCH])
    extra = {"tool_choice": "required"} if scenario == "choice" else {}
    items = HISTORY if scenario == "result" else [USER]
    pieces = {}
    with client.responses.stream(model=model, input=items, tools=tools, **extra) as stream:
        for event in stream:
            if event.type in ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta"):
                pieces[event.item_id] = pieces.get(event.item_id, "") + event.delta
            if event.type in ("error", "response.failed"):
                raise RuntimeError(event.type)
            if event.type == "response.incomplete":
                final = event.response
            elif event.type == "response.completed":
                final = event.response
    text, reasoning, calls = "", "", []
    for item in final.output:
        if item.type == "message":
            text += "".join(part.text for part in item.content)
        elif item.type == "reasoning":
            reasoning += "".join(part.text for part in [*(item.summary or []), *(item.content or [])])
        elif item.type == "function_call":
            assert pieces[item.id] == item.arguments
            calls.append([item.name, json.loads(item.arguments)])
        elif item.type == "custom_tool_call":
            assert pieces[item.id] == item.input
            calls.append([item.name, item.input])
    end = "length" if final.status == "incomplete" else "call" if calls else "stop"
    return {"text": text, "calls": calls, "end": end, "reasoning": reasoning}


judge("openai-python responses", ask)
