"""A scripted server of Chat Completions: the model's name says what is answered.

`SCENARIO.DIALECT.CUT`, for example `parallel.hermes.bytes`. It keeps nothing between requests. `GET /scenarios` lists what a
client has to see for each. Calls are written as text, as models of each dialect write them; the server parses nothing.

`upstream.py CASES` also replays the messages of that file, which `cases.py` writes; these models are called `case/N/CUT`.
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ONE = [("read_file", {"path": "a.rs"})]
TWO = [("read_file", {"path": "a.rs"}), ("read_file", {"path": "b \"c\" ü.rs"})]
PATCH = "*** Begin Patch\n*** Update File: a.rs\n@@\n-old \"x\"\n+new\n*** End Patch"


def hermes(calls):
    return "\n".join("<tool_call>\n" + json.dumps({"name": n, "arguments": a}, ensure_ascii=False) + "\n</tool_call>" for n, a in calls)


def qwen3_coder(calls):
    def one(name, arguments):
        parameters = "".join(f"<parameter={k}>\n{v}\n</parameter>\n" for k, v in arguments.items())
        return f"<tool_call>\n<function={name}>\n{parameters}</function>\n</tool_call>"
    return "\n".join(one(*call) for call in calls)


def glm45(calls):
    def one(name, arguments):
        pairs = "".join(f"<arg_key>{k}</arg_key>\n<arg_value>{v}</arg_value>\n" for k, v in arguments.items())
        return f"<tool_call>{name}\n{pairs}</tool_call>"
    return "\n".join(one(*call) for call in calls)


def mistral(calls):
    return "[TOOL_CALLS]" + json.dumps([{"name": n, "arguments": a} for n, a in calls], ensure_ascii=False)


def deepseek_v31(calls):
    one = "".join(f"<｜tool▁call▁begin｜>{n}<｜tool▁sep｜>{json.dumps(a, ensure_ascii=False)}<｜tool▁call▁end｜>" for n, a in calls)
    return f"<｜tool▁calls▁begin｜>{one}<｜tool▁calls▁end｜>"


DIALECTS = {f.__name__: f for f in (hermes, qwen3_coder, glm45, mistral, deepseek_v31)}
CUTS = ["bytes", "tokens", "whole"]


# Recorded messages by the name of their model.
CASES = {}


def seen(text="I look.", calls=(), end="call", reasoning=""):
    return {"text": text, "calls": [list(call) for call in calls], "end": end, "reasoning": reasoning}


# What a client has to see; `error`: it raises, or ends with one.
SCENARIOS = {
    "one": seen(calls=ONE),
    "parallel": seen(calls=TWO),
    "reasoning": seen(calls=ONE, reasoning="Which file? a.rs."),
    "around": seen("Before.\n\nAfter.", ONE),
    "truncation": seen(end="length"),
    "garbage": seen(end="error"),
    "disconnect": seen(end="error"),
    "choice": seen("", ONE),
    "result": seen("It says: hello", end="stop"),
    "freeform": seen(calls=[("apply_patch", PATCH)]),
}


def answer(scenario, dialect, body):
    """The text, why it ends, and how the stream ends."""
    write = DIALECTS[dialect]
    messages = body["messages"]
    if scenario == "one":
        return "I look.\n" + write(ONE), "stop", "whole"
    if scenario == "parallel":
        return "I look.\n" + write(TWO), "stop", "whole"
    if scenario == "reasoning":
        return "<think>Which file? a.rs.</think>\n\nI look.\n" + write(ONE), "stop", "whole"
    if scenario == "around":
        # A list of calls in brackets ends the message of this model.
        after = "" if dialect == "mistral" else "\nAfter."
        return "Before.\n" + write(ONE) + after, "stop", "whole"
    if scenario == "truncation":
        whole = write(ONE)
        return "I look.\n" + whole[: whole.index("a.rs") + 2], "length", "whole"
    if scenario in ("garbage", "disconnect"):
        whole = write(ONE)
        return "I look.\n" + whole[: whole.index("a.rs") + 2], "stop", scenario
    if scenario == "choice":
        # The first answer has no call: the gateway asks once more.
        is_again = messages[-1]["role"] == "user" and "needed" in str(messages[-1]["content"])
        return (write(ONE) if is_again else "I would rather talk."), "stop", "whole"
    if scenario == "result":
        results = [m for m in messages if m["role"] == "tool"]
        calls = [c for m in messages if m["role"] == "assistant" for c in m.get("tool_calls") or []]
        is_paired = len(calls) == len(results) == 1 and calls[0]["id"] == results[0]["tool_call_id"]
        content = results[0]["content"] if is_paired else f"unpaired: {messages}"
        if isinstance(content, list):
            content = "".join(part.get("text", "") for part in content)
        return f"It says: {content}", "stop", "whole"
    if scenario == "freeform":
        return "I look.\n" + write([("apply_patch", {"input": PATCH})]), "stop", "whole"
    raise ValueError(scenario)


def cut_text(text, cut):
    size = {"bytes": 1, "tokens": 4, "whole": len(text)}[cut]
    return [text[at:at + size] for at in range(0, len(text), size)]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def scripted(self, body):
        # Some gateways have a name of their own for the model: then the first message names it.
        named = [body["model"], *re.findall(r"(?:case|open)/\d+/\w+", json.dumps(body["messages"]))]
        model = next((name for name in named if name in CASES), None)
        case = CASES.get(model)
        if case:
            ending = case["ending"]
            finish, end = (ending, "whole") if ending in ("stop", "length") else ("stop", ending)
            return case["text"], finish, end, model.rsplit("/", 1)[1]
        scenario, dialect, cut = body["model"].split(".")
        return *answer(scenario, dialect, body), cut

    def do_GET(self):
        if self.path == "/scenarios":
            cases = [{key: case[key] for key in ("group", "id", "model", "tools", "want")} for case in CASES.values()]
            self.send(200, {"scenarios": SCENARIOS, "dialects": list(DIALECTS), "cuts": CUTS, "cases": cases})
        elif self.path.startswith("/v1/models"):
            self.send(200, {"object": "list", "data": [{"id": "one.hermes.whole", "object": "model"}]})
        else:
            self.send(404, {"error": {"message": "not found"}})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        if self.path != "/v1/chat/completions":
            return self.send(404, {"error": {"message": "not found"}})
        text, finish, end, cut = self.scripted(body)
        if not body.get("stream") and end == "whole":
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": finish}
            usage = {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}
            return self.send(200, {"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage})
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

        def event(delta, finish_reason=None):
            choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
            return "data: " + json.dumps({"id": "x", "choices": [choice]}) + "\n\n"

        events = [event({"role": "assistant", "content": ""})]
        events += [event({"content": piece}) for piece in cut_text(text, cut)]
        if end == "garbage":
            events.append('data: {"choices": [{"delta": {"conte\n\n')
        if end != "disconnect":
            events.append(event({}, finish))
            usage = {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}
            events.append("data: " + json.dumps({"id": "x", "choices": [], "usage": usage}) + "\n\n")
            events.append("data: [DONE]\n\n")
        stream = "".join(events).encode()
        size = {"bytes": 1, "tokens": 37, "whole": len(stream)}[cut]
        if cut == "bytes":
            # Each byte is a chunk of its own; a write for each would measure the system.
            framed = b"".join(b"1\r\n" + stream[at:at + 1] + b"\r\n" for at in range(len(stream)))
            for at in range(0, len(framed), 997):
                self.wfile.write(framed[at:at + 997])
        else:
            for at in range(0, len(stream), size):
                piece = stream[at:at + size]
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        if end == "disconnect":
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            CASES.update((case["model"], case) for case in json.load(file))
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
