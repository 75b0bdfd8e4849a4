import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { loadPromptAssets } from '../../src/prompt/assets.ts';
import { promptThread } from '../../src/prompt/prompt-thread.ts';
import { textOfIds, withoutDoubledBos } from '../../src/prompt/token-prompt.ts';
import { loadTokenizer } from '../../src/prompt/tokenizer.ts';
import type { Tokenizer } from '../../src/tokenizer.ts';
import { type TokenizerName, tokenizerFolder } from '../support/environment.ts';
import { askPython } from './python.ts';

const hub = { endpoint: 'http://127.0.0.1:1', cacheFolder: '/nowhere', offline: true };
const sample = 'Hello 東京 😀, 1234567 and\n\n\tindented  text.';

async function assetsOf(family: TokenizerName, addsBos?: boolean) {
  const { tokenizer, template } = await loadPromptAssets({ tokenizer: tokenizerFolder(family), hub, addsBos });
  if (!tokenizer || !template) throw new Error(`${family} is incomplete`);
  return { tokenizer, template };
}

async function idsOf(tokenizer: Tokenizer, text: string, addSpecialTokens = true): Promise<number[]> {
  return Array.from(await tokenizer.encode(text, { addSpecialTokens }));
}

/** How often the prompt's first id stands in front of it, when a server tokenizes what we send. */
async function bosCount(family: TokenizerName, addsBos?: boolean): Promise<number> {
  const { tokenizer, template } = await assetsOf(family, addsBos);
  const text = await template.render({
    messages: [{ role: 'user', content: 'Hello' }],
    addGenerationPrompt: true,
    continueFinalMessage: false,
    variables: {},
  });
  const ids = await idsOf(tokenizer, withoutDoubledBos(text, tokenizer));
  const asWritten = await idsOf(tokenizer, text, false);
  const bos = asWritten[0];
  expect(ids).toEqual(asWritten);
  return ids.findIndex((id) => id !== bos);
}

describe('tokenizers', () => {
  it.each<[TokenizerName, string | undefined]>([
    ['llama3', undefined],
    ['llama3_2', '<|begin_of_text|>'],
    ['qwen3', undefined],
    ['gemma3', '<bos>'],
    ['mistral_nemo', '<s>'],
    ['deepseek_v3', undefined],
  ])('know by encoding whether they add a BOS, and no prompt has two: %s', async (family, ownBos) => {
    expect((await assetsOf(family)).tokenizer.ownBos).toBe(ownBos);
    expect(await bosCount(family)).toBe(1);
  });

  it('can be told that the server adds a BOS, or does not', async () => {
    const reported = (await assetsOf('deepseek_v3', true)).tokenizer;
    expect(reported.ownBos).toBe('<｜begin▁of▁sentence｜>');
    expect(await bosCount('deepseek_v3', true)).toBe(1);
    expect((await idsOf(reported, 'a')).length).toBe((await idsOf(reported, 'a', false)).length + 1);
    expect(await reported.count('a', { addSpecialTokens: true })).toBe((await idsOf(reported, 'a')).length);
    const silent = (await assetsOf('llama3_2', false)).tokenizer;
    expect([silent.ownBos, await idsOf(silent, 'a')]).toEqual([undefined, await idsOf(silent, 'a', false)]);
  });

  it('give the ids that Python gives', async () => {
    const families: TokenizerName[] = ['llama3', 'llama3_2', 'qwen3', 'gemma3', 'mistral_nemo', 'deepseek_v3'];
    // transformers 4 and 5 disagree on DeepSeek's BOS: docs/decisions/bos-detection.md
    const both = (family: TokenizerName) => (family === 'deepseek_v3' ? [false] : [true, false]);
    const jobs = families.flatMap((family) =>
      both(family).map((add) => ({ text: sample, folder: tokenizerFolder(family), add_special_tokens: add })),
    );
    const theirs = (await askPython(jobs)).map(({ ids }) => ids);
    const ours = [];
    for (const family of families) {
      const { tokenizer } = await assetsOf(family);
      for (const add of both(family)) ours.push(await idsOf(tokenizer, sample, add));
      expect(await tokenizer.count(sample, { addSpecialTokens: false })).toBe(ours.at(-1)?.length);
      expect(await tokenizer.decode(ours.at(-1) ?? [], { skipSpecialTokens: true })).toBe(sample);
    }
    expect(ours).toEqual(theirs);
  });

  it('keep every token of a long text, whatever truncation the file was saved with', async () => {
    const { tokenizer } = await assetsOf('qwen3');
    expect(await tokenizer.count('a '.repeat(50_000), { addSpecialTokens: false })).toBe(50_001);
  });

  it('fail clearly when the file is none', async () => {
    const file = `${tokenizerFolder('qwen3')}/tokenizer_config.json`;
    await expect(loadTokenizer({ file })).rejects.toThrow(/expected|missing|data did not match|tokenizer/i);
    await expect(loadTokenizer({ file: '/no/tokenizer.json' })).rejects.toThrow(/No such file/);
  });
});

describe('token ids as a prompt', () => {
  it('become the text that gives them back', async () => {
    for (const family of ['llama3_2', 'qwen3', 'gemma3', 'mistral_nemo', 'deepseek_v3'] as const) {
      const { tokenizer } = await assetsOf(family);
      const ids = await idsOf(tokenizer, sample);
      expect(await textOfIds(tokenizer, ids)).toBe(sample);
      const bare = await idsOf(tokenizer, sample, false);
      expect(await textOfIds(tokenizer, bare, false)).toBe(sample);
    }
  });

  it('are refused where no text gives them back', async () => {
    const { tokenizer } = await assetsOf('llama3_2');
    const [, first = 0, second = 0] = await idsOf(tokenizer, 'hello world');
    const split = [128000, ...(await Promise.all(Array.from('hello', (c) => idsOf(tokenizer, c, false)))).flat()];
    const messages = await Promise.all(
      [split, [first, second], [128000, 999_999, -4]].map((ids) =>
        textOfIds(tokenizer, ids).catch((error) => error.body().error),
      ),
    );
    expect(messages).toEqual([
      {
        message:
          'prompt: these token ids have no text that is tokenized to the same ids, and this model takes text; send text.',
        type: 'invalid_request_error',
        param: 'prompt',
        code: 'invalid_request',
      },
      {
        message:
          "prompt: this model's server puts <|begin_of_text|> in front of every prompt; send the ids with it, or text.",
        type: 'invalid_request_error',
        param: 'prompt',
        code: 'invalid_request',
      },
      {
        message: "prompt: not in this model's vocabulary of 128256 tokens: 999999, -4.",
        type: 'invalid_request_error',
        param: 'prompt',
        code: 'invalid_request',
      },
    ]);
  });
});

describe('the event loop', () => {
  it('stays free while a tokenizer loads and while 100,000 tokens are encoded', async () => {
    await promptThread.stop();
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(10_000);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const { tokenizer } = await assetsOf('llama3_2');
    delay.disable();
    const loading = delay.max / 1e6;
    delay.reset();
    delay.enable();
    const ids = await tokenizer.encode(text, { addSpecialTokens: true });
    delay.disable();
    expect(ids.length).toBe(100_002);
    expect({ loading: loading < 200, encoding: delay.max / 1e6 < 200 }).toEqual({ loading: true, encoding: true });
  });
});
