"""instructor: typed answers by tools, whole. It takes one call or a list of calls, no text.

Its tools are classes: the recorded cases have none.
"""

from typing import Iterable

import instructor
import openai
from instructor.core.exceptions import IncompleteOutputException
from judge import GATEWAY, judge
from pydantic import BaseModel


class read_file(BaseModel):
    """Reads a file."""

    path: str


def ask(model, scenario, _):
    is_many = scenario == "parallel"
    mode = instructor.Mode.PARALLEL_TOOLS if is_many else instructor.Mode.TOOLS
    client = instructor.from_openai(openai.OpenAI(base_url=GATEWAY + "/v1", api_key="any", max_retries=0), mode=mode)
    shape = Iterable[read_file] if is_many else read_file
    messages = [{"role": "user", "content": "Read a.rs."}]
    try:
        made = client.chat.completions.create(model=model, messages=messages, response_model=shape, max_retries=0)
        made = list(made) if is_many else [made]
    except IncompleteOutputException:
        return {"text": None, "reasoning": None, "calls": [], "end": "length"}
    return {"text": None, "reasoning": None, "calls": [["read_file", one.model_dump()] for one in made], "end": "call"}


judge("instructor", ask, without=["result", "freeform"], with_cases=False)
