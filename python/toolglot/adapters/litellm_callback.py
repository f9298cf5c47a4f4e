"""A callback for LiteLLM's proxy that gives its clients native tools from models that write them as text.

In the proxy's configuration: `litellm_settings: {callbacks: my_tools.callback}`, and in `my_tools.py` beside it
`callback = ToolCallback("hermes", models=["local"])`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from typing import Any

from litellm.integrations.custom_logger import CustomLogger
from litellm.types.utils import ModelResponse, ModelResponseStream

from toolglot.adapters._text_request import TextAnswer, TextRequest

# Where the request keeps what its answer is read by, as JSON: LiteLLM copies and logs it.
_KEY = "toolglot"


class ToolCallback(CustomLogger):
    """Teaches the tools of a request in a dialect, and reads the calls of the answer.

    `models` are the names that clients ask for; without it all models are taught.
    """

    def __init__(self, dialect: str = "hermes", models: Collection[str] | None = None) -> None:
        super().__init__()
        self._dialect = dialect
        self._models = None if models is None else frozenset(models)

    async def async_pre_call_hook(self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: Any) -> Any:
        is_ours = self._models is None or data.get("model") in self._models
        if call_type not in ("completion", "acompletion") or not is_ours or not TextRequest.is_needed(data):
            return data
        asked = TextRequest(data, self._dialect)
        known = {"tools": data.get("tools"), "tool_choice": data.get("tool_choice")}
        # LiteLLM goes on with this dict, and gives it to the other hooks.
        data.clear()
        data.update(asked.body)
        data["metadata"] = {**(data.get("metadata") or {}), _KEY: known}
        return data

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:
        answer = self._answer(data)
        if answer is None or not isinstance(response, ModelResponse):
            return response
        read = ModelResponse(**answer.completion(response.model_dump()))
        # Costs and headers are kept here.
        read._hidden_params = response._hidden_params
        return read

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: dict[str, Any]
    ) -> AsyncIterator[Any]:
        answer = self._answer(request_data)
        if answer is None:
            async for chunk in response:
                yield chunk
            return
        stream = answer.stream()
        last = None
        async for chunk in response:
            if not isinstance(chunk, ModelResponseStream):
                yield chunk
                continue
            last = chunk
            changed = stream.chunk(chunk.model_dump())
            if changed is not None:
                yield ModelResponseStream(**changed)
        choices = stream.finish()
        if choices and last is not None:
            yield ModelResponseStream(**{**last.model_dump(exclude={"usage"}), "choices": choices})

    def _answer(self, data: dict[str, Any]) -> TextAnswer | None:
        known = (data.get("metadata") or {}).get(_KEY)
        return None if known is None else TextAnswer(self._dialect, known["tools"], known["tool_choice"])
