import type { InferResponse } from '../kserve/server.ts';
import { readNumber } from '../kserve/tensors.ts';
import type { EngineTimes } from '../request-watch.ts';
import type { EngineReport } from './contract.ts';

const timeOutputs = [
  'arrival_time_ns',
  'first_scheduled_time_ns',
  'first_token_time_ns',
  'last_token_time_ns',
] as const;
const draftOutputs = ['total_draft_tokens', 'total_accepted_draft_tokens'] as const;
const hitRateOutput = 'kv_cache_hit_rate';

/**
 * The outputs of an engine's report that a model has; older releases have none, or not all. The acceptance rate is not
 * among them, because the drafts say the same. Neither are stop_reason and cumulative_logprob: Conch sends the model no
 * stop sequences and requests no logprobs from it, so that both are always None.
 */
export function reportOutputs(outputs: ReadonlySet<string>): readonly string[] {
  const report = [timeOutputs, draftOutputs].flatMap((names) =>
    names.every((name) => outputs.has(name)) ? [...names] : [],
  );
  // Releases that have only the hit rate of these measure nothing else, and measuring has a cost.
  return report.length > 0 && outputs.has(hitRateOutput) ? [...report, hitRateOutput] : report;
}

/** The report in a response; undefined where it has none. */
export function readReport(response: InferResponse): EngineReport | undefined {
  const times = timesOf(response);
  const [proposed, accepted] = draftOutputs.map((name) => numberIn(response, name));
  const hasDrafts = proposed !== undefined && accepted !== undefined && proposed > 0;
  const cacheHitRate = times && hitRateOf(response);
  if (!times && !hasDrafts) return undefined;
  return {
    times,
    ...(cacheHitRate === undefined ? {} : { cacheHitRate }),
    drafts: hasDrafts ? { proposed, accepted } : undefined,
  };
}

/** An engine that measures nothing reports 0, so this counts only beside times. */
function hitRateOf(response: InferResponse): number | undefined {
  const rate = numberIn(response, hitRateOutput);
  return rate !== undefined && rate >= 0 && rate <= 1 ? rate : undefined;
}

function timesOf(response: InferResponse): EngineTimes | undefined {
  const [arrival, scheduled, first, last] = timeOutputs.map((name) => numberIn(response, name));
  if (arrival === undefined || scheduled === undefined || first === undefined || last === undefined) return undefined;
  const times = { queue: scheduled - arrival, prefill: first - scheduled, decode: last - first };
  // An engine that does not measure a time reports 0 for it, so that differences make no sense.
  if (Math.min(times.queue, times.prefill, times.decode) < 0 || arrival <= 0) return undefined;
  return { queue: times.queue / 1e6, prefill: times.prefill / 1e6, decode: times.decode / 1e6 };
}

/** A value that the model declares as a number and sends as text: the datatype in the response is the right one. */
export function numberIn(response: InferResponse, name: string): number | undefined {
  const data = response.raw(name);
  const description = data && response.outputs.find((output) => output.name === name);
  return description && readNumber(data, description.datatype);
}
