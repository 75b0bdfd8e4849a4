"""What the Python models of test/embeddings share: tensors in, tensors out, one request after the other."""

import numpy as np
import triton_python_backend_utils as pb_utils


def numbers(request, name):
    tensor = pb_utils.get_input_tensor_by_name(request, name)
    return None if tensor is None else tensor.as_numpy()


def texts(request, name):
    return [text.decode("utf-8") for text in numbers(request, name).reshape(-1)]


def answers(requests, name, compute):
    """One response for each request; what compute raises is its error."""
    return [answer(request, name, compute) for request in requests]


def answer(request, name, compute):
    try:
        tensor = pb_utils.Tensor(name, np.ascontiguousarray(compute(request)))
        return pb_utils.InferenceResponse(output_tensors=[tensor])
    except Exception as error:  # noqa: BLE001
        return pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error)))
