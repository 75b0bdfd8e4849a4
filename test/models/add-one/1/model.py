"""A plain numeric model: no language model's contract fits it."""

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse(output_tensors=[self._sum(request)]) for request in requests]

    @staticmethod
    def _sum(request):
        number = pb_utils.get_input_tensor_by_name(request, "number").as_numpy()
        return pb_utils.Tensor("sum", (number + 1).astype(np.int32))
