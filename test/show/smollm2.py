"""Chats with the embedded model through OpenAI's package: streamed, twice at once, and with a JSON schema."""

import asyncio
import json
import sys

from openai import AsyncOpenAI, OpenAI

url, model = sys.argv[1:]
schema = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 20},
        "legs": {"type": "integer", "minimum": 0, "maximum": 8},
        "habitat": {"enum": ["sea", "land"]},
    },
    "required": ["name", "legs", "habitat"],
    "additionalProperties": False,
}


async def streamed(client, word):
    messages = [{"role": "user", "content": f"Say something about {word}."}]
    stream = await client.chat.completions.create(
        model=model, messages=messages, max_tokens=24, seed=7, stream=True, stream_options={"include_usage": True}
    )
    texts, usage, reason = [], None, None
    async for chunk in stream:
        usage = chunk.usage or usage
        for choice in chunk.choices:
            texts.append(choice.delta.content or "")
            reason = choice.finish_reason or reason
    return {"text": "".join(texts), "tokens": usage.completion_tokens, "reason": reason}


async def twice():
    async with AsyncOpenAI(base_url=url, api_key="none") as client:
        return await asyncio.gather(streamed(client, "shells"), streamed(client, "waves"))


together = asyncio.run(twice())
client = OpenAI(base_url=url, api_key="none")
answer = client.chat.completions.create(
    model=model,
    messages=[{"role": "user", "content": "Describe a crab as JSON."}],
    max_tokens=100,
    seed=7,
    response_format={"type": "json_schema", "json_schema": {"name": "animal", "schema": schema, "strict": True}},
)
print(json.dumps({"together": together, "animal": answer.choices[0].message.content, "reason": answer.choices[0].finish_reason}))
