"""A model of embeddings: the numbers of words and of characters of each text."""

from mlserver import MLModel
from mlserver.types import InferenceResponse, ResponseOutput


class Vectors(MLModel):
    async def load(self):
        return True

    async def predict(self, payload):
        texts = [value.decode() for value in payload.inputs[0].data.root]
        numbers = [float(number) for text in texts for number in (len(text.split()), len(text))]
        output = ResponseOutput(name="embedding", shape=[len(texts), 2], datatype="FP32", data=numbers)
        return InferenceResponse(model_name=self.name, outputs=[output])
