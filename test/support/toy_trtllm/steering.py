"""How a directive holds, counts and fails a request."""

import asyncio
import os

from toy_vllm.engine import Pace, Tagged

from .directive import find_directive

_PATIENCE_SECONDS = 25


class Steering:
    """The directive of one request, and what it makes of the request's course."""

    def __init__(self, prompt, tags):
        self.directive = find_directive(prompt)
        self.is_echo = any(self.directive.get(key) for key in ("echo_prompt", "echo_ids", "echo_parameters"))
        self._tags = tags
        self._watched = self.directive.get("count_of", self.directive.get("release"))
        self._pace = None
        self.is_control = self._watched is not None
        self.tagged = Tagged()
        if "tag" in self.directive:
            tags[self.directive["tag"]] = self.tagged

    async def prepare(self):
        """Releases another request, or waits for its state."""
        directive = self.directive
        self._pace = Pace(directive.get("delay_ms", 0) / 1000)
        if "release" in directive and directive["release"] in self._tags:
            self._tags[directive["release"]].released = True
        if not directive.keys() & {"until", "until_tokens"}:
            return
        clock = asyncio.get_running_loop().time
        deadline = clock() + _PATIENCE_SECONDS
        while clock() < deadline and not self._is_reached():
            await asyncio.sleep(0.002)

    def _is_reached(self):
        seen = self._tags.get(self._watched)
        return (
            seen is not None
            and self.directive.get("until", seen.state) == seen.state
            and seen.tokens >= self.directive.get("until_tokens", 0)
        )

    def count(self):
        """What is answered of the other request, or None."""
        if self._watched is None:
            return None
        return self._tags[self._watched].as_json() if self._watched in self._tags else '{"state": "unknown"}'

    async def before_token(self, count, is_stopped):
        directive = self.directive
        if directive.get("hold_at") == count:
            self.tagged.state = "held"
            while not self.tagged.released and not is_stopped():
                await asyncio.sleep(0.005)
            self.tagged.state = "running"
        if directive.get("error_at") == count:
            raise RuntimeError(directive.get("error_text", "the toy was told to fail"))
        if directive.get("crash_at") == count:
            os._exit(1)
        if count > 0:
            await self._pace.wait()
