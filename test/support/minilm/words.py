"""Texts to rows of token ids, for models that take texts."""

import os

import numpy as np
from tokenizers import Tokenizer

from .folder import folder


class Words:
    def __init__(self):
        self.tokenizer = Tokenizer.from_file(os.path.join(folder(), "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.enable_padding()

    def rows(self, texts):
        encoded = self.tokenizer.encode_batch(texts)
        return tuple(
            np.array([getattr(row, part) for row in encoded], dtype=np.int64)
            for part in ("ids", "attention_mask", "type_ids")
        )
