import { type Cell, chatTable, completionTable, contracts } from './table.ts';

type Table = typeof chatTable;

const opening = `# Request fields by backend

This page shows how each backend handles each request field of chats and completions. For example, \`min_p\` is supported
on vLLM. On TensorRT-LLM the same request is a 400:

\`\`\`sh
curl http://localhost:9000/v1/chat/completions -H 'content-type: application/json' \\
  -d '{"model": "llama3", "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 64, "min_p": 0.1}'
\`\`\`

Tests generate this table from \`test/parameters/table.ts\` and check every cell against running servers. Update it with
\`npm test -- test/parameters -u\`.

- **supported**: the backend implements the field.
- **emulated**: Conch implements the field.
- **not supported**: the request fails with a 400 and \`code: unsupported_parameter\`; the error names the field. \`null\`
  and the value that requests nothing are accepted.
- **ignored**: Conch validates the value and does nothing with it.

The columns are:

- \`vllm\`: Triton's vLLM backend 26.01, and the embedded engine, which also supports \`logit_bias\`.
- \`conch-tokens\`: [Conch's own vLLM model](conch-tokens.md) with vLLM 0.24. Some fields need a newer vLLM or an
  engine argument: \`priority\` needs \`"scheduling_policy": "priority"\`.
- \`trtllm-tokens\`: a TensorRT-LLM 1.2 engine that Conch calls directly. It was built with gathered logits, and
  \`normalize_log_probs\` is false.
- \`trtllm\`: its \`ensemble\` or \`tensorrt_llm_bls\`, with text input.
- \`llmapi\`: the LLM API model of TensorRT-LLM.

Older releases have fewer tensors and support fewer fields. \`conch doctor\` shows what a model supports.

## Notes

- **stop**: TensorRT-LLM compares tokens and leaves the stop sequence in the text. Conch therefore also searches the
  text, removes the stop sequence and ends the request in the engine. It cannot end the request behind BLS, nor behind
  an ensemble whose engine has no input \`stop\`: the response ends at once, but the engine continues. The same applies
  when a client disconnects.
- **logprobs** need token ids. An engine up to 1.2.1 without \`normalize_log_probs: false\` does not support them. An
  engine that was built without gathered logits does not support \`top_logprobs\`.
- **tools**: Conch parses tool calls from the text, in the format of the model's family
  ([tool-calling.md](tool-calling.md)). If that format uses special tokens, \`tools\` is not supported on \`trtllm\` and
  \`llmapi\`: their servers remove special tokens from the text.
- **tool_choice**: \`required\` or a named function guides the response, so it needs what \`response_format\` needs.
- **response_format**, **structured_outputs**, **guided_…**: emulated where the backend cannot guide a response: LLM API
  models, vLLM before 25.02 and TensorRT-LLM before 0.19 ([api.md](api.md#structured-output)). A grammar is not
  supported there. With \`--structured-retries 0\`, none of these fields is.
- **logits_post_processor_name**: supported on \`llmapi\` if the model has the input
  \`sampling_param_logits_post_processor_name\`, which releases up to 1.2 do not have
  ([tensorrt-llm.md](tensorrt-llm.md#logits-post-processors)).
- **n**: one inference per choice. With \`use_beam_search\`, the choices are the best beams of one inference.
- **stream**: a model that is not decoupled sends the whole response at once.`;

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
      '## Completions\n\nThese fields differ from chat completions:',
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
