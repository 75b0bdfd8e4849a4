import { afterAll, beforeAll, expect, it } from 'vitest';
import { user } from '../gateway/requests.ts';
import { type MonitoredConch, startMonitored } from '../support/event-loop.ts';
import { gatewayFlags, post } from '../support/gateway.ts';

let monitored: MonitoredConch;
beforeAll(async () => {
  monitored = await startMonitored(gatewayFlags());
});
afterAll(() => monitored.stop());

/** What a body does to the event loop, and how it is answered. */
async function effect(body: object): Promise<{ status: number; delay: number }> {
  const sent = { model: 'vllm-toy', messages: user('x'), ...body };
  const { result, delay } = await monitored.leastDuring(() => post(`${monitored.conch.url}/v1/chat/completions`, sent));
  return { status: result.status, delay };
}

const many = <Entry>(count: number, entry: (at: number) => Entry) =>
  Array.from({ length: count }, (_, at) => entry(at));
const keys = (count: number, value: unknown) => Object.fromEntries(many(count, (at) => [`k${at}`, value] as const));
const deep = (levels: number): object => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } });
const format = (schema: object) => ({ response_format: { type: 'json_schema', json_schema: { name: 's', schema } } });
const tool = (parameters: object, name = 'f') => ({ type: 'function', function: { name, parameters } });

it('is held by the worst of requests no longer than by work that is linear in their size', async () => {
  const size = 1_000_000;
  const plain = await Promise.all(many(3, () => effect({ unknown: { properties: keys(size / 16, {}) } })));
  const bodies: Record<string, object> = {
    'a schema of a megabyte': format({ properties: keys(size / 16, {}) }),
    'a schema of a hundred levels': format(deep(100)),
    'a schema of a thousand levels': format(deep(1000)),
    'a list of alternatives': format({ anyOf: many(size / 20, () => ({ type: 'string' })) }),
    'many references': format({
      $defs: keys(1000, {}),
      allOf: many(size / 25, (at) => ({ $ref: `#/$defs/k${at % 1000}` })),
    }),
    'a regular expression that blows up': { guided_regex: 'a{1,999}{1,999}{1,999}{1,999}' },
    'a tool of a megabyte': { tools: [tool({ properties: keys(size / 16, {}) })] },
    'a thousand tools': { tools: many(1024, (at) => tool({ properties: keys(50, {}) }, `f${at}`)) },
    'tools of one name': { tools: many(1024, () => tool({})) },
    'arguments of calls that nobody made': {
      messages: many(20_000, (at) => ({ role: 'tool', tool_call_id: `c${at}`, content: '' })),
    },
  };
  // Work that is quadratic in the size takes thousands of times as long. A busy machine makes it ten times as long.
  const allowed = Math.max(...plain.map(({ delay }) => delay), 20) * 50;
  for (const [name, body] of Object.entries(bodies)) {
    const { status, delay } = await effect(body);
    expect([name, status, delay < allowed ? 'short' : delay]).toEqual([name, 400, 'short']);
  }
});
