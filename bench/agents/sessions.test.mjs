import { describe, expect, it } from 'vitest';
import { AGENTS, agentSession } from './sessions.mjs';

const options = { session: 3, turns: 4, characters: 500 };

describe.each(AGENTS)('a session of $client', (agent) => {
  const session = agentSession(agent, 'bench');
  const requests = session.turns(options);
  const bodies = requests.map(({ body }) => JSON.stringify(body));
  const items = requests.map(({ body }) => body?.[agent.list]);

  it('adds a call and its result in every turn, and changes nothing before them', () => {
    const start = items[0]?.length;
    expect(items.map(({ length }) => length - start)).toEqual([0, 2, 4, 6]);
    expect(items.slice(1).map((list) => list.slice(0, -2))).toEqual(items.slice(0, -1));
    for (const body of bodies.slice(1)) expect(body).toContain(`"${session.call.name}"`);
  });

  it('has ids of its own for every call', () => {
    const ids = new Set(bodies.at(-1)?.match(/call_0{8}3\d{3}\d{12}/g));
    expect(ids.size).toBeGreaterThanOrEqual(3);
    for (const turn of [1, 2, 3]) expect([...ids].some((id) => id.startsWith(`call_00000000300${turn}`))).toBe(true);
  });

  it('has texts of the recorded lengths, and other results in another session', () => {
    for (const body of bodies) expect(body).not.toMatch(/<<\d+ characters>>|<<\{/);
    const other = session.turns({ ...options, session: 4 });
    expect(JSON.stringify(other[0]?.body?.['tools'])).toBe(JSON.stringify(requests[0]?.body?.['tools']));
    expect(other.at(-1)?.body?.[agent.list]).not.toEqual(items.at(-1));
    expect(session.tools).toBeGreaterThan(10);
  });
});
