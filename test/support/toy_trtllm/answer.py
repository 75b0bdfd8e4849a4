"""The output tensors of one row of an engine request."""

import time

import numpy as np
import triton_python_backend_utils as pb_utils


class Answer:
    """Builds the responses of one row: what is new of a streamed one, all of an unstreamed one."""

    def __init__(self, engine, generation, normalizes, batch_index=None):
        self._engine = engine
        self._generation = generation
        self._row = generation.row
        self._normalizes = normalizes
        self._batch_index = batch_index
        self._sent = {}
        self._arrival = time.monotonic_ns()

    def response(self, group):
        row = self._row
        # Only one beam can be continued: several are sent in full each time.
        start = self._sent.get(group.index, 0) if row.streaming and row.beam_width == 1 else 0
        self._sent[group.index] = len(group.beams[0].tokens)
        beams = group.beams[: row.sequences] if row.beam_width > 1 else group.beams
        prefix = [] if row.streaming or row.exclude_input else row.input_ids
        output_ids = _padded([[*prefix, *beam.tokens[start:]] for beam in beams], np.int32)
        made = {
            "output_ids": output_ids,
            "sequence_length": np.asarray([len(prefix) + len(beam.tokens) - start for beam in beams], dtype=np.int32),
        }
        if row.log_probs:
            made |= self._log_probs(beams, start)
        if row.context_logits:
            made["context_logits"] = self._context_logits()
        if row.generation_logits:
            longest = max(len(beam.tokens) for beam in beams) - start
            logits = np.zeros((len(beams), longest, self._engine.vocabulary_size), dtype=np.float32)
            for at, beam in enumerate(beams):
                for place, vector in enumerate(beam.logits[start:]):
                    logits[at, place] = vector
            made["generation_logits"] = logits
        if self._batch_index is not None:
            made["batch_index"] = np.asarray([self._batch_index], dtype=np.int32)
        if (row.sequences or 1) > 1:
            made["sequence_index"] = np.asarray([group.index], dtype=np.int32)
        made |= self._reports(output_ids.size)
        tensors = [pb_utils.Tensor(name, value[np.newaxis]) for name, value in made.items()]
        return pb_utils.InferenceResponse(output_tensors=tensors)

    def _log_probs(self, beams, start):
        """Normalised values are divided by the number of tokens so far."""
        scales = [max(1, len(beam.tokens)) if self._normalizes else 1 for beam in beams]
        values = [[value / scale for value in beam.log_probs[start:]] for beam, scale in zip(beams, scales)]
        cumulative = [beam.cumulative / scale for beam, scale in zip(beams, scales)]
        return {
            "cum_log_probs": np.asarray(cumulative, dtype=np.float32),
            "output_log_probs": _padded(values, np.float32),
        }

    def _context_logits(self):
        ids = self._row.input_ids
        following = [*ids[1:], ids[-1]]
        vectors = [self._engine.vocabulary.logits(token, place, 0) for place, token in enumerate(following)]
        return np.stack(vectors)

    def _reports(self, output_tokens):
        row, made = self._row, {}
        if row.perf_metrics or row.reuse_stats:
            new, reused = self._generation.new_blocks, self._generation.reused_blocks
            made["kv_cache_alloc_new_blocks"] = np.asarray([new], dtype=np.int32)
            made["kv_cache_reused_blocks"] = np.asarray([reused], dtype=np.int32)
            made["kv_cache_alloc_total_blocks"] = np.asarray([new + reused], dtype=np.int32)
        if row.perf_metrics:
            for name in ("arrival_time_ns", "first_scheduled_time_ns", "first_token_time_ns", "last_token_time_ns"):
                moment = self._arrival if name != "last_token_time_ns" else time.monotonic_ns()
                made[name] = np.asarray([moment], dtype=np.int64)
            made["acceptance_rate"] = np.asarray([0], dtype=np.float32)
            made["total_accepted_draft_tokens"] = np.asarray([0], dtype=np.int32)
            made["total_draft_tokens"] = np.asarray([0], dtype=np.int32)
        if row.num_input_tokens:
            made["num_input_tokens"] = np.asarray([len(row.input_ids)], dtype=np.int32)
        if row.num_output_tokens:
            made["num_output_tokens"] = np.asarray([output_tokens], dtype=np.int32)
        return made


def _padded(rows, kind):
    """Rows of one length: shorter ones end with -1."""
    result = np.full((len(rows), max(map(len, rows))), -1, dtype=kind)
    for made, row in zip(result, rows):
        made[: len(row)] = row
    return result
