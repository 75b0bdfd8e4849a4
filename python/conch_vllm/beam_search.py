"""Beam search. vLLM's engine has none: each step asks it for the next token of every beam, whose prefix it has cached."""

import asyncio
import heapq
import uuid
from dataclasses import dataclass
from types import SimpleNamespace

from .errors import InvalidRequest

# The engine sees every step as a request of its own: what counts tokens or draws them would do so anew at each one.
ALLOWED = frozenset(
    "beam_width length_penalty n max_tokens ignore_eos temperature stop_token_ids logprobs logit_bias "
    "allowed_token_ids detokenize skip_special_tokens spaces_between_special_tokens include_stop_str_in_output".split()
)

# Beams times steps: each is a request to the engine.
MOST_STEPS = 2**17


@dataclass
class Beam:
    token_ids: list
    logprobs: list
    total: float = 0.0
    finish_reason: str | None = None
    stop_reason: int | None = None

    def extended(self, total, token_id, row):
        return Beam([*self.token_ids, token_id], [*self.logprobs, row], total)

    def score(self, length_penalty):
        return self.total / len(self.token_ids) ** length_penalty


@dataclass
class BeamSettings:
    width: int
    length_penalty: float
    choices: int


def beam_settings(sampling, generation, engine):
    """The beam search of a request, or None. Raises InvalidRequest."""
    if "beam_width" not in sampling:
        if "length_penalty" in sampling:
            raise InvalidRequest("sampling_params.length_penalty needs beam_width.")
        return None
    others = sorted(sampling.keys() - ALLOWED)
    if others:
        raise InvalidRequest(f"sampling_params.{others[0]} cannot be combined with beam_width.")
    settings = BeamSettings(sampling["beam_width"], sampling.get("length_penalty", 1.0), sampling.get("n", 1))
    if settings.choices > settings.width:
        raise InvalidRequest(f"sampling_params.n is {settings.choices}: expected at most beam_width.")
    if engine.max_logprobs != -1 and 2 * settings.width > engine.max_logprobs:
        raise InvalidRequest(
            f'sampling_params.beam_width is {settings.width}: the limit is {engine.max_logprobs // 2}. Set "max_logprobs" '
            "in model.json to twice the beams."
        )
    if generation.has_media and generation.input_ids is None:
        raise InvalidRequest("sampling_params.beam_width with image or audio needs input_ids.")
    room = engine.max_model_len - len(generation.input_ids or ())
    max_tokens = sampling.get("max_tokens", 16)
    steps = settings.width * (room if max_tokens is None else min(max_tokens, room))
    if steps > MOST_STEPS:
        raise InvalidRequest(
            f"sampling_params.beam_width is {settings.width}: with max_tokens, the search has up to {steps} steps of "
            f"beams. The limit is {MOST_STEPS}. Lower max_tokens or beam_width."
        )
    return settings


class BeamSearch:
    """One search. Its only output has the best beams as choices."""

    def __init__(self, engine, settings, sampling, *, lora, priority):
        self._engine = engine
        self._settings = settings
        self._lora = lora
        self._priority = priority
        self._max_tokens = sampling.get("max_tokens", 16)
        self._wants_text = sampling.get("detokenize", True)
        self._keeps_special = sampling.get("skip_special_tokens") is False
        self._keeps_stop = sampling.get("include_stop_str_in_output", False)
        self._stops = set(sampling.get("stop_token_ids", ()))
        self._eos = set() if sampling.get("ignore_eos") else engine.eos_token_ids
        step = {name: sampling[name] for name in ("temperature", "logit_bias", "allowed_token_ids") if name in sampling}
        count = max(2 * settings.width, sampling.get("logprobs") or 0)
        self._step = engine.sampling({**step, "max_tokens": 1, "logprobs": count, "detokenize": False}, False)

    async def run(self, prompt):
        """Yields one output, as the engine would."""
        first = await self._next(prompt)
        prompt_ids = list(prompt.get("prompt_token_ids") or first.prompt_token_ids)
        room = self._engine.max_model_len - len(first.prompt_token_ids)
        limit = room if self._max_tokens is None else min(self._max_tokens, room)
        ended, beams = self._choose([(Beam([], []), first)])
        for _ in range(1, limit):
            if not beams or self._is_decided(ended, beams):
                break
            prompts = [{**_rest(prompt), "prompt_token_ids": prompt_ids + beam.token_ids} for beam in beams]
            outputs = await _all(self._next(each) for each in prompts)
            more, beams = self._choose(list(zip(beams, outputs)))
            ended = heapq.nlargest(self._settings.choices, ended + more, key=self._score)
        for beam in beams:
            beam.finish_reason = "length"
        ranked = sorted(ended + beams, key=self._score, reverse=True)[: self._settings.choices]
        yield SimpleNamespace(
            outputs=[self._choice(index, beam) for index, beam in enumerate(ranked)],
            finished=True,
            prompt_token_ids=first.prompt_token_ids,
            prompt_logprobs=None,
            num_cached_tokens=getattr(first, "num_cached_tokens", None),
            metrics=None,
        )

    async def _next(self, prompt):
        output = None
        outputs = self._engine.generate(
            prompt, self._step, uuid.uuid4().hex, lora=self._lora, priority=self._priority
        )
        async for output in outputs:
            pass
        return output

    def _choose(self, steps):
        """The beams that end with this step, and the best of the others."""
        ended, others = [], []
        for parent, (beam, output) in enumerate(steps):
            for token_id, entry in output.outputs[0].logprobs[0].items():
                if entry.logprob != float("-inf"):
                    is_end = token_id in self._eos or token_id in self._stops
                    (ended if is_end else others).append((beam.total + entry.logprob, parent, token_id))

        def best(candidates):
            # All have the same length, so their totals rank them. Only the best are copied.
            for total, parent, token_id in heapq.nlargest(self._settings.width, candidates, key=lambda item: item[0]):
                beam, output = steps[parent]
                yield beam.extended(total, token_id, output.outputs[0].logprobs[0])

        return [self._ended(beam) for beam in best(ended)], list(best(others))

    def _ended(self, beam):
        beam.finish_reason = "stop"
        beam.stop_reason = beam.token_ids[-1] if beam.token_ids[-1] in self._stops else None
        return beam

    def _is_decided(self, ended, beams):
        """Whether no beam can become better than the ended ones: only without a reward for length is that certain."""
        choices = self._settings.choices
        if self._settings.length_penalty > 0 or len(ended) < choices:
            return False
        worst = sorted((self._score(beam) for beam in ended), reverse=True)[choices - 1]
        return max(self._score(beam) for beam in beams) <= worst

    def _score(self, beam):
        return beam.score(self._settings.length_penalty)

    def _choice(self, index, beam):
        token_ids = beam.token_ids
        shown = token_ids if self._keeps_stop or beam.finish_reason != "stop" else token_ids[:-1]
        return SimpleNamespace(
            index=index,
            token_ids=token_ids,
            text=self._engine.text_of(shown, not self._keeps_special) if self._wants_text else "",
            logprobs=beam.logprobs,
            finish_reason=beam.finish_reason,
            stop_reason=beam.stop_reason,
        )


def _rest(prompt):
    return {name: value for name, value in prompt.items() if name != "prompt"}


async def _all(steps):
    """The results of all steps. If one fails, or the search is cancelled, the others are cancelled too."""
    tasks = [asyncio.ensure_future(step) for step in steps]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
