"""The model tensorrt_llm, as TensorRT-LLM's own Python version behaves: requests, responses, stopping, cancelling."""

import asyncio
import contextlib
import json

import triton_python_backend_utils as pb_utils

from .answer import Answer
from .engine import Engine
from .generation import Generation
from .request import read_row
from .triton import FINAL, Inputs, LoopModel, error_response, parameter, truth


class TritonPythonModel(LoopModel):
    def initialize(self, args):
        config = json.loads(args["model_config"])
        queue = config.get("dynamic_batching", {}).get("default_queue_policy", {}).get("max_queue_size", 0)
        self._engine = Engine(
            parameter(config, "gpt_model_path"),
            parameter(config, "toy_tokenizer"),
            queue,
            int(parameter(config, "lora_cache_host_memory_bytes", str(2**30))),
        )
        self._exclude_input = truth(parameter(config, "exclude_input_in_output", "false"))
        self._normalizes = truth(parameter(config, "normalize_log_probs", "true"))
        self._maximum_beams = int(parameter(config, "max_beam_width", "1"))
        self._has_guides = parameter(config, "guided_decoding_backend") == "xgrammar"
        self._is_decoupled = pb_utils.using_decoupled_model_transaction_policy(config)
        self.start_loop()

    async def _infer(self, request):
        sender = request.get_response_sender()
        try:
            inputs = Inputs(request)
            if inputs.scalar("stop", 0, False):
                self._stop(request.request_id(), sender)
                return
            size = inputs.batch_size("input_ids")
            rows = [read_row(inputs, row, self._exclude_input, self._is_decoupled) for row in range(max(1, size))]
            self._check_rows(rows)
        except Exception as error:
            sender.send(
                error_response(
                    f"An error occurred when processing the input values for request id {request.request_id()}, "
                    f"the error was '{error}'"
                ),
                flags=FINAL,
            )
            return
        for row in rows:
            row.received["request_id"] = request.request_id()
        await self._answer_rows(request.request_id(), rows, sender)

    def _check_rows(self, rows):
        several = len(rows) > 1 or any((row.sequences or 1) > 1 and row.beam_width == 1 for row in rows)
        if several and not self._is_decoupled:
            raise ValueError("More than one response is only possible in decoupled mode.")

    async def _answer_rows(self, request_id, rows, sender):
        replies = Replies(sender, len(rows))
        self._running[request_id] = []
        await asyncio.gather(*(self._generate(request_id, row, at, replies) for at, row in enumerate(rows)))
        self._running.pop(request_id, None)

    async def _generate(self, request_id, row, at, replies):
        generation = None
        try:
            self._check_beams(row)
            generation = Generation(self._engine, row, self._has_guides)
            self._running.setdefault(request_id, []).append(generation)
            answer = Answer(self._engine, generation, self._normalizes, at if replies.is_batch else None)
            async with self._slot(generation):
                await _send_steps(generation, answer, at, replies)
        except Exception as error:  # every fault of a request becomes its answer
            if generation is not None:
                generation.steering.tagged.state = "failed"
            replies.fail(at, error, generation is not None and generation.steering.directive.get("error_apart"))

    def _slot(self, generation):
        """A request that only counts others must not wait for them."""
        return contextlib.AsyncExitStack() if generation.steering.is_control else self._engine.slot()

    def _check_beams(self, row):
        if row.beam_width > self._maximum_beams:
            raise ValueError(
                "Encountered an error in forwardAsync function: [TensorRT-LLM][ERROR] Assertion failed: Requested beam "
                f"width {row.beam_width} is larger than configured max beam width {self._maximum_beams}"
            )

    def _stop(self, request_id, sender):
        """An unknown id is no error."""
        if request_id == "":
            sender.send(error_response("A request id must be provided for request cancellation"), flags=FINAL)
            return
        for generation in self._running.get(request_id, []):
            generation.stopped = True
        sender.send(pb_utils.InferenceResponse(output_tensors=[]), flags=FINAL)


class Replies:
    """Sends what the rows of one request answer; the last of all has the final flag."""

    def __init__(self, sender, rows):
        self._sender = sender
        self._open = set(range(rows))
        self.is_batch = rows > 1
        self.is_cancelled = sender.is_cancelled

    def send(self, at, response, is_last):
        if is_last:
            self._open.discard(at)
        self._sender.send(response, flags=0 if self._open else FINAL)

    def fail(self, at, error, is_apart):
        self.send(at, error_response(str(error)), not is_apart)
        if is_apart:
            self._sender.send(flags=FINAL)


async def _send_steps(generation, answer, at, replies):
    chunk = generation.steering.directive.get("chunk", 1)
    async for group in generation.steps(replies.is_cancelled):
        is_due = generation.row.streaming and len(group.beams[0].tokens) % chunk == 0
        if is_due or group.is_finished:
            replies.send(at, answer.response(group), all(one.is_finished for one in generation.groups))
