"""A transport for httpx that gives a client of OpenAI's chat API native tools from a server that has only text.

`OpenAI(http_client=httpx.Client(transport=ToolTransport("hermes")))`
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx

from toolglot.adapters._text_request import TextRequest, TextStream


class ToolTransport(httpx.BaseTransport):
    """Teaches the tools of a request in a dialect, and reads the calls of the answer."""

    def __init__(self, dialect: str = "hermes", transport: httpx.BaseTransport | None = None) -> None:
        self._dialect = dialect
        self._transport = transport or httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if not _is_chat(request):
            return self._transport.handle_request(request)
        asked = _asked(request.read(), self._dialect)
        if asked is None:
            return self._transport.handle_request(request)
        response = self._transport.handle_request(_changed(request, asked))
        if _is_stream(response):
            return _answer(response, stream=_Events(response, asked.answer.stream()))
        response.read()
        response.close()
        return _answer(response, content=_whole(response, asked))

    def close(self) -> None:
        self._transport.close()


class AsyncToolTransport(httpx.AsyncBaseTransport):
    """`ToolTransport` for an `AsyncClient`."""

    def __init__(self, dialect: str = "hermes", transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._dialect = dialect
        self._transport = transport or httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not _is_chat(request):
            return await self._transport.handle_async_request(request)
        asked = _asked(await request.aread(), self._dialect)
        if asked is None:
            return await self._transport.handle_async_request(request)
        response = await self._transport.handle_async_request(_changed(request, asked))
        if _is_stream(response):
            return _answer(response, stream=_AsyncEvents(response, asked.answer.stream()))
        await response.aread()
        await response.aclose()
        return _answer(response, content=_whole(response, asked))

    async def aclose(self) -> None:
        await self._transport.aclose()


class _Events(httpx.SyncByteStream):
    def __init__(self, response: httpx.Response, stream: TextStream) -> None:
        self._response = response
        self._lines = _EventLines(stream)

    def __iter__(self) -> Iterator[bytes]:
        for line in self._response.iter_lines():
            yield from self._lines.line(line)
        yield from self._lines.end()

    def close(self) -> None:
        self._response.close()


class _AsyncEvents(httpx.AsyncByteStream):
    def __init__(self, response: httpx.Response, stream: TextStream) -> None:
        self._response = response
        self._lines = _EventLines(stream)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for line in self._response.aiter_lines():
            for piece in self._lines.line(line):
                yield piece
        for piece in self._lines.end():
            yield piece

    async def aclose(self) -> None:
        await self._response.aclose()


class _EventLines:
    """The lines of an event stream. What is no chunk passes as it is."""

    def __init__(self, stream: TextStream) -> None:
        self._stream = stream
        self._last: dict[str, Any] = {}
        self._has_ended = False

    def line(self, line: str) -> Iterator[bytes]:
        data = line[5:].strip() if line.startswith("data:") else None
        if data == "[DONE]":
            yield from self.end()
        chunk = _object(data) if data else None
        if chunk is None or "choices" not in chunk:
            yield line.encode() + b"\n"
            return
        self._last = {key: value for key, value in chunk.items() if key != "usage"}
        changed = self._stream.chunk(chunk)
        if changed is not None:
            yield _data(changed)

    def end(self) -> Iterator[bytes]:
        if not self._has_ended:
            self._has_ended = True
            choices = self._stream.finish()
            if choices:
                yield _data({**self._last, "choices": choices})


def _is_chat(request: httpx.Request) -> bool:
    return request.method == "POST" and request.url.path.endswith("/chat/completions")


def _asked(content: bytes, dialect: str) -> TextRequest | None:
    body = _object(content)
    return TextRequest(body, dialect) if body is not None and TextRequest.is_needed(body) else None


def _changed(request: httpx.Request, asked: TextRequest) -> httpx.Request:
    left = ("content-length", "transfer-encoding", "accept-encoding")
    headers = [(name, value) for name, value in request.headers.multi_items() if name.lower() not in left]
    content = json.dumps(asked.body, ensure_ascii=False).encode()
    return httpx.Request(request.method, request.url, headers=headers, content=content, extensions=request.extensions)


def _is_stream(response: httpx.Response) -> bool:
    return response.is_success and response.headers.get("content-type", "").startswith("text/event-stream")


def _whole(response: httpx.Response, asked: TextRequest) -> bytes:
    """The answer with its calls. An error, and what is no completion, stay as they are."""
    completion = _object(response.content) if response.is_success else None
    if completion is None or not isinstance(completion.get("choices"), list):
        return response.content
    return json.dumps(asked.answer.completion(completion), ensure_ascii=False).encode()


def _answer(response: httpx.Response, **content: Any) -> httpx.Response:
    left = ("content-length", "transfer-encoding", "content-encoding")
    headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in left]
    return httpx.Response(response.status_code, headers=headers, extensions=response.extensions, **content)


def _object(text: str | bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _data(chunk: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n"
