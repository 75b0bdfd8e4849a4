"""Triton's entry: this file is 1/model.py in a model repository, beside the folder conch_vllm."""

from conch_vllm.triton_model import TritonPythonModel  # noqa: F401
