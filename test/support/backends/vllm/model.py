"""Triton's entry into the imitated vLLM backend: a python-based backend, as the real one is."""

import os
import sys

sys.path.insert(0, os.environ["CONCH_TEST_SUPPORT"])

from toy_vllm.backend import TritonPythonModel  # noqa: E402, F401
