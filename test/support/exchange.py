"""Speaks to a tritonserver with NVIDIA's own client and shows every message of the inference stream as JSON.

Reads {"port": …, "requests": [{"model", "id", "inputs": {name: value}, "parameters": {…}, "cancel_after": n, "timeout": s}],
"one_stream": bool} from standard input. Prints one {"status", "messages": […]} per request, or one for the whole stream.
"""

import json
import math
import sys

import grpc
import numpy as np
from tritonclient.grpc import InferInput, service_pb2, service_pb2_grpc
from tritonclient.utils import deserialize_bytes_tensor, triton_to_np_dtype


def tensor(name, value):
    if name == "number":
        array, datatype = np.asarray(value, dtype=np.int32), "INT32"
    elif isinstance(value, bool):
        array, datatype = np.asarray([value]), "BOOL"
    else:
        values = value if isinstance(value, list) else [value]
        array, datatype = np.asarray([text.encode() for text in values], dtype=np.object_), "BYTES"
    made = InferInput(name, array.shape, datatype)
    made.set_data_from_numpy(array)
    return made


def message_of(request):
    message = service_pb2.ModelInferRequest(model_name=request["model"], id=request.get("id", ""))
    for name, value in request.get("inputs", {}).items():
        made = tensor(name, value)
        message.inputs.append(made._get_tensor())
        message.raw_input_contents.append(made._get_content())
    for name, value in request.get("parameters", {}).items():
        kind = "bool_param" if isinstance(value, bool) else "int64_param" if isinstance(value, int) else "string_param"
        setattr(message.parameters[name], kind, value)
    return message


def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    return str(value) if isinstance(value, float) and math.isnan(value) else value


def outputs_of(response):
    outputs = {}
    for output, raw in zip(response.outputs, response.raw_output_contents):
        if output.datatype == "BYTES":
            array = deserialize_bytes_tensor(raw)
        else:
            array = np.frombuffer(raw, dtype=triton_to_np_dtype(output.datatype))
        values = [plain(value) for value in array.tolist()]
        outputs[output.name] = {"datatype": output.datatype, "shape": list(output.shape), "values": values}
    return outputs


def shown(message):
    response = message.infer_response
    final = response.parameters.get("triton_final_response")
    return {
        "error": message.error_message or None,
        "id": response.id,
        "model": response.model_name,
        "version": response.model_version,
        "final": None if final is None else final.bool_param,
        "outputs": outputs_of(response),
    }


def converse(stub, requests, cancel_after=None, timeout=None):
    call = stub.ModelStreamInfer(iter([message_of(request) for request in requests]), timeout=timeout)
    messages = []
    try:
        for message in call:
            messages.append(shown(message))
            if len(messages) == cancel_after:
                call.cancel()
        status = "OK"
    except grpc.RpcError as error:
        status = error.code().name
    return {"status": status, "messages": messages}


def main():
    task = json.load(sys.stdin)
    with grpc.insecure_channel(f"127.0.0.1:{task['port']}") as channel:
        stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        requests = task["requests"]
        if task.get("one_stream"):
            print(json.dumps([converse(stub, requests)]))
        else:
            print(json.dumps([converse(stub, [one], one.get("cancel_after"), one.get("timeout")) for one in requests]))


main()
