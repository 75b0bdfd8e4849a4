"""The toy's knowledge of language: a real tokenizer, invented log probabilities, and canned answers."""

import json
import os
import re
from functools import cached_property, lru_cache

from tokenizers import Tokenizer
from tokenizers.decoders import DecodeStream

from .guides import choices_of

_ROLES = {"system", "user", "assistant", "developer", "model", "tool", "ipython", "think", "/think"}
_MARKS = re.compile(r"<\|[^|>]*\|>|<｜[^｜>]*｜>|</?[a-z_]+>|\[/?[A-Z_]+\]")
_RESULTS = re.compile(r"<tool_response>|<\|start_header_id\|>ipython<|\[TOOL_RESULTS\]|<｜tool▁output▁begin｜>")
_REMARKS = ["I agree with every part of it", "let us look at it again", "there is more to it", "that is all I know"]


class Language:
    """A tokenizer folder, read once per model, when the first request needs it: many tests start models that get none."""

    def __init__(self, folder):
        self._folder = folder
        self.decode_one = lru_cache(maxsize=65536)(self._decode_one)
        self.answer_ids = lru_cache(maxsize=1024)(self._answer_ids)

    @cached_property
    def tokenizer(self):
        return Tokenizer.from_file(os.path.join(self._folder, "tokenizer.json"))

    @cached_property
    def eos(self):
        with open(os.path.join(self._folder, "tokenizer_config.json"), encoding="utf-8") as file:
            eos = json.load(file)["eos_token"]
        return self.tokenizer.token_to_id(eos["content"] if isinstance(eos, dict) else eos)

    @cached_property
    def vocabulary_size(self):
        return self.tokenizer.get_vocab_size()

    @cached_property
    def filler(self):
        return self.answer_ids(" more")[0]

    def prompt_ids(self, prompt):
        """As vLLM reads a prompt: special tokens are added where the tokenizer's own rules add them."""
        return self.tokenizer.encode(prompt).ids

    def decoder(self, skip_special_tokens):
        """Text of one token after the other; None while a character is incomplete."""
        stream = DecodeStream(skip_special_tokens=skip_special_tokens)
        return lambda token: stream.step(self.tokenizer, token)

    def _answer_ids(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def _decode_one(self, token):
        return self.tokenizer.decode([token], skip_special_tokens=False)

    def logprobs(self, position, token, text, wanted, greedy):
        """(log probability, entry of the logprobs JSON): the sampled token first, then the `wanted` most likely."""
        draw = (position * 2654435761 + token * 40503) % 97
        rank = 2 + draw % 9 if draw % 4 == 0 and not greedy else 1
        entry = {token: self._entry(rank, self.decode_one(token) if text is None else text)}
        candidate = token
        for other in range(1, wanted + 1):
            if other == rank:
                continue
            candidate = (candidate * 31 + 7919 * other) % self.vocabulary_size
            while candidate in entry:
                candidate = (candidate + 1) % self.vocabulary_size
            entry[candidate] = self._entry(other, self.decode_one(candidate))
        return entry[token]["logprob"], entry

    @staticmethod
    def _entry(rank, text):
        return {"logprob": -0.5 - 0.95 * (rank - 1), "rank": rank, "decoded_token": text}


def default_answer(prompt, sampling, sequence):
    """Without a directive: some words of the prompt's last line, and a remark that depends on the seed."""
    lines = [line.strip() for line in _MARKS.sub("\n", prompt).splitlines()]
    spoken = [line for line in lines if line and line not in _ROLES]
    words = (spoken[-1] if spoken else "nothing").split()[:6]
    seed = 0 if sampling.temperature < 1e-5 else (sampling.seed or 0) + sequence
    remark = _REMARKS[seed % len(_REMARKS)]
    return f'You said "{" ".join(words)}". This is answer number {seed}, and I think that {remark}, word by word by word.'


def count_results(prompt):
    """How many results of tools a part of a prompt holds, by the markers of the templates that the tests use."""
    return len(_RESULTS.findall(prompt))


def rest_of(answer, prompt):
    """What is left of an answer that the prompt ends with the beginning of; None stays None."""
    if answer is None:
        return None
    return answer[max(length for length in range(len(answer) + 1) if prompt.endswith(answer[:length])) :]


def constrained_answer(constraint, seed):
    """An answer that a structured output allows, or None where the toy has no opinion."""
    choices = constraint.get("choice") or choices_of(constraint.get("regex", ""))
    if choices:
        return choices[seed % len(choices)]
    if "json" in constraint:
        schema = json.loads(constraint["json"]) if isinstance(constraint["json"], str) else constraint["json"]
        return json.dumps(_instance(schema, schema))
    return '{"toy": true}' if "json_object" in constraint else None


def _instance(schema, root):
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "$ref" in schema:
        return _instance(_definition(schema["$ref"], root), root)
    if "anyOf" in schema:
        return _instance(schema["anyOf"][0], root)
    kind = schema.get("type", "object")
    if kind == "object":
        return {name: _instance(value, root) for name, value in schema.get("properties", {}).items()}
    if kind == "array":
        return [_instance(schema.get("items", {"type": "integer"}), root)]
    return {"string": "toy", "integer": 7, "number": 7.5, "boolean": True, "null": None}[kind]


def _definition(reference, root):
    for step in reference.split("/")[1:]:
        root = root[step]
    return root
