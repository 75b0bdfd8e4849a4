"""Texts in, whole vectors out."""

import os
import sys

sys.path.insert(0, os.environ["CONCH_TEST_SUPPORT"])

from minilm.bert import Bert  # noqa: E402
from minilm.triton import answers, texts  # noqa: E402
from minilm.words import Words  # noqa: E402


class TritonPythonModel:
    def initialize(self, _):
        self.bert = Bert()
        self.words = Words()

    def execute(self, requests):
        return answers(requests, "sentence_embedding", self._vectors)

    def _vectors(self, request):
        return self.bert.sentences(*self.words.rows(texts(request, "text")))
