import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { begin, user } from '../gateway/requests.ts';
import { runConch } from '../support/command.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { freePorts } from '../support/ports.ts';
import { Redis } from '../support/redis.ts';
import { isLeftOut } from '../support/system-program.ts';
import { type Collector, httpCollector } from '../telemetry/collector.ts';
import { grpcStatus } from './grpc-status.ts';
import { bearer, keyFileText, secretOf } from './keyed.ts';

/** Every secret that the run is given, and one of a client's own that is not valid here. */
const secrets = {
  apiKey: 'sk-conch-0123456789abcdef',
  wrongKey: 'sk-wrong-fedcba9876543210',
  token: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJub2JvZHkifQ.bm8tc2lnbmF0dXJl',
  tritonHeader: 'triton-header-value-42',
  restricted: 'restricted-api-value-43',
  hubToken: 'hf_0123456789abcdefghij',
  collectorHeader: 'collector-header-value-44',
  collectorPassword: 'collector-password-45',
  prompt: 'the-words-of-a-client-46',
  cookie: 'session-cookie-47',
  fileKey: secretOf('ann'),
  redisPassword: 'redis-password-49',
} as const;

const restriction = { 'x-admin': secrets.restricted };
const key = { authorization: `Bearer ${secrets.apiKey}` };

/** The run has a Redis too. */
const isWithoutRedis = isLeftOut('redis-server');

let conch: Conch;
let collector: Collector;
let redis: Redis;
let folder: string;
let kserveHttp: number;
let kserveGrpc: number;
let responses = '';

/** Asks, and keeps all that comes back. */
async function ask(
  url: string,
  { body, headers = {}, method = 'POST' }: { body?: unknown; headers?: Record<string, string>; method?: string } = {},
): Promise<void> {
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', cookie: `session=${secrets.cookie}`, ...headers },
    ...(method === 'GET' ? {} : { body: sent ?? '' }),
  });
  responses += JSON.stringify([...response.headers]) + (await response.text());
}

beforeAll(async () => {
  collector = await httpCollector();
  const [http = 0, grpc = 0] = await freePorts(2);
  kserveHttp = http;
  kserveGrpc = grpc;
  redis = await Redis.start({ password: secrets.redisPassword });
  folder = mkdtempSync(join(tmpdir(), 'conch-secrets-'));
  const keyFile = join(folder, 'keys.json');
  writeFileSync(keyFile, keyFileText({ ann: { requests_per_minute: 100 } }));
  const withPassword = collector.url.replace('://', `://conch:${secrets.collectorPassword}@`);
  conch = await startConch({
    flags: [
      '--triton',
      `127.0.0.1:${inject('triton').grpcPort}`,
      '--tokenizer',
      tokenizerFolder('qwen3'),
      '--log-level',
      'trace',
      '--triton-header',
      `x-gate: ${secrets.tritonHeader}`,
      '--openai-restricted-api',
      'model-repository',
      'x-admin',
      secrets.restricted,
      '--otlp-endpoint',
      withPassword,
      '--api-key-file',
      keyFile,
      '--redis',
      redis.url,
      '--enable-kserve-frontends',
      '--kserve-http-port',
      String(http),
      '--kserve-grpc-port',
      String(grpc),
    ],
    environment: {
      CONCH_API_KEY: secrets.apiKey,
      HF_TOKEN: secrets.hubToken,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Basic%20${secrets.collectorHeader}`,
      OTEL_BSP_SCHEDULE_DELAY: '20',
    },
  });
});
afterAll(async () => {
  await conch.stop();
  await collector.close();
  await redis.remove();
  rmSync(folder, { recursive: true });
});

describe.skipIf(isWithoutRedis)('no secret of a run', () => {
  it('stands in what it answered, logged or traced', async () => {
    const chat = `${conch.url}/v1/chat/completions`;
    const toy = (orders: Record<string, unknown>) => ({
      model: 'vllm-toy',
      messages: user(`${secrets.prompt} ${directive(orders)}`),
    });
    await ask(chat, { body: toy({ tokens: 3 }), headers: key });
    await ask(chat, { body: { ...toy({ tokens: 3 }), stream: true }, headers: key });
    await ask(chat, { body: toy({ error_at: 1 }), headers: { 'x-api-key': secrets.apiKey } });
    await ask(chat, { body: { ...toy({ error_at: 2 }), stream: true }, headers: key });
    await ask(chat, { body: toy({}), headers: { authorization: `Bearer ${secrets.wrongKey}` } });
    await ask(chat, { body: toy({}), headers: { authorization: `Bearer ${secrets.token}` } });
    await ask(chat, { body: `{"model": "vllm-toy", ${secrets.prompt}`, headers: key });
    await ask(chat, { body: { ...toy({}), temperature: 'hot' }, headers: key });
    await ask(chat, { body: { ...toy({}), model: 'nobody' }, headers: key });
    await ask(`${conch.url}/v1/models`, { method: 'GET', headers: key });
    await ask(`${conch.url}/v1/models`, { method: 'GET', headers: { ...key, ...restriction } });
    await ask(`${conch.url}/v1/models/vllm-toy/load?key=${secrets.apiKey}`, { headers: { ...key, ...restriction } });
    await ask(`${conch.url}/v1/nowhere?api_key=${secrets.apiKey}`, { method: 'GET', headers: key });
    await ask(`${conch.url}/%zz?api_key=${secrets.apiKey}`, { method: 'GET', headers: key });
    await ask(`${conch.url}/metrics`, { method: 'GET', headers: key });
    await ask(`${conch.url}/v1/servers`, { method: 'GET', headers: key });
    await ask(chat, { body: toy({ tokens: 1 }), headers: bearer('ann') });
    const call = '/inference.GRPCInferenceService/ModelInfer';
    for (const authorization of [key.authorization, `Bearer ${secrets.fileKey}`, `Bearer ${secrets.wrongKey}`])
      responses += JSON.stringify(await grpcStatus(kserveGrpc, call, { authorization }));
    // What it says of a Redis that is gone names the place, not the password.
    await redis.kill();
    await conch.logged(({ message }) => String(message).startsWith('Redis at '));
    await ask(chat, { body: toy({ tokens: 1 }), headers: bearer('ann') });
    const kserve = `http://127.0.0.1:${kserveHttp}/v2/models/vllm-toy/generate`;
    await ask(kserve, { body: { text_input: secrets.prompt, max_tokens: 3 }, headers: key });
    await ask(kserve, {
      body: { text_input: secrets.prompt },
      headers: { authorization: `Bearer ${secrets.wrongKey}` },
    });
    const leaving = begin(
      chat,
      { ...toy({ tokens: 9, delay_ms: 100 }), stream: true },
      { ...key, 'x-request-id': 'leaver' },
    );
    await leaving.until(' w1"');
    await leaving.leave();
    await conch.logged(({ reqId, status }) => reqId === 'leaver' && status !== undefined);
    expect(await conch.stop()).toBe(0);

    expect(collector.spans().length).toBeGreaterThan(20);
    const locations = { responses, log: JSON.stringify(conch.log()), traces: collector.received() };
    const found = Object.entries(locations).flatMap(([location, text]) =>
      Object.entries(secrets)
        // Triton's own generate answers with the words of the prompt.
        .filter(([name, secret]) => text.includes(secret) && !(location === 'responses' && name === 'prompt'))
        .map(([name]) => `${name} in the ${location}`),
    );
    expect(found).toEqual([]);
  });

  it('stands in the log where a store cannot be opened', async () => {
    const location = 'postgres://conch:store-password-48@127.0.0.1:1/responses';
    const { code, stdout, stderr } = await runConch(['--triton', '127.0.0.1:1', '--store', location]);
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain('store-password-48');
  });
});

describe.skipIf(isWithoutRedis)('--log-prompts', () => {
  it('writes what clients send to the log, and says so at the start', async () => {
    const flags = ['--triton', `127.0.0.1:${inject('triton').grpcPort}`, '--tokenizer', tokenizerFolder('qwen3')];
    const open = await startConch({ flags: [...flags, '--log-prompts'] });
    const body = { model: 'vllm-toy', messages: user(`${secrets.prompt} ${directive({ tokens: 1 })}`) };
    await ask(`${open.url}/v1/chat/completions`, { body });
    const { prompt } = await open.logged(({ message }) => message === 'prompt');
    expect(JSON.parse(String(prompt))).toEqual(body);
    const warning =
      'log_prompts is on: the log contains what clients send, including prompts. Turn it off with --no-log-prompts.';
    expect(open.log().some(({ level, message }) => level === 'warn' && message === warning)).toBe(true);
    await open.stop();
  });
});
