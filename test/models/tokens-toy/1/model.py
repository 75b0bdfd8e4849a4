"""Conch's own vLLM model on the imitated vLLM, with the toy engine in it."""

import os
import sys

support = os.environ["CONCH_TEST_SUPPORT"]
sys.path[:0] = [support, os.path.join(support, "fake_vllm"), os.path.join(support, "..", "..", "python")]

from conch_vllm.triton_model import TritonPythonModel  # noqa: E402, F401
