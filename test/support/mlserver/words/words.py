"""A text model with the tensors of Triton's vLLM backend. It repeats the words of its prompt, up to max_tokens."""

import json

from mlserver import MLModel
from mlserver.types import InferenceResponse, ResponseOutput


class Words(MLModel):
    async def load(self):
        return True

    async def predict_stream(self, payloads):
        async for payload in payloads:
            break
        inputs = {tensor.name: tensor.data.root[0] for tensor in payload.inputs}
        prompt = inputs["text_input"].decode()
        if prompt.startswith("fail"):
            raise ValueError("This model cannot repeat that.")
        limit = json.loads(inputs["sampling_parameters"]).get("max_tokens", 16)
        words = prompt.split()
        made = words[:limit]
        for index, word in enumerate(made):
            is_last = index == len(made) - 1
            reason = ("length" if len(words) > limit else "stop") if is_last else "None"
            yield InferenceResponse(
                model_name=self.name,
                outputs=[
                    _text("text_output", word if index == 0 else f" {word}"),
                    _text("finish_reason", reason),
                    _count("num_input_tokens", len(words)),
                    _count("num_output_tokens", 1),
                ],
            )


def _text(name, value):
    return ResponseOutput(name=name, shape=[1], datatype="BYTES", data=[value])


def _count(name, value):
    return ResponseOutput(name=name, shape=[1], datatype="UINT32", data=[value])
