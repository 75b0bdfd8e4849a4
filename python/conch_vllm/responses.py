"""Responses as tensors: only the outputs that a request names, and only where they have a value."""

from dataclasses import dataclass

import numpy as np
import triton_python_backend_utils as pb_utils


@dataclass(frozen=True)
class Layout:
    """What the responses to one request have in common."""

    outputs: frozenset
    choices: int
    logprobs: int | None
    prompt_logprobs: int | None
    # These tokens take the columns of the most likely ones.
    logprob_token_ids: tuple | None = None


def build_response(chunk, layout, opening, ending):
    """The tensors of one response; opening and ending are those of the first and the last one, else None."""
    tensors = Tensors(layout.outputs)
    if layout.choices > 1:
        tensors.add("index", [chunk.index], np.int32)
    tensors.add("token_ids", chunk.token_ids, np.int32)
    tensors.text("text", "".join(chunk.texts))
    if layout.logprobs is not None:
        tensors.logprobs("logprob", chunk.token_ids, chunk.logprobs, layout.logprobs, layout.logprob_token_ids)
    if opening is not None:
        tensors.add("prompt_token_ids", opening.prompt_token_ids, np.int32)
        if opening.prompt_logprobs is not None:
            rows, width = opening.prompt_logprobs, layout.prompt_logprobs
            tensors.logprobs("prompt_logprob", opening.prompt_token_ids, rows, width, None)
    if chunk.finish_reason is not None:
        tensors.text("finish_reason", chunk.finish_reason)
        if isinstance(chunk.stop_reason, str):
            tensors.text("stop_string", chunk.stop_reason)
        elif chunk.stop_reason is not None:
            tensors.add("stop_token_id", [chunk.stop_reason], np.int32)
    if ending is not None:
        tensors.add("usage", ending.usage, np.int32)
        tensors.add("times", ending.times, np.float64)
    elif opening is not None:
        tensors.add("usage", opening.usage, np.int32)
    return tensors.values


class Tensors:
    def __init__(self, names):
        self._names = names
        self.values = []

    def add(self, name, values, data_type):
        if name in self._names:
            self.values.append(pb_utils.Tensor(name, np.asarray(values, dtype=data_type)))

    def text(self, name, value):
        if name in self._names:
            # A surrogate that is not part of a pair has no UTF-8.
            content = value.encode("utf-8", errors="replace")
            self.values.append(pb_utils.Tensor(name, np.asarray([content], dtype=np.object_)))

    def logprobs(self, name, token_ids, rows, width, columns):
        names = (f"{name}s", f"{name}_ids", f"{name}_ranks")
        if not self._names.isdisjoint(names):
            types = (np.float32, np.int32, np.int32)
            for tensor, values, data_type in zip(names, logprob_table(token_ids, rows, width, columns), types):
                self.add(tensor, values, data_type)


def logprob_table(token_ids, rows, width, columns=None):
    """Logprobs, ids and ranks. Column 0 is the token itself, then come the most likely ones, or those of `columns`."""
    count = 1 + (width if columns is None else len(columns))
    shape = (len(rows), count)
    logprobs = np.full(shape, -np.inf, dtype=np.float32)
    ids = np.full(shape, -1, dtype=np.int32)
    ranks = np.zeros(shape, dtype=np.int32)
    for at, (token_id, row) in enumerate(zip(token_ids, rows)):
        ids[at, 0] = token_id
        if row is None:  # the first token of a prompt has no probability
            logprobs[at, 0] = np.nan
            continue
        for column, (entry_id, entry) in enumerate(_entries(token_id, row, width, columns)):
            if entry is None:
                continue
            ids[at, column] = entry_id
            logprobs[at, column] = entry.logprob
            ranks[at, column] = entry.rank or 0
    return logprobs, ids, ranks


def _entries(token_id, row, width, columns):
    own = (token_id, row.get(token_id))
    if columns is not None:
        return [own, *((column, row.get(column)) for column in columns)]
    # The token itself has a rank beyond the width unless it is one of the most likely ones.
    likely = [item for item in row.items() if item[1].rank is not None and item[1].rank <= width]
    return [own, *sorted(likely, key=lambda item: item[1].rank)[:width]]
