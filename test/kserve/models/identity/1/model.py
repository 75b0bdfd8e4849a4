"""Gives every input back, and the request's parameters as JSON where they are asked for."""

import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse(output_tensors=self._outputs(request)) for request in requests]

    @staticmethod
    def _outputs(request):
        outputs = [pb_utils.Tensor(tensor.name(), tensor.as_numpy()) for tensor in request.inputs()]
        if "parameters" in request.requested_output_names():
            parameters = json.dumps(json.loads(request.parameters()), sort_keys=True)
            outputs.append(pb_utils.Tensor("parameters", np.asarray([parameters.encode()], dtype=np.object_)))
        return outputs
