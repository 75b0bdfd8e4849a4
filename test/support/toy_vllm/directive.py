"""How a test steers an answer: `<<{json}>>` anywhere in the prompt, the last one wins.

What is answered
  answer            the text of the answer
  answers           the texts of the answers to one message: as many results of tools as follow it are in the prompt,
                    so many are passed over; the last one is for all that come after
  free_answer       the text of an answer that is not guided, from where the prompt leaves off; a guided one has its form
  repeat            how often the answer is repeated (1)
  tokens            exactly this many tokens " w1", " w2", …, each one response, then EOS
  echo_prompt       the prompt as received, as a JSON string
  echo_ids          the prompt's token ids, as a JSON list
  echo_parameters   {"sampling_parameters": …, "inputs": {name: values}} as received
  echo_images       the SHA-256 of the bytes of each image, as a JSON list
                    (an echo ignores stop, stop_token_ids, max_tokens and min_tokens, so that it arrives whole)
  count_of          {"tokens": n, "state": …} of the request with this tag; states: unknown, running, held, cancelled,
                    finished, failed
  until             with count_of: answer only once the state is this one (or after 25 seconds)
  until_tokens      with count_of: answer only once so many tokens were produced (or after 25 seconds)
  release           lets the request with this tag, held by hold_at, go on; answers like count_of
  requests_of       how many requests had this tag
  broken_answer     the text of a guided answer that breaks its guide: the first broken_times requests of the tag get it
  revive            brings the engine that die_at killed back

How it is answered
  tag               the name under which this request's tokens are counted
  delay_ms          between two tokens
  start_delay_ms    before the first
  hold_at           after so many tokens the request waits for a release (or its cancelling)
  error_at          after so many tokens the request fails with error_text
  error_text        ("the toy was told to fail")
  die_at            after so many tokens the engine dies: this and every later request fails, readiness stays
  crash_at          after so many tokens the backend's process ends without a word
  finish            the finish reason at the end, in place of the true one
  no_finish         the stream ends with an empty final response, without finish reason
  context           the maximum model length for this request
  together          so many tokens in each streamed response, as of an engine with a stream interval (1)

A guide that contains killsTheEngine, or one that ends the real engine (guides.py), ends the engine like die_at.

What only Conch's own vLLM model reports
  cached            how many tokens of the prompt were in the cache (0)
  times             when the request was queued and scheduled, and when the first and the last token came, in seconds
  drafts            how many draft tokens the engine proposed and accepted, as a list
"""

import json

KEYS = frozenset(
    "answer answers free_answer repeat tokens echo_prompt echo_ids echo_parameters echo_images count_of until "
    "until_tokens release revive tag delay_ms start_delay_ms hold_at error_at error_text die_at crash_at finish "
    "no_finish context requests_of broken_answer broken_times together cached times drafts".split()
)


def find_directive(prompt, keys=KEYS):
    """The last directive of a prompt, or an empty one. A misspelt key is an error that the test sees."""
    start = prompt.rfind("<<{")
    while start >= 0:
        try:
            directive, end = json.JSONDecoder().raw_decode(prompt, start + 2)
        except ValueError:
            end = -1
        if end >= 0 and prompt.startswith(">>", end):
            unknown = directive.keys() - keys
            if unknown:
                raise ValueError(f"The toy knows no directive {sorted(unknown)}")
            return directive
        start = prompt.rfind("<<{", 0, start)
    return {}
