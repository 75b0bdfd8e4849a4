import { expect, it } from 'vitest';
import { bestCost } from '../../../test/support/cpu-cost.ts';
import { conversationOf } from './conversation.ts';

function conversation(count: number) {
  const calls = Array.from({ length: count }, () => ({ functionCall: { name: 'f' } }));
  const results = Array.from({ length: count }, (_, at) => ({
    functionResponse: { name: 'f', response: { output: String(at) } },
  }));
  const contents = [
    { role: 'model' as const, parts: calls },
    { role: 'user' as const, parts: results },
  ];
  return () => conversationOf(contents, undefined);
}

it('matches many results with calls in linear time', () => {
  const small = bestCost(conversation(10_000));
  const large = conversation(100_000);
  const ratio = bestCost(large) / small;
  // Ten times the calls. In quadratic time, the ratio is near a hundred.
  expect(ratio < 40 ? 'linear' : ratio).toBe('linear');
  expect(large().messages.at(-1)).toEqual({ role: 'tool', tool_call_id: 'call_99999', content: '99999' });
});
