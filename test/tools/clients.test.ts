import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateObject, generateText, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { directive } from '../support/exchange.ts';
import { sharedGateway } from '../support/gateway.ts';
import { pythonJson } from '../support/python.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { called, weatherCities as cities, weatherRounds as rounds } from './requests.ts';

let conch: SharedConch;
let client: OpenAI;
beforeAll(async () => {
  conch = await sharedGateway();
  client = new OpenAI({ baseURL: `${conch.url}/v1`, apiKey: 'none', maxRetries: 0 });
});

const model = 'vllm-toy';
const bern = '{"city": "Bern"}';
const zurich = '{"city": "Zürich"}';
const messages = (content: string) => [{ role: 'user' as const, content }];
const City = z.object({ city: z.string() });
const Trip = z.object({
  city: z.string(),
  days: z.number().int(),
  season: z.enum(['winter', 'summer']),
  stops: z.array(z.object({ name: z.string(), isLong: z.boolean() })),
});

/** A call without what the client notes beside it. */
function asSent(call: { id: string; type: string; function?: { name: string; arguments: string } }) {
  return called(call.function?.name ?? '', call.function?.arguments ?? '', call.id);
}
/** The toy's own instance of that schema, which it is guided to. */
const trip = { city: 'toy', days: 7, season: 'winter', stops: [{ name: 'toy', isLong: true }] };

describe("OpenAI's package for Node", () => {
  it('parses an answer that obeys a schema', async () => {
    const { choices } = await client.chat.completions.parse({
      model,
      messages: messages('Where to?'),
      response_format: zodResponseFormat(Trip, 'trip'),
    });
    expect(choices[0]?.message.parsed).toEqual(trip);
  });

  it('parses the arguments of a call', async () => {
    const { choices } = await client.chat.completions.parse({
      model,
      messages: messages('Where to?'),
      tools: [zodFunction({ name: 'book', parameters: Trip }), zodFunction({ name: 'get_weather', parameters: City })],
      tool_choice: 'required',
    });
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    expect(choices[0]?.message.tool_calls?.map((call) => call.function.parsed_arguments)).toEqual([trip]);
  });

  it.each([false, true])('runs tools until the answer is words (stream %s)', async (stream) => {
    const requested: string[] = [];
    const runs = {
      model,
      messages: messages(rounds),
      tools: [
        zodFunction({
          name: 'get_weather',
          description: 'The weather of a city',
          parameters: City,
          function: ({ city }) => {
            requested.push(city);
            return `sunny in ${city}`;
          },
        }),
      ],
    };
    const runner = stream
      ? client.chat.completions.runTools({ ...runs, stream: true })
      : client.chat.completions.runTools({ ...runs, stream: false });
    expect(await runner.finalContent()).toBe('All are sunny.');
    expect(requested).toEqual(cities);
    const said = runner.messages.map((message) => ({
      role: message.role,
      content: message.content ?? null,
      ...('tool_calls' in message && message.tool_calls ? { tool_calls: message.tool_calls.map(asSent) } : {}),
    }));
    expect(said).toEqual([
      { role: 'user', content: rounds },
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [called('get_weather', bern), called('get_weather', zurich)],
      },
      { role: 'tool', content: 'sunny in Bern' },
      { role: 'tool', content: 'sunny in Zürich' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [called('get_weather', '{"city": "Genève"}')],
      },
      { role: 'tool', content: 'sunny in Genève' },
      { role: 'assistant', content: 'All are sunny.' },
    ]);
  });
});

describe('the AI SDK of Vercel', () => {
  const languageModel = () =>
    createOpenAICompatible({ name: 'conch', baseURL: `${conch.url}/v1`, supportsStructuredOutputs: true })(model);
  const weatherTools = (requested: string[]) => ({
    get_weather: tool({
      description: 'The weather of a city',
      inputSchema: City,
      execute: ({ city }) => {
        requested.push(city);
        return { weather: `sunny in ${city}` };
      },
    }),
  });
  const steps = [
    { text: 'Let me see.', calls: ['Bern', 'Zürich'], finishReason: 'tool-calls' },
    { text: '', calls: ['Genève'], finishReason: 'tool-calls' },
    { text: 'All are sunny.', calls: [], finishReason: 'stop' },
  ];
  type Step = { text: string; finishReason: string; toolCalls: readonly { input: unknown }[] };
  const seen = (all: readonly Step[]) =>
    all.map(({ text, finishReason, toolCalls }) => ({
      text,
      calls: toolCalls.map(({ input }) => City.parse(input).city),
      finishReason,
    }));

  it('runs tools until the answer is words', async () => {
    const requested: string[] = [];
    const result = await generateText({
      model: languageModel(),
      prompt: rounds,
      tools: weatherTools(requested),
      stopWhen: stepCountIs(5),
    });
    expect(result.text).toBe('All are sunny.');
    expect(seen(result.steps)).toEqual(steps);
    expect(requested).toEqual(cities);
  });

  it('runs tools over streams', async () => {
    const requested: string[] = [];
    const result = streamText({
      model: languageModel(),
      prompt: rounds,
      tools: weatherTools(requested),
      stopWhen: stepCountIs(5),
    });
    let text = '';
    for await (const piece of result.textStream) text += piece;
    expect(text).toBe('Let me see.All are sunny.');
    expect(seen(await result.steps)).toEqual(steps);
    expect(requested).toEqual(cities);
  });

  it('reads reasoning beside the answer', async () => {
    const prompt = directive({ answer: '<think>\nHm.\n</think>\n\nYes.' });
    const { text, reasoningText } = await generateText({ model: languageModel(), prompt });
    expect({ text, reasoningText }).toEqual({ text: 'Yes.', reasoningText: 'Hm.' });
  });

  it('generates an object that obeys a schema', async () => {
    const { object } = await generateObject({ model: languageModel(), prompt: 'Where to?', schema: Trip });
    expect(object).toEqual(trip);
  });
});

describe('clients for Python', () => {
  const location = { name: 'toy', kind: 'sea', near: [{ name: 'toy', metres: 7.5 }] };

  const seenBy = (script: string): Promise<unknown> => pythonJson(script, [`${conch.url}/v1`, rounds]);

  it("OpenAI's package parses answers and calls, and runs a loop of tools", async () => {
    expect(await seenBy('test/tools/openai_tools.py')).toEqual({
      parsed: location,
      'parsed call': { name: 'find_place', arguments: location },
      'streamed parsed': location,
      loop: [...cities, 'All are sunny.'],
      'streamed loop': [...cities, 'All are sunny.'],
    });
  });

  it('LangChain binds tools and gets structured output', async () => {
    const loop = ['get_weather {"city": "Bern"}', 'get_weather {"city": "Zürich"}', 'get_weather {"city": "Genève"}'];
    expect(await seenBy('test/tools/langchain_tools.py')).toEqual({
      loop: [...loop, 'All are sunny.'],
      'streamed loop': [...loop, 'All are sunny.'],
      'by schema': location,
      'by function': location,
      'by mode': { toy: true },
      'bound to one': ['find_place'],
      'bound to any': ['get_weather'],
    });
  });
});
