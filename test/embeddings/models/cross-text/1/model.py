"""A query and a document as texts in, a finished score out."""

import os
import sys

sys.path.insert(0, os.environ["CONCH_TEST_SUPPORT"])

import numpy as np  # noqa: E402
from minilm.bert import Bert  # noqa: E402
from minilm.triton import answers, texts  # noqa: E402
from minilm.words import Words  # noqa: E402


class TritonPythonModel:
    def initialize(self, _):
        self.bert = Bert()
        self.words = Words()

    def execute(self, requests):
        return answers(requests, "score", self._scores)

    def _scores(self, request):
        queries, documents = (
            self.bert.sentences(*self.words.rows(texts(request, name))) for name in ("query", "document")
        )
        return ((queries * documents).sum(1, keepdims=True) / 2 + 0.5).astype(np.float32)
