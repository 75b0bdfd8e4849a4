import { describe, expect, it } from 'vitest';
import { configOf, decoded, displayedInputs, requestOf, responseOf } from '../../test/support/contract-fixtures.ts';
import { StatusError } from '../kserve/status.ts';
import { numberTensor, type Tensor, textTensor } from '../kserve/tensors.ts';
import { conchTokensContract } from './conch-tokens.ts';
import { type GenerateRequest, parameterNames, type TokenInputs } from './contract.ts';
import { detectContract } from './detect.ts';

const config = configOf(
  `input_ids INT32 -1 optional
   sampling_params STRING 1`,
  'token_ids INT32 -1',
  { backend: 'python', max_batch_size: 0 },
);
const contract = conchTokensContract(config, { hasTokenizer: true });
const textContract = conchTokensContract(config, { hasTokenizer: false });
const tokens: TokenInputs = {
  prompt: Int32Array.of(11, 12, 13),
  eosIds: [2],
  padId: 0,
  stopWords: [],
  badWords: [],
  vocabularySize: 100,
};
const ask = (parts: Partial<GenerateRequest> = {}) => requestOf({ tokens, ...parts });
const int32 = (name: string, values: readonly number[], shape = [values.length]) =>
  numberTensor(name, { datatype: 'INT32', values, shape });
const floats = (name: string, values: readonly number[], shape: readonly number[]) =>
  numberTensor(name, { datatype: 'FP32', values, shape });
const double = (name: string, values: readonly number[]) =>
  numberTensor(name, { datatype: 'FP64', values, shape: [values.length] });
const read = (request: GenerateRequest, ...responses: Tensor[][]) =>
  decoded(
    contract.decoder(request),
    responses.map((outputs, at) => responseOf(outputs, at === responses.length - 1)),
  );

describe('the contract conch-tokens', () => {
  it('is detected by its tensors, and is text until there is a tokenizer', () => {
    const [withTokenizer, without] = [true, false].map((hasTokenizer) => detectContract(config, { hasTokenizer }));
    expect([withTokenizer, without]).toMatchObject([
      { contract: { kind: 'conch-tokens', speaksTokens: true, cutsStopTexts: false } },
      { contract: { kind: 'conch-tokens', speaksTokens: false, cutsStopTexts: true } },
    ]);
  });

  it('supports every parameter of vLLM, and without a tokenizer none that is about token ids', () => {
    const refusedBy = (each: typeof contract) =>
      parameterNames.filter((parameter) => each.support(parameter).kind === 'refused');
    expect(refusedBy(contract)).toEqual(['logits_post_processor_name']);
    expect(refusedBy(textContract).filter((name) => !refusedBy(contract).includes(name))).toEqual([
      'logprobs',
      'top_logprobs',
      'prompt_logprobs',
      'logprob_token_ids',
      'return_token_ids',
      'truncate_prompt_tokens',
    ]);
  });
});

describe('a request to conch-tokens', () => {
  it('has the tokens of the prompt, and names the outputs that it needs', () => {
    const request = contract.encode(ask());
    expect(displayedInputs(request)).toEqual([
      'input_ids INT32 [3] 11,12,13',
      'sampling_params BYTES [1] ["{\\"max_tokens\\":null}"]',
    ]);
    expect(request.outputs).toEqual(['token_ids', 'finish_reason', 'usage', 'times']);
  });

  it('is cancelled by another one with its id, if the model can', () => {
    const inputs = 'input_ids INT32 -1 optional\nsampling_params STRING 1\ncancel BOOL 1 optional';
    const able = conchTokensContract(configOf(inputs, 'token_ids INT32 -1', { max_batch_size: 0 }), {
      hasTokenizer: true,
    });
    expect('stopRequest' in contract).toBe(false);
    const command = able.stopRequest?.(ask({ id: 'mine' }));
    expect([command?.id, command && displayedInputs(command)]).toEqual([
      'mine',
      ['sampling_params BYTES [1] ["{}"]', 'cancel BOOL [1] true'],
    ]);
  });

  it('is text without a tokenizer', () => {
    const request = textContract.encode(requestOf({ stream: false, sampling: { stop: ['x'] } }));
    expect(displayedInputs(request)).toEqual([
      'prompt BYTES [1] ["Hi"]',
      'sampling_params BYTES [1] ["{\\"max_tokens\\":null,\\"stop\\":[\\"x\\"]}"]',
      'stream BOOL [1] false',
    ]);
    expect(request.outputs).toEqual(['token_ids', 'finish_reason', 'usage', 'times', 'text', 'stop_string']);
  });

  it('has all sampling parameters as JSON, and the rest as tensors', () => {
    const request = contract.encode(
      ask({
        logprobs: 2,
        promptLogprobs: 0,
        structure: { structural_tag: { type: 'structural_tag' } },
        structureOptions: { whitespacePattern: ' ?', disableAnyWhitespace: true, disableAdditionalProperties: true },
        images: [{ type: 'image/png', bytes: Buffer.from('PNG') }],
        loraName: 'sql',
        adapterPath: { id: 1, path: '/adapters/sql' },
        sampling: {
          maxTokens: 9,
          seed: 2n ** 62n,
          logitBias: { 5: -1 },
          logprobTokenIds: [5, 6],
          priority: -3,
          cacheSalt: 'salt',
          thinkingTokenBudget: 4,
          repetitionDetection: { min_count: 2 },
          engineExtras: { a: [1] },
          mediaOptions: { fps: 1 },
        },
      }),
    );
    const [, sampling = '', ...others] = displayedInputs(request);
    expect(sampling).toContain('4611686018427387904');
    expect(JSON.parse((JSON.parse(sampling.slice('sampling_params BYTES [1] '.length)) as string[])[0] ?? '')).toEqual({
      max_tokens: 9,
      seed: 2 ** 62,
      logit_bias: { 5: -1 },
      logprobs: 2,
      prompt_logprobs: 0,
      logprob_token_ids: [5, 6],
      thinking_token_budget: 4,
      repetition_detection: { min_count: 2 },
      structured_outputs: {
        structural_tag: { type: 'structural_tag' },
        whitespace_pattern: ' ?',
        disable_any_whitespace: true,
        disable_additional_properties: true,
      },
      extra_args: { a: [1] },
    });
    expect(others).toEqual([
      'image BYTES [1] ["PNG"]',
      'mm_processor_kwargs BYTES [1] ["{\\"fps\\":1}"]',
      'priority INT32 [1] -3',
      'cache_salt BYTES [1] ["salt"]',
      'lora_name BYTES [1] ["sql"]',
      'lora_path BYTES [1] ["/adapters/sql"]',
    ]);
    expect(request.outputs?.slice(4)).toEqual([
      'logprobs',
      'logprob_ids',
      'prompt_logprobs',
      'prompt_logprob_ids',
      'prompt_logprob_ranks',
    ]);
  });
});

describe('a response of conch-tokens', () => {
  const stop = textTensor('finish_reason', ['stop']);

  it('has any number of tokens, and its end has what the engine reports', () => {
    expect(
      read(
        ask(),
        [int32('token_ids', [5]), int32('usage', [3, 1, 1, -1, -1])],
        [int32('token_ids', [6, 7])],
        [int32('token_ids', [8, 2]), stop, int32('usage', [3, 5, 2, 4, 3]), double('times', [1e9, 0.25, 0.5, 0.125])],
      ),
    ).toEqual([
      ['prompt', 3],
      ['ids', [5], undefined],
      ['ids', [6, 7], undefined],
      ['ids', [8], undefined],
      ['end token', 2, undefined],
      ['cached', 2],
      ['engine', { times: { queue: 250, prefill: 500, decode: 125 }, drafts: { proposed: 4, accepted: 3 } }],
      ['finish', 'stop', undefined],
    ]);
  });

  it.each<[string, Partial<GenerateRequest>, Tensor[]]>([
    ['a stop sequence', { sampling: { stop: ['x'] } }, [stop, textTensor('stop_string', ['x'])]],
    ['the token limit', {}, [textTensor('finish_reason', ['length'])]],
    ['a repetition', {}, [textTensor('finish_reason', ['repetition'])]],
    ['a stop token that is to be returned', { sampling: { includeStopText: true } }, [stop]],
  ])('that was ended by %s has its last token too', (_, request, ending) => {
    const found = read(ask(request), [int32('token_ids', [5, 6]), ...ending]);
    expect(found[0]).toEqual(['ids', [5, 6], undefined]);
  });

  it('has no times and no counts that the engine does not know', () => {
    const unknown = [int32('usage', [3, 1, -1, -1, -1]), double('times', [Number.NaN, Number.NaN, Number.NaN, 1])];
    expect(read(ask(), [int32('token_ids', [2]), stop, ...unknown])).toEqual([
      ['prompt', 3],
      ['end token', 2, undefined],
      ['finish', 'stop', undefined],
    ]);
  });

  it('has the logprobs of each token, without those of the token that ended it', () => {
    const none = -1;
    const logprobs = [
      floats('logprobs', [-1, -0.5, -1, -2, -2, -0.25, -9, -9, -9], [3, 3]),
      int32('logprob_ids', [5, 9, 5, 6, 6, none, 2, 2, 2], [3, 3]),
    ];
    expect(read(ask({ logprobs: 2 }), [int32('token_ids', [5, 6, 2]), stop, ...logprobs])[0]).toEqual([
      'ids',
      [5, 6],
      [
        {
          id: 5,
          logprob: -1,
          top: [
            { id: 9, logprob: -0.5 },
            { id: 5, logprob: -1 },
          ],
        },
        { id: 6, logprob: -2, top: [{ id: 6, logprob: -2 }] },
      ],
      undefined,
    ]);
  });

  it('has the logprobs of the prompt, the first token without one', () => {
    const prompt = [
      floats('prompt_logprobs', [Number.NaN, Number.NEGATIVE_INFINITY, -1, -0.5], [2, 2]),
      int32('prompt_logprob_ids', [11, -1, 12, 40], [2, 2]),
      int32('prompt_logprob_ranks', [0, 0, 3, 1], [2, 2]),
    ];
    expect(read(ask({ promptLogprobs: 1 }), [int32('token_ids', [5]), ...prompt])[0]).toEqual([
      'prompt logprobs',
      [
        { id: 11, own: undefined, top: [] },
        { id: 12, own: { id: 12, logprob: -1, rank: 3 }, top: [{ id: 40, logprob: -0.5, rank: 1 }] },
      ],
    ]);
  });

  it('is the text of the engine without a tokenizer', () => {
    const responses = [
      responseOf([int32('token_ids', [5, 6]), textTensor('text', ['a'])], false),
      responseOf([int32('token_ids', [2]), textTensor('text', ['b']), stop], true),
    ];
    expect(decoded(textContract.decoder(requestOf()), responses)).toEqual([
      ['text', 'a', 2],
      ['text', 'b', 1],
      ['finish', 'stop', undefined],
    ]);
  });

  it('of a beam search is one for each completion', () => {
    const request = ask({
      beams: { width: 4, completions: 2, lengthPenalty: 0.5 },
      sampling: { stop: ['x'], topP: 0.5, seed: 1, maxTokens: 9 },
    });
    const { outputs } = contract.encode(request);
    expect([displayedInputs(contract.encode(request)).slice(1), outputs]).toEqual([
      [
        'sampling_params BYTES [1] ["{\\"max_tokens\\":9,\\"beam_width\\":4,\\"n\\":2,\\"length_penalty\\":0.5}"]',
        'stream BOOL [1] false',
      ],
      ['index', 'token_ids', 'finish_reason', 'usage', 'times'],
    ]);
    const usage = int32('usage', [3, 3, 0, -1, -1]);
    expect(
      read(
        request,
        [int32('index', [1]), int32('token_ids', [5, 2]), stop, usage],
        [int32('index', [0]), int32('token_ids', [6]), textTensor('finish_reason', ['length']), usage],
      ),
    ).toEqual([
      ['prompt', 3],
      ['ids', [5], 1],
      ['end token', 2, 1],
      ['finish', 'stop', 1],
      ['ids', [6], 0],
      ['cached', 0],
      ['finish', 'length', 0],
    ]);
  });

  it('that the engine aborted is an error', () => {
    const aborted = [int32('token_ids', [5]), textTensor('finish_reason', ['abort'])];
    expect(() => read(ask(), aborted)).toThrow('The backend ended the generation early (abort).');
  });
});

describe('an error of conch-tokens', () => {
  const explain = (message: string) => {
    const error = contract.explain(new StatusError('INVALID_ARGUMENT', message));
    return error && [error.code, error.message, error.param];
  };

  it.each([
    [
      'Invalid request: input_ids has 9 tokens, which is longer than the maximum model length of 8 tokens.',
      [
        'context_length_exceeded',
        "This model's maximum context length is 8 tokens. The prompt has 9. Shorten it.",
        'prompt',
      ],
    ],
    [
      `Invalid request: lora_name "x\\" is" is unknown. Send lora_path, or add it to multi_lora.json. Known: ["sql", "a].b"]`,
      ['model_not_found', 'This model has no LoRA adapter named x" is. It has: sql, a].b.', 'model'],
    ],
    [
      'Invalid request: lora_path must lead to a folder inside LORA_ROOT.',
      ['model_not_found', 'lora_path must lead to a folder inside LORA_ROOT.', 'model'],
    ],
    [
      'Invalid request: image[0] is not an image: expected a complete file of PNG, JPEG, WEBP, GIF.',
      ['invalid_request', 'image[0] is not an image: expected a complete file of PNG, JPEG, WEBP, GIF.', 'prompt'],
    ],
    [
      'Invalid request: priority is not supported: the engine schedules first come, first served.',
      ['invalid_request', 'priority is not supported: the engine schedules first come, first served.', 'priority'],
    ],
    [
      'Invalid request: sampling_params.bad_words[0] is 5: expected a string that is not empty.',
      ['invalid_request', 'bad_words[0] is 5: expected a string that is not empty.', 'bad_words'],
    ],
    [
      'Invalid request: sampling_params.structured_outputs.json is 5: expected an object.',
      ['invalid_request', 'guide: json is 5: expected an object.', 'guide'],
    ],
    [
      'Invalid request: Grammar error: expected EOF',
      ['invalid_request', 'guide: the backend refused it: expected EOF.', 'guide'],
    ],
    [
      'Engine unavailable: EngineCore encountered an issue.',
      ['model_not_ready', 'The engine behind this model has failed.', null],
    ],
    ['Invalid request: too many values', ['invalid_request', 'too many values', null]],
    ['Engine error: index out of range', undefined],
  ])('%s', (message, expected) => {
    expect(explain(message)).toEqual(expected);
  });

  it('names the adapters that the model has', () => {
    const names = (message: string) => contract.namedAdapters?.(new StatusError('INVALID_ARGUMENT', message));
    expect(names(`Invalid request: lora_name "x" is unknown. Send lora_path. Known: ["a", "b"]`)).toEqual(['a', 'b']);
    expect(names('Invalid request: lora_name is not supported: set "enable_lora": true in model.json.')).toEqual([]);
    expect(names('Engine error: x')).toBe(undefined);
  });
});
