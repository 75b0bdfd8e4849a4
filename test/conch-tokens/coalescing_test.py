"""However the sender is held up, the responses together are exactly what the engine made."""

import asyncio
import queue
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
        self.addCleanup(gate.release, 100)
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

    def test_each_token_of_one_stream_is_a_response(self):
        called = threading.Event()
        self.llm.on_call = lambda _call: called.set()
        sender = self.begin()
        self.assertTrue(called.wait(PATIENCE_SECONDS))
        (call,) = self.llm.calls
        for token_id in range(20):
            is_last = token_id == 19
            item = output(choice([token_id], finish_reason="length" if is_last else None), finished=is_last)
            call.loop.call_soon_threadsafe(call.queue.put_nowait, item)
            self.assertTrue(sender.sent.acquire(timeout=PATIENCE_SECONDS))
        ids = [response.tensors["token_ids"].tolist() for response in self.outcome(sender)]
        self.assertEqual(ids, [[token_id] for token_id in range(20)])

    def test_the_engine_collects_while_a_response_is_sent(self):
        gate = threading.Semaphore(0)
        self.addCleanup(gate.release, 100)
        called = threading.Event()
        self.llm.on_call = lambda _call: called.set()
        sender = self.begin(self.sender(gate))
        self.assertTrue(called.wait(PATIENCE_SECONDS))
        (call,) = self.llm.calls

        def make(*items):
            for item in items:
                call.loop.call_soon_threadsafe(call.queue.put_nowait, item)

        make(output(choice([1], "a")))
        self.assertTrue(sender.entered.wait(PATIENCE_SECONDS))
        last = output(choice([4], "d", finish_reason="length"), finished=True)
        make(output(choice([2], "b")), output(choice([3], "c")), last)
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0), call.loop).result(PATIENCE_SECONDS)
        self.assertEqual(call.queue.qsize(), 3)
        for _ in range(2):
            gate.release()
        first, second = self.outcome(sender)
        self.assertEqual(first.tensors["token_ids"].tolist(), [1])
        self.assertEqual(second.tensors["token_ids"].tolist(), [2, 3, 4])
        self.assertEqual(second.tensors["text"].tolist(), [b"bcd"])
        self.assertEqual(second.tensors["usage"].tolist(), [3, 4, 0, -1, -1])

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
    def __init__(self, is_urgent=False, on_send=lambda: None):
        self.is_urgent = is_urgent
        self._on_send = on_send
        self.count = 0

    def send(self):
        self.count += 1
        self._on_send()


class ManualLoop:
    """An event loop that a test runs step by step. Timers are only noted."""

    def __init__(self):
        self._calls = queue.SimpleQueue()
        self.timers = []

    def call_soon(self, callback, *values):
        self._calls.put((callback, values))

    call_soon_threadsafe = call_soon

    def call_later(self, delay, callback):
        self.timers.append((delay, callback))

    def run_one(self):
        callback, values = self._calls.get(timeout=PATIENCE_SECONDS)
        callback(*values)


class Pauses(unittest.TestCase):
    def setUp(self):
        self.now = 0.0
        self.loop = ManualLoop()
        self.outbox = Outbox(self.loop, lambda _: None, rest=2.0, clock=lambda: self.now)
        self.outbox.start()

    def pass_time(self):
        self.now += 1.0

    def send_round(self, *streams):
        for stream in streams:
            self.outbox.put(stream)
        self.loop.run_one()  # the round begins
        self.loop.run_one()  # the thread has sent it

    def test_a_few_streams_are_followed_by_no_pause(self):
        streams = [FakeStream(on_send=self.pass_time) for _ in range(CROWD - 1)]
        self.send_round(*streams)
        self.send_round(*streams)
        self.assertEqual([stream.count for stream in streams], [2] * len(streams))
        self.assertEqual(self.loop.timers, [])

    def test_only_urgent_streams_are_sent_during_a_pause(self):
        self.send_round(*(FakeStream(on_send=self.pass_time) for _ in range(CROWD)))
        ((delay, end_pause),) = self.loop.timers
        self.assertEqual(delay, 2.0 * CROWD)
        sent = threading.Event()
        ordinary, urgent = FakeStream(), FakeStream(True, sent.set)
        self.outbox.put(ordinary)
        self.outbox.put(urgent)
        self.assertTrue(sent.wait(PATIENCE_SECONDS))
        self.assertEqual((ordinary.count, urgent.count), (0, 1))
        end_pause()
        self.loop.run_one()
        self.loop.run_one()
        self.assertEqual((ordinary.count, urgent.count), (1, 1))
        # Neither the urgent stream nor a round of one stream had a pause.
        self.assertEqual(len(self.loop.timers), 1)

    def test_an_urgent_stream_goes_before_the_rest_of_a_round(self):
        order, first_is_sent, gate = [], threading.Event(), threading.Semaphore(0)

        def block():
            order.append("first")
            first_is_sent.set()
            gate.acquire()

        self.outbox.put(FakeStream(on_send=block))
        self.outbox.put(FakeStream(on_send=lambda: order.append("second")))
        self.loop.run_one()
        self.assertTrue(first_is_sent.wait(PATIENCE_SECONDS))
        self.outbox.put(FakeStream(True, lambda: order.append("urgent")))
        gate.release()
        self.loop.run_one()
        self.assertEqual(order, ["first", "urgent", "second"])

    def test_stopping_sends_what_is_queued(self):
        self.send_round(*(FakeStream(on_send=self.pass_time) for _ in range(CROWD)))
        stream = FakeStream()
        self.outbox.put(stream)
        self.outbox.put(stream)
        stop = threading.Thread(target=self.outbox.stop)
        stop.start()
        self.loop.run_one()
        stop.join(PATIENCE_SECONDS)
        self.assertFalse(stop.is_alive())
        self.assertEqual(stream.count, 1)
