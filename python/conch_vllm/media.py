"""Image and audio files as vLLM takes them: pictures of PIL, and samples with their rate."""

import io
import wave

import numpy as np

from .errors import InvalidRequest

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
MOST_PIXELS = 2**25
MOST_SAMPLES = 2**28


def decode_media(generation):
    """The multi_modal_data of a prompt, or None. It takes long, so call it in another thread. Throws InvalidRequest."""
    data = {}
    if generation.images:
        data["image"] = [_image(content, f"image[{at}]") for at, content in enumerate(generation.images)]
    if generation.audios:
        data["audio"] = [_audio(content, f"audio[{at}]") for at, content in enumerate(generation.audios)]
    return data or None


def _image(content, name):
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            if image.width * image.height > MOST_PIXELS:
                raise Image.DecompressionBombError
            return image.convert("RGB")
    except Image.DecompressionBombError:  # PIL has a limit of its own
        raise InvalidRequest(f"{name} has too many pixels: the limit is {MOST_PIXELS}.") from None
    except Exception:  # of many kinds: PIL's decoders have their own
        raise InvalidRequest(f"{name} is not an image: expected a complete file of {', '.join(FORMATS)}.") from None


def _audio(content, name):
    try:
        return _wave(content) if content[:4] == b"RIFF" else _other_audio(content, name)
    except InvalidRequest:
        raise
    except Exception:
        raise InvalidRequest(f"{name} is not an audio file: expected a complete file of WAV, FLAC, OGG or MP3.") from None


def _wave(content):
    """16-bit WAV needs no library; other WAV files go the way of the other formats."""
    try:
        with wave.open(io.BytesIO(content)) as file:
            if file.getsampwidth() != 2:
                return _other_audio(content, "audio")
            rate, channels, frames = file.getframerate(), file.getnchannels(), file.readframes(MOST_SAMPLES)
    except wave.Error:
        return _other_audio(content, "audio")
    samples = np.frombuffer(frames, dtype="<i2").reshape(-1, channels)
    if samples.size == 0:
        raise ValueError("no samples")
    return samples.astype(np.float32).mean(axis=1) / np.float32(2**15), rate


def _other_audio(content, name):
    try:
        import soundfile
    except ImportError:
        raise InvalidRequest(
            f"{name} is not supported: only 16-bit WAV files are. Install soundfile on the server for other files."
        ) from None
    with soundfile.SoundFile(io.BytesIO(content)) as file:
        if len(file) * file.channels > MOST_SAMPLES:
            raise InvalidRequest(f"{name} has {len(file)} samples: the limit is {MOST_SAMPLES}.")
        samples = file.read(dtype="float32", always_2d=True)
        return samples.mean(axis=1), file.samplerate
