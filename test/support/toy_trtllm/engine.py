"""What the requests of an engine share: its limits, slots, blocks of the KV cache and adapters."""

import asyncio
import json
import os
from functools import cached_property

from toy_vllm.language import Language

from .choice import Vocabulary

# The stack that TensorRT-LLM appends to what it throws, cut short.
_STACK = "\n1       0x7f3d2c0aa5c3 tensorrt_llm::common::throwRuntimeError(char const*, int, char const*) + 100"
_ASSERTION = "[TensorRT-LLM][ERROR] Assertion failed: "


def refusal(text, place="batch_manager/llmRequest.cpp:241"):
    """An error of the executor, as it comes with every request that it does not take."""
    file = f"/src/tensorrt_llm/cpp/tensorrt_llm/{place}"
    return ValueError(f"Encountered an error when fetching new request: {text} ({file}){_STACK}")


def failed_assertion(text, place="executor/executorImpl.cpp:1512"):
    return refusal(f"{_ASSERTION}{text}", place)


class Engine:
    def __init__(self, folder, tokenizer_folder, maximum_queue=0, adapter_bytes=2**30):
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
            config = json.load(file)
        build = config["build_config"]
        self.vocabulary_size = config["pretrained_config"]["vocab_size"]
        self.maximum_input = build["max_input_len"]
        self.maximum_length = build["max_seq_len"]
        self.maximum_batch = build["max_batch_size"]
        self._gathers_context_logits = build["gather_context_logits"]
        self._gathers_generation_logits = build["gather_generation_logits"]
        self._tokens_per_block = build["plugin_config"]["tokens_per_block"]
        self._tokenizer_folder = tokenizer_folder
        self._maximum_queue = maximum_queue
        self._blocks = set()
        # By task id, the one that was used last at the end: how many bytes of the cache its weights take.
        self._adapters = {}
        self._adapter_bytes = adapter_bytes
        self._active = 0
        self.tags = {}

    @cached_property
    def language(self):
        return Language(self._tokenizer_folder)

    @cached_property
    def vocabulary(self):
        return Vocabulary(self.language, self.vocabulary_size)

    @cached_property
    def _slots(self):
        return asyncio.Semaphore(self.maximum_batch)

    def check(self, row):
        """Refuses what the executor refuses, in its words where they are known."""
        length = len(row.input_ids)
        if row.end_id is not None and not -1 <= row.end_id < self.vocabulary_size:
            raise failed_assertion(
                f"EndId ({row.end_id}) is not within acceptable range [-1, {self.vocabulary_size}).",
                "batch_manager/llmRequest.cpp:228",
            )
        if length > self.maximum_input:
            raise refusal(
                f"Prompt length ({length}) exceeds maximum input length ({self.maximum_input}). Set log level to info "
                "and check TRTGptModel logs for how maximum input length is set"
            )
        # The executor looks at them too; its words for it were not found.
        if not all(0 <= token < self.vocabulary_size for token in row.input_ids):
            raise failed_assertion("Token ids are out of range")
        if row.context_logits and not self._gathers_context_logits:
            raise failed_assertion("Return context logit need to build engine with gather_context_logits")
        if row.generation_logits and not self._gathers_generation_logits:
            raise failed_assertion(
                "To return generation logits, gather_generation_logits must be enabled in ExecutorConfig"
            )
        self._adapt(row)
        row.maximum = min(row.maximum, self.maximum_length - length)

    def _adapt(self, row):
        """Weights of an adapter that is known are not looked at; new ones push out those that were used least lately."""
        if row.lora_task_id is None:
            return
        size = self._adapters.pop(row.lora_task_id, row.lora_bytes)
        if size is None:
            raise ValueError(
                f"LoRA task {row.lora_task_id} not found in cache. Please send LoRA weights with request"
            )
        while self._adapters and sum(self._adapters.values()) + size > self._adapter_bytes:
            del self._adapters[next(iter(self._adapters))]
        self._adapters[row.lora_task_id] = size

    def reuse(self, ids):
        """(new, reused) blocks of the KV cache: a full block that an earlier prompt began with is reused."""
        size = self._tokens_per_block
        full = [tuple(ids[:end]) for end in range(size, len(ids), size)]
        reused = sum(block in self._blocks for block in full)
        self._blocks.update(full)
        return -(-len(ids) // size) - reused, reused

    def slot(self):
        """One of the places in the engine's batch; others wait for it, so many as the queue takes."""
        if 0 < self._maximum_queue <= self._active - self.maximum_batch:
            raise ValueError(f"Maximum queue size of {self._maximum_queue} has been reached, please try again later")
        return _Slot(self)

    async def enter(self):
        self._active += 1
        await self._slots.acquire()

    def leave(self):
        self._active -= 1
        self._slots.release()


class _Slot:
    def __init__(self, engine):
        self._engine = engine

    async def __aenter__(self):
        await self._engine.enter()

    async def __aexit__(self, *_):
        self._engine.leave()
