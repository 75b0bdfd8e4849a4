"""The contract of Triton's vLLM backend, with its way to send: a thread sends a response per token, then looks for a
disconnection."""

import os
import queue
import sys
import threading
import uuid

sys.path.insert(0, os.environ["CONCH_TEST_SUPPORT"])

from real_vllm.backend import FINAL, Responses, value_of  # noqa: E402
from real_vllm.backend import TritonPythonModel as RealModel  # noqa: E402


class TritonPythonModel(RealModel):
    def initialize(self, args):
        super().initialize(args)
        self._queue = queue.Queue()
        self._sender_thread = threading.Thread(target=self._send_all, daemon=True)
        self._sender_thread.start()

    def finalize(self):
        self._queue.put(None)
        self._sender_thread.join()
        super().finalize()

    async def _generate(self, request, parameters, sender):
        prompt = value_of(request, "text_input").decode("utf-8")
        responses = Responses(request)
        state = {"is_cancelled": False}
        request_id = uuid.uuid4().hex
        async for output in self._engine.generate(prompt, self._sampling_of(parameters), request_id):
            if state["is_cancelled"]:
                await self._engine.abort(request_id)
                return
            self._queue.put((sender, responses.next(output), FINAL if output.finished else 0, state))

    def _send_all(self):
        while (item := self._queue.get()) is not None:
            sender, response, flags, state = item
            sender.send(response, flags=flags)
            if flags != FINAL:
                state["is_cancelled"] = sender.is_cancelled()
