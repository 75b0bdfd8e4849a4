"""Binds tools and asks for structured output with LangChain, and prints what it saw as JSON.

Arguments: the base URL, and the text that makes the toy model call tools and then answer in words.
"""

import json
import sys

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from place import Place

base_url, rounds = sys.argv[1:]
model = ChatOpenAI(base_url=base_url, api_key="none", model="vllm-toy", max_retries=0)


@tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def whole(bound, messages):
    return bound.invoke(messages)


def streamed(bound, messages):
    answer = None
    for chunk in bound.stream(messages):
        answer = chunk if answer is None else answer + chunk
    return answer


def loop(ask):
    bound = model.bind_tools([get_weather])
    seen, messages = [], [HumanMessage(rounds)]
    for _ in range(5):
        answer = ask(bound, messages)
        messages.append(answer)
        if not answer.tool_calls:
            return [*seen, answer.content]
        for call in answer.tool_calls:
            seen.append(f"{call['name']} {json.dumps(call['args'], ensure_ascii=False)}")
            messages.append(ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"]))
    return seen


def structured(method):
    return model.with_structured_output(Place, method=method).invoke("Where to?").model_dump(mode="json")


def names(**choice):
    place = {"title": "find_place", "description": "Finds a place", **Place.model_json_schema()}
    place["title"] = "find_place"
    answer = model.bind_tools([get_weather, place], **choice).invoke("Where to?")
    return [call["name"] for call in answer.tool_calls]


json.dump(
    {
        "loop": loop(whole),
        "streamed loop": loop(streamed),
        "by schema": structured("json_schema"),
        "by function": structured("function_calling"),
        "by mode": model.with_structured_output(None, method="json_mode").invoke("Answer in JSON."),
        "bound to one": names(tool_choice="find_place"),
        "bound to any": names(tool_choice="any"),
    },
    sys.stdout,
)
