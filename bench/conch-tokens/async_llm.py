"""An engine that gives each running request a token per interval, handed out like vLLM's AsyncLLM does.

model.json has `interval_ms`. Steps are due by the clock, as if they came from vLLM's engine process: an event loop that
is late catches up. Outputs that a consumer has not taken are joined, as in vLLM.
"""

import asyncio
from types import SimpleNamespace

from vllm.sampling_params import RequestOutputKind

TEXT = " word"


class Choice:
    __slots__ = ("index", "token_ids", "text", "logprobs", "cumulative_logprob", "finish_reason", "stop_reason")

    def __init__(self, token_ids, text, finish_reason):
        self.index = 0
        self.token_ids = token_ids
        self.text = text
        self.logprobs = None
        self.cumulative_logprob = None
        self.finish_reason = finish_reason
        self.stop_reason = None


class Output:
    __slots__ = ("outputs", "finished", "prompt_token_ids", "prompt_logprobs", "num_cached_tokens", "metrics")

    def __init__(self, choice, prompt_token_ids):
        self.outputs = [choice]
        self.finished = choice.finish_reason is not None
        self.prompt_token_ids = prompt_token_ids
        self.prompt_logprobs = None
        self.num_cached_tokens = 0
        self.metrics = None


class Request:
    """One running request and what its consumer has not taken yet."""

    def __init__(self, prompt_token_ids, sampling):
        self._prompt_token_ids = prompt_token_ids
        self._is_delta = sampling.output_kind == RequestOutputKind.DELTA
        self._token_ids = []
        self._limit = sampling.max_tokens
        self._output = None
        self._ready = asyncio.Event()

    def step(self):
        """Adds a token; returns whether it was the last one."""
        token_id = 100 + len(self._token_ids) % 800
        self._token_ids.append(token_id)
        is_last = len(self._token_ids) == self._limit
        self._put([token_id], "length" if is_last else None)
        return is_last

    def _put(self, token_ids, finish_reason):
        waiting = self._output
        if waiting is not None and self._is_delta:
            choice = waiting.outputs[0]
            choice.token_ids.extend(token_ids)
            choice.text += TEXT
            choice.finish_reason = finish_reason
            waiting.finished = finish_reason is not None
            return
        if not self._is_delta:
            token_ids = self._token_ids
        self._output = Output(Choice(token_ids, TEXT * len(token_ids), finish_reason), self._prompt_token_ids)
        if waiting is None:
            self._ready.set()

    async def get(self):
        while (output := self._output) is None:
            await self._ready.wait()
        self._output = None
        self._ready.clear()
        return output


class AsyncLLM:
    def __init__(self, arguments):
        self._interval = arguments["interval_ms"] / 1000
        self._requests = {}
        self._timer = None
        model = SimpleNamespace(max_model_len=4096, max_logprobs=20, get_vocab_size=lambda: 1000)
        self.vllm_config = SimpleNamespace(
            model_config=model, scheduler_config=SimpleNamespace(policy="fcfs"), lora_config=None
        )
        self.errored = False

    @classmethod
    def from_engine_args(cls, arguments):
        return cls(arguments.arguments)

    def get_tokenizer(self):
        return SimpleNamespace(max_token_id=999)

    async def generate(self, prompt, sampling_params, request_id, *, lora_request=None, priority=0):
        prompt_token_ids = prompt["prompt_token_ids"] if isinstance(prompt, dict) else [1, 2, 3]
        request = Request(prompt_token_ids, sampling_params)
        self._requests[request_id] = request
        if self._timer is None:
            self._plan(asyncio.get_running_loop().time() + self._interval)
        try:
            finished = False
            while not finished:
                output = await request.get()
                finished = output.finished
                yield output
        finally:
            self._requests.pop(request_id, None)

    async def abort(self, request_id):
        self._requests.pop(request_id, None)

    def shutdown(self):
        self._requests.clear()

    def _plan(self, time):
        self._timer = asyncio.get_running_loop().call_at(time, self._step, time)

    def _step(self, due):
        self._timer = None
        ended = [request_id for request_id, request in self._requests.items() if request.step()]
        for request_id in ended:
            del self._requests[request_id]
        if self._requests:
            # One that is due already runs after the consumers of this step, as in vLLM.
            self._plan(due + self._interval)
