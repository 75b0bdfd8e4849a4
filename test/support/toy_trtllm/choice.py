"""Which token comes next, and with which logits: the answer is known beforehand, all other tokens are invented."""

import numpy as np

from .words import ends_with

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_OTHERS = [" more", " and", " so", " it", " then", " but", " or", " if"]
_BEST, _STEP, _FLOOR = 8.0, 1.5, -8.0


class Vocabulary:
    """The ids of the words that the toy uses of itself."""

    def __init__(self, language, size):
        self.size = size
        # The last id is the word itself where a tokenizer makes a token of the space before it.
        self.letters = [language.answer_ids(f" {letter}")[-1] for letter in _LETTERS]
        self.others = [language.answer_ids(word)[-1] for word in _OTHERS]

    def logits(self, token, position, rank):
        """The logits at a position where this token has this rank. The others come behind it or before it."""
        start = (position * 7 + token) % len(self.others)
        others = [other for other in self.others[start:] + self.others[:start] if other != token]
        ranked = [*others[:rank], token, *others[rank:]]
        logits = np.full(self.size, _FLOOR, dtype=np.float32)
        step = _STEP + (position + token) % 4 * 0.25
        logits[ranked] = [_BEST - step * place for place in range(len(ranked))]
        return logits

    def next_token(self, planned, position, rank, rules, before):
        """The planned token, unless a bias or a bad word is against it."""
        if rules.bias is None:
            if not rules.is_bad([*before, planned]):
                return planned
            logits = self.logits(planned, position, rank)
        else:
            logits = self.logits(planned, position, 0)
            logits[: len(rules.bias)] += rules.bias
        for token in np.argsort(-logits, kind="stable")[: len(self.others) + 2].tolist():
            if not rules.is_bad([*before, token]):
                return token
        return planned


class Rules:
    """What may not be chosen, and what is more likely than it was."""

    def __init__(self, bias, bad_words):
        self.bias = bias
        self._bad_words = bad_words

    def is_bad(self, tokens):
        return any(ends_with(tokens, word) for word in self._bad_words)


def log_probability(logits, token):
    highest = float(logits.max())
    return float(logits[token]) - highest - float(np.log(np.exp(logits.astype(np.float64) - highest).sum()))
