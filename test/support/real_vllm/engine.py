"""vLLM's engine and its sampling parameters."""

import json

from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.sampling_params import SamplingParams, StructuredOutputsParams
from vllm.v1.engine.async_llm import AsyncLLM


async def start(arguments):
    """An engine, made in the event loop that it is going to use."""
    return AsyncLLM.from_engine_args(AsyncEngineArgs(**arguments))


def sampling_of(parameters):
    """vLLM's sampling parameters. Whatever it refuses ends in the one text that NVIDIA's backend has for all of it."""
    try:
        guide = parameters.get("structured_outputs")
        if guide is not None:
            parameters["structured_outputs"] = StructuredOutputsParams(**json.loads(guide))
        return SamplingParams(**parameters)
    except Exception:  # of many kinds, as vLLM and pydantic have their own
        raise AttributeError("'NoneType' object has no attribute 'lora_name'") from None
