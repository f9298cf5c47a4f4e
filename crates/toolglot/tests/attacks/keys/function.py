"""Exceeds one setting of a sandbox."""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python/function"
__category__ = "keys"
__tool_description__ = "Exceeds one setting of a sandbox"
__requires__ = ["fs.write", "net.http"]

CONFIG_SCHEMA = {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]}


def execute(params: dict, project_path: str) -> dict:
    os.chdir(project_path)
    return {"success": True, "output": act(params["what"])}


