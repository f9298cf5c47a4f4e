__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = ""
__tool_description__ = "Gives a text, an image and a resource"

CONFIG_SCHEMA = {"type": "object", "properties": {}}


def execute(params: dict, project_path: str) -> dict:
    data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwAChAGAZ6N2TwAAAABJRU5ErkJggg=="
    resource = {"uri": "test://mixed-content-resource", "mimeType": "application/json", "text": "{}"}
    return {
        "success": True,
        "content": [
            {"type": "text", "text": "Multiple content types test:"},
            {"type": "image", "data": data, "mimeType": "image/png"},
            {"type": "resource", "resource": resource},
        ],
    }
