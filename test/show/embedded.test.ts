import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Conch, startConch } from '../support/conch.ts';
import { post } from '../support/gateway.ts';
import { python } from '../support/python.ts';

const model = 'smollm2-135m-instruct';
let conch: Conch;
beforeAll(async () => {
  conch = await startConch({ readyMilliseconds: 180_000 });
}, 200_000);
afterAll(() => conch.stop());

describe('conch alone', { timeout: 120_000 }, () => {
  it("chats with OpenAI's Python package: streamed, twice at once, and with a schema that the answer obeys", async () => {
    const { stdout, stderr, exitCode } = await python('test/show/smollm2.py', [`${conch.url}/v1`, model]);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    const { together, animal, reason } = JSON.parse(stdout);
    for (const response of together) {
      expect(response).toEqual({
        text: expect.stringMatching(/\w/),
        tokens: expect.any(Number),
        reason: expect.any(String),
      });
      expect(response.tokens).toBeLessThanOrEqual(24);
    }
    expect(reason).toBe('stop');
    expect(JSON.parse(animal)).toEqual({
      name: expect.stringMatching(/^.{0,20}$/s),
      legs: expect.any(Number),
      habitat: expect.stringMatching(/^(sea|land)$/),
    });
  });

  it('chats with clients that send tools with every request, like Open WebUI', async () => {
    const tools = [{ type: 'function', function: { name: 'search_web', parameters: { type: 'object' } } }];
    const messages = [{ role: 'user', content: 'Say hello.' }];
    const request = { model, messages, tools, max_tokens: 8 };
    const { status, headers, body } = await post(`${conch.url}/v1/chat/completions`, request);
    expect([status, headers.get('x-conch-ignored')]).toEqual([200, 'tools']);
    expect(body).toMatchObject({ choices: [{ message: { content: expect.stringMatching(/\w/) } }] });
  });

  it('refuses a schema that it cannot honour by the field that asked for it', async () => {
    const schema = { type: 'object', patternProperties: { '^a': { type: 'string' } }, not: { type: 'null' } };
    const { status, body } = await post(`${conch.url}/v1/chat/completions`, {
      model,
      messages: [{ role: 'user', content: 'x' }],
      response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
    });
    expect(status).toBe(400);
    const param = 'response_format.json_schema.schema.patternProperties';
    expect(body.error).toMatchObject({ code: 'invalid_request', param });
    expect(String(body.error?.['message'])).toContain(`${param}: `);
  });
});
