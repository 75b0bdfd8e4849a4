import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFloats } from '../../src/kserve/tensors.ts';
import { directive } from '../support/exchange.ts';
import type { Inputs, Response } from './toy-client.ts';
import { endToken as end, idsOf, outputsOf, startEngine, type ToyEngine, whole } from './toy-engine.ts';

let engine: ToyEngine;
beforeAll(async () => {
  engine = await startEngine({
    values: { max_beam_width: '4', normalize_log_probs: 'false', guided_decoding_backend: 'xgrammar' },
  });
}, 120_000);
afterAll(() => engine?.stop());

const ask = (orders: object, inputs: Inputs = {}) => engine.ask(directive({ ...orders }), inputs);
const encode = (text: string) => engine.encode(text);
const textOf = (response: Response) => engine.textOf(response);

describe('a streamed answer of the engine', () => {
  it('comes token by token, the end token last and with the final flag', async () => {
    const response = await ask(
      { answer: 'one two' },
      { return_num_output_tokens: true, return_num_input_tokens: true },
    );
    const length = (await encode(directive({ answer: 'one two' }))).length;
    const counts = { num_input_tokens: [[length]], num_output_tokens: [[1]] };
    expect(response.error).toBeUndefined();
    expect(response.messages).toEqual([
      { final: false, outputs: { output_ids: [[[603]]], sequence_length: [[1]], ...counts } },
      { final: false, outputs: { output_ids: [[[1378]]], sequence_length: [[1]], ...counts } },
      { final: true, outputs: { output_ids: [[[end]]], sequence_length: [[1]], ...counts } },
    ]);
  });

  it('can end without the end token, in an empty response', async () => {
    const response = await ask({ answer: 'one two', without_end: true });
    expect(outputsOf(response, 'output_ids')).toEqual([[[[603]]], [[[1378]]], [[[]]]]);
    expect(response.messages.map(({ final }) => final)).toEqual([false, false, true]);
  });

  it('can have several tokens in a response', async () => {
    expect(outputsOf(await ask({ tokens: 4, chunk: 3 }), 'sequence_length')).toEqual([[[3]], [[2]]]);
  });

  it('never repeats the prompt', async () => {
    expect(idsOf(await ask({ answer: 'one two' }, { exclude_input_in_output: false }))).toEqual([603, 1378, end]);
  });
});

describe('an unstreamed answer of the engine', () => {
  it('has the prompt in front and counts it, unless that is excluded', async () => {
    const prompt = await encode(directive({ answer: 'one two' }));
    const count = { return_num_output_tokens: true };
    const echoed = await ask({ answer: 'one two' }, { streaming: false, ...count });
    expect(echoed.messages).toEqual([
      {
        final: true,
        outputs: {
          output_ids: [[[...prompt, 603, 1378, end]]],
          sequence_length: [[prompt.length + 3]],
          num_output_tokens: [[prompt.length + 3]],
        },
      },
    ]);
    const plain = await ask({ answer: 'one two' }, { ...whole, ...count });
    expect(plain.messages[0]?.outputs).toEqual({
      output_ids: [[[603, 1378, end]]],
      sequence_length: [[3]],
      num_output_tokens: [[3]],
    });
  });
});

describe('what ends an answer', () => {
  it.each<[string, object, Inputs, number[]]>([
    ['the length', { answer: 'one two' }, { request_output_len: 1 }, [603]],
    ['another end token', { answer: 'one two three' }, { end_id: 1378 }, [603, 1378]],
    ['no end token at all', { answer: 'one' }, { end_id: -1, request_output_len: 4 }, [603, end, 603, end]],
    [
      'a stop word, which stays',
      { answer: 'one two three' },
      {
        stop_words_list: [
          [5, 1378],
          [1, 2],
        ],
      },
      [603, 1378],
    ],
    [
      'a stop word of two tokens',
      { answer: 'one two three' },
      {
        stop_words_list: [
          [603, 1378],
          [2, -1],
        ],
      },
      [603, 1378],
    ],
    ['the end, but only after min_tokens', { answer: 'one' }, { min_tokens: 3 }, [603, 603, 603, end]],
  ])('is %s', async (_name, orders, inputs, ids) => {
    expect(idsOf(await ask(orders, inputs))).toEqual(ids);
  });

  it('is missed by a stop word that the model writes with other tokens', async () => {
    const [stop = 0] = await encode('two');
    expect(idsOf(await ask({ answer: 'one two' }, { stop_words_list: [[stop], [1]] }))).toEqual([603, 1378, end]);
  });
});

describe('a choice', () => {
  const biasOf = (token: number, bias: number) => Array.from({ length: 151_669 }, (_, at) => (at === token ? bias : 0));

  it('follows biases and bad words', async () => {
    const forced = await ask({ answer: 'one two' }, { embedding_bias: biasOf(5, 100), request_output_len: 3 });
    expect(idsOf(forced)).toEqual([5, 5, 5]);
    const banned = await ask({ answer: 'one two' }, { embedding_bias: biasOf(1378, -100) });
    expect(idsOf(banned)).not.toContain(1378);
    expect(idsOf(banned)).toHaveLength(3);
    const bad = await ask(
      { answer: 'one two' },
      {
        bad_words_list: [
          [603, 1378],
          [2, -1],
        ],
      },
    );
    expect(idsOf(bad)).not.toContain(1378);
  });

  it('depends on the seed unless it is greedy', async () => {
    const respond = async (inputs: Inputs) => {
      return textOf(await engine.ask('Hello you', { request_output_len: 60, ...whole, ...inputs }));
    };
    expect(await respond({ seed: 3 })).toBe(await respond({ seed: 3 }));
    expect(await respond({ seed: 3 })).not.toBe(await respond({ seed: 4 }));
    expect(await respond({ seed: 3, runtime_top_k: 1 })).toBe(await respond({ seed: 4, temperature: 0 }));
  });

  it.each<[string, Inputs, string]>([
    ['json', {}, '{"toy": true}'],
    ['json_schema', { guided_decoding_guide: '{"properties":{"a":{"type":"integer"}}}' }, '{"a": 7}'],
    ['regex', { guided_decoding_guide: '(yes|no)', seed: 1 }, 'no'],
    ['ebnf_grammar', { guided_decoding_guide: 'root ::= "up" | "down"' }, 'up'],
  ])('is guided by %s', async (guided_decoding_guide_type, inputs, text) => {
    const response = await engine.ask('Hello', { guided_decoding_guide_type, ...whole, ...inputs });
    expect(await textOf(response)).toBe(text);
  });
});

describe('likelihoods', () => {
  it('come only with a sampling input', async () => {
    const plain = await ask({ answer: 'one' }, { ...whole, return_log_probs: true });
    expect(Object.keys(plain.messages[0]?.outputs ?? {})).toEqual(['output_ids', 'sequence_length']);
    const sampled = await ask({ answer: 'one' }, { ...whole, return_log_probs: true, temperature: 1 });
    const [first = 0, second = 0] = outputsOf(sampled, 'output_log_probs').flat(3) as number[];
    const [sum] = outputsOf(sampled, 'cum_log_probs').flat(2);
    expect(sum).toBeCloseTo(first + second, 4);
    expect(Math.max(first, second)).toBeLessThan(0);
  });

  it('are those of the logits', async () => {
    const inputs = { ...whole, return_log_probs: true, return_generation_logits: true, return_context_logits: true };
    const result = await ask({ answer: 'one two' }, { ...inputs, runtime_top_k: 1 });
    const [response] = result.responses;
    const prompt = (await encode(directive({ answer: 'one two' }))).length;
    const logits = readFloats(response?.raw('generation_logits') ?? Buffer.alloc(0), 'FP32') ?? new Float32Array();
    expect(result.messages[0]?.outputs).toMatchObject({
      generation_logits: { datatype: 'FP32', shape: [1, 1, 3, 151_680] },
      context_logits: { datatype: 'FP32', shape: [1, prompt, 151_680] },
    });
    const expected = [603, 1378, end].map((token, at) => {
      const row = logits.subarray(at * 151_680, (at + 1) * 151_680);
      const highest = row.reduce((one, other) => Math.max(one, other));
      return (row[token] ?? 0) - highest - Math.log(row.reduce((sum, value) => sum + Math.exp(value - highest), 0));
    });
    const input = outputsOf(result, 'output_log_probs').flat(3) as number[];
    expect(input).toHaveLength(3);
    input.forEach((value, at) => expect(value).toBeCloseTo(expected[at] ?? 0, 4));
  });
});

describe('several continuations', () => {
  it('are beams, the best one first and shorter ones padded', async () => {
    const inputs = { ...whole, beam_width: 3, return_log_probs: true, return_num_output_tokens: true };
    const { messages } = await ask({ answer: 'one two three four' }, inputs);
    const outputs = messages[0]?.outputs ?? {};
    const [beams = []] = outputs['output_ids'] as number[][][];
    const [sums = []] = outputs['cum_log_probs'] as number[][];
    expect([messages.length, outputs['sequence_length'], outputs['num_output_tokens']]).toEqual([
      1,
      [[5, 4, 3]],
      [[15]],
    ]);
    expect(beams.map((beam) => beam.length)).toEqual([5, 5, 5]);
    expect(beams[2]?.slice(2)).toEqual([end, -1, -1]);
    expect(sums).toEqual(sums.toSorted((a, b) => b - a));
  });

  it('are beams in full at every step when streamed', async () => {
    const response = await ask({ answer: 'one two three' }, { beam_width: 2 });
    expect(outputsOf(response, 'sequence_length')).toEqual([[[1, 1]], [[2, 2]], [[3, 3]], [[4, 3]]]);
  });

  it('are sequences that take turns, each with its index, the final flag on the last of all', async () => {
    const streams = await ask({ answer: 'one' }, { num_return_sequences: 2 });
    expect(outputsOf(streams, 'sequence_index')).toEqual([[[0]], [[1]], [[0]], [[1]]]);
    expect(streams.messages.map(({ final }) => final)).toEqual([false, false, false, true]);
    const unstreamed = await ask({ answer: 'one' }, { num_return_sequences: 2, ...whole });
    expect(outputsOf(unstreamed, 'output_ids')).toEqual([[[[603, end]]], [[[603, end]]]]);
    expect(outputsOf(unstreamed, 'sequence_index')).toEqual([[[0]], [[1]]]);
  });
});

describe('reports', () => {
  it('tell how many blocks of the cache an earlier prompt left', async () => {
    const inputs = { ...whole, request_output_len: 1, return_perf_metrics: true };
    const blocks = async () => {
      const { messages } = await engine.ask('once upon a time '.repeat(20), inputs);
      const { kv_cache_alloc_new_blocks, kv_cache_reused_blocks, kv_cache_alloc_total_blocks } =
        messages[0]?.outputs ?? {};
      return [kv_cache_alloc_new_blocks, kv_cache_reused_blocks, kv_cache_alloc_total_blocks].flat(2);
    };
    expect(await blocks()).toEqual([3, 0, 3]);
    expect(await blocks()).toEqual([1, 2, 3]);
  });

  it('show every input that arrived', async () => {
    const inputs = {
      temperature: 0.7,
      runtime_top_p: 0.9,
      stop_words_list: [
        [5, 7, 8],
        [1, 3, -1],
      ],
      seed: 5,
    };
    const bias = [0, 0, 1.5];
    expect(JSON.parse(await textOf(await ask({ echo_parameters: true }, { ...inputs, embedding_bias: bias })))).toEqual(
      {
        ...inputs,
        embedding_bias: { 2: 1.5 },
        input_lengths: expect.any(Number),
        request_output_len: 100,
        end_id: end,
        streaming: true,
        request_id: 'one',
      },
    );
  });
});
