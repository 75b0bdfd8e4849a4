"""Writes a GGUF file of the llama architecture as the folder that Hugging Face's loaders read, in float32.

    python convert_gguf.py FILE.gguf FOLDER
"""

import json
import os
import sys

import gguf
import numpy as np
from safetensors.numpy import save_file

SPECIAL = int(gguf.TokenType.CONTROL)
LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}


def tensor_name(name):
    parts = name.split(".")
    if parts[0] == "blk":
        return f"model.layers.{parts[1]}.{LAYER_NAMES[parts[2]]}.{parts[3]}"
    return f"{NAMES[parts[0]]}.{parts[1]}"


def interleaved(weights, heads):
    """GGUF keeps the two halves of each rotary pair apart; Hugging Face keeps them side by side."""
    rows, columns = weights.shape
    return weights.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def weights(reader, heads, key_heads):
    tensors = {}
    for tensor in reader.tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        if ".attn_q." in tensor.name:
            values = interleaved(values, heads)
        if ".attn_k." in tensor.name:
            values = interleaved(values, key_heads)
        tensors[tensor_name(tensor.name)] = np.ascontiguousarray(values)
    return tensors


def tokenizer(tokens, merges, types):
    added = [
        {
            "id": token_id,
            "content": content,
            "special": True,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
        }
        for token_id, content in enumerate(tokens)
        if types[token_id] == SPECIAL
    ]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0",
        "added_tokens": added,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level],
        },
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "vocab": {content: token_id for token_id, content in enumerate(tokens)},
            "merges": [merge.split(" ") for merge in merges],
        },
    }


def write(folder, name, value):
    with open(os.path.join(folder, name), "w") as file:
        json.dump(value, file)


def main(source, folder):
    reader = gguf.GGUFReader(source)

    def field(name, default=None):
        found = reader.get_field(name)
        return default if found is None else found.contents()

    heads = field("llama.attention.head_count")
    key_heads = field("llama.attention.head_count_kv")
    tensors = weights(reader, heads, key_heads)
    tokens = field("tokenizer.ggml.tokens")
    first, last = field("tokenizer.ggml.bos_token_id"), field("tokenizer.ggml.eos_token_id")
    os.makedirs(folder, exist_ok=True)
    save_file(tensors, os.path.join(folder, "model.safetensors"), metadata={"format": "pt"})
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": len(tokens),
        "hidden_size": field("llama.embedding_length"),
        "intermediate_size": field("llama.feed_forward_length"),
        "num_hidden_layers": field("llama.block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": key_heads,
        "max_position_embeddings": field("llama.context_length"),
        "rms_norm_eps": field("llama.attention.layer_norm_rms_epsilon"),
        "rope_theta": field("llama.rope.freq_base", 10000.0),
        "hidden_act": "silu",
        "tie_word_embeddings": "lm_head.weight" not in tensors,
        "bos_token_id": first,
        "eos_token_id": last,
        "torch_dtype": "float32",
    }
    write(folder, "config.json", config)
    write(folder, "generation_config.json", {"bos_token_id": first, "eos_token_id": last})
    write(folder, "tokenizer.json", tokenizer(tokens, field("tokenizer.ggml.merges"), field("tokenizer.ggml.token_type")))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": tokens[first],
        "eos_token": tokens[last],
        "chat_template": field("tokenizer.chat_template"),
        "clean_up_tokenization_spaces": False,
    }
    write(folder, "tokenizer_config.json", settings)


if __name__ == "__main__":
    main(*sys.argv[1:])
