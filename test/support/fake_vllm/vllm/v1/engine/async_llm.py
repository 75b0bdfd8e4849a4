"""An engine whose tokens a test hands out: each request has a queue of RequestOutputs, or of errors to throw.

Behind a tritonserver, `extra_args.script` says what is generated instead: `tokens`, each as text, and `hold`, the number
of tokens after which the request waits until it is aborted. CONCH_TEST_ENGINE is a folder for a file per abort. With the
engine argument `tokenizer`, directives in the prompt say it (toy_llm.py).
"""

import asyncio
import os
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
        self.load_seconds = 0
        self.on_call = lambda _call: None
        self.is_shut_down = False
        AsyncLLM.latest = self

    @classmethod
    def from_engine_args(cls, arguments):
        if "tokenizer" in arguments.arguments:
            from .toy_llm import ToyLLM

            return ToyLLM(arguments.arguments)
        return cls(arguments.arguments)

    async def get_tokenizer(self):
        return SimpleNamespace(
            max_token_id=1009,
            eos_token_id=2,
            decode=lambda token_ids, skip_special_tokens: " ".join(map(str, token_ids)),
        )

    async def add_lora(self, request):
        await asyncio.sleep(self.load_seconds)
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
        script = (sampling_params.extra_args or {}).get("script")
        task = None if script is None else asyncio.ensure_future(play(script, call))
        finished = False
        try:
            while not finished:
                output = joined(await call.queue.get(), call.queue)
                if isinstance(output, Exception):
                    raise output
                finished = output.finished
                yield output
        except (asyncio.CancelledError, GeneratorExit):
            self.aborted.append(request_id)
            folder = os.environ.get("CONCH_TEST_ENGINE")
            if folder is not None:
                with open(os.path.join(folder, request_id), "w", encoding="utf-8"):
                    pass
            raise
        finally:
            if task is not None:
                task.cancel()

    def shutdown(self):
        self.is_shut_down = True


def joined(output, queue):
    """An output with all that follow it in the queue: vLLM joins what its caller has not taken."""
    while not queue.empty() and not isinstance(output, Exception):
        following = queue.get_nowait()
        if isinstance(following, Exception):
            return following
        choices = {choice.index: SimpleNamespace(**vars(choice)) for choice in output.outputs}
        for choice in following.outputs:
            first = choices.get(choice.index)
            choices[choice.index] = choice if first is None else joined_choice(first, choice)
        output = SimpleNamespace(**vars(output))
        output.outputs, output.finished = list(choices.values()), following.finished
    return output


def joined_choice(first, second):
    first.text += second.text
    first.token_ids = [*first.token_ids, *second.token_ids]
    if second.logprobs:
        first.logprobs = [*first.logprobs, *second.logprobs]
    if getattr(second, "spec_decode_metrics", None) is not None:
        first.spec_decode_metrics = second.spec_decode_metrics
    first.finish_reason, first.stop_reason = second.finish_reason, second.stop_reason
    return first


async def play(script, call):
    """Puts out one token per turn of the loop: the id is the position of the token, from 100 on."""
    texts = script["tokens"]
    has_logprobs = call.sampling.logprobs is not None or call.sampling.logprob_token_ids is not None
    for at, text in enumerate(texts):
        if at == script.get("hold"):
            return
        is_last = at == len(texts) - 1
        token_id = 100 + at
        entry = SimpleNamespace(logprob=-at / 8, rank=1)
        choice = SimpleNamespace(
            index=0,
            token_ids=[token_id],
            text=text,
            logprobs=[{token_id: entry}] if has_logprobs else None,
            finish_reason="stop" if is_last else None,
            stop_reason=None,
        )
        call.queue.put_nowait(
            SimpleNamespace(
                outputs=[choice],
                finished=is_last,
                prompt_token_ids=call.prompt.get("prompt_token_ids", []),
                prompt_logprobs=None,
                num_cached_tokens=1,
                metrics=None,
            )
        )
        await asyncio.sleep(script.get("delay", 0))
