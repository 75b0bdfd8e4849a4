"""A model on the imitated engine, and outputs as vLLM's engine makes them."""

import json
import os
import tempfile
import unittest
from types import SimpleNamespace

import numpy as np
from conch_vllm.tensors import OUTPUTS
from conch_vllm.triton_model import TritonPythonModel
from fake_triton import Request, Sender, strings
from vllm.v1.engine.async_llm import AsyncLLM

ALL_OUTPUTS = [name for name, _, _ in OUTPUTS]
PATIENCE_SECONDS = 30


def choice(token_ids, text="", *, index=0, logprobs=None, finish_reason=None, stop_reason=None, drafts=None):
    return SimpleNamespace(
        index=index,
        token_ids=token_ids,
        text=text,
        logprobs=logprobs,
        finish_reason=finish_reason,
        stop_reason=stop_reason,
        spec_decode_metrics=drafts,
    )


def output(*choices, finished=False, prompt_token_ids=(1, 2, 3), prompt_logprobs=None, cached=0, metrics=None):
    return SimpleNamespace(
        outputs=choices,
        finished=finished,
        prompt_token_ids=list(prompt_token_ids),
        prompt_logprobs=prompt_logprobs,
        num_cached_tokens=cached,
        metrics=metrics,
    )


def end(text="", **fields):
    return output(choice([9], text, finish_reason="stop"), finished=True, **fields)


class ModelCase(unittest.TestCase):
    """A test with a model of its own: `arguments` are those of model.json, `parameters` those of config.pbtxt."""

    arguments = {}
    parameters = {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(os.path.join(self.folder, "1"))
        self.prepare()
        with open(os.path.join(self.folder, "1", "model.json"), "w", encoding="utf-8") as file:
            json.dump(self.arguments, file)
        config = {"parameters": {name: {"string_value": value} for name, value in self.parameters.items()}}
        self.model = TritonPythonModel()
        self.model.initialize(
            {
                "model_name": "tiny",
                "model_config": json.dumps(config),
                "model_repository": self.folder,
                "model_version": "1",
            }
        )
        self.llm = AsyncLLM.latest
        self.senders = []
        self.finalized = False
        self.addCleanup(self.finalize)

    def prepare(self):
        """Writes more files into self.folder."""

    def finalize(self):
        if not self.finalized:
            self.finalized = True
            self.model.finalize()
        self.assertEqual([sender.misuse for sender in self.senders if sender.misuse], [])

    def sender(self, gate=None):
        sender = Sender(gate)
        self.senders.append(sender)
        return sender

    def begin(self, sender=None, outputs=ALL_OUTPUTS, sampling=None, request_id="", **inputs):
        """Sends a request; inputs replace the prompt 1, 2, 3."""
        sender = sender or self.sender()
        tensors = {} if "prompt" in inputs else {"input_ids": np.asarray([1, 2, 3], dtype=np.int32)}
        text = sampling if isinstance(sampling, (str, bytes)) else json.dumps(sampling or {})
        tensors["sampling_params"] = strings(text)
        tensors.update({name: value for name, value in inputs.items() if value is not None})
        self.model.execute([Request(sender, tensors, outputs, request_id)])
        return sender

    def outcome(self, sender):
        """The responses of a request that must end."""
        self.assertTrue(sender.done.wait(PATIENCE_SECONDS), "the request did not end")
        return sender.responses

    def run_one(self, *outputs, **request):
        """The responses to a request for which the engine makes these outputs."""
        self.llm.on_call = lambda call: [call.queue.put_nowait(item) for item in outputs]
        return self.outcome(self.begin(**request))

    def refusal(self, **request):
        """The error of a request that must not reach the engine."""
        calls = len(self.llm.calls)
        (response,) = self.outcome(self.begin(**request))
        self.assertEqual(len(self.llm.calls), calls)
        self.assertEqual(response.error.code, "INVALID_ARG")
        prefix = "Invalid request: "
        self.assertTrue(response.error.message.startswith(prefix), response.error.message)
        return response.error.message[len(prefix) :]
