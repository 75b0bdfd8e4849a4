import { describe, expect, it } from 'vitest';
import type { TokenLogprob } from '../../contracts/contract.ts';
import type { GenerateEvent } from '../../contracts/events.ts';
import { ApiError } from '../../errors.ts';
import { readyGeneration } from '../../generate/ready-generation.ts';
import { packThought } from '../../requests/packed-reasoning.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { collectResponse } from './collect-response.ts';

const head = { modelVersion: 'toy', responseId: '1' };

const text = (part: string, { choice = 0, logprobs }: { choice?: number; logprobs?: TokenLogprob[] } = {}) =>
  ({ type: 'text-delta', choice, text: part, tokens: 1, logprobs }) as const;
const reasoning = (part: string): GenerateEvent => ({ type: 'reasoning-delta', choice: 0, text: part });
const call = (index: number, id: string, name: string): GenerateEvent => {
  return { type: 'tool-call-delta', choice: 0, index, id, name, arguments: '' };
};
const input = (index: number, json: string): GenerateEvent => {
  return { type: 'tool-call-delta', choice: 0, index, arguments: json };
};
const finish = (reason: 'stop' | 'length' | 'tool_calls', choice = 0): GenerateEvent => ({
  type: 'finish',
  choice,
  reason,
});
const usage: GenerateEvent = {
  type: 'usage',
  promptTokens: 7,
  completionTokens: 5,
  cachedTokens: 4,
  reasoningTokens: 2,
};
const usageMetadata = {
  promptTokenCount: 7,
  candidatesTokenCount: 3,
  totalTokenCount: 12,
  thoughtsTokenCount: 2,
  cachedContentTokenCount: 4,
};

interface Options {
  readonly framing?: 'events' | 'array';
  readonly choices?: number;
  readonly includesThoughts?: boolean;
}

function writer({ framing = 'events', choices = 1, includesThoughts = true }: Options = {}): ChunkWriter {
  const rename = (error: ApiError) => new ApiError(error.code, `renamed ${error.message}`);
  return new ChunkWriter({ head, choices, includesThoughts, framing, rename });
}

/** The chunks of a stream of these events. */
function chunksOf(events: readonly GenerateEvent[], options: Options = {}): unknown[] {
  const response = writer(options);
  let out = response.begin(events.slice(0, 1));
  for (const event of events.slice(1))
    out +=
      event.type === 'text-delta'
        ? response.delta(event.choice, event.text, event.tokens, event.logprobs)
        : response.write(event);
  out += response.end();
  if (options.framing === 'array') return JSON.parse(out);
  return out
    .split('\n\n')
    .slice(0, -1)
    .map((event) => JSON.parse(event.replace(/^data: /, '')));
}

const collect = (events: readonly GenerateEvent[], { choices = 1, includesThoughts = true }: Options = {}) =>
  collectResponse(
    readyGeneration(() => events),
    { head, choices, includesThoughts },
  );

const chunk = (...parts: object[]) => ({ candidates: [{ content: { parts, role: 'model' }, index: 0 }], ...head });
const last = (finishReason: string, counts: object) => ({
  candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason, index: 0 }],
  usageMetadata: counts,
  ...head,
});

const thoughtThenCalls = [
  reasoning('I must '),
  reasoning('look.'),
  text('Let me see.'),
  call(0, 'a', 'f'),
  input(0, '{"x":'),
  input(0, '1}'),
  call(1, 'b', 'g'),
  finish('tool_calls'),
  usage,
];
const calls = [
  {
    functionCall: { id: 'a', name: 'f', args: { x: 1 } },
    thoughtSignature: packThought('I must look.'),
  },
  { functionCall: { id: 'b', name: 'g', args: {} } },
];

describe.each(['events', 'array'] as const)('a stream as %s', (framing) => {
  it('has a chunk for each part, and the finish reason with the usage at its end', () => {
    expect(chunksOf(thoughtThenCalls, { framing })).toEqual([
      chunk({ text: 'I must ', thought: true }),
      chunk({ text: 'look.', thought: true }),
      chunk({ text: 'Let me see.' }),
      chunk(calls[0] as object),
      chunk(calls[1] as object),
      last('STOP', usageMetadata),
    ]);
  });

  it('shows no thoughts unless they are requested', () => {
    expect(chunksOf(thoughtThenCalls, { framing, includesThoughts: false })).toEqual([
      chunk({ text: 'Let me see.' }),
      chunk(calls[0] as object),
      chunk(calls[1] as object),
      last('STOP', usageMetadata),
    ]);
  });

  it('counts tokens where no usage came', () => {
    const counts = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };
    const events: GenerateEvent[] = [{ type: 'prompt-tokens', count: 3 }, text('a'), text('"\n'), finish('length')];
    expect(chunksOf(events, { framing })).toEqual([
      chunk({ text: 'a' }),
      chunk({ text: '"\n' }),
      last('MAX_TOKENS', counts),
    ]);
  });
});

it('a failed stream ends with the error and no finish reason', () => {
  const error = { code: 502, message: 'renamed It broke.', status: 'UNAVAILABLE' };
  const failed = (framing: 'events' | 'array', events: readonly GenerateEvent[]) => {
    const response = writer({ framing });
    return response.begin(events) + response.fail(new ApiError('backend_error', 'It broke.'));
  };
  expect(JSON.parse(failed('array', [text('a')]))).toMatchObject([chunk({ text: 'a' }), { error }]);
  expect(JSON.parse(failed('array', []))).toMatchObject([{ error }]);
  const events = failed('events', [text('a')]).split('\n\n');
  expect(JSON.parse(events[1]?.slice('data: '.length) ?? '')).toMatchObject({ error });
  expect(events.slice(2)).toEqual(['']);
});

describe('a whole response', () => {
  it('has the parts of the stream, each kind of text as one', async () => {
    expect(await collect([...thoughtThenCalls.slice(0, 3), text(' Now.'), ...thoughtThenCalls.slice(3)])).toEqual({
      candidates: [
        {
          content: {
            parts: [{ text: 'I must look.', thought: true }, { text: 'Let me see. Now.' }, ...calls],
            role: 'model',
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata,
      ...head,
    });
  });

  it('has a part where there is no text', async () => {
    const { candidates } = await collect([finish('stop')]);
    expect(candidates.map(({ content }) => content.parts)).toEqual([[{ text: '' }]]);
  });

  it('has several candidates with logprobs', async () => {
    const token = (id: number, logprob: number) => ({ id, text: `t${id}`, logprob });
    const logprobs = (id: number) => [{ ...token(id, -id), top: [token(id, -id), token(9, -9)] }];
    const events = [
      text('t1', { logprobs: logprobs(1) }),
      text('t2', { choice: 1, logprobs: logprobs(2) }),
      text('t3', { logprobs: logprobs(3) }),
      finish('stop', 1),
      finish('length'),
    ];
    const wire = (id: number) => ({ token: `t${id}`, tokenId: id, logProbability: -id });
    const result = (...ids: number[]) => ({
      topCandidates: ids.map((id) => ({ candidates: [wire(id), wire(9)] })),
      chosenCandidates: ids.map(wire),
    });
    const { candidates } = await collect(events, { choices: 2 });
    expect(candidates).toEqual([
      {
        content: { parts: [{ text: 't1t3' }], role: 'model' },
        finishReason: 'MAX_TOKENS',
        avgLogprobs: -2,
        index: 0,
        logprobsResult: result(1, 3),
      },
      {
        content: { parts: [{ text: 't2' }], role: 'model' },
        finishReason: 'STOP',
        avgLogprobs: -2,
        index: 1,
        logprobsResult: result(2),
      },
    ]);
    const chunks = chunksOf(events, { choices: 2 }) as { candidates: { index: number; logprobsResult?: object }[] }[];
    expect(chunks.map((each) => each.candidates.map(({ index, logprobsResult }) => [index, logprobsResult]))).toEqual([
      [[0, result(1)]],
      [[1, result(2)]],
      [[0, result(3)]],
      [
        [0, undefined],
        [1, undefined],
      ],
    ]);
  });
});
