"""Sends requests of the contract conch-tokens to a tritonserver, and prints what comes back as JSON.

Reads {"port": …, "model": …, "requests": [{"inputs": {NAME: [TYPE, VALUES]}, "outputs": […]}, …]} from standard input.
All requests run at the same time. A request with "after": N begins when the first one has N responses. One with
"cancel_after": N is cancelled when it has N responses. STRING values are texts, or {"base64": …} for bytes.
"""

import base64
import json
import re
import sys
import threading

import grpc
import numpy as np
from tritonclient.grpc import service_pb2, service_pb2_grpc
from tritonclient.utils import deserialize_bytes_tensor, serialize_byte_tensor, triton_to_np_dtype


def message_of(model, request):
    message = service_pb2.ModelInferRequest(model_name=model)
    for name, (datatype, values) in request["inputs"].items():
        message.inputs.add(name=name, datatype=datatype, shape=[len(values)])
        message.raw_input_contents.append(raw(datatype, values))
    for name in request.get("outputs", []):
        message.outputs.add(name=name)
    return message


def raw(datatype, values):
    if datatype != "BYTES":
        return np.asarray(values, dtype=triton_to_np_dtype(datatype)).tobytes()
    array = np.empty(len(values), dtype=np.object_)
    array[:] = [
        base64.b64decode(value["base64"]) if isinstance(value, dict) else value.encode("utf-8") for value in values
    ]
    return serialize_byte_tensor(array).item()


def tensors_of(response):
    tensors = {}
    for output, content in zip(response.outputs, response.raw_output_contents):
        if output.datatype == "BYTES":
            tensors[output.name] = [value.decode("utf-8") for value in deserialize_bytes_tensor(content)]
        else:
            values = np.frombuffer(content, dtype=triton_to_np_dtype(output.datatype))
            # JSON has only finite numbers.
            text = re.sub("NaN|-?Infinity", "null", json.dumps(values.reshape(output.shape).tolist()))
            tensors[output.name] = json.loads(text)
    return tensors


def run(stub, model, request, result, first):
    with first.changed:
        first.changed.wait_for(lambda: first.count >= request.get("after", 0))
    call = stub.ModelStreamInfer(iter([message_of(model, request)]))
    try:
        for response in call:
            if response.error_message:
                result["error"] = response.error_message
                continue
            result["responses"].append(tensors_of(response.infer_response))
            if result is first.result:
                first.set(len(result["responses"]))
            if len(result["responses"]) == request.get("cancel_after"):
                call.cancel()
    except grpc.RpcError as error:
        result["status"] = error.code().name
    finally:
        if result is first.result:
            first.set(float("inf"))


class Progress:
    """How many responses the first request has; endless when it has ended."""

    def __init__(self, result):
        self.result = result
        self.changed = threading.Condition()
        self.count = 0

    def set(self, count):
        with self.changed:
            self.count = count
            self.changed.notify_all()


def main():
    task = json.load(sys.stdin)
    channel = grpc.insecure_channel(f"127.0.0.1:{task['port']}")
    stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
    results = [{"responses": []} for _ in task["requests"]]
    first = Progress(results[0])
    threads = [
        threading.Thread(target=run, args=(stub, task["model"], request, result, first))
        for request, result in zip(task["requests"], results)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(results))


if __name__ == "__main__":
    main()
