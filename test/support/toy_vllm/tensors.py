"""The tensors that the vLLM backend declares, by release."""


def _input(name, data_type, dims=1, optional=True):
    tensor = {"name": name, "data_type": data_type, "dims": [dims]}
    if optional:
        tensor["optional"] = True
    return tensor


def _output(name, data_type, dims=-1):
    return {"name": name, "data_type": data_type, "dims": [dims]}


_RETURNS = ["finish_reason", "cumulative_logprob", "logprobs", "num_input_tokens", "num_output_tokens"]


def inputs_of(release):
    tensors = [_input("text_input", "TYPE_STRING", optional=False)]
    if release >= (24, 12):
        tensors.append(_input("image", "TYPE_STRING", dims=-1))
    tensors.append(_input("stream", "TYPE_BOOL"))
    tensors.append(_input("sampling_parameters", "TYPE_STRING"))
    tensors.append(_input("exclude_input_in_output", "TYPE_BOOL"))
    if release >= (24, 12):
        tensors.extend(_input(f"return_{name}", "TYPE_BOOL") for name in _RETURNS)
    if release >= (25, 11):
        tensors.append(_input("embedding_request", "TYPE_STRING"))
    return tensors


def outputs_of(release):
    tensors = [_output("text_output", "TYPE_STRING")]
    if release >= (24, 12):
        tensors.append(_output("finish_reason", "TYPE_STRING"))
        tensors.append(_output("cumulative_logprob", "TYPE_FP32"))
        tensors.append(_output("logprobs", "TYPE_STRING"))
        tensors.append(_output("num_input_tokens", "TYPE_UINT32", dims=1))
        tensors.append(_output("num_output_tokens", "TYPE_UINT32"))
    return tensors


def release_of(config):
    """The release that a model imitates: the parameter RELEASE of its config.pbtxt, else 26.01."""
    parameter = config.get("parameters", {}).get("RELEASE")
    text = parameter["string_value"] if parameter else "26.01"
    year, month = text.split(".")
    return int(year), int(month)
