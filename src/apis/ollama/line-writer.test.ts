import { describe, expect, it } from 'vitest';
import type { GenerateEvent } from '../../contracts/events.ts';
import { ApiError } from '../../errors.ts';
import { readyGeneration } from '../../generate/ready-generation.ts';
import { collectGeneration } from './collect-generation.ts';
import { LineWriter } from './line-writer.ts';
import { ResponseClock } from './response-clock.ts';
import { chatShape, generateShape, loadedOf, type ResponseShape } from './response-lines.ts';

const prompt: GenerateEvent = { type: 'prompt-tokens', count: 7 };
const text = (part: string, tokens = 1): GenerateEvent => {
  return { type: 'text-delta', choice: 0, text: part, tokens, logprobs: undefined };
};
const reasoning = (part: string): GenerateEvent => ({ type: 'reasoning-delta', choice: 0, text: part });
const call = (index: number, id: string, name: string): GenerateEvent => {
  return { type: 'tool-call-delta', choice: 0, index, id, name, arguments: '' };
};
const input = (index: number, json: string): GenerateEvent => {
  return { type: 'tool-call-delta', choice: 0, index, arguments: json };
};
const finish = (reason: 'stop' | 'length' | 'tool_calls'): GenerateEvent => ({ type: 'finish', choice: 0, reason });
const usage: GenerateEvent = { type: 'usage', promptTokens: 8, completionTokens: 5 };

const locate = (shape: ResponseShape) => ({ model: 'toy:latest', shape, clock: new ResponseClock() });

function writer(shape: ResponseShape): LineWriter {
  const rename = (error: ApiError) => new ApiError(error.code, `renamed ${error.message}`);
  return new LineWriter({ ...locate(shape), rename });
}

/** The lines of a stream whose first events open it. */
function linesOf([first = [], ...others]: readonly (readonly GenerateEvent[])[], shape = chatShape): unknown[] {
  const response = writer(shape);
  let out = response.begin(first);
  for (const event of others.flat()) out += response.write(event);
  return parsed(out + response.end());
}

function parsed(stream: string): unknown[] {
  expect(stream.endsWith('\n')).toBe(true);
  return stream
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
}

const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const head = { model: 'toy:latest', created_at: time };
const line = (message: object) => ({ ...head, message: { role: 'assistant', content: '', ...message }, done: false });
const duration: unknown = expect.any(Number);
const durations = {
  total_duration: duration,
  load_duration: duration,
  prompt_eval_duration: duration,
  eval_duration: duration,
};
const ended = { done: true, done_reason: 'stop', ...durations };
const last = (message: object = {}, more: object = {}) => ({
  ...line(message),
  ...ended,
  prompt_eval_count: 8,
  eval_count: 5,
  ...more,
});

describe('a stream of lines', () => {
  it('has a line for each text, and one that says how it ended', () => {
    expect(linesOf([[prompt, text('Hi "you"')], [text('\n\u0000')], [text('', 2), finish('stop'), usage]])).toEqual([
      line({ content: 'Hi "you"' }),
      line({ content: '\n\u0000' }),
      last(),
    ]);
  });

  it('starts with the first event, text or not', () => {
    const response = writer(chatShape);
    expect(response.contentType).toBe('application/x-ndjson');
    expect(response.begin([prompt])).toBe('');
    expect(parsed(response.write(text('Hi')))).toEqual([line({ content: 'Hi' })]);
  });

  it('tells thinking apart', () => {
    expect(
      linesOf([
        [reasoning('Hm'), reasoning('.')],
        [text('Yes'), finish('length'), usage],
      ]),
    ).toEqual([
      line({ thinking: 'Hm' }),
      line({ thinking: '.' }),
      line({ content: 'Yes' }),
      last({}, { done_reason: 'length' }),
    ]);
  });

  it('has calls whole, with their arguments as objects', () => {
    const events = [call(0, 'c1', 'f'), input(0, '{"a"'), input(0, ': 1}'), call(1, 'c2', 'g'), finish('tool_calls')];
    expect(linesOf([[text('I look.')], events, [usage]])).toEqual([
      line({ content: 'I look.' }),
      line({ tool_calls: [{ id: 'c1', function: { index: 0, name: 'f', arguments: { a: 1 } } }] }),
      line({ tool_calls: [{ id: 'c2', function: { index: 1, name: 'g', arguments: {} } }] }),
      last(),
    ]);
  });

  it('has the logprobs of a text beside it', () => {
    const token = { text: 'Hi', logprob: -0.5, id: 1, top: [] };
    const known = { type: 'text-delta', choice: 0, text: 'Hi', tokens: 1, logprobs: [token] } as GenerateEvent;
    const logprobs = [{ token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [] }];
    expect(linesOf([[known], [finish('stop'), usage]])[0]).toEqual({ ...line({ content: 'Hi' }), logprobs });
  });

  it('counts the tokens of the text without a usage event', () => {
    const { prompt_eval_count: _, ...counted } = last({}, { eval_count: 3 });
    expect(linesOf([[text('a', 2)], [text('b'), finish('stop')]]).at(-1)).toEqual(counted);
    expect(linesOf([[prompt, text('a', 2)], [finish('stop')]]).at(-1)).toMatchObject({
      prompt_eval_count: 7,
      eval_count: 2,
    });
  });

  it('of a prompt has responses instead of messages', () => {
    const lines = linesOf(
      [
        [reasoning('Hm.'), text('Yes')],
        [finish('stop'), usage],
      ],
      generateShape,
    );
    expect(lines).toEqual([
      { ...head, response: '', thinking: 'Hm.', done: false },
      { ...head, response: 'Yes', done: false },
      { ...head, response: '', ...ended, prompt_eval_count: 8, eval_count: 5 },
    ]);
  });

  it('that fails ends with the error', () => {
    const error = new ApiError('backend_error', 'gone');
    expect(writer(chatShape).fail(error)).toBe('{"error":"renamed gone"}\n');
  });
});

describe('a response that is not streamed', () => {
  it('is the last line with all that came before', async () => {
    const events = [
      [prompt, reasoning('Hm'), reasoning('.')],
      [text('I '), text('look.'), call(0, 'c1', 'f'), input(0, '{"a":1}'), finish('tool_calls'), usage],
    ];
    expect(
      await collectGeneration(
        readyGeneration(() => events.flat()),
        locate(chatShape),
      ),
    ).toEqual(
      last({
        content: 'I look.',
        thinking: 'Hm.',
        tool_calls: [{ id: 'c1', function: { index: 0, name: 'f', arguments: { a: 1 } } }],
      }),
    );
  });

  it('to a request without a prompt says that the model is there', () => {
    expect(loadedOf(locate(generateShape))).toEqual({ ...head, response: '', done: true, done_reason: 'load' });
  });
});

it('the durations of a response add up, in nanoseconds', () => {
  const clock = new ResponseClock();
  clock.loaded();
  clock.first();
  const { total, load, prompt, completion } = clock.durations();
  for (const part of [total, load, prompt, completion]) expect(Number.isInteger(part) && part >= 0).toBe(true);
  expect(Math.abs(total - load - prompt - completion)).toBeLessThanOrEqual(2);
});
