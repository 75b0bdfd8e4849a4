"""What Triton sees of the imitation: configuration, requests, responses, cancelling."""

import asyncio
import base64
import hashlib
import json
import os
import threading
import time

import numpy as np
import triton_python_backend_utils as pb_utils

from .engine import Engine, Generation
from .language import Language
from .sampling import parse_sampling
from .tensors import inputs_of, outputs_of, release_of

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL
_EMBEDDING_SIZE = 64
_LOAD_PATIENCE_SECONDS = 120


def _value(request, name, default=None):
    tensor = pb_utils.get_input_tensor_by_name(request, name)
    return default if tensor is None else tensor.as_numpy()[0]


def _sampling_text(request):
    tensor = pb_utils.get_input_tensor_by_name(request, "sampling_parameters")
    return request.parameters() if tensor is None else tensor.as_numpy()[0].decode("utf-8")


def _texts(name, texts):
    return pb_utils.Tensor(name, np.asarray([text.encode("utf-8") for text in texts], dtype=np.object_))


def _images(request):
    """The files in the tensor `image`: base64 without a prefix, of a kind that Pillow would open."""
    tensor = pb_utils.get_input_tensor_by_name(request, "image")
    texts = [] if tensor is None else tensor.as_numpy().tolist()
    files = [base64.b64decode(text, validate=True) for text in texts]
    for file in files:
        if not file.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF", b"GIF8")):
            raise ValueError("cannot identify image file <_io.BytesIO object at 0x7f0000000000>")
    return files


class TritonPythonModel:
    @classmethod
    def auto_complete_config(cls, auto_complete_model_config):
        config = auto_complete_model_config.as_dict()
        release = release_of(config)
        known_inputs = {tensor["name"] for tensor in config["input"]}
        known_outputs = {tensor["name"] for tensor in config["output"]}
        for tensor in inputs_of(release):
            if tensor["name"] not in known_inputs:
                auto_complete_model_config.add_input(tensor)
        for tensor in outputs_of(release):
            if tensor["name"] not in known_outputs:
                auto_complete_model_config.add_output(tensor)
        auto_complete_model_config.set_model_transaction_policy({"decoupled": True})
        auto_complete_model_config.set_max_batch_size(0)
        return auto_complete_model_config

    def initialize(self, args):
        self._name = args["model_name"]
        self._release = release_of(json.loads(args["model_config"]))
        folder = os.path.join(args["model_repository"], args["model_version"])
        with open(os.path.join(folder, "model.json"), encoding="utf-8") as file:
            settings = json.load(file)
        self._loras = None
        if settings.get("enable_lora"):
            with open(os.path.join(folder, "multi_lora.json"), encoding="utf-8") as file:
                self._loras = list(json.load(file))
        toy = settings.get("toy", {})
        self._task = "embed" if toy.get("embedding") else "generate"
        self._most_images = toy.get("images")
        self._one_at_a_time = toy.get("one_at_a_time", False)
        self._request_error = toy.get("request_error")
        if "missing_module" in toy:
            raise ModuleNotFoundError(f"No module named '{toy['missing_module']}'")
        _load_slowly(toy.get("load_seconds", 0))
        language = Language(os.path.join(os.environ["CONCH_TEST_TOKENIZERS"], settings["tokenizer"]))
        guide_backend = settings.get("structured_outputs_config", {}).get("backend", "auto")
        self._engine = Engine(language, settings["max_model_len"], guide_backend)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def execute(self, requests):
        for request in requests:
            # A text that is no JSON object raises here, and Triton answers with the traceback: so does the real one.
            error = self._lora_error(json.loads(_sampling_text(request)).pop("lora_name", None))
            if error is not None:
                _send_error(request.get_response_sender(), error)
                continue
            future = asyncio.run_coroutine_threadsafe(self._infer(request), self._loop)
            if self._one_at_a_time:
                future.result()
        return None

    def finalize(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _lora_error(self, name):
        if name is None:
            return None
        if self._loras is None:
            return "LoRA feature is not enabled."
        if name not in self._loras:
            return f"LoRA {name} is not supported, we currently support {self._loras}"
        return None

    async def _infer(self, request):
        sender = request.get_response_sender()
        try:
            embedding = pb_utils.get_input_tensor_by_name(request, "embedding_request")
            task = "generate" if embedding is None else "embed"
            if task != self._task:
                raise ValueError(f"Model {self._name} does not support '{task}' request")
            if self._request_error is not None:
                raise TypeError(self._request_error)
            if task == "embed":
                self._embed(request, json.loads(embedding.as_numpy()[0]), sender)
            else:
                await self._generate(request, sender)
        except Exception as error:  # every fault of a request becomes its answer
            _send_error(sender, f"Error generating stream: {error}")

    async def _generate(self, request, sender):
        prompt = pb_utils.get_input_tensor_by_name(request, "text_input").as_numpy()[0].decode("utf-8")
        stream = bool(_value(request, "stream", False))
        prepend = not _value(request, "exclude_input_in_output", stream)
        if stream and prepend:
            raise ValueError("When streaming, `exclude_input_in_output` = False is not allowed.")
        try:
            sampling = parse_sampling(_sampling_text(request), self._release)
        except (TypeError, ValueError, AttributeError):
            raise AttributeError("'NoneType' object has no attribute 'lora_name'") from None
        images = _images(request)
        self._check_images(len(images))
        generation = Generation(self._engine, prompt, sampling, self._received(request))
        generation.images = [hashlib.sha256(image).hexdigest() for image in images]
        answer = Answer(request, sampling, len(generation.prompt_ids))
        try:
            if stream:
                await self._stream(generation, answer, sender)
            else:
                await self._collect(generation, answer, sender, prompt if prepend else "")
        except Exception:
            generation.tagged.state = "failed"
            raise

    def _check_images(self, count):
        if count == 0 or self._most_images is None:
            return
        if self._most_images == 0:
            raise ValueError(f"{self._name} is not a multimodal model")
        if count > self._most_images:
            raise ValueError(f"At most {self._most_images} image(s) may be provided in one prompt.")

    async def _stream(self, generation, answer, sender):
        unfinished = answer.sampling.n
        together = generation.directive.get("together", 1)
        steps = []
        async for step in generation.steps(sender.is_cancelled):
            unfinished -= step.finish_reason is not None
            steps.append(step)
            if unfinished > 0 and len(steps) < together:
                continue
            response = answer.response(steps, "".join(each.text for each in steps))
            steps = []
            if unfinished == 0:
                generation.tagged.state = "finished"
                if generation.directive.get("no_finish"):
                    sender.send(flags=FINAL)
                else:
                    sender.send(response, flags=FINAL)
                return
            sender.send(response)
            if sender.is_cancelled():
                generation.tagged.state = "cancelled"
                cancelled = pb_utils.TritonError("Request was cancelled", pb_utils.TritonError.CANCELLED)
                sender.send(pb_utils.InferenceResponse(error=cancelled), flags=FINAL)
                return

    async def _collect(self, generation, answer, sender, prefix):
        # With n > 1 only the sequence that advanced last is left, as recorded.
        sequences = {}
        last = []
        state = "finished"
        async for step in generation.steps(sender.is_cancelled):
            last = sequences.setdefault(step.sequence, [])
            last.append(step)
            if sender.is_cancelled():
                state = "cancelled"
                break
        generation.tagged.state = state
        if generation.directive.get("no_finish"):
            sender.send(flags=FINAL)
        else:
            sender.send(answer.response(last, prefix + "".join(step.text for step in last)), flags=FINAL)

    def _embed(self, request, embedding, sender):
        text = embedding["input"]
        if isinstance(text, list) and not (text and isinstance(text[0], int)):
            raise TypeError("The prompt must be a text or a list of token ids")
        ids = text if isinstance(text, list) else self._engine.language.prompt_ids(text)
        size = embedding.get("pooling_params", {}).get("dimensions", [_EMBEDDING_SIZE])[0]
        digest = hashlib.shake_256(json.dumps(ids).encode()).digest(size)
        vector = np.frombuffer(digest, dtype=np.uint8).astype(np.float64) - 127.5
        vector /= np.linalg.norm(vector)
        tensors = [_texts("text_output", [json.dumps(vector.tolist())])]
        if _value(request, "return_num_input_tokens", False):
            tensors.append(pb_utils.Tensor("num_input_tokens", np.asarray(len(ids), dtype=np.uint32)))
        if _value(request, "return_num_output_tokens", False):
            tensors.append(pb_utils.Tensor("num_output_tokens", np.asarray(0, dtype=np.uint32)))
        sender.send(pb_utils.InferenceResponse(output_tensors=tensors), flags=FINAL)

    def _received(self, request):
        """Every input as it came, for the directive echo_parameters."""
        inputs = {}
        for tensor in request.inputs():
            values = tensor.as_numpy().reshape(-1).tolist()
            inputs[tensor.name()] = [value.decode("utf-8") if isinstance(value, bytes) else value for value in values]
        return {"sampling_parameters": json.loads(_sampling_text(request)), "inputs": inputs}


class Answer:
    """Builds the responses of one request with the outputs that it asked for."""

    def __init__(self, request, sampling, prompt_length):
        self.sampling = sampling
        self._prompt_length = prompt_length
        self._finish_reason = _value(request, "return_finish_reason", False)
        self._cumulative_logprob = _value(request, "return_cumulative_logprob", False)
        self._logprobs = _value(request, "return_logprobs", False)
        self._num_input_tokens = _value(request, "return_num_input_tokens", False)
        self._num_output_tokens = _value(request, "return_num_output_tokens", False)

    def response(self, steps, text):
        tensors = [_texts("text_output", [text])]
        counted = self.sampling.logprobs is not None
        if self._finish_reason:
            tensors.append(_texts("finish_reason", [str(steps[-1].finish_reason)]))
        if self._cumulative_logprob:
            value = steps[-1].cumulative_logprob if counted else np.nan
            tensors.append(pb_utils.Tensor("cumulative_logprob", np.asarray([value], dtype=np.float32)))
        if self._logprobs:
            entries = json.dumps([step.logprobs for step in steps]) if counted else "null"
            tensors.append(_texts("logprobs", [entries]))
        if self._num_input_tokens:
            tensors.append(pb_utils.Tensor("num_input_tokens", np.asarray(self._prompt_length, dtype=np.uint32)))
        if self._num_output_tokens:
            tensors.append(pb_utils.Tensor("num_output_tokens", np.asarray([len(steps)], dtype=np.uint32)))
        return pb_utils.InferenceResponse(output_tensors=tensors)


def _send_error(sender, message):
    response = pb_utils.InferenceResponse(
        output_tensors=[_texts("text_output", ["N/A"])], error=pb_utils.TritonError(message)
    )
    sender.send(response, flags=FINAL)


def _load_slowly(seconds):
    """A model that takes long to load: until the file CONCH_TEST_LOAD_GATE exists, else for so many seconds."""
    gate = os.environ.get("CONCH_TEST_LOAD_GATE")
    if seconds == 0 or gate is None:
        time.sleep(seconds)
        return
    deadline = time.monotonic() + _LOAD_PATIENCE_SECONDS
    while not os.path.exists(gate) and time.monotonic() < deadline:
        time.sleep(0.02)
