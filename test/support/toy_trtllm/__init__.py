"""An imitation of TensorRT-LLM's Triton models: their tensors, answers and errors, without an engine.

preprocessing.py   text to token ids, words to word lists
postprocessing.py  token ids to text, every response by itself
backend.py         the model tensorrt_llm: requests, responses, stopping, cancelling
bls.py             the model tensorrt_llm_bls, which calls the three
llmapi.py          the model of the LLM API
request.py         what one row of an engine request asks for
answer.py          the output tensors of one row
generation.py      one token after the other
choice.py          which token comes next, and with which logits
guide.py           what guided decoding allows
engine.py          what the requests of an engine share: slots, blocks of the KV cache, adapters
steering.py        how a directive holds, counts and fails a request
directive.py       how a test steers an answer from inside the prompt
words.py           the two forms of a list of stop or bad words
triton.py          tensors and parameters
"""
