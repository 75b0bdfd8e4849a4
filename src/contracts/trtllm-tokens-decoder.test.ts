import { describe, expect, it } from 'vitest';
import { configOf, decoded, requestOf, responseOf } from '../../test/support/contract-fixtures.ts';
import { numberTensor, type Tensor } from '../kserve/tensors.ts';
import { engineInputs, engineOutputs } from '../repository/trtllm-tensors.ts';
import type { GenerateRequest, Sampling, TokenInputs } from './contract.ts';
import { type EngineFacts, trtllmTokensContract } from './trtllm-tokens.ts';

const facts: EngineFacts = { limits: {}, addsSpecialTokens: true, gathersLogits: false, stopsByRequest: false };
const tokens: TokenInputs = {
  prompt: Int32Array.of(11, 12, 13),
  eosIds: [2, 3],
  padId: 0,
  stopWords: [],
  badWords: [],
  vocabularySize: 4,
};
const exact = { model_transaction_policy: { decoupled: true }, parameters: { normalize_log_probs: 'false' } };

interface Case extends Partial<Omit<GenerateRequest, 'tokens'>> {
  readonly facts?: Partial<EngineFacts>;
  readonly inputs?: string;
  readonly tokens?: Partial<TokenInputs>;
}

function decode({ facts: changes, inputs = engineInputs, tokens: ids, ...request }: Case, responses: readonly Sent[]) {
  const contract = trtllmTokensContract(configOf(inputs, engineOutputs, exact), { ...facts, ...changes });
  const decoder = contract.decoder(requestOf({ ...request, tokens: { ...tokens, ...ids } }));
  return decoded(
    decoder,
    responses.map(({ beams, lengths, more = [], final = false }) =>
      responseOf(beams ? [...idTensors(beams, lengths), ...more] : more, final),
    ),
  );
}

/** A response: the ids of each beam, filled up with -1, and what else it carries. */
interface Sent {
  readonly beams?: readonly (readonly number[])[];
  readonly lengths?: readonly number[];
  readonly more?: readonly Tensor[];
  readonly final?: boolean;
}

function idTensors(
  beams: readonly (readonly number[])[],
  lengths: readonly number[] = beams.map((ids) => ids.length),
): Tensor[] {
  const perBeam = Math.max(...beams.map((ids) => ids.length));
  const filled = beams.flatMap((ids) => [...ids, ...Array.from({ length: perBeam - ids.length }, () => -1)]);
  return [
    numberTensor('output_ids', { datatype: 'INT32', values: filled, shape: [1, beams.length, perBeam] }),
    numberTensor('sequence_length', { datatype: 'INT32', values: lengths, shape: [1, beams.length] }),
  ];
}

const floats = (name: string, values: readonly number[], shape: readonly number[]) =>
  numberTensor(name, { datatype: 'FP32', values, shape });

describe('the tokens of an engine', () => {
  it('are passed on as they come, and the one that ends the response is counted', () => {
    const found = (end: number) => [
      ['prompt', 3],
      ['ids', [21], 0],
      ['ids', [22, 23], 0],
      ['end token', end, 0],
      ['finish', 'stop', 0],
    ];
    const response = [{ beams: [[21]] }, { beams: [[22, 23]] }];
    expect(decode({}, [...response, { beams: [[2]], final: true }])).toEqual(found(2));
    expect(decode({}, [...response, { beams: [[3]] }, { final: true }])).toEqual(found(3));
    expect(decode({}, [{ beams: [[21]] }, { beams: [[22, 23, 3, 24]], final: true }, { final: true }])).toEqual(
      found(3),
    );
  });

  it('are no part of the response after its end', () => {
    expect(decode({}, [{ beams: [[21, 2]] }, { beams: [[22]] }, { beams: [[23, 24]], final: true }])).toEqual([
      ['prompt', 3],
      ['ids', [21], 0],
      ['end token', 2, 0],
      ['finish', 'stop', 0],
    ]);
  });

  it('end well where the engine leaves the end out', () => {
    expect(decode({ sampling: { maxTokens: 9 } }, [{ beams: [[21]] }, { beams: [[]], final: true }])).toEqual([
      ['prompt', 3],
      ['ids', [21], 0],
      ['finish', 'stop', 0],
    ]);
  });

  it.each<[string, Case, number[], string]>([
    ['as many as were asked for', { sampling: { maxTokens: 2 } }, [21, 22], 'length'],
    ['fewer than that', { sampling: { maxTokens: 3 } }, [21, 22], 'stop'],
    ['a full context', { facts: { limits: { context: 5 } } }, [21, 22], 'length'],
    ['a context with room', { facts: { limits: { context: 6 } } }, [21, 22], 'stop'],
    ['an end at the limit', { sampling: { maxTokens: 2 } }, [21, 2], 'stop'],
    [
      'a stop word at the limit',
      { sampling: { maxTokens: 2 }, tokens: { stopWords: [[9], [21, 22]] } },
      [21, 22],
      'stop',
    ],
    ['half a stop word', { sampling: { maxTokens: 2 }, tokens: { stopWords: [[22, 23]] } }, [21, 22], 'length'],
    ['a stop id at the limit', { sampling: { maxTokens: 2, stopTokenIds: [22] } }, [21, 22], 'stop'],
    [
      'a stop id that is kept at the limit',
      { sampling: { maxTokens: 2, stopTokenIds: [22], includeStopText: true } },
      [21, 22],
      'stop',
    ],
    [
      'a stop word after many others',
      { sampling: { maxTokens: 9 }, tokens: { stopWords: [[22]] } },
      [21, 21, 21, 21, 21, 21, 21, 21, 22],
      'stop',
    ],
    ['an end that counts as none', { sampling: { maxTokens: 2 }, tokens: { eosIds: [] } }, [21, 2], 'length'],
  ])('%s', (_, request, ids, reason) => {
    const streamed = ids.map((id, at) => ({ beams: [[id]], final: at === ids.length - 1 }));
    expect(decode(request, streamed).at(-1)).toEqual(['finish', reason, 0]);
    expect(decode(request, [{ beams: [ids], final: true }]).at(-1)).toEqual(['finish', reason, 0]);
  });

  it('of a stop word stay, as its text is cut from the response elsewhere', () => {
    const found = decode({ tokens: { stopWords: [[22]] } }, [{ beams: [[21, 22]], final: true }]);
    expect(found).toEqual([
      ['prompt', 3],
      ['ids', [21, 22], 0],
      ['finish', 'stop', 0],
    ]);
  });

  it.each<[Sampling, unknown[]]>([
    [
      { stopTokenIds: [22] },
      [
        ['ids', [21], 0],
        ['end token', 22, 0],
      ],
    ],
    [{ stopTokenIds: [22], includeStopText: true }, [['ids', [21, 22], 0]]],
    [
      { stopTokenIds: [2], includeStopText: true },
      [
        ['ids', [21, 22], 0],
        ['end token', 2, 0],
      ],
    ],
  ])('of a stop id are left out, unless they are requested: %j', (sampling, found) => {
    const ids = sampling.stopTokenIds?.[0] === 2 ? [21, 22, 2] : [21, 22];
    expect(decode({ sampling }, [{ beams: [ids], final: true }]).slice(1, -1)).toEqual(found);
  });

  it('are as many as their length says, and never what fills a beam up', () => {
    const beams = { width: 2, completions: 2 };
    const filled = decode({ beams }, [{ beams: [[21, 22], [23]], lengths: [2, 2], final: true }]);
    expect(filled[2]).toEqual(['ids', [23], 1]);
    expect(decode({}, [{ beams: [[21, 22, 23]], lengths: [2], final: true }])[1]).toEqual(['ids', [21, 22], 0]);
  });

  it('do not begin with the prompt, even where the engine cannot leave it out', () => {
    const inputs = engineInputs.replace('exclude_input_in_output BOOL 1 optional scalar', 'x BOOL 1 optional');
    const whole = [{ beams: [[11, 12, 13, 21]], final: true }];
    expect(decode({ inputs, stream: false }, whole)[1]).toEqual(['ids', [21], 0]);
    expect(decode({ inputs, stream: false }, [{ beams: [[11, 12, 21]], final: true }])[1]).toEqual([
      'ids',
      [11, 12, 21],
      0,
    ]);
    expect(decode({ inputs, stream: true }, whole)[1]).toEqual(['ids', [11, 12, 13, 21], 0]);
    expect(decode({ stream: false }, whole)[1]).toEqual(['ids', [11, 12, 13, 21], 0]);
  });

  it('of beams are several completions, the best first, each to its own length and with its own reason', () => {
    const beams = { width: 3, completions: 2 };
    const sent = { beams: [[21, 22, 23], [24, 2], [25]], final: true };
    expect(decode({ beams, sampling: { maxTokens: 3 } }, [sent])).toEqual([
      ['prompt', 3],
      ['ids', [21, 22, 23], 0],
      ['ids', [24], 1],
      ['end token', 2, 1],
      ['finish', 'length', 0],
      ['finish', 'stop', 1],
    ]);
  });

  it('come with how much of the prompt was cached, never more than there is', () => {
    const blocks = (count: number) => ({
      beams: [[21]],
      more: [numberTensor('kv_cache_reused_blocks', { datatype: 'INT32', values: [count], shape: [1, 1] })],
      final: true,
    });
    expect(decode({ facts: { blockSize: 2 } }, [blocks(1)]).slice(2)).toEqual([
      ['cached', 2],
      ['finish', 'stop', 0],
    ]);
    expect(decode({ facts: { blockSize: 2 } }, [blocks(2)])[2]).toEqual(['cached', 3]);
    expect(decode({}, [blocks(1)])[2]).toEqual(['finish', 'stop', 0]);
  });
});

describe('the logprobs of an engine', () => {
  it('are those of the tokens that are passed on', () => {
    const sent = {
      beams: [[21, 22, 2]],
      more: [floats('output_log_probs', [-0.5, -1.5, -0.25], [1, 1, 3])],
      final: true,
    };
    expect(decode({ logprobs: 0 }, [sent])[1]).toEqual([
      'ids',
      [21, 22],
      [
        { id: 21, logprob: -0.5, top: [] },
        { id: 22, logprob: -1.5, top: [] },
      ],
      0,
    ]);
  });

  it('are separate for each beam', () => {
    const sent = {
      beams: [[21, 22], [23]],
      more: [floats('output_log_probs', [-0.5, -1.5, -2.5, -1], [1, 2, 2])],
      final: true,
    };
    const found = decode({ logprobs: 0, beams: { width: 2, completions: 2 } }, [sent]);
    expect(found[2]).toEqual(['ids', [23], [{ id: 23, logprob: -2.5, top: [] }], 1]);
  });

  it('come from logits with the likeliest others, in a stream as in a whole response', () => {
    const low = Math.log(1 / 8);
    const logits = [low, Math.log(1 / 2), low, Math.log(1 / 4)];
    const half = expect.closeTo(Math.log(1 / 2), 5);
    const found = ['ids', [0], [{ id: 0, logprob: expect.closeTo(low, 5), top: [{ id: 1, logprob: half }] }], 0];
    const request = { logprobs: 1, facts: { gathersLogits: true }, tokens: { eosIds: [] } };
    const streamed = { beams: [[0]], more: [floats('generation_logits', logits, [1, 1, 1, 4])], final: true };
    expect(decode(request, [streamed])[1]).toEqual(found);
    // A whole answer has room for all tokens that were asked for, and rows for each beam.
    const rows = [...logits, 9, 9, 9, 9, 9, 0, 0, 0, 9, 9, 9, 9];
    const whole = { beams: [[0], [0]], more: [floats('generation_logits', rows, [1, 2, 2, 4])], final: true };
    const [, first, second] = decode({ ...request, beams: { width: 2, completions: 2 } }, [whole]);
    expect(first).toEqual(found);
    expect(second).toMatchObject(['ids', [0], [{ top: [{ id: 0 }] }], 1]);
  });

  it('are missed by name', () => {
    expect(() => decode({ logprobs: 0 }, [{ beams: [[21]], final: true }])).toThrow('returned no output_log_probs');
  });
});
