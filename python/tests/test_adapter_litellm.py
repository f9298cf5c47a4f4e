"""The callback for LiteLLM, around LiteLLM's own requests to a text server on the loopback."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any, Iterator

import pytest

# LiteLLM asks the network for prices otherwise.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
litellm = pytest.importorskip("litellm", reason="SKIPPED: litellm is not here")

from text_server import ASKED, CALL, CUT, TOOLS, TextServer, text_server
from toolglot.adapters.litellm_callback import ToolCallback


@pytest.fixture
def server() -> Iterator[TextServer]:
    with text_server() as made:
        yield made


async def asked(server: TextServer, callback: ToolCallback, **body: Any) -> Any:
    """One request as LiteLLM's proxy makes it: the hooks around `acompletion`."""
    data = {"model": "openai/m", "messages": ASKED, **body}
    data = await callback.async_pre_call_hook(None, None, data, "acompletion")
    response = await litellm.acompletion(**data, api_base=server.url, api_key="k", max_retries=0)
    if not body.get("stream"):
        return await callback.async_post_call_success_hook(data, None, response)
    return [chunk async for chunk in callback.async_post_call_streaming_iterator_hook(None, response, data)]


def streamed(chunks: list[Any]) -> dict[str, Any]:
    answer: dict[str, Any] = {"content": "", "calls": [], "finish": None}
    for chunk in chunks:
        for choice in chunk.choices:
            answer["content"] += choice.delta.content or ""
            answer["calls"] += [(c.index, c.function.name, c.function.arguments) for c in choice.delta.tool_calls or []]
            answer["finish"] = choice.finish_reason or answer["finish"]
    return answer


@pytest.mark.parametrize("text", ["", "Hello <tool", f"I go. {CALL}", f"{CALL}\n{CALL}", f"I go. {CUT}"])
@pytest.mark.parametrize("finish", ["stop", "length"])
def test_a_client_gets_native_calls_whole_and_streamed(server: TextServer, text: str, finish: str) -> None:
    server.text, server.finish = text, finish
    callback = ToolCallback("hermes")
    whole = asyncio.run(asked(server, callback, tools=TOOLS)).choices[0]
    calls = [(n, c.function.name, c.function.arguments) for n, c in enumerate(whole.message.tool_calls or [])]
    assert [(name, json.loads(arguments)) for _, name, arguments in calls] == [("at", {"line": 7})] * text.count(CALL)
    assert whole.finish_reason == ("tool_calls" if calls and finish == "stop" else finish)
    assert ("was not made" in (whole.message.content or "")) == text.endswith(CUT)
    parts = streamed(asyncio.run(asked(server, callback, tools=TOOLS, stream=True)))
    assert parts == {"content": whole.message.content or "", "calls": calls, "finish": whole.finish_reason}
    request = server.requests[0]
    assert "tools" not in request and "Goes to a line." in request["messages"][0]["content"]


def test_other_models_and_requests_pass(server: TextServer) -> None:
    server.text = CALL
    other = ToolCallback("hermes", models=["another"])
    whole = asyncio.run(asked(server, other, tools=TOOLS)).choices[0]
    assert whole.message.content == CALL and server.requests[0]["tools"] == TOOLS
    whole = asyncio.run(asked(server, ToolCallback("hermes"))).choices[0]
    assert whole.message.content == CALL and server.requests[1]["messages"] == ASKED
    embedding = {"model": "m", "input": "x", "tools": TOOLS}
    passed = asyncio.run(ToolCallback().async_pre_call_hook(None, None, embedding, "aembedding"))
    assert passed is embedding and passed["tools"] == TOOLS
