import { describe, expect, it } from 'vitest';
import { errorOf, groupOf, registryOf, ScriptedServer, text } from '../../test/support/scripted-registry.ts';
import { StatusError } from '../kserve/status.ts';
import { namedBySettings } from './adapters.ts';
import { ModelRegistry } from './registry.ts';
import type { ServedModel } from './served-model.ts';

describe('ModelRegistry', () => {
  it('offers nothing of an engine that has failed, and says so', async () => {
    const servers = [new ScriptedServer('a', [{ name: 'llama' }]), new ScriptedServer('b', [{ name: 'llama' }])];
    const down = new Set<string>();
    const registry = registryOf(servers, new Map(), {
      engineFailure: ({ name }) => (down.has(name) ? { part: 'engine', message: '', by: 'request', at: 0 } : undefined),
      engineOutlook: 'Conch reloads it.',
    });
    await registry.refresh();
    const holders = () => registry.list().map(({ name, group }) => [name, group.servers.map((server) => server.name)]);
    expect(holders()).toEqual([['llama', ['a', 'b']]]);
    down.add('a');
    registry.followEngines();
    expect(holders()).toEqual([['llama', ['b']]]);
    expect(registry.rows().map(({ server, state, reason }) => [server, state, reason])).toEqual([
      ['a', 'FAILED', 'its engine has failed'],
      ['b', 'READY', ''],
    ]);
    down.add('b');
    registry.followEngines();
    expect([holders(), registry.notReadyReason()]).toEqual([[], 'No model is ready. The engine of llama has failed.']);
    expect(errorOf(() => registry.find('llama'))).toEqual({
      code: 'model_not_ready',
      message: 'The engine of the model llama has failed. Conch reloads it.',
    });
    for (const server of servers) server.entries = [{ name: 'llama', state: 'UNAVAILABLE' }];
    await registry.refresh();
    expect(errorOf(() => registry.find('llama'))).toMatchObject({ code: 'model_not_ready' });
    for (const server of servers) server.entries = [{ name: 'llama' }];
    await registry.refresh();
    down.clear();
    registry.followEngines();
    expect([holders(), registry.notReadyReason()]).toEqual([[['llama', ['a', 'b']]], undefined]);
  });

  it('serves what fits a contract, under its name and its aliases', async () => {
    const server = new ScriptedServer('a', [{ name: 'llama' }, { name: 'numbers', config: { input: [], output: [] } }]);
    const registry = registryOf([server], new Map([['gpt', 'llama']]));
    await registry.refresh();
    expect(registry.list().map(({ name, model }) => [name, model])).toEqual([
      ['llama', 'llama'],
      ['gpt', 'llama'],
    ]);
    expect(errorOf(() => registry.find('numbers'))).toEqual({
      code: 'model_not_found',
      message: 'The model "numbers" does not exist. It is not served: no contract fits its tensors.',
    });
  });

  it('keeps what a server says of a failed load from the client, and shows it in the table', async () => {
    const reason = 'Traceback\n  /srv/models/bad/1/model.py(12)';
    const registry = registryOf([new ScriptedServer('a', [{ name: 'bad', state: 'UNAVAILABLE', reason }])]);
    await registry.refresh();
    expect(errorOf(() => registry.find('bad')).message).toBe(
      'The model "bad" does not exist. It is not served: it is not loaded.',
    );
    expect(registry.rows()).toMatchObject([{ name: 'bad', state: 'UNAVAILABLE', reason }]);
  });

  it('says what to do about a model that cannot be loaded, without the paths of its server', async () => {
    const reason = "Internal: No module named 'vllm.inputs.data'\n\nAt:\n  /opt/tritonserver/model.py(41)";
    const registry = registryOf([new ScriptedServer('a', [{ name: 'bad', state: 'UNAVAILABLE', reason }])]);
    await registry.refresh();
    const advice =
      "Triton's vLLM backend does not support the installed version of vLLM. Install vllm<0.19, " +
      'or create a model that supports it: conch repo init vllm --conch.';
    expect(() => registry.find('bad')).toThrow(
      `The model "bad" does not exist. It is not served: it could not be loaded. ${advice}`,
    );
    expect(registry.rows()).toMatchObject([{ name: 'bad', state: 'UNAVAILABLE', reason: `${advice}\n${reason}` }]);
  });

  it('keeps how a model is spoken to when one call for its configuration fails', async () => {
    const server = new ScriptedServer('a', [{ name: 'llama' }, { name: 'qwen' }]);
    const registry = registryOf([server]);
    await registry.refresh();
    const before = registry.list();
    server.entries = [{ name: 'llama', config: new Error('busy') }, { name: 'qwen' }, { name: 'new' }];
    await registry.refresh();
    expect(registry.list().map(({ name }) => name)).toEqual(['llama', 'new', 'qwen']);
    expect(registry.find('llama')).toBe(before[0]);
  });

  it('shows a name for a model that no server has', async () => {
    const registry = registryOf([new ScriptedServer('a', [{ name: 'llama' }])], new Map([['gpt', 'lama']]));
    await registry.refresh();
    expect(registry.rows().at(-1)).toMatchObject({
      name: 'gpt',
      state: 'MISSING',
      reason: 'it is an alias of lama, which no server has',
    });
  });

  it('shows a model of --triton-model that no server has', async () => {
    const expectedModels = ['llama', 'qwen', 'gpt'];
    const registry = registryOf([new ScriptedServer('a', [{ name: 'llama' }])], new Map([['gpt', 'llama']]), {
      expectedModels,
    });
    await registry.refresh();
    const missing = registry.rows().filter(({ state }) => state === 'MISSING');
    expect(missing).toEqual([
      {
        name: 'qwen',
        version: '',
        server: '-',
        contract: '-',
        tokenizer: '-',
        state: 'MISSING',
        reason: 'it is set with --triton-model, but no server has it',
      },
    ]);
  });

  it('expects the models of an unreachable server back, while another one is reachable', async () => {
    const [first, second] = [new ScriptedServer('a', [{ name: 'llama' }]), new ScriptedServer('b', [{ name: 'qwen' }])];
    const registry = registryOf([first, second]);
    await registry.refresh();
    first.entries = new StatusError('UNAVAILABLE', 'gone', { unreachable: true });
    await registry.refresh();
    expect(errorOf(() => registry.find('llama')).code).toBe('server_not_ready');
    expect(errorOf(() => registry.find('nobody')).code).toBe('model_not_found');
    expect(registry.find('qwen').name).toBe('qwen');
    first.entries = [{ name: 'llama' }];
    await registry.refresh();
    expect(registry.find('llama').name).toBe('llama');
  });

  it('serves the other models when the configuration of one cannot be read', async () => {
    const closed = { name: 'gone', config: new StatusError('NOT_FOUND', 'unloaded a moment ago') };
    const registry = registryOf([new ScriptedServer('a', [closed, { name: 'stays' }])]);
    await registry.refresh();
    expect(registry.list().map(({ name }) => name)).toEqual(['stays']);
    expect(registry.rows().map(({ name, state }) => [name, state])).toEqual([
      ['gone', 'UNKNOWN'],
      ['stays', 'READY'],
    ]);
  });

  it('sends requests only to servers that have a model configured alike', async () => {
    const old = { output: [text('text_output'), text('more')] };
    const servers = [
      new ScriptedServer('new', [{ name: 'llama' }]),
      new ScriptedServer('old', [{ name: 'llama', config: old }]),
      new ScriptedServer('too', [{ name: 'llama' }]),
    ];
    const registry = registryOf(servers);
    await registry.refresh();
    expect(registry.find('llama').group.servers.map(({ name }) => name)).toEqual(['new', 'too']);
    expect(registry.rows().map(({ server, reason }) => [server, reason])).toEqual([
      ['new', ''],
      ['old', 'another server has it with another version or configuration'],
      ['too', ''],
    ]);
  });

  it('finds adapters behind the first model that has them, and models before adapters', async () => {
    const names = ['a', 'a_lora_b', 'plain'];
    const server = new ScriptedServer(
      's',
      names.map((name) => ({ name })),
    );
    const registry = new ModelRegistry({
      servers: [server],
      refreshInterval: 1_000_000,
      hints: () => ({}),
      groupOf,
      loraSeparator: '_lora_',
      aliases: new Map(),
      describe: (found) => {
        const adapters = found.name === 'plain' ? { choose: () => undefined } : namedBySettings(['x', 'b_lora_y']);
        return { ...found, adapters } as unknown as ServedModel;
      },
    });
    await registry.refresh();
    const found = (name: string) => {
      const { name: served, root, parent, loraName } = registry.findForRequest(name);
      return [served, root, parent, loraName];
    };
    expect(found('a_lora_x')).toEqual(['a_lora_x', 'a', 'a', 'x']);
    expect(found('a_lora_b')).toEqual(['a_lora_b', 'a_lora_b', undefined, undefined]);
    expect(found('a_lora_b_lora_y')).toEqual(['a_lora_b_lora_y', 'a', 'a', 'b_lora_y']);
    expect(errorOf(() => found('a_lora_zzz'))).toEqual({
      code: 'model_not_found',
      message: 'This model has no LoRA adapter named zzz. It has: x, b_lora_y.',
    });
    expect(errorOf(() => found('plain_lora_x')).message).toBe('The model "plain_lora_x" does not exist.');
  });

  it('asks for patience for an adapter as for its model', async () => {
    const server = new ScriptedServer('s', [{ name: 'a', state: 'LOADING' }]);
    const registry = registryOf([server], new Map([['gpt', 'a']]));
    await registry.refresh();
    const codes = () => ['a', 'a_lora_x', 'gpt_lora_x'].map((name) => errorOf(() => registry.findForRequest(name)));
    expect(codes()).toEqual([
      { code: 'model_not_ready', message: 'The model a is loading. Try again later.' },
      { code: 'model_not_ready', message: 'The model a_lora_x is loading. Try again later.' },
      { code: 'model_not_ready', message: 'The model gpt_lora_x is loading. Try again later.' },
    ]);
    server.entries = [{ name: 'a' }];
    await registry.refresh();
    registry.withdraw(['a']);
    expect(codes().map(({ message }) => message)).toEqual([
      'The model a is unloading. Try again later.',
      'The model a_lora_x is unloading. Try again later.',
      'The model gpt_lora_x is unloading. Try again later.',
    ]);
  });

  it('expects an adapter back with the server of its model', async () => {
    const first = new ScriptedServer('first', [{ name: 'a' }]);
    const registry = registryOf([first, new ScriptedServer('second', [{ name: 'b' }])]);
    await registry.refresh();
    first.entries = new StatusError('UNAVAILABLE', 'gone', { unreachable: true });
    await registry.refresh();
    expect(errorOf(() => registry.findForRequest('a_lora_x'))).toEqual({
      code: 'server_not_ready',
      message: 'The server of this model is unreachable. Try again later.',
    });
  });

  it('gives a model back when all that have withdrawn it have', async () => {
    const registry = registryOf([new ScriptedServer('s', [{ name: 'outer' }, { name: 'other' }])]);
    await registry.refresh();
    const offered = () => registry.list().map(({ name }) => name);
    const [first, second] = [registry.withdraw(['outer', 'other']), registry.withdraw(['outer'])];
    expect(offered()).toEqual([]);
    first();
    expect(offered()).toEqual(['other']);
    second();
    expect(offered()).toEqual(['other', 'outer']);
  });

  it('keeps the object of a model that did not change', async () => {
    const registry = registryOf([new ScriptedServer('a', [{ name: 'llama' }])]);
    await registry.refresh();
    const before = registry.find('llama');
    await registry.refresh();
    expect(registry.find('llama')).toBe(before);
  });

  it('follows settings that change: names, what they are described by, and how models are spoken to', async () => {
    const server = new ScriptedServer('a', [{ name: 'llama' }, { name: 'qwen' }]);
    let aliases = new Map([['gpt', 'llama']]);
    let bases: Record<string, string> = {};
    let contract: 'trtllm' | undefined;
    const registry = new ModelRegistry({
      servers: [server],
      refreshInterval: 1_000_000,
      groupOf,
      hints: (model) => (model === 'qwen' ? { contract } : {}),
      loraSeparator: '_lora_',
      get aliases() {
        return aliases;
      },
      describe: (found) => ({ ...found, tokenizerName: '-' }) as unknown as ServedModel,
      basisOf: (name) => bases[name] ?? '',
    });
    await registry.refresh();
    const [llama, gpt] = [registry.find('llama'), registry.find('gpt')];
    bases = { gpt: 'other defaults' };
    await registry.reconsider();
    expect([registry.find('llama') === llama, registry.find('gpt') === gpt]).toEqual([true, false]);
    aliases = new Map([
      ['gpt', 'qwen'],
      ['llama', 'qwen'],
    ]);
    await registry.reconsider();
    expect(registry.list().map(({ name, root }) => [name, root])).toEqual([
      ['llama', 'qwen'],
      ['qwen', 'qwen'],
      ['gpt', 'qwen'],
    ]);
    expect(registry.rows()[0]).toMatchObject({ name: 'llama', reason: 'its name is an alias of qwen' });
    contract = 'trtllm';
    await registry.reconsider();
    expect(errorOf(() => registry.find('qwen')).code).toBe('model_not_found');
  });
});

describe('servers that come and go', () => {
  it('are followed: a new one is checked, a removed one is forgotten, the others stay', async () => {
    const [one, two] = [
      new ScriptedServer('one', [{ name: 'shared' }, { name: 'old' }]),
      new ScriptedServer('two', [{ name: 'shared' }, { name: 'new' }]),
    ];
    const registry = registryOf([one]);
    await registry.start();
    const seen = () =>
      Object.fromEntries(registry.list().map(({ name, group }) => [name, group.servers.map((server) => server.name)]));
    expect(seen()).toEqual({ shared: ['one'], old: ['one'] });
    await registry.follow([one, two]);
    await registry.refresh();
    expect(seen()).toEqual({ shared: ['one', 'two'], old: ['one'], new: ['two'] });
    await registry.follow([two]);
    expect(seen()).toEqual({ shared: ['two'], new: ['two'] });
    await registry.close();
  });

  it('serve on when all are replaced, until one of the new ones was looked at', async () => {
    const old = new ScriptedServer('old', [{ name: 'm' }]);
    const [slow, down] = [new ScriptedServer('slow', [{ name: 'm' }]), new ScriptedServer('down', [])];
    down.entries = new StatusError('UNAVAILABLE', 'down', { unreachable: true });
    const look = slow.call.bind(slow);
    let respond = (): void => undefined;
    const requested = new Promise<void>((resolve) => {
      respond = resolve;
    });
    slow.call = async (method, request) => {
      await requested;
      return look(method, request);
    };
    const registry = registryOf([old]);
    await registry.start();
    const names = () => registry.find('m').group.servers.map(({ name }) => name);
    const left = registry.follow([slow, down]);
    await registry.refresh([down]);
    expect([names(), registry.notReadyReason()]).toEqual([['old'], undefined]);
    respond();
    await left;
    expect([names(), registry.servers().length]).toEqual([['slow'], 2]);
    await registry.close();
  });

  it('may all be gone', async () => {
    const registry = registryOf([new ScriptedServer('one', [{ name: 'm' }])]);
    await registry.start();
    await registry.follow([]);
    expect(errorOf(() => registry.find('m')).code).toBe('server_not_ready');
    expect(registry.notReadyReason()).toBe('No model is ready.');
    await registry.close();
  });
});
