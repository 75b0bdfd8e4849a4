"""Uses the Messages API with Anthropic's own Python package, and prints what it saw as JSON.

Arguments: the base URL, and the text that makes the toy model call tools and then answer in words.
"""

import json
import sys

import anthropic

base_url, rounds = sys.argv[1:]
client = anthropic.Anthropic(base_url=base_url, api_key="none", max_retries=0)
YES = [{"role": "user", "content": '<<{"answer":"Yes."}>>'}]

WEATHER = {
    "name": "get_weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def answer(streams, messages, **more):
    body = {"model": "vllm-toy", "max_tokens": 1000, "messages": messages, **more}
    if not streams:
        return client.messages.create(**body)
    with client.messages.stream(**body) as stream:
        return stream.get_final_message()


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def loop(streams):
    seen, messages = [], [{"role": "user", "content": rounds}]
    for _ in range(5):
        message = answer(streams, messages, tools=[WEATHER])
        if message.stop_reason != "tool_use":
            return [*seen, text_of(message)]
        messages.append({"role": "assistant", "content": message.content})
        results = []
        for block in message.content:
            if block.type == "tool_use":
                seen.append(block.input["city"])
                results.append(
                    {"type": "tool_result", "tool_use_id": block.id, "content": f"sunny in {block.input['city']}"}
                )
        messages.append({"role": "user", "content": results})
    return seen


json.dump(
    {
        "created": text_of(answer(False, YES)),
        "streamed": text_of(answer(True, YES)),
        "loop": loop(False),
        "streamed loop": loop(True),
    },
    sys.stdout,
)
