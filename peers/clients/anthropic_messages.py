"""anthropic-python: `messages.stream()`."""

import anthropic
from judge import GATEWAY, judge

client = anthropic.Anthropic(base_url=GATEWAY, api_key="any", max_retries=0)
USER = {"role": "user", "content": "Read a.rs."}
HISTORY = [
    USER,
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"path": "a.rs"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "hello"}]},
]
ENDS = {"tool_use": "call", "max_tokens": "length", "end_turn": "stop"}


def ask(model, scenario, tools):
    tools = [{"name": t["name"], "description": t["description"], "input_schema": t["parameters"]} for t in tools]
    extra = {"tool_choice": {"type": "any"}} if scenario == "choice" else {}
    messages = HISTORY if scenario == "result" else [USER]
    with client.messages.stream(model=model, max_tokens=1000, messages=messages, tools=tools, **extra) as stream:
        for _ in stream:
            pass
        final = stream.get_final_message()
    assert final.usage.output_tokens == 9 or scenario in ("choice", "result"), final.usage
    of = lambda kind: [block for block in final.content if block.type == kind]
    return {
        "text": "".join(block.text for block in of("text")),
        "reasoning": "".join(block.thinking for block in of("thinking")),
        "calls": [[block.name, block.input] for block in of("tool_use")],
        "end": ENDS[final.stop_reason],
    }


judge("anthropic-python", ask, without=["freeform"])
