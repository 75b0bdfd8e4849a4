"""What one row of a request asks the engine for."""

from .words import from_word_list

_SAMPLING = (
    "beam_width runtime_top_k runtime_top_p runtime_top_p_min runtime_top_p_decay runtime_top_p_reset_ids temperature "
    "len_penalty early_stopping repetition_penalty min_tokens min_length beam_search_diversity_rate presence_penalty "
    "frequency_penalty seed random_seed"
).split()


class Row:
    """The wishes of one row, with the engine's defaults."""

    def __init__(self, input_ids, maximum):
        self.input_ids = input_ids
        self.maximum = maximum
        self.minimum = 0
        self.streaming = False
        self.end_id = None
        self.stop_words = []
        self.bad_words = []
        self.bias = None
        self.beam_width = 1
        self.sequences = None
        self.temperature = 1.0
        self.top_k = 0
        self.seed = 0
        self.log_probs = False
        self.context_logits = False
        self.generation_logits = False
        self.perf_metrics = False
        self.reuse_stats = False
        self.num_input_tokens = False
        self.num_output_tokens = False
        self.exclude_input = False
        self.lora_task_id = None
        self.lora_bytes = None
        self.guide = None
        self.received = {}

    @property
    def is_greedy(self):
        return self.top_k == 1 or self.temperature < 1e-5


def read_row(inputs, row, exclude_input, decoupled):
    """Raises ValueError for what the model refuses before it asks the engine."""
    if inputs.row("input_ids", row) is None:
        raise ValueError("A value is required for input_ids")
    if inputs.row("input_ids", row).size == 0:
        raise ValueError("Invalid format for input_ids")

    def scalar(name, default=None):
        return inputs.scalar(name, row, default)

    read = Row(inputs.row("input_ids", row)[: scalar("input_lengths")].tolist(), scalar("request_output_len"))
    read.streaming = scalar("streaming", False)
    if read.streaming and not decoupled:
        raise ValueError("Streaming is only supported in decoupled mode.")
    if read.maximum <= 0:
        raise ValueError("[TensorRT-LLM][ERROR] Assertion failed: mMaxNewTokens > 0")
    read.minimum = scalar("min_tokens", scalar("min_length", 0))
    read.end_id = scalar("end_id")
    read.stop_words = from_word_list(inputs.row("stop_words_list", row))
    read.bad_words = from_word_list(inputs.row("bad_words_list", row))
    bias = inputs.row("embedding_bias", row)
    read.bias = None if bias is None or bias.size == 0 else bias
    read.beam_width = scalar("beam_width", 1)
    read.sequences = scalar("num_return_sequences")
    read.temperature = scalar("temperature", 1.0)
    read.top_k = scalar("runtime_top_k", 0)
    read.seed = scalar("seed", scalar("random_seed", 0))
    _check_sampling(read)
    has_sampling = any(inputs.row(name, row) is not None for name in _SAMPLING)
    read.log_probs = scalar("return_log_probs", False) and has_sampling
    read.context_logits = scalar("return_context_logits", False)
    read.generation_logits = scalar("return_generation_logits", False)
    read.perf_metrics = scalar("return_perf_metrics", False)
    read.reuse_stats = scalar("return_kv_cache_reuse_stats", False)
    read.num_input_tokens = scalar("return_num_input_tokens", False)
    read.num_output_tokens = scalar("return_num_output_tokens", False)
    read.exclude_input = scalar("exclude_input_in_output", exclude_input)
    read.lora_task_id = scalar("lora_task_id")
    weights = inputs.row("lora_weights", row)
    if weights is not None and inputs.row("lora_config", row) is not None:
        read.lora_bytes = weights.nbytes
    if inputs.row("guided_decoding_guide_type", row) is not None:
        read.guide = (scalar("guided_decoding_guide_type"), scalar("guided_decoding_guide", ""))
    read.received = {name: _shown(name, inputs.row(name, row)) for name in inputs.names() if name != "input_ids"}
    return read


def _check_sampling(row):
    assertion = "[TensorRT-LLM][ERROR] Assertion failed: "
    if row.temperature < 0:
        raise ValueError(f"{assertion}mTemperature.value() >= 0.0f")
    if row.top_k < 0:
        raise ValueError(f"{assertion}mTopK.value() >= 0")
    if row.beam_width < 1:
        raise ValueError(f"{assertion}mBeamWidth > 0")
    if 1 < row.beam_width < (row.sequences or 1):
        raise ValueError(f"{assertion}numReturnSequences should not exceed the beam width {row.beam_width}")


def _shown(name, values):
    """An input for the directive echo_parameters."""
    if name == "embedding_bias":
        return {str(token): _rounded(bias) for token, bias in enumerate(values.tolist()) if bias != 0}
    if name == "lora_weights" and values.size > 64:
        return list(values.shape)
    return _rounded(values.item() if values.size == 1 and values.ndim <= 1 else values.tolist())


def _rounded(value):
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return round(value, 6) if isinstance(value, float) else value
