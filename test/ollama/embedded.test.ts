import { Ollama } from 'ollama';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Conch, startConch } from '../support/conch.ts';

const model = 'smollm2-135m-instruct';
let conch: Conch;
let client: Ollama;
beforeAll(async () => {
  conch = await startConch({ readyMilliseconds: 180_000 });
  client = new Ollama({ host: conch.url });
}, 200_000);
afterAll(() => conch.stop());

describe("Ollama's package with the embedded model", { timeout: 120_000 }, () => {
  const messages = [{ role: 'user', content: 'What is a conch?' }];
  const options = { num_predict: 16, temperature: 0, seed: 1 };

  it('streams what it also gives as a whole, and counts its tokens', async () => {
    const { message, eval_count: tokens, prompt_eval_count: read } = await client.chat({ model, messages, options });
    let text = '';
    let counted: number[] = [];
    for await (const part of await client.chat({ model, messages, options, stream: true })) {
      text += part.message.content;
      if (part.done) counted = [part.eval_count, part.prompt_eval_count];
    }
    expect(message.content).toMatch(/\w/);
    expect([text, counted]).toEqual([message.content, [tokens, read]]);
    expect(tokens).toBeLessThanOrEqual(16);
    expect(read).toBeGreaterThan(0);
  });

  it('obeys a schema, also from a prompt', async () => {
    const format = {
      type: 'object',
      properties: { name: { type: 'string', maxLength: 12 }, habitat: { enum: ['sea', 'land'] } },
      required: ['name', 'habitat'],
      additionalProperties: false,
    };
    const { response, done_reason: reason } = await client.generate({
      model,
      prompt: 'Describe a whale.',
      format,
      options: { temperature: 0, num_predict: 200 },
    });
    expect([JSON.parse(response ?? ''), reason]).toEqual([
      { name: expect.any(String), habitat: expect.stringMatching(/^(sea|land)$/) },
      'stop',
    ]);
  });

  it('finds the model in the list under the name that it answers to', async () => {
    const { models } = await client.list();
    expect(models.map(({ name }) => name)).toEqual([`${model}:latest`]);
    const { capabilities, model_info: facts } = await client.show({ model: `${model}:latest` });
    expect(capabilities).toContain('completion');
    expect(facts).toMatchObject({ 'general.basename': model });
  });
});
