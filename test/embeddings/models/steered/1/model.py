"""Vectors as the text asks for them: right, of numbers that are none, of another length, late, or not at all."""

import os
import sys

sys.path.insert(0, os.environ["CONCH_TEST_SUPPORT"])

import time  # noqa: E402

import numpy as np  # noqa: E402
from minilm.triton import answers, texts  # noqa: E402


class TritonPythonModel:
    def initialize(self, _):
        self.seen = 0

    def execute(self, requests):
        return answers(requests, "embedding", self._vector)

    def _vector(self, request):
        [text] = texts(request, "text")
        self.seen += 1
        if text == "fail":
            raise ValueError("the model does not like this text")
        if text == "slow":
            time.sleep(0.2)
        if text == "wide":
            return np.sin(np.arange(4096, dtype=np.float32))
        if text == "seen":
            return np.array([self.seen, 0.0], dtype=np.float32)
        wrong = {"nan": [np.nan, 1.0], "infinite": [np.inf, 1.0], "long": [1.0, 2.0, 3.0], "nothing": []}
        return np.array(wrong.get(text, [3.0, 4.0]), dtype=np.float32)
