"""A scripted server for agents: it reads a file with the agent's own tool, then changes it, then says that it is done.

The model's name is the dialect in which the calls are written, as text. What has been done is counted from the conversation, and the
path comes from the prompt (`FILE=/path`). `upstream.py PORT FILE` keeps the requests in that file.

In the gateway's mode `emulate` the tools are in the instructions, and results are messages of the user.
"""

import html
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "clients"))
import upstream as clients

OLD, NEW = "fn old_name() {}", "fn new_name() {}"
# The tools that are used, of all agents.
KNOWN = {"read", "edit", "Read", "Edit", "exec_command", "shell", "apply_patch"}


def patch(path):
    return f"*** Begin Patch\n*** Update File: {path}\n@@\n-{OLD}\n+{NEW}\n*** End Patch"


def reading(tools, path):
    """A call that reads, with the agent's tools."""
    if "read" in tools:
        return ("read", {"filePath": path})
    if "Read" in tools:
        return ("Read", {"file_path": path})
    if "exec_command" in tools:
        return ("exec_command", {"cmd": f"cat {path}"})
    return ("shell", {"command": ["cat", path]})


def writing(tools, path):
    """A call that changes the file."""
    if "edit" in tools:
        return ("edit", {"filePath": path, "oldString": OLD, "newString": NEW})
    if "Edit" in tools:
        return ("Edit", {"file_path": path, "old_string": OLD, "new_string": NEW})
    if "apply_patch" in tools:
        return ("apply_patch", {"input": patch(path)})
    heredoc = f"apply_patch <<'EOF'\n{patch(path)}\nEOF"
    if "exec_command" in tools:
        return ("exec_command", {"cmd": heredoc})
    return ("shell", {"command": ["bash", "-lc", heredoc]})


def names(body):
    """The names of the agent's tools, which are in the request or in the instructions."""
    native = [tool.get("function", {}).get("name") for tool in body.get("tools") or []]
    taught = re.findall(r"^#+ `?(\w+)`?$", "\n".join(text(m) for m in body["messages"] if m["role"] == "system"), re.M)
    return native or [name for name in taught if name in KNOWN]


def text(message):
    content = message["content"] or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def answer(dialect, body):
    tools, messages = names(body), body["messages"]
    path = re.search(r"FILE=([^\s\"\\<]+)", json.dumps(messages))
    if not tools or not path:
        return "A title", "stop", "whole"
    # Each message of the model made a call.
    n = sum(message["role"] == "assistant" for message in messages)
    result = text(messages[-1])
    write = clients.DIALECTS[dialect]
    if n == 0:
        return "I read it.\n" + write([reading(tools, path[1])]), "stop", "whole"
    if n == 1:
        # What was read has to be there.
        if OLD not in html.unescape(result):
            return f"The result is not the file: {result}", "stop", "whole"
        return "I change it.\n" + write([writing(tools, path[1])]), "stop", "whole"
    return f"Done after {n} results: {result[:300]}", "stop", "whole"


class Handler(clients.Handler):
    def scripted(self, body):
        if len(sys.argv) > 2:
            with open(sys.argv[2], "a") as log:
                log.write(json.dumps(body) + "\n")
        return *answer(body["model"], body), "tokens"


if __name__ == "__main__":
    server = clients.Server(("127.0.0.1", int(sys.argv[1])), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
