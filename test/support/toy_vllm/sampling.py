"""Which sampling parameters vLLM accepts, and how strictly."""

import json

_WHOLE = {"n", "top_k", "min_tokens", "max_tokens", "seed", "logprobs", "prompt_logprobs"}
_REAL = {"presence_penalty", "frequency_penalty", "repetition_penalty", "temperature", "top_p", "min_p"}
_TRUTH = {
    "include_stop_str_in_output",
    "ignore_eos",
    "detokenize",
    "skip_special_tokens",
    "spaces_between_special_tokens",
    "flat_logprobs",
    "skip_reading_prefix_cache",
}
_OTHER = {"stop", "stop_token_ids", "bad_words", "allowed_token_ids", "logit_bias", "extra_args", "output_kind"}
_CONSTRAINTS = {"json", "regex", "choice", "grammar", "json_object", "structural_tag"}
_CONSTRAINT_OPTIONS = {
    "disable_any_whitespace",
    "disable_additional_properties",
    "whitespace_pattern",
    "disable_fallback",
    "backend",
}


class Sampling:
    """Accepted sampling parameters with vLLM's defaults."""

    def __init__(self):
        self.n = 1
        self.presence_penalty = 0.0
        self.frequency_penalty = 0.0
        self.repetition_penalty = 1.0
        self.temperature = 1.0
        self.top_p = 1.0
        self.top_k = 0
        self.min_p = 0.0
        self.seed = None
        self.stop = []
        self.stop_token_ids = []
        self.bad_words = []
        self.include_stop_str_in_output = False
        self.ignore_eos = False
        self.max_tokens = 16
        self.min_tokens = 0
        self.logprobs = None
        self.prompt_logprobs = None
        self.detokenize = True
        self.skip_special_tokens = True
        self.logit_bias = None
        self.allowed_token_ids = None
        self.constraint = {}
        self.lora_name = None


def parse_sampling(text, release):
    """The sampling parameters of a JSON text. Raises ValueError or TypeError for anything that vLLM refuses."""
    sampling = Sampling()
    for key, value in json.loads(text).items():
        if value is None:
            raise TypeError(f"{key} must not be null")
        if key in _WHOLE:
            value = int(value)
        elif key in _REAL:
            value = float(value)
        elif key in _TRUTH:
            value = bool(value)
        elif key == _constraint_key(release):
            key, value = "constraint", _parse_constraint(value)
        elif key == "lora_name":
            value = str(value)
        elif key not in _OTHER:
            raise TypeError(f"unexpected keyword argument '{key}'")
        setattr(sampling, key, value)
    _verify(sampling)
    return sampling


def _constraint_key(release):
    if release >= (25, 11):
        return "structured_outputs"
    return "guided_decoding" if release >= (25, 2) else None


def _parse_constraint(value):
    constraint = json.loads(value)
    if len(constraint.keys() & _CONSTRAINTS) != 1 or constraint.keys() - _CONSTRAINTS - _CONSTRAINT_OPTIONS:
        raise ValueError("exactly one constraint is wanted")
    return constraint


def _verify(sampling):
    def want(truth, what):
        if not truth:
            raise ValueError(what)

    if isinstance(sampling.stop, str):
        sampling.stop = [sampling.stop]
    want(sampling.n >= 1, "n must be at least 1")
    want(-2 <= sampling.presence_penalty <= 2, "presence_penalty must be in [-2, 2]")
    want(-2 <= sampling.frequency_penalty <= 2, "frequency_penalty must be in [-2, 2]")
    want(sampling.repetition_penalty > 0, "repetition_penalty must be greater than zero")
    want(sampling.temperature >= 0, "temperature must be non-negative")
    want(0 < sampling.top_p <= 1, "top_p must be in (0, 1]")
    want(sampling.top_k >= -1, "top_k must be 0 (disable), or at least 1")
    want(0 <= sampling.min_p <= 1, "min_p must be in [0, 1]")
    want(sampling.max_tokens >= 1, "max_tokens must be at least 1")
    want(0 <= sampling.min_tokens <= sampling.max_tokens, "min_tokens must be between 0 and max_tokens")
    want(sampling.logprobs is None or sampling.logprobs >= -1, "logprobs must be non-negative or -1")
    want(sampling.prompt_logprobs is None or sampling.prompt_logprobs >= -1, "prompt_logprobs must be non-negative")
    want(all(isinstance(stop, str) and stop for stop in sampling.stop), "stop cannot contain an empty string")
    want(sampling.detokenize or not sampling.stop, "stop strings are only supported when detokenize is True")
    want(all(isinstance(token, int) for token in sampling.stop_token_ids), "stop_token_ids must contain only integers")
    want(all(isinstance(word, str) and word for word in sampling.bad_words), "bad_words cannot contain an empty string")
    want(sampling.n == 1 or sampling.temperature >= 1e-5, "n must be 1 when using greedy sampling")
    want(sampling.allowed_token_ids is None or sampling.allowed_token_ids, "allowed_token_ids must not be empty")
