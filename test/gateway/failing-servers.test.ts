import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { tellToy } from '../reliability/two-servers.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, type Response } from '../support/gateway.ts';
import { startTriton, type Triton } from '../support/triton.ts';
import { begin, countOf, textsOf, user } from './requests.ts';

let triton: Triton;
/** Looks at the server often. */
let watchful: Conch;
/** Looks once, and then believes what it saw. */
let trusting: Conch;

function start(refreshInterval: string, ...flags: readonly string[]): Promise<Conch> {
  const server = ['--triton', `127.0.0.1:${triton.grpcPort}`, '--refresh-interval', refreshInterval];
  const template = ['--chat-template', inRoot('test/gateway/plain.jinja')];
  return startConch({ flags: [...server, ...template, '--engine-recovery=off', ...flags] });
}

beforeAll(async () => {
  triton = await startTriton({
    repository: 'test/models',
    modelControl: 'explicit',
    loadModels: ['vllm-toy', 'vllm-queue'],
  });
  [watchful, trusting] = await Promise.all([start('200ms'), start('1h')]);
});
afterAll(async () => {
  await Promise.all([watchful.stop(), trusting.stop()]);
  await triton.stop();
});

const chat = (conch: Conch, orders: Record<string, unknown>, body: object = {}) =>
  post(`${conch.url}/v1/chat/completions`, { model: 'vllm-toy', messages: user(directive(orders)), ...body });
const seen = ({ status, body, headers }: Response) => ({ status, body, retryAfter: headers.get('retry-after') });
const failure = (status: number, code: string, message: string, retryAfter: string | null) => ({
  status,
  body: {
    error: { message, type: status === 429 ? 'rate_limit_error' : 'server_error', param: null, code },
  },
  retryAfter,
});

describe("Triton's own queue", () => {
  it('is a 429 with Retry-After when it is full', async () => {
    // A probe of an engine that is silent for a second would wait in the queue too.
    const conch = await start('1h', '--engine-check-interval', '0');
    onTestFinished(async () => void (await conch.stop()));
    const model = 'vllm-queue';
    const first = begin(`${conch.url}/v1/completions`, {
      model,
      prompt: directive({ tokens: 3, hold_at: 1 }),
      stream: true,
    });
    await first.until(' w1');
    // One runs and two wait: of four more, two are refused, and only those can end now.
    const ended: Response[] = [];
    let noteRefused = (): void => undefined;
    const refused = new Promise<void>((resolve) => {
      noteRefused = resolve;
    });
    const others = Array.from({ length: 4 }, async () => {
      const response = await post(`${conch.url}/v1/completions`, { model, prompt: directive({ answer: 'late' }) });
      if (ended.push(response) === 2) noteRefused();
      return response;
    });
    await refused;
    const full = failure(429, 'rate_limit_exceeded', 'The queue of this model is full. Try again later.', '1');
    expect(ended.map(seen)).toEqual([full, full]);
    await first.leave();
    const rest = (await Promise.all(others)).filter((response) => !ended.slice(0, 2).includes(response));
    expect(rest.map((response) => (response.status === 200 ? textsOf(response) : seen(response)))).toEqual([
      ['late'],
      ['late'],
    ]);
  });
});

describe('an engine that died', () => {
  const dead = failure(503, 'model_not_ready', 'The engine behind this model has failed.', '10');

  it('is a 503, and an error inside a stream', async () => {
    const { text } = await chat(watchful, { tokens: 9, die_at: 2 }, { stream: true });
    expect(eventsOf(text).at(-1)).toEqual(dead.body);
    const message = 'The engine of the model vllm-toy has failed. It must be reloaded on its server.';
    const refused = { ...dead, body: { error: { ...dead.body.error, message, param: 'model' } } };
    expect(seen(await chat(watchful, { answer: 'one' }))).toEqual(refused);
    expect(seen(await chat(watchful, { answer: 'one' }, { stream: true }))).toEqual(refused);
    await tellToy(triton, { revive: true, answer: 'back' });
    await watchful.logged(({ message: line }) =>
      String(line).startsWith('The engine failure of the model vllm-toy on'),
    );
    expect((await chat(watchful, { answer: 'one' })).status).toBe(200);
  });
});

describe('a server that is gone', () => {
  it('is a 502 for those who wait, an error for those who read, then a 502 and a 503', async () => {
    const hold = (tag: string) => user(directive({ tokens: 9, hold_at: 2, tag }));
    const path = `${watchful.url}/v1/chat/completions`;
    const waiting = post(path, { model: 'vllm-toy', messages: hold('waiting') });
    const reading = begin(path, { model: 'vllm-toy', messages: hold('reading'), stream: true });
    await reading.until(' w2');
    expect(await countOf(watchful.url, 'waiting', { until: 'held' })).toMatchObject({ state: 'held' });
    await triton.kill('SIGKILL');

    const unreachable = failure(502, 'server_unreachable', 'The server of this model is unreachable.', '1');
    expect(seen(await waiting)).toEqual(unreachable);
    expect(eventsOf(await reading.whole()).at(-1)).toEqual(unreachable.body);
    expect(seen(await chat(trusting, { answer: 'one' }))).toEqual(unreachable);
    expect(seen(await chat(trusting, { answer: 'one' }, { stream: true, n: 2 }))).toEqual(unreachable);

    await watchful.logged(({ message }) => String(message).includes('is unreachable'));
    const notReady = failure(503, 'server_not_ready', 'No inference server is reachable. Try again later.', '2');
    expect(seen(await chat(watchful, { answer: 'one' }))).toEqual(notReady);
  });
});
