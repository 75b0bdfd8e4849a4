"""Triton's entry into our backend for the real vLLM."""

import os
import sys

sys.path.insert(0, os.environ["CONCH_TEST_SUPPORT"])

from real_vllm.backend import TritonPythonModel  # noqa: E402, F401
