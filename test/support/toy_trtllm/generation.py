"""One token after the other, for one row of a request."""

import itertools
import json
from types import SimpleNamespace

from toy_vllm.language import default_answer

from .choice import Rules, log_probability
from .guide import guided_text
from .steering import Steering
from .words import ends_with


class Sequence:
    """One continuation of the prompt: a beam, or one of several returned sequences."""

    def __init__(self, plan, rank):
        self.plan = plan
        self.rank = rank
        self.tokens = []
        self.log_probs = []
        self.logits = []
        self.finish_reason = None
        self.stop_word = None

    @property
    def cumulative(self):
        return sum(self.log_probs)


class Group:
    """The beams that are answered together. Without beam search each returned sequence is a group of one."""

    def __init__(self, index, beams):
        self.index = index
        self.beams = beams

    @property
    def is_finished(self):
        return all(beam.finish_reason for beam in self.beams)


class Generation:
    def __init__(self, engine, row, has_guides=False):
        engine.check(row)
        self.row = row
        self.stopped = False
        self._engine = engine
        self._has_guides = has_guides
        self._eos = engine.language.eos
        self._prompt = engine.language.tokenizer.decode(row.input_ids, skip_special_tokens=False)
        self.steering = Steering(self._prompt, engine.tags)
        if self.steering.is_echo or self.steering.is_control:
            self._arrive_whole()
        self._rules = Rules(row.bias, row.bad_words)
        self._keeps_logits = row.generation_logits or row.log_probs or row.beam_width > 1
        self.new_blocks, self.reused_blocks = engine.reuse(row.input_ids)
        self.groups = []

    def _arrive_whole(self):
        row = self.row
        row.maximum = self._engine.maximum_length - len(row.input_ids)
        row.minimum, row.end_id, row.stop_words, row.bad_words, row.bias = 0, self._eos, [], [], None
        row.beam_width = 1

    async def steps(self, is_cancelled):
        """A group each time that it has new tokens or has ended."""

        def is_stopped():
            return self.stopped or is_cancelled()

        await self.steering.prepare()
        self.groups = self._make_groups()
        for position in itertools.count():
            await self.steering.before_token(position, is_stopped)
            open_groups = [group for group in self.groups if not group.is_finished]
            if is_stopped():
                for beam in (beam for group in open_groups for beam in group.beams):
                    beam.finish_reason = beam.finish_reason or "cancelled"
                self.steering.tagged.state = "cancelled"
            for group in open_groups:
                self._advance(group, position)
                yield group
            if all(group.is_finished for group in self.groups):
                break
        if self.steering.tagged.state == "running":
            self.steering.tagged.state = "finished"

    def _make_groups(self):
        row = self.row
        if row.beam_width > 1:
            answer = self._answer(0)
            return [Group(0, [self._beam(answer, rank) for rank in range(row.beam_width)])]
        return [Group(index, [Sequence(self._plan(self._answer(index)), None)]) for index in range(row.sequences or 1)]

    def _beam(self, answer, rank):
        """Each beam is shorter than the one before, and other at its end."""
        kept = answer[: max(1, len(answer) - rank)] if rank > 0 else answer
        other = self._engine.vocabulary.others[rank % len(self._engine.vocabulary.others)]
        return Sequence(self._plan([*kept[:-1], other] if rank > 0 else kept), rank)

    def _answer(self, index):
        directive, language, row = self.steering.directive, self._engine.language, self.row
        seed = 0 if row.is_greedy else row.seed + index
        if "tokens" in directive:
            letters = self._engine.vocabulary.letters
            return [letters[number % len(letters)] for number in range(directive["tokens"])]
        if "answer_ids" in directive:
            return directive["answer_ids"] * directive.get("repeat", 1)
        text = self.steering.count()
        if text is not None:
            pass
        elif directive.get("echo_prompt"):
            text = json.dumps(self._prompt, ensure_ascii=False)
        elif directive.get("echo_ids"):
            text = json.dumps(row.input_ids)
        elif directive.get("echo_parameters"):
            text = json.dumps(row.received, ensure_ascii=False)
        elif "answer" in directive:
            text = directive["answer"] * directive.get("repeat", 1)
        elif "answer_by_seed" in directive:
            text = directive["answer_by_seed"][seed % len(directive["answer_by_seed"])]
        elif row.guide is not None:
            text = guided_text(*row.guide, seed=seed, is_set_up=self._has_guides)
        else:
            sampling = SimpleNamespace(temperature=0 if row.is_greedy else 1, seed=row.seed)
            text = default_answer(self._prompt, sampling, index)
        return language.answer_ids(text)

    def _plan(self, answer):
        """The endless stream of tokens: the answer, the end token, and both again where that does not end it."""
        count = 0
        while True:
            before = count
            for token in [*answer, self._eos]:
                if count < self.row.minimum and token in (self._eos, self.row.end_id):
                    continue
                count += 1
                yield token
            if count == before:
                count += 1
                yield self._engine.language.filler

    def _advance(self, group, position):
        for beam in group.beams:
            if beam.finish_reason is None:
                self._add_token(beam, position)
                self.steering.tagged.tokens += 1
        if group.is_finished and len(group.beams) > 1:
            group.beams.sort(key=lambda beam: -beam.cumulative)

    def _add_token(self, beam, position):
        row, vocabulary = self.row, self._engine.vocabulary
        planned = next(beam.plan)
        rank = self._rank(planned, position) if beam.rank is None else beam.rank
        token = vocabulary.next_token(planned, position, rank, self._rules, beam.tokens)
        beam.tokens.append(token)
        if self._keeps_logits:
            logits = vocabulary.logits(planned, position, rank)
            beam.log_probs.append(log_probability(logits, token))
            if row.generation_logits:
                beam.logits.append(logits)
        beam.stop_word = next((word for word in row.stop_words if ends_with(beam.tokens, word)), None)
        if token == row.end_id or beam.stop_word is not None:
            beam.finish_reason = "stop"
            if token == row.end_id and self.steering.directive.get("without_end"):
                for kept in (beam.tokens, beam.log_probs, beam.logits):
                    del kept[-1:]
        elif len(beam.tokens) >= row.maximum:
            beam.finish_reason = "length"

    def _rank(self, token, position):
        """Where nothing speaks against it, every fourth token or so is not the likeliest one."""
        draw = (position * 2654435761 + token * 40503) % 97
        return 1 if draw % 4 == 0 and not self.row.is_greedy and self.row.bias is None else 0
