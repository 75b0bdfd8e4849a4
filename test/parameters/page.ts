import { type Cell, chatTable, completionTable, contracts } from './table.ts';

type Table = typeof chatTable;

const opening = `# What becomes of each request field, by kind of model

This page is written by the tests from \`test/parameters/table.ts\`, and they hold every cell of it against running servers. Rewrite it with
\`npm test -- test/parameters -u\`.

**honoured**: the backend does it. **emulated**: Conch does it. **refused**: a 400 with \`code: unsupported_parameter\` names the field; \`null\` and the
value that asks for nothing are fine. **no effect**: it is checked, and changes nothing.

| kind            | what it is                                                                                                   |
| --------------- | ------------------------------------------------------------------------------------------------------------ |
| \`vllm\`          | Triton's vLLM backend 26.01, and the embedded engine, which honours \`logit_bias\` too                         |
| \`trtllm-tokens\` | an engine of TensorRT-LLM 1.2, asked directly; built with its logits gathered, \`normalize_log_probs\` is false |
| \`trtllm\`        | its \`ensemble\` or \`tensorrt_llm_bls\`, spoken to in text                                                      |
| \`llmapi\`        | the LLM API model of TensorRT-LLM                                                                            |

Older releases have fewer tensors, and refuse what they have none for: \`conch doctor\` says what holds for a model.

- **stop**: TensorRT-LLM leaves the stop word in the text and compares tokens; Conch looks for the text as well, cuts it out, and ends the request in the
  engine. Behind BLS, and behind an ensemble whose engine has no input \`stop\`, nothing gets through: the answer ends at once, but the engine runs on. The
  same holds for clients that leave.
- **logprobs** need token ids. An engine up to 1.2.1 without \`normalize_log_probs: false\` refuses them, one that was built without its logits
  refuses \`top_logprobs\`.
- **tools**: the calls are read from the text, in the way of the model's family ([tool-calling.md](tool-calling.md)). **tool_choice** \`required\` or a named
  function guides the answer, so it needs what \`response_format\` needs. Where the family writes its calls with special tokens, \`trtllm\` and \`llmapi\` refuse
  \`tools\`: their servers take special tokens out of the text.
- **response_format**, **structured_outputs** and **guided_…** are emulated where the backend cannot guide an answer, as LLM API models, vLLM before 25.02 and
  TensorRT-LLM before 0.19 ([api.md](api.md#structured-output)); a grammar is refused there. \`--structured-retries 0\` refuses them all.
- **n** is one inference per choice; with \`use_beam_search\` the best beams of one.
- **stream** on a model that is not decoupled sends the whole answer at once.`;

/** The whole of docs/parameters.md. */
export function parametersPage(): string {
  const onlyThere = Object.entries(completionTable).filter(
    ([field, row]) => JSON.stringify(chatTable[field]) !== JSON.stringify(row),
  );
  return (
    [
      opening,
      '## Chat completions',
      rowsOf(chatTable),
      '## Completions\n\nAs above, but:',
      rowsOf(Object.fromEntries(onlyThere)),
      '',
    ]
      .join('\n\n')
      .trimEnd() + '\n'
  );
}

function rowsOf(table: Table): string {
  const titles = ['field', ...contracts.map((contract) => `\`${contract}\``)];
  const rows = Object.entries(table)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([field, row]) => [`\`${field}\``, ...contracts.map((contract): Cell => row[contract])]);
  const widths = titles.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
