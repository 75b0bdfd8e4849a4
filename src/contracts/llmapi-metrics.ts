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

/** The outputs with an engine's times and drafts that a model has; older releases have none, or not all. */
export function reportOutputs(outputs: ReadonlySet<string>): readonly string[] {
  return [timeOutputs, draftOutputs].flatMap((names) => (names.every((name) => outputs.has(name)) ? names : []));
}

/** The report in a response; undefined where it has none. */
export function readReport(response: InferResponse): EngineReport | undefined {
  const times = timesOf(response);
  const [proposed, accepted] = draftOutputs.map((name) => numberIn(response, name));
  const hasDrafts = proposed !== undefined && accepted !== undefined && proposed > 0;
  if (!times && !hasDrafts) return undefined;
  return { times, drafts: hasDrafts ? { proposed, accepted } : undefined };
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
