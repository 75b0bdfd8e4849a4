"""LoRA adapters: by the names of multi_lora.json, and by paths below LORA_ROOT while the model runs."""

import asyncio
import itertools
import json
import os

from .errors import InvalidRequest

CONFIG = "adapter_config.json"
WEIGHTS = ("adapter_model.safetensors", "adapter_model.bin", "adapter_model.pt")


class Adapters:
    """Gives each version of each adapter folder an id of its own, and loads it before its first request."""

    def __init__(self, engine, names, root):
        self._engine = engine
        self._names = names
        self._root = None if root is None else os.path.realpath(root)
        self._requests = {}
        self._loads = {}
        self._numbers = itertools.count(1)

    async def find(self, name, path):
        """vLLM's object for an adapter, or None without a name. Throws InvalidRequest."""
        if name is None:
            return None
        if not self._engine.has_lora:
            raise InvalidRequest('lora_name is not supported: set "enable_lora": true in model.json.')
        folder = self._static(name) if path is None else self._below_root(path)
        key = (folder, _version(folder, name))
        request = self._requests.get(key)
        return request if request is not None else await self._load(key, name)

    def _static(self, name):
        folder = self._names.get(name)
        if folder is None:
            known = json.dumps(list(self._names))
            raise InvalidRequest(
                f"lora_name '{name}' is unknown. Known: {known}. Send lora_path, or add it to multi_lora.json."
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

    async def _load(self, key, name):
        """Loads once, also for many requests at the same time; a load that fails is tried again by the next request."""
        load = self._loads.get(key)
        if load is None:
            load = asyncio.ensure_future(self._add(key, name, next(self._numbers)))
            self._loads[key] = load
            load.add_done_callback(lambda _: self._loads.pop(key, None))
        # One client that disconnects must not end the load for the others.
        return await asyncio.shield(load)

    async def _add(self, key, name, number):
        # vLLM's prefix cache tells adapters apart by their names, so a name must belong to one version of one folder.
        request = self._engine.lora_request(f"{name}#{number}", number, key[0])
        try:
            await self._engine.add_lora(request)
        except Exception as error:
            if self._engine.errored:
                raise
            raise InvalidRequest(f"lora_name {name!r} cannot be loaded: {error}") from None
        self._requests[key] = request
        return request


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
    files = [os.path.join(folder, file) for file in (CONFIG, *WEIGHTS)]
    present = [os.stat(file) for file in files if os.path.isfile(file)]
    if len(present) < 2:
        raise InvalidRequest(f"lora_name {name!r} has no {CONFIG} with {WEIGHTS[0]} in its folder.")
    return tuple((status.st_mtime_ns, status.st_size) for status in present)
