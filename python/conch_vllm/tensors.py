"""The tensors of the contract conch-tokens. docs/conch-tokens.md gives their meaning."""

INPUTS = (
    ("input_ids", "TYPE_INT32", [-1]),
    ("prompt", "TYPE_STRING", [1]),
    ("sampling_params", "TYPE_STRING", [1]),
    ("stream", "TYPE_BOOL", [1]),
    ("image", "TYPE_STRING", [-1]),
    ("audio", "TYPE_STRING", [-1]),
    ("mm_processor_kwargs", "TYPE_STRING", [1]),
    ("priority", "TYPE_INT32", [1]),
    ("cache_salt", "TYPE_STRING", [1]),
    ("lora_name", "TYPE_STRING", [1]),
    ("lora_path", "TYPE_STRING", [1]),
    ("cancel", "TYPE_BOOL", [1]),
)

# Triton wants one required input at least, and every request has this one.
REQUIRED = ("sampling_params",)

OUTPUTS = (
    ("index", "TYPE_INT32", [1]),
    ("token_ids", "TYPE_INT32", [-1]),
    ("text", "TYPE_STRING", [1]),
    ("logprobs", "TYPE_FP32", [-1, -1]),
    ("logprob_ids", "TYPE_INT32", [-1, -1]),
    ("logprob_ranks", "TYPE_INT32", [-1, -1]),
    ("prompt_token_ids", "TYPE_INT32", [-1]),
    ("prompt_logprobs", "TYPE_FP32", [-1, -1]),
    ("prompt_logprob_ids", "TYPE_INT32", [-1, -1]),
    ("prompt_logprob_ranks", "TYPE_INT32", [-1, -1]),
    ("finish_reason", "TYPE_STRING", [1]),
    ("stop_string", "TYPE_STRING", [1]),
    ("stop_token_id", "TYPE_INT32", [1]),
    ("usage", "TYPE_INT32", [5]),
    ("times", "TYPE_FP64", [4]),
)


def complete(config):
    """Adds to a model's configuration what config.pbtxt leaves out."""
    for name, data_type, dims in INPUTS:
        tensor = {"name": name, "data_type": data_type, "dims": dims}
        config.add_input(tensor if name in REQUIRED else {**tensor, "optional": True})
    for name, data_type, dims in OUTPUTS:
        config.add_output({"name": name, "data_type": data_type, "dims": dims})
    config.set_model_transaction_policy({"decoupled": True})
    config.set_max_batch_size(0)
    return config
