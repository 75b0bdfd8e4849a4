"""The two forms of a list of stop or bad words: token ids per word, and the [2, L] integers that the engine wants."""

import numpy as np


def to_word_list(rows):
    """Row 0 has the ids of all words, padded with 0; row 1 has the end of each word, padded with -1."""
    length = max(1, max(sum(map(len, words)) for words in rows))
    result = np.zeros((len(rows), 2, length), dtype=np.int32)
    result[:, 1] = -1
    for made, words in zip(result, rows):
        ids = [token for word in words for token in word]
        made[0, : len(ids)] = ids
        made[1, : len(words)] = np.cumsum([len(word) for word in words])
    return result


def from_word_list(array):
    """The words of one row. Without words, L is 0."""
    if array is None:
        return []
    if array.ndim != 2 or array.shape[0] != 2:
        raise ValueError("Invalid format for word list.")
    ids, ends = array.tolist()
    words, start = [], 0
    for end in ends:
        if end == -1:
            continue
        if end > len(ids) or end <= start:
            raise ValueError("Invalid format for word list.")
        words.append(ids[start:end])
        start = end
    return words


def ends_with(tokens, word):
    return tokens[-len(word) :] == word
