import { expect, it } from 'vitest';
import { modelRows, type Server } from './model-rows.ts';

const server = (id: string, models: Readonly<Record<string, string>>): Server => ({
  id,
  kind: 'triton',
  state: 'ready',
  running: 0,
  requests: 0,
  failures: 0,
  first_response_ms: null,
  last_error: null,
  models: Object.entries(models).map(([name, state]) => ({ name, state })),
});

it('puts models and servers together, with what can be done', () => {
  const capabilities = { chat: true, completion: true, logprobs: true, tools: false };
  const rows = modelRows(
    [
      { id: 'llama', root: 'llama', contract: 'vllm', max_model_len: 4096, capabilities },
      { id: 'gpt-4o', root: 'llama', contract: 'vllm', max_model_len: null, capabilities },
      { id: 'later', state: 'unloaded' },
    ],
    [server('a', { llama: 'READY', spare: 'UNAVAILABLE' }), server('b', { llama: 'UNAVAILABLE', later: 'NOT LOADED' })],
  );
  const states = [
    { server: 'a', state: 'READY' },
    { server: 'b', state: 'UNAVAILABLE' },
  ];
  const abilities = ['chat', 'completion'];
  expect(rows).toEqual([
    { name: 'gpt-4o', kind: 'vllm', context: undefined, abilities, states, order: undefined },
    {
      name: 'later',
      kind: '',
      context: undefined,
      abilities: [],
      states: [{ server: 'b', state: 'NOT LOADED' }],
      order: 'load',
    },
    { name: 'llama', kind: 'vllm', context: 4096, abilities, states, order: 'unload' },
    {
      name: 'spare',
      kind: '',
      context: undefined,
      abilities: [],
      states: [{ server: 'a', state: 'UNAVAILABLE' }],
      order: 'load',
    },
  ]);
});

it('says of a model that Conch runs itself just that, and not how it is spoken to', () => {
  const llama = { id: 'llama', root: 'llama', contract: 'vllm' };
  const own = { ...server('embedded', { llama: 'READY' }), kind: 'embedded' };
  const kindsOn = (...servers: Server[]) => modelRows([llama], servers).map(({ kind }) => kind);
  expect(kindsOn(own)).toEqual(['embedded']);
  expect(kindsOn(own, server('a', { llama: 'READY' }))).toEqual(['vllm']);
  expect(kindsOn()).toEqual(['vllm']);
});
