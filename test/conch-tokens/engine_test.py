"""The differences between vLLM's versions."""

import asyncio
import unittest
from types import SimpleNamespace

from conch_vllm.engine import Engine
from harness import end
from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.v1.engine.async_llm import AsyncLLM


class Renderers(unittest.TestCase):
    def prompt_of(self, render):
        """The prompt that reaches `generate` of an engine with this renderer."""

        async def generate():
            llm = AsyncLLM.from_engine_args(AsyncEngineArgs())
            if render is not None:
                llm.renderer = SimpleNamespace(render_cmpl_async=render)
            llm.on_call = lambda call: call.queue.put_nowait(end())
            sampling = SimpleNamespace(extra_args=None)
            outputs = Engine(llm, SimpleNamespace()).generate({"prompt": "a"}, sampling, "1", lora=None, priority=0)
            self.assertEqual([output.finished async for output in outputs], [True])
            return llm.calls[0].prompt

        return asyncio.run(generate())

    def test_without_one(self):
        self.assertEqual(self.prompt_of(None), {"prompt": "a"})

    def test_with_one(self):
        async def render(prompts, tok_params=None, *, prompt_extras=None):
            return [{"rendered": prompt} for prompt in prompts]

        self.assertEqual(self.prompt_of(render), {"rendered": {"prompt": "a"}})

    def test_the_one_of_0_16(self):
        async def render(prompts, tok_params, *, prompt_extras=None):
            raise AssertionError

        self.assertEqual(self.prompt_of(render), {"prompt": "a"})

