"""An agent: the model calls functions until it has its answer, which needs a model whose chat template knows tools.

    pip install openai
    OPENAI_BASE_URL=http://localhost:9000/v1 OPENAI_API_KEY=none OPENAI_MODEL=qwen3 python agent-loop.py
"""

import json
import os

from openai import OpenAI

MOST_ROUNDS = 8


def get_weather(city):
    """Stands in for a service that knows."""
    return f"sunny in {city}"


functions = {"get_weather": get_weather}
tools = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather of a city",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
]

client = OpenAI(
    base_url=os.environ.get("OPENAI_BASE_URL", "http://localhost:9000/v1"),
    api_key=os.environ.get("OPENAI_API_KEY", "none"),
)
model = os.environ.get("OPENAI_MODEL", "qwen3")
messages = [{"role": "user", "content": "How is the weather in the cities of Switzerland?"}]

for _ in range(MOST_ROUNDS):
    message = client.chat.completions.create(model=model, messages=messages, tools=tools).choices[0].message
    messages.append(message.model_dump(exclude_none=True))
    if not message.tool_calls:
        print(message.content)
        break
    for call in message.tool_calls:
        result = functions[call.function.name](**json.loads(call.function.arguments))
        print(f"{call.function.name} {call.function.arguments}: {result}")
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
else:
    raise SystemExit(f"There was no answer after {MOST_ROUNDS} rounds.")
