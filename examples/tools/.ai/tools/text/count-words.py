"""Counts the words of a text file."""

__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "text"
__tool_description__ = "Counts the words of a text file, and tells the most frequent ones"
__requires__ = ["fs.read"]
__tags__ = ["text", "words", "statistics"]

import argparse
import collections
import json
import re
from pathlib import Path

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "file_path": {
            "type": "string",
            "description": "The file, relative to the project",
            "minLength": 1,
        },
        "top": {
            "type": "integer",
            "description": "How many of the most frequent words to tell",
            "default": 5,
            "minimum": 0,
            "maximum": 100,
        },
    },
    "required": ["file_path"],
    "additionalProperties": False,
}


def execute(params: dict, project_path: str) -> dict:
    project = Path(project_path).resolve()
    file_path = (project / params["file_path"]).resolve()
    if not file_path.is_relative_to(project):
        return {"success": False, "error": "Path is outside the project workspace"}
    try:
        words = re.findall(r"\w+", file_path.read_text(encoding="utf-8").lower())
    except OSError as error:
        return {"success": False, "error": f"{params['file_path']}: {error.strerror}"}
    frequent = collections.Counter(words).most_common(params["top"])
    return {"success": True, "data": {"words": len(words), "frequent": dict(frequent)}}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--params", required=True)
    parser.add_argument("--project-path", required=True)
    args = parser.parse_args()
    print(json.dumps(execute(json.loads(args.params), args.project_path)))
