"""Speaks to a Conch with OpenAI's own Python package, sync and async, and prints what it saw as JSON.

Arguments: the base URL, and the texts that the toy model is to answer one request with and fail another.
"""

import asyncio
import json
import sys

import openai

base_url, answer, failure = sys.argv[1:]
settings = {"base_url": base_url, "api_key": "sesame", "max_retries": 0}
client = openai.OpenAI(**settings)
async_client = openai.AsyncOpenAI(**settings)


def chat(content, **more):
    return {"model": "vllm-toy", "messages": [{"role": "user", "content": content}], **more}


def completion(prompt, **more):
    return {"model": "vllm-toy", "prompt": prompt, **more}


def whole(response):
    choice = response.choices[0]
    text = choice.message.content if hasattr(choice, "message") else choice.text
    return {"text": text, "reason": choice.finish_reason, "tokens": response.usage.total_tokens}


class Streamed:
    """Puts the chunks of a stream together again."""

    def __init__(self):
        self.seen = {"text": "", "reason": None, "tokens": None}

    def add(self, chunk):
        if chunk.usage is not None:
            self.seen["tokens"] = chunk.usage.total_tokens
        for choice in chunk.choices:
            self.seen["text"] += (choice.delta.content if hasattr(choice, "delta") else choice.text) or ""
            self.seen["reason"] = choice.finish_reason or self.seen["reason"]


def stream(create, body):
    streamed = Streamed()
    for chunk in create(**body, stream=True, stream_options={"include_usage": True}):
        streamed.add(chunk)
    return streamed.seen


async def async_stream(create, body):
    streamed = Streamed()
    async for chunk in await create(**body, stream=True, stream_options={"include_usage": True}):
        streamed.add(chunk)
    return streamed.seen


def failed(action):
    try:
        action()
    except openai.APIStatusError as error:
        return {"class": type(error).__name__, "status": error.status_code, "code": error.code, "param": error.param}
    except openai.APIError as error:
        return {"class": type(error).__name__, "code": error.code, "message": error.message}
    return None


async def with_async_client():
    return {
        "async chat": whole(await async_client.chat.completions.create(**chat(answer))),
        "async chat streamed": await async_stream(async_client.chat.completions.create, chat(answer)),
        "async completion": whole(await async_client.completions.create(**completion(answer))),
        "async completion streamed": await async_stream(async_client.completions.create, completion(answer)),
        "async models": sorted([model.id async for model in async_client.models.list()]),
    }


def main():
    create = client.chat.completions.create
    raw = client.chat.completions.with_raw_response.create(**chat(answer, extra_body={"colour": "red"}))
    stranger = openai.OpenAI(base_url=base_url, api_key="wrong", max_retries=0)
    seen = {
        "chat": whole(create(**chat(answer))),
        "chat streamed": stream(create, chat(answer)),
        "completion": whole(client.completions.create(**completion(answer))),
        "completion streamed": stream(client.completions.create, completion(answer)),
        "models": sorted(model.id for model in client.models.list()),
        "model": client.models.retrieve("vllm-toy").id,
        "raw": {"ignored": raw.headers["x-conch-ignored"], "text": whole(raw.parse())["text"]},
        "not found": failed(lambda: create(**{**chat("x"), "model": "nothing"})),
        "bad request": failed(lambda: create(**chat("x", temperature=9))),
        "wrong key": failed(lambda: stranger.models.list()),
        "backend": failed(lambda: create(**chat(failure))),
        "backend streamed": failed(lambda: stream(create, chat(failure))),
    }
    seen.update(asyncio.run(with_async_client()))
    json.dump(seen, sys.stdout)


main()
