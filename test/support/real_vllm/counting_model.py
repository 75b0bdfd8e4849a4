"""python/conch_vllm with a file `generated` in the working folder: the number of tokens that the engine process has
made, also for requests that were aborted."""

from conch_vllm.triton_model import TritonPythonModel as ConchModel


class TritonPythonModel(ConchModel):
    def initialize(self, args):
        super().initialize(args)
        core = self._engine._llm.engine_core
        get_output, total = core.get_output_async, 0

        async def count_output():
            nonlocal total
            outputs = await get_output()
            total += sum(len(output.new_token_ids) for output in outputs.outputs)
            with open("generated", "w", encoding="utf-8") as file:
                file.write(str(total))
            return outputs

        core.get_output_async = count_output
