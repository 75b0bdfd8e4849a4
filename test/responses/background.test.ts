import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countOf, release } from '../gateway/requests.ts';
import { directive } from '../support/exchange.ts';
import type { post } from '../support/gateway.ts';
import { eventsIn, get, respond, responseTo, startKeeping, textOf, type Wire } from './requests.ts';

let conch: Awaited<ReturnType<typeof startKeeping>>;
beforeAll(async () => {
  conch = await startKeeping();
});
afterAll(() => conch.end());

let tags = 0;
/** An answer of six words that waits after the third until it is released. */
function heldResponse() {
  const tag = `background-${process.pid}-${tags++}`;
  return { tag, input: directive({ tokens: 6, hold_at: 3, tag }) };
}
const untilHeld = (tag: string) => countOf(conch.url, tag, { until: 'held' });
const background = (input: string, more: object = {}) => responseTo(conch.url, { input, background: true, ...more });
const store = async (id: string) => (await get(conch.url, `/v1/responses/${id}`)).body as unknown as Wire;
/** As OpenAI's Python client does: with the content type of a body, and without one. */
const cancel = async (id: string) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${conch.url}/v1/responses/${id}/cancel`, { method: 'POST', headers });
  return { status: response.status, body: (await response.json()) as Awaited<ReturnType<typeof post>>['body'] };
};

/** Waits until it is complete; its events end then. */
async function completed(id: string): Promise<Wire> {
  await get(conch.url, `/v1/responses/${id}?stream=true`);
  return store(id);
}

describe('a response in the background', () => {
  it('is answered for at once, is seen while it is made, and kept when it is complete', async () => {
    const { tag, input } = heldResponse();
    const { id, status } = await background(input);
    expect(['queued', 'in_progress']).toContain(status);
    await untilHeld(tag);
    const half = await store(id);
    expect([half.status, half.id, textOf(half)]).toEqual(['in_progress', id, ' w1 w2 w3']);
    const next = await respond(conch.url, { input: 'x', previous_response_id: id });
    expect([next.status, next.body.error?.['message']]).toEqual([
      400,
      `previous_response_id: response "${id}" is not complete yet. Wait until its status is completed.`,
    ]);
    await release(conch.url, tag);
    const whole = await completed(id);
    expect([whole.status, textOf(whole)]).toEqual(['completed', ' w1 w2 w3 w4 w5 w6']);
  });

  it('names the fields that it ignores, also those that only its plan knows, in the header and the log', async () => {
    const ignored = ['include[0]', 'reasoning.effort', 'text.verbosity'];
    const { headers, body } = await respond(conch.url, {
      input: directive({ answer: 'Yes.' }),
      background: true,
      include: ['web_search_call.results'],
      reasoning: { effort: 'low' },
      text: { verbosity: 'low' },
    });
    expect(headers.get('x-conch-ignored')).toBe(ignored.join(', '));
    const line = await conch.logged(({ ignored: names }) => Array.isArray(names) && names.includes('include[0]'));
    expect(line).toMatchObject({ level: 'warn', message: 'ignored request fields', ignored });
    expect((await completed((body as unknown as Wire).id)).status).toBe('completed');
  });

  it('goes on when its client leaves, and can be followed from any event', async () => {
    const { tag, input } = heldResponse();
    const leaving = new AbortController();
    const stream = await fetch(`${conch.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'vllm-toy', input, background: true, stream: true }),
      signal: leaving.signal,
    });
    await untilHeld(tag);
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    const { value = new Uint8Array() } = await reader.read();
    const [created] = Buffer.from(value).toString().split('\n\n');
    const id = /"id":"(resp_\w+)"/.exec(created ?? '')?.[1] ?? '';
    leaving.abort();
    const following = get(conch.url, `/v1/responses/${id}?stream=true&starting_after=3`);
    await release(conch.url, tag);
    const events = eventsIn((await following).text);
    expect(events[0]?.sequence_number).toBe(4);
    expect(events.at(-1)?.type).toBe('response.completed');
    expect(textOf(events.at(-1)?.response as Wire)).toBe(' w1 w2 w3 w4 w5 w6');
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at + 4));
    const again = eventsIn((await get(conch.url, `/v1/responses/${id}?stream=true`)).text);
    expect(again.slice(0, 3).map(({ type }) => type)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ]);
    expect(again.slice(4)).toEqual(events);
  });

  it('ends in the engine too when it is cancelled', async () => {
    const { tag, input } = heldResponse();
    const { id } = await background(input, { stream: false });
    await untilHeld(tag);
    const cancelled = await cancel(id);
    expect([cancelled.status, cancelled.body['status']]).toEqual([200, 'cancelled']);
    await countOf(conch.url, tag, { until: 'cancelled' });
    expect((await store(id)).status).toBe('cancelled');
    expect((await cancel(id)).body['status']).toBe('cancelled');
  });

  it('is cancelled when it is deleted', async () => {
    const { tag, input } = heldResponse();
    const { id } = await background(input);
    await untilHeld(tag);
    await fetch(`${conch.url}/v1/responses/${id}`, { method: 'DELETE' });
    await countOf(conch.url, tag, { until: 'cancelled' });
    expect((await get(conch.url, `/v1/responses/${id}`)).status).toBe(404);
  });

  it('that fails says why', async () => {
    const { id } = await background(directive({ tokens: 5, error_at: 2 }));
    const failed = await completed(id);
    expect([failed.status, failed.error?.code]).toEqual(['failed', 'server_error']);
  });

  it('has failed when the process was stopped before it was complete', async () => {
    const other = await startKeeping({ place: conch.place, flags: ['--drain-timeout', '300ms'] });
    const { tag, input } = heldResponse();
    const { id } = await responseTo(other.url, { input, background: true });
    await untilHeld(tag);
    await other.end();
    expect((await store(id)).status).toBe('failed');
  });

  it('is the only kind that can be cancelled, and has events only while it is made', async () => {
    const { id } = await responseTo(conch.url, { input: directive({ answer: 'Yes.' }) });
    const refused = await cancel(id);
    expect([refused.status, refused.body.error?.['message']]).toEqual([
      400,
      'Only responses created with background: true can be cancelled.',
    ]);
    const events = await get(conch.url, `/v1/responses/${id}?stream=true`);
    expect([events.status, events.body.error?.['param']]).toEqual([400, 'stream']);
    const unknown = await respond(conch.url, { model: 'nobody', input: 'x', background: true });
    expect(unknown.status).toBe(404);
  });
});
