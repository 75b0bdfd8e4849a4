"""LoRA adapters: by the names of multi_lora.json, and by paths below LORA_ROOT while the model runs."""

import asyncio
import itertools
import json
import os
import stat

from .errors import InvalidRequest, log_error

CONFIG = "adapter_config.json"
WEIGHTS = ("adapter_model.safetensors", "adapter_model.bin", "adapter_model.pt")


class Adapters:
    """Gives each version of each adapter folder an id of its own, and has the engine load it before every request."""

    def __init__(self, engine, names, root):
        self._engine = engine
        self._names = names
        self._root = None if root is None else os.path.realpath(root)
        # The newest version of each folder, and vLLM's object for it.
        self._newest = {}
        self._loads = {}
        self._numbers = itertools.count(1)

    async def find(self, name, path):
        """vLLM's object for an adapter, or None without a name. Raises InvalidRequest."""
        if name is None:
            return None
        if not self._engine.has_lora:
            raise InvalidRequest('lora_name is not supported: set "enable_lora": true in model.json.')
        # In another thread: folders may be on a file server.
        folder, version = await asyncio.to_thread(self._look_up, name, path)
        known, request = self._newest.get(folder, (None, None))
        if known != version:
            number = next(self._numbers)
            # vLLM's prefix cache tells adapters apart by their names: a name must belong to one version of one folder.
            request = self._engine.lora_request(f"{name}#{number}", number, folder)
            self._newest[folder] = (version, request)
        await self._load(request, name)
        return request

    def _look_up(self, name, path):
        """The folder of an adapter, and the version of its files."""
        try:
            folder = self._static(name) if path is None else self._below_root(path)
            return folder, _version(folder, name)
        except OSError as error:
            log_error(f"The files of the adapter {json.dumps(name)} cannot be read: {error}")
            raise InvalidRequest(f"lora_name {json.dumps(name)} cannot be read. See the server's log.") from None

    def _static(self, name):
        folder = self._names.get(name)
        if folder is None:
            # Conch reads the list, so it comes last.
            raise InvalidRequest(
                f"lora_name {json.dumps(name)} is unknown. Send lora_path, or add it to multi_lora.json. "
                f"Known: {json.dumps(list(self._names))}"
            )
        return folder

    def _below_root(self, path):
        if self._root is None:
            raise InvalidRequest("lora_path is not allowed: set the parameter LORA_ROOT in config.pbtxt.")
        if "\0" in path:
            raise InvalidRequest("lora_path must not contain NUL.")
        folder = os.path.realpath(os.path.join(self._root, path))
        if os.path.commonpath([folder, self._root]) != self._root or folder == self._root:
            raise InvalidRequest("lora_path must lead to a folder inside LORA_ROOT.")
        return folder

    async def _load(self, request, name):
        """Has the engine load an adapter, which may have evicted it; requests at the same time share one call."""
        number = request.lora_int_id
        load = self._loads.get(number)
        if load is None:
            load = self._loads[number] = asyncio.ensure_future(self._engine.add_lora(request))
            load.add_done_callback(lambda _: self._end_load(number, load, name))
        try:
            # One client that disconnects must not end the load for the others.
            await asyncio.shield(load)
        except Exception:
            if self._engine.errored:
                raise
            raise InvalidRequest(f"lora_name {json.dumps(name)} cannot be loaded. See the server's log.") from None

    def _end_load(self, number, load, name):
        del self._loads[number]
        error = None if load.cancelled() else load.exception()
        if error is not None:  # its text has paths of the server
            log_error(f"The adapter {json.dumps(name)} cannot be loaded: {error}")


def read_names(folder):
    """The adapters of multi_lora.json beside model.json, if there is one."""
    path = os.path.join(folder, "multi_lora.json")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        names = json.load(file)
    return {name: os.path.realpath(os.path.join(folder, target)) for name, target in names.items()}


def _version(folder, name):
    """Changes whenever the weights or their settings are written again."""
    settings = _status(os.path.join(folder, CONFIG))
    weights = [_status(os.path.join(folder, file)) for file in WEIGHTS]
    for file, status in ((CONFIG, settings), (WEIGHTS[0], next(filter(None, weights), None))):
        if status is None:
            raise InvalidRequest(f"lora_name {json.dumps(name)} has no {file} in its folder.")
    return (settings, *weights)


def _status(file):
    """Modification time and size, or None if there is no file."""
    try:
        status = os.stat(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return (status.st_mtime_ns, status.st_size) if stat.S_ISREG(status.st_mode) else None
