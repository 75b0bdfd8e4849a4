import { describe, expect, it } from 'vitest';
import type { KeyHolder } from '../../keys/key-holder.ts';
import type { ControlMethod } from '../../kserve/messages.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import { KeyedServer } from './keyed-server.ts';

const changes: readonly [ControlMethod, object][] = [
  ['RepositoryModelLoad', { model_name: 'llama', parameters: {} }],
  ['RepositoryModelUnload', { model_name: 'llama', parameters: {} }],
  ['LogSettings', { settings: { log_info: { bool_param: true } } }],
  ['TraceSetting', { settings: { trace_rate: { value: ['1'] } }, model_name: '' }],
];

const looks: readonly [ControlMethod, object][] = [
  ['LogSettings', { settings: {} }],
  ['TraceSetting', { settings: {}, model_name: 'llama' }],
  ['RepositoryIndex', { ready: true }],
];

function serverFor(rules: Partial<KeyHolder>): KeyedServer {
  const server = { name: 'a', call: async () => ({}) } as unknown as InferenceServer;
  return new KeyedServer(server, { holder: { id: 'key:a', name: 'a', owner: '', ...rules } });
}

describe('a key', () => {
  it.each(changes)('for some models may not ask for %s', async (method, request) => {
    await expect(serverFor({ models: ['llama'] }).call(method, request as never)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('This API key is limited to specific models and cannot load or unload models'),
    });
    expect(await serverFor({ models: ['llama'], mayManage: true }).call(method, request as never)).toEqual({});
    expect(await serverFor({}).call(method, request as never)).toEqual({});
  });

  it.each(looks)('for some models may look with %s', async (method, request) => {
    expect(await serverFor({ models: ['llama'] }).call(method, request as never)).toEqual({});
  });

  it('that may manage models manages only its own', async () => {
    const call = serverFor({ models: ['llama'], mayManage: true }).call('RepositoryModelUnload', {
      model_name: 'other',
      parameters: {},
    });
    await expect(call).rejects.toMatchObject({ message: 'This API key does not have access to the model "other".' });
  });
});
