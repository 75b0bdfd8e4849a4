"""The sampling parameters of a request: vLLM's own names, checked before they reach the engine.

vLLM checks few types itself, and a value that its engine process cannot read ends the engine for all requests.
"""

from .errors import InvalidRequest

INT32 = 2**31 - 1
INT64 = 2**63 - 1
MOST_CHOICES = 128
MOST_STRINGS = 1024
MOST_GUIDE_CHOICES = 10_000
# Nesting depth of extra_args.
MOST_LEVELS = 8
# The engine reads these itself: a value of a wrong type ends it for all requests.
RESERVED_ARGS = ("kv_transfer_params", "ec_transfer_params", "kv_cache_report_mode")
# vLLM's own limit.
MOST_LOGPROB_TOKENS = 128


def check_sampling(values, engine):
    """The parameters with their values as vLLM takes them. Raises InvalidRequest."""
    checked = {}
    for name, value in values.items():
        check = FIELDS.get(name)
        if check is None:
            raise InvalidRequest(f"sampling_params.{_short(name)} is unknown or not allowed.")
        if name not in BEAM_FIELDS and not engine.has_sampling_field(name):
            raise InvalidRequest(f"sampling_params.{name} is not supported by vLLM {engine.version}.")
        if value is not None:
            checked[name] = check(value, f"sampling_params.{name}", engine)
        elif name == "max_tokens":
            checked[name] = None
    return checked


def _refuse(name, value, expected):
    raise InvalidRequest(f"{name} is {_short(value)}: {expected}")


def _short(value):
    # A long list takes long to print.
    text = repr(value[:64] if isinstance(value, (list, str)) else value)
    return text if len(text) <= 64 else f"{text[:61]}..."


def _boolean(value, name, _engine):
    return value if isinstance(value, bool) else _refuse(name, value, "expected true or false.")


def _number(low, high):
    def check(value, name, _engine):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            _refuse(name, value, f"expected a number between {low:g} and {high:g}.")
        return float(value)

    return check


def _integer(low, high):
    def check(value, name, _engine):
        # JSON writers of other languages print whole numbers with a fraction of zero.
        whole = int(value) if isinstance(value, float) and value.is_integer() else value
        if isinstance(whole, bool) or not isinstance(whole, int) or not low <= whole <= high:
            _refuse(name, value, f"expected an integer between {low} and {high}.")
        return whole

    return check


def _string(value, name, _engine):
    if not isinstance(value, str) or value == "":
        _refuse(name, value, "expected a string that is not empty.")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidRequest(f"{name} has a surrogate that is not part of a pair.") from None
    return value


def _strings(value, name, engine):
    if not isinstance(value, list) or len(value) > MOST_STRINGS:
        _refuse(name, value, f"expected a list of at most {MOST_STRINGS} strings.")
    return [_string(item, f"{name}[{at}]", engine) for at, item in enumerate(value)]


def _stop(value, name, engine):
    return [_string(value, name, engine)] if isinstance(value, str) else _strings(value, name, engine)


def _choices(value, name, engine):
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_GUIDE_CHOICES:
        _refuse(name, value, f"expected a list of 1 to {MOST_GUIDE_CHOICES} strings.")
    return [_string(item, f"{name}[{at}]", engine) for at, item in enumerate(value)]


def _token(value, name, engine):
    return _integer(0, engine.vocabulary_size - 1)(value, name, engine)


def _tokens(value, name, engine):
    if not isinstance(value, list) or len(value) > engine.vocabulary_size:
        _refuse(name, value, f"expected a list of at most {engine.vocabulary_size} token ids.")
    return [_token(item, f"{name}[{at}]", engine) for at, item in enumerate(value)]


def _logprob_tokens(value, name, engine):
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_LOGPROB_TOKENS:
        _refuse(name, value, f"expected a list of 1 to {MOST_LOGPROB_TOKENS} token ids.")
    return _tokens(value, name, engine)


def _bias(value, name, engine):
    """JSON has only strings as keys; the engine compares integers."""
    if not isinstance(value, dict) or len(value) > engine.vocabulary_size:
        _refuse(name, value, f"expected an object of at most {engine.vocabulary_size} token ids and numbers.")
    number = _number(-100, 100)
    return {
        _token(int(key) if key.isascii() and key.isdigit() and len(key) < 10 else key, f"{name} key", engine): number(
            bias, f"{name}.{key}", engine
        )
        for key, bias in value.items()
    }


def _logprobs(value, name, engine):
    limit = engine.max_logprobs
    if value == -1 and limit == -1:
        return -1
    return _integer(0, engine.vocabulary_size if limit == -1 else limit)(value, name, engine)


def _extra_args(value, name, _engine):
    if not isinstance(value, dict):
        _refuse(name, value, "expected an object.")
    for key in RESERVED_ARGS:
        if key in value:
            raise InvalidRequest(f"{name}.{key} is not allowed.")
    if not _is_shallow(value, MOST_LEVELS):
        raise InvalidRequest(f"{name} is nested too deeply: the limit is {MOST_LEVELS} levels.")
    return value


def _is_shallow(value, levels):
    if not isinstance(value, (dict, list)):
        return True
    items = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_shallow(item, levels - 1) for item in items)


def _schema(value, name, engine):
    return value if isinstance(value, dict) else _string(value, name, engine)


def _object(fields):
    def check(value, name, engine):
        if not isinstance(value, dict):
            _refuse(name, value, "expected an object.")
        for key in value:
            if key not in fields:
                raise InvalidRequest(f"{name}.{_short(key)} is unknown.")
        return {
            key: fields[key](item, f"{name}.{key}", engine) for key, item in value.items() if item is not None
        }

    return check


_GUIDES = {
    "json": _schema,
    "regex": _string,
    "choice": _choices,
    "grammar": _string,
    "json_object": _boolean,
    "structural_tag": _schema,
}

_guide_object = _object(
    {
        **_GUIDES,
        "disable_any_whitespace": _boolean,
        "disable_additional_properties": _boolean,
        "whitespace_pattern": _string,
    }
)


def _guide(value, name, engine):
    checked = _guide_object(value, name, engine)
    if sum(key in checked for key in _GUIDES) != 1:
        raise InvalidRequest(f"{name} must have exactly one of {', '.join(_GUIDES)}.")
    if checked.get("json_object") is False:
        _refuse(f"{name}.json_object", False, "expected true.")
    return checked


_COUNT = _integer(0, INT32)

# Fields of vLLM's BeamSearchParams: its SamplingParams have none for a beam search.
BEAM_FIELDS = {
    "beam_width": _integer(1, MOST_CHOICES),
    "length_penalty": _number(-10, 10),
}

FIELDS = {
    **BEAM_FIELDS,
    "n": _integer(1, MOST_CHOICES),
    "presence_penalty": _number(-2, 2),
    "frequency_penalty": _number(-2, 2),
    "repetition_penalty": _number(1e-6, 1e6),
    "temperature": _number(0, 1e6),
    "top_p": _number(1e-9, 1),
    "top_k": _integer(-1, INT32),
    "min_p": _number(0, 1),
    "seed": _integer(-INT64 - 1, INT64),
    "stop": _stop,
    "stop_token_ids": _tokens,
    "ignore_eos": _boolean,
    "max_tokens": _integer(1, INT32),
    "min_tokens": _COUNT,
    "logprobs": _logprobs,
    "prompt_logprobs": _logprobs,
    "logprob_token_ids": _logprob_tokens,
    "detokenize": _boolean,
    "skip_special_tokens": _boolean,
    "spaces_between_special_tokens": _boolean,
    "include_stop_str_in_output": _boolean,
    "structured_outputs": _guide,
    "logit_bias": _bias,
    "allowed_token_ids": _tokens,
    "bad_words": _strings,
    "extra_args": _extra_args,
    "skip_reading_prefix_cache": _boolean,
    "stream_interval": _integer(1, INT32),
    "thinking_token_budget": _integer(-1, INT32),
    "repetition_detection": _object(
        {"max_pattern_size": _COUNT, "min_pattern_size": _COUNT, "min_count": _COUNT}
    ),
}
