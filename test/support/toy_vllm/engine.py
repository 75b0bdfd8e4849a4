"""The toy engine: one token after the other, ended as vLLM ends them."""

import asyncio
import json
import os

from .directive import find_directive
from .guides import killer, refusal
from .language import constrained_answer, count_results, default_answer, rest_of
from .tries import Tries, broken_answer

MAXIMUM_LOGPROBS = 20
_PATIENCE_SECONDS = 25
_ECHOES = ("echo_prompt", "echo_ids", "echo_parameters", "echo_images")
_DEAD = "EngineCore encountered an issue. See stack trace (above) for the root cause."
# A guide with this text ends the engine, as some guides end vLLM's: the model stays ready and is healed by a load.
_KILLER = "killsTheEngine"


class Step:
    """What one token adds to an answer."""

    __slots__ = ("cumulative_logprob", "finish_reason", "logprobs", "sequence", "stop_reason", "text", "token")

    def __init__(self, sequence, token, text, logprobs, cumulative_logprob, finish_reason, stop_reason):
        self.sequence = sequence
        self.token = token
        self.stop_reason = stop_reason
        self.text = text
        self.logprobs = logprobs
        self.cumulative_logprob = cumulative_logprob
        self.finish_reason = finish_reason


class Tagged:
    """The count of a request that a test has named."""

    def __init__(self):
        self.tokens = 0
        self.state = "running"
        self.released = False

    def as_json(self):
        return json.dumps({"tokens": self.tokens, "state": self.state})


class Generation:
    """One request: its prompt's ids are known at once, its steps come one by one."""

    def __init__(self, engine, prompt, sampling, received, prompt_ids=None):
        if engine.dead and '"revive"' not in prompt:
            raise RuntimeError(_DEAD)
        if _KILLER in json.dumps(sampling.constraint) or killer(sampling.constraint, engine.guide_backend):
            engine.dead = True
            raise RuntimeError(_DEAD)
        self._engine = engine
        self._language = engine.language
        self._sampling = sampling
        self._prompt = prompt
        self._received = received
        self.images = []
        self.directive = find_directive(prompt)
        self.prompt_ids = self._language.prompt_ids(prompt) if prompt_ids is None else prompt_ids
        self._room = self._check_length() - len(self.prompt_ids)
        self._check_sampling()
        self.echo = any(self.directive.get(key) for key in _ECHOES)
        self.tagged = Tagged()
        self._earlier = engine.tries.begin(self.directive)
        if "tag" in self.directive:
            engine.tags[self.directive["tag"]] = self.tagged

    def _check_length(self):
        length, limit = len(self.prompt_ids), self.directive.get("context", self._engine.maximum_length)
        if length == 0:
            raise ValueError("The decoder prompt cannot be empty")
        if length > limit:
            raise ValueError(
                f"The decoder prompt (length {length}) is longer than the maximum model length of {limit}. "
                "Make sure that `max_model_len` is no smaller than the number of text tokens."
            )
        if length == limit:
            raise ValueError(
                f"The decoder prompt (length {length}) plus the number of requested output tokens (at least 1) is "
                f"longer than the maximum model length of {limit}. Make sure that `max_model_len` is no smaller than "
                "the number of text tokens (prompt + requested output tokens)."
            )
        return limit

    def _check_sampling(self):
        wanted = self._sampling.logprobs
        if wanted == -1:
            wanted = self._language.vocabulary_size
        if wanted is not None and wanted > MAXIMUM_LOGPROBS:
            raise ValueError(
                f"Requested sample logprobs of {wanted}, which is greater than max allowed: {MAXIMUM_LOGPROBS}"
            )
        if self._sampling.logit_bias:
            raise ValueError("")
        refused = refusal(self._sampling.constraint, self._engine.guide_backend)
        if refused is not None:
            raise ValueError(refused)

    async def steps(self, is_cancelled):
        """All steps. With n > 1 the sequences take turns, as the real backend mixes them up."""
        await self._prepare()
        sequences = [self._sequence(number, is_cancelled) for number in range(self._sampling.n)]
        while sequences:
            for sequence in list(sequences):
                try:
                    yield await sequence.__anext__()
                except StopAsyncIteration:
                    sequences.remove(sequence)

    async def _prepare(self):
        directive, tags = self.directive, self._engine.tags
        if directive.get("revive"):
            self._engine.dead = False
        if "release" in directive and directive["release"] in tags:
            tags[directive["release"]].released = True
        if "start_delay_ms" in directive:
            await asyncio.sleep(directive["start_delay_ms"] / 1000)
        watched = directive.get("count_of")
        if watched is None:
            return
        clock = asyncio.get_running_loop().time
        deadline = clock() + _PATIENCE_SECONDS
        while clock() < deadline:
            seen = tags.get(watched)
            if (
                seen is not None
                and directive.get("until", seen.state) == seen.state
                and seen.tokens >= directive.get("until_tokens", 0)
            ) or not directive.keys() & {"until", "until_tokens"}:
                return
            await asyncio.sleep(0.002)

    def _answer(self, sequence):
        """The answer's text, as (token, text) pairs; the text is None where the tokenizer knows it."""
        directive, sampling = self.directive, self._sampling
        seed = (sampling.seed or 0) + sequence
        if "tokens" in directive:
            texts = [f" w{number}" for number in range(1, directive["tokens"] + 1)]
            return [(self._language.answer_ids(text)[-1], text) for text in texts]
        watched = directive.get("count_of", directive.get("release"))
        if watched is not None:
            text = self._engine.tags[watched].as_json() if watched in self._engine.tags else '{"state": "unknown"}'
        elif directive.get("echo_prompt"):
            text = json.dumps(self._prompt, ensure_ascii=False)
        elif directive.get("echo_ids"):
            text = json.dumps(self.prompt_ids)
        elif directive.get("echo_parameters"):
            text = json.dumps(self._received, ensure_ascii=False)
        elif directive.get("echo_images"):
            text = json.dumps(self.images)
        elif "requests_of" in directive:
            text = str(self._engine.tries.count(directive["requests_of"]))
        elif (broken := broken_answer(directive, sampling, self._earlier)) is not None:
            text = broken
        elif "answer" in directive:
            text = directive["answer"] * directive.get("repeat", 1)
        elif "answers" in directive:
            results = count_results(self._prompt[self._prompt.rfind('"answers"') :])
            text = directive["answers"][min(results, len(directive["answers"]) - 1)]
        else:
            free = rest_of(directive.get("free_answer"), self._prompt)
            text = constrained_answer(sampling.constraint, seed) if sampling.constraint else free
            if text is None:
                text = default_answer(self._prompt, sampling, sequence)
        return [(token, None) for token in self._language.answer_ids(text)]

    def _tokens(self, sequence):
        """The endless stream of tokens: the answer, EOS, and the answer again where EOS may not end it."""
        answer, minimum = self._answer(sequence), 0 if self.echo else self._sampling.min_tokens
        masked = {self._language.eos, *self._sampling.stop_token_ids}
        count = 0
        while True:
            before = count
            for token, text in [*answer, (self._language.eos, None)]:
                if count < minimum and token in masked:
                    continue
                count += 1
                yield token, text
            if count == before:
                count += 1
                yield self._language.filler, None

    async def _sequence(self, number, is_cancelled):
        sampling, directive, language = self._sampling, self.directive, self._language
        pace = Pace(directive.get("delay_ms", 0) / 1000)
        text = Text(sampling, language.decoder(sampling.skip_special_tokens), whole=self.echo)
        stop_tokens = set() if self.echo else set(sampling.stop_token_ids)
        if self.echo or not sampling.ignore_eos:
            stop_tokens.add(language.eos)
        minimum = 0 if self.echo else sampling.min_tokens
        maximum = self._room if self.echo else min(sampling.max_tokens, self._room)
        greedy = sampling.temperature < 1e-5
        cumulative = 0.0
        count = 0
        for token, known_text in self._tokens(number):
            await self._faults(count, is_cancelled)
            if count > 0:
                await pace.wait()
            count += 1
            self.tagged.tokens += 1
            finish = None
            reason = None
            if count >= minimum and token in stop_tokens:
                finish = "stop"
                reason = token if token in sampling.stop_token_ids else None
            elif count >= maximum:
                finish = "length"
            if text.push(token, known_text, count, ended=finish == "stop"):
                finish = "stop"
                reason = text.stopped_by
            logprobs = None
            if sampling.logprobs is not None:
                logprob, logprobs = language.logprobs(count, token, known_text, sampling.logprobs, greedy)
                cumulative += logprob
            if finish is not None:
                finish = directive.get("finish", finish)
            yield Step(number, token, text.take(finish is not None), logprobs, cumulative, finish, reason)
            if finish is not None:
                return

    async def _faults(self, count, is_cancelled):
        directive = self.directive
        if directive.get("hold_at") == count:
            self.tagged.state = "held"
            while not self.tagged.released and not self._engine.dead and not is_cancelled():
                await asyncio.sleep(0.005)
            self.tagged.state = "running"
        if directive.get("error_at") == count:
            raise RuntimeError(directive.get("error_text", "the toy was told to fail"))
        if directive.get("die_at") == count:
            self._engine.dead = True
        if self._engine.dead:
            raise RuntimeError(_DEAD)
        if directive.get("crash_at") == count:
            os._exit(1)


class Pace:
    """Even steps in time; lets other requests run between two tokens even without a delay."""

    def __init__(self, seconds):
        self._seconds = seconds
        self._clock = asyncio.get_running_loop().time
        self._next = self._clock()

    async def wait(self):
        self._next += self._seconds
        await asyncio.sleep(max(0, self._next - self._clock()))


class Text:
    """The text so far: found stop strings cut it, possible ones hold its end back."""

    def __init__(self, sampling, decode, whole):
        self._decode = decode
        self._stops = [] if whole else sampling.stop
        self._include = sampling.include_stop_str_in_output
        self._minimum = sampling.min_tokens
        self._held = max(map(len, self._stops), default=1) - 1 if not self._include else 0
        self._text = ""
        self._taken = 0
        self._checked = 0
        self.stopped_by = None

    def push(self, token, known_text, count, ended):
        """Adds a token; true when a stop string has ended the text. A token that ends the answer adds no text."""
        if ended and not self._include:
            return False
        new = known_text if known_text is not None else self._decode(token)
        if not new:
            return False
        self._text += new
        if count <= self._minimum:
            self._checked = len(self._text)
            return False
        new_length = len(self._text) - self._checked
        self._checked = len(self._text)
        return any(self._stopped_by(stop, new_length) for stop in self._stops)

    def _stopped_by(self, stop, new_length):
        at = self._text.find(stop, max(0, len(self._text) - new_length - len(stop) + 1))
        if at < 0:
            return False
        self._text = self._text[: at + len(stop) if self._include else at]
        self.stopped_by = stop
        return True

    def take(self, ended):
        """The text that may be sent now."""
        end = len(self._text) if ended else max(self._taken, len(self._text) - self._held)
        delta = self._text[self._taken : end]
        self._taken = end
        return delta


class Engine:
    """What the requests of one model share."""

    def __init__(self, language, maximum_length, guide_backend="auto"):
        self.language = language
        self.maximum_length = maximum_length
        self.guide_backend = guide_backend
        self.tags = {}
        self.tries = Tries()
        self.dead = False
