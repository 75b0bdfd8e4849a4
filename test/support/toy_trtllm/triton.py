"""Tensors, parameters and requests, as the models of TensorRT-LLM read, write and run them."""

import asyncio
import threading

import numpy as np
import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


def parameter(config, name, default=None):
    """A parameter of config.pbtxt. One that is empty or still a `${variable}` counts as not set."""
    value = config.get("parameters", {}).get(name, {}).get("string_value", "")
    return default if value == "" or (value.startswith("${") and value.endswith("}")) else value


def truth(text):
    return text.lower() in ("true", "yes", "1", "t", "y")


def texts(name, values, shape):
    encoded = np.empty(len(values), dtype=np.object_)
    encoded[:] = [value.encode("utf-8") for value in values]
    return pb_utils.Tensor(name, encoded.reshape(shape))


def error_response(message, tensors=()):
    return pb_utils.InferenceResponse(output_tensors=list(tensors), error=pb_utils.TritonError(message))


class Inputs:
    """The input tensors of one request. Each has the batch as its first dimension; scalars may have no other one."""

    def __init__(self, request):
        self._tensors = {tensor.name(): tensor.as_numpy() for tensor in request.inputs()}

    def names(self):
        return list(self._tensors)

    def batch_size(self, name):
        return self._tensors[name].shape[0] if name in self._tensors else 0

    def row(self, name, row):
        return self._tensors[name][row] if name in self._tensors else None

    def scalar(self, name, row, default=None):
        values = self.row(name, row)
        if values is None:
            return default
        if values.size != 1:
            raise ValueError(f"Expected a scalar tensor for tensor {name}")
        value = values.item()
        return value.decode("utf-8") if isinstance(value, bytes) else value


class LoopModel:
    """A model whose requests run beside each other, as coroutines of one thread."""

    def start_loop(self):
        # By the id that the client gave: a later request with the same id takes its place.
        self._running = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def execute(self, requests):
        for request in requests:
            asyncio.run_coroutine_threadsafe(self._infer(request), self._loop)
        return None

    def finalize(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
