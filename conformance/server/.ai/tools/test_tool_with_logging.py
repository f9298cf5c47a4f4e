import json
import sys
import time

__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = ""
__tool_description__ = "Logs while it works"

CONFIG_SCHEMA = {"type": "object", "properties": {}}


def execute(params: dict, project_path: str) -> dict:
    for data in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        print(json.dumps({"level": "info", "data": data}), file=sys.stderr, flush=True)
        time.sleep(0.05)
    return {"success": True, "output": "it logged"}
