"""Answers COUNT times; the end comes without data. FAULT is a status code and a text to fail with after the answers.

A COUNT of -1 asks how many requests are being answered.
"""

import threading
import time

import numpy as np
import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


class TritonPythonModel:
    def initialize(self, args):
        self._running = 0
        self._lock = threading.Lock()

    def execute(self, requests):
        for request in requests:
            threading.Thread(target=self._answer, args=(request,), daemon=True).start()

    def _answer(self, request):
        sender = request.get_response_sender()
        count = _value(request, "COUNT")[0]
        if count == -1:
            sender.send(_response(self._running), flags=FINAL)
            return
        self._count(1)
        try:
            self._repeat(sender, count, _value(request, "DELAY"), _value(request, "FAULT"))
        finally:
            self._count(-1)

    def _count(self, change):
        with self._lock:
            self._running += change

    @staticmethod
    def _repeat(sender, count, delay, fault):
        for index in range(count):
            if delay is not None:
                time.sleep(float(delay[0]))
            if sender.is_cancelled():
                error = pb_utils.TritonError("stopped by its client", pb_utils.TritonError.CANCELLED)
                sender.send(pb_utils.InferenceResponse(error=error), flags=FINAL)
                return
            sender.send(_response(index))
        if fault is None:
            sender.send(flags=FINAL)
            return
        code, text = (part.decode() for part in fault)
        error = pb_utils.TritonError(text, getattr(pb_utils.TritonError, code))
        sender.send(pb_utils.InferenceResponse(error=error), flags=FINAL)


def _response(index):
    number = np.asarray([index], dtype=np.int32)
    square = np.asarray([index * index, index / 4], dtype=np.float64)
    tensors = [pb_utils.Tensor("INDEX", number), pb_utils.Tensor("SQUARE", square)]
    return pb_utils.InferenceResponse(output_tensors=tensors)


def _value(request, name):
    tensor = pb_utils.get_input_tensor_by_name(request, name)
    return None if tensor is None else tensor.as_numpy()
