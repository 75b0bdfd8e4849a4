"""The same in half precision, with a batch dimension of its own and without token types."""

import os
import sys

sys.path.insert(0, os.environ["CONCH_TEST_SUPPORT"])

import numpy as np  # noqa: E402
from minilm.bert import Bert  # noqa: E402
from minilm.triton import answers, numbers  # noqa: E402


class TritonPythonModel:
    def initialize(self, _):
        self.bert = Bert()

    def execute(self, requests):
        return answers(requests, "hidden", self._states)

    def _states(self, request):
        ids, mask = (numbers(request, name) for name in ("tokens", "mask"))
        return self.bert.hidden_states(ids, mask, np.zeros_like(ids)).astype(np.float16)
