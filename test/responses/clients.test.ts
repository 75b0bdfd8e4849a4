import { createOpenAI } from '@ai-sdk/openai';
import { generateObject, generateText, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type { FunctionTool, Response, ResponseInputItem } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { directive } from '../support/exchange.ts';
import { pythonJson } from '../support/python.ts';
import { weatherCities as cities, weatherRounds as rounds } from '../tools/requests.ts';
import { startKeeping } from './requests.ts';

let conch: Awaited<ReturnType<typeof startKeeping>>;
let client: OpenAI;
beforeAll(async () => {
  conch = await startKeeping();
  client = new OpenAI({ baseURL: `${conch.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
afterAll(() => conch.end());

const model = 'vllm-toy';
const City = z.object({ city: z.string() });
const Trip = z.object({ city: z.string(), days: z.number().int(), season: z.enum(['winter', 'summer']) });
const trip = { city: 'toy', days: 7, season: 'winter' };
const weather: FunctionTool = {
  type: 'function',
  name: 'get_weather',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe("OpenAI's package for Node", () => {
  it('creates and streams a response', async () => {
    const input = directive({ answer: '<think>\nHm.\n</think>\n\nYes, it is.' });
    const created = await client.responses.create({ model, input, instructions: 'Be brief.' });
    expect([created.output_text, created.status]).toEqual(['Yes, it is.', 'completed']);
    expect(created.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    const stream = client.responses.stream({ model, input });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const whole = await stream.finalResponse();
    expect([text, whole.output_text, whole.usage?.output_tokens]).toEqual([
      'Yes, it is.',
      'Yes, it is.',
      created.usage?.output_tokens,
    ]);
    expect(await client.responses.retrieve(created.id)).toEqual(created);
  });

  it('parses an answer that obeys a schema', async () => {
    const text = { format: zodTextFormat(Trip, 'trip') };
    const parsed = await client.responses.parse({ model, input: 'Where to?', text });
    expect(parsed.output_parsed).toEqual(trip);
    const streamed = await client.responses.stream({ model, input: 'Where to?', text }).finalResponse();
    expect(streamed.output_parsed).toEqual(trip);
  });

  it.each([false, true])('runs a loop of tools over previous_response_id (stream %s)', async (stream) => {
    const requested: string[] = [];
    let input: string | ResponseInputItem[] = rounds;
    let previous: string | undefined;
    let result = '';
    for (let round = 0; round < 5; round++) {
      const body = { model, input, tools: [weather], previous_response_id: previous ?? null };
      const response: Response = stream
        ? await client.responses.stream(body).finalResponse()
        : await client.responses.create(body);
      previous = response.id;
      const calls = response.output.filter((item) => item.type === 'function_call');
      result = response.output_text;
      if (calls.length === 0) break;
      input = calls.map(({ call_id, arguments: json }) => {
        const { city } = City.parse(JSON.parse(json));
        requested.push(city);
        return { type: 'function_call_output', call_id, output: `sunny in ${city}` };
      });
    }
    expect([requested, result]).toEqual([cities, 'All are sunny.']);
  });

  it('counts the tokens of a request as the answer does', async () => {
    const input = directive({ answer: 'Yes.' });
    const counted = await client.responses.inputTokens.count({ model, input });
    const { usage } = await client.responses.create({ model, input });
    expect(counted).toEqual({ object: 'response.input_tokens', input_tokens: usage?.input_tokens });
  });
});

describe("the AI SDK's own provider of OpenAI", () => {
  const languageModel = () => createOpenAI({ baseURL: `${conch.url}/v1`, apiKey: 'none' })(model);
  const tools = (requested: string[]) => ({
    get_weather: tool({
      inputSchema: City,
      execute: ({ city }) => {
        requested.push(city);
        return { weather: `sunny in ${city}` };
      },
    }),
  });

  it('runs tools until the answer is words, whole and streamed', async () => {
    const requested: string[] = [];
    const options = { model: languageModel(), prompt: rounds, tools: tools(requested), stopWhen: stepCountIs(5) };
    expect((await generateText(options)).text).toBe('All are sunny.');
    expect(requested.splice(0)).toEqual(cities);
    const streamed = streamText(options);
    let text = '';
    for await (const piece of streamed.textStream) text += piece;
    expect([text, requested]).toEqual(['Let me see.All are sunny.', cities]);
  });

  it('generates an object that obeys a schema', async () => {
    const { object } = await generateObject({ model: languageModel(), prompt: 'Where to?', schema: Trip });
    expect(object).toEqual(trip);
  });
});

describe('clients for Python', () => {
  const location = { name: 'toy', kind: 'sea', near: [{ name: 'toy', metres: 7.5 }] };

  const seenBy = (script: string): Promise<unknown> =>
    pythonJson(script, [`${conch.url}/v1`, rounds], { environment: { PYTHONPATH: 'test/tools' } });

  it("OpenAI's package creates, streams and parses, and runs a loop of tools", async () => {
    expect(await seenBy('test/responses/openai_responses.py')).toEqual({
      created: 'Yes.',
      streamed: ['Yes.', 'Yes.'],
      parsed: location,
      loop: [...cities, 'All are sunny.'],
      'streamed loop': [...cities, 'All are sunny.'],
    });
  });

  it("OpenAI's Agents SDK runs an agent with a function tool", async () => {
    expect(await seenBy('test/responses/agents_sdk.py')).toEqual({
      answer: 'All are sunny.',
      'streamed answer': 'All are sunny.',
      asked: [...cities, ...cities],
    });
  });
});
