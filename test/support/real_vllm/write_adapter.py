"""Writes a LoRA adapter with random weights for a llama model.

    python write_adapter.py MODEL FOLDER RANK
"""

import json
import os
import sys

import numpy as np
from safetensors.numpy import save_file


def main(model, folder, rank):
    with open(os.path.join(model, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    hidden, rank = config["hidden_size"], int(rank)
    values = hidden * config["num_key_value_heads"] // config["num_attention_heads"]
    rng = np.random.default_rng(1)
    tensors = {}
    for layer in range(config["num_hidden_layers"]):
        for name, size in (("q_proj", hidden), ("v_proj", values)):
            prefix = f"base_model.model.model.layers.{layer}.self_attn.{name}"
            tensors[f"{prefix}.lora_A.weight"] = rng.normal(0, 0.1, (rank, hidden)).astype(np.float32)
            tensors[f"{prefix}.lora_B.weight"] = rng.normal(0, 0.1, (size, rank)).astype(np.float32)
    os.makedirs(folder, exist_ok=True)
    save_file(tensors, os.path.join(folder, "adapter_model.safetensors"))
    settings = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": "",
        "bias": "none",
        "r": rank,
        "lora_alpha": 4 * rank,
        "target_modules": ["q_proj", "v_proj"],
    }
    with open(os.path.join(folder, "adapter_config.json"), "w", encoding="utf-8") as file:
        json.dump(settings, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
