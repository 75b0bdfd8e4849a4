import { expect, it } from 'vitest';
import { conversationOf } from './conversation.ts';

it('matches many results with calls in linear time', () => {
  const count = 100_000;
  const calls = Array.from({ length: count }, () => ({ functionCall: { name: 'f' } }));
  const results = Array.from({ length: count }, (_, at) => ({
    functionResponse: { name: 'f', response: { output: String(at) } },
  }));
  const { user: before } = process.cpuUsage();
  const { messages } = conversationOf(
    [
      { role: 'model', parts: calls },
      { role: 'user', parts: results },
    ],
    undefined,
  );
  // Seconds of a CPU. Quadratic time takes six.
  expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(4);
  expect(messages.at(-1)).toEqual({ role: 'tool', tool_call_id: 'call_99999', content: '99999' });
});
