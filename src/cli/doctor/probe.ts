import type { RowTask } from '../../contracts/row-contracts.ts';
import { ApiError } from '../../errors.ts';
import { classify } from '../../generate/classify.ts';
import { complete } from '../../generate/completion.ts';
import { embed } from '../../generate/embedding.ts';
import { rerank } from '../../generate/rerank.ts';
import type { RowsContext } from '../../generate/rows.ts';
import { runInto } from '../../generate/run-into.ts';
import { firstRowAbility } from '../../models/abilities.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import type { NamedModel } from '../../models/served-model.ts';
import { noWatch } from '../../request-watch.ts';
import { Timing } from '../timing.ts';

/** The response of a model to one short request. */
export interface ProbeResult {
  readonly text: string;
  readonly timing: string;
  readonly error?: string;
}

const longestProbe = 60_000;

/** Sends a model one short request. */
export async function probe(model: string, registry: ModelRegistry): Promise<ProbeResult> {
  const found = registry.find(model);
  return found.contract ? probeText(model, registry) : probeRows(found);
}

async function probeRows(model: NamedModel): Promise<ProbeResult> {
  const context = { findModel: () => model, timeout: longestProbe, watch: noWatch };
  const signal = AbortSignal.timeout(longestProbe);
  const begin = performance.now();
  const timing = (): string => `response after ${(performance.now() - begin).toFixed(0)} ms`;
  try {
    const task = firstRowAbility(model);
    return { text: task ? await rowProbes[task.name](model, context, signal) : '', timing: timing() };
  } catch (error) {
    return { text: '', timing: timing(), error: ApiError.from(error).message };
  }
}

type RowsProbe = (model: NamedModel, context: RowsContext, signal: AbortSignal) => Promise<string>;

const input = { items: ['The sea is'], isList: false };

/** A request for each task on rows of text, and its result. */
const rowProbes: Readonly<Record<RowTask, RowsProbe>> = {
  embedding: async ({ name: model }, context, signal) => {
    const { vectors } = await embed({ model, input, dimensions: null }, context, signal);
    return `${vectors[0]?.length} values, the first ${vectors[0]?.[0]?.toFixed(6)}`;
  },
  rerank: async ({ name: model }, context, signal) => {
    const { results } = await rerank({ model, query: 'The sea', documents: ['The sea is blue.'] }, context, signal);
    return `score ${results[0]?.score.toFixed(6)}`;
  },
  classify: async ({ name: model }, context, signal) => {
    const { classes } = await classify({ model, input }, context, signal);
    return `class ${classes[0]?.label} of ${classes[0]?.scores.length}`;
  },
};

async function probeText(model: string, registry: ModelRegistry): Promise<ProbeResult> {
  const request = { model, prompt: 'The sea is', max_tokens: 16, temperature: 0, stream: true };
  const context = {
    findModel: (name: string) => registry.findForRequest(name),
    timeout: longestProbe,
    retries: 0,
    structuredRetries: 0,
    watch: noWatch,
  };
  let text = '';
  const timing = new Timing((words) => {
    text += words;
  });
  try {
    const { generation } = await complete(request, context, AbortSignal.timeout(longestProbe));
    await runInto(generation, timing);
    return { text, timing: timing.summary() };
  } catch (error) {
    return { text, timing: timing.summary(), error: ApiError.from(error).message };
  }
}
