"""Runs the tests of python/conch_vllm with an imitation of Triton and of vLLM.

python test/conch-tokens/run_tests.py [NAME ...]
"""

import os
import sys
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "test/support/fake_vllm"), FOLDER]

import fake_triton  # noqa: E402

fake_triton.install()

if __name__ == "__main__":
    names = sys.argv[1:]
    loader = unittest.TestLoader()
    suite = loader.loadTestsFromNames(names) if names else loader.discover(FOLDER, "*_test.py")
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)
