"""The model preprocessing: text to token ids, words to word lists, and the tokenizer's own end and pad token."""

import json
import os
from functools import cached_property

import numpy as np
import triton_python_backend_utils as pb_utils

from toy_vllm.language import Language

from .triton import Inputs, parameter, truth
from .words import to_word_list


class TritonPythonModel:
    def initialize(self, args):
        config = json.loads(args["model_config"])
        self._folder = parameter(config, "tokenizer_dir")
        self._add_special_tokens = truth(parameter(config, "add_special_tokens", "true"))

    # Read with the first request, so that a server with many models starts quickly.
    @cached_property
    def _language(self):
        return Language(self._folder)

    @cached_property
    def _pad_id(self):
        with open(os.path.join(self._folder, "tokenizer_config.json"), encoding="utf-8") as file:
            pad = json.load(file).get("pad_token")
        pad = pad["content"] if isinstance(pad, dict) else pad
        return self._language.eos if pad is None else self._language.tokenizer.token_to_id(pad)

    def execute(self, requests):
        return [pb_utils.InferenceResponse(output_tensors=self._tensors(Inputs(request))) for request in requests]

    def _tensors(self, inputs):
        size = inputs.batch_size("QUERY")
        rows = range(size)
        ids, lengths = self._prompts(inputs, "QUERY", rows)
        end_ids = [[inputs.scalar("END_ID", row, self._language.eos)] for row in rows]
        pad_ids = [[inputs.scalar("PAD_ID", row, self._pad_id)] for row in rows]
        if inputs.batch_size("DECODER_QUERY") > 0:
            decoder_ids, decoder_lengths = self._prompts(inputs, "DECODER_QUERY", rows)
        else:
            decoder_ids, decoder_lengths = np.asarray(pad_ids), np.ones((size, 1))
        made = {
            "INPUT_ID": ids,
            "REQUEST_INPUT_LEN": lengths,
            "DECODER_INPUT_ID": decoder_ids,
            "REQUEST_DECODER_INPUT_LEN": decoder_lengths,
            "BAD_WORDS_IDS": self._words(inputs, "BAD_WORDS_DICT", rows),
            "STOP_WORDS_IDS": self._words(inputs, "STOP_WORDS_DICT", rows),
            "REQUEST_OUTPUT_LEN": [inputs.row("REQUEST_OUTPUT_LEN", row) for row in rows],
            "OUT_END_ID": end_ids,
            "OUT_PAD_ID": pad_ids,
        }
        tensors = [pb_utils.Tensor(name, np.asarray(value, dtype=np.int32)) for name, value in made.items()]
        tensors.append(pb_utils.Tensor("EMBEDDING_BIAS", self._bias(inputs, rows)))
        if inputs.batch_size("PROMPT_TABLE_EXTRA_ID") > 0:
            extra = [
                np.where(ids[row] >= self._language.vocabulary_size, inputs.scalar("PROMPT_TABLE_EXTRA_ID", row), 0)
                for row in rows
            ]
            tensors.append(pb_utils.Tensor("OUT_PROMPT_TABLE_EXTRA_IDS", np.asarray(extra, dtype=np.uint64)))
        return tensors

    def _prompts(self, inputs, name, rows):
        """Prompts of one batch are padded to the longest one."""
        encode = self._language.tokenizer.encode
        prompts = [encode(inputs.scalar(name, row), add_special_tokens=self._add_special_tokens).ids for row in rows]
        longest = max(map(len, prompts))
        padded = [prompt + [self._pad_id] * (longest - len(prompt)) for prompt in prompts]
        return np.asarray(padded, dtype=np.int32).reshape(len(prompts), longest), [[len(prompt)] for prompt in prompts]

    def _words(self, inputs, name, rows):
        if inputs.batch_size(name) == 0:
            return np.empty((len(rows), 2, 0), dtype=np.int32)
        words = [[self._word(word) for word in inputs.row(name, row).tolist()] for row in rows]
        return to_word_list([[word for word in row if word] for row in words])

    def _word(self, word):
        return self._language.answer_ids(word.decode("utf-8"))

    def _bias(self, inputs, rows):
        if inputs.batch_size("EMBEDDING_BIAS_WORDS") == 0 or inputs.batch_size("EMBEDDING_BIAS_WEIGHTS") == 0:
            return np.empty((len(rows), 0), dtype=np.float32)
        bias = np.zeros((len(rows), self._language.vocabulary_size), dtype=np.float32)
        for row in rows:
            words, weights = inputs.row("EMBEDDING_BIAS_WORDS", row), inputs.row("EMBEDDING_BIAS_WEIGHTS", row)
            assert len(words) == len(weights), "Embedding bias words must have same dimension as embedding bias weights"
            for word, weight in zip(words, weights):
                # The special tokens that the tokenizer adds are biased too: so it is in the real one.
                for token in self._language.prompt_ids(word.decode("utf-8")):
                    bias[row, token] += weight
        return bias
