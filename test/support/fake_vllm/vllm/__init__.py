"""An imitation of the parts of vLLM 0.24 that python/conch_vllm uses. Tests hand out its tokens."""

__version__ = "0.24.0"
