"""Adds up the numbers of each sequence."""

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self._sums = {}

    def execute(self, requests):
        return [pb_utils.InferenceResponse(output_tensors=[self._sum(request)]) for request in requests]

    def _sum(self, request):
        number, start, sequence = (_value(request, name) for name in ("NUMBER", "START", "CORRID"))
        self._sums[sequence] = number + (0 if start else self._sums.get(sequence, 0))
        return pb_utils.Tensor("SUM", np.asarray([[self._sums[sequence]]], dtype=np.int32))


def _value(request, name):
    return int(pb_utils.get_input_tensor_by_name(request, name).as_numpy().reshape(-1)[0])
