"""The model checks requests itself: Triton's ports can be reached without Conch."""

import io
import json
import struct
import threading
import time
import unittest
import wave
import zlib
from types import SimpleNamespace as Fields

import numpy as np
import triton_python_backend_utils as pb_utils
from conch_vllm import engine as vllm_engine
from conch_vllm import triton_model
from fake_triton import strings
from harness import PATIENCE_SECONDS, ModelCase, choice, end, output
from PIL import Image
from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams


def ids(*values):
    return np.asarray(values, dtype=np.int32)


def picture(kind="PNG", size=(3, 2)):
    file = io.BytesIO()
    Image.new("RGB", size, (1, 2, 3)).save(file, kind)
    return file.getvalue()


def sound(samples, channels=1, rate=16000):
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(channels)
        writer.setsampwidth(2)
        writer.setframerate(rate)
        writer.writeframes(np.asarray(samples, dtype="<i2").tobytes())
    return file.getvalue()


def claiming(side):
    """A small file whose header promises a large square."""
    content = bytearray(picture())
    content[16:24] = side.to_bytes(4, "big") * 2
    content[29:33] = zlib.crc32(bytes(content[12:29])).to_bytes(4, "big")
    return bytes(content)


class Prompts(ModelCase):
    def test_token_ids_outside_the_vocabulary(self):
        for bad in (1000, -1, 2**31 - 1, -(2**31)):
            expected = f"input_ids[1] is {bad}: token ids of this model are 0 to 999."
            self.assertEqual(self.refusal(input_ids=ids(5, bad)), expected)

    def test_placeholders_of_media_may_lie_beyond_the_model(self):
        self.run_one(end(), input_ids=ids(5, 1009), image=strings(picture()))
        self.assertEqual(self.llm.calls[-1].prompt["prompt_token_ids"], [5, 1009])
        message = self.refusal(input_ids=ids(1010), image=strings(picture()))
        self.assertEqual(message, "input_ids[0] is 1010: token ids of this model are 0 to 1009.")

    def test_prompts(self):
        self.assertEqual(self.refusal(input_ids=ids()), "input_ids must not be empty.")
        both = "input_ids, prompt: exactly one of them is required."
        self.assertEqual(self.refusal(input_ids=ids(1), prompt=strings("a")), both)
        self.assertEqual(self.refusal(prompt=strings("")), "prompt must not be empty.")
        self.assertEqual(self.refusal(prompt=strings(b"\xff")), "prompt is not valid UTF-8.")
        self.assertEqual(self.refusal(prompt=strings("a", "b")), "prompt has 2 elements: exactly one is expected.")
        self.assertEqual(
            self.refusal(input_ids=ids(*range(65))),
            "input_ids has 65 tokens, which is longer than the maximum model length of 64 tokens.",
        )
        self.assertIn("longer than the maximum model length of 64", self.refusal(prompt=strings("a" * 20_000)))

    def test_cache_salt(self):
        message = self.refusal(cache_salt=strings("s" * 2**20))
        self.assertEqual(message, "cache_salt has 1048576 bytes: the limit is 1024.")
        self.assertEqual(self.refusal(cache_salt=strings("")), "cache_salt must not be empty. Leave it out.")
        self.run_one(end(), cache_salt=strings("tenant 1"), priority=ids(-3))
        self.assertEqual(self.llm.calls[-1].prompt, {"prompt_token_ids": [1, 2, 3], "cache_salt": "tenant 1"})
        self.assertEqual(self.llm.calls[-1].priority, -3)

    def test_text(self):
        self.run_one(end(), prompt=strings("Grüße"))
        self.assertEqual(self.llm.calls[-1].prompt, {"prompt": "Grüße"})


class NoProcessorOptions(ModelCase):
    def test_none_is_allowed_by_default(self):
        for name in ("fps", ""):
            message = self.refusal(mm_processor_kwargs=strings(json.dumps({name: 1})))
            self.assertIn("is not allowed: add it to the parameter PROCESSOR_OPTIONS", message)
        self.run_one(end(), mm_processor_kwargs=strings("{}"))


class Priorities(ModelCase):
    arguments = {"policy": "fcfs"}

    def test_refused_where_the_engine_ignores_them(self):
        self.assertIn("priority is not supported", self.refusal(priority=ids(1)))
        self.run_one(end(), priority=ids(0))


class Sampling(ModelCase):
    def test_refused_values(self):
        cases = {
            "[]": "sampling_params must be a JSON object.",
            "{": "sampling_params is not valid JSON",
            '{"temperature": NaN}': "NaN is not a number of JSON",
            "[" * 100_000: "sampling_params is not valid JSON",
            '{"temprature": 1}': "sampling_params.'temprature' is unknown or not allowed.",
            '{"output_kind": 0}': "is unknown or not allowed.",
            '{"_all_stop_token_ids": [1]}': "is unknown or not allowed.",
            '{"stream_interval": 2}': "sampling_params.stream_interval is not supported by vLLM 0.24.0.",
            '{"temperature": "hot"}': "sampling_params.temperature is 'hot': expected a number between 0 and 1e+06.",
            '{"temperature": true}': "expected a number",
            '{"top_p": 0}': "expected a number",
            '{"n": 1000}': "sampling_params.n is 1000: expected an integer between 1 and 128.",
            '{"max_tokens": 1.5}': "expected an integer",
            '{"seed": 9223372036854775808}': "expected an integer",
            '{"stop": [""]}': "sampling_params.stop[0] is '': expected a string that is not empty.",
            '{"stop": "\\ud800"}': "has a surrogate that is not part of a pair.",
            '{"stop_token_ids": [1000]}': "sampling_params.stop_token_ids[0] is 1000",
            '{"stop_token_ids": "12"}': "expected a list of at most 1000 token ids.",
            json.dumps({"stop_token_ids": [1] * 1001}): "expected a list of at most 1000 token ids.",
            json.dumps({"allowed_token_ids": [1] * 1001}): "expected a list of at most 1000 token ids.",
            json.dumps({"logit_bias": {f"{at:04}": 1 for at in range(1001)}}): "of at most 1000 token ids and numbers.",
            json.dumps({"structured_outputs": {"choice": ["a"] * 10_001}}): "expected a list of 1 to 10000 strings.",
            '{"allowed_token_ids": [-1]}': "sampling_params.allowed_token_ids[0] is -1",
            '{"logit_bias": {"1000": 1}}': "sampling_params.logit_bias key is 1000",
            '{"logit_bias": {"x": 1}}': "sampling_params.logit_bias key is 'x'",
            '{"logit_bias": {"1": 1000}}': "sampling_params.logit_bias.1 is 1000",
            '{"logprobs": 21}': "expected an integer between 0 and 20.",
            '{"logprobs": -1}': "expected an integer between 0 and 20.",
            '{"structured_outputs": "{}"}': "sampling_params.structured_outputs is '{}': expected an object.",
            '{"structured_outputs": {}}': "must have exactly one of json, regex",
            '{"structured_outputs": {"regex": "a", "json": {}}}': "must have exactly one of json, regex",
            '{"structured_outputs": {"_backend": "x", "regex": "a"}}': "is unknown.",
            '{"logprob_token_ids": []}': "expected a list of 1 to 128 token ids.",
            json.dumps({"logprob_token_ids": [1] * 129}): "expected a list of 1 to 128 token ids.",
            '{"logprob_token_ids": [1000]}': "sampling_params.logprob_token_ids[0] is 1000",
            '{"extra_args": {"a": 1, "kv_transfer_params": {}}}': "sampling_params.extra_args.kv_transfer_params is not allowed.",
            '{"extra_args": {"ec_transfer_params": 1}}': "sampling_params.extra_args.ec_transfer_params is not allowed.",
            '{"extra_args": {"kv_cache_report_mode": ""}}': "extra_args.kv_cache_report_mode is not allowed.",
            '{"extra_args": {"a": [[[[[[[[]]]]]]]]}}': "sampling_params.extra_args is nested too deeply: the limit is 8 levels.",
            '{"extra_args": []}': "expected an object.",
        }
        for text, expected in cases.items():
            with self.subTest(text=text[:80]):
                self.assertIn(expected, self.refusal(sampling=text))

    def test_a_combination_that_vllm_refuses(self):
        (response,) = self.outcome(self.begin(sampling={"max_tokens": 1, "min_tokens": 2}))
        self.assertEqual(response.error.code, "INVALID_ARG")
        self.assertIn("Invalid request: min_tokens must be", response.error.message)

    def test_values_reach_vllm(self):
        values = {
            "n": 2,
            "temperature": 0.5,
            "top_k": 4.0,
            "seed": -5,
            "stop": "END",
            "max_tokens": None,
            "logit_bias": {"12": -100, "999": 1.5},
            "bad_words": ["x"],
            "extra_args": {"a": [[[[[[{"b": 1}]]]]]]},
            "structured_outputs": {"structural_tag": {"type": "structural_tag"}, "disable_any_whitespace": True},
            "repetition_detection": {"max_pattern_size": 3, "min_count": 2},
        }
        self.llm.on_call = lambda call: [
            call.queue.put_nowait(output(choice([9], index=1, finish_reason="stop"))),
            call.queue.put_nowait(end()),
        ]
        self.outcome(self.begin(sampling=values))
        sampling = self.llm.calls[-1].sampling
        self.assertEqual((sampling.n, sampling.temperature, sampling.top_k, sampling.seed), (2, 0.5, 4, -5))
        self.assertEqual((sampling.stop, sampling.max_tokens), (["END"], None))
        self.assertEqual(sampling.logit_bias, {12: -100.0, 999: 1.5})
        self.assertEqual(sampling.extra_args, values["extra_args"])
        self.assertEqual(json.loads(sampling.structured_outputs.structural_tag), {"type": "structural_tag"})
        self.assertEqual(sampling.repetition_detection.min_count, 2)
        self.assertEqual(sampling.output_kind, RequestOutputKind.DELTA)

    def test_logprobs_of_chosen_tokens(self):
        rows = [{9: Fields(logprob=-3.0, rank=7), 5: Fields(logprob=-2.0, rank=4), 8: Fields(logprob=-1.0, rank=1)}]
        last = output(choice([9], logprobs=rows, finish_reason="stop"), finished=True)
        for others in ({}, {"logprobs": 0}, {"logprobs": 5}):
            (response,) = self.run_one(last, sampling={"logprob_token_ids": [8, 5], **others})
            sampling = self.llm.calls[-1].sampling
            self.assertEqual((sampling.logprobs, sampling.logprob_token_ids), (None, [8, 5]))
            self.assertEqual(response.tensors["logprob_ids"].tolist(), [[9, 8, 5]])
            self.assertEqual(response.tensors["logprobs"].tolist(), [[-3.0, -1.0, -2.0]])

    def test_text_is_only_made_where_it_is_read(self):
        outputs = ["token_ids", "finish_reason"]
        (response,) = self.run_one(end("a"), outputs=outputs)
        self.assertEqual(sorted(response.tensors), sorted(outputs))
        self.assertFalse(self.llm.calls[-1].sampling.detokenize)
        self.run_one(end("a"), outputs=outputs, sampling={"stop": "b"})
        self.assertTrue(self.llm.calls[-1].sampling.detokenize)
        self.run_one(end("a"), outputs=[*outputs, "text"])
        self.assertTrue(self.llm.calls[-1].sampling.detokenize)

    def test_unstreamed(self):
        self.run_one(end("a"), stream=np.asarray([False]))
        self.assertEqual(self.llm.calls[-1].sampling.output_kind, RequestOutputKind.FINAL_ONLY)


class PromptLogprobs(ModelCase):
    arguments = {"max_model_len": 2**17}

    def test_their_limit(self):
        text = (
            "sampling_params.prompt_logprobs is 20: for 24967 prompt tokens, that is 524307 logprobs. "
            "The limit is 524288."
        )
        prompt = np.zeros(24967, dtype=np.int32)
        self.assertEqual(self.refusal(input_ids=prompt, sampling={"prompt_logprobs": 20}), text)
        self.run_one(end(), input_ids=prompt[1:], sampling={"prompt_logprobs": 20})
        # The engine tells how many tokens a text has.
        self.llm.on_call = lambda call: call.queue.put_nowait(output(choice([5], "a"), prompt_token_ids=prompt))
        (response,) = self.outcome(self.begin(prompt=strings("a"), sampling={"prompt_logprobs": 20}))
        self.assertEqual((response.error.code, response.error.message), ("INVALID_ARG", f"Invalid request: {text}"))
        self.assertEqual(self.llm.aborted, [self.llm.calls[-1].id])


class OldGuides(ModelCase):
    def test_the_names_of_0_10(self):
        names = {"_GUIDE_FIELD": "guided_decoding", "_GUIDE_CLASS": StructuredOutputsParams}
        before = {name: getattr(vllm_engine, name) for name in (*names, "SamplingParams")}
        made = {}
        try:
            for name, value in names.items():
                setattr(vllm_engine, name, value)
            vllm_engine.SamplingParams = lambda **fields: made.update(fields)
            self.model._engine.sampling({"structured_outputs": {"regex": "a+"}}, True)
        finally:
            for name, value in before.items():
                setattr(vllm_engine, name, value)
        self.assertEqual(made["guided_decoding"].regex, "a+")
        self.assertNotIn("structured_outputs", made)


class Media(ModelCase):
    parameters = {"PROCESSOR_OPTIONS": "fps, min_pixels"}

    def test_images(self):
        for kind in ("PNG", "JPEG", "WEBP", "GIF"):
            self.run_one(end(), image=strings(picture(kind)))
            (image,) = self.llm.calls[-1].prompt["multi_modal_data"]["image"]
            self.assertEqual((image.size, image.mode), ((3, 2), "RGB"))

    def test_files_that_are_no_images(self):
        whole = picture()
        for content in (b"", b"hello", whole[:40], picture("BMP"), b"%PDF-1.7"):
            with self.subTest(content=content[:8]):
                message = self.refusal(image=strings(whole, content))
                self.assertEqual(message, "image[1] is not an image: expected a complete file of PNG, JPEG, WEBP, GIF.")

    def test_a_picture_that_is_too_large(self):
        for side in (6_000, 60_000):
            message = self.refusal(image=strings(claiming(side)))
            self.assertEqual(message, "image[0] has too many pixels: the limit is 33554432.")

    def test_pictures_that_are_too_large_together(self):
        # None of them is complete: the headers are enough.
        message = self.refusal(image=strings(*[claiming(5_000)] * 4))
        self.assertEqual(message, "image[0] to image[2] have 75000000 pixels together: the limit is 67108864.")

    def test_transparent_pixels_become_white(self):
        palette = Image.new("P", (1, 1), 0)
        palette.putpalette([9, 9, 9])
        for image, options, expected in (
            (Image.new("RGBA", (1, 1), (9, 9, 9, 0)), {}, (255, 255, 255)),
            (Image.new("RGBA", (1, 1), (0, 0, 0, 128)), {}, (127, 127, 127)),
            (Image.new("LA", (1, 1), (9, 0)), {}, (255, 255, 255)),
            (palette, {"transparency": 0}, (255, 255, 255)),
            (palette, {}, (9, 9, 9)),
        ):
            file = io.BytesIO()
            image.save(file, "PNG", **options)
            self.run_one(end(), image=strings(file.getvalue()))
            (decoded,) = self.llm.calls[-1].prompt["multi_modal_data"]["image"]
            self.assertEqual((decoded.mode, decoded.getpixel((0, 0))), ("RGB", expected))

    def test_two_requests_are_decoded_at_a_time(self):
        gate, state, running = threading.Semaphore(0), threading.Lock(), []
        counts = []

        def decode(_generation):
            with state:
                running.append(None)
                counts.append(len(running))
            gate.acquire()
            with state:
                running.pop()
            return {}

        before, triton_model.decode_media = triton_model.decode_media, decode
        self.addCleanup(setattr, triton_model, "decode_media", before)
        self.addCleanup(gate.release, 10)
        self.llm.on_call = lambda call: call.queue.put_nowait(end())
        senders = [self.begin(image=strings(picture())) for _ in range(5)]
        # The places of requests that are cancelled are free when their threads end.
        senders[0].disconnected = True
        self.assertEqual(self.outcome(senders[0])[0].error.code, "CANCELLED")
        time.sleep(0.05)
        self.assertEqual(len(counts), 2)
        gate.release(5)
        for sender in senders:
            self.outcome(sender)
        self.assertEqual(max(counts), 2)

    def test_audio(self):
        self.run_one(end(), audio=strings(sound([0, 16384, -32768, 32767], channels=2)))
        ((samples, rate),) = self.llm.calls[-1].prompt["multi_modal_data"]["audio"]
        self.assertEqual((samples.dtype, rate, samples.shape), (np.float32, 16000, (2,)))
        np.testing.assert_allclose(samples, [0.25, -1 / 65536], atol=1e-7)
        for content in (b"RIFF", b"hello", b"", sound([])):
            self.assertIn("audio[0] is not", self.refusal(audio=strings(content)))

    def test_audio_that_is_too_long(self):
        def promising(frames):
            content = bytearray(sound([1, 2, 3, 4], channels=2))
            content[40:44] = struct.pack("<I", frames * 4)
            return bytes(content)

        whole = sound([1, 2])
        message = self.refusal(audio=strings(whole, promising(3)))
        self.assertEqual(message, "audio[1] is truncated: its header promises 3 frames, and 2 follow.")
        message = self.refusal(audio=strings(whole, promising(2**25)))
        self.assertEqual(message, "audio[1] has 67108864 samples: the limit for all audio of a request is 67108864.")

    def test_audio_that_needs_a_library(self):
        content = bytearray(sound([1, 2]))
        content[34:36] = struct.pack("<H", 8)
        self.assertIn("audio[1] is not", self.refusal(audio=strings(sound([1]), bytes(content)[:-1])))

    def test_options_of_the_processor(self):
        self.run_one(end(), image=strings(picture()), mm_processor_kwargs=strings('{"min_pixels": 4}'))
        self.assertEqual(self.llm.calls[-1].prompt["mm_processor_kwargs"], {"min_pixels": 4})
        message = self.refusal(mm_processor_kwargs=strings('{"fps": 1, "size": {"height": 100000}}'))
        self.assertEqual(
            message, "mm_processor_kwargs.size is not allowed: add it to the parameter PROCESSOR_OPTIONS in config.pbtxt."
        )


class Parameters(unittest.TestCase):
    def test_a_pause_out_of_range_fails_the_load(self):
        for value in ("-1", "101", "nan", "soon", ""):
            config = {"parameters": {"SENDER_REST": {"string_value": value}}}
            arguments = {"model_name": "x", "model_repository": "/nowhere", "model_version": "1"}
            expected = f"^SENDER_REST is '{value}': expected a number from 0 to 100. Change the parameter in config.pbtxt.$"
            with self.assertRaisesRegex(ValueError, expected):
                triton_model.TritonPythonModel().initialize({**arguments, "model_config": json.dumps(config)})


class Failures(ModelCase):
    parameters = {"ENABLE_VLLM_HEALTH_CHECK": "true"}

    def test_errors_of_the_engine(self):
        for error, code, text in (
            (ValueError("too long"), "INVALID_ARG", "Invalid request: too long"),
            (
                RuntimeError("/srv/x broken"),
                "INTERNAL",
                "Engine error: the request failed in the engine. See the server's log.",
            ),
        ):
            self.llm.on_call = lambda call: call.queue.put_nowait(output(choice([5], "a")))
            sender = self.begin()
            self.assertTrue(sender.first.wait(PATIENCE_SECONDS))
            call = self.llm.calls[-1]
            call.loop.call_soon_threadsafe(call.queue.put_nowait, error)
            first, last = self.outcome(sender)
            self.assertEqual(first.tensors["token_ids"].tolist(), [5])
            self.assertEqual((last.error.code, last.error.message), (code, text))
        self.assertIn("RuntimeError: /srv/x broken", pb_utils.logged.pop())

    def test_a_dead_engine(self):
        self.llm.errored = True
        (response,) = self.outcome(self.begin())
        self.assertEqual(response.error.code, "UNAVAILABLE")
        self.assertIn("Engine unavailable: ", response.error.message)
        self.assertEqual(pb_utils.unloaded.pop(), "tiny")


class Reports(ModelCase):
    def test_usage_times_and_prompt(self):
        rows = [None, {2: Fields(logprob=-0.5, rank=1)}, {3: Fields(logprob=-2.0, rank=2), 8: Fields(logprob=-1.0, rank=1)}]
        drafts = Fields(num_draft_tokens=6, histogram=[1, 0, 2])
        stats = Fields(arrival_time=1e9, queued_ts=1.0, scheduled_ts=1.5, first_token_ts=3.5, last_token_ts=4.0)
        last = choice([6, 7], "b", finish_reason="stop", stop_reason=7, drafts=drafts)
        responses = self.run_one(
            # vLLM gives all outputs of a request the same object.
            output(choice([5], "a"), prompt_logprobs=rows, cached=2, metrics=stats),
            output(last, finished=True, cached=2, metrics=stats),
            sampling={"prompt_logprobs": 1},
        )
        first, final = responses[0].tensors, responses[-1].tensors
        self.assertEqual(first["prompt_token_ids"].tolist(), [1, 2, 3])
        self.assertEqual(first["prompt_logprob_ids"].tolist(), [[1, -1], [2, 2], [3, 8]])
        self.assertEqual(final["usage"].tolist(), [3, 3, 2, 6, 4])
        self.assertEqual(final["times"].tolist(), [1e9, 0.5, 2.0, 0.5])
        self.assertEqual(final["stop_token_id"].tolist(), [7])

    def test_unknown_times(self):
        (response,) = self.run_one(end())
        self.assertTrue(np.isnan(response.tensors["times"]).all())
