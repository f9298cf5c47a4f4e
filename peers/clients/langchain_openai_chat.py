"""langchain-openai: `ChatOpenAI.stream()`. It does not show reasoning of other servers."""

from functools import reduce

from judge import GATEWAY, judge
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI

HISTORY = [
    HumanMessage("Read a.rs."),
    AIMessage("", tool_calls=[{"name": "read_file", "args": {"path": "a.rs"}, "id": "call_1"}]),
    ToolMessage("hello", tool_call_id="call_1"),
]
ENDS = {"tool_calls": "call"}


def ask(model, scenario, tools):
    tools = [{"type": "function", "function": tool} for tool in tools]
    chat = ChatOpenAI(model=model, base_url=GATEWAY + "/v1", api_key="any", max_retries=0)
    chat = chat.bind_tools(tools, **({"tool_choice": "required"} if scenario == "choice" else {}))
    messages = HISTORY if scenario == "result" else [HumanMessage("Read a.rs.")]
    whole = reduce(lambda a, b: a + b, chat.stream(messages))
    assert not whole.invalid_tool_calls, whole
    end = whole.response_metadata["finish_reason"]
    calls = [[call["name"], call["args"]] for call in whole.tool_calls]
    return {"text": whole.text, "reasoning": None, "calls": calls, "end": ENDS.get(end, end)}


judge("langchain-openai", ask, without=["freeform"])
