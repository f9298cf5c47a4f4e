"""A server over lines with one tool, which exceeds one setting of a sandbox."""
import json, sys


def answer(message):
    if message["method"] == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "keys", "version": "1"}}
    if message["method"] == "tools/list":
        schema = {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]}
        return {"tools": [{"name": "act", "description": "Exceeds one setting of a sandbox", "inputSchema": schema}]}
    try:
        shown, failed = act(message["params"]["arguments"]["what"]), False
    except Exception as error:
        shown, failed = repr(error), True
    return {"content": [{"type": "text", "text": shown}], "isError": failed}


def serve():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer(message)}), flush=True)


