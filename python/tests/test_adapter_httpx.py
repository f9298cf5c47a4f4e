"""The transport for httpx, with the client of OpenAI and a text server on the loopback."""

from __future__ import annotations

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Iterator

import pytest

httpx = pytest.importorskip("httpx", reason="SKIPPED: httpx is not here")
openai = pytest.importorskip("openai", reason="SKIPPED: openai is not here")

from toolglot.adapters.httpx_transport import AsyncToolTransport, ToolTransport

TOOL = {"name": "at", "description": "Goes to a line.", "parameters": {"type": "object", "properties": {"line": {"type": "integer"}}}}
TOOLS: Any = [{"type": "function", "function": TOOL}]
CALL = '<tool_call>{"name": "at", "arguments": {"line": 7}}</tool_call>'
CUT = '<tool_call>{"name": "at", "arguments": {"line": 7'
ASKED: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where?"}]


class TextServer:
    """Answers each request with one text, and keeps the requests."""

    def __init__(self) -> None:
        self.text, self.finish, self.status = "", "stop", 200
        self.requests: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.requests.append(body)
                is_stream = body.get("stream", False) and outer.status == 200
                self.send_response(outer.status)
                self.send_header("content-type", "text/event-stream" if is_stream else "application/json")
                self.end_headers()
                self.wfile.write(outer.events() if is_stream else json.dumps(outer.whole()).encode())

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def whole(self) -> dict[str, Any]:
        message = {"role": "assistant", "content": self.text}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}

    def events(self) -> bytes:
        deltas: list[tuple[dict[str, Any], str | None]] = [({"role": "assistant", "content": ""}, None)]
        deltas += [({"content": letter}, None) for letter in self.text] + [({}, self.finish)]
        chunks = [{**self.whole(), "object": "chat.completion.chunk"} for _ in deltas]
        for chunk, (delta, reason) in zip(chunks, deltas):
            chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": reason}]
        return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode() + b"data: [DONE]\n\n"


@pytest.fixture
def server() -> Iterator[TextServer]:
    made = TextServer()
    thread = threading.Thread(target=made.http.serve_forever, daemon=True)
    thread.start()
    yield made
    made.http.shutdown()
    made.http.server_close()
    thread.join()


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
