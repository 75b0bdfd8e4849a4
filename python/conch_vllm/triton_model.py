"""What Triton's Python backend calls."""

import asyncio
import contextlib
import json
import os
import threading
import traceback
import uuid
from concurrent.futures import ThreadPoolExecutor

import triton_python_backend_utils as pb_utils

from .adapters import Adapters, read_names
from .beam_search import BeamSearch, beam_settings
from .cancellation import CancellationWatch
from .errors import CANCELLED, FAILED_IN_ENGINE, INVALID, UNAVAILABLE, UNLOADED, InvalidRequest, log_error
from .media import decode_media
from .outbox import Outbox
from .request import check_generation, check_prompt_logprobs, is_cancellation, read_generation
from .responses import Layout
from .sampling import check_sampling
from .stream import Stream
from .tensors import complete

# Each can need a gigabyte of memory for the time of its decoding.
MOST_DECODING_REQUESTS = 2
MOST_SENDER_REST = 100


class TritonPythonModel:
    """One engine. Its event loop, vLLM's own, runs all requests; other threads send and look for disconnections."""

    @classmethod
    def auto_complete_config(cls, auto_complete_model_config):
        return complete(auto_complete_model_config)

    def initialize(self, args):
        self._name = args["model_name"]
        parameters = json.loads(args["model_config"]).get("parameters", {})
        self._checks_health = _parameter(parameters, "ENABLE_VLLM_HEALTH_CHECK", "false").lower() == "true"
        options = _parameter(parameters, "PROCESSOR_OPTIONS", "").split(",")
        self._processor_options = frozenset(option.strip() for option in options) - {""}
        rest = _sender_rest(_parameter(parameters, "SENDER_REST", "1"))
        folder = os.path.join(args["model_repository"], args["model_version"])
        with open(os.path.join(folder, "model.json"), encoding="utf-8") as file:
            arguments = json.load(file)
        self._loop = asyncio.new_event_loop()
        self._loop_thread = threading.Thread(target=self._loop.run_forever, name="conch-loop", daemon=True)
        self._loop_thread.start()
        # Not above: Triton imports this file twice, first for the configuration, and vLLM takes long to import.
        from . import engine

        self._vllm = engine
        start = asyncio.run_coroutine_threadsafe(engine.start_engine(arguments), self._loop)
        self._engine = start.result()
        root = _parameter(parameters, "LORA_ROOT")
        self._adapters = Adapters(
            self._engine, read_names(folder), None if root is None else os.path.join(folder, root)
        )
        self._tasks = {}
        self._is_unloading = False
        # No semaphore: a request that is cancelled would free its place while its thread goes on.
        self._decoders = ThreadPoolExecutor(MOST_DECODING_REQUESTS, "conch-media")
        self._outbox = Outbox(self._loop, self._lose, rest)
        self._watch = CancellationWatch()
        self._outbox.start()
        self._watch.start()

    def execute(self, requests):
        if self._engine.errored:
            self._refuse_all(requests)
            return None
        for request in requests:
            sender = request.get_response_sender()
            try:
                if is_cancellation(request):
                    self._loop.call_soon_threadsafe(self._cancel_id, request.request_id())
                    sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
                    continue
                generation = read_generation(request)
                sampling = check_sampling(generation.sampling_params, self._engine)
                check_generation(generation, self._engine, self._processor_options)
                beams = beam_settings(sampling, generation, self._engine)
                _skip_unread_text(generation, sampling)
                layout = _layout(generation, sampling, self._engine)
                check_prompt_logprobs(len(generation.input_ids or ()), layout)
            except Exception as error:  # one request must not end the others of its batch
                _send_error(sender, *self._explain(error))
                continue
            stream = Stream(sender, layout, request.request_id())
            self._loop.call_soon_threadsafe(self._begin, stream, generation, sampling, beams)
        return None

    def finalize(self):
        asyncio.run_coroutine_threadsafe(self._cancel_all(), self._loop).result()
        self._decoders.shutdown(wait=False, cancel_futures=True)
        self._watch.stop()
        self._outbox.stop()
        self._loop.call_soon_threadsafe(self._engine.shutdown)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._loop_thread.join()

    def _refuse_all(self, requests):
        message = f"{UNAVAILABLE}the engine has failed. Load the model again."
        if self._checks_health:
            pb_utils.unload_model(self._name)
            message = f"{UNAVAILABLE}the model is being unloaded, because the engine has failed. Load it again."
        for request in requests:
            _send_error(request.get_response_sender(), pb_utils.TritonError.UNAVAILABLE, message)

    def _begin(self, stream, generation, sampling, beams):
        task = self._loop.create_task(self._generate(stream, generation, sampling, beams))
        self._tasks[stream] = task
        # Not inside the task: one that is cancelled before its first step never runs.
        task.add_done_callback(lambda _: self._end(stream, task))
        self._watch.add(stream, lambda: self._loop.call_soon_threadsafe(task.cancel))

    def _end(self, stream, task):
        self._watch.remove(stream)
        del self._tasks[stream]
        if task.cancelled() and self._is_unloading:
            stream.fail(pb_utils.TritonError.UNAVAILABLE, UNLOADED)
        elif task.cancelled():
            stream.fail(pb_utils.TritonError.CANCELLED, CANCELLED)
        elif task.exception() is not None:
            stream.fail(*self._explain(task.exception()))
        else:
            return
        self._outbox.put(stream)

    def _lose(self, stream):
        """Ends the generation of a stream that Triton closed."""
        self._loop.call_soon_threadsafe(self._cancel, stream)

    def _cancel(self, stream):
        task = self._tasks.get(stream)
        if task is not None:
            task.cancel()

    def _cancel_id(self, request_id):
        for stream, task in self._tasks.items():
            if stream.request_id == request_id != "":
                task.cancel()

    async def _cancel_all(self):
        self._is_unloading = True
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _generate(self, stream, generation, sampling, beams):
        lora = await self._adapters.find(generation.lora_name, generation.lora_path)
        prompt = _prompt(generation)
        if generation.has_media:
            prompt["multi_modal_data"] = await self._loop.run_in_executor(self._decoders, decode_media, generation)
        options = {"lora": lora, "priority": generation.priority}
        if beams is not None:
            outputs = BeamSearch(self._engine, beams, sampling, **options).run(prompt)
        else:
            parameters = self._engine.sampling(sampling, generation.stream)
            outputs = self._engine.generate(prompt, parameters, uuid.uuid4().hex, **options)
        tokens, drafts, accepted, output = 0, -1, -1, None
        # A task that is cancelled while it waits for its turn must close the generator, which aborts the request.
        async with contextlib.aclosing(outputs):
            async for output in outputs:
                tokens += sum(len(choice.token_ids) for choice in output.outputs)
                more_drafts, more_accepted = self._vllm.draft_tokens(output)
                if more_drafts >= 0:
                    drafts, accepted = max(drafts, 0) + more_drafts, max(accepted, 0) + more_accepted
                prompt_tokens = len(output.prompt_token_ids or ())
                # Only here is the length known of prompts that are text or have media.
                check_prompt_logprobs(prompt_tokens, stream.layout)
                usage = (prompt_tokens, tokens, self._vllm.cached_tokens(output), drafts, accepted)
                stream.add(output, usage, self._vllm.engine_times(output) if output.finished else None)
                self._outbox.put(stream)
                if not output.finished:
                    await self._outbox.turn()
        if output is None or not output.finished:
            raise RuntimeError("the engine ended the response without a finish reason")

    def _explain(self, error):
        if isinstance(error, InvalidRequest):
            return pb_utils.TritonError.INVALID_ARG, f"{INVALID}{error}"
        if self._engine.is_dead(error):
            return pb_utils.TritonError.UNAVAILABLE, f"{UNAVAILABLE}{error}"
        if self._engine.is_invalid(error):
            return pb_utils.TritonError.INVALID_ARG, f"{INVALID}{error}"
        # Its text can have paths and data of the server.
        log_error(f"A request failed in the engine: {''.join(traceback.format_exception(error))}")
        return pb_utils.TritonError.INTERNAL, FAILED_IN_ENGINE


def _layout(generation, sampling, engine):
    def width(name):
        count = sampling.get(name)
        return engine.vocabulary_size if count == -1 else count

    columns = sampling.get("logprob_token_ids")
    return Layout(
        outputs=generation.outputs,
        choices=sampling.get("n", 1),
        logprobs=width("logprobs") if columns is None else len(columns),
        prompt_logprobs=width("prompt_logprobs"),
        logprob_token_ids=None if columns is None else tuple(columns),
    )


def _skip_unread_text(generation, sampling):
    """Has vLLM make no text of the tokens if the client reads only their ids."""
    if "text" not in generation.outputs and "stop" not in sampling:
        sampling.setdefault("detokenize", False)


def _prompt(generation):
    if generation.input_ids is not None:
        prompt = {"prompt_token_ids": generation.input_ids}
    else:
        prompt = {"prompt": generation.prompt}
    if generation.cache_salt is not None:
        prompt["cache_salt"] = generation.cache_salt
    if generation.mm_processor_kwargs is not None:
        prompt["mm_processor_kwargs"] = generation.mm_processor_kwargs
    return prompt


def _parameter(parameters, name, default=None):
    return parameters.get(name, {}).get("string_value", default)


def _sender_rest(text):
    try:
        rest = float(text)
    except ValueError:
        rest = -1.0
    if not 0 <= rest <= MOST_SENDER_REST:
        raise ValueError(
            f"SENDER_REST is {text!r}: expected a number from 0 to {MOST_SENDER_REST}. Change the parameter in "
            "config.pbtxt."
        )
    return rest


def _send_error(sender, code, message):
    flags = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL
    sender.send(pb_utils.InferenceResponse(error=pb_utils.TritonError(message, code)), flags=flags)
