"""Conch's own model for Triton's Python backend: vLLM behind the contract conch-tokens (docs/conch-tokens.md)."""
