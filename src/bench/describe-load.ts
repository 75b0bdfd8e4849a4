import { createHash } from 'node:crypto';
import type { BenchOptions } from './bench.ts';
import type { KnownUsage } from './count-outcomes.ts';
import type { Prompt } from './prompts.ts';
import type { LoadDescription } from './report/report.ts';

interface WhoCounted {
  /** The counter of the responses; undefined if the reported usage was used. */
  readonly source: string | undefined;
  readonly usage: KnownUsage;
}

/** Describes the load and how tokens were counted. */
export function describeLoad(
  options: BenchOptions,
  prompts: readonly Prompt[],
  { source, usage }: WhoCounted,
): LoadDescription {
  const { extent, endpoint } = options;
  const generates = endpoint !== 'embeddings';
  return {
    url: options.target.origin,
    model: options.model,
    endpoint,
    streaming: options.isStreaming,
    ...('requests' in extent
      ? { requests: extent.requests }
      : { duration_s: extent.milliseconds / 1000, grace_s: options.grace / 1000 }),
    ...(options.warmup === undefined ? {} : { warmup: options.warmup }),
    timeout_s: options.timeout / 1000,
    ...(options.workers === undefined ? {} : { workers: options.workers }),
    seed: options.seed,
    prompts: prompts.length,
    prompts_digest: digestOf(prompts),
    input_tokens: 'count' in options.prompts ? options.prompts.input : 'of a file',
    ...(generates ? { output_tokens: options.output, limit_field: options.limitField } : {}),
    extra: { ...(options.ignoresEnd ? { ignore_eos: true, min_tokens: 'output tokens' } : {}), ...options.extra },
    input_counted_by: source ?? inputCount(endpoint, usage),
    ...(generates ? { output_counted_by: source ?? outputCount(options, usage) } : {}),
  };
}

/** Distinguishes files with the same number of prompts. */
function digestOf(prompts: readonly Prompt[]): string {
  const texts = prompts.map(({ text, outputTokens }) => [text, outputTokens]);
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);
}

function inputCount(endpoint: BenchOptions['endpoint'], usage: KnownUsage): string {
  if (!usage.input) return 'none: the server does not report usage for every request';
  return endpoint === 'chat' ? "the server's usage, its chat template included" : "the server's usage";
}

function outputCount({ isStreaming }: BenchOptions, usage: KnownUsage): string {
  if (usage.output) return "the server's usage";
  if (isStreaming) return 'events with text: the server does not report usage for every request';
  return 'none: the server does not report usage for every request, and responses are not streamed';
}
