"""How tensorrt_llm_bls looks for stop words in the text: they stay in it, but nothing comes after them."""


class StopWords:
    """The stop words of one request, and which beams they have ended."""

    def __init__(self, inputs):
        words = inputs.get("stop_words")
        self._words = [] if words is None else [word.decode("utf-8") for word in words[0].tolist() if word]
        self._streams = "stream" in inputs and bool(inputs["stream"].item(0))
        excludes = "exclude_input_in_output" in inputs and bool(inputs["exclude_input_in_output"].item(0))
        self._start = 0 if excludes else len(inputs["text_input"].item(0).decode("utf-8"))
        self._prefixes = {}
        self._ended = set()

    def end(self, texts):
        """Cuts the texts of a response in place; true once every beam has ended."""
        if not self._words:
            return False
        for beam, text in enumerate(texts.tolist()):
            if self._streams:
                texts[beam] = self._streamed(beam, text.decode("utf-8")).encode("utf-8")
            else:
                texts[beam] = self._whole(beam, text.decode("utf-8")).encode("utf-8")
        return len(self._ended) == len(texts)

    def _streamed(self, beam, text):
        """A stop word is found only where a response begins with it, or with its beginning."""
        if beam in self._ended:
            return ""
        prefix = self._prefixes.get(beam, "")
        for word in self._words:
            if not word.startswith(prefix + text):
                prefix = ""
                continue
            prefix += text
            if word == prefix:
                self._ended.add(beam)
                break
        self._prefixes[beam] = prefix
        return text

    def _whole(self, beam, text):
        for word in self._words:
            at = text.find(word, self._start)
            if at >= 0:
                self._ended.add(beam)
                return text[: at + len(word)]
        return text
