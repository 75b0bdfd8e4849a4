import { ApiError, FunctionCallingConfigMode, type GenerateContentResponse, GoogleGenAI, Type } from '@google/genai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf } from '../images/requests.ts';
import type { Conch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, startGateway } from '../support/gateway.ts';
import { sample } from '../support/image-fixtures.ts';
import { weatherCities as cities, weatherRounds as rounds, written } from '../tools/requests.ts';

let conch: Conch;
let client: GoogleGenAI;
beforeAll(async () => {
  // A template whose prompts can be read.
  conch = await startGateway('--chat-template', `vllm-bos=${inRoot('test/gateway/plain.jinja')}`);
  client = clientOf(conch);
});
afterAll(() => conch.stop());

function clientOf({ url }: Pick<Conch, 'url'>, apiKey = 'none'): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
}

const model = 'vllm-toy';
const weather = {
  functionDeclarations: [
    {
      name: 'get_weather',
      parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
    },
  ],
};
const requestOf = (text: string, more: object = {}) => ({ contents: [{ role: 'user', parts: [{ text }] }], ...more });
const urlOf = (method: string, name = model) => `${conch.url}/v1beta/models/${name}:${method}`;

async function chunksOf(stream: AsyncIterable<GenerateContentResponse>): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe("Google's package for Node", () => {
  const reasoned = directive({ answer: '<think>\nHm.\n</think>\n\nYes, it is.' });

  it('generates content, with and without thoughts', async () => {
    const config = { systemInstruction: 'Be brief.', maxOutputTokens: 1000 };
    const plain = await client.models.generateContent({ model, contents: reasoned, config });
    expect([plain.candidates, plain.modelVersion, plain.responseId]).toEqual([
      [{ content: { parts: [{ text: 'Yes, it is.' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
      model,
      expect.stringMatching(/^\w{32}$/),
    ]);
    const {
      promptTokenCount: prompt = 0,
      candidatesTokenCount = 0,
      thoughtsTokenCount = 0,
    } = plain.usageMetadata ?? {};
    expect([prompt > 0, candidatesTokenCount > 0, thoughtsTokenCount > 0]).toEqual([true, true, true]);
    expect(plain.usageMetadata?.totalTokenCount).toBe(prompt + candidatesTokenCount + thoughtsTokenCount);
    const thinking = { ...config, thinkingConfig: { includeThoughts: true } };
    const { candidates } = await client.models.generateContent({ model, contents: reasoned, config: thinking });
    expect(candidates?.[0]?.content?.parts).toEqual([
      { text: expect.stringContaining('Hm.'), thought: true },
      { text: 'Yes, it is.' },
    ]);
    const counted = await client.models.countTokens({ model, contents: reasoned });
    const { usageMetadata } = await client.models.generateContent({ model, contents: reasoned });
    expect(counted.totalTokens).toBe(usageMetadata?.promptTokenCount);
  });

  it('streams content', async () => {
    const config = { thinkingConfig: { includeThoughts: true } };
    const chunks = await chunksOf(await client.models.generateContentStream({ model, contents: reasoned, config }));
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
    const textOf = (isThought: boolean) =>
      parts.flatMap(({ text = '', thought = false }) => (thought === isThought ? [text] : [])).join('');
    expect([textOf(true).trim(), textOf(false)]).toEqual(['Hm.', 'Yes, it is.']);
    const [last] = chunks.slice(-1);
    const whole = await client.models.generateContent({ model, contents: reasoned, config });
    expect([last?.candidates?.[0]?.finishReason, last?.usageMetadata]).toEqual(['STOP', whole.usageMetadata]);
    expect(chunks.slice(0, -1).filter(({ candidates }) => candidates?.[0]?.finishReason)).toEqual([]);
  });

  it.each([false, true])('runs a loop of tools in a chat (stream %s)', async (streams) => {
    const chat = client.chats.create({ model, config: { tools: [weather] } });
    const seen: unknown[] = [];
    let message: Parameters<typeof chat.sendMessage>[0]['message'] = rounds;
    let text: string | undefined;
    for (let round = 0; round < 5; round++) {
      const responses: GenerateContentResponse[] = streams
        ? await chunksOf(await chat.sendMessageStream({ message }))
        : [await chat.sendMessage({ message })];
      const calls = responses.flatMap((response) => response.functionCalls ?? []);
      text = responses.map((response) => response.text ?? '').join('');
      if (calls.length === 0) break;
      message = calls.map(({ id, name, args }) => {
        seen.push(args?.['city']);
        const output = `sunny in ${String(args?.['city'])}`;
        return { functionResponse: { id: id ?? '', name: name ?? '', response: { output } } };
      });
    }
    expect([seen, text]).toEqual([cities, 'All are sunny.']);
  });

  it('gives reasoning before a call back to the model', async () => {
    const answers = [`<think>\nI must look.\n</think>\n\n${written('get_weather', '{"city": "Bern"}')}`];
    const chat = client.chats.create({ model, config: { tools: [weather] } });
    const { candidates } = await chat.sendMessage({ message: directive({ answers }) });
    const [part] = candidates?.[0]?.content?.parts ?? [];
    expect(part?.functionCall).toMatchObject({ name: 'get_weather', args: { city: 'Bern' } });
    const signature = Buffer.from(part?.thoughtSignature ?? '', 'base64').toString();
    expect(signature).toMatch(/^conch\.\s*I must look\.\s*$/);
    const history = chat.getHistory().concat(resultOf('Bern'));
    const unsigned = history.map(({ role = '', parts = [] }) => ({
      role,
      parts: parts.map((part) => ({ ...part, thoughtSignature: '' })),
    }));
    const countOf = async (contents: typeof history) =>
      (await client.models.countTokens({ model, contents })).totalTokens;
    expect(Number(await countOf(history)) - Number(await countOf(unsigned))).toBeGreaterThan(2);
  });

  it.each([
    { mode: FunctionCallingConfigMode.ANY },
    { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['get_weather'] },
  ])('insists on a call: %j', async (functionCallingConfig) => {
    const config = { tools: [weather], toolConfig: { functionCallingConfig } };
    const { functionCalls } = await client.models.generateContent({ model, contents: 'Where?', config });
    expect(functionCalls).toEqual([{ id: expect.any(String), name: 'get_weather', args: { city: 'toy' } }]);
  });

  it.each([
    [FunctionCallingConfigMode.AUTO, 200, undefined],
    [
      FunctionCallingConfigMode.VALIDATED,
      502,
      'The response does not match the requested structure after 3 tries: the arguments of get_weather do not match its ' +
        'schema: $.city must be of type string.',
    ],
  ])('gets calls with wrong arguments in the mode %s as the status %i', async (mode, expected, message) => {
    const wrong = requestOf(directive({ answer: written('get_weather', '{"city": 7}') }), {
      tools: [weather],
      toolConfig: { functionCallingConfig: { mode } },
    });
    const { status, body } = await post(urlOf('generateContent'), wrong);
    expect([status, body.error?.['message']]).toEqual([expected, message]);
  });

  it('gives JSON of a schema, in the order of its properties', async () => {
    const responseSchema = {
      type: Type.OBJECT,
      properties: { b: { type: Type.STRING }, a: { type: Type.STRING } },
      propertyOrdering: ['a', 'b'],
      required: ['a', 'b'],
    };
    const config = { responseMimeType: 'application/json', responseSchema };
    const { text = '' } = await client.models.generateContent({ model, contents: 'As JSON', config });
    expect(Object.keys(JSON.parse(text))).toEqual(['a', 'b']);
    const choice = { responseMimeType: 'text/x.enum', responseSchema: { type: Type.STRING, enum: ['yes'] } };
    expect((await client.models.generateContent({ model, contents: 'Choose', config: choice })).text).toBe('yes');
  });

  it('ends at a stop sequence and at the token limit', async () => {
    const stop = directive({ answer: 'One, two; three.' });
    const stopped = await client.models.generateContent({ model, contents: stop, config: { stopSequences: [';'] } });
    expect([stopped.text, stopped.candidates?.[0]?.finishReason]).toEqual(['One, two', 'STOP']);
    const long = directive({ tokens: 9 });
    const cut = await client.models.generateContent({ model, contents: long, config: { maxOutputTokens: 2 } });
    expect([cut.text, cut.candidates?.[0]?.finishReason]).toEqual([' w1 w2', 'MAX_TOKENS']);
  });

  it('gives several candidates with logprobs', async () => {
    const config = { candidateCount: 2, responseLogprobs: true, logprobs: 1 };
    const { candidates = [] } = await client.models.generateContent({
      model,
      contents: directive({ tokens: 2 }),
      config,
    });
    expect(candidates.map(({ index, content }) => [index, content?.parts])).toEqual([
      [0, [{ text: ' w1 w2' }]],
      [1, [{ text: ' w1 w2' }]],
    ]);
    for (const { logprobsResult, avgLogprobs } of candidates) {
      const chosen = logprobsResult?.chosenCandidates ?? [];
      expect(chosen.map(({ token }) => token)).toEqual([' w1', ' w2', '<|im_end|>']);
      expect(logprobsResult?.topCandidates).toHaveLength(3);
      const sum = chosen.reduce((all, { logProbability = 0 }) => all + logProbability, 0);
      expect(avgLogprobs).toBeCloseTo(sum / chosen.length);
    }
  });

  it('sends images as they are', async () => {
    const png = sample('png');
    const inlineData = { mimeType: 'image/png', data: png.toString('base64') };
    const contents = [{ inlineData }, { text: directive({ echo_images: true }) }];
    const { text = '' } = await client.models.generateContent({ model, contents });
    expect(JSON.parse(text)).toEqual([hashOf(png)]);
  });

  it('makes embeddings', async () => {
    const input = ['a fox', 'a sea'];
    const { body } = await post(`${conch.url}/v1/embeddings`, { model: 'vllm-embed', input });
    const expected = (body['data'] as { embedding: number[] }[]).map(({ embedding }) => ({ values: embedding }));
    const batch = await client.models.embedContent({ model: 'vllm-embed', contents: input });
    expect(batch.embeddings).toEqual(expected);
    const url = urlOf('embedContent', 'vllm-embed');
    expect((await post(url, { content: { parts: [{ text: 'a fox' }] } })).body['embedding']).toEqual(expected[0]);
  });

  it('lists and describes the models', async () => {
    const names: (string | undefined)[] = [];
    for await (const each of await client.models.list({ config: { pageSize: 2 } })) names.push(each.name);
    const openai = (await (await fetch(`${conch.url}/v1/models`)).json()) as { data: { id: string }[] };
    expect(names).toEqual(openai.data.map(({ id }) => `models/${id}`));
    const { name, supportedActions } = await client.models.get({ model });
    expect([name, supportedActions]).toEqual([
      `models/${model}`,
      ['generateContent', 'streamGenerateContent', 'countTokens', 'embedContent', 'batchEmbedContents'],
    ]);
    expect((await client.models.get({ model: `${model}:latest` })).name).toBe(name);
  });

  it('sees errors, also within a stream', async () => {
    const unknown = await client.models
      .generateContent({ model: 'nobody', contents: 'x' })
      .catch((error: unknown) => error);
    expect([unknown, (unknown as ApiError).status]).toEqual([expect.any(ApiError), 404]);
    const long = await post(`${urlOf('streamGenerateContent')}?alt=sse`, requestOf('word '.repeat(5000)));
    expect([long.status, long.body.error?.['details']]).toMatchObject([
      400,
      [{ reason: 'CONTEXT_LENGTH_EXCEEDED' }, { fieldViolations: [{ field: 'contents' }] }],
    ]);
    const stream = await client.models.generateContentStream({
      model,
      contents: directive({ tokens: 5, error_at: 2 }),
    });
    const failure = await chunksOf(stream).catch((error: unknown) => error);
    expect([failure, (failure as ApiError).status]).toEqual([expect.any(ApiError), 502]);
  });
});

function resultOf(city: string) {
  const response = { output: `sunny in ${city}` };
  return { role: 'user', parts: [{ functionResponse: { name: 'get_weather', response } }] };
}

describe('the wire', () => {
  it('takes snake_case, single values for lists, and other paths', async () => {
    const body = {
      system_instruction: { parts: { text: 'Be brief.' } },
      contents: { parts: { text: directive({ echo_prompt: true }) } },
      generation_config: { max_output_tokens: 1000, top_k: 1 },
    };
    const expected = [{ content: { parts: [{ text: expect.stringContaining('Be brief.') }] } }];
    for (const path of ['/v1beta/models/vllm-bos:generateContent', '/v1/models/vllm-bos:generateContent'])
      expect((await post(conch.url + path, body)).body['candidates']).toMatchObject(expected);
  });

  it('streams events, or a JSON array without alt=sse', async () => {
    const body = requestOf(directive({ tokens: 2 }));
    const url = urlOf('streamGenerateContent');
    const events = await post(`${url}?alt=sse`, body);
    const array = await post(url, body);
    const withoutIds = (chunks: unknown) =>
      (chunks as { candidates: unknown }[]).map((each) => ({ ...each, responseId: '' }));
    expect([events, array].map(({ headers }) => headers.get('content-type'))).toEqual([
      'text/event-stream; charset=utf-8',
      'application/json; charset=utf-8',
    ]);
    const chunk = (text: string) => ({ content: { parts: [{ text }], role: 'model' }, index: 0 });
    const expected = withoutIds(eventsOf(events.text));
    expect(expected.at(-1)).toMatchObject({ candidates: [{ ...chunk(''), finishReason: 'STOP' }] });
    expect(expected.slice(0, -1).map(({ candidates }) => candidates)).toEqual([[chunk(' w1')], [chunk(' w2')]]);
    expect(withoutIds(array.body)).toEqual(expected);
  });

  it('reports what has no effect, and refuses what would change the result', async () => {
    const harmless = requestOf('x', {
      tools: [{ googleSearch: {} }, weather, { other_tool: {} }],
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      labels: { team: 'a' },
      generationConfig: { maxOutputTokens: 4, newer_field: 1, thinkingConfig: { thinkingBudget: 1024 } },
    });
    const { status, headers } = await post(urlOf('generateContent'), harmless);
    expect([status, headers.get('x-conch-ignored')]).toEqual([
      200,
      'tools[2].otherTool, tools[0].googleSearch, generationConfig.newerField, ' +
        'generationConfig.thinkingConfig.thinkingBudget, safetySettings, labels',
    ]);
    const refused = await post(urlOf('generateContent'), requestOf('x', { cachedContent: 'cachedContents/1' }));
    const message = 'cachedContent: cached contents are not supported; send all contents.';
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        error: {
          code: 400,
          message,
          status: 'INVALID_ARGUMENT',
          details: [
            { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'UNSUPPORTED_PARAMETER', domain: 'conch' },
            {
              '@type': 'type.googleapis.com/google.rpc.BadRequest',
              fieldViolations: [{ field: 'cachedContent', description: message }],
            },
          ],
        },
      },
    ]);
  });

  it('refuses what has no effect with --strict-fields, but not a result that is sent twice', async () => {
    const strict = await startGateway('--strict-fields');
    try {
      const url = `${strict.url}/v1beta/models/${model}:countTokens`;
      const messageOf = async (body: object) => (await post(url, body)).body.error?.['message'];
      const parts = [{ text: 'x', part_metadata: { a: 1 } }];
      expect(await messageOf({ contents: [{ parts }] })).toBe(
        'contents[0].parts[0].partMetadata: metadata has no effect.',
      );
      expect(await messageOf(requestOf('x', { toolConfig: { functionCallingConfig: { newer: 1 } } }))).toBe(
        'toolConfig.functionCallingConfig.newer: unknown field. Remove it.',
      );
      const call = { role: 'model', parts: [{ functionCall: { id: 'a', name: 'get_weather', args: {} } }] };
      const result = { functionResponse: { id: 'a', name: 'get_weather', response: { output: 'sunny' } } };
      const contents = [{ parts: [{ text: 'x' }] }, call, { parts: [result, result] }];
      const { status, headers } = await post(url, { contents, tools: [weather] });
      expect([status, headers.get('x-conch-ignored')]).toEqual([200, 'contents[2].parts[1].functionResponse']);
    } finally {
      await strict.stop();
    }
  });

  it('takes the key from its header and from the query, logs neither, and labels its routes', async () => {
    const secret = 'secret-of-the-test';
    const guarded = await startGateway('--api-key', secret);
    try {
      const url = `${guarded.url}/v1beta/models/${model}:countTokens`;
      const body = requestOf('x');
      expect((await post(url, body, { 'x-goog-api-key': secret })).status).toBe(200);
      expect((await post(`${url}?key=${secret}`, body)).status).toBe(200);
      expect((await post(`${guarded.url}/v1/chat/completions?key=${secret}`, {})).status).toBe(401);
      const wrong = await post(`${url}?key=another`, body);
      expect([wrong.status, wrong.body.error?.['status']]).toEqual([401, 'UNAUTHENTICATED']);
      expect(JSON.stringify(guarded.log())).not.toMatch(/secret-of|another/);
      const metrics = await (await fetch(`${guarded.url}/metrics`, { headers: { 'x-goog-api-key': secret } })).text();
      expect(metrics).toMatch(
        /conch_requests_total\{route="\/v1beta\/models\/\*:countTokens",[^}]*status="200"[^}]*\} 2/,
      );
    } finally {
      await guarded.stop();
    }
  });
});
