import { describe, expect, it } from 'vitest';
import { PlayedInference } from '../../test/support/played-inference.ts';
import { roundOf, runOf } from '../../test/support/run-fixtures.ts';
import { outcomeOf } from '../../test/support/scripted-model.ts';
import type { GenerateRequest } from '../contracts/contract.ts';
import { markSuspect } from '../kserve/engine-failure.ts';
import { StreamError } from '../kserve/infer-codec.ts';
import type { InferenceServer, InferRequest, ResponseSink, RunningInference } from '../kserve/server.ts';
import type { ServerGroup } from '../kserve/server-group.ts';
import { StatusError } from '../kserve/status.ts';
import type { ServedModel } from '../models/served-model.ts';
import { noWatch, type RequestWatch, type TokenCounts } from '../request-watch.ts';
import { generate } from './generation.ts';
import type { Round } from './plan.ts';

/** What a server does with one inference: words, one token each, then its end. */
interface Script {
  readonly words: readonly string[];
  readonly end: 'finish' | 'nothing' | 'hang' | Error;
}

const broken = new StatusError('UNAVAILABLE', 'The connection to the server broke.', { unreachable: true });
const good: Script = { words: ['a', 'b'], end: 'finish' };

interface OwnParts extends Partial<Round> {
  readonly signal?: AbortSignal;
  readonly retries?: number;
}

/** Generates on servers that do as the scripts say, one for each inference in its order. */
async function run(scripts: readonly Script[], own: OwnParts = {}, affordable = 9) {
  const requested: { id: string; seed: number | bigint | undefined }[] = [];
  const left: string[] = [];
  const avoided: string[][] = [];
  let retries = 0;
  let counts: TokenCounts | undefined;
  const watch: RequestWatch = {
    ...noWatch,
    counts: (value) => {
      counts = value;
    },
  };
  const stream = (request: InferRequest & Pick<GenerateRequest, 'sampling'>, sink: ResponseSink): RunningInference => {
    const { words, end } = scripts[requested.length] ?? good;
    requested.push({ id: request.id, seed: request.sampling.seed });
    return new PlayedInference(sink, {
      responses: end === 'finish' ? [...words, 'finish'] : words,
      end: end === 'finish' || end === 'nothing' ? 'end' : end,
      onCancel: () => left.push(request.id),
    });
  };
  const contract = {
    counts: true,
    limits: {},
    explain: () => undefined,
    encode: (request: GenerateRequest) => request,
    decoder: () => ({
      push: (response: unknown, sink: { text(word: string, tokens: number): void } & Sink) => {
        if (response === 'finish') sink.finish('stop');
        else {
          if (response === 'a') sink.promptTokens(5);
          sink.text(response as string, 1);
        }
      },
    }),
  };
  const model = {
    contract,
    contextLength: () => undefined,
    loadedAssets: () => undefined,
    group: {
      stream: (...[begin, sink, { avoid }]: Parameters<ServerGroup['stream']>) => {
        avoided.push([...(avoid ?? [])].map(({ name }) => name));
        const name = `server-${avoided.length}`;
        return begin({ name, stream } as unknown as InferenceServer, { timeout: undefined }, sink);
      },
      again: async () => ++retries <= affordable,
    },
  } as unknown as ServedModel;
  const { signal = new AbortController().signal, retries: most = 2, ...round } = own;
  const generation = await generate(
    runOf(model, { signal, watch, plan: { continuesText: false }, strategy: { retries: most } }),
    roundOf({ sampling: { seed: 7 }, stream: false, ...round }),
  );
  const { events, error, isFinal } = await outcomeOf(generation);
  return { error, isFinal, events, requested, left, counts, avoided };
}

interface Sink {
  promptTokens(count: number): void;
  finish(reason: 'stop'): void;
}

const text = (choice: number, word: string) => ({
  type: 'text-delta',
  choice,
  text: word,
  tokens: word.length,
  logprobs: undefined,
});
const usage = (completionTokens: number) => ({ type: 'usage', promptTokens: 5, completionTokens });
const whole = [
  { type: 'prompt-tokens', count: 5 },
  text(0, 'ab'),
  { type: 'finish', choice: 0, reason: 'stop' },
  usage(2),
];

describe('an unstreamed response', () => {
  it('that a server breaks off is retried, and only the complete try counts', async () => {
    const { error, events, requested, counts } = await run([{ words: ['a', 'x', 'y'], end: broken }, good]);
    expect(error).toBeUndefined();
    expect(events).toEqual(whole);
    expect(requested).toEqual([
      { id: 'request', seed: 7 },
      { id: 'request-again-1', seed: 7 },
    ]);
    expect(counts?.promptTokens).toBe(5);
    expect(counts?.completionTokens).toBe(2);
  });

  it.each<[string, Script['end']]>([
    ['ends without its finish', 'nothing'],
    ['is reset by its server', new StatusError('INTERNAL', 'The server reset the call (HTTP/2 error code 2).')],
  ])('that %s is begun again', async (_, end) => {
    const { events, requested } = await run([{ words: ['a'], end }, good]);
    expect(events).toEqual(whole);
    expect(requested).toHaveLength(2);
  });

  it('fails after the last retry, and clients must not retry it', async () => {
    const breaks = { words: ['a'], end: broken };
    const { error, isFinal, events, requested } = await run([breaks, breaks, breaks, good]);
    expect({ error, isFinal, events, requested: requested.length }).toEqual({
      error: 'server_unreachable',
      isFinal: true,
      events: [],
      requested: 3,
    });
  });

  it('fails when the retry budget is used up', async () => {
    const { error, isFinal, requested } = await run([{ words: ['a'], end: broken }, good], {}, 0);
    expect({ error, isFinal, requested: requested.length }).toEqual({
      error: 'server_unreachable',
      isFinal: false,
      requested: 1,
    });
  });

  it('is retried on another server', async () => {
    const breaks = { words: ['a'], end: broken };
    const { avoided } = await run([breaks, breaks, good]);
    expect(avoided).toEqual([[], ['server-1'], ['server-1', 'server-2']]);
  });

  it.each<[string, Script, string]>([
    [
      'the model refuses in the middle',
      { words: ['a'], end: new StreamError('out of words', { id: 'request', final: true } as never) },
      'backend_error',
    ],
    ['fails before its first response', { words: [], end: broken }, 'server_unreachable'],
    [
      'takes too long',
      { words: ['a'], end: new StatusError('DEADLINE_EXCEEDED', 'No answer within 1 ms.') },
      'deadline_exceeded',
    ],
  ])('that %s is not begun again', async (_, script, code) => {
    const { error, requested } = await run([script, good]);
    expect({ error, requested: requested.length }).toEqual({ error: code, requested: 1 });
  });

  it('is not retried if it may have made its engine fail', async () => {
    const failed = () =>
      new StreamError('EngineCore encountered an issue. See stack trace (above)', {
        id: 'request',
        final: true,
      } as never);
    const spared = await run([{ words: ['a'], end: failed() }]);
    expect([spared.error, spared.requested.length]).toEqual([undefined, 2]);
    const killer = failed();
    markSuspect(killer);
    const { error, requested } = await run([{ words: ['a'], end: killer }]);
    expect([error, requested.length]).toEqual(['model_not_ready', 1]);
  });

  it('whose client disconnected is not retried', async () => {
    const controller = new AbortController();
    const signal = controller.signal;
    const end = new StatusError('CANCELLED', 'The call was cancelled.');
    controller.abort();
    const { error, requested } = await run([{ words: ['a'], end }, good], { signal });
    expect({ error, requested: requested.length }).toEqual({ error: 'client_closed_request', requested: 1 });
  });

  it('of several repeats only the one that failed', async () => {
    const { events, requested } = await run([good, { words: ['a'], end: broken }, good], { choicesPerPrompt: 2 });
    expect(requested).toEqual([
      { id: 'request-0', seed: 7 },
      { id: 'request-1', seed: 8 },
      { id: 'request-1-again-1', seed: 8 },
    ]);
    expect(events).toEqual([
      ...whole.slice(0, -1),
      text(1, 'ab'),
      { type: 'finish', choice: 1, reason: 'stop' },
      usage(4),
    ]);
  });

  it('that fails for good ends the others at once', async () => {
    const breaks = { words: ['a'], end: broken };
    const { error, left } = await run([{ words: ['a'], end: 'hang' }, breaks, breaks, breaks], { choicesPerPrompt: 2 });
    expect(error).toBe('server_unreachable');
    expect(left).toContain('request-0');
  });
});

describe('a stream', () => {
  it('is not retried', async () => {
    const { error, events, requested } = await run([{ words: ['a'], end: broken }, good], { stream: true, retries: 0 });
    expect({ error, events, requested: requested.length }).toEqual({
      error: 'server_unreachable',
      events: [whole[0], text(0, 'a')],
      requested: 1,
    });
  });
});
