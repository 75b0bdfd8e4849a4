import { beforeAll, expect, it } from 'vitest';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, sharedGateway } from '../support/gateway.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { streamedChoices, user } from './requests.ts';

let conch: SharedConch;
beforeAll(async () => {
  conch = await sharedGateway();
});

interface Chunk {
  readonly choices: readonly {
    readonly index: number;
    readonly delta: { readonly content?: string };
    readonly logprobs: { readonly content: readonly { readonly token: string }[] } | null;
  }[];
  readonly usage?: { readonly completion_tokens: number };
}

/** The chunks of a chat of twelve words. */
async function chunksOf(more: object): Promise<{ text: string; chunks: Chunk[] }> {
  const { text, status } = await post(`${conch.url}/v1/chat/completions`, {
    model: 'vllm-toy',
    messages: user(directive({ tokens: 12 })),
    stream: true,
    ...more,
  });
  expect(status).toBe(200);
  return { text, chunks: eventsOf(text).slice(0, -1) as Chunk[] };
}

const contentsOf = (chunks: readonly Chunk[]): string[] =>
  chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => (delta.content ? [delta.content] : [])));

it('a chunk has the text of so many tokens; the first has that of one, the last what is left', async () => {
  const { text, chunks } = await chunksOf({ stream_interval: 5 });
  expect(contentsOf(chunks)).toEqual([' w1', ' w2 w3 w4 w5 w6', ' w7 w8 w9 w10 w11', ' w12']);
  const { text: plain } = await chunksOf({});
  expect(streamedChoices({ text })).toEqual(streamedChoices({ text: plain }));
});

it('each choice has chunks of its own', async () => {
  const { chunks } = await chunksOf({ stream_interval: 8, n: 2 });
  const of = (choice: number) => chunks.filter(({ choices }) => choices[0]?.index === choice);
  for (const choice of [0, 1])
    expect(contentsOf(of(choice))).toEqual([' w1', ' w2 w3 w4 w5 w6 w7 w8 w9', ' w10 w11 w12']);
});

it('the logprobs and counts of the tokens are those of a stream with every token', async () => {
  const wants = {
    logprobs: true,
    top_logprobs: 2,
    stream_options: { include_usage: true, continuous_usage_stats: true },
  };
  const [bundled, plain] = await Promise.all([chunksOf({ ...wants, stream_interval: 5 }), chunksOf(wants)]);
  const logprobsOf = (chunks: readonly Chunk[]) =>
    chunks.flatMap(({ choices }) => choices.flatMap(({ logprobs }) => logprobs?.content ?? []));
  expect(logprobsOf(bundled.chunks)).toEqual(logprobsOf(plain.chunks));
  expect(bundled.chunks.at(-1)?.usage).toEqual(plain.chunks.at(-1)?.usage);
  const counts = bundled.chunks
    .filter(({ choices }) => choices[0]?.delta.content)
    .map(({ usage }) => usage?.completion_tokens);
  expect(counts).toEqual([1, 6, 11, 13]);
});
