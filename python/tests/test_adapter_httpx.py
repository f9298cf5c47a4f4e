"""The transport for httpx, with the client of OpenAI and a text server on the loopback."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Iterator

import pytest

httpx = pytest.importorskip("httpx", reason="SKIPPED: httpx is not here")
openai = pytest.importorskip("openai", reason="SKIPPED: openai is not here")

from text_server import ASKED, CALL, CUT, TOOLS, TextServer, text_server
from toolglot.adapters.httpx_transport import AsyncToolTransport, ToolTransport


@pytest.fixture
def server() -> Iterator[TextServer]:
    with text_server() as made:
        yield made


def client(server: TextServer) -> Any:
    return openai.OpenAI(base_url=server.url, api_key="k", max_retries=0, http_client=httpx.Client(transport=ToolTransport("hermes")))


def streamed(chunks: Any) -> dict[str, Any]:
    answer: dict[str, Any] = {"content": "", "calls": [], "finish": None}
    for chunk in chunks:
        for choice in chunk.choices:
            answer["content"] += choice.delta.content or ""
            answer["calls"] += [(c.index, c.function.name, c.function.arguments) for c in choice.delta.tool_calls or []]
            answer["finish"] = choice.finish_reason or answer["finish"]
    return answer


@pytest.mark.parametrize("text", ["", "Hello <tool", f"I go. {CALL}", f"{CALL} and {CALL}", f"I go. {CUT}", f"{CALL}{CUT}"])
@pytest.mark.parametrize("finish", ["stop", "length"])
def test_a_client_gets_native_calls_whole_and_streamed(server: TextServer, text: str, finish: str) -> None:
    server.text, server.finish = text, finish
    ask = client(server).chat.completions.create
    whole = ask(model="m", messages=ASKED, tools=TOOLS).choices[0]
    calls = [(n, c.function.name, c.function.arguments) for n, c in enumerate(whole.message.tool_calls or [])]
    assert [(name, json.loads(arguments)) for _, name, arguments in calls] == [("at", {"line": 7})] * text.count(CALL)
    assert whole.finish_reason == ("tool_calls" if calls and finish == "stop" else finish)
    assert ("was not made" in (whole.message.content or "")) == text.endswith(CUT)
    parts = streamed(ask(model="m", messages=ASKED, tools=TOOLS, stream=True))
    assert parts == {"content": whole.message.content or "", "calls": calls, "finish": whole.finish_reason}


def test_the_server_sees_text_alone(server: TextServer) -> None:
    server.text = "Done."
    call = {"id": "c1", "type": "function", "function": {"name": "at", "arguments": '{"line": 7}'}}
    results = [{"role": "tool", "tool_call_id": "c1", "content": "seven"}, {"role": "tool", "tool_call_id": "c2", "content": "eight"}]
    turn = {"role": "assistant", "content": None, "tool_calls": [call, {**call, "id": "c2"}]}
    client(server).chat.completions.create(model="m", messages=[*ASKED, turn, *results], tools=TOOLS, tool_choice="auto", temperature=0)
    request = server.requests[0]
    assert not {"tools", "tool_choice"} & set(request) and request["temperature"] == 0
    system, _, assistant, user = request["messages"]
    assert system["content"].startswith("Be brief.") and "Goes to a line." in system["content"]
    assert assistant["content"].count("<tool_call>") == 2 and "tool_calls" not in assistant
    assert user["role"] == "user" and "seven" in user["content"] and "eight" in user["content"]
    client(server).chat.completions.create(model="m", messages=ASKED, tools=TOOLS, tool_choice="none")
    assert server.requests[1]["messages"] == ASKED
    client(server).chat.completions.create(model="m", messages=ASKED)
    assert server.requests[2]["messages"] == ASKED


def test_an_error_of_the_server_passes(server: TextServer) -> None:
    server.status = 500
    for stream in [False, True]:
        with pytest.raises(openai.InternalServerError):
            client(server).chat.completions.create(model="m", messages=ASKED, tools=TOOLS, stream=stream)


def test_asynchronous_clients_are_served_too(server: TextServer) -> None:
    server.text = f"I go. {CALL}"

    async def ask() -> tuple[Any, list[Any]]:
        async with httpx.AsyncClient(transport=AsyncToolTransport("hermes")) as http:
            create = openai.AsyncOpenAI(base_url=server.url, api_key="k", http_client=http).chat.completions.create
            whole = await create(model="m", messages=ASKED, tools=TOOLS)
            return whole, [chunk async for chunk in await create(model="m", messages=ASKED, tools=TOOLS, stream=True)]

    whole, chunks = asyncio.run(ask())
    assert whole.choices[0].message.tool_calls[0].function.arguments == '{"line": 7}'
    parts = streamed(chunks)
    assert (parts["content"], parts["calls"], parts["finish"]) == ("I go. ", [(0, "at", '{"line": 7}')], "tool_calls")
