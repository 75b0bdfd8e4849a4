"""vLLM 0.10 and later. All that differs between its versions is in this file."""

import contextlib
import inspect
import json
import math

import vllm
from vllm import sampling_params as vllm_sampling
from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.lora.request import LoRARequest
from vllm.sampling_params import RequestOutputKind, SamplingParams
from vllm.v1.engine.async_llm import AsyncLLM
from vllm.v1.engine.exceptions import EngineDeadError

try:  # 0.27 and later have errors of clients that are no ValueError
    from vllm.exceptions import VLLMClientError
except ImportError:
    VLLMClientError = ValueError

# 0.11 renamed the class and the field.
_NEW_GUIDE = hasattr(vllm_sampling, "StructuredOutputsParams")
_GUIDE_CLASS = vllm_sampling.StructuredOutputsParams if _NEW_GUIDE else vllm_sampling.GuidedDecodingParams
_GUIDE_FIELD = "structured_outputs" if _NEW_GUIDE else "guided_decoding"
_FIELDS = frozenset(SamplingParams.__struct_fields__)


async def start_engine(arguments):
    """An engine, made in the event loop that it is going to use."""
    llm = AsyncLLM.from_engine_args(AsyncEngineArgs(**arguments))
    tokenizer = llm.get_tokenizer()
    # A coroutine up to 0.15.
    return Engine(llm, await tokenizer if inspect.isawaitable(tokenizer) else tokenizer)


class Engine:
    """What the model needs of vLLM's AsyncLLM, the same for every version."""

    def __init__(self, llm, tokenizer):
        self._llm = llm
        config = llm.vllm_config
        self.version = vllm.__version__
        self.max_model_len = config.model_config.max_model_len
        self.max_logprobs = config.model_config.max_logprobs
        self.vocabulary_size = config.model_config.get_vocab_size()
        highest = getattr(tokenizer, "max_token_id", None)
        self.placeholder_limit = max(self.vocabulary_size, 0 if highest is None else highest + 1)
        self._tokenizer = tokenizer
        self.eos_token_ids = _eos_of(tokenizer, config.model_config)
        self.has_priorities = config.scheduler_config.policy == "priority"
        self.has_lora = config.lora_config is not None
        self._render = _renderer_of(llm)

    @property
    def errored(self):
        return self._llm.errored

    def has_sampling_field(self, name):
        return name == "structured_outputs" or name in _FIELDS

    def sampling(self, values, stream):
        """vLLM's object for checked parameters; it raises an error of a client for values that it refuses."""
        fields = dict(values)
        if "logprob_token_ids" in fields:
            # vLLM gives the logprobs of these tokens, and from 0.22 on rejects another count beside them.
            fields.pop("logprobs", None)
        guide = fields.pop("structured_outputs", None)
        if guide is not None:
            fields[_GUIDE_FIELD] = _GUIDE_CLASS(**_with_texts(guide))
        repetition = fields.get("repetition_detection")
        if repetition is not None:
            fields["repetition_detection"] = vllm_sampling.RepetitionDetectionParams(**repetition)
        kind = RequestOutputKind.DELTA if stream else RequestOutputKind.FINAL_ONLY
        return SamplingParams(**fields, output_kind=kind)

    def text_of(self, token_ids, skip_special_tokens):
        return self._tokenizer.decode(token_ids, skip_special_tokens=skip_special_tokens)

    def lora_request(self, name, number, folder):
        return LoRARequest(lora_name=name, lora_int_id=number, lora_path=folder)

    async def add_lora(self, request):
        # An adapter that fails here fails for its request; one that the engine loads during a step ends the engine.
        # For an adapter that is loaded, the call makes it the most recently used one.
        await self._llm.add_lora(request)

    async def generate(self, prompt, sampling, request_id, *, lora, priority):
        """Yields vLLM's RequestOutputs, with all that the engine made since the previous one. Closing it aborts."""
        if self._render is not None:
            (prompt,) = await self._render([prompt])
        outputs = self._llm.generate(prompt, sampling, request_id, lora_request=lora, priority=priority)
        async with contextlib.aclosing(outputs):
            async for output in outputs:
                yield output

    def is_dead(self, error):
        return isinstance(error, EngineDeadError) or self._llm.errored

    def is_invalid(self, error):
        """Whether the client caused an error: vLLM's validation raises these."""
        return isinstance(error, (ValueError, VLLMClientError))

    def shutdown(self):
        self._llm.shutdown()


def _renderer_of(llm):
    """The function that prompts must pass before `generate`, which deprecates others; None in versions up to 0.16."""
    render = getattr(getattr(llm, "renderer", None), "render_cmpl_async", None)
    if render is None:
        return None
    # 0.16 has a function for the Completions API only: it wants more, and drops media.
    options = inspect.signature(render).parameters.get("tok_params")
    return None if options is None or options.default is inspect.Parameter.empty else render


def _eos_of(tokenizer, model_config):
    """The tokens that end a response: the tokenizer's own, and those of generation_config.json."""
    settings = getattr(model_config, "try_get_generation_config", dict)()
    others = settings.get("eos_token_id")
    found = [getattr(tokenizer, "eos_token_id", None), *(others if isinstance(others, list) else [others])]
    return frozenset(token_id for token_id in found if token_id is not None)


def cached_tokens(output):
    count = getattr(output, "num_cached_tokens", None)
    return -1 if count is None else count


def draft_tokens(output):
    """Proposed and accepted draft tokens of the choices that finished; -1 where the engine does not report them."""
    metrics = [getattr(choice, "spec_decode_metrics", None) for choice in output.outputs]
    known = [metric for metric in metrics if metric is not None]
    if not known:
        return -1, -1
    accepted = sum(count * steps for metric in known for count, steps in enumerate(metric.histogram))
    return sum(metric.num_draft_tokens for metric in known), accepted


def engine_times(output):
    """Arrival in Unix seconds, then the seconds in the queue, of the prefill and of the decode; NaN where unknown."""
    stats = getattr(output, "metrics", None)

    def between(start, end):
        first, last = getattr(stats, start, 0), getattr(stats, end, 0)
        return last - first if first and last else math.nan

    return (
        getattr(stats, "arrival_time", 0) or math.nan,
        between("queued_ts", "scheduled_ts"),
        between("scheduled_ts", "first_token_ts"),
        between("first_token_ts", "last_token_ts"),
    )


def _with_texts(guide):
    """vLLM reads structural tags only as text."""
    tag = guide.get("structural_tag")
    return {**guide, "structural_tag": json.dumps(tag)} if isinstance(tag, dict) else guide
