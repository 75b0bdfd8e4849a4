"""Pairs of texts as token ids in, a logit out, as a cross-encoder has it."""

import os
import sys

sys.path.insert(0, os.environ["CONCH_TEST_SUPPORT"])

from minilm.bert import Bert  # noqa: E402
from minilm.cross import pair_logits  # noqa: E402
from minilm.triton import answers, numbers  # noqa: E402


class TritonPythonModel:
    def initialize(self, _):
        self.bert = Bert()

    def execute(self, requests):
        return answers(requests, "logits", self._logits)

    def _logits(self, request):
        names = ("input_ids", "attention_mask", "token_type_ids")
        return pair_logits(self.bert, *(numbers(request, name) for name in names))
