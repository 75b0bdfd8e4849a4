import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { countOf, streamedChoices, textsOf } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { post, type Response } from '../support/gateway.ts';
import { startTrtllm, type Trtllm } from '../support/trtllm.ts';
import { chainModels, type TrtllmOptions } from '../support/trtllm-repository.ts';

const patience = 240_000;
let triton: Trtllm | undefined;
let conch: Conch | undefined;

afterEach(async () => {
  await conch?.stop();
  await triton?.stop();
  conch = undefined;
  triton = undefined;
});

const folder = mkdtempSync(join(tmpdir(), 'conch-releases-'));
afterAll(() => rmSync(folder, { recursive: true }));

function configFile(text: string): string {
  const file = join(folder, 'conch.yaml');
  writeFileSync(file, text);
  return file;
}

/** A tokenizer's folder with a generation_config.json beside its files. */
function tokenizerWith(generationConfig: object): string {
  const made = join(folder, 'two-ends');
  mkdirSync(made);
  for (const name of readdirSync(tokenizerFolder('qwen3')))
    symlinkSync(join(tokenizerFolder('qwen3'), name), join(made, name));
  writeFileSync(join(made, 'generation_config.json'), JSON.stringify(generationConfig));
  return made;
}

/** A tokenizer's folder that has a template alone, so that nothing can be counted. */
function emptyTokenizer(): string {
  const made = join(folder, 'template-alone');
  mkdirSync(made);
  writeFileSync(join(made, 'tokenizer_config.json'), JSON.stringify({ chat_template: '{{ messages }}' }));
  return made;
}

async function start(options: TrtllmOptions, ...flags: string[]): Promise<void> {
  triton = await startTrtllm(options);
  conch = await startConch({ flags: ['--triton', `127.0.0.1:${triton.grpcPort}`, ...flags] });
}

const complete = (model: string, body: object): Promise<Response> =>
  post(`${conch?.url}/v1/completions`, { model, ...body });
const choiceOf = ({ body }: Response) => (body['choices'] as Record<string, unknown>[])[0];
const usageOf = ({ body }: Response) => body['usage'] as Record<string, number>;

describe('models of TensorRT-LLM', () => {
  it(
    'that are not decoupled answer at once, streamed or not, engine and ensemble alike',
    async () => {
      await start({ models: [...chainModels, 'llmapi'], decoupled: false });
      const text = await startConch({
        flags: [
          '--triton',
          `127.0.0.1:${triton?.grpcPort}`,
          '--contract',
          'tensorrtllm',
          '--contract',
          'ensemble=trtllm',
          '--tokenizer',
          triton?.tokenizerFolder ?? '',
        ],
      });
      try {
        const askers: [string, string][] = [
          [conch?.url ?? '', 'ensemble'],
          [text.url, 'ensemble'],
          [text.url, 'llmapi'],
        ];
        for (const [url, model] of askers) {
          const ask = (body: object) => post(`${url}/v1/completions`, { model, ...body });
          const prompt = directive({ tokens: 4 });
          expect(choiceOf(await ask({ prompt }))).toMatchObject({ text: ' a b c d', finish_reason: 'stop' });
          const streamed = await ask({ prompt, stream: true });
          expect(streamedChoices(streamed)).toEqual([{ text: ' a b c d', reasons: ['stop'] }]);
          const cut = await ask({ prompt: directive({ tokens: 9 }), max_tokens: 3 });
          expect(choiceOf(cut)).toMatchObject({ text: ' a b c', finish_reason: 'length' });
          const stopped = await ask({ prompt: directive({ tokens: 9 }), stop: 'b c' });
          expect(choiceOf(stopped)).toMatchObject({ text: ' a ', finish_reason: 'stop' });
        }
      } finally {
        await text.stop();
      }
    },
    patience,
  );

  it(
    'of an old release take the names that they have, and are counted here',
    async () => {
      await start({ models: chainModels, release: '0.16' });
      const sent = JSON.parse(
        textsOf(
          await complete('ensemble', { prompt: directive({ echo_parameters: true }), seed: 7, min_tokens: 1 }),
        )[0] ?? '',
      ) as Record<string, unknown>;
      expect(sent).toMatchObject({ random_seed: 7, min_length: 1 });
      const text = await startConch({
        flags: ['--triton', `127.0.0.1:${triton?.grpcPort}`, '--contract', 'ensemble=trtllm'],
      });
      try {
        const ask = (body: object) => post(`${text.url}/v1/completions`, { model: 'ensemble', ...body });
        const whole = await ask({ prompt: directive({ tokens: 4 }) });
        expect(choiceOf(whole)).toMatchObject({ text: ' a b c d', finish_reason: 'stop' });
        expect(usageOf(whole)['completion_tokens']).toBeGreaterThanOrEqual(4);
        expect(usageOf(whole)['prompt_tokens']).toBe(
          usageOf(await complete('ensemble', { prompt: directive({ tokens: 4 }) }))['prompt_tokens'],
        );
        const cut = await ask({ prompt: directive({ tokens: 9 }), max_tokens: 3 });
        expect(choiceOf(cut)).toMatchObject({ text: ' a b c', finish_reason: 'length' });
      } finally {
        await text.stop();
      }
    },
    patience,
  );

  it(
    'with a SentencePiece tokenizer lose no space, and an engine alone is served under its own name',
    async () => {
      await start(
        { models: ['tensorrt_llm'], tokenizer: 'llama2' },
        '--tokenizer',
        `tensorrt_llm=${tokenizerFolder('llama2')}`,
      );
      const response = 'The sea is  wide, 東京 and 🦄.\n  Indented.';
      const prompt = `Say ${directive({ answer: response })}`;
      for (const stream of [false, true]) {
        const value = await complete('tensorrt_llm', { prompt, stream });
        const text = stream ? streamedChoices(value)[0]?.text : textsOf(value)[0];
        // The first word of a text that continues another begins with its space.
        expect(text).toBe(` ${response}`);
      }
      expect((await complete('ensemble', { prompt })).status).toBe(404);
    },
    patience,
  );

  it(
    'without counts and without a tokenizer say length when the length ran out',
    async () => {
      await start(
        { models: chainModels, release: '0.16' },
        '--contract',
        'ensemble=trtllm',
        '--tokenizer',
        emptyTokenizer(),
      );
      const cut = await complete('ensemble', { prompt: directive({ tokens: 9 }), max_tokens: 3 });
      expect([choiceOf(cut), cut.body['usage']]).toEqual([
        { index: 0, text: ' a b c', logprobs: null, finish_reason: 'length' },
        null,
      ]);
    },
    patience,
  );

  it(
    'end at every token that generation_config.json names',
    async () => {
      const folderOfTwo = tokenizerWith({ eos_token_id: [151645, 293] });
      await start({ models: chainModels }, '--tokenizer', folderOfTwo);
      const response = await complete('ensemble', { prompt: directive({ tokens: 9 }) });
      expect(choiceOf(response)).toMatchObject({ text: ' a', finish_reason: 'stop' });
    },
    patience,
  );

  it(
    'can be told to end a request with the stop input',
    async () => {
      await start({ models: chainModels }, '--cancel-with', 'stop-input');
      const tag = 'stopped by request';
      const response = await complete('ensemble', { prompt: directive({ tokens: 300, hold_at: 3, tag }), stop: 'b c' });
      expect(choiceOf(response)).toMatchObject({ text: ' a ', finish_reason: 'stop' });
      const { state, tokens } = await countOf(conch?.url ?? '', tag, { model: 'ensemble', until: 'cancelled' });
      expect([state, tokens < 10]).toEqual(['cancelled', true]);
    },
    patience,
  );

  it(
    'whose adapter is not in the cache refuse its requests by name, and others go on',
    async () => {
      const file = configFile('models:\n  poems:\n    serves: ensemble\n    lora_task_id: 42\n');
      await start({ models: chainModels }, '--config', file);
      const { status, body } = await complete('poems', { prompt: 'x' });
      expect([status, body.error]).toEqual([
        400,
        {
          message: 'The engine does not have the LoRA adapter 42 in its cache.',
          type: 'invalid_request_error',
          param: 'model',
          code: 'invalid_request',
        },
      ]);
      expect(textsOf(await complete('ensemble', { prompt: directive({ tokens: 2 }) }))).toEqual([' a b']);
    },
    patience,
  );
});
