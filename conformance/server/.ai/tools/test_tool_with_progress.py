import json
import sys
import time

__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = ""
__tool_description__ = "Tells how far it is"

CONFIG_SCHEMA = {"type": "object", "properties": {}}


def execute(params: dict, project_path: str) -> dict:
    for progress in (0, 50, 100):
        print(json.dumps({"progress": progress, "total": 100}), file=sys.stderr, flush=True)
        time.sleep(0.05)
    return {"success": True, "output": "it is done"}
