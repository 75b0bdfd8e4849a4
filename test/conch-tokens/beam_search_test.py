"""Beam search on an engine whose next tokens are a table."""

import math
import unittest
from types import SimpleNamespace

from conch_vllm.beam_search import Beam
from harness import ModelCase, choice, output

EOS = 2
A, B, C, D, STOP = 10, 11, 12, 13, 14
# By the tokens since the prompt: the next tokens and their probabilities. The greedy path begins with A.
TABLE = {
    (): {A: 0.5, B: 0.4, EOS: 0.1},
    (A,): {C: 0.3, D: 0.3, EOS: 0.2},
    (B,): {D: 0.9, EOS: 0.05},
    (B, D): {EOS: 0.9, C: 0.1},
    (A, C): {EOS: 0.5, D: 0.2},
    (A, D): {STOP: 0.9, C: 0.1},
}


def _values(response, name):
    return response.tensors[name].tolist()


class BeamSearchTest(ModelCase):
    def setUp(self):
        super().setUp()
        self.prompts = []
        self.llm.on_call = self.step

    def step(self, call):
        made = tuple(call.prompt["prompt_token_ids"][3:])
        self.prompts.append(made)
        row = TABLE.get(made, {EOS: 1.0})
        ranked = sorted(row.items(), key=lambda item: -item[1])[: call.sampling.logprobs]
        entries = {
            token_id: SimpleNamespace(logprob=math.log(share), rank=rank)
            for rank, (token_id, share) in enumerate(ranked, 1)
        }
        first = ranked[0][0]
        call.queue.put_nowait(output(choice([first], logprobs=[entries], finish_reason="length"), finished=True))

    def search(self, **sampling):
        responses = self.outcome(self.begin(sampling={"max_tokens": 4, "beam_width": 2, **sampling}))
        return [(_values(response, "token_ids"), _values(response, "finish_reason")[0].decode()) for response in responses]

    def test_finds_a_better_sequence_than_the_greedy_one(self):
        self.assertEqual(self.search(), [([B, D, EOS], "stop")])
        self.assertEqual(self.prompts[0], ())
        self.assertEqual(set(self.prompts[1:3]), {(A,), (B,)})

    def test_returns_the_best_of_its_beams_in_order(self):
        best, second = self.search(n=2)
        self.assertEqual(best, ([B, D, EOS], "stop"))
        self.assertEqual(second[1], "stop")
        self.assertNotEqual(second[0], best[0])

    def test_prefers_short_sequences_without_a_reward_for_length(self):
        self.assertEqual(self.search(length_penalty=0), [([B, D, EOS], "stop")])
        self.assertEqual(self.search(length_penalty=-5), [([EOS], "stop")])

    def test_ends_at_the_token_limit(self):
        self.assertEqual(self.search(max_tokens=1, length_penalty=0), [([A], "length")])

    def test_goes_on_behind_the_end_token_if_it_is_ignored(self):
        (token_ids, reason), = self.search(max_tokens=2, ignore_eos=True, length_penalty=0)
        self.assertEqual((token_ids, reason), ([B, D], "length"))

    def test_ends_at_stop_tokens(self):
        (token_ids, reason), = self.search(stop_token_ids=[STOP, D], length_penalty=0)
        self.assertEqual((token_ids, reason), ([B, D], "stop"))

    def test_refuses_what_it_cannot_do(self):
        cases = [
            ({"beam_width": 11}, "sampling_params.beam_width is 11: the limit is 10."),
            ({"beam_width": 2, "n": 3}, "sampling_params.n is 3: expected at most beam_width."),
            ({"beam_width": 2, "top_p": 0.5}, "sampling_params.top_p cannot be combined with beam_width."),
            (
                {"beam_width": 2, "length_penalty": 1000},
                "sampling_params.length_penalty is 1000: expected a number between -10 and 10.",
            ),
            ({"length_penalty": 1}, "sampling_params.length_penalty needs beam_width."),
        ]
        for sampling, message in cases:
            self.assertTrue(self.refusal(sampling=sampling).startswith(message))

    def test_copies_only_the_best_candidates(self):
        copies = []
        extended = Beam.extended
        self.addCleanup(setattr, Beam, "extended", extended)
        Beam.extended = lambda *arguments: copies.append(None) or extended(*arguments)
        self.assertEqual(self.search(beam_width=1, max_tokens=2), [([A, C], "length")])
        # The engine names two candidates in each of the two steps.
        self.assertEqual(len(copies), 2)

    def test_fails_with_its_engine_and_aborts_the_other_beams(self):
        def fail_second(call):
            if len(self.prompts) < 2:
                self.step(call)
            else:
                call.queue.put_nowait(RuntimeError("broken"))

        self.llm.on_call = fail_second
        (response,) = self.outcome(self.begin(sampling={"max_tokens": 4, "beam_width": 2}))
        self.assertEqual(response.error.message, "Engine error: the request failed in the engine. See the server's log.")


class LongBeamSearches(ModelCase):
    arguments = {"max_model_len": 2**17}

    def test_the_limit_of_steps(self):
        message = (
            "sampling_params.beam_width is 2: with max_tokens, the search has up to {} steps of beams. The limit is "
            "131072. Lower max_tokens or beam_width."
        )
        for max_tokens, steps in ((2**16 + 1, 2**17 + 2), (None, 2**18 - 6), (2**31 - 1, 2**18 - 6)):
            found = self.refusal(sampling={"beam_width": 2, "max_tokens": max_tokens})
            self.assertEqual(found, message.format(steps))


if __name__ == "__main__":
    unittest.main()
