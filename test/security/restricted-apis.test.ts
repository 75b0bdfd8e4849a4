import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runConch } from '../support/command.ts';
import type { Conch } from '../support/conch.ts';
import { sharedGateway } from '../support/gateway.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { holdsSecret, keyOf, type Restriction, restrictions, startRestricted, withRestricted } from './restrictions.ts';

const flag = '--openai-restricted-api';
const { inference, repository, health } = restrictions;
const threeArguments = [flag, inference.apis, inference.header, inference.value];
const oneText = [
  flag,
  `${repository.apis} ${repository.header} ${repository.value}`,
  `${flag}=${health.apis} ${health.header} ${health.value}`,
];

let restricted: Conch;
let open: SharedConch;
beforeAll(async () => {
  restricted = await startRestricted([...threeArguments, ...oneText, '--log-level', 'trace']);
  open = await sharedGateway();
});
afterAll(() => restricted.stop());

interface Prompt {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const varying = new Set(['date', 'content-length', 'connection', 'keep-alive', 'x-request-id', 'server-timing']);

/** The whole answer, but for what is new in each: ids and times. */
async function ask(conch: SharedConch, { method, path, body }: Prompt, headers: Record<string, string> = {}) {
  const response = await fetch(conch.url + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = (await response.text())
    .replaceAll(/"created":\d+/g, '"created":0')
    .replaceAll(/"(chatcmpl|cmpl)-[\w-]+"/g, '"$1"')
    .replaceAll(/"responseId":"\w+"/g, '"responseId":""');
  const stored = [...response.headers].filter(([name]) => !varying.has(name));
  return { status: response.status, headers: Object.fromEntries(stored), text };
}

function refusal({ header }: Restriction, { method }: Prompt) {
  const message = `This API is restricted. Send the required value in the header "${header}".`;
  const body = { error: { message, type: 'authentication_error', param: null, code: 'invalid_auth' } };
  return {
    status: 401,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-should-retry': 'false',
    },
    text: method === 'HEAD' ? '' : JSON.stringify(body),
  };
}

const messages = [{ role: 'user', content: 'Hello' }];
const generated = [false, true].flatMap((stream): Prompt[] => [
  { method: 'POST', path: '/v1/chat/completions', body: { model: 'vllm-toy', messages, stream } },
  { method: 'POST', path: '/v1/completions', body: { model: 'vllm-toy', prompt: 'Hello', stream } },
]);
const models = ['/v1/models', '/models', '/v1/models/vllm-toy', '/models/vllm-toy', '/v1/models/'].flatMap((path) =>
  ['GET', 'POST', 'HEAD'].map((method): Prompt => ({ method, path })),
);
const healthChecks = ['/health', '/health/live', '/health/ready', '/v1/health/ready', '/health_check'].flatMap((path) =>
  ['GET', 'HEAD'].map((method): Prompt => ({ method, path })),
);

const groups: [string, Restriction, readonly Prompt[]][] = [
  ['inference', inference, generated],
  ['model-repository', repository, models],
  ['health', health, healthChecks],
];

describe.each(groups)('the API %s', (_name, restriction, prompts) => {
  it('answers as ever when the header has its value', async () => {
    for (const prompt of prompts) {
      const response = await ask(open, prompt);
      expect(response.status).toBe(200);
      expect(await ask(restricted, prompt, keyOf(restriction))).toEqual(response);
      expect(await ask(restricted, prompt, { [restriction.header.toUpperCase()]: restriction.value })).toEqual(
        response,
      );
    }
  });

  it('refuses requests without the header, or with another value or header', async () => {
    const others = Object.values(restrictions).filter((other) => other !== restriction);
    const wrong = [
      {},
      { [restriction.header]: '' },
      { [restriction.header]: restriction.value.toUpperCase() },
      { [restriction.header]: `${restriction.value}x` },
      { [restriction.header]: `${restriction.value}, ${restriction.value}` },
      { authorization: `Bearer ${restriction.value}` },
      Object.assign({}, ...others.map(keyOf)) as Record<string, string>,
    ];
    for (const prompt of prompts)
      for (const headers of wrong)
        expect({ prompt, ...(await ask(restricted, prompt, headers)) }).toEqual({
          prompt,
          ...refusal(restriction, prompt),
        });
  });
});

describe('the Gemini API', () => {
  const contents = [{ parts: [{ text: 'Hello' }] }];
  const methods = ['generateContent', 'streamGenerateContent?alt=sse', 'countTokens'].map((method) => ({
    method: 'POST',
    path: `/v1beta/models/vllm-toy:${method}`,
    body: { contents },
  }));
  const lists = ['/v1beta/models', '/v1beta/models/vllm-toy'].map((path) => ({ method: 'GET', path }));

  it.each([
    ...methods.map((prompt) => [prompt, inference] as const),
    ...lists.map((prompt) => [prompt, repository] as const),
  ])('has the same restrictions: %j', async (prompt: Prompt, restriction) => {
    const response = await ask(open, prompt);
    expect(response.status).toBe(200);
    expect(await ask(restricted, prompt, keyOf(restriction))).toEqual(response);
    const { status, text } = await ask(restricted, prompt, { 'x-goog-api-key': restriction.value });
    expect([status, JSON.parse(text)]).toEqual([
      401,
      {
        error: {
          code: 401,
          message: `This API is restricted. Send the required value in the header "${restriction.header}".`,
          status: 'UNAUTHENTICATED',
          details: [expect.objectContaining({ reason: 'INVALID_AUTH' })],
        },
      },
    ]);
  });
});

describe('the API metrics', () => {
  it('wants its header for /metrics', async () => {
    const prompt = { method: 'GET', path: '/metrics' };
    expect(await ask(restricted, prompt)).toEqual(refusal(repository, prompt));
    const { status, headers } = await ask(restricted, prompt, keyOf(repository));
    expect({ status, headers }).toEqual({
      status: 200,
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'x-content-type-options': 'nosniff' },
    });
  });
});

describe('restricted APIs', () => {
  it('refuse before they read: neither the body nor the model matters', async () => {
    const path = '/v1/chat/completions';
    for (const body of [{}, { model: 'nobody' }, 'x'])
      expect(await ask(restricted, { method: 'POST', path, body })).toEqual(
        refusal(inference, { method: 'POST', path }),
      );
  });

  it('leave alone what is no route', async () => {
    for (const [method, path] of [
      ['GET', '/v1/chat/completions'],
      ['DELETE', '/v1/models'],
      ['GET', '/nothing'],
    ] as const)
      expect(await ask(restricted, { method, path })).toEqual(await ask(open, { method, path }));
  });

  it('are named in the log with their headers, and no value ever is', async () => {
    await restricted.logged(({ message }) => message === 'header User-Key is required for inference');
    await restricted.logged(({ message }) => message === 'header admin-key is required for model-repository, metrics');
    await restricted.logged(({ message }) => message === 'header probe-key is required for health');
    await ask(restricted, { method: 'GET', path: '/health/last' });
    await restricted.logged(({ path }) => path === '/health/last');
    expect(restricted.log().filter(({ status }) => status === 401).length).toBeGreaterThan(100);
    expect(holdsSecret(JSON.stringify(restricted.log()))).toBe(false);
  });

  it('want the key as well', async () => {
    await withRestricted([...threeArguments, '--api-key', 'secret'], {}, async (both) => {
      const [chat] = generated as [Prompt];
      const authorization = 'Bearer secret';
      const noKey = {
        error: {
          message: 'No API key. Send it in the header "Authorization: Bearer KEY".',
          type: 'authentication_error',
          param: null,
          code: 'invalid_api_key',
        },
      };
      expect(await ask(both, chat, { authorization })).toEqual(refusal(inference, chat));
      expect(await ask(both, chat, keyOf(inference))).toEqual({
        ...refusal(inference, chat),
        headers: { ...refusal(inference, chat).headers, 'www-authenticate': 'Bearer' },
        text: JSON.stringify(noKey),
      });
      expect(await ask(both, chat, { authorization, ...keyOf(inference) })).toEqual(await ask(open, chat));
      expect((await ask(both, { method: 'GET', path: '/v1/models' }, { authorization })).status).toBe(200);
    });
  });
});

describe('restrictions from elsewhere', () => {
  const folder = mkdtempSync(join(tmpdir(), 'conch-restricted-'));
  const file = join(folder, 'conch.yaml');
  afterAll(() => rmSync(folder, { recursive: true }));

  async function holds(conch: Conch): Promise<void> {
    for (const [, restriction, [prompt]] of groups) {
      if (prompt === undefined) throw new Error('A group has no questions.');
      expect(await ask(conch, prompt)).toEqual(refusal(restriction, prompt));
      expect(await ask(conch, prompt, keyOf(restriction))).toEqual(await ask(open, prompt));
    }
    expect(holdsSecret(JSON.stringify(conch.log()))).toBe(false);
  }

  // oxlint-disable-next-line vitest/expect-expect -- holds() expects
  it('the file hold', async () => {
    const rows = Object.values(restrictions).map(({ apis, ...rest }) => ({ apis: apis.split(','), ...rest }));
    writeFileSync(file, JSON.stringify({ openai_restricted_api: rows }));
    await withRestricted(['--config', file], {}, holds);
  });

  // oxlint-disable-next-line vitest/expect-expect -- holds() expects
  it('the variable hold', async () => {
    const texts = Object.values(restrictions).map(({ apis, header, value }) => `${apis} ${header} ${value}`);
    await withRestricted([], { CONCH_OPENAI_RESTRICTED_API: texts.join('; ') }, holds);
  });
});

describe('a start', () => {
  const names = 'inference, embedding, model-repository, metrics, health';

  it.each([
    [
      'an unknown API',
      ['chat', 'a-key', inference.value],
      `${flag} has the unknown API "chat". Known APIs are ${names}.`,
    ],
    ['an API twice', [...oneText.slice(1), flag, 'health', 'a-key', 'x'], `${flag} must not restrict health twice.`],
    ['too few arguments', ['inference', 'a-key'], `${flag} needs 3 values. Write ${flag} APIS HEADER VALUE.`],
  ])('with %s fails', async (_what, words, problem) => {
    const outcome = await runConch(['--triton', 'a:1', '--check', flag, ...words]);
    expect(outcome).toEqual({ code: 2, stdout: '', stderr: `conch: ${problem}\n` });
  });

  it('that checks or helps shows no value', async () => {
    const flags = ['--triton', 'a:1', ...threeArguments, ...oneText];
    expect(await runConch([...flags, '--check'])).toEqual({
      code: 0,
      stdout: 'The settings are valid.\n',
      stderr: '',
    });
    const { code, stdout, stderr } = await runConch([...flags, '--help-all']);
    expect([code, stdout.includes(`${flag} APIS HEADER VALUE`), holdsSecret(stdout), stderr]).toEqual([
      0,
      true,
      false,
      '',
    ]);
  });
});
