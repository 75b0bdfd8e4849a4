"""Logprobs of a sequence by a forward pass of transformers in float32.

python reference_logprobs.py MODEL, with {"token_ids": […], "top": N} on standard input. Prints, for each token from the
second one on, its logprob and the N most likely tokens with theirs: {"own": […], "ids": [[…]], "logprobs": [[…]]}.
"""

import json
import sys

import torch
from transformers import AutoModelForCausalLM

task = json.load(sys.stdin)
model = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32).eval()
tokens = torch.tensor([task["token_ids"]])
with torch.no_grad():
    table = torch.log_softmax(model(tokens).logits[0, :-1].float(), dim=-1)
best = table.topk(task["top"], dim=-1)
own = table.gather(1, tokens[0, 1:, None])[:, 0]
print(json.dumps({"own": own.tolist(), "ids": best.indices.tolist(), "logprobs": best.values.tolist()}))
