import { beforeAll, expect, it } from 'vitest';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, sharedGateway } from '../support/gateway.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { streamedChoices, user } from './requests.ts';

let conch: SharedConch;
beforeAll(async () => {
  conch = await sharedGateway();
});

const streams = 256;
const words = 10;

/** Words that no other stream has. */
const responseOf = (stream: number) => Array.from({ length: words }, (_, word) => `${stream}-${word}`).join(' ');

it('256 streams at once: every token arrives, in order, once, and nothing of another stream', async () => {
  const responses = await Promise.all(
    Array.from({ length: streams }, (_, stream) =>
      post(`${conch.url}/v1/chat/completions`, {
        model: 'vllm-toy',
        messages: user(directive({ answer: responseOf(stream), delay_ms: 2 })),
        stream: true,
        stream_options: { include_usage: true },
      }),
    ),
  );
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  expect(responses.map(streamedChoices)).toEqual(
    responses.map((_, stream) => [{ text: responseOf(stream), reasons: ['stop'] }]),
  );
  const ids = responses.map(({ text }) => {
    const chunks = eventsOf(text).slice(0, -1) as { id: string; usage: { completion_tokens: number } | null }[];
    const tokens = chunks.at(-1)?.usage?.completion_tokens ?? 0;
    // One chunk for each token with text, and beside them the opening, the finish (of EOS) and the usage.
    expect(chunks).toHaveLength(tokens - 1 + 3);
    const [id, ...others] = new Set(chunks.map((chunk) => chunk.id));
    expect(others).toEqual([]);
    return id;
  });
  expect(new Set(ids).size).toBe(streams);
}, 120_000);
