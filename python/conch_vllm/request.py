"""A request as it comes in tensors: read and checked, apart from its sampling parameters and media files."""

import json
from dataclasses import dataclass

import triton_python_backend_utils as pb_utils

from .errors import InvalidRequest

LONGEST_SALT = 1024
LONGEST_NAME = 256
LONGEST_PATH = 4096
LONGEST_JSON = 16 * 1024 * 1024
MOST_FILES = 256
# One thread builds the responses of all requests: more would stall the others.
MOST_PROMPT_LOGPROBS = 2**19
# More characters than any token of a known tokenizer has.
CHARACTERS_PER_TOKEN = 256


@dataclass
class Generation:
    """What one request wants."""

    input_ids: list | None
    prompt: str | None
    sampling_params: dict
    stream: bool
    images: list
    audios: list
    mm_processor_kwargs: dict | None
    priority: int
    cache_salt: str | None
    lora_name: str | None
    lora_path: str | None
    outputs: frozenset

    @property
    def has_media(self):
        return bool(self.images or self.audios)


def is_cancellation(request):
    """Whether a request is the command to cancel those with its id. Raises InvalidRequest."""
    return bool(_value(request, "cancel", False))


def read_generation(request):
    """Copies a request out of Triton's memory. Raises InvalidRequest."""
    generation = Generation(
        input_ids=_ids(request),
        prompt=_text(request, "prompt"),
        sampling_params=_object(request, "sampling_params") or {},
        stream=bool(_value(request, "stream", True)),
        images=_files(request, "image"),
        audios=_files(request, "audio"),
        mm_processor_kwargs=_object(request, "mm_processor_kwargs"),
        priority=int(_value(request, "priority", 0)),
        cache_salt=_text(request, "cache_salt", LONGEST_SALT),
        lora_name=_text(request, "lora_name", LONGEST_NAME),
        lora_path=_text(request, "lora_path", LONGEST_PATH),
        outputs=frozenset(request.requested_output_names()),
    )
    if (generation.input_ids is None) == (generation.prompt is None):
        raise InvalidRequest("input_ids, prompt: exactly one of them is required.")
    for name in ("cache_salt", "lora_name", "lora_path"):
        if getattr(generation, name) == "":
            raise InvalidRequest(f"{name} must not be empty. Leave it out.")
    if generation.lora_path is not None and generation.lora_name is None:
        raise InvalidRequest("lora_name is required beside lora_path.")
    return generation


def check_generation(generation, engine, processor_options):
    """Compares a request with the engine's limits and the allowed processor options. Raises InvalidRequest."""
    for name in generation.mm_processor_kwargs or {}:
        if name not in processor_options:
            shown = name if name.isidentifier() and len(name) <= 64 else repr(name[:64])
            raise InvalidRequest(
                f"mm_processor_kwargs.{shown} is not allowed: add it to the parameter PROCESSOR_OPTIONS in "
                "config.pbtxt."
            )
    if generation.input_ids is not None:
        _check_ids(generation, engine)
    elif generation.prompt == "" and not generation.has_media:
        raise InvalidRequest("prompt must not be empty.")
    elif len(generation.prompt) > engine.max_model_len * CHARACTERS_PER_TOKEN:
        raise InvalidRequest(
            f"prompt has {len(generation.prompt)} characters, which is longer than the maximum model length of "
            f"{engine.max_model_len} tokens."
        )
    if generation.priority != 0 and not engine.has_priorities:
        raise InvalidRequest(
            'priority is not supported: the engine schedules first come, first served. Set "scheduling_policy": '
            '"priority" in model.json.'
        )


def check_prompt_logprobs(tokens, layout):
    """Compares the size of the prompt's logprobs with the limit. Raises InvalidRequest."""
    if layout.prompt_logprobs is None:
        return
    count = (1 + layout.prompt_logprobs) * tokens
    if count > MOST_PROMPT_LOGPROBS:
        raise InvalidRequest(
            f"sampling_params.prompt_logprobs is {layout.prompt_logprobs}: for {tokens} prompt tokens, that is {count} "
            f"logprobs. The limit is {MOST_PROMPT_LOGPROBS}."
        )


def _check_ids(generation, engine):
    ids = generation.input_ids
    if not ids:
        raise InvalidRequest("input_ids must not be empty.")
    if len(ids) > engine.max_model_len:
        raise InvalidRequest(
            f"input_ids has {len(ids)} tokens, which is longer than the maximum model length of "
            f"{engine.max_model_len} tokens."
        )
    # Placeholders of media may lie beyond the embeddings of the model: vLLM replaces them.
    limit = engine.placeholder_limit if generation.has_media else engine.vocabulary_size
    if min(ids) >= 0 and max(ids) < limit:
        return
    at = next(at for at, token_id in enumerate(ids) if not 0 <= token_id < limit)
    raise InvalidRequest(f"input_ids[{at}] is {ids[at]}: token ids of this model are 0 to {limit - 1}.")


def _array(request, name):
    tensor = pb_utils.get_input_tensor_by_name(request, name)
    return None if tensor is None else tensor.as_numpy().reshape(-1)


def _ids(request):
    values = _array(request, "input_ids")
    return None if values is None else values.tolist()


def _value(request, name, default=None):
    values = _array(request, name)
    if values is None:
        return default
    if len(values) != 1:
        raise InvalidRequest(f"{name} has {len(values)} elements: exactly one is expected.")
    return values[0]


def _text(request, name, limit=None):
    value = _value(request, name)
    if value is None:
        return None
    if limit is not None and len(value) > limit:
        raise InvalidRequest(f"{name} has {len(value)} bytes: the limit is {limit}.")
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidRequest(f"{name} is not valid UTF-8.") from None


def _object(request, name):
    text = _text(request, name, LONGEST_JSON)
    if text is None:
        return None
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"{name} is not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise InvalidRequest(f"{name} must be a JSON object.")
    return value


def _refuse_constant(name):
    raise ValueError(f"{name} is not a number of JSON")


def _files(request, name):
    values = _array(request, name)
    if values is None:
        return []
    if len(values) > MOST_FILES:
        raise InvalidRequest(f"{name} has {len(values)} files: the limit is {MOST_FILES}.")
    return [bytes(value) for value in values]
