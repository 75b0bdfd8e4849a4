import { expect, it } from 'vitest';
import { balancerWith } from '../../test/support/balance-fixtures.ts';
import { configOf } from '../../test/support/contract-fixtures.ts';
import { PlayedInference } from '../../test/support/played-inference.ts';
import { roundOf, runOf } from '../../test/support/run-fixtures.ts';
import type { GenerateRequest, GenerationContract } from '../contracts/contract.ts';
import type { Generation } from '../contracts/events.ts';
import { vllmContract } from '../contracts/vllm.ts';
import { failedInference } from '../kserve/failed-inference.ts';
import type { InferenceServer, ResponseSink } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import type { ServedModel } from '../models/served-model.ts';
import { generate } from './generation.ts';
import { generateReasoned, type ReasoningPhase } from './reasoned-choice.ts';
import { runInto } from './run-into.ts';
import { generateChecked } from './structured.ts';

const dead = () =>
  new StatusError('INTERNAL', 'EngineCore encountered an issue. See stack trace (above) for the root cause.');

/** An engine that fails of each guide and completes everything else at once; `guided` are the guided inferences it got. */
function engine(name: string) {
  const guided: string[] = [];
  const stream = ({ id, structure }: GenerateRequest, sink: ResponseSink) => {
    if (!structure) return new PlayedInference(sink, { responses: [{}] });
    guided.push(id);
    return failedInference(dead(), sink);
  };
  return { guided, server: { name, stream } as unknown as InferenceServer };
}

/** A request for four choices with one guide, over two engines. */
function killer() {
  const engines = [engine('one'), engine('two')];
  const config = configOf('return_finish_reason BOOL 1 optional', 'text_output STRING 1', { backend: 'vllm' });
  const contract: GenerationContract = {
    ...vllmContract(config),
    counts: true,
    encode: (request) => request as never,
    decoder: () => ({ push: (_, sink) => sink.finish('stop') }),
  };
  const group = balancerWith({ balance: 'round-robin' }).groupOf(
    'm',
    engines.map(({ server }) => server),
  );
  const model = {
    name: 'm',
    model: 'm',
    version: '1',
    contract,
    group,
    contextLength: () => 9,
    loadedAssets: () => undefined,
  } as unknown as ServedModel;
  return {
    run: runOf(model, { strategy: { asksAgain: true, retries: 2 } }),
    round: roundOf({
      choicesPerPrompt: 4,
      sampling: { maxTokens: 9 },
      structure: { structure: { regex: 'a' }, field: 'guided_regex' },
      stream: false,
    }),
    enginesWithGuide: () => engines.filter(({ guided }) => guided.length > 0).length,
  };
}

async function code(work: () => Promise<unknown>): Promise<unknown> {
  return work().catch((error: unknown) => (error as { code?: string }).code);
}

function readAll(generation: Generation): Promise<void> {
  return runInto(generation, { text: () => undefined, event: () => undefined });
}

it('runs all choices of a guided request on one engine', async () => {
  const { run, round, enginesWithGuide } = killer();
  expect(await code(async () => readAll(await generate(run, round)))).toBe('model_not_ready');
  expect(enginesWithGuide()).toBe(1);
});

it('runs all choices whose responses are checked on one engine', async () => {
  const { run, round, enginesWithGuide } = killer();
  const emulation = { isGuided: true, form: { regex: 'a' }, field: 'guided_regex', retries: 2 } as const;
  expect(await code(() => generateChecked(run, round, { emulation, begin: generate, correct: undefined }))).toBe(
    'model_not_ready',
  );
  expect(enginesWithGuide()).toBe(1);
});

it('runs all choices that follow reasoning on one engine', async () => {
  const { run, round, enginesWithGuide } = killer();
  const turn = { opens: [], ends: ['</think>'], afterReasoning: '', withoutReasoning: '' };
  const none = () => undefined;
  const parsers = { newReasoning: none, newTools: none, newSpecials: none };
  const phase = { turn, parsers, keepsSpecialTokens: false } as unknown as ReasoningPhase;
  expect(await code(async () => readAll(await generateReasoned(run, round, phase)))).toBe('model_not_ready');
  expect(enginesWithGuide()).toBe(1);
});
