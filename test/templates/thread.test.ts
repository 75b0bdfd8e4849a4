import { afterAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import { jinjaTemplate, type TemplateInput } from '../../src/prompt/chat-template.ts';
import { historyTemplate } from '../../src/prompt/history-template.ts';
import { promptThread } from '../../src/prompt/prompt-thread.ts';
import { loadTokenizer } from '../../src/prompt/tokenizer.ts';
import { tokenizerFolder } from '../support/environment.ts';

const file = `${tokenizerFolder('deepseek_v3')}/tokenizer.json`;

function input(content: string): TemplateInput {
  return {
    messages: [{ role: 'user', content }],
    addGenerationPrompt: true,
    continueFinalMessage: false,
    variables: {},
  };
}

function template(text: string, time?: number) {
  return jinjaTemplate({ source: 'test', templates: { default: text }, specialTokens: {}, ...(time ? { time } : {}) });
}

const endless =
  '{% for a in range(100000) %}{% for b in range(100000) %}{% if a == b %}{% endif %}{% endfor %}{% endfor %}';

afterAll(() => promptThread.stop());

describe('the prompt thread', () => {
  it('renders a large conversation to the same text as a small one', async () => {
    const copy = template('{% for m in messages %}[{{ m.role }}] {{ m.content }}{% endfor %}');
    const long = 'long 東京 '.repeat(80_000);
    expect(await copy.render(input('short'))).toBe('[user] short');
    expect(await copy.render(input(long))).toBe(`[user] ${long}`);
  });

  it('passes on what a template raises', async () => {
    const raising = template("{{ raise_exception('Not this one') }}");
    const errors = await Promise.all(
      ['short', 'x'.repeat(600_000)].map((content) => raising.render(input(content)).catch((error) => error)),
    );
    expect(
      errors.map((error: ApiError) => [error instanceof ApiError, error.code, error.param, error.message]),
    ).toEqual([
      [true, 'invalid_request', 'messages', 'Not this one'],
      [true, 'invalid_request', 'messages', 'Not this one'],
    ]);
  });

  it('cuts a template off that does not end, and goes on tokenizing', async () => {
    const tokenizer = await loadTokenizer({ file });
    const rendering = template(endless, 300)
      .render(input('hi'))
      .catch((error) => error as ApiError);
    const count = tokenizer.count('hello', { addSpecialTokens: false });
    const error = await rendering;
    expect([error instanceof ApiError && error.body().error, await count]).toEqual([
      {
        message: 'The chat template takes too long for this conversation.',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'invalid_request',
      },
      1,
    ]);
  });

  it('replaces a thread that hangs, and gives its other tasks to the next', async () => {
    const tokenizer = await loadTokenizer({ file });
    // One filter over so many dictionaries takes many seconds, and no clock is looked at inside it.
    const list = Array.from({ length: 30_000 }, (_, index) => ({ index }));
    const rendering = template('{{ list | unique | list | length }}', 100)
      .render({ ...input('hi'), variables: { list } })
      .catch((error) => error as ApiError);
    const count = tokenizer.count('hello', { addSpecialTokens: false });
    const error = await rendering;
    expect(error instanceof ApiError && error.message).toBe('The chat template takes too long for this conversation.');
    expect(await count).toBe(1);
  });

  it('starts again after it was ended with work under way, which fails', async () => {
    const tokenizer = await loadTokenizer({ file });
    const lost = tokenizer
      .encode('word '.repeat(200_000), { addSpecialTokens: false })
      .catch((error: Error) => error.message);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await promptThread.stop();
    expect(await lost).toBe('Tokenizing failed: The prompt thread was stopped.');
    expect(await tokenizer.count('hello', { addSpecialTokens: false })).toBe(1);
  });

  it('bounds Liquid too', async () => {
    const loop = '{% for a in (1..1000000) %}{% for b in (1..1000000) %}{{ a }}{% endfor %}{% endfor %}';
    const error = await historyTemplate(loop, { time: 300 })
      .render(input('hi'))
      .catch((thrown) => thrown as ApiError);
    expect(error instanceof ApiError && error.message).toBe(
      'The history template takes too long for this conversation.',
    );
  });
});
