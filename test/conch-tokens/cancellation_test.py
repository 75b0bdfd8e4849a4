"""A client that disconnects ends its generation, whatever state the request is in."""

import threading

import numpy as np
import triton_python_backend_utils as pb_utils
from harness import PATIENCE_SECONDS, ModelCase, choice, end, output


class Cancellation(ModelCase):
    def setUp(self):
        super().setUp()
        self.called = threading.Event()
        self.llm.on_call = lambda _call: self.called.set()

    def begin_and_wait(self, **request):
        sender = self.begin(**request)
        self.assertTrue(self.called.wait(PATIENCE_SECONDS))
        return sender, self.llm.calls[-1]

    def assert_cancelled(self, sender, call):
        response = self.outcome(sender)[-1]
        self.assertEqual((response.error.code, response.error.message), ("CANCELLED", "Request was cancelled"))
        self.assertEqual(self.llm.aborted, [call.id])

    def test_before_the_first_token(self):
        sender, call = self.begin_and_wait()
        sender.disconnected = True
        self.assert_cancelled(sender, call)
        self.assertEqual(len(sender.responses), 1)

    def test_by_a_request_with_its_id(self):
        other = self.begin(request_id="other")
        self.assertTrue(self.called.wait(PATIENCE_SECONDS))
        self.called.clear()
        sender, call = self.begin_and_wait(request_id="mine")
        self.assertEqual(self.outcome(self.begin(request_id="mine", cancel=np.asarray([True]))), [None])
        self.assert_cancelled(sender, call)
        self.assertFalse(other.done.is_set())
        other.disconnected = True
        self.outcome(other)

    def test_not_by_a_request_without_an_id(self):
        sender, call = self.begin_and_wait()
        self.outcome(self.begin(cancel=np.asarray([True])))
        call.loop.call_soon_threadsafe(call.queue.put_nowait, end())
        self.assertIsNone(self.outcome(sender)[-1].error)

    def test_between_tokens(self):
        sender, call = self.begin_and_wait()
        call.loop.call_soon_threadsafe(call.queue.put_nowait, output(choice([5], "a")))
        self.assertTrue(sender.first.wait(PATIENCE_SECONDS))
        sender.disconnected = True
        self.assert_cancelled(sender, call)
        self.assertEqual(len(sender.responses), 2)

    def test_while_its_first_response_is_sent(self):
        # The task waits for its turn, outside of the engine.
        gate = threading.Semaphore(0)
        self.addCleanup(gate.release, 100)
        sender, call = self.begin_and_wait(sender=self.sender(gate))
        call.loop.call_soon_threadsafe(call.queue.put_nowait, output(choice([5], "a")))
        self.assertTrue(sender.entered.wait(PATIENCE_SECONDS))
        aborted = threading.Event()
        self.llm.aborted = Watched(aborted)
        sender.disconnected = True
        self.assertTrue(aborted.wait(PATIENCE_SECONDS))
        for _ in range(2):
            gate.release()
        self.assert_cancelled(sender, call)
        self.assertEqual(len(sender.responses), 2)

    def test_unstreamed(self):
        sender, call = self.begin_and_wait(stream=np.asarray([False]))
        sender.disconnected = True
        self.assert_cancelled(sender, call)

    def test_before_its_task_runs(self):
        cancelled = []
        begin = self.model._begin

        def begin_cancelled(stream, *rest):
            begin(stream, *rest)
            cancelled.append(self.model._tasks[stream].cancel())

        self.model._begin = begin_cancelled
        (response,) = self.outcome(self.begin())
        self.assertEqual(cancelled, [True])
        self.assertEqual(response.error.code, "CANCELLED")
        self.assertEqual(self.llm.calls, [])

    def test_others_go_on(self):
        sender, call = self.begin_and_wait()
        self.called.clear()
        other, other_call = self.begin_and_wait()
        sender.disconnected = True
        self.assert_cancelled(sender, call)
        other_call.loop.call_soon_threadsafe(other_call.queue.put_nowait, end("a"))
        self.assertEqual(self.outcome(other)[-1].tensors["finish_reason"].tolist(), [b"stop"])

    def test_a_stream_that_triton_closed(self):
        sender, call = self.begin_and_wait()
        sender.breaks = True
        call.loop.call_soon_threadsafe(call.queue.put_nowait, output(choice([5], "a")))
        self.finalize_when_aborted(call)
        self.assertEqual(sender.responses, [])

    def test_a_response_that_cannot_be_sent(self):
        pb_utils.logged.clear()
        for outputs in ([output(choice([5], "a"))], [end()]):
            sender = self.sender()
            sender.failures = 1
            self.begin_and_wait(sender=sender)
            call = self.llm.calls[-1]
            self.called.clear()
            for item in outputs:
                call.loop.call_soon_threadsafe(call.queue.put_nowait, item)
            (response,) = self.outcome(sender)
            text = "Engine error: a response could not be sent. See the server's log."
            self.assertEqual((response.error.code, response.error.message), ("INTERNAL", text))
            self.assertIn("/dev/shm/x", pb_utils.logged.pop())

    def test_a_response_that_cannot_be_built(self):
        sender, call = self.begin_and_wait()
        call.loop.call_soon_threadsafe(call.queue.put_nowait, output(choice(["x"], "a")))
        (response,) = self.outcome(sender)
        self.assertEqual(response.error.code, "INTERNAL")

    def finalize_when_aborted(self, call):
        aborted = threading.Event()
        self.llm.aborted = Watched(aborted)
        self.assertTrue(aborted.wait(PATIENCE_SECONDS))
        self.assertEqual(self.llm.aborted, [call.id])

    def test_unloading_the_model(self):
        sender, call = self.begin_and_wait()
        self.finalize()
        (response,) = self.outcome(sender)
        text = "Engine unavailable: the model is being unloaded."
        self.assertEqual((response.error.code, response.error.message), ("UNAVAILABLE", text))
        self.assertEqual(self.llm.aborted, [call.id])
        self.assertTrue(self.llm.is_shut_down)


class Watched(list):
    def __init__(self, event):
        super().__init__()
        self._event = event

    def append(self, item):
        super().append(item)
        self._event.set()
