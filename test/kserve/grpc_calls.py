"""What a gRPC client sees of deadlines, cancelling, compression, large messages and a server that stops. Prints JSON.

Reads {"port": …, "part": …} from standard input; the part "fragile" is what tritonserver 2.51 does not always survive.
"""

import json
import sys
import time

import grpc
import numpy as np
from tritonclient.grpc import service_pb2, service_pb2_grpc

LARGE = 24 * 1024 * 1024
LAST = 5

# A stream that is cancelled just as a response leaves can bring tritonserver 2.51 down: responses are far between.
DELAY = 0.2
BETWEEN_TWO = 1.5 * DELAY


def repeat(count, delay=None, **fields):
    message = service_pb2.ModelInferRequest(model_name="repeat", **fields)
    message.inputs.add(name="COUNT", datatype="INT32", shape=[1])
    message.raw_input_contents.append(np.int32(count).tobytes())
    if delay is not None:
        message.inputs.add(name="DELAY", datatype="FP32", shape=[1])
        message.raw_input_contents.append(np.float32(delay).tobytes())
    return message


def identity(size):
    message = service_pb2.ModelInferRequest(model_name="identity", id="large")
    message.inputs.add(name="UINT8", datatype="UINT8", shape=[size])
    message.raw_input_contents.append(bytes(size))
    message.outputs.add(name="UINT8")
    return message


def accumulate(number, sequence):
    message = service_pb2.ModelInferRequest(model_name="accumulate", id=f"{sequence}-{number}")
    message.parameters["sequence_id"].int64_param = sequence
    message.parameters["sequence_start"].bool_param = number == 1
    message.parameters["sequence_end"].bool_param = number == LAST
    message.inputs.add(name="NUMBER", datatype="INT32", shape=[1, 1])
    message.raw_input_contents.append(np.int32(number).tobytes())
    return message


def typed(**contents):
    message = service_pb2.ModelInferRequest(model_name="identity")
    for name, values in contents.items():
        datatype, field = name.split("__")
        tensor = message.inputs.add(name=datatype, datatype=datatype, shape=[len(values)])
        getattr(tensor.contents, field).extend(values)
    return message


def outcome(action):
    try:
        return action()
    except grpc.RpcError as error:
        return f"{error.code().name}: {error.details()}"


def running(stub):
    [answer] = stub.ModelStreamInfer(iter([repeat(-1)]))
    return int(np.frombuffer(answer.infer_response.raw_output_contents[0], dtype=np.int32)[0])


def until_none_runs(stub):
    deadline = time.monotonic() + 10
    while running(stub) > 0 and time.monotonic() < deadline:
        time.sleep(0.02)
    return running(stub)


def cancelled(stub):
    call = stub.ModelStreamInfer(iter([repeat(10_000, DELAY)]))
    next(call)
    before = running(stub)
    call.cancel()
    return [before, until_none_runs(stub)]


def overdue(stub):
    ended = outcome(lambda: list(stub.ModelStreamInfer(iter([repeat(10_000, DELAY)]), timeout=BETWEEN_TWO)))
    return [ended, until_none_runs(stub)]


def sums(stub):
    """The requests of two sequences on one stream: each sequence in its order, all answers in the order of the requests."""
    requests = [accumulate(number, sequence) for number in range(1, LAST + 1) for sequence in (7, 8)]
    answers = [each.infer_response for each in stub.ModelStreamInfer(iter(requests))]
    return [[each.id, int(np.frombuffer(each.raw_output_contents[0], dtype=np.int32)[0])] for each in answers]


def in_order(stub):
    """A slow decoupled request does not hold up others, and those of a plain model answer in their order."""
    requests = [repeat(3, DELAY, id="slow"), *[typed(INT32__int_contents=[number]) for number in range(4)]]
    for number, request in enumerate(requests[1:]):
        request.id = str(number)
    return [each.infer_response.id for each in stub.ModelStreamInfer(iter(requests))]


def sturdy(channel, stub):
    large = stub.ModelInfer(identity(LARGE))
    packed = stub.ModelInfer(identity(100_000), compression=grpc.Compression.Gzip)
    deflated = stub.ModelInfer(identity(100_000), compression=grpc.Compression.Deflate)
    values = stub.ModelInfer(
        typed(
            INT8__int_contents=[-1, 2],
            UINT16__uint_contents=[65535],
            INT64__int64_contents=[-(2**63)],
            UINT64__uint64_contents=[2**64 - 1],
            FP32__fp32_contents=[0.5],
            FP64__fp64_contents=[-0.25],
            BOOL__bool_contents=[True, False],
            BYTES__bytes_contents=[b"a", b"", b"\xff"],
        )
    )
    raw = channel.unary_unary("/inference.GRPCInferenceService/Nothing", bytes, bytes)
    health = channel.unary_unary("/grpc.health.v1.Health/Check", bytes, bytes)
    return {
        "large": [len(large.raw_output_contents[0]), large.id],
        "gzip": len(packed.raw_output_contents[0]),
        "deflate": len(deflated.raw_output_contents[0]),
        "typed": [[each.name, raw.hex()] for each, raw in zip(values.outputs, values.raw_output_contents)],
        "cancelled": cancelled(stub),
        "overdue": overdue(stub),
        "sequences": sums(stub),
        "unknown method": outcome(lambda: raw(b"")),
        "health": outcome(lambda: health(b"").hex()),
        "not a message": outcome(lambda: channel.unary_unary("/inference.GRPCInferenceService/ModelInfer", bytes, bytes)(b"\xff\xff")),
        "refusal in the stream": with_status(stub, repeat(1, model_version="9", id="r")),
    }


def fragile(channel, stub):
    """Both kinds of model on one stream; an error of a model as the status of the call."""
    return {"order": in_order(stub), "true status": with_status(stub, faulty())}


def with_status(stub, request):
    metadata = [("triton_grpc_error", "true")]
    return outcome(lambda: [str(each) for each in stub.ModelStreamInfer(iter([request]), metadata=metadata)])


def faulty():
    message = repeat(0, id="f")
    message.inputs.add(name="FAULT", datatype="BYTES", shape=[2])
    parts = [b"UNAVAILABLE", "voll \u00e4 100%".encode()]
    message.raw_input_contents.append(b"".join(len(part).to_bytes(4, "little") + part for part in parts))
    return message


def main():
    task = json.load(sys.stdin)
    options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    part = {"sturdy": sturdy, "fragile": fragile}[task["part"]]
    with grpc.insecure_channel(f"127.0.0.1:{task['port']}", options=options) as channel:
        shown = part(channel, service_pb2_grpc.GRPCInferenceServiceStub(channel))
    json.dump(shown, sys.stdout)


main()
