import { expect, it } from 'vitest';
import { inTurn, mediansOf } from './rounds.mjs';

it('measures the variants in turn, every second round the other way around, and compares each with the first of its own round', async () => {
  const cost = { plain: [10, 40, 20], other: [20, 44, 22] };
  /** @type {string[]} */
  const order = [];
  const rounds = await inTurn(3, /** @type {(keyof typeof cost)[]} */ (['plain', 'other']), async (name) => {
    order.push(name);
    return { cost: cost[name][order.filter((other) => other === name).length - 1] ?? Number.NaN, memory: 5 };
  });
  expect(order).toEqual(['plain', 'other', 'other', 'plain', 'plain', 'other']);
  expect(mediansOf(['plain', 'other'], rounds, ['cost'])).toEqual([
    { label: 'plain', figures: { cost: 20, memory: 5, costRatio: 1 } },
    { label: 'other', figures: { cost: 22, memory: 5, costRatio: 1.1 } },
  ]);
});
