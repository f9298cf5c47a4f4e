"""A scripted server for agents: it reads a file with the agent's own tool, then changes it, then says that it is done.

The model's name is the dialect in which the calls are written, as text. What has been done is counted from the conversation, and the
path comes from the prompt (`FILE=/path`). With a second argument, requests are kept in that file.
"""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "clients"))
import upstream as clients

OLD, NEW = "fn old_name() {}", "fn new_name() {}"


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


def answer(dialect, body):
    tools = [tool.get("function", {}).get("name") for tool in body.get("tools") or []]
    path = re.search(r"FILE=([^\s\"\\<]+)", json.dumps(body["messages"]))
    if not tools or not path:
        return "A title", "stop", "whole"
    results = [message for message in body["messages"] if message["role"] == "tool"]
    write = clients.DIALECTS[dialect]
    if not results:
        return "I read it.\n" + write([reading(tools, path[1])]), "stop", "whole"
    if len(results) == 1:
        # What was read has to be there.
        if OLD not in json.dumps(results[0]["content"]):
            return f"The result is not the file: {results[0]}", "stop", "whole"
        return "I change it.\n" + write([writing(tools, path[1])]), "stop", "whole"
    return f"Done after {len(results)} results: {str(results[-1]['content'])[:300]}", "stop", "whole"


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
