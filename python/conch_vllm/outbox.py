"""What is sent when: rounds of responses, planned in the event loop and sent by a thread of their own.

A response costs a round trip between the stub and tritonserver, whatever it contains. Each round has one response for
each stream that gained tokens. Until the next round begins, the tasks of the streams take no outputs from the engine,
and vLLM joins the tokens of each request. A token therefore costs the model nothing when it is behind, and the number
of responses adapts to what the machine can do.
"""

import queue
import threading
import time
from collections import deque

from .errors import UNSENT, log_error

# A round of fewer responses is not followed by a pause.
CROWD = 8


class Outbox:
    """All methods run in the event loop, apart from `stop`."""

    def __init__(self, loop, on_lost, rest=1.0, clock=time.monotonic):
        """`on_lost` gets a stream whose response Triton did not take. After a round of many responses follows a pause
        of `rest` times its duration, so that the engine's event loop and tritonserver get their time."""
        self._loop = loop
        self._on_lost = on_lost
        self._rest = rest
        self._clock = clock
        # A dict, as it has an order.
        self._ready = {}
        self._waiting = []
        # Between the beginning of a round and the end of its pause.
        self._is_busy = False
        self._is_planned = False
        self._urgent = deque()
        self._rounds = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="conch-outbox", daemon=True)

    def start(self):
        self._thread.start()

    def put(self, stream):
        """Adds a stream that has something to send to the next round; an urgent one is sent at once."""
        if self._is_busy and stream.is_urgent:
            self._urgent.append(stream)
            self._rounds.put(())
            return
        self._ready[stream] = None
        self._plan()

    async def turn(self):
        """Waits until the next round takes in tokens. Until then, the engine collects them."""
        future = self._loop.create_future()
        self._waiting.append(future)
        await future

    def stop(self):
        """Sends what is there, then ends the thread. Call it in another thread than the event loop's."""
        self._loop.call_soon_threadsafe(self._end)
        self._thread.join()

    def _end(self):
        self._rounds.put(tuple(self._ready))
        self._ready = {}
        self._rounds.put(None)

    def _plan(self):
        if not self._is_busy and not self._is_planned:
            self._is_planned = True
            # The other streams of the same step of the engine come first.
            self._loop.call_soon(self._begin_round)

    def _begin_round(self):
        self._is_planned = False
        if self._ready:
            streams, self._ready = tuple(self._ready), {}
            self._is_busy = True
            self._rounds.put(streams)

    def _end_round(self, count, duration):
        if count < CROWD or self._rest == 0:
            self._end_pause()
        else:
            self._loop.call_later(self._rest * duration, self._end_pause)

    def _end_pause(self):
        self._is_busy = False
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
        # The tasks run first and add what the engine has collected.
        self._plan()

    def _run(self):
        while (streams := self._rounds.get()) is not None:
            start = self._clock()
            for stream in streams:
                self._send_urgent()
                self._send(stream)
            self._send_urgent()
            if streams:
                self._loop.call_soon_threadsafe(self._end_round, len(streams), self._clock() - start)

    def _send_urgent(self):
        while self._urgent:
            self._send(self._urgent.popleft())

    def _send(self, stream):
        try:
            stream.send()
        except Exception as error:  # of Triton, for example after it has closed the stream
            log_error(f"A response could not be sent: {error!r}")
            _break_off(stream)
            self._on_lost(stream)


def _break_off(stream):
    """Sends an error as the last response: without one, the client waits until its timeout."""
    try:
        stream.break_off(UNSENT)
    except Exception as error:
        log_error(f"A request ends without its last response: {error!r}")
