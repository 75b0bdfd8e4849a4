"""The toy engine of test/support/toy_vllm behind the calls of vLLM's AsyncLLM: prompts steer it with directives."""

import os
from dataclasses import asdict, fields
from types import SimpleNamespace

from toy_vllm.engine import Engine, Generation
from toy_vllm.language import Language
from toy_vllm.sampling import Sampling
from vllm.sampling_params import RequestOutputKind, SamplingParams

from .exceptions import EngineDeadError

_DEFAULTS = asdict(SamplingParams())


class ToyLLM:
    def __init__(self, arguments):
        language = Language(os.path.join(os.environ["CONCH_TEST_TOKENIZERS"], arguments["tokenizer"]))
        self._engine = Engine(language, arguments["max_model_len"])
        self._language = language
        model = SimpleNamespace(
            max_model_len=arguments["max_model_len"],
            max_logprobs=20,
            get_vocab_size=lambda: language.vocabulary_size,
        )
        self.vllm_config = SimpleNamespace(
            model_config=model,
            scheduler_config=SimpleNamespace(policy=arguments.get("scheduling_policy", "fcfs")),
            lora_config=SimpleNamespace() if arguments.get("enable_lora") else None,
        )

    @property
    def errored(self):
        # A dead toy takes requests all the same: one of them may revive it.
        return False

    async def get_tokenizer(self):
        tokenizer = self._language.tokenizer
        return SimpleNamespace(
            max_token_id=self._language.vocabulary_size - 1,
            eos_token_id=self._language.eos,
            decode=lambda ids, skip_special_tokens: tokenizer.decode(ids, skip_special_tokens=skip_special_tokens),
        )

    async def add_lora(self, request):
        return True

    async def generate(self, prompt, sampling_params, request_id, *, lora_request=None, priority=0):
        ids = prompt.get("prompt_token_ids")
        text = prompt.get("prompt")
        if text is None:
            text = self._language.tokenizer.decode(ids, skip_special_tokens=False)
        received = _received(prompt, sampling_params, lora_request, priority)
        try:
            generation = Generation(self._engine, text, _sampling(sampling_params), received, ids)
            async for output in _outputs(generation, sampling_params, self._language):
                yield output
        except RuntimeError as error:
            raise EngineDeadError(str(error)) if self._engine.dead else error

    def shutdown(self):
        pass


async def _outputs(generation, params, language):
    """One RequestOutput for each token, or with FINAL_ONLY one at the end."""
    is_streamed = params.output_kind is RequestOutputKind.DELTA
    state = "cancelled"
    steps = []
    try:
        async for step in generation.steps(lambda: False):
            steps.append(step)
            is_last = step.finish_reason is not None
            if not is_streamed and not is_last:
                continue
            yield _output(generation, steps, params, language)
            steps = []
            if is_last:
                state = "finished"
    except (RuntimeError, ValueError):
        state = "failed"
        raise
    finally:
        generation.tagged.state = state


def _output(generation, steps, params, language):
    last = steps[-1]
    choice = SimpleNamespace(
        index=0,
        token_ids=[step.token for step in steps],
        text="".join(step.text for step in steps),
        logprobs=None if last.logprobs is None else [_entries(step.logprobs) for step in steps],
        finish_reason=last.finish_reason,
        stop_reason=last.stop_reason,
        spec_decode_metrics=_drafts(generation.directive) if last.finish_reason else None,
    )
    return SimpleNamespace(
        outputs=[choice],
        finished=last.finish_reason is not None,
        prompt_token_ids=generation.prompt_ids,
        prompt_logprobs=_prompt_logprobs(generation.prompt_ids, params.prompt_logprobs, language),
        num_cached_tokens=generation.directive.get("cached", 0),
        metrics=_metrics(generation.directive),
    )


def _entries(entries):
    return {token: SimpleNamespace(**entry) for token, entry in entries.items()}


def _prompt_logprobs(ids, wanted, language):
    if wanted is None:
        return None
    return [None, *(_entries(language.logprobs(at, token, None, wanted, False)[1]) for at, token in enumerate(ids[1:]))]


def _drafts(directive):
    if "drafts" not in directive:
        return None
    proposed, accepted = directive["drafts"]
    return SimpleNamespace(num_draft_tokens=proposed, histogram=[0, accepted])


def _metrics(directive):
    times = directive.get("times")
    if times is None:
        return None
    queued, scheduled, first, last = times
    return SimpleNamespace(
        arrival_time=1.0, queued_ts=queued, scheduled_ts=scheduled, first_token_ts=first, last_token_ts=last
    )


def _sampling(params):
    """The parameters as the toy reads them."""
    sampling = Sampling()
    for field in fields(params):
        value = getattr(params, field.name)
        if value is not None and hasattr(sampling, field.name):
            setattr(sampling, field.name, value)
    sampling.max_tokens = 2**31 if params.max_tokens is None else params.max_tokens
    sampling.logit_bias = None
    if params.logprob_token_ids:
        sampling.logprobs = 0
    guide = params.structured_outputs
    if guide is not None:
        sampling.constraint = {name: value for name, value in asdict(guide).items() if value}
    return sampling


def _received(prompt, params, lora, priority):
    """Everything that the engine was called with, apart from the prompt itself; defaults are left out."""
    sampling = {name: value for name, value in asdict(params).items() if value != _DEFAULTS[name]}
    sampling.pop("output_kind", None)
    others = {name: value for name, value in prompt.items() if name not in ("prompt", "prompt_token_ids")}
    media = others.pop("multi_modal_data", {})
    return {
        "sampling_params": sampling,
        "media": {kind: len(files) for kind, files in media.items()},
        **others,
        **({"priority": priority} if priority else {}),
        **({"lora": [lora.lora_name, lora.lora_path]} if lora else {}),
    }
