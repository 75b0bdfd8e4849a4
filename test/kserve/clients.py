"""NVIDIA's own clients (grpc, http and their asyncio twins) against any server of the v2 protocol, all answers as JSON.

Reads from standard input
  {"grpc": "host:port", "http": "host:port", "models": {role: {"name", "inputs": [{"name", "datatype", "shape", "data"}]}},
   "mixesKinds": whether one stream may carry requests of both kinds of model; if not, each gets a stream of its own}
Roles: `plain` answers once, `decoupled` any number of times (with "faulty": inputs that make it fail, "generate": a body for
generate), `loadable` may be unloaded and loaded, `broken` cannot be loaded. What needs a role that is not given is left out.
"""

import asyncio
import http.client
import inspect
import json
import math
import sys

import numpy as np
import tritonclient.grpc
import tritonclient.grpc.aio
import tritonclient.http
import tritonclient.http.aio
from tritonclient.utils import InferenceServerException, triton_to_np_dtype

UNKNOWN = "no-such-model"


def plain(value):
    """Any answer as JSON that compares well: bytes as text, what is not a number as a word."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def uncounted(value):
    """Statistics without their numbers, which differ from run to run."""
    if isinstance(value, dict):
        return {key: value[key] if key in ("name", "version") else uncounted(value[key]) for key in value}
    if isinstance(value, list):
        return [uncounted(each) for each in value]
    return 0


class Client:
    """One of the four clients, seen alike."""

    def __init__(self, kind, address):
        self.kind = kind
        self.is_grpc = kind.startswith("grpc")
        self.module = {
            "grpc": tritonclient.grpc,
            "grpc.aio": tritonclient.grpc.aio,
            "http": tritonclient.http,
            "http.aio": tritonclient.http.aio,
        }[kind]
        self.client = self.module.InferenceServerClient(address)
        self.cases = {}

    async def call(self, method, *arguments, **options):
        outcome = getattr(self.client, method)(*arguments, **options)
        return await outcome if inspect.isawaitable(outcome) else outcome

    async def case(self, name, method, *arguments, shown=plain, **options):
        if self.is_grpc and method.startswith("get_"):
            options["as_json"] = True
        try:
            self.cases[name] = shown(await self.call(method, *arguments, **options))
        except InferenceServerException as error:
            self.cases[name] = failure(error)

    async def infer(self, name, model, inputs, **options):
        binary = options.pop("binary", True)
        given = [self.tensor(each, binary) for each in inputs]
        await self.case(name, "infer", model, given, shown=self.result, **options)

    def tensor(self, given, binary=True):
        tensor = self.module.InferInput(given["name"], given["shape"], given["datatype"])
        array = array_of(given)
        if self.is_grpc:
            tensor.set_data_from_numpy(array)
        else:
            tensor.set_data_from_numpy(array, binary_data=binary)
        return tensor

    def result(self, result):
        response = result.get_response(as_json=True) if self.is_grpc else result.get_response()
        names = [output["name"] for output in response.get("outputs", [])]
        return plain({"response": response, "values": {name: result.as_numpy(name) for name in names}})

    async def converse(self, name, requests):
        """Sends requests over one stream and shows what comes back, sorted by request."""
        self.cases[name] = await self.answers(requests)

    async def answers(self, requests):
        made = [{**each, "inputs": [self.tensor(given) for given in each["inputs"]]} for each in requests]
        answers = []
        if self.kind == "grpc":
            self.client.start_stream(lambda result, error: answers.append((result, error)))
            for request in made:
                self.client.async_stream_infer(**request)
            self.client.stop_stream()
        else:

            async def given():
                for request in made:
                    yield request

            async for result, error in self.client.stream_infer(given()):
                answers.append((result, error))
        shown = [failure(error) if error is not None else self.result(result) for result, error in answers]
        return sorted(shown, key=lambda each: each.get("response", {}).get("id", ""))


def failure(error):
    return {"error": error.message(), "status": error.status()}


def array_of(given):
    if given["datatype"] == "BYTES":
        array = np.asarray([text.encode() for text in given["data"]], dtype=np.object_)
    else:
        array = np.asarray(given["data"], dtype=triton_to_np_dtype(given["datatype"]))
    return array.reshape(given["shape"])


async def read_server(client, models):
    await client.case("server live", "is_server_live")
    await client.case("server metadata", "get_server_metadata")
    await client.case("index", "get_model_repository_index")
    await client.case("statistics of an unknown model", "get_inference_statistics", UNKNOWN)
    for role, model in models.items():
        name = model["name"]
        await client.case(f"{role} ready", "is_model_ready", name)
        await client.case(f"{role} metadata", "get_model_metadata", name)
        await client.case(f"{role} metadata of version 1", "get_model_metadata", name, "1")
        await client.case(f"{role} metadata of version 77", "get_model_metadata", name, "77")
        await client.case(f"{role} config", "get_model_config", name)
    for method in ("is_model_ready", "get_model_metadata", "get_model_config"):
        await client.case(f"{method} of an unknown model", method, UNKNOWN)


async def infer_plain(client, model):
    name, inputs = model["name"], model["inputs"]
    first = inputs[0]
    await client.infer("infer", name, inputs)
    await client.infer("infer with an id", name, inputs, request_id="ä-7")
    await client.infer("infer version 1", name, inputs, model_version="1")
    await client.infer("infer with parameters", name, inputs, parameters={"word": "x", "whole": 3, "flag": True})
    await client.infer("infer with priority and timeout", name, inputs, priority=2, timeout=5_000_000)
    if not client.is_grpc:
        await client.infer("infer in JSON", name, inputs, binary=False)
        for encoding in ("gzip", "deflate"):
            compression = {"request_compression_algorithm": encoding, "response_compression_algorithm": encoding}
            await client.infer(f"infer in {encoding}", name, inputs, **compression)
    else:
        await client.infer("infer in gzip", name, inputs, compression_algorithm="gzip")
        await client.infer("infer within a time", name, inputs, client_timeout=30)
    wanted = [client.module.InferRequestedOutput(output) for output in model.get("outputs", [])[:1]]
    await client.infer("one output", name, inputs, outputs=wanted)
    unwanted = [client.module.InferRequestedOutput("NO_SUCH_OUTPUT")]
    await client.infer("an unknown output", name, inputs, outputs=unwanted)
    await client.infer("an unknown model", UNKNOWN, inputs)
    await client.infer("an unknown version", name, inputs, model_version="77")
    await client.infer("a version that is none", name, inputs, model_version="x")
    await client.infer("a wrong type", name, [{**first, "datatype": "FP64", "data": np.zeros(first["shape"])}, *inputs[1:]])
    await client.infer("a wrong shape", name, [{**first, "shape": [*first["shape"], 1]}, *inputs[1:]])
    await client.infer("a missing input", name, inputs[1:], request_id="q")
    await client.infer("an unexpected input", name, [{**first, "name": "NO_SUCH_INPUT"}, *inputs[1:]])
    await client.infer("an input too many", name, [*inputs, {**first, "name": "NO_SUCH_INPUT"}])
    await client.infer("an input twice", name, [first, *inputs])
    await client.infer("a reserved parameter", name, inputs, parameters={"sequence_id": 3})
    await client.case("statistics", "get_inference_statistics", name, shown=uncounted)


async def infer_decoupled(client, models, mixes_kinds):
    model = models["decoupled"]
    request = {"model_name": model["name"], "inputs": model["inputs"]}
    await client.infer("infer of a decoupled model", model["name"], model["inputs"])
    if not client.is_grpc:
        return
    await client.converse("stream", [{**request, "request_id": "a"}])
    await client.converse("stream with an end", [{**request, "request_id": "a", "enable_empty_final_response": True}])
    await client.converse("stream of several", [{**request, "request_id": each} for each in "abc"])
    await client.converse("stream of an unknown model", [{**request, "model_name": UNKNOWN, "request_id": "a"}])
    await client.converse("stream of an unknown version", [{**request, "model_version": "77", "request_id": "a"}])
    await client.converse("stream without its input", [{**request, "inputs": [], "request_id": "a"}])
    first, *others = model["inputs"]
    faults = {
        "of a wrong type": {**first, "datatype": "FP64", "data": np.zeros(first["shape"])},
        "of a wrong shape": {**first, "shape": [*first["shape"], 1]},
        "of an unexpected input": {**first, "name": "NO_SUCH_INPUT"},
    }
    for name, fault in faults.items():
        await client.converse(f"stream {name}", [{**request, "inputs": [fault, *others], "request_id": "a"}])
    if "faulty" in model:
        await client.converse("stream that fails", [{**request, "inputs": model["faulty"], "request_id": "a"}])
    if "plain" in models:
        once = {"model_name": models["plain"]["name"], "inputs": models["plain"]["inputs"]}
        await client.converse("stream of a plain model", [{**once, "request_id": each} for each in "abcdefgh"])
        both = [{**request, "request_id": "a"}, {**once, "request_id": "b"}]
        streams = [both] if mixes_kinds else [[each] for each in both]
        client.cases["stream of both kinds"] = [answer for each in streams for answer in await client.answers(each)]


async def load_and_unload(client, models):
    if "broken" in models:
        await client.case("failed load", "load_model", models["broken"]["name"])
        await client.case("index after a failed load", "get_model_repository_index")
    await client.case("load of an unknown model", "load_model", UNKNOWN)
    await client.case("unload of an unknown model", "unload_model", UNKNOWN)
    name, inputs = models["loadable"]["name"], models["loadable"]["inputs"]
    await client.case("unload", "unload_model", name)
    await until_unloaded(client, name)
    await client.case("ready after unload", "is_model_ready", name)
    await client.infer("infer after unload", name, inputs)
    await client.case("load", "load_model", name)
    await client.case("ready after load", "is_model_ready", name)
    await client.infer("infer after load", name, inputs)
    await client.case("load with a wrong config", "load_model", name, config="{")
    await client.case("config after load", "get_model_config", name)


async def until_unloaded(client, name):
    """An unload is answered when it begins."""
    options = {"as_json": True} if client.is_grpc else {}
    for _ in range(1000):
        index = await client.call("get_model_repository_index", **options)
        rows = index["models"] if client.is_grpc else index
        if any(row["name"] == name and row.get("reason") == "unloaded" for row in rows):
            return
        await asyncio.sleep(0.02)
    raise TimeoutError(f"{name} is not unloaded: {rows}")


def generate(address, models):
    """What the JSON interface for language models answers."""
    model = models.get("decoupled", {})
    if "generate" not in model:
        return {}
    host, port = address.rsplit(":", 1)
    cases = {}
    for path in ("generate", "generate_stream"):
        for name, body in {"": model["generate"], " with an id": {**model["generate"], "id": "ä"}, " of nothing": {}}.items():
            connection = http.client.HTTPConnection(host, int(port), timeout=30)
            connection.request("POST", f"/v2/models/{model['name']}/{path}", json.dumps(body))
            answer = connection.getresponse()
            text = answer.read().decode()
            cases[path + name] = {"status": answer.status, "type": answer.getheader("content-type"), "body": text}
            connection.close()
    return cases


async def main():
    task = json.load(sys.stdin)
    models = task["models"]
    results = {}
    for kind in ("grpc", "http", "grpc.aio", "http.aio"):
        client = Client(kind, task[kind.split(".")[0]])
        await read_server(client, models)
        if "plain" in models:
            await infer_plain(client, models["plain"])
        if "decoupled" in models:
            await infer_decoupled(client, models, task["mixesKinds"])
        if "loadable" in models:
            await load_and_unload(client, models)
        await client.call("close")
        results[kind] = client.cases
    results["generate"] = generate(task["http"], models)
    json.dump(results, sys.stdout)


asyncio.run(main())
