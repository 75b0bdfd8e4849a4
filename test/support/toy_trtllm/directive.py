"""How a test steers an answer: `<<{json}>>` anywhere in the prompt, the last one wins.

The engine finds it in the decoded prompt, so it works through every model in front of the engine.

What is answered (then comes the tokenizer's end token, unless said otherwise)
  answer            the text of the answer
  answer_by_seed    texts, of which the seed chooses one: its rest when divided by their number
  answer_ids        the token ids of the answer
  repeat            how often the answer is repeated (1)
  tokens            exactly this many tokens, one word each: " a", " b", …, " z", " a", …
  echo_prompt       the prompt as the engine decodes it, as a JSON string
  echo_ids          the prompt's token ids, as a JSON list
  echo_parameters   every input tensor of the engine but input_ids by its name, as a JSON object: scalars as such,
                    tensors as lists, embedding_bias as {token: bias} of those that are not 0, large lora_weights
                    as their shape; and `request_id`
                    (an echo ignores lengths, stop words, bad words, biases and beams, so that it arrives whole)
  count_of          {"tokens": n, "state": …} of the request with this tag; states: unknown, running, held, cancelled,
                    finished, failed. It waits for no slot
  until             with count_of: answer only once the state is this one (or after 25 seconds)
  until_tokens      with count_of: answer only once so many tokens were produced (or after 25 seconds)
  release           lets the request with this tag, held by hold_at, go on; answers like count_of

How it is answered
  tag               the name under which this request's tokens are counted
  chunk             so many tokens in one streamed response (1)
  delay_ms          between two tokens
  hold_at           after so many tokens the request waits for a release (or its cancelling)
  error_at          after so many tokens the request fails with error_text
  error_text        ("the toy was told to fail")
  error_apart       the error comes without the final flag, an empty final response follows. tritonserver 2.51 needs it
                    behind tensorrt_llm_bls: with the flag, an error after data leaves the BLS model waiting for ever
  crash_at          after so many tokens the engine's process ends without a word
  without_end       the token that ends the answer is not part of output_ids
  stop_fails        llmapi: a stop word fails in the tokenizer, which gets bytes in place of a text
  silent            llmapi: the request is never answered, as a bad one on TensorRT-LLM's main branch
  drafts            llmapi: how many draft tokens the engine proposed and accepted, as a list
"""

from toy_vllm.directive import find_directive as find

KEYS = frozenset(
    "answer answer_by_seed answer_ids repeat tokens echo_prompt echo_ids echo_parameters count_of until until_tokens "
    "release tag chunk delay_ms hold_at error_at error_text error_apart crash_at without_end stop_fails silent "
    "drafts".split()
)


def find_directive(prompt):
    """The last directive of a prompt, or an empty one."""
    return find(prompt, KEYS)
