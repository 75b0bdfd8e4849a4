"""The model of the LLM API. Its texts are cumulative, and its numbers are texts."""

import json
import time

import numpy as np
import triton_python_backend_utils as pb_utils

from .engine import Engine
from .generation import Generation
from .request import Row
from .triton import FINAL, LoopModel, error_response, parameter, texts

_DEFAULT_TOKENS = 32


class TritonPythonModel(LoopModel):
    def initialize(self, args):
        config = json.loads(args["model_config"])
        self._engine = Engine(parameter(config, "toy_engine"), parameter(config, "toy_tokenizer"))
        self._is_main = parameter(config, "toy_release") == "main"
        self._is_decoupled = pb_utils.using_decoupled_model_transaction_policy(config)
        self.start_loop()

    async def _infer(self, request):
        sender = request.get_response_sender()
        wishes = Wishes(request)
        if wishes.scalar("stop", False):
            self._stop(request.request_id(), sender)
            return
        try:
            if wishes.scalar("streaming", False) and not self._is_decoupled:
                raise ValueError("Streaming is only supported in decoupled mode.")
            generation = Generation(self._engine, wishes.row(self._engine.language))
        except Exception as error:
            # On the main branch what fails before the engine has taken it is never answered.
            if not self._is_main:
                _send_error(sender, error)
            return
        if generation.steering.directive.get("silent"):
            return
        self._running[request.request_id()] = generation
        try:
            if generation.steering.directive.get("stop_fails") and generation.row.stop_words:
                raise TypeError("TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, InputSequence]]")
            await self._answer(generation, Answer(self._engine, wishes, generation), sender)
        except Exception as error:
            generation.steering.tagged.state = "failed"
            _send_error(sender, error)
        finally:
            self._running.pop(request.request_id(), None)

    async def _answer(self, generation, answer, sender):
        streams = generation.row.streaming
        async for group in generation.steps(sender.is_cancelled):
            (sequence,) = group.beams
            answer.read(sequence)
            if sequence.finish_reason == "cancelled" and (self._is_main or not generation.stopped):
                sender.send(_cancelled(), flags=FINAL)
            elif sequence.finish_reason == "cancelled" and not streams:
                # 1.2.1 leaves a stopped request that is not streamed without an answer.
                pass
            elif sequence.finish_reason is not None:
                sender.send(answer.response(sequence), flags=FINAL)
            elif streams:
                sender.send(answer.response(sequence))

    def _stop(self, request_id, sender):
        if request_id == "":
            sender.send(error_response("A request id must be provided for request cancellation"), flags=FINAL)
            return
        if request_id in self._running:
            self._running[request_id].stopped = True
        sender.send(_cancelled(), flags=FINAL)


class Wishes:
    """The inputs of one request; there is no batch."""

    def __init__(self, request):
        self._tensors = {tensor.name(): tensor.as_numpy() for tensor in request.inputs()}
        self._request_id = request.request_id()
        self.prompt = self._tensors["text_input"].reshape(-1)[0].decode("utf-8")

    def scalar(self, name, default=None):
        if name not in self._tensors:
            return default
        if self._tensors[name].size != 1:
            raise ValueError(f"Expected a scalar tensor for tensor {name}")
        value = self._tensors[name].item()
        return value.decode("utf-8") if isinstance(value, bytes) else value

    def sampling(self, name, default=None):
        return self.scalar(f"sampling_param_{name}", default)

    def row(self, language):
        row = Row(language.prompt_ids(self.prompt), self.sampling("max_tokens", _DEFAULT_TOKENS))
        if self._tensors["text_input"].ndim > 1:
            raise ValueError("The current implementation only supports text_input being a 1D tensor.")
        adapter = [self.scalar(name) for name in ("lora_id", "lora_name", "lora_path")]
        if any(part is not None for part in adapter) and None in adapter:
            raise ValueError("lora_id, lora_name, and lora_path must all be provided together")
        row.streaming = self.scalar("streaming", False)
        row.end_id = language.eos
        row.temperature = self.sampling("temperature", 1.0)
        row.top_k = self.sampling("top_k", 0)
        row.seed = self.sampling("seed", 0)
        row.exclude_input = self.sampling("exclude_input_from_output", False)
        stop = self._tensors.get("sampling_param_stop", np.empty(0)).reshape(-1).tolist()
        row.stop_words = [language.answer_ids(word.decode("utf-8")) for word in stop]
        row.received = {name: self._shown(name) for name in self._tensors if name != "text_input"}
        row.received["request_id"] = self._request_id
        return row

    def _shown(self, name):
        if name == "sampling_param_stop":
            return [word.decode("utf-8") for word in self._tensors[name].reshape(-1).tolist()]
        value = self.scalar(name)
        return round(value, 6) if isinstance(value, float) else value


class Answer:
    """Builds the responses of one request from all of its tokens so far."""

    def __init__(self, engine, wishes, generation):
        self._language = engine.language
        self._wishes = wishes
        self._generation = generation
        self._decode = engine.language.decoder(skip_special_tokens=True)
        self._prefix = "" if generation.row.streaming or generation.row.exclude_input else wishes.prompt
        self._text = ""
        self._read = 0
        self._arrival = time.monotonic_ns()

    def read(self, sequence):
        for token in sequence.tokens[self._read :]:
            self._text += self._decode(token) or ""
        self._read = len(sequence.tokens)
        # A stop word is taken away again when it is complete: its beginning may have been sent.
        if sequence.stop_word is not None:
            kept = sequence.tokens[: -len(sequence.stop_word)]
            self._text = self._language.tokenizer.decode(kept, skip_special_tokens=True)

    def response(self, sequence):
        tensors = [texts("text_output", [self._prefix + self._text], (1,))]
        if self._wishes.scalar("return_finish_reason", False):
            tensors.append(texts("finish_reason", [str(sequence.finish_reason)], (1,)))
        if self._wishes.scalar("return_stop_reason", False):
            stop = None if sequence.stop_word is None else self._language.tokenizer.decode(sequence.stop_word)
            tensors.append(texts("stop_reason", [str(stop)], (1,)))
        if self._wishes.scalar("return_cumulative_logprob", False):
            # The model asks the engine for no log probabilities, so there is nothing to add up.
            tensors.append(texts("cumulative_logprob", ["None"], (1,)))
        if self._wishes.sampling("return_perf_metrics", False):
            tensors += [texts(name, [str(value)], (1,)) for name, value in self._metrics().items()]
        return pb_utils.InferenceResponse(output_tensors=tensors)

    def _metrics(self):
        new, reused = self._generation.new_blocks, self._generation.reused_blocks
        proposed, accepted = self._generation.steering.directive.get("drafts", (0, 0))
        return {
            "kv_cache_reused_block": reused,
            "kv_cache_hit_rate": reused / (new + reused),
            "kv_cache_alloc_new_blocks": new,
            "kv_cache_alloc_total_blocks": new + reused,
            "kv_cache_missed_block": new,
            "arrival_time_ns": self._arrival,
            "first_scheduled_time_ns": self._arrival,
            "first_token_time_ns": self._arrival,
            "last_token_time_ns": time.monotonic_ns(),
            "acceptance_rate": accepted / proposed if proposed else 0.0,
            "total_accepted_draft_tokens": accepted,
            "total_draft_tokens": proposed,
        }


def _cancelled():
    return pb_utils.InferenceResponse(
        error=pb_utils.TritonError("Request cancelled by client", pb_utils.TritonError.CANCELLED)
    )


def _send_error(sender, error):
    sender.send(
        error_response(f"Error generating request: {error}", [texts("text_output", ["N/A"], (1,))]), flags=FINAL
    )
