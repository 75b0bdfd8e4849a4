import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runConch } from '../support/command.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { DynamoFrontend, vllmTensors } from '../support/dynamo-frontend.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { eventsOf, post } from '../support/gateway.ts';

const models = [{ name: 'llama', config: vllmTensors }, { name: 'plain' }];

describe.each([
  { what: 'no index', lacks: [] },
  { what: 'neither index nor configurations', lacks: ['ModelConfig'] as const },
])('a server with $what', ({ lacks }) => {
  const dynamo = new DynamoFrontend({ models, lacks });
  let conch: Conch;
  let address: string;
  beforeAll(async () => {
    address = `127.0.0.1:${await dynamo.listen()}`;
    const tokenizer = `llama=${tokenizerFolder('qwen3')}`;
    const flags = ['--triton', address, '--triton-model', 'plain', '--tokenizer', tokenizer];
    conch = await startConch({ flags: [...flags, '--refresh-interval', '100ms'] });
  });
  afterAll(async () => {
    await conch.stop();
    dynamo.close();
  });

  it('serves the model that has settings', async () => {
    const request = { model: 'llama', prompt: 'one two three', max_tokens: 8, temperature: 0 };
    const { status, body } = await post(`${conch.url}/v1/completions`, request);
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^cmpl-/),
        object: 'text_completion',
        created: expect.any(Number),
        model: 'llama',
        system_fingerprint: expect.stringMatching(/^fp_/),
        choices: [{ index: 0, text: 'one two three', logprobs: null, finish_reason: 'stop' }],
        usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 },
      },
    ]);
    expect(dynamo.inferences.at(-1)).toEqual({
      model: 'llama',
      version: '1',
      text_input: 'one two three',
      sampling_parameters: '{"max_tokens":8,"temperature":0}',
    });
  });

  it('streams chat', async () => {
    const messages = [{ role: 'user', content: 'four five' }];
    const { text } = await post(`${conch.url}/v1/chat/completions`, { model: 'llama', messages, stream: true });
    const chunks = eventsOf(text).slice(0, -1) as {
      choices: { delta: { content?: string }; finish_reason: string | null }[];
    }[];
    const content = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect([content.includes('four five'), chunks.at(-1)?.choices[0]?.finish_reason]).toEqual([true, 'stop']);
  });

  it('says why another model is not served', async () => {
    const { status, body } = await post(`${conch.url}/v1/completions`, { model: 'plain', prompt: 'x' });
    expect([status, body.error?.['message']]).toEqual([
      404,
      'The model "plain" does not exist. It is not served: it takes text_input and returns text_output, ' +
        'but has no inputs for sampling parameters like max_tokens.',
    ]);
  });

  it('loses a model and gets it back', async () => {
    const request = { model: 'llama', prompt: 'one', max_tokens: 8 };
    const statusOf = async () => (await post(`${conch.url}/v1/completions`, request)).status;
    dynamo.models = models.slice(1);
    await expect.poll(statusOf).toBe(404);
    dynamo.models = models;
    await expect.poll(statusOf).toBe(200);
  });

  it('is listed by conch models, with a model that it does not have', async () => {
    const flags = ['models', '--json', '--triton', address, '--triton-model', 'llama', '--triton-model', 'other'];
    const { stdout, code } = await runConch(flags);
    const row = { name: 'llama', version: '1', server: address, contract: 'vllm', tokenizer: '-', state: 'READY' };
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        models: [
          { ...row, reason: '' },
          {
            name: 'other',
            version: '',
            server: '-',
            contract: '-',
            tokenizer: '-',
            state: 'MISSING',
            reason: 'it is set with --triton-model, but no server has it',
          },
        ],
      },
    ]);
  });

  it('is diagnosed by conch doctor, which says what to set', async () => {
    const well = await runConch(['doctor', '--triton', address, '--triton-model', 'llama']);
    expect([well.code, well.stdout]).toEqual([0, expect.stringContaining('llama version 1 on')]);
    const unnamed = await runConch(['doctor', '--triton', address]);
    expect([unnamed.code, unnamed.stdout]).toEqual([
      1,
      `${address}: no name and version (ServerMetadata)\n  The server has no model index (RepositoryIndex), ` +
        'so its models must be set. Set --triton-model NAME for each.\n',
    ]);
  });
});
