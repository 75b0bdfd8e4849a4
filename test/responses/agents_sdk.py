"""Runs an agent of OpenAI's Agents SDK with a function tool, and prints what it saw as JSON.

Arguments: the base URL, and the text that makes the toy model call tools and then answer in words.
"""

import asyncio
import json
import sys

from agents import Agent, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

base_url, rounds = sys.argv[1:]
set_tracing_disabled(True)
asked = []


@function_tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    asked.append(city)
    return f"sunny in {city}"


async def main():
    client = AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0)
    model = OpenAIResponsesModel(model="vllm-toy", openai_client=client)
    agent = Agent(name="weather", instructions="Answer in words.", tools=[get_weather], model=model)
    answer = (await Runner.run(agent, rounds)).final_output
    streamed = Runner.run_streamed(agent, rounds)
    async for _ in streamed.stream_events():
        pass
    json.dump({"answer": answer, "streamed answer": streamed.final_output, "asked": asked}, sys.stdout)


asyncio.run(main())
