import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../src/bench/random.ts';
import type { Conch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, llamaTokenizer, post, type Response, startGateway } from '../support/gateway.ts';
import { texts } from '../tokenizers/samples.ts';
import { receivedFor, streamedChoices, textsOf } from './requests.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-counts-'));
let conch: Conch;
beforeAll(async () => {
  const config = join(folder, 'conch.json');
  const models = {
    'vllm-bos': { tokenizer: tokenizerFolder('llama3_2') },
    // Its prompts are tokenized with qwen3's by the backend.
    misfit: { serves: 'vllm-toy', tokenizer: tokenizerFolder('llama2') },
  };
  writeFileSync(config, JSON.stringify({ models }));
  conch = await startGateway('--config', config, ...llamaTokenizer());
});
afterAll(async () => {
  await conch.stop();
  rmSync(folder, { recursive: true });
});

let requests = 0;

const complete = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
  post(`${conch.url}/v1/completions`, body, headers);

/** What a client sees and the backend counts, of a response that comes whole: it asks the backend for everything. */
async function whole(body: object) {
  const response = await complete(body);
  const { prompt_tokens, completion_tokens } = response.body['usage'] as Record<string, number>;
  const reasons = (response.body['choices'] as { finish_reason: string }[]).map((choice) => [choice.finish_reason]);
  const choices = textsOf(response).map((text, at) => ({ text, reasons: reasons[at] ?? [] }));
  return { choices, input: prompt_tokens, output: completion_tokens };
}

/** The same of a stream that shows no usage: what Conch records of it. */
async function recorded(body: object) {
  const id = `counts-${++requests}`;
  const response = await complete({ ...body, stream: true }, { 'x-request-id': id });
  const line = await conch.logged(({ reqId, output_tokens }) => reqId === id && output_tokens !== undefined);
  return { choices: streamedChoices(response), input: line['input_tokens'], output: line['output_tokens'] };
}

/** The optional outputs that a stream without usage asks for. */
async function returnsOf(model: string): Promise<string[]> {
  const response = await complete({ model, prompt: directive({ echo_parameters: true }), stream: true });
  return Object.keys(receivedFor(response)[0]?.inputs ?? {}).filter((name) => name.startsWith('return_'));
}

/** A piece of a sample, which may begin and end in the middle of what a reader sees as one character. */
function piece(random: Random, longest: number): string {
  const characters = Array.from(texts[random.below(texts.length)] ?? '');
  const from = random.below(characters.length);
  return characters.slice(from, from + 1 + random.below(longest)).join('');
}

/** A completion that ends by its own, at a stop sequence or at its limit, with empty texts where characters are split. */
function randomBody(model: string, random: Random): object {
  const response = piece(random, 30);
  const characters = Array.from(response);
  return {
    model,
    prompt: piece(random, 200) + directive({ answer: response }),
    n: 1 + random.below(2),
    ...(random.below(2) === 0 ? { max_tokens: 1 + random.below(20) } : {}),
    ...(random.below(3) === 0 ? { stop: [characters[random.below(characters.length)]] } : {}),
    ...(random.below(4) === 0 ? { logprobs: random.below(3) } : {}),
  };
}

describe.each([
  ['vllm-toy', ['return_finish_reason']],
  ['vllm-llama', ['return_finish_reason']],
  ['vllm-bos', ['return_finish_reason']],
  // Its tokenizer counts otherwise, so the backend is asked.
  ['misfit', ['return_finish_reason', 'return_num_input_tokens']],
])('the counts of %s', (model, returns) => {
  it('are recorded of streams without usage as the backend counts', async () => {
    await post(`${conch.url}/tokenize`, { model, prompt: 'Loads the tokenizer.' });
    const random = new Random(19);
    const bodies = Array.from({ length: 64 }, () => randomBody(model, random));
    while (bodies.length > 0) {
      const some = bodies.splice(0, 8);
      const [ours, theirs] = [await Promise.all(some.map(recorded)), await Promise.all(some.map(whole))];
      expect(ours.map((seen, at) => [some[at], seen])).toEqual(theirs.map((seen, at) => [some[at], seen]));
    }
    // One round of 64 is compared with the backend's count, which may be either of these.
    expect([await returnsOf(model), await returnsOf(model)]).toContainEqual(returns);
  });
});

describe('an engine that puts several tokens into a response', () => {
  const body = { model: 'vllm-toy', prompt: directive({ tokens: 10, together: 4 }) };

  it('is asked for its counts where usage is shown', async () => {
    const response = await complete({ ...body, stream: true, stream_options: { include_usage: true } });
    const { input: prompt_tokens, output: completion_tokens } = await whole(body);
    expect(eventsOf(response.text).at(-2)).toMatchObject({ usage: { prompt_tokens, completion_tokens } });
    expect(completion_tokens).toBe(11);
  });

  it('is asked for them by every stream once that was seen', async () => {
    expect(await returnsOf('vllm-toy')).toEqual(['return_finish_reason', 'return_num_output_tokens']);
    expect(await recorded(body)).toEqual(await whole(body));
  });
});
