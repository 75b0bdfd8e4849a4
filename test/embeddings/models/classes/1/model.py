"""Sorts pairs of texts into three classes: no vectors and no scores."""

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self._answer(request) for request in requests]

    @staticmethod
    def _answer(request):
        rows = len(pb_utils.get_input_tensor_by_name(request, "premise").as_numpy())
        logits = np.tile(np.array([[0.0, 1.0, 2.0]], dtype=np.float32), (rows, 1))
        return pb_utils.InferenceResponse(output_tensors=[pb_utils.Tensor("logits", logits)])
