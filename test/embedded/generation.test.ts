import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boolTensor, textTensor } from '../../src/kserve/tensors.ts';
import type { EmbeddedServer } from '../../src/servers/embedded/embedded-server.ts';
import { pulled } from '../support/pulled-responses.ts';
import { ask, chat, collect, modelName, request, startEmbedded } from './support.ts';

describe('generation, as recorded from the vLLM backend', () => {
  let server: EmbeddedServer;

  beforeAll(async () => {
    server = await startEmbedded();
  });

  afterAll(() => server.close());

  it('answers a question', async () => {
    const { text, finish } = await ask(server, {
      prompt: chat('What is the capital of France? Answer in one sentence.'),
      sampling: { max_tokens: 40, temperature: 0 },
    });
    expect(text).toContain('Paris');
    expect(finish).toBe('stop');
  });

  it('sends one response per token, the last one marked, with the counts of each', async () => {
    const { responses, outputTokens, inputTokens } = await ask(server, { sampling: { max_tokens: 5, temperature: 0 } });
    expect(responses).toHaveLength(5);
    expect(outputTokens).toBe(5);
    expect(inputTokens).toBe(await server.tokenizerOf(modelName).count(chat('Hello'), { addSpecialTokens: true }));
    expect(responses.map(({ final, parameters }) => [final, parameters['triton_final_response']])).toEqual([
      ...Array.from({ length: 4 }, () => [false, false]),
      [true, true],
    ]);
    expect(responses.map((response) => response.text('finish_reason'))).toEqual([
      'None',
      'None',
      'None',
      'None',
      'length',
    ]);
    const [first] = responses;
    expect(first?.model).toBe(modelName);
    expect(first?.version).toBe('1');
    expect(first?.id).toBe('r');
    expect(first?.outputs.map(({ name, datatype, shape }) => [name, datatype, shape])).toEqual([
      ['text_output', 'BYTES', [1]],
      ['finish_reason', 'BYTES', [1]],
      ['num_input_tokens', 'UINT32', []],
      ['num_output_tokens', 'UINT32', [1]],
    ]);
  });

  it('ends with an empty text and stop where the model ends its answer', async () => {
    const { responses } = await ask(server, { prompt: chat('Say hi.'), sampling: { max_tokens: 200, temperature: 0 } });
    expect(responses.at(-1)?.text('text_output')).toBe('');
    expect(responses.at(-1)?.text('finish_reason')).toBe('stop');
    expect(responses.at(-1)?.uint32('num_output_tokens')).toBe(1);
  });

  it('gives 16 tokens when nothing is said about the sampling', async () => {
    const responses = await collect(
      pulled(server, { model: modelName, id: '', inputs: [textTensor('text_input', ['Once upon a time'])] }),
    );
    expect(responses).toHaveLength(1);
    expect(responses[0]?.text('text_output')).toMatch(/^Once upon a time/);
    expect(responses[0]?.outputs).toHaveLength(1);
    const { finish, outputTokens } = await ask(server, { prompt: 'Once upon a time', stream: false });
    expect([finish, outputTokens]).toEqual(['length', 16]);
  });

  it('gives the same text streamed and not, and takes the parameters of the request for sampling parameters', async () => {
    const sampling = { max_tokens: 24, temperature: 0 };
    const streamed = await ask(server, { sampling });
    const whole = await ask(server, { sampling, stream: false });
    expect(whole.responses).toHaveLength(1);
    expect(whole).toMatchObject({ text: streamed.text, finish: streamed.finish, outputTokens: streamed.outputTokens });
    const plain = { ...request({}), parameters: { ...sampling, triton_enable_empty_final_response: true } };
    const responses = await collect(pulled(server, plain));
    expect(responses.map((response) => response.text('text_output')).join('')).toBe(streamed.text);
  });

  it('refuses to stream with the prompt in front', async () => {
    const inputs = [
      textTensor('text_input', ['a']),
      boolTensor('stream', true),
      boolTensor('exclude_input_in_output', false),
    ];
    await expect(collect(pulled(server, { model: modelName, id: '', inputs }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'When streaming, `exclude_input_in_output` = False is not allowed.',
    });
  });

  it('gives only the outputs that were asked for', async () => {
    const responses = await collect(
      pulled(server, { ...request({ sampling: { max_tokens: 2 } }), outputs: ['finish_reason'] }),
    );
    expect(responses[0]?.outputs.map(({ name }) => name)).toEqual(['finish_reason']);
  });

  it('fills the room that is left and refuses a prompt that leaves none', async () => {
    const tokenizer = server.tokenizerOf(modelName);
    const ids = await tokenizer.encode('hello '.repeat(1100), { addSpecialTokens: false });
    const prompt = await tokenizer.decode(ids.slice(0, 1020), { skipSpecialTokens: false });
    expect(await tokenizer.count(prompt, { addSpecialTokens: true })).toBe(1020);
    const { outputTokens, finish } = await ask(server, { prompt, sampling: { max_tokens: 50, ignore_eos: true } });
    expect([outputTokens, finish]).toEqual([4, 'length']);
    await expect(ask(server, { prompt: 'hello '.repeat(1100) })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(
        /The decoder prompt \(length 1\d\d\d\) is longer than the maximum model length of 1024/,
      ),
    });
    await expect(ask(server, { prompt: '' })).rejects.toMatchObject({ message: 'The decoder prompt cannot be empty' });
  });

  it('never cuts a character that is made of several tokens', async () => {
    const text = '🦊 👩‍👩‍👧 日本語 ünïcödé';
    const ids = await server.tokenizerOf(modelName).encode(text, { addSpecialTokens: false });
    expect(ids.length).toBeGreaterThan(12);
    // The model is made to repeat the text token by token: each one is the only one allowed at its turn.
    const { text: result, responses } = await ask(server, {
      prompt: `Repeat exactly: ${text}\n${text}\n${text}\n`,
      sampling: { max_tokens: 200, temperature: 0, structured_outputs: JSON.stringify({ choice: [text] }) },
    });
    expect(result).toBe(text);
    expect(responses.map((response) => response.text('text_output')).join('')).not.toContain('\uFFFD');
    expect(
      responses.some((response, index) => index < responses.length - 1 && response.text('text_output') === ''),
    ).toBe(true);
  });
});
