"""The model tensorrt_llm_bls: calls preprocessing, the engine and postprocessing, one request at a time.

It never asks whether its client is still there, and gives the engine a request id of its own: no client can stop it."""

import json
import traceback
import uuid

import numpy as np
import triton_python_backend_utils as pb_utils

from .bls_stop import StopWords
from .triton import FINAL, error_response, parameter, truth

_PREPROCESSING = {
    "text_input": "QUERY",
    "decoder_text_input": "DECODER_QUERY",
    "max_tokens": "REQUEST_OUTPUT_LEN",
    "bad_words": "BAD_WORDS_DICT",
    "stop_words": "STOP_WORDS_DICT",
    "embedding_bias_words": "EMBEDDING_BIAS_WORDS",
    "embedding_bias_weights": "EMBEDDING_BIAS_WEIGHTS",
    "end_id": "END_ID",
    "pad_id": "PAD_ID",
    "prompt_table_extra_id": "PROMPT_TABLE_EXTRA_ID",
}
_PREPROCESSED = {
    "INPUT_ID": "input_ids",
    "REQUEST_INPUT_LEN": "input_lengths",
    "DECODER_INPUT_ID": "decoder_input_ids",
    "REQUEST_DECODER_INPUT_LEN": "decoder_input_lengths",
    "BAD_WORDS_IDS": "bad_words_list",
    "STOP_WORDS_IDS": "stop_words_list",
    "EMBEDDING_BIAS": "embedding_bias",
    "REQUEST_OUTPUT_LEN": "request_output_len",
    "OUT_END_ID": "end_id",
    "OUT_PAD_ID": "pad_id",
    "OUT_PROMPT_TABLE_EXTRA_IDS": "prompt_table_extra_ids",
}
_ENGINE = {"top_k": "runtime_top_k", "top_p": "runtime_top_p", "length_penalty": "len_penalty", "stream": "streaming"}
# Declared, but not passed on.
_IGNORED = {"num_return_sequences", "num_draft_tokens", "use_draft_logits"}
_IMAGES = ("image_", "video_")


class RequestValidationError(Exception):
    pass


class TritonPythonModel:
    def initialize(self, args):
        config = json.loads(args["model_config"])
        self._accumulates = truth(parameter(config, "accumulate_tokens", "false"))
        self._engine = parameter(config, "tensorrt_llm_model_name", "tensorrt_llm")
        self._is_decoupled = pb_utils.using_decoupled_model_transaction_policy(config)
        passed = [output["name"] for output in config["output"] if output["name"] != "text_output"]
        self._outputs = ["output_ids", "sequence_length", *passed]

    def execute(self, requests):
        if not self._is_decoupled:
            return [self._answer_once(request) for request in requests]
        for request in requests:
            sender = request.get_response_sender()
            try:
                for response in self._responses(request):
                    sender.send(response)
            except Exception:
                sender.send(error_response(traceback.format_exc()))
            sender.send(flags=FINAL)
        return None

    def _answer_once(self, request):
        try:
            return next(iter(self._responses(request)))
        except Exception:
            return error_response(traceback.format_exc())

    def _responses(self, request):
        inputs = {tensor.name(): _batched(tensor.as_numpy()) for tensor in request.inputs()}
        if inputs["max_tokens"].size == 0 or inputs["max_tokens"].item(0) <= 0:
            raise RequestValidationError("max_tokens must be a single value > 0")
        request_id = str(uuid.uuid4())
        stop_words = StopWords(inputs)
        tokens = None
        for answer in self._generate(inputs, request_id):
            ids, lengths = answer["output_ids"], answer["sequence_length"]
            if self._accumulates and self._is_decoupled:
                if ids.shape[1] != 1:
                    raise Exception("Accumulation of tokens is only implemented for beam width = 1")
                ids = tokens = ids if tokens is None else np.concatenate((tokens, ids), axis=2)
                lengths = np.asarray([[ids.shape[2]]], dtype=np.int32)
            text = _call("postprocessing", {"TOKENS_BATCH": ids, "SEQUENCE_LENGTH": lengths}, ["OUTPUT"])["OUTPUT"]
            if stop_words.end(text):
                self._stop(request_id)
            outputs = {"text_output": text, **answer}
            yield pb_utils.InferenceResponse(
                output_tensors=[
                    pb_utils.Tensor(name, value)
                    for name, value in outputs.items()
                    if name not in ("output_ids", "sequence_length")
                ]
            )

    def _generate(self, inputs, request_id):
        wanted = [
            name
            for name in _PREPROCESSED
            if name != "OUT_PROMPT_TABLE_EXTRA_IDS" or "prompt_table_extra_id" in inputs
        ]
        given = {_PREPROCESSING[name]: value for name, value in inputs.items() if name in _PREPROCESSING}
        prepared = _call("preprocessing", given, wanted)
        passed = {
            _ENGINE.get(name, name): value
            for name, value in inputs.items()
            if name not in _PREPROCESSING and name not in _IGNORED and not name.startswith(_IMAGES)
        }
        tensors = passed | {_PREPROCESSED[name]: value for name, value in prepared.items()}
        yield from _exec(self._engine, tensors, self._outputs, self._is_decoupled, request_id)

    def _stop(self, request_id):
        one = np.asarray([[1]], dtype=np.int32)
        tensors = {"input_ids": one, "input_lengths": one, "request_output_len": one, "stop": np.asarray([[True]])}
        for _ in _exec(self._engine, tensors, ["output_ids", "sequence_length"], self._is_decoupled, request_id):
            pass


def _batched(array):
    """A scalar comes without its own dimension; the other models want it back."""
    return array[:, np.newaxis] if array.ndim == 1 else array


def _call(model, tensors, outputs):
    return next(iter(_exec(model, tensors, outputs, False, "")))


def _exec(model, tensors, outputs, is_decoupled, request_id):
    request = pb_utils.InferenceRequest(
        model_name=model,
        request_id=request_id,
        inputs=[pb_utils.Tensor(name, value) for name, value in tensors.items()],
        requested_output_names=outputs,
    )
    responses = request.exec(decoupled=is_decoupled)
    for response in responses if is_decoupled else [responses]:
        if response.has_error():
            raise pb_utils.TritonModelException(response.error().message())
        made = {tensor.name(): tensor.as_numpy() for tensor in response.output_tensors()}
        # The last response of a decoupled model may be empty.
        if made:
            yield made
