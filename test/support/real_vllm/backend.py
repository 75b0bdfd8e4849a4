"""The real vLLM behind the tensors that NVIDIA's backend of release 26.01 has, for texts: no images, adapters or embeddings."""

import asyncio
import json
import os
import threading
import uuid

import numpy as np
import triton_python_backend_utils as pb_utils
from toy_vllm.tensors import inputs_of, outputs_of

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL
RELEASE = (26, 1)


def value_of(request, name, default=None):
    tensor = pb_utils.get_input_tensor_by_name(request, name)
    return default if tensor is None else tensor.as_numpy()[0]


def parameters_of(request):
    text = value_of(request, "sampling_parameters")
    return json.loads(request.parameters() if text is None else text)


def texts(name, values):
    return pb_utils.Tensor(name, np.asarray([value.encode("utf-8") for value in values], dtype=np.object_))


def send_error(sender, message, code=None):
    error = pb_utils.TritonError(message) if code is None else pb_utils.TritonError(message, code)
    sender.send(pb_utils.InferenceResponse(error=error), flags=FINAL)


class Responses:
    """The responses to one request: each holds what came since the one before."""

    def __init__(self, request):
        self._wants = {
            name: bool(value_of(request, f"return_{name}", False))
            for name in ("finish_reason", "cumulative_logprob", "logprobs", "num_input_tokens", "num_output_tokens")
        }
        self._characters = 0
        self._tokens = 0

    def next(self, output, prefix=""):
        sequence = output.outputs[0]
        tensors = [texts("text_output", [prefix + sequence.text[self._characters :]])]
        if self._wants["finish_reason"]:
            tensors.append(texts("finish_reason", [str(sequence.finish_reason)]))
        if self._wants["cumulative_logprob"]:
            total = np.nan if sequence.cumulative_logprob is None else sequence.cumulative_logprob
            tensors.append(pb_utils.Tensor("cumulative_logprob", np.asarray([total], dtype=np.float32)))
        if self._wants["logprobs"]:
            tensors.append(texts("logprobs", [self._logprobs(sequence.logprobs)]))
        if self._wants["num_input_tokens"]:
            count = np.asarray(len(output.prompt_token_ids), dtype=np.uint32)
            tensors.append(pb_utils.Tensor("num_input_tokens", count))
        if self._wants["num_output_tokens"]:
            count = np.asarray([len(sequence.token_ids) - self._tokens], dtype=np.uint32)
            tensors.append(pb_utils.Tensor("num_output_tokens", count))
        self._characters = len(sequence.text)
        self._tokens = len(sequence.token_ids)
        return pb_utils.InferenceResponse(output_tensors=tensors)

    def _logprobs(self, logprobs):
        if logprobs is None:
            return "null"
        fields = ("logprob", "rank", "decoded_token")
        entries = [
            {token: {field: getattr(entry, field) for field in fields} for token, entry in step.items()}
            for step in logprobs[self._tokens :]
        ]
        return json.dumps(entries)


class TritonPythonModel:
    @classmethod
    def auto_complete_config(cls, auto_complete_model_config):
        for tensor in inputs_of(RELEASE):
            auto_complete_model_config.add_input(tensor)
        for tensor in outputs_of(RELEASE):
            auto_complete_model_config.add_output(tensor)
        auto_complete_model_config.set_model_transaction_policy({"decoupled": True})
        auto_complete_model_config.set_max_batch_size(0)
        return auto_complete_model_config

    def initialize(self, args):
        self._name = args["model_name"]
        parameters = json.loads(args["model_config"]).get("parameters", {})
        health_check = parameters.get("ENABLE_VLLM_HEALTH_CHECK", {"string_value": "false"})
        self._checks_health = health_check["string_value"].lower() == "true"
        path = os.path.join(args["model_repository"], args["model_version"], "model.json")
        with open(path, encoding="utf-8") as file:
            arguments = json.load(file)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        # Not above: Triton reads this file twice, first for the configuration, and vLLM takes half a minute to import.
        from . import engine

        self._sampling_of = engine.sampling_of
        self._engine = asyncio.run_coroutine_threadsafe(engine.start(arguments), self._loop).result()

    def execute(self, requests):
        if self._checks_health and self._engine.errored:
            pb_utils.unload_model(self._name)
            message = "Model is unavailable due to unhealthy vLLM engine"
            for request in requests:
                send_error(request.get_response_sender(), message, pb_utils.TritonError.UNAVAILABLE)
            return None
        for request in requests:
            # A text that is not JSON raises here, and Triton responds with the traceback, as with NVIDIA's backend.
            parameters = parameters_of(request)
            if parameters.pop("lora_name", None) is not None:
                send_error(request.get_response_sender(), "LoRA feature is not enabled.")
                continue
            asyncio.run_coroutine_threadsafe(self._infer(request, parameters), self._loop)
        return None

    def finalize(self):
        self._loop.call_soon_threadsafe(self._engine.shutdown)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _infer(self, request, parameters):
        sender = request.get_response_sender()
        try:
            if pb_utils.get_input_tensor_by_name(request, "embedding_request") is not None:
                raise ValueError(f"Model {self._name} does not support 'embed' request")
            await self._generate(request, parameters, sender)
        except Exception as error:  # every failure of a request becomes its response
            send_error(sender, f"Error generating stream: {error}")

    async def _generate(self, request, parameters, sender):
        prompt = value_of(request, "text_input").decode("utf-8")
        is_streamed = bool(value_of(request, "stream", False))
        excludes_prompt = bool(value_of(request, "exclude_input_in_output", is_streamed))
        if is_streamed and not excludes_prompt:
            raise ValueError("When streaming, `exclude_input_in_output` = False is not allowed.")
        responses = Responses(request)
        request_id = uuid.uuid4().hex
        output = None
        async for output in self._engine.generate(prompt, self._sampling_of(parameters), request_id):
            if sender.is_cancelled():
                await self._engine.abort(request_id)
                send_error(sender, "Request was cancelled", pb_utils.TritonError.CANCELLED)
                return
            if is_streamed:
                sender.send(responses.next(output), flags=FINAL if output.finished else 0)
        if not is_streamed:
            sender.send(responses.next(output, "" if excludes_prompt else prompt), flags=FINAL)
