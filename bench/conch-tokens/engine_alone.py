"""CPU time of the imitated engine and its consumers without Triton: prints microseconds per token as JSON.

python engine_alone.py FOLDER STREAMS TOKENS REQUESTS INTERVAL_MS, where FOLDER has the imitated module vllm.
"""

import asyncio
import json
import sys
import time

FOLDER, STREAMS, TOKENS, REQUESTS, INTERVAL = sys.argv[1], *map(int, sys.argv[2:5]), float(sys.argv[5])
sys.path.insert(0, FOLDER)

from vllm.sampling_params import RequestOutputKind, SamplingParams  # noqa: E402
from vllm.v1.engine.async_llm import AsyncLLM  # noqa: E402


async def drain(llm, lane, kind):
    for number in range(REQUESTS):
        sampling = SamplingParams(max_tokens=TOKENS, output_kind=kind)
        async for _ in llm.generate({"prompt_token_ids": [1, 2, 3]}, sampling, f"{lane}-{number}"):
            pass


async def measure(kind):
    llm = AsyncLLM({"interval_ms": INTERVAL})
    start = time.process_time()
    await asyncio.gather(*(drain(llm, lane, kind) for lane in range(STREAMS)))
    return (time.process_time() - start) * 1e6 / (STREAMS * TOKENS * REQUESTS)


async def main():
    stock = await measure(RequestOutputKind.CUMULATIVE)
    print(json.dumps({"stock": stock, "conch": await measure(RequestOutputKind.DELTA)}))


asyncio.run(main())
