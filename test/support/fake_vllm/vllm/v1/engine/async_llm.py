"""An engine whose tokens a test hands out: each request has a queue of RequestOutputs, or of errors to throw."""

import asyncio
from types import SimpleNamespace

from .exceptions import EngineDeadError


class AsyncLLM:
    latest = None

    def __init__(self, arguments):
        settings = {"vocabulary": 1000, "max_model_len": 64, "max_logprobs": 20, "policy": "priority", **arguments}
        model = SimpleNamespace(
            max_model_len=settings["max_model_len"],
            max_logprobs=settings["max_logprobs"],
            get_vocab_size=lambda: settings["vocabulary"],
        )
        self.vllm_config = SimpleNamespace(
            model_config=model,
            scheduler_config=SimpleNamespace(policy=settings["policy"]),
            lora_config=SimpleNamespace() if settings.get("enable_lora") else None,
        )
        self.errored = False
        self.calls = []
        self.aborted = []
        self.loaded = []
        self.refused_loads = 0
        self.on_call = lambda _call: None
        self.is_shut_down = False
        AsyncLLM.latest = self

    @classmethod
    def from_engine_args(cls, arguments):
        return cls(arguments.arguments)

    async def get_tokenizer(self):
        return SimpleNamespace(max_token_id=1009)

    async def add_lora(self, request):
        await asyncio.sleep(0)
        if self.refused_loads > 0:
            self.refused_loads -= 1
            raise RuntimeError("rank 999 is too high")
        self.loaded.append(request)
        return True

    async def generate(self, prompt, sampling_params, request_id, *, lora_request=None, priority=0):
        if self.errored:
            raise EngineDeadError("EngineCore encountered an issue.")
        call = SimpleNamespace(
            prompt=prompt,
            sampling=sampling_params,
            id=request_id,
            lora=lora_request,
            priority=priority,
            queue=asyncio.Queue(),
            loop=asyncio.get_running_loop(),
        )
        self.calls.append(call)
        self.on_call(call)
        finished = False
        try:
            while not finished:
                output = await call.queue.get()
                if isinstance(output, Exception):
                    raise output
                finished = output.finished
                yield output
        except (asyncio.CancelledError, GeneratorExit):
            self.aborted.append(request_id)
            raise

    def shutdown(self):
        self.is_shut_down = True
