"""Token ids in, the vector of each token out, as an export of BERT to ONNX has it."""

import os
import sys

sys.path.insert(0, os.environ["CONCH_TEST_SUPPORT"])

from minilm.bert import Bert  # noqa: E402
from minilm.triton import answers, numbers  # noqa: E402


class TritonPythonModel:
    def initialize(self, _):
        self.bert = Bert()

    def execute(self, requests):
        return answers(requests, "last_hidden_state", self._states)

    def _states(self, request):
        return self.bert.hidden_states(
            *(numbers(request, name) for name in ("input_ids", "attention_mask", "token_type_ids"))
        )
