import { describe, expect, it } from 'vitest';
import type { InferenceServer } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { Discovery } from './discovery.ts';

const connectionLostError = new StatusError('UNAVAILABLE', 'The connection to the server broke.', {
  unreachable: true,
});
const loading = { name: 'llama', version: '1', state: 'LOADING', reason: '' };

/** Looks once at a server whose first index calls fail in this way, and counts the calls. */
async function lookAt(failures: readonly Error[]): Promise<{ found: unknown; calls: number }> {
  let calls = 0;
  const server = {
    name: 'scripted',
    call: async () => {
      const failure = failures[calls++];
      if (failure) throw failure;
      return { models: [loading] };
    },
  } as unknown as InferenceServer;
  const discovery = new Discovery(server, () => ({}));
  const found = await discovery.look(new AbortController().signal).catch((error: unknown) => error);
  return { found, calls };
}

/** A server whose model has these parameters, in another order each time. */
function reorderingServer(parameters: Readonly<Record<string, string>>): InferenceServer {
  let calls = 0;
  const configOf = () => {
    const entries = Object.entries(parameters).map(([key, text]) => [key, { string_value: text }] as const);
    if (++calls % 2 === 0) entries.reverse();
    const shared = { name: 'llama', platform: '', backend: 'vllm', max_batch_size: 0, input: [], output: [] };
    return { ...shared, parameters: Object.fromEntries(entries) };
  };
  const ready = { ...loading, state: 'READY' };
  const call = async (method: string) => (method === 'RepositoryIndex' ? { models: [ready] } : { config: configOf() });
  return { name: 'scripted', call } as unknown as InferenceServer;
}

describe('a look at a server', () => {
  it('finds the same model when its configuration comes in another order', async () => {
    const discovery = new Discovery(reorderingServer({ a: '1', b: '2' }), () => ({}));
    const { signal } = new AbortController();
    const [before] = await discovery.look(signal);
    discovery.forget();
    const [after] = await discovery.look(signal);
    expect(before?.ready).toBeDefined();
    expect(after?.ready).toBe(before?.ready);
  });

  it.each([1, 2])('survives a connection that breaks: %i times', async (times) => {
    const failures = Array.from({ length: times }, () => connectionLostError);
    expect(await lookAt(failures)).toEqual({ found: [{ ...loading, ready: undefined }], calls: times + 1 });
  });

  it('gives up on a server whose connections keep breaking', async () => {
    const last = new StatusError('UNAVAILABLE', 'No connection to host:8001: refused.', { unreachable: true });
    expect(await lookAt([connectionLostError, connectionLostError, last])).toEqual({ found: last, calls: 3 });
  });

  it('believes a server that refuses', async () => {
    const refusal = new StatusError('UNIMPLEMENTED', 'no model control here');
    expect(await lookAt([refusal])).toEqual({ found: refusal, calls: 1 });
  });
});
