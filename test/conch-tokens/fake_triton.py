"""An imitation of Triton's module triton_python_backend_utils, with requests and response senders for tests."""

import sys
import threading
import types

import numpy as np

FINAL = 1


class Tensor:
    def __init__(self, name, values):
        self._name, self._values = name, values

    def name(self):
        return self._name

    def as_numpy(self):
        return self._values


class TritonError:
    INTERNAL, INVALID_ARG, UNAVAILABLE, CANCELLED = "INTERNAL", "INVALID_ARG", "UNAVAILABLE", "CANCELLED"

    def __init__(self, message, code=INTERNAL):
        self.message, self.code = message, code


class InferenceResponse:
    def __init__(self, output_tensors=(), error=None):
        self.tensors = {tensor.name(): tensor.as_numpy() for tensor in output_tensors}
        self.error = error


class Sender:
    """Collects responses. A test can block it with `gate` and disconnect its client."""

    def __init__(self, gate=None):
        self.responses = []
        self.done = threading.Event()
        self.entered = threading.Event()
        self.first = threading.Event()
        self.sent = threading.Semaphore(0)
        self.looked = threading.Event()
        self.disconnected = False
        self.breaks = False
        self.failures = 0
        self.misuse = []
        self._gate = gate

    def send(self, response=None, flags=0):
        self.entered.set()
        if self._gate is not None:
            self._gate.acquire()
        if self.done.is_set():
            self.misuse.append("send after the last response")
        if self.breaks:
            raise RuntimeError("Unable to send response.")
        if self.failures > 0:
            self.failures -= 1
            raise RuntimeError("No free space in the shared memory /dev/shm/x.")
        self.responses.append(response)
        self.first.set()
        self.sent.release()
        if flags == FINAL:
            self.done.set()

    def is_cancelled(self):
        if self.done.is_set():
            self.misuse.append("is_cancelled after the last response")
        self.looked.set()
        return self.disconnected


class Request:
    def __init__(self, sender, inputs, outputs, request_id=""):
        self._sender, self.inputs, self._outputs, self._id = sender, inputs, outputs, request_id

    def request_id(self):
        return self._id

    def get_response_sender(self):
        return self._sender

    def requested_output_names(self):
        return self._outputs


def strings(*values):
    array = np.empty(len(values), dtype=np.object_)
    array[:] = [value.encode() if isinstance(value, str) else value for value in values]
    return array


def install():
    module = types.ModuleType("triton_python_backend_utils")
    module.Tensor, module.TritonError, module.InferenceResponse = Tensor, TritonError, InferenceResponse
    module.TRITONSERVER_RESPONSE_COMPLETE_FINAL = FINAL
    module.unloaded = []
    module.logged = []
    module.Logger = types.SimpleNamespace(log_error=module.logged.append)
    module.unload_model = module.unloaded.append
    module.get_input_tensor_by_name = lambda request, name: (
        Tensor(name, request.inputs[name]) if name in request.inputs else None
    )
    sys.modules["triton_python_backend_utils"] = module
    return module
