import { describe, expect, it, vi } from 'vitest';
import { balancerWith } from '../../test/support/balance-fixtures.ts';
import { configOf } from '../../test/support/contract-fixtures.ts';
import { roundOf, runOf } from '../../test/support/run-fixtures.ts';
import { ScriptedServer, type Step } from '../../test/support/scripted-server.ts';
import type { GenerationContract, Structure } from '../contracts/contract.ts';
import { vllmContract } from '../contracts/vllm.ts';
import { ApiError } from '../errors.ts';
import type { ResponseSink } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { GuideQuarantine } from '../limits/guide-quarantine.ts';
import { SharedQuarantine } from '../limits/shared-quarantine.ts';
import { SingleProcessLink } from '../link.ts';
import type { ServedModel } from '../models/served-model.ts';
import { generate } from './generation.ts';
import { type GuardedGuide, GuideGuard, type QuarantinedGuide } from './guide-guard.ts';
import type { Round, Run } from './plan.ts';
import { generateReasoned } from './reasoned-choice.ts';
import { runInto } from './run-into.ts';
import { ServerInference } from './server-inference.ts';

const noon = Date.UTC(2026, 0, 1, 12);
const dead = () =>
  new StatusError(
    'INTERNAL',
    'Error generating stream: EngineCore encountered an issue. See stack trace (above) for the root cause.',
  );

/** vLLM's contract, with every response as the last one. */
function contractOf(backend: string): GenerationContract {
  const config = configOf('return_finish_reason BOOL 1 optional', 'text_output STRING 1', { backend });
  return { ...vllmContract(config), counts: true, decoder: () => ({ push: (_, sink) => sink.finish('stop') }) };
}

interface Sent {
  readonly structure?: Structure | undefined;
  readonly client?: string;
  readonly backend?: string;
  readonly server?: string;
  /** What the server does; its engine dies where nothing is said. */
  readonly steps?: readonly Step[];
}

/** A guard with its clock, and requests that it watches, each on an engine that is well again. */
function guarded() {
  const clock = { now: noon };
  const now = () => clock.now;
  const quarantined: QuarantinedGuide[] = [];
  const quarantine = new SharedQuarantine(
    new GuideQuarantine({ duration: () => 600_000, now }),
    new SingleProcessLink(),
  );
  const guides = new GuideGuard({ quarantine, now, onQuarantine: (guide) => quarantined.push(guide) });
  const start = ({ structure, client = 'key:alice', backend = 'vllm', ...sent }: Sent) => {
    const server = new ScriptedServer(sent.server ?? 'one:8001', ...(sent.steps ?? [dead()]));
    const model = {
      name: 'llama',
      model: 'llama3',
      version: '1',
      contract: contractOf(backend),
      group: balancerWith({ retries: 0 }).groupOf('llama3', [server.server]),
      contextLength: () => undefined,
      loadedAssets: () => undefined,
    } as unknown as ServedModel;
    const run = runOf(model, { client, guides });
    const round = roundOf({ sampling: { maxTokens: 9 }, structure: structure && { structure, field: 'guided_regex' } });
    return { run, round, server };
  };
  /** What becomes of a request, and how many inferences it took. */
  const send = async (sent: Sent) => {
    const { run, round, server } = start(sent);
    const outcome = await read(run, round).catch((error: unknown) => {
      if (error instanceof ApiError) return error;
      throw error;
    });
    return { outcome, inferences: server.streams.length };
  };
  const codeOf = async (sent: Sent): Promise<string> => {
    const { outcome } = await send(sent);
    return typeof outcome === 'string' ? outcome : outcome.code;
  };
  return { clock, quarantined, start, send, codeOf };
}

/** An inference of a guided request, and what its guide hears. */
function inferred() {
  const { run } = guarded().start({});
  const received: unknown[] = [];
  const guide = {
    started: () => undefined,
    responded: (...facts: unknown[]) => received.push(['responded', ...facts]),
    ended: (...facts: unknown[]) => received.push(['ended', ...facts]),
  } as unknown as GuardedGuide;
  const request = { id: 'r', model: 'm', version: '1', prompt: 'Hi', sampling: {}, stream: true };
  const { signal, watch, guides } = run;
  const location = { model: run.plan.model, signal, watch, guides, usedServers: undefined, guide };
  return { inference: new ServerInference(request, location), received };
}

async function read(run: Run, round: Round): Promise<'complete'> {
  await runInto(await generate(run, round), { text: () => undefined, event: () => undefined });
  return 'complete';
}

/** An error as a client sees it. */
function display(outcome: ApiError | string) {
  if (typeof outcome === 'string') return outcome;
  const { code, status, message, param, retryAfter, isFinal } = outcome;
  return { code, status, message, param, retryAfter, isFinal };
}

const none: ResponseSink = { response: () => undefined, end: () => undefined };
const killer: Structure = { regex: String.raw`\p{L}+` };
const fine: readonly Step[] = ['answer', 'end'];

describe('a guide that an engine failed after', () => {
  it('is refused with its field, for every client, until its time is over', async () => {
    const { clock, send } = guarded();
    const first = await send({ structure: killer });
    expect([display(first.outcome), first.inferences]).toMatchObject([{ code: 'model_not_ready' }, 1]);
    clock.now += 1_000;
    const second = await send({ structure: killer, client: 'key:bob' });
    expect([display(second.outcome), second.inferences]).toEqual([
      {
        code: 'guide_quarantined',
        status: 400,
        message:
          'guided_regex: this structured-output guide preceded an engine failure at 2026-01-01T12:00:00Z. ' +
          'It is refused until 2026-01-01T12:10:00Z (--guide-quarantine). Change it, or ask the operator.',
        param: 'guided_regex',
        retryAfter: undefined,
        isFinal: false,
      },
      0,
    ]);
    clock.now = noon + 600_000;
    expect(await send({ structure: killer, steps: fine })).toEqual({ outcome: 'complete', inferences: 1 });
  });

  it('is known by its content, not by the order of its keys', async () => {
    const { codeOf } = guarded();
    await codeOf({ structure: { json: { type: 'object', required: ['a', 'b'], nested: [{ x: 1, y: 2 }] } } });
    const again = { json: { nested: [{ y: 2, x: 1 }], required: ['a', 'b'], type: 'object' } };
    const other = { json: { nested: [{ y: 2, x: 1 }], required: ['b', 'a'], type: 'object' } };
    expect([await codeOf({ structure: again, steps: fine }), await codeOf({ structure: other, steps: fine })]).toEqual([
      'guide_quarantined',
      'complete',
    ]);
  });

  it('is named with all that an operator needs', async () => {
    const { quarantined, codeOf } = guarded();
    await codeOf({ structure: { regex: 'x'.repeat(300) } });
    expect(quarantined).toEqual([
      {
        hash: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
        text: `{"regex":"${'x'.repeat(190)}…`,
        model: 'llama',
        server: 'one:8001',
        client: 'key:alice',
        until: noon + 600_000,
        suspendedUntil: undefined,
      },
    ]);
  });

  it('is refused before the reasoning that comes before it', async () => {
    const { codeOf, start } = guarded();
    await codeOf({ structure: killer });
    const { run, round, server } = start({ structure: killer });
    await expect(generateReasoned(run, round, {} as never)).rejects.toMatchObject({ code: 'guide_quarantined' });
    expect(server.streams).toEqual([]);
  });

  it('is noted of a try that is repeated elsewhere, for the server where it failed', () => {
    const { inference, received } = inferred();
    const [one, two] = [new ScriptedServer('one').server, new ScriptedServer('two').server];
    inference.begin(one, { timeout: undefined }, none);
    inference.begin(two, { timeout: undefined, after: 'first failure' }, none);
    inference.end('second failure');
    expect(received).toEqual([
      ['ended', 'first failure', one, false],
      ['ended', 'second failure', two, false],
    ]);
  });

  it('is not the reason where the failure comes after the first response', () => {
    const { inference, received } = inferred();
    const one = new ScriptedServer('one').server;
    inference.begin(one, { timeout: undefined }, none);
    inference.first();
    inference.end('failure');
    expect(received).toEqual([['responded', one]]);
  });
});

describe('a client whose guides engines failed after', () => {
  it('causes two failures with a thousand different guides, and others go on', async () => {
    const { clock, codeOf, send } = guarded();
    const codes: string[] = [];
    for (let at = 0; at < 1_000; at++) {
      clock.now += 50;
      codes.push(await codeOf({ structure: { regex: `${at}` }, server: `engine-${at}` }));
    }
    expect(new Set(codes.slice(2))).toEqual(new Set(['rate_limit_exceeded']));
    expect(codes.slice(0, 2)).toEqual(['model_not_ready', 'model_not_ready']);
    expect(await send({ structure: { regex: 'a|b' }, client: 'key:bob', steps: fine })).toEqual({
      outcome: 'complete',
      inferences: 1,
    });
    expect(await send({ steps: fine })).toEqual({ outcome: 'complete', inferences: 1 });
  });

  it('is the one of the newest request, not of those that waited for the engine before', async () => {
    const { clock, quarantined, codeOf, start } = guarded();
    for (const time of [1, 2]) {
      clock.now += 5_000;
      const { run, round, server } = start({
        structure: { regex: `bob ${time}` },
        client: 'key:bob',
        steps: ['wait'],
      });
      const waiting = read(run, round).catch((error: unknown) => (error as ApiError).code);
      await vi.waitFor(() => expect(server.streams).toHaveLength(1), 30_000);
      expect(await codeOf({ structure: { regex: `alice ${time}` } })).toBe('model_not_ready');
      server.streams[0]?.go(dead());
      expect(await waiting).toBe('model_not_ready');
    }
    expect(quarantined.map(({ client, suspendedUntil }) => [client, suspendedUntil !== undefined])).toEqual([
      ['key:alice', false],
      ['key:bob', false],
      ['key:alice', true],
      ['key:bob', false],
    ]);
    expect(await codeOf({ structure: killer, client: 'key:bob', steps: fine })).toBe('complete');
    expect(await codeOf({ structure: killer, steps: fine })).toBe('rate_limit_exceeded');
  });

  it('learns how long it is suspended, and not to wait for long', async () => {
    const { clock, quarantined, codeOf, send } = guarded();
    const after = async (regex: string) => {
      clock.now += 60_000;
      await codeOf({ structure: { regex } });
      const { outcome, inferences } = await send({ structure: { regex: 'another' }, steps: fine });
      return [display(outcome), inferences, quarantined.at(-1)?.suspendedUntil];
    };
    expect(await after('a')).toEqual(['complete', 1, undefined]);
    const refusal = {
      code: 'rate_limit_exceeded',
      status: 429,
      message:
        'guided_regex: requests with structured output are refused for this client until 2026-01-01T12:03:00Z, ' +
        'because 2 engine failures followed its structured-output guides. Other requests are accepted.',
      param: 'guided_regex',
      retryAfter: 60,
      isFinal: false,
    };
    expect(await after('b')).toEqual([refusal, 0, noon + 180_000]);
    expect(await after('c')).toEqual([
      {
        ...refusal,
        message: refusal.message.replace('12:03:00', '12:05:00').replace('2 engine', '3 engine'),
        retryAfter: 120,
        isFinal: true,
      },
      0,
      noon + 300_000,
    ]);
  });
});

describe('a request whose client disconnects before the engine fails', () => {
  it.each(['by its signal', 'by leaving the stream'])('%s, is found by the failure of another one', async (how) => {
    const { quarantined, codeOf, start } = guarded();
    const stop = new AbortController();
    const { run, round, server } = start({ structure: killer, client: 'key:mallory', steps: ['wait'] });
    const generation = await generate({ ...run, signal: stop.signal }, round);
    const received: unknown[] = [];
    const running = generation.start({
      text: () => undefined,
      event: () => undefined,
      end: () => received.push('end'),
      fail: (error) => received.push(error),
    });
    stop.abort();
    if (how === 'by leaving the stream') running.cancel();
    else server.streams[0]?.go(new StatusError('CANCELLED', 'left'));
    await vi.waitFor(() => expect(received).toHaveLength(how === 'by leaving the stream' ? 0 : 1), 30_000);
    expect(quarantined).toEqual([]);
    await codeOf({});
    expect(quarantined.map(({ client, text }) => [client, text])).toEqual([
      ['key:mallory', String.raw`{"regex":"\\p{L}+"}`],
    ]);
    expect(await codeOf({ structure: killer, steps: fine })).toBe('guide_quarantined');
  });
});

describe('no guide is suspected', () => {
  it.each<[string, Sent]>([
    ['of a request without one', { structure: undefined }],
    ['that the engine had begun to respond to', { structure: killer, steps: ['answer', dead()] }],
    ['that the engine refused', { structure: killer, steps: [new StatusError('INTERNAL', 'Grammar error: no')] }],
    ['of a server that cannot be reached', { structure: killer, steps: [unreachable()] }],
    ['of the embedded engine', { structure: killer, backend: 'llamacpp' }],
  ])('%s', async (_, sent) => {
    const { quarantined, codeOf } = guarded();
    await codeOf(sent);
    expect([quarantined, await codeOf({ structure: killer, steps: fine })]).toEqual([[], 'complete']);
  });

  it('that the engine responded to before another request ended it', async () => {
    const { quarantined, codeOf } = guarded();
    await codeOf({ structure: { regex: 'a|b' }, client: 'key:bob', steps: fine });
    await codeOf({ structure: killer });
    await codeOf({ structure: { regex: 'a|b' }, client: 'key:bob' });
    expect(quarantined.map(({ client, text }) => [client, text])).toEqual([
      ['key:alice', String.raw`{"regex":"\\p{L}+"}`],
    ]);
    expect(await codeOf({ structure: { regex: 'a|b' }, client: 'key:bob', steps: fine })).toBe('complete');
  });

  it('on the embedded engine, because another engine failed after it', async () => {
    const { codeOf } = guarded();
    await codeOf({ structure: killer });
    expect(await codeOf({ structure: killer, backend: 'llamacpp', steps: fine })).toBe('complete');
  });
});

function unreachable(): StatusError {
  return new StatusError('UNAVAILABLE', dead().message, { unreachable: true });
}
