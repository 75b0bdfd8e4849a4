"""Parses answers and runs tools with OpenAI's own Python package, and prints what it saw as JSON.

Arguments: the base URL, and the text that makes the toy model call tools and then answer in words.
"""

import json
import sys

import openai
from place import Place

base_url, rounds = sys.argv[1:]
client = openai.OpenAI(base_url=base_url, api_key="none", max_retries=0)
model = "vllm-toy"

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def asked(text="Where to?"):
    return {"model": model, "messages": [{"role": "user", "content": text}]}


def parsed():
    response = client.chat.completions.parse(**asked(), response_format=Place)
    return response.choices[0].message.parsed.model_dump(mode="json")


def parsed_call():
    tool = openai.pydantic_function_tool(Place, name="find_place")
    choice = {"type": "function", "function": {"name": "find_place"}}
    response = client.chat.completions.parse(**asked(), tools=[tool], tool_choice=choice)
    (call,) = response.choices[0].message.tool_calls
    return {"name": call.function.name, "arguments": call.function.parsed_arguments.model_dump(mode="json")}


def streamed_parsed():
    with client.chat.completions.stream(**asked(), response_format=Place) as stream:
        return stream.get_final_completion().choices[0].message.parsed.model_dump(mode="json")


def answer(messages, streams):
    body = {"model": model, "messages": messages, "tools": [WEATHER]}
    if not streams:
        return client.chat.completions.create(**body).choices[0].message
    with client.chat.completions.stream(**body) as stream:
        return stream.get_final_completion().choices[0].message


def loop(streams):
    seen, messages = [], asked(rounds)["messages"]
    for _ in range(5):
        message = answer(messages, streams)
        messages.append(message)
        if not message.tool_calls:
            return [*seen, message.content]
        for call in message.tool_calls:
            city = json.loads(call.function.arguments)["city"]
            seen.append(city)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": f"sunny in {city}"})
    return seen


json.dump(
    {
        "parsed": parsed(),
        "parsed call": parsed_call(),
        "streamed parsed": streamed_parsed(),
        "loop": loop(False),
        "streamed loop": loop(True),
    },
    sys.stdout,
)
