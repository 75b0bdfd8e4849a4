"""An imitation of Triton's vLLM backend: its tensors, its answers and its errors, without its weights.

backend.py    what Triton sees: configuration, requests, responses, cancelling
tensors.py    the tensors that each release declares
sampling.py   which sampling parameters are accepted
engine.py     one token after the other: stop strings, lengths, counts
language.py   tokenizer, log probabilities, and what a prompt is answered with
tries.py      requests by their tags, and answers that break their guide
directive.py  how a test steers an answer from inside the prompt
"""
