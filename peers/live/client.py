"""Official clients use a tool of a real small model: `client.py GATEWAY`. The model's name is the dialect that it is taught.

The conversation has used the tool before, as a model of this size needs to see how it is done; its last call was never answered. In each dialect openai-python (streamed) and anthropic-python ask a question, run the one call, and ask again with its result. It counts
if the call is the right one by value and the last answer has what only the result says.
"""

import json
import sys

import anthropic
import openai

NAME, DESCRIPTION = "get_weather", "Get the current weather in a city."
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CITIES = ["Paris", "Oslo", "Lima", "Cairo"]


# What was asked and answered before.
BEFORE = [("Rome", "sunny with 24 degrees"), ("Berlin", None)]


def question(city):
    return {"role": "user", "content": f"What is the weather in {city}?"}


def openai_history():
    messages = []
    for at, (city, weather) in enumerate(BEFORE):
        function = {"name": NAME, "arguments": json.dumps({"city": city})}
        messages += [
            question(city),
            {"role": "assistant", "content": None, "tool_calls": [{"id": f"call_{at}", "type": "function", "function": function}]},
        ]
        text = f"The weather in {city} is {weather}."
        if weather:
            messages += [{"role": "tool", "tool_call_id": f"call_{at}", "content": text}, {"role": "assistant", "content": text}]
    return messages


def anthropic_history():
    messages = []
    for at, (city, weather) in enumerate(BEFORE):
        used = {"type": "tool_use", "id": f"toolu_{at}", "name": NAME, "input": {"city": city}}
        messages += [question(city), {"role": "assistant", "content": [used]}]
        text = f"The weather in {city} is {weather}."
        if weather:
            result = {"type": "tool_result", "tool_use_id": used["id"], "content": text}
            messages += [{"role": "user", "content": [result]}, {"role": "assistant", "content": text}]
    return messages


def weather(city):
    return f"The weather in {city} is foggy with 13 degrees."


def with_openai(url, dialect, city):
    client = openai.OpenAI(base_url=url + "/v1", api_key="any", max_retries=0)
    tools = [{"type": "function", "function": {"name": NAME, "description": DESCRIPTION, "parameters": SCHEMA}}]
    messages = [*openai_history(), question(city)]

    def ask():
        with client.chat.completions.stream(model=dialect, messages=messages, tools=tools, max_tokens=120) as stream:
            stream.until_done()
            return stream.get_final_completion().choices[0].message

    message = ask()
    calls = [(call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls or []]
    if len(calls) != 1:
        return calls, message.content
    made = [{"id": c.id, "type": "function", "function": {"name": c.function.name, "arguments": c.function.arguments}} for c in message.tool_calls]
    messages.append({"role": "assistant", "content": message.content, "tool_calls": made})
    messages.append({"role": "tool", "tool_call_id": made[0]["id"], "content": weather(**calls[0][1])})
    return calls, ask().content or ""


def with_anthropic(url, dialect, city):
    client = anthropic.Anthropic(base_url=url, api_key="any", max_retries=0)
    tools = [{"name": NAME, "description": DESCRIPTION, "input_schema": SCHEMA}]
    messages = [*anthropic_history(), question(city)]
    answer = client.messages.create(model=dialect, max_tokens=120, messages=messages, tools=tools)
    used = [block for block in answer.content if block.type == "tool_use"]
    calls = [(block.name, block.input) for block in used]
    text = lambda answer: "".join(block.text for block in answer.content if block.type == "text")
    if len(calls) != 1:
        return calls, text(answer)
    messages.append({"role": "assistant", "content": [block.model_dump() for block in answer.content]})
    result = {"type": "tool_result", "tool_use_id": used[0].id, "content": weather(**calls[0][1])}
    messages.append({"role": "user", "content": [result]})
    return calls, text(client.messages.create(model=dialect, max_tokens=120, messages=messages, tools=tools))


def main(url, *dialects):
    print("| client | dialect | right calls | results used |\n|---|---|--:|--:|")
    failed = False
    for dialect in dialects:
        for client in (with_openai, with_anthropic):
            n_calls = n_used = 0
            for city in CITIES:
                try:
                    calls, text = client(url, dialect, city)
                except Exception as error:
                    calls, text = [], repr(error)
                is_right = calls == [(NAME, {"city": city})]
                is_used = is_right and "13" in text and "fog" in text.lower()
                n_calls, n_used = n_calls + is_right, n_used + is_used
                if not is_used:
                    print(f"{dialect}, {client.__name__}, {city}: {calls} {text!r}"[:400], file=sys.stderr)
            print(f"| {client.__name__[5:]}-python | `{dialect}` | {n_calls} of {len(CITIES)} | {n_used} of {len(CITIES)} |", flush=True)
            failed |= n_used == 0
    sys.exit(failed)


if __name__ == "__main__":
    main(*sys.argv[1:])
