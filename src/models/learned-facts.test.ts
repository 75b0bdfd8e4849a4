import { expect, it } from 'vitest';
import type { ControlCalls, ControlMethod } from '../kserve/messages.ts';
import type { InferenceServer } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { ModelRegistry } from './registry.ts';
import type { NamedModel } from './served-model.ts';

const text = (name: string) => ({ name, data_type: 'TYPE_STRING', dims: [1] });
const tensors = {
  input: ['text_input', 'sampling_parameters', 'image', 'embedding_request'].map(text),
  output: [text('text_output')],
};

/** A server with one vLLM model, which can be loaded again or fail. */
class OneModel implements InferenceServer {
  readonly name: string;
  state = 'READY';
  fault: Error | undefined;
  backend = 'vllm';

  constructor(name: string) {
    this.name = name;
  }

  async call<Method extends ControlMethod>(method: Method): Promise<ControlCalls[Method]['response']> {
    if (this.fault) throw this.fault;
    const config = { name: 'm', platform: '', backend: this.backend, max_batch_size: 0, parameters: {}, ...tensors };
    const models = [{ name: 'm', version: '1', state: this.state, reason: '' }];
    return (method === 'RepositoryIndex' ? { models } : { config }) as ControlCalls[Method]['response'];
  }

  infer(): never {
    throw new Error('not asked for here');
  }

  stream(): never {
    throw new Error('not asked for here');
  }

  async close(): Promise<void> {}
}

async function registryOf(first: OneModel, ...others: OneModel[]) {
  const servers = [first, ...others];
  let described = 0;
  const registry = new ModelRegistry({
    servers,
    refreshInterval: 1_000_000,
    hints: () => ({}),
    groupOf: (_, members) => ({
      servers: members,
      stream: () => first.stream(),
      again: async () => false,
    }),
    loraSeparator: '_lora_',
    aliases: new Map(),
    describe: (found) => {
      described++;
      return { ...found, tokenizerName: '-' } as unknown as NamedModel;
    },
  });
  await registry.refresh();
  const learn = (message: string, server = first) =>
    registry.find('m').learn?.(server, new StatusError('UNKNOWN', message));
  const known = () => {
    const { contract, rows } = registry.find('m');
    const { embedding } = rows;
    return [contract?.limits.context, contract?.images.kind, embedding?.longest ?? embedding?.kind];
  };
  return { registry, learn, known, described: () => described };
}

const tooLong = (length: number) =>
  `The decoder prompt (length 9999) is longer than the maximum model length of ${length}.`;
const guessed = [undefined, 'taken', 'vllm'];

it('learns from the error of an engine', async () => {
  const { learn, known, registry, described } = await registryOf(new OneModel('a'));
  expect(known()).toEqual(guessed);
  learn(`Error generating stream: ${tooLong(2048)} Make sure …`);
  expect(known()).toEqual([2048, 'taken', 2048]);
  learn('Error generating stream: m is not a multimodal model');
  expect(known()).toEqual([2048, 'refused', 2048]);
  learn("Error generating stream: Model m does not support 'embed' request");
  expect(known()).toEqual([2048, 'refused', undefined]);
  const times = described();
  learn('Error generating stream: m is not a multimodal model');
  await registry.refresh();
  expect([known(), described()]).toEqual([[2048, 'refused', undefined], times]);
});

it('detects a model that only creates embeddings', async () => {
  const { learn, known, registry } = await registryOf(new OneModel('a'));
  learn("Error generating stream: Model m does not support 'generate' request");
  expect(known()).toEqual([undefined, undefined, 'vllm']);
  expect(() => registry.findForRequest('m')).toThrow(
    'model: m does not generate text. It creates embeddings: use POST /v1/embeddings.',
  );
  expect(registry.rows().map(({ contract }) => contract)).toEqual(['embedding']);
});

it('goes by the shortest context of all servers', async () => {
  const [a, b] = [new OneModel('a'), new OneModel('b')];
  const { learn, known } = await registryOf(a, b);
  learn(tooLong(2048), b);
  expect(known()[0]).toBe(2048);
  learn(tooLong(4096), a);
  expect(known()[0]).toBe(2048);
});

it.each<[string, (server: OneModel, registry: ModelRegistry) => Promise<void>]>([
  [
    'was away',
    async (server, registry) => {
      server.fault = new StatusError('UNAVAILABLE', 'away');
      await registry.refresh();
      server.fault = undefined;
    },
  ],
  [
    'was not ready',
    async (server, registry) => {
      server.state = 'LOADING';
      await registry.refresh();
      server.state = 'READY';
    },
  ],
  ['is unloaded', async (_, registry) => registry.withdraw(['m'])()],
])('forgets it when the model %s', async (_, change) => {
  const server = new OneModel('a');
  const { learn, known, registry } = await registryOf(server);
  learn(tooLong(2048));
  await change(server, registry);
  await registry.refresh();
  expect(known()).toEqual(guessed);
});

it('learns nothing of a model of another backend', async () => {
  const server = new OneModel('a');
  server.backend = 'llamacpp';
  const { learn, known } = await registryOf(server);
  learn(tooLong(2048));
  expect(known()).toEqual([undefined, 'refused', 'vllm']);
});
