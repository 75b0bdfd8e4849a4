"""However the sender is held up, the responses together are exactly what the engine made."""

import asyncio
import random
import threading
import unittest
from types import SimpleNamespace

import numpy as np
from conch_vllm.outbox import CROWD, Outbox
from conch_vllm.responses import Layout, logprob_table
from conch_vllm.stream import Stream
from fake_triton import Sender
from harness import ALL_OUTPUTS, PATIENCE_SECONDS, ModelCase, choice, output

PIECES = ["a", " word", "é", "漢", "👩‍🚀", "\n", "", "."]


def random_row(rng, token_id, width):
    """One token's logprobs, as vLLM has them: the token itself first, then the most likely ones."""
    likely = rng.sample(range(1000), width)
    if width and rng.random() < 0.5:
        likely[rng.randrange(width)] = token_id
    entries = {token_id: SimpleNamespace(logprob=-9.0, rank=width + 1 + rng.randrange(50))}
    for rank, entry in enumerate(dict.fromkeys(likely), 1):
        entries[entry] = SimpleNamespace(logprob=-rank / 4, rank=rank)
    return entries


class Truth:
    """One choice of a response: its tokens, and the outputs that vLLM cuts it into."""

    def __init__(self, rng, index, width):
        self.index = index
        self.token_ids = [rng.randrange(1000) for _ in range(rng.randrange(1, 60))]
        self.pieces = [rng.choice(PIECES) for _ in self.token_ids]
        self.rows = None if width is None else [random_row(rng, token_id, width) for token_id in self.token_ids]
        self.finish_reason, self.stop_reason = rng.choice([("stop", None), ("stop", "###"), ("stop", 7), ("length", None)])
        self.cuts = []
        at = 0
        while at < len(self.token_ids):
            size = rng.choice([1, 1, 1, 2, 5])
            self.cuts.append((at, min(at + size, len(self.token_ids))))
            at += size

    def deltas(self):
        for start, stop in self.cuts:
            is_last = stop == len(self.token_ids)
            yield choice(
                self.token_ids[start:stop],
                "".join(self.pieces[start:stop]),
                index=self.index,
                logprobs=None if self.rows is None else self.rows[start:stop],
                finish_reason=self.finish_reason if is_last else None,
                stop_reason=self.stop_reason if is_last else None,
            )


def outputs_of(rng, truths):
    """The deltas of all choices in a random order that preserves the order of each."""
    waiting = [list(truth.deltas()) for truth in truths]
    while waiting:
        at = rng.randrange(len(waiting))
        delta = waiting[at].pop(0)
        if not waiting[at]:
            waiting.pop(at)
        yield output(delta, finished=not waiting)


class Exactness(unittest.TestCase):
    def compare(self, truths, responses, width):
        self.assertTrue(all(response.error is None for response in responses))
        for truth in truths:
            own = [
                response.tensors
                for response in responses
                if len(truths) == 1 or response.tensors["index"].tolist() == [truth.index]
            ]
            joined = np.concatenate([tensors["token_ids"] for tensors in own])
            self.assertEqual(joined.tolist(), truth.token_ids)
            text = b"".join(tensors["text"][0] for tensors in own).decode()
            self.assertEqual(text, "".join(truth.pieces))
            for tensors in own[:-1]:
                self.assertNotIn("finish_reason", tensors)
            self.assertEqual(own[-1]["finish_reason"].tolist(), [truth.finish_reason.encode()])
            self.assertEqual("stop_string" in own[-1], isinstance(truth.stop_reason, str))
            self.assertEqual("stop_token_id" in own[-1], isinstance(truth.stop_reason, int))
            if width is not None:
                expected = logprob_table(truth.token_ids, truth.rows, width)
                for name, table in zip(("logprobs", "logprob_ids", "logprob_ranks"), expected):
                    joined = np.concatenate([tensors[name] for tensors in own])
                    np.testing.assert_array_equal(joined, table)
        total = sum(len(truth.token_ids) for truth in truths)
        self.assertEqual(responses[-1].tensors["usage"].tolist(), [3, total, 0, -1, -1])
        for response in responses[1:-1]:
            self.assertNotIn("usage", response.tensors)

    def test_random_cuts(self):
        for seed in range(300):
            with self.subTest(seed=seed):
                rng = random.Random(seed)
                width = rng.choice([None, 0, 1, 4])
                truths = [Truth(rng, index, width) for index in range(rng.choice([1, 1, 3]))]
                sender = Sender()
                layout = Layout(frozenset(ALL_OUTPUTS), len(truths), width, None)
                stream = Stream(sender, layout)
                tokens = 0
                for item in outputs_of(rng, truths):
                    tokens += sum(len(delta.token_ids) for delta in item.outputs)
                    stream.add(item, (3, tokens, 0, -1, -1), (0.0, 0.0, 0.0, 0.0))
                    if rng.random() < 0.4:
                        stream.send()
                stream.send()
                stream.send()
                self.assertTrue(sender.done.is_set())
                self.assertEqual(sender.misuse, [])
                self.compare(truths, sender.responses, width)

    def test_logprobs_of_a_delta_without_tokens_are_dropped(self):
        # vLLM slices the last 0 logprobs of a choice, which are all of them.
        sender = Sender()
        stream = Stream(sender, Layout(frozenset(ALL_OUTPUTS), 1, 0, None))
        row = {5: SimpleNamespace(logprob=-1.0, rank=1)}
        stream.add(output(choice([5], "a", logprobs=[row])), (3, 1, 0, -1, -1), None)
        last = choice([], "", logprobs=[row], finish_reason="abort")
        stream.add(output(last, finished=True), (3, 1, 0, -1, -1), (0.0, 0.0, 0.0, 0.0))
        stream.send()
        self.assertEqual(sender.responses[0].tensors["logprobs"].tolist(), [[-1.0]])


class Tables(unittest.TestCase):
    def test_columns(self):
        entry = lambda logprob, rank: SimpleNamespace(logprob=logprob, rank=rank)  # noqa: E731
        rows = [
            None,
            {7: entry(-3.0, 9), 4: entry(-1.0, 1), 5: entry(-2.0, 2)},
            {5: entry(-2.0, 2), 4: entry(-1.0, 1)},
        ]
        logprobs, ids, ranks = logprob_table([3, 7, 5], rows, 2)
        self.assertEqual(ids.tolist(), [[3, -1, -1], [7, 4, 5], [5, 4, 5]])
        self.assertEqual(ranks.tolist(), [[0, 0, 0], [9, 1, 2], [2, 1, 2]])
        self.assertTrue(np.isnan(logprobs[0, 0]))
        self.assertEqual(logprobs[1:].tolist(), [[-3.0, -1.0, -2.0], [-2.0, -1.0, -2.0]])

    def test_chosen_columns(self):
        row = {7: SimpleNamespace(logprob=-3.0, rank=9), 4: SimpleNamespace(logprob=-1.0, rank=None)}
        logprobs, ids, ranks = logprob_table([7], [row], 3, (8, 4, 7))
        self.assertEqual(ids.tolist(), [[7, -1, 4, 7]])
        self.assertEqual(logprobs.tolist(), [[-3.0, -np.inf, -1.0, -3.0]])
        self.assertEqual(ranks.tolist(), [[9, 0, 0, 9]])


class Coalescing(ModelCase):
    def test_tokens_that_wait_leave_in_one_response(self):
        gate = threading.Semaphore(0)
        rng = random.Random(1)
        truths = [Truth(rng, 0, None) for _ in range(40)]
        made = threading.Semaphore(0)

        def generate(call):
            for item in outputs_of(rng, [truths[call.prompt["prompt_token_ids"][0]]]):
                call.queue.put_nowait(item)
            made.release()

        self.llm.on_call = generate
        # The first response holds up the sender until the engine has made everything.
        blocked = self.begin(self.sender(gate), input_ids=np.asarray([0], dtype=np.int32))
        others = [self.begin(input_ids=np.asarray([at], dtype=np.int32)) for at in range(1, 40)]
        for _ in range(40):
            self.assertTrue(made.acquire(timeout=PATIENCE_SECONDS))
        self.await_tasks()
        for _ in range(100):
            gate.release()
        self.assertLessEqual(len(self.outcome(blocked)), 2)
        for truth, sender in zip(truths[1:], others):
            (response,) = self.outcome(sender)
            self.assertEqual(response.tensors["token_ids"].tolist(), truth.token_ids)
            self.assertEqual(response.tensors["usage"].tolist(), [3, len(truth.token_ids), 0, -1, -1])

    def await_tasks(self):
        async def all_tasks():
            await asyncio.gather(*self.model._tasks.values())

        asyncio.run_coroutine_threadsafe(all_tasks(), self.model._loop).result(PATIENCE_SECONDS)

    def test_many_streams_at_once_are_exact(self):
        rng = random.Random(2)
        truths = [Truth(rng, 0, 2) for _ in range(64)]

        def generate(call):
            items = outputs_of(random.Random(3), [truths[call.prompt["prompt_token_ids"][0]]])

            def step():
                item = next(items, None)
                if item is not None:
                    call.queue.put_nowait(item)
                    call.loop.call_soon(step)

            call.loop.call_soon(step)

        self.llm.on_call = generate
        ids = [np.asarray([at], dtype=np.int32) for at in range(64)]
        senders = [self.begin(input_ids=prompt, sampling={"logprobs": 2}) for prompt in ids]
        for truth, sender in zip(truths, senders):
            Exactness.compare(self, [truth], self.outcome(sender), 2)


class FakeStream:
    def __init__(self, is_urgent, on_send=lambda: None):
        self.is_urgent = is_urgent
        self._on_send = on_send
        self.sent = threading.Event()
        self.count = 0

    def send(self):
        self.count += 1
        self._on_send()
        self.sent.set()

    def close(self):
        pass


class Pauses(unittest.TestCase):
    def test_only_urgent_streams_are_sent_during_a_pause(self):
        ticks = iter(range(10**9))
        outbox = Outbox(lambda _: None, rest=10.0**6, clock=lambda: next(ticks))
        crowd = [FakeStream(False) for _ in range(CROWD)]
        for stream in crowd:
            outbox.put(stream)
        outbox.start()
        for stream in crowd:
            self.assertTrue(stream.sent.wait(PATIENCE_SECONDS))
        ordinary, urgent = FakeStream(False), FakeStream(True)
        outbox.put(ordinary)
        outbox.put(urgent)
        self.assertTrue(urgent.sent.wait(PATIENCE_SECONDS))
        self.assertFalse(ordinary.sent.is_set())
        ordinary.is_urgent = True
        outbox.put(ordinary)
        self.assertTrue(ordinary.sent.wait(PATIENCE_SECONDS))
        outbox.stop()
        self.assertEqual(ordinary.count, 1)

    def test_urgent_streams_do_not_lengthen_a_pause(self):
        now = [0.0]

        def streams(count, is_urgent, seconds):
            def pass_time():
                now[0] += seconds

            return [FakeStream(is_urgent, pass_time) for _ in range(count)]

        outbox = Outbox(lambda _: None, rest=2.0, clock=lambda: now[0])

        def put_together(group):
            with outbox._wake:
                for stream in group:
                    outbox.put(stream)

        # Eight seconds of work, and a pause until 24.
        crowd = streams(CROWD, False, 1.0)
        put_together(crowd)
        outbox.start()
        for stream in crowd:
            self.assertTrue(stream.sent.wait(PATIENCE_SECONDS))
        ordinary = FakeStream(False)
        # Until 23.2, then until 24.2.
        for group in (streams(CROWD, True, 1.9), streams(1, True, 1.0)):
            put_together([ordinary, *group])
            for stream in group:
                self.assertTrue(stream.sent.wait(PATIENCE_SECONDS))
        self.assertTrue(ordinary.sent.wait(PATIENCE_SECONDS))
        outbox.stop()

    def test_stopping_sends_what_is_queued(self):
        outbox = Outbox(lambda _: None)
        stream = FakeStream(False)
        outbox.put(stream)
        outbox.put(stream)
        outbox.start()
        outbox.stop()
        self.assertEqual(stream.count, 1)
