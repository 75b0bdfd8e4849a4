"""What tritonclient sees of a server's repository: the index, and whether each model is ready. Prints JSON."""

import json
import sys

import tritonclient.grpc as grpc


def main():
    with grpc.InferenceServerClient(sys.argv[1]) as client:
        index = client.get_model_repository_index(as_json=True).get("models", [])
        ready = {row["name"]: client.is_model_ready(row["name"]) for row in index}
    print(json.dumps({"states": {row["name"]: row.get("state", "") for row in index}, "ready": ready}))


main()
