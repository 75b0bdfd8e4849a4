"""The responses to one request. Tokens that arrive while no response can be sent wait here, and leave together."""

import threading
from dataclasses import dataclass, field

import triton_python_backend_utils as pb_utils

from .errors import CANCELLED
from .responses import build_response

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


@dataclass
class Chunk:
    """What one choice has gained since its last response."""

    index: int
    token_ids: list = field(default_factory=list)
    texts: list = field(default_factory=list)
    logprobs: list = field(default_factory=list)
    finish_reason: str | None = None
    stop_reason: str | int | None = None

    def add(self, choice):
        self.token_ids.extend(choice.token_ids)
        self.texts.append(choice.text)
        if choice.logprobs is not None:
            # vLLM repeats all logprobs of a choice behind those of a delta without tokens.
            self.logprobs.extend(choice.logprobs[: len(choice.token_ids)])
        if choice.finish_reason is not None:
            self.finish_reason = choice.finish_reason
            self.stop_reason = choice.stop_reason


@dataclass
class Opening:
    """What the first response has beside its tokens."""

    prompt_token_ids: list
    prompt_logprobs: list | None
    usage: tuple


@dataclass
class Ending:
    """What the last response has beside its tokens."""

    usage: tuple
    times: tuple


class Stream:
    """The event loop adds outputs; the sender thread takes and sends them."""

    def __init__(self, sender, layout, request_id=""):
        self.request_id = request_id
        self.layout = layout
        self._sender = sender
        self._state = threading.Lock()
        self._chunks = {}
        self._opening = None
        self._ending = None
        self._error = None
        self._started = False
        # Triton frees what is_cancelled reads when the last response is sent: never do both at the same time.
        self._wire = threading.Lock()
        self._closed = False

    @property
    def is_urgent(self):
        """The first tokens and the end of a response do not wait for other responses."""
        return not self._started or self._ending is not None or self._error is not None

    def add(self, output, usage, times):
        with self._state:
            if self._opening is None and not self._started:
                self._opening = Opening(output.prompt_token_ids or [], output.prompt_logprobs or None, usage)
            for choice in output.outputs:
                chunk = self._chunks.get(choice.index)
                if chunk is None:
                    chunk = self._chunks[choice.index] = Chunk(choice.index)
                chunk.add(choice)
            if output.finished:
                self._ending = Ending(usage, times)

    def fail(self, code, message):
        """Ends the stream with an error behind the tokens that it has."""
        with self._state:
            if message == CANCELLED:
                self._chunks.clear()
            self._error = (code, message)

    def send(self):
        """Sends everything that waits: one response per choice."""
        with self._state:
            chunks, self._chunks = list(self._chunks.values()), {}
            opening, self._opening = self._opening, None
            ending, error = self._ending, self._error
            self._started = self._started or bool(chunks)
        if self._closed:
            return
        last = len(chunks) - 1
        for at, chunk in enumerate(chunks):
            is_final = at == last and ending is not None and error is None
            tensors = build_response(chunk, self.layout, opening if at == 0 else None, ending if is_final else None)
            self._send(pb_utils.InferenceResponse(output_tensors=tensors), is_final)
        if error is not None:
            code, message = error
            self._send(pb_utils.InferenceResponse(error=pb_utils.TritonError(message, code)), True)

    def is_cancelled(self):
        with self._wire:
            return not self._closed and self._sender.is_cancelled()

    def break_off(self, message):
        """Ends a stream with an error in place of a response that could not be sent. After an exception, it is lost."""
        with self._wire:
            sender, self._sender, self._closed = self._sender, None, True
            error = pb_utils.TritonError(message, pb_utils.TritonError.INTERNAL)
            sender.send(pb_utils.InferenceResponse(error=error), flags=FINAL)

    def _send(self, response, is_final):
        if not is_final:
            self._sender.send(response)
            return
        with self._wire:
            self._closed = True
            self._sender.send(response, flags=FINAL)
            self._sender = None
