__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = ""
__tool_description__ = "Fails"

CONFIG_SCHEMA = {"type": "object", "properties": {}}


def execute(params: dict, project_path: str) -> dict:
    if params.get("works"):
        return {"success": True, "output": "it worked"}
    raise RuntimeError("This tool intentionally returns an error for testing")
