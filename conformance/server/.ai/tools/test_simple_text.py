__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = ""
__tool_description__ = "Gives a text"

CONFIG_SCHEMA = {"type": "object", "properties": {}}


def execute(params: dict, project_path: str) -> dict:
    return {"success": True, "output": "This is a simple text response for testing."}
