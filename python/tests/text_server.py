"""A server of OpenAI's chat API on the loopback that knows no tools."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Iterator

TOOL = {"name": "at", "description": "Goes to a line.", "parameters": {"type": "object", "properties": {"line": {"type": "integer"}}}}
TOOLS: Any = [{"type": "function", "function": TOOL}]
CALL = '<tool_call>{"name": "at", "arguments": {"line": 7}}</tool_call>'
CUT = '<tool_call>{"name": "at", "arguments": {"line": 7'
ASKED: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where?"}]


class TextServer:
    """Answers each request with one text, and keeps the requests. Of several texts the last stays."""

    def __init__(self) -> None:
        self.text, self.finish, self.status = "", "stop", 200
        self.later: list[str] = []
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
                if outer.later:
                    outer.text = outer.later.pop(0)

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


@contextmanager
def text_server() -> Iterator[TextServer]:
    made = TextServer()
    thread = threading.Thread(target=made.http.serve_forever, daemon=True)
    thread.start()
    yield made
    made.http.shutdown()
    made.http.server_close()
    thread.join()
