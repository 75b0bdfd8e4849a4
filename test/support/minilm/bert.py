"""The forward pass of BERT."""

import functools
import json
import os

import numpy as np
from safetensors.numpy import load_file

from .folder import folder


class Bert:
    def __init__(self):
        with open(os.path.join(folder(), "config.json"), encoding="utf-8") as file:
            config = json.load(file)
        self.layers = config["num_hidden_layers"]
        self.heads = config["num_attention_heads"]
        self.epsilon = config["layer_norm_eps"]

    @functools.cached_property
    def weights(self):
        """Read at the first use: a server with many models is ready sooner."""
        return load_file(os.path.join(folder(), "model.safetensors"))

    def hidden_states(self, ids, mask, types):
        """[rows, tokens] three times; gives [rows, tokens, width]."""
        positions = np.arange(ids.shape[1])
        words, places, kinds = (
            self.weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
        )
        states = self._norm(words[ids] + places[positions] + kinds[types], "embeddings.LayerNorm")
        hidden = np.where(mask[:, None, None, :] > 0, 0.0, -1e9).astype(np.float32)
        for layer in range(self.layers):
            name = f"encoder.layer.{layer}"
            seen = self._attention(states, hidden, name)
            states = self._norm(seen + states, f"{name}.attention.output.LayerNorm")
            inner = gelu(self._linear(states, f"{name}.intermediate.dense"))
            states = self._norm(self._linear(inner, f"{name}.output.dense") + states, f"{name}.output.LayerNorm")
        return states

    def sentences(self, ids, mask, types):
        """Mean of the tokens, scaled to length one."""
        states = self.hidden_states(ids, mask, types) * mask[:, :, None]
        mean = states.sum(1) / mask.sum(1, keepdims=True)
        return (mean / np.linalg.norm(mean, axis=1, keepdims=True)).astype(np.float32)

    def _attention(self, states, hidden, name):
        rows, tokens, width = states.shape
        query, key, value = (
            self._linear(states, f"{name}.attention.self.{part}")
            .reshape(rows, tokens, self.heads, width // self.heads)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(width // self.heads).astype(np.float32) + hidden
        chances = np.exp(scores - scores.max(-1, keepdims=True))
        chances /= chances.sum(-1, keepdims=True)
        joined = (chances @ value).transpose(0, 2, 1, 3).reshape(rows, tokens, width)
        return self._linear(joined, f"{name}.attention.output.dense")

    def _linear(self, states, name):
        # One large product is much faster than one for each row.
        flat = states.reshape(-1, states.shape[-1]) @ self.weights[f"{name}.weight"].T
        return (flat + self.weights[f"{name}.bias"]).reshape(*states.shape[:-1], -1)

    def _norm(self, states, name):
        mean = states.mean(-1, keepdims=True)
        spread = states.var(-1, keepdims=True)
        scaled = (states - mean) / np.sqrt(spread + self.epsilon)
        return (scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]).astype(np.float32)


def gelu(x):
    return x * 0.5 * (1.0 + error_function(x / np.float32(np.sqrt(2.0))))


def error_function(x):
    """Abramowitz and Stegun 7.1.26: right to 1.5e-7."""
    t = 1.0 / (1.0 + 0.3275911 * np.abs(x))
    factors = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
    polynomial = sum(factor * t ** (at + 1) for at, factor in enumerate(factors))
    return np.sign(x) * (1.0 - polynomial * np.exp(-x * x))
