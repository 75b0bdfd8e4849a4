"""The thread that sends responses.

A response costs a round trip between the stub and tritonserver, whatever it contains. While the thread is busy, tokens
wait in their streams, and each stream is in the queue once. A stream therefore sends one response for all tokens that
it has gained, and the number of responses adapts to what the machine can do.
"""

import threading
import time
from collections import deque

# A round of fewer responses is not followed by a pause.
CROWD = 8


class Outbox:
    def __init__(self, on_lost, rest=1.0, clock=time.monotonic):
        """`on_lost` gets a stream whose response Triton did not take. After a round of many responses, the thread
        pauses for `rest` times its duration, so that the engine's event loop and tritonserver get their time."""
        self._on_lost = on_lost
        self._rest = rest
        self._clock = clock
        self._wake = threading.Condition()
        self._urgent = deque()
        self._others = deque()
        # By stream, whether it waits as an urgent one.
        self._queued = {}
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="conch-outbox", daemon=True)

    def start(self):
        self._thread.start()

    def put(self, stream):
        """Queues a stream that has something to send."""
        with self._wake:
            is_urgent = stream.is_urgent
            if stream in self._queued and (self._queued[stream] or not is_urgent):
                return
            self._queued[stream] = is_urgent
            (self._urgent if is_urgent else self._others).append(stream)
            self._wake.notify()

    def stop(self):
        """Sends what is queued, then ends the thread."""
        with self._wake:
            self._stopped = True
            self._wake.notify()
        self._thread.join()

    def _run(self):
        pause_end = 0.0
        while (streams := self._next_round(pause_end)) is not None:
            start = self._clock()
            count = self._send_all(streams)
            end = self._clock()
            # Urgent streams must not lengthen the pause of the others.
            if count >= CROWD and start >= pause_end:
                pause_end = end + self._rest * (end - start)

    def _next_round(self, pause_end):
        """All streams of the queue; only urgent ones during a pause. None at the end."""
        with self._wake:
            while True:
                remaining = pause_end - self._clock()
                is_paused = remaining > 0 and not self._stopped
                if self._urgent or (self._others and not is_paused):
                    break
                if self._stopped:
                    return None
                self._wake.wait(remaining if is_paused and self._others else None)
            streams, self._urgent = self._urgent, deque()
            if not is_paused:
                streams.extend(self._others)
                self._others = deque()
            return streams

    def _send_all(self, streams):
        count = 0
        for stream in streams:
            with self._wake:
                # A stream that became urgent while it waited is in both queues.
                if self._queued.pop(stream, None) is None:
                    continue
            count += 1
            try:
                stream.send()
            except Exception:  # of Triton, for example after it has closed the stream
                stream.close()
                self._on_lost(stream)
        return count
