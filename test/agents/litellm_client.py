"""LiteLLM through one route: a completion, a stream, a call of a tool with its result, and two errors.

The one argument is JSON: the keyword arguments of every call, and the prompts by their names.
"""

import json
import sys

import litellm

task = json.loads(sys.argv[1])
connection, prompts = task["connection"], task["prompts"]
tool = {
    "type": "function",
    "function": {
        "name": "lookup",
        "description": "Looks a shell up.",
        "parameters": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
    },
}


def complete(messages, **options):
    return litellm.completion(messages=messages, num_retries=0, **{**connection, **options})


def user(text):
    return {"role": "user", "content": text}


def streamed():
    pieces = [chunk.choices[0].delta.content for chunk in complete([user(prompts["chat"])], stream=True)]
    texts = [piece for piece in pieces if piece]
    return {"text": "".join(texts), "is_streamed": len(texts) > 1}


def tool_loop(is_stream):
    """The calls of the model, and its text after their results."""
    messages = [user(prompts["work"])]
    response = complete(messages, tools=[tool], stream=is_stream)
    if is_stream:
        response = litellm.stream_chunk_builder(list(response), messages=messages)
    message = response.choices[0].message
    calls = message.tool_calls or []
    messages.append(message.model_dump(exclude_none=True))
    messages += [{"role": "tool", "tool_call_id": call.id, "content": "A whelk."} for call in calls]
    after = complete(messages, tools=[tool]).choices[0].message
    return {
        "calls": [[call.function.name, json.loads(call.function.arguments)] for call in calls],
        "text": after.content,
    }


def error(**options):
    try:
        complete([user(prompts["long"])], **options)
    except Exception as raised:
        return type(raised).__name__
    return None


completion = complete([user(prompts["chat"])])
result = {
    "completion": completion.choices[0].message.content,
    "is_usage_reported": completion.usage.prompt_tokens > 0 and completion.usage.completion_tokens > 0,
    "stream": streamed(),
    "tools": tool_loop(False),
    "streamed_tools": tool_loop(True),
    "overflow": error(model=task["small_model"]),
    "wrong_key": error(api_key="wrong"),
}
print(json.dumps(result))
