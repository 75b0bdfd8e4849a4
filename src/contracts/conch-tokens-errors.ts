import { ApiError } from '../errors.ts';
import { StatusError } from '../kserve/status.ts';
import { engineFailed } from './engine-failed.ts';
import { contextExceeded } from './prompt-overflow.ts';
import { unknownAdapter } from './unknown-adapter.ts';
import { explainVllm } from './vllm-errors.ts';

/** How the model begins an error that the request caused. */
const invalid = /^(?:\[request id: [^\]]*\] )?Invalid request: (.*)$/s;

const unknownName = /^lora_name (".*?(?<!\\)") is unknown\. .*? Known: (\[.*\])$/s;

/** What the model's own texts mean; other texts are vLLM's. */
const meanings: readonly (readonly [RegExp, (match: RegExpExecArray) => ApiError])[] = [
  [
    /^input_ids has (\d+) tokens, which is longer than the maximum model length of (\d+) tokens\./,
    ([, length, limit]) => contextExceeded({ promptTokens: Number(length), limit: Number(limit) }, 'prompt'),
  ],
  [unknownName, ([, name = '', list = '']) => unknownAdapter(textOf(name), namesIn(list))],
  [/^lora_(?:name|path) (.*)$/s, ([text]) => new ApiError('model_not_found', sentence(text), { param: 'model' })],
  [
    /^(?:input_ids|prompt|image|audio)\b.*$/s,
    ([text]) => new ApiError('invalid_request', sentence(text), { param: 'prompt' }),
  ],
  [
    /^sampling_params\.structured_outputs\b[.\s]*(.*)$/s,
    ([, rest = '']) => new ApiError('invalid_request', `guide: ${sentence(rest)}`, { param: 'guide' }),
  ],
  [
    /^sampling_params\.((\w+)\S* .*)$/s,
    ([, text = '', param = '']) => new ApiError('invalid_request', sentence(text), { param }),
  ],
  [
    /^(priority|cache_salt|mm_processor_kwargs)\b.*$/s,
    ([text, param = '']) => new ApiError('invalid_request', sentence(text), { param }),
  ],
];

/** The client's view of an error text of Conch's own vLLM model. */
export function explainConchTokens(error: StatusError): ApiError | undefined {
  const failed = engineFailed(error);
  if (failed) return failed;
  const text = invalid.exec(error.message)?.[1];
  if (text === undefined) return explainVllm(error);
  // The model's own texts come first: they quote the request, which may contain any text of vLLM.
  for (const [pattern, meaning] of meanings) {
    const match = pattern.exec(text);
    if (match) return meaning(match);
  }
  return explainVllm(new StatusError(error.code, text)) ?? new ApiError('invalid_request', sentence(text));
}

/** The adapters of a model, from its error about one that it does not have. */
export function namedConchAdapters({ message }: StatusError): readonly string[] | undefined {
  const text = invalid.exec(message)?.[1];
  if (text === undefined) return undefined;
  if (text.startsWith('lora_name is not supported')) return [];
  const list = unknownName.exec(text)?.[2];
  return list === undefined ? undefined : namesIn(list);
}

function namesIn(list: string): readonly string[] {
  const names = parsed(list);
  return Array.isArray(names) ? names.map(String) : [];
}

function textOf(json: string): string {
  const text = parsed(json);
  return typeof text === 'string' ? text : json;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const longestText = 300;

/** The first line of a text, shortened. */
function sentence(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
}
