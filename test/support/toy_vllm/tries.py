"""How often a request with a tag came, and answers that break their guide the first times."""

from collections import Counter


class Tries:
    """The requests of one model, counted by their tags."""

    def __init__(self):
        self._requests = Counter()

    def begin(self, directive):
        """Counts a request: how many of its tag came before it."""
        tag = directive.get("tag")
        if tag is None:
            return 0
        self._requests[tag] += 1
        return self._requests[tag] - 1

    def count(self, tag):
        return self._requests[tag]


def broken_answer(directive, sampling, earlier):
    """The text that breaks the guide, for as many guided requests of a tag as the directive says; else None."""
    if sampling.constraint and earlier < directive.get("broken_times", 0):
        return directive["broken_answer"]
    return None
