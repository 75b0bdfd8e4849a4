"""Image and audio files as vLLM takes them: pictures of PIL, and samples with their rate."""

import io
import wave

import numpy as np

from .errors import InvalidRequest

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
MOST_PIXELS = 2**25
# For all files of a request: a small file can promise a lot of pixels or samples.
MOST_PIXELS_TOGETHER = 2**26
MOST_SAMPLES_TOGETHER = 2**26


def decode_media(generation):
    """The multi_modal_data of a prompt, or None. It takes long, so call it in another thread. Raises InvalidRequest."""
    data = {}
    if generation.images:
        _check_sizes(generation.images)
        data["image"] = [_image(content, f"image[{at}]", _rgb) for at, content in enumerate(generation.images)]
    if generation.audios:
        data["audio"] = _audios(generation.audios)
    return data or None


def _check_sizes(files):
    """Reads only the headers, before any file is decoded."""
    total = 0
    for at, content in enumerate(files):
        width, height = _image(content, f"image[{at}]", lambda image: image.size)
        total += width * height
        if total > MOST_PIXELS_TOGETHER:
            raise InvalidRequest(
                f"image[0] to image[{at}] have {total} pixels together: the limit is {MOST_PIXELS_TOGETHER}."
            )


def _image(content, name, read):
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            if image.width * image.height > MOST_PIXELS:
                raise Image.DecompressionBombError
            return read(image)
    except Image.DecompressionBombError:  # PIL has a limit of its own
        raise InvalidRequest(f"{name} has too many pixels: the limit is {MOST_PIXELS}.") from None
    except Exception:  # of many kinds: PIL's decoders have their own
        raise InvalidRequest(f"{name} is not an image: expected a complete file of {', '.join(FORMATS)}.") from None


def _rgb(image):
    """Transparent pixels become white, as in vLLM's own server."""
    from PIL import Image

    image.load()  # some formats have their transparency behind the header
    has_transparent_color = image.mode in ("P", "L", "RGB") and "transparency" in image.info
    if image.mode not in ("RGBA", "LA", "PA") and not has_transparent_color:
        return image.convert("RGB")
    layer = image.convert("RGBA")
    opaque = Image.new("RGB", image.size, (255, 255, 255))
    opaque.paste(layer, mask=layer.getchannel("A"))
    return opaque


def _audios(files):
    decoded, left = [], MOST_SAMPLES_TOGETHER
    for at, content in enumerate(files):
        samples, rate, count = _audio(content, f"audio[{at}]", left)
        decoded.append((samples, rate))
        left -= count
    return decoded


def _audio(content, name, left):
    """The samples of a file, their rate, and the number of samples in all channels, which is at most `left`."""
    try:
        return _wave(content, name, left) if content[:4] == b"RIFF" else _other_audio(content, name, left)
    except InvalidRequest:
        raise
    except Exception:
        expected = "expected a complete file of WAV, FLAC, OGG or MP3."
        raise InvalidRequest(f"{name} is not an audio file: {expected}") from None


def _wave(content, name, left):
    """16-bit WAV needs no library; other WAV files go the way of the other formats."""
    try:
        with wave.open(io.BytesIO(content)) as file:
            if file.getsampwidth() != 2:
                return _other_audio(content, name, left)
            rate, channels, frames = file.getframerate(), file.getnchannels(), file.getnframes()
            _check_samples(frames * channels, name, left)
            samples = np.frombuffer(file.readframes(frames), dtype="<i2")
    except wave.Error:
        return _other_audio(content, name, left)
    if samples.size < frames * channels:
        raise InvalidRequest(
            f"{name} is truncated: its header promises {frames} frames, and {samples.size // channels} follow."
        )
    if samples.size == 0:
        raise ValueError("no samples")
    mono = samples.reshape(-1, channels).mean(axis=1, dtype=np.float32)
    return mono / np.float32(2**15), rate, samples.size


def _other_audio(content, name, left):
    try:
        import soundfile
    except ImportError:
        raise InvalidRequest(
            f"{name} is not supported: only 16-bit WAV files are. Install soundfile on the server for other files."
        ) from None
    with soundfile.SoundFile(io.BytesIO(content)) as file:
        count = len(file) * file.channels
        _check_samples(count, name, left)
        samples = file.read(dtype="float32", always_2d=True)
        return samples.mean(axis=1), file.samplerate, count


def _check_samples(count, name, left):
    if count > left:
        raise InvalidRequest(
            f"{name} has {count} samples: the limit for all audio of a request is {MOST_SAMPLES_TOGETHER}."
        )
