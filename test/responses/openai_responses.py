"""Uses the Responses API with OpenAI's own Python package, and prints what it saw as JSON.

Arguments: the base URL, and the text that makes the toy model call tools and then answer in words.
"""

import json
import sys

import openai
from place import Place

base_url, rounds = sys.argv[1:]
client = openai.OpenAI(base_url=base_url, api_key="none", max_retries=0)
model = "vllm-toy"
YES = '<<{"answer":"Yes."}>>'

WEATHER = {
    "type": "function",
    "name": "get_weather",
    "strict": False,
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def streamed():
    text = ""
    with client.responses.stream(model=model, input=YES) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                text += event.delta
        return [text, stream.get_final_response().output_text]


def parsed():
    response = client.responses.parse(model=model, input="Where to?", text_format=Place)
    return response.output_parsed.model_dump(mode="json")


def answer(streams, **body):
    if not streams:
        return client.responses.create(model=model, tools=[WEATHER], **body)
    with client.responses.stream(model=model, tools=[WEATHER], **body) as stream:
        return stream.get_final_response()


def loop(streams):
    seen, body = [], {"input": rounds}
    for _ in range(5):
        response = answer(streams, **body)
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return [*seen, response.output_text]
        outputs = []
        for call in calls:
            city = json.loads(call.arguments)["city"]
            seen.append(city)
            outputs.append({"type": "function_call_output", "call_id": call.call_id, "output": f"sunny in {city}"})
        body = {"input": outputs, "previous_response_id": response.id}
    return seen


json.dump(
    {
        "created": client.responses.create(model=model, input=YES).output_text,
        "streamed": streamed(),
        "parsed": parsed(),
        "loop": loop(False),
        "streamed loop": loop(True),
    },
    sys.stdout,
)
