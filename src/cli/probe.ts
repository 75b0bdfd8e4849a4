import { ApiError } from '../errors.ts';
import { complete } from '../generate/completion.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { Timing } from './timing.ts';

/** How a model answered one short request. */
export interface ProbeResult {
  readonly text: string;
  readonly timing: string;
  readonly error?: string;
}

const longestProbe = 60_000;

/** Sends a model one short request. */
export async function probe(model: string, registry: ModelRegistry): Promise<ProbeResult> {
  const request = { model, prompt: 'The sea is', max_tokens: 16, temperature: 0, stream: true };
  const context = { findModel: (name: string) => registry.find(name), timeout: longestProbe, structuredRetries: 0 };
  const timing = new Timing();
  let text = '';
  try {
    const { events } = await complete(request, context, AbortSignal.timeout(longestProbe));
    for await (const batch of events)
      for (const event of batch) {
        timing.add(event, (words) => {
          text += words;
        });
      }
    return { text, timing: timing.summary() };
  } catch (error) {
    return { text, timing: timing.summary(), error: ApiError.from(error).message };
  }
}
