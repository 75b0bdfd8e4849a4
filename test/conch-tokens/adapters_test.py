"""LoRA adapters: names, paths below the root, versions and loading."""

import json
import os

import triton_python_backend_utils as pb_utils
from fake_triton import strings
from harness import ModelCase, end


def write_adapter(folder, weights=b"w"):
    os.makedirs(folder, exist_ok=True)
    for name, content in (("adapter_config.json", b"{}"), ("adapter_model.safetensors", weights)):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


class Adapters(ModelCase):
    arguments = {"enable_lora": True}

    def prepare(self):
        self.root = os.path.join(self.folder, "root")
        self.parameters = {"LORA_ROOT": self.root}
        write_adapter(os.path.join(self.root, "sql"))
        write_adapter(os.path.join(self.root, "poems"))
        write_adapter(os.path.join(self.folder, "secret"))
        os.mkdir(os.path.join(self.root, "empty"))
        os.symlink(os.path.join(self.folder, "secret"), os.path.join(self.root, "link"))
        with open(os.path.join(self.folder, "1", "multi_lora.json"), "w", encoding="utf-8") as file:
            json.dump({"static": os.path.join(self.folder, "secret")}, file)

    def use(self, name, path=None):
        self.run_one(end(), lora_name=strings(name), lora_path=None if path is None else strings(path))
        return self.llm.calls[-1].lora

    def test_paths_outside_the_root(self):
        for path in ("../secret", os.path.join(self.folder, "secret"), "link", ".", "/", "sql/../..", "sql/../../secret"):
            message = self.refusal(lora_name=strings("x"), lora_path=strings(path))
            self.assertEqual(message, "lora_path must lead to a folder inside LORA_ROOT.", path)
        self.assertEqual(self.refusal(lora_name=strings("x"), lora_path=strings("a\0b")), "lora_path must not contain NUL.")

    def test_folders_that_are_no_adapters(self):
        for path in ("empty", "missing"):
            message = self.refusal(lora_name=strings("x"), lora_path=strings(path))
            self.assertEqual(message, 'lora_name "x" has no adapter_config.json in its folder.')
        write_adapter(os.path.join(self.root, "empty"))
        os.remove(os.path.join(self.root, "empty", "adapter_model.safetensors"))
        message = self.refusal(lora_name=strings("x"), lora_path=strings("empty"))
        self.assertEqual(message, 'lora_name "x" has no adapter_model.safetensors in its folder.')

    def test_weights_without_their_settings(self):
        folder = os.path.join(self.root, "sql")
        os.rename(os.path.join(folder, "adapter_config.json"), os.path.join(folder, "adapter_model.bin"))
        message = self.refusal(lora_name=strings("x"), lora_path=strings("sql"))
        self.assertEqual(message, 'lora_name "x" has no adapter_config.json in its folder.')

    def test_files_that_cannot_be_read(self):
        message = self.refusal(lora_name=strings("x"), lora_path=strings("n" * 300))
        self.assertEqual(message, 'lora_name "x" cannot be read. See the server\'s log.')
        self.assertIn("File name too long", pb_utils.logged.pop())

    def test_names(self):
        self.assertEqual(
            self.refusal(lora_name=strings('a "b"')),
            r'lora_name "a \"b\"" is unknown. Send lora_path, or add it to multi_lora.json. Known: ["static"]',
        )
        self.assertEqual(self.refusal(lora_path=strings("sql")), "lora_name is required beside lora_path.")
        self.assertEqual(self.use("static").lora_path, os.path.realpath(os.path.join(self.folder, "secret")))
        self.assertIn("the limit is 256", self.refusal(lora_name=strings("n" * 257), lora_path=strings("sql")))

    def test_each_version_of_a_folder_has_one_id_and_one_name(self):
        sql, poems = self.use("a", "sql"), self.use("a", "poems")
        self.assertEqual(self.use("a", os.path.join(self.root, "sql")), sql)
        # vLLM may have evicted an adapter that it had loaded.
        self.assertEqual(self.llm.loaded, [sql, poems, sql])
        self.assertNotEqual(sql.lora_int_id, poems.lora_int_id)
        self.assertNotEqual(sql.lora_name, poems.lora_name)
        write_adapter(os.path.join(self.root, "sql"), b"other weights")
        self.assertNotIn(self.use("a", "sql").lora_int_id, (sql.lora_int_id, poems.lora_int_id))

    def test_only_the_newest_version_of_a_folder_is_stored(self):
        for size in range(1, 5):
            write_adapter(os.path.join(self.root, "sql"), b"w" * size)
            self.use(f"name {size}", "sql")
        self.assertEqual(len(self.model._adapters._newest), 1)
        self.assertEqual(self.model._adapters._loads, {})

    def test_requests_at_the_same_time_load_once(self):
        self.llm.on_call = lambda call: call.queue.put_nowait(end())
        self.llm.load_seconds = 0.2
        senders = [self.begin(lora_name=strings("a"), lora_path=strings("sql")) for _ in range(8)]
        for sender in senders:
            self.outcome(sender)
        self.assertEqual(len(self.llm.loaded), 1)
        self.assertEqual(len(self.llm.calls), 8)

    def test_a_load_that_fails_ends_only_its_request(self):
        self.llm.refused_loads = 1
        message = self.refusal(lora_name=strings("a"), lora_path=strings("sql"))
        self.assertEqual(message, 'lora_name "a" cannot be loaded. See the server\'s log.')
        self.assertEqual(pb_utils.logged.pop(), 'The adapter "a" cannot be loaded: rank 999 is too high')
        self.assertEqual(self.use("a", "sql").lora_path, os.path.realpath(os.path.join(self.root, "sql")))


class NoRoot(ModelCase):
    arguments = {"enable_lora": True}

    def test_paths_need_a_root(self):
        message = self.refusal(lora_name=strings("x"), lora_path=strings("/tmp"))
        self.assertEqual(message, "lora_path is not allowed: set the parameter LORA_ROOT in config.pbtxt.")


class NoLora(ModelCase):
    def test_an_engine_without_lora(self):
        message = self.refusal(lora_name=strings("x"))
        self.assertEqual(message, 'lora_name is not supported: set "enable_lora": true in model.json.')
