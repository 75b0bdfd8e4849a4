"""The thread that looks for clients that disconnected, also before the first token and for unstreamed responses."""

import threading
import time

# A step of most engines takes longer, so the engine makes few tokens for a client that disconnected.
INTERVAL_SECONDS = 0.005
# Each look is a round trip to tritonserver: with many streams, the thread looks less often.
REST = 9.0


class CancellationWatch:
    def __init__(self, interval=INTERVAL_SECONDS, rest=REST):
        self._interval = interval
        self._rest = rest
        self._wake = threading.Condition()
        self._streams = {}
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="conch-cancellation", daemon=True)

    def start(self):
        self._thread.start()

    def add(self, stream, cancel):
        """Calls `cancel` once, in this thread, if the client of a stream disconnects."""
        with self._wake:
            self._streams[stream] = cancel
            self._wake.notify()

    def remove(self, stream):
        with self._wake:
            self._streams.pop(stream, None)

    def stop(self):
        with self._wake:
            self._stopped = True
            self._wake.notify()
        self._thread.join()

    def _run(self):
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._stopped or self._streams)
                if self._stopped:
                    return
                streams = list(self._streams)
            start = time.monotonic()
            for stream in streams:
                if stream.is_cancelled():
                    self._cancel(stream)
            duration = time.monotonic() - start
            with self._wake:
                self._wake.wait_for(lambda: self._stopped, max(self._interval, self._rest * duration))

    def _cancel(self, stream):
        with self._wake:
            cancel = self._streams.pop(stream, None)
        if cancel is not None:
            cancel()
