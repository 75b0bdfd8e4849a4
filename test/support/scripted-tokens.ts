import { conchTokensContract } from '../../src/contracts/conch-tokens.ts';
import { LocalResponse } from '../../src/kserve/local-response.ts';
import type { CallOptions, InferenceServer, InferRequest, ResponseSink } from '../../src/kserve/server.ts';
import { numberTensor, readText, readTexts, type Tensor, textTensor } from '../../src/kserve/tensors.ts';
import type { PromptAssets } from '../../src/prompt/assets.ts';
import { type Tokenizer, type TokenTable, tokenKind } from '../../src/tokenizer.ts';
import { balancerWith } from './balance-fixtures.ts';
import { configOf } from './contract-fixtures.ts';
import { PlayedInference } from './played-inference.ts';
import { scriptedModel, templateOf } from './scripted-model.ts';

export const bos = 128;
export const eos = 129;

/** Each ASCII character is a token, with its code as its id; then come BOS and EOS. */
const texts = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), '<s>', '</s>'];
const bytes = Uint8Array.from(Buffer.from(texts.join('')));
const ends = texts.map((_, id) => texts.slice(0, id + 1).join('').length);
const offsets = Uint32Array.from([0, ...ends]);
const table: TokenTable = {
  kinds: Uint8Array.from(texts, (_, id) => (id >= bos ? tokenKind.special : 0)),
  inside: { bytes, offsets },
};

const idsOf = (text: string, adds: boolean): Int32Array =>
  Int32Array.from([...(adds ? [bos] : []), ...Buffer.from(text)]);

const tokenizer = {
  source: 'test',
  ownBos: '<s>',
  vocabularySize: texts.length,
  encode: async (text: string, { addSpecialTokens }: { addSpecialTokens: boolean }) => idsOf(text, addSpecialTokens),
  count: async (text: string, { addSpecialTokens }: { addSpecialTokens: boolean }) =>
    idsOf(text, addSpecialTokens).length,
  decode: async (ids: ArrayLike<number>) =>
    Array.from(ids)
      .map((id) => texts[id])
      .join(''),
  unknownIds: async (ids: ArrayLike<number>) => Array.from(ids).filter((id) => id >= texts.length),
  spellings: async () => [],
  table: async () => table,
} as unknown as Tokenizer;

/** The chat template writes BOS itself, as most do. */
const assets: PromptAssets = {
  tokenizer,
  template: templateOf(
    '<s>{% for m in messages %}{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}' +
      '{% if p.type == "image_url" %}#{% else %}{{ p.text }}{% endif %}{% endfor %}{% endif %}{% endfor %}',
  ),
  eosTokenIds: [eos],
};

/** The responses of one inference: the tokens of each, and how the last one ended. */
export interface TokenScript {
  /** A text has a token per character. */
  readonly responses: readonly (string | readonly number[])[];
  readonly reason?: 'stop' | 'length';
  readonly stopString?: string;
  /** Tokens that the engine found in the prompt; left out: those that it was sent. */
  readonly promptTokens?: number;
}

/** An inference as the model got it. */
export interface SentTokens {
  readonly ids: readonly number[];
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The other inputs, by name. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

const tensor = (name: string, values: readonly number[], columns?: number): Tensor =>
  numberTensor(name, {
    datatype: 'INT32',
    values,
    shape: columns === undefined ? [values.length] : [values.length / columns, columns],
  });

const floats = (name: string, values: readonly number[], columns: number): Tensor => {
  const data = Buffer.from(Float32Array.from(values).buffer);
  return { name, datatype: 'FP32', shape: [values.length / columns, columns], data };
};

/** The logprobs of tokens: the own one is -1, of the letter x -3; the likeliest token is z, then comes the token. */
function logprobTensors(name: string, ids: readonly number[], most: number, isPrompt: boolean): Tensor[] {
  const columns = 1 + most;
  const tops = [
    [0x7a, -0.5, 1],
    [-1, -1, 2],
  ] as const;
  const cell = (id: number, row: number, column: number): readonly [number, number, number] => {
    const isFirst = isPrompt && row === 0;
    const own = id === 0x78 ? -3 : -1;
    if (column === 0) return [id, isFirst ? Number.NaN : own, isFirst ? 0 : 2];
    const [top, logprob, rank] = tops[column - 1] ?? [-1, Number.NEGATIVE_INFINITY, 0];
    if (isFirst || column > tops.length) return [-1, Number.NEGATIVE_INFINITY, 0];
    return [column === 2 ? id : top, logprob, rank];
  };
  const cells = ids.flatMap((id, row) => Array.from({ length: columns }, (_, column) => cell(id, row, column)));
  return [
    floats(
      `${name}s`,
      cells.map(([, logprob]) => logprob),
      columns,
    ),
    tensor(
      `${name}_ids`,
      cells.map(([id]) => id),
      columns,
    ),
    tensor(
      `${name}_ranks`,
      cells.map(([, , rank]) => rank),
      columns,
    ),
  ];
}

function inputsOf({ inputs }: InferRequest): SentTokens {
  const read = ({ name, datatype, data }: Tensor): unknown => {
    if (name === 'image') return readTexts(data).length;
    if (datatype === 'BYTES') return name === 'cache_salt' ? readText(data) : JSON.parse(readText(data));
    if (datatype === 'BOOL') return data[0] === 1;
    return Array.from({ length: data.length / 4 }, (_, at) => data.readInt32LE(4 * at));
  };
  const all = Object.fromEntries(inputs.map((input) => [input.name, read(input)]));
  const { input_ids: ids, sampling_params: parameters, ...rest } = all;
  return { ids: ids as number[], parameters: parameters as Record<string, unknown>, inputs: rest };
}

function responsesOf(script: TokenScript, { ids, parameters }: SentTokens, expected: readonly string[]) {
  const { responses, reason = 'stop', stopString, promptTokens = ids.length } = script;
  const width = (name: string): number => Number(parameters[name]);
  return responses.map((tokens, at) => {
    const given = typeof tokens === 'string' ? [...Buffer.from(tokens)] : tokens;
    const isLast = at === responses.length - 1;
    const outputs = [
      tensor('token_ids', given),
      ...(at === 0 || isLast ? [tensor('usage', [promptTokens, given.length, 0, -1, -1])] : []),
      ...(parameters['logprobs'] === undefined ? [] : logprobTensors('logprob', given, width('logprobs'), false)),
      ...(at === 0 && parameters['prompt_logprobs'] !== undefined
        ? logprobTensors('prompt_logprob', ids, width('prompt_logprobs'), true)
        : []),
      ...(isLast ? [textTensor('finish_reason', [reason])] : []),
      ...(isLast && stopString !== undefined ? [textTensor('stop_string', [stopString])] : []),
    ].filter(({ name }) => expected.includes(name));
    return new LocalResponse({ model: 'm', version: '1', id: '', final: isLast, outputs });
  });
}

type ModelParts = NonNullable<Parameters<typeof scriptedModel>[1]>;

/** A model of python/conch_vllm that plays a script for every inference. */
export function scriptedTokens(
  script: TokenScript | ((sent: SentTokens, number: number) => TokenScript),
  parts: ModelParts = {},
) {
  const sent: SentTokens[] = [];
  const stream = (request: InferRequest, sink: ResponseSink, { signal }: CallOptions = {}) => {
    const inputs = inputsOf(request);
    sent.push(inputs);
    const played = typeof script === 'function' ? script(inputs, sent.length - 1) : script;
    return new PlayedInference(sink, { responses: responsesOf(played, inputs, request.outputs ?? []), signal });
  };
  const server = { name: 'tokens:8001', stream } as unknown as InferenceServer;
  const { model, context } = scriptedModel([{ tokens: [] }], {
    contract: conchTokensContract(configOf('a BOOL 1', 'b BOOL 1'), { hasTokenizer: true }),
    assets,
    group: balancerWith({ retries: 0 }).groupOf('m', [server]),
    ...parts,
  });
  return { model, sent, context };
}
