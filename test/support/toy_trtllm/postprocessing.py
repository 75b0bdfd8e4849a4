"""The model postprocessing: token ids to text. It sees one response at a time, so a character that is split over two
responses is lost, and so is a leading space where the tokenizer drops that of a text."""

import json
import os
from functools import cached_property

import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer

from .triton import parameter, texts, truth


class TritonPythonModel:
    def initialize(self, args):
        config = json.loads(args["model_config"])
        self._folder = parameter(config, "tokenizer_dir")
        self._skip_special_tokens = truth(parameter(config, "skip_special_tokens", "true"))

    @cached_property
    def _tokenizer(self):
        return Tokenizer.from_file(os.path.join(self._folder, "tokenizer.json"))

    def execute(self, requests):
        return [pb_utils.InferenceResponse(output_tensors=[self._texts(request)]) for request in requests]

    def _texts(self, request):
        tokens = pb_utils.get_input_tensor_by_name(request, "TOKENS_BATCH").as_numpy()
        lengths = pb_utils.get_input_tensor_by_name(request, "SEQUENCE_LENGTH").as_numpy()
        decoded = [
            self._tokenizer.decode(tokens[row, beam, : lengths[row, beam]].tolist(), self._skip_special_tokens)
            for row in range(tokens.shape[0])
            for beam in range(tokens.shape[1])
        ]
        # One flat list without a dimension for the batch, although the configuration has one: so it is in the real one.
        return texts("OUTPUT", decoded, (len(decoded),))
