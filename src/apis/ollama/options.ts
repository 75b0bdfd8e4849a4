import { z } from 'zod';
import type { ChatRequest } from '../../requests/chat-request.ts';
import { samplingFields } from '../../requests/sampling.ts';

/** Ollama's supported options, each with the equivalent field of a chat request. */
export const optionFields = {
  temperature: 'temperature',
  top_p: 'top_p',
  top_k: 'top_k',
  min_p: 'min_p',
  seed: 'seed',
  stop: 'stop',
  presence_penalty: 'presence_penalty',
  frequency_penalty: 'frequency_penalty',
  repeat_penalty: 'repetition_penalty',
  num_predict: 'max_tokens',
} as const;

/** Ollama's options that Conch ignores. Most are about how Ollama loads a model. */
const ignoredOptions: ReadonlySet<string> = new Set([
  'num_ctx',
  'num_batch',
  'num_gpu',
  'main_gpu',
  'num_thread',
  'num_keep',
  'numa',
  'use_mmap',
  'use_mlock',
  'low_vram',
  'f16_kv',
  'logits_all',
  'vocab_only',
  'embedding_only',
  'penalize_newline',
  'repeat_last_n',
  'tfs_z',
  'typical_p',
  'mirostat',
  'mirostat_tau',
  'mirostat_eta',
]);

/** The options of a request. Unknown names stay in the object, so that they can be reported. */
export const options = z.looseObject({
  temperature: samplingFields.temperature,
  top_p: samplingFields.top_p,
  top_k: samplingFields.top_k,
  min_p: samplingFields.min_p,
  seed: samplingFields.seed,
  stop: samplingFields.stop,
  presence_penalty: samplingFields.presence_penalty,
  frequency_penalty: samplingFields.frequency_penalty,
  repeat_penalty: samplingFields.repetition_penalty,
  num_predict: z.number().int().nullish(),
});

export type Options = z.output<typeof options>;

type Sampling = Pick<ChatRequest, (typeof optionFields)[keyof typeof optionFields]>;

/** The sampling fields of a chat request, from Ollama's options. */
export function samplingOf(input: Options | null | undefined): Sampling {
  const { num_predict: most, seed, repeat_penalty: repetition_penalty, ...others } = input ?? {};
  const fields = {
    ...Object.fromEntries(Object.entries(others).filter(([name]) => Object.hasOwn(optionFields, name))),
    repetition_penalty,
    // In Ollama, a seed of -1 is random, and num_predict below 1 sets no token limit.
    seed: seed === -1 ? undefined : seed,
    max_tokens: typeof most === 'number' && most < 1 ? undefined : most,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

/** The ignored options, by their paths in the request. */
export function unusedOptions(input: Options | null | undefined): string[] {
  return Object.entries(input ?? {})
    .filter(([name, value]) => !Object.hasOwn(optionFields, name) && value !== null)
    .map(([name]) => `options.${name}`);
}

/** The unknown options, by their paths in the request. */
export function unknownOptions(input: Options | null | undefined): string[] {
  return unusedOptions(input).filter((path) => !ignoredOptions.has(path.slice('options.'.length)));
}
