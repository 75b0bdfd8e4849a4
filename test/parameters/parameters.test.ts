import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type ContractKind, parameterNames } from '../../src/contracts/contract.ts';
import { ChatRequest } from '../../src/requests/chat-request.ts';
import { CompletionRequest } from '../../src/requests/completion-request.ts';
import { chatRows } from '../gateway/chat-fields.ts';
import { completionRows } from '../gateway/completion-fields.ts';
import type { Row } from '../gateway/field-rows.ts';
import { textsOf, user } from '../gateway/requests.ts';
import { runConch } from '../support/command.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { inRoot, tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { post } from '../support/gateway.ts';
import { startTrtllm, type Trtllm } from '../support/trtllm.ts';
import { chainModels } from '../support/trtllm-repository.ts';
import { parametersPage } from './page.ts';
import { type Cell, chatTable, completionTable, contracts } from './table.ts';

/** The model that stands for each contract. */
const models: Readonly<Record<ContractKind, string>> = {
  vllm: 'vllm-toy',
  'conch-tokens': 'tokens-toy',
  'trtllm-tokens': 'ensemble',
  trtllm: 'tensorrt_llm_bls',
  llmapi: 'llmapi',
};

const patience = 180_000;
let triton: Trtllm;
let conch: Conch;
let flags: string[];

beforeAll(async () => {
  triton = await startTrtllm({
    models: [...chainModels, 'tensorrt_llm_bls', 'llmapi'],
    values: { normalize_log_probs: 'false', guided_decoding_backend: 'xgrammar', max_beam_width: '4' },
    engine: { max_beam_width: 4, gather_generation_logits: true },
  });
  flags = [
    '--triton',
    `127.0.0.1:${triton.grpcPort}`,
    '--triton',
    `127.0.0.1:${inject('triton').grpcPort}`,
    '--contract',
    'tensorrt_llm_bls=trtllm',
    '--tokenizer',
    tokenizerFolder('qwen3'),
    '--chat-template',
    inRoot('test/gateway/plain.jinja'),
    '--context-length',
    '2048',
  ];
  conch = await startConch({ flags });
}, patience);
afterAll(async () => {
  await conch.stop();
  await triton.stop();
});

const prompt = directive({ tokens: 3 });
const apis = [
  {
    api: 'chat',
    path: '/v1/chat/completions',
    schema: ChatRequest,
    rows: chatRows,
    table: chatTable,
    ask: (text: string): object => ({ messages: user(text) }),
    logprobs: { logprobs: true },
  },
  {
    api: 'completions',
    path: '/v1/completions',
    schema: CompletionRequest,
    rows: completionRows,
    table: completionTable,
    ask: (text: string): object => ({ prompt: text }),
    logprobs: { logprobs: 1 },
  },
] as const;

/** What a field needs beside its own value before it means anything. */
const company: Readonly<Record<string, object>> = {
  length_penalty: { use_beam_search: true },
  guided_whitespace_pattern: { guided_json: { type: 'object' } },
};

/** What the model says where the form of its answer is emulated: it must have it by itself. */
const responses: Readonly<Record<string, string>> = {
  response_format: '{"a":1}',
  structured_outputs: '"a"',
  guided_json: '{"a":1}',
  guided_regex: 'abc',
  guided_choice: 'no',
  tool_choice: '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
};

/** The fields that an error may name instead of another field that depends on them. */
const standIns: Readonly<Record<string, readonly string[]>> = {
  length_penalty: ['use_beam_search'],
  logprob_token_ids: ['logprobs'],
  return_tokens_as_token_ids: ['logprobs'],
  top_logprobs: ['logprobs'],
};

describe.each(apis)('the fields of $api', ({ path, schema, rows, table, ask, logprobs }) => {
  it('are all in the table', () => {
    expect(Object.keys(table).toSorted()).toEqual(Object.keys(schema.shape).toSorted());
  });

  it.each(contracts)('are on %s what the table says', async (contract) => {
    const fields = Object.entries<Row>(rows);
    const outcomes = await Promise.all(
      fields.map(async ([field, { send }]): Promise<[string, string]> => {
        const text = table[field]?.[contract] === 'emulated' ? responses[field] : undefined;
        const basic = ask(text === undefined ? prompt : directive({ answer: text }));
        const others = field === 'logprob_token_ids' ? logprobs : company[field];
        const body = { ...basic, max_tokens: 64, ...send, ...others, model: models[contract] };
        if ('max_completion_tokens' in send) Reflect.deleteProperty(body, 'max_tokens');
        const response = await post(conch.url + path, body);
        return [field, verdict(field, response, table[field]?.[contract])];
      }),
    );
    const expected = fields.map(([field]) => [field, table[field]?.[contract]]);
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(expected));
  });
});

/** Fields without an echo: Conch would cut a stop sequence off, the model itself searches with beams, and ids are returned anyway. */
const unechoed: Readonly<Partial<Record<ContractKind, readonly string[]>>> = {
  'conch-tokens': ['stop', 'use_beam_search', 'length_penalty', 'return_token_ids'],
};

describe('a supported field', () => {
  const echo = directive({ echo_parameters: true });
  const drawn = new Set(['request_id', 'seed', 'sampling_param_seed']);

  /** What the engine was sent; without what differs from request to request unless that is asked for. */
  const received = async (model: string, body: object, field = '') => {
    const response = await post(`${conch.url}/v1/completions`, { model, prompt: echo, max_tokens: 64, ...body });
    if (response.status !== 200) throw new Error(`${field}: ${response.text}`);
    const inputs = JSON.parse(textsOf(response)[0] ?? '') as Record<string, unknown>;
    return Object.fromEntries(Object.entries(inputs).filter(([name]) => field === 'seed' || !drawn.has(name)));
  };

  it.each(contracts.filter((contract) => contract !== 'vllm'))('reaches the engine on %s', async (contract) => {
    const usual = await received(models[contract], {});
    const fields = parameterNames.filter(
      (name) => completionTable[name]?.[contract] === 'supported' && !unechoed[contract]?.includes(name),
    );
    const unsent: string[] = [];
    for (const field of fields) {
      const body = {
        ...completionRows[field]?.send,
        ...company[field],
        ...(field === 'logprobs' ? { logprobs: 0 } : {}),
        ...(field === 'logprob_token_ids' ? { logprobs: 1 } : {}),
      };
      if (isDeepStrictEqual(await received(models[contract], body, field), usual)) unsent.push(field);
    }
    expect([fields.length > 5, unsent]).toEqual([true, []]);
  });
});

/** The cell that the answer bears out; else what was seen. */
function verdict(field: string, { status, body, text }: Awaited<ReturnType<typeof post>>, cell: Cell | undefined) {
  if (status === 200 && cell !== undefined && cell !== 'not supported' && !text.includes('"error"')) return cell;
  const { code, param } = body.error ?? {};
  const isNamed = param === field || standIns[field]?.includes(String(param));
  const isRejected = status === 400 && code === 'unsupported_parameter' && isNamed;
  return isRejected ? 'not supported' : `${status} ${text.slice(0, 300)}`;
}

describe('conch doctor', () => {
  it('says the same of every parameter', async () => {
    const { stdout, code } = await runConch(['doctor', '--json', ...flags]);
    const { models: found } = JSON.parse(stdout) as {
      models: {
        model: string;
        parameters?: { supported: string[]; emulated: string[]; refused: { name: string }[] };
      }[];
    };
    for (const contract of contracts) {
      const { parameters } = found.find(({ model }) => model === models[contract]) ?? {};
      const said = parameterNames.map((name) => {
        if (parameters?.supported.includes(name)) return [name, 'supported'];
        if (parameters?.emulated.includes(name)) return [name, 'emulated'];
        return [name, parameters?.refused.some((each) => each.name === name) ? 'not supported' : 'missing'];
      });
      const expected = parameterNames.map((name) => [name, chatTable[name]?.[contract]]);
      expect({ contract, said }).toEqual({ contract, said: expected });
    }
    expect(code).toBe(1);
  });
});

describe('docs/parameters.md', () => {
  it('is the table', async () => {
    await expect(parametersPage()).toMatchFileSnapshot('../../docs/parameters.md');
  });
});
