"""Uses Conch with Ollama's own Python package, and prints what it saw as JSON.

Arguments: the base URL, and the text that makes the toy model call tools and then answer in words.
"""

import json
import sys

import ollama

base_url, rounds = sys.argv[1:]
client = ollama.Client(host=base_url)
MODEL = "vllm-toy"
YES = [{"role": "user", "content": '<<{"answer":"Yes."}>>'}]
NINE = '<<{"tokens":9}>>'
FAILING = [{"role": "user", "content": '<<{"tokens":5,"error_at":2}>>'}]
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def get_weather(city: str) -> str:
    """The weather of a city.

    Args:
      city: its name
    """
    return f"sunny in {city}"


def answer(streams, messages, **more):
    """The text and the calls of an answer."""
    if not streams:
        message = client.chat(model=MODEL, messages=messages, **more).message
        return message.content or "", list(message.tool_calls or [])
    text, calls = "", []
    for part in client.chat(model=MODEL, messages=messages, stream=True, **more):
        text += part.message.content or ""
        calls += part.message.tool_calls or []
    return text, calls


def loop(streams):
    seen, messages = [], [{"role": "user", "content": rounds}]
    for _ in range(5):
        text, calls = answer(streams, messages, tools=[get_weather])
        if not calls:
            return [*seen, text]
        messages.append({"role": "assistant", "content": text, "tool_calls": calls})
        for call in calls:
            city = call.function.arguments["city"]
            seen.append(city)
            messages.append({"role": "tool", "tool_name": call.function.name, "content": get_weather(city)})
    return seen


def generated():
    whole = client.generate(model=MODEL, prompt=NINE, options={"num_predict": 2})
    return [whole.response, whole.done_reason, whole.eval_count]


def wrong_model():
    try:
        client.chat(model="nobody", messages=YES)
    except ollama.ResponseError as error:
        return [error.status_code, error.error]
    return None


def fails_in_a_stream():
    try:
        answer(True, FAILING)
    except ollama.ResponseError as error:
        return error.error.startswith("The backend failed")
    return False


parts = client.generate(model=MODEL, prompt=NINE, options={"num_predict": 2}, stream=True)
json.dump(
    {
        "chat": answer(False, YES)[0],
        "streamed chat": answer(True, YES)[0],
        "generated": generated(),
        "streamed generation": "".join(part.response for part in parts),
        "form": json.loads(answer(False, [{"role": "user", "content": "Where?"}], format=CITY)[0]),
        "vectors": [len(vector) for vector in client.embed(model="vllm-embed", input=["a", "b"]).embeddings],
        "listed": "vllm-toy:latest" in [entry.model for entry in client.list().models],
        "running": "vllm-toy:latest" in [entry.model for entry in client.ps().models],
        "shown": client.show(MODEL).capabilities,
        "wrong model": wrong_model(),
        "fault in a stream": fails_in_a_stream(),
        "loop": loop(False),
        "streamed loop": loop(True),
    },
    sys.stdout,
)
