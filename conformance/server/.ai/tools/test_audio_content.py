__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = ""
__tool_description__ = "Gives a sound"

CONFIG_SCHEMA = {"type": "object", "properties": {}}


def execute(params: dict, project_path: str) -> dict:
    data = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
    return {"success": True, "content": [{"type": "audio", "data": data, "mimeType": "audio/wav"}]}
