import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin, textsOf } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { directive, exchange } from '../support/exchange.ts';
import { post, sharedGateway, startGateway } from '../support/gateway.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { firstCompleted, type Held, hold } from './holding.ts';

let conch: Conch;
let free: SharedConch;
let kservePort: number;
let grpcPort: number;

beforeAll(async () => {
  const limits = ['vllm-toy=2', 'vllm-llama=1', 'vllm-2410=1'].flatMap((limit) => ['--max-running', limit]);
  const queues = ['vllm-toy=1', 'vllm-llama=0', 'vllm-2410=2'].flatMap((limit) => ['--max-waiting', limit]);
  const kserve = ['--enable-kserve-frontends', '--kserve-http-port', '0', '--kserve-grpc-port', '0'];
  [conch, free] = await Promise.all([startGateway(...limits, ...queues, ...kserve), sharedGateway()]);
  const addresses = conch.log().flatMap(({ message }) => /^KServe listens on (.*)$/.exec(String(message))?.[1] ?? []);
  [kservePort = 0, grpcPort = 0] = addresses.map((address) => Number(new URL(address).port));
});
afterAll(() => conch.stop());

const toy = () => hold({ url: conch.url, control: free.url });
const hello = (model: string) => ({ model, prompt: directive({ answer: 'hello' }) });
const full = (model: string, running: number, waiting: number, retryAfter: string | null) => ({
  error: {
    message: `The queue of the model ${model} is full: the limits are ${running} running and ${waiting} waiting requests. Try again in ${retryAfter} s.`,
    type: 'rate_limit_error',
    param: 'model',
    code: 'rate_limit_exceeded',
  },
});

async function letGo(held: readonly Held[]): Promise<void> {
  for (const one of held) {
    await one.untilHeld();
    await one.release();
    expect([(await one.response).status, textsOf(await one.response)]).toEqual([200, [' w1 w2']]);
  }
}

describe('--max-running and --max-waiting', () => {
  it('let so many run and so many wait, refuse the next, and let those who wait in', async () => {
    const running = [toy(), toy()];
    await Promise.all(running.map(({ untilHeld }) => untilHeld()));
    const { first, response, others } = await firstCompleted([toy(), toy()]);
    const retryAfter = response.headers.get('retry-after');
    expect([response.status, response.body]).toEqual([429, full('vllm-toy', 2, 1, retryAfter)]);
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
    expect(Number(retryAfter)).toBeLessThanOrEqual(60);
    expect([await first.state(), await others[0]?.state()]).toEqual(['unknown', 'unknown']);
    await letGo([...running, ...others]);
  });

  it('give the place of a client that leaves the queue to another', async () => {
    const running = [toy(), toy()];
    await Promise.all(running.map(({ untilHeld }) => untilHeld()));
    const waiting = begin(`${conch.url}/v1/completions`, hello('vllm-toy'));
    const others = begin(`${conch.url}/v1/completions`, hello('vllm-toy'));
    // One of the two waits, the other is refused.
    const refused = await Promise.race([waiting, others].map(async (one) => [one, await one.whole()] as const));
    expect(refused[1]).toContain('rate_limit_exceeded');
    await (refused[0] === waiting ? others : waiting).leave();
    await conch.logged(({ message }) => message === 'client disconnected');
    const { response, others: queued } = await firstCompleted([toy(), toy()]);
    expect(response.status).toBe(429);
    await letGo([...running, ...queued]);
  });

  it('hold for every API that runs the model, and for none that does not', async () => {
    const held = hold({ url: conch.url, control: free.url, model: 'vllm-llama' });
    await held.untilHeld();
    const model = 'vllm-llama';
    const messages = [{ role: 'user', content: 'x' }];
    for (const [path, body] of [
      ['/v1/chat/completions', { model, messages }],
      ['/v1/chat/completions', { model, messages, stream: true }],
      ['/v1/completions', { model, prompt: 'x' }],
      ['/v1/responses', { model, input: 'x' }],
      ['/v1/responses', { model, input: 'x', background: true }],
    ] as const) {
      const { status, body: reported, headers } = await post(conch.url + path, body);
      expect([path, status, reported]).toEqual([path, 429, full(model, 1, 0, headers.get('retry-after'))]);
    }
    const anthropic = await post(`${conch.url}/v1/messages`, { model, max_tokens: 5, messages });
    expect([anthropic.status, anthropic.body.error?.['type']]).toEqual([429, 'rate_limit_error']);
    for (const path of ['generate', 'generate_stream', 'infer']) {
      const input = path === 'infer' ? { inputs: [] } : { text_input: 'x' };
      const { status, headers, body } = await post(`http://127.0.0.1:${kservePort}/v2/models/${model}/${path}`, input);
      const retryAfter = headers.get('retry-after');
      expect([path, status, body]).toEqual([path, 429, { error: full(model, 1, 0, retryAfter).error.message }]);
    }
    const [call] = await exchange(grpcPort, [{ model, inputs: { text_input: ['x'] } }]);
    expect(call?.messages[0]?.error).toMatch(/^The queue of the model vllm-llama is full/);
    const tokens = await post(`${conch.url}/tokenize`, { model, prompt: 'x' });
    expect(tokens.status).toBe(200);
    expect((await post(`${conch.url}/v1/completions`, hello('vllm-toy'))).status).toBe(200);
    await letGo([held]);
    expect((await post(`${conch.url}/v1/completions`, hello(model))).status).toBe(200);
  });

  it('count a response in the background until it is over', async () => {
    const tag = `background-${process.pid}`;
    const input = directive({ tokens: 2, hold_at: 1, tag });
    const model = 'vllm-llama';
    const { body: response } = await post(`${conch.url}/v1/responses`, { model, input, background: true });
    expect((await post(`${conch.url}/v1/completions`, hello(model))).status).toBe(429);
    const { body: cancelled } = await post(`${conch.url}/v1/responses/${String(response['id'])}/cancel`, {});
    expect(cancelled['status']).toBe('cancelled');
    expect((await post(`${conch.url}/v1/completions`, hello(model))).status).toBe(200);
  });
});

describe('x-conch-priority', () => {
  it('puts requests behind those with a higher number', async () => {
    const locations = { url: conch.url, control: free.url, model: 'vllm-2410' };
    const running = hold(locations);
    await running.untilHeld();
    const order = new Map(
      [-3, -2, -1].map((priority) => [hold(locations, { 'x-conch-priority': String(priority) }), priority]),
    );
    // Two wait; which one is refused is a matter of chance.
    const { response, others } = await firstCompleted([...order.keys()]);
    expect(response.status).toBe(429);
    const [next, last] = others.toSorted((a, b) => (order.get(b) ?? 0) - (order.get(a) ?? 0)) as [Held, Held];
    await letGo([running]);
    await next.untilHeld();
    expect(await last.state()).toBe('unknown');
    await letGo([next, last]);
  });

  it.each([
    ['5', 403, 'priority_not_allowed', 'x-conch-priority: this API key does not allow a priority above 0.'],
    ['high', 400, 'invalid_request', 'x-conch-priority: must be an integer from -10 to 10, not "high".'],
    ['-11', 400, 'invalid_request', 'x-conch-priority: must be an integer from -10 to 10, not "-11".'],
    ['', 400, 'invalid_request', 'x-conch-priority: must be an integer from -10 to 10, not "".'],
  ])('of %j is refused by name', async (priority, status, code, message) => {
    const response = await post(`${conch.url}/v1/completions`, hello('vllm-toy'), { 'x-conch-priority': priority });
    const type = status === 403 ? 'permission_error' : 'invalid_request_error';
    expect([response.status, response.body]).toEqual([
      status,
      { error: { message, type, param: 'x-conch-priority', code } },
    ]);
  });
});
