import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conchTokensContract } from '../../src/contracts/conch-tokens.ts';
import type { GenerateRequest } from '../../src/contracts/contract.ts';
import { ChoiceReader } from '../../src/generate/choice-reader.ts';
import type { Tally } from '../../src/generate/tally.ts';
import { numberTensor, type Tensor, textTensor } from '../../src/kserve/tensors.ts';
import { CompletionText } from '../../src/output/completion-text.ts';
import { loadTokenizer } from '../../src/prompt/tokenizer.ts';
import type { TokenTable } from '../../src/tokenizer.ts';
import { configOf, requestOf, responseOf } from '../support/contract-fixtures.ts';
import { type TokenizerName, tokenizerFolder } from '../support/environment.ts';
import { plainReader } from '../support/reader-options.ts';
import { EventList } from '../support/scripted-model.ts';
import { type Random, randomFrom } from './random.ts';
import { texts } from './samples.ts';

const config = configOf('input_ids INT32 -1\nsampling_params STRING 1', 'token_ids INT32 -1', { max_batch_size: 0 });
const contract = conchTokensContract(config, { hasTokenizer: true });
const int32 = (name: string, values: readonly number[], shape = [values.length]) =>
  numberTensor(name, { datatype: 'INT32', values, shape });

/** One generation: its tokens, and how it ended. */
interface Generated {
  readonly ids: readonly number[];
  readonly ending: readonly Tensor[];
}

/** The responses of a generation, cut before these tokens; each token's logprob is its position. */
function responsesOf({ ids, ending }: Generated, cuts: ReadonlySet<number>) {
  const bounds = [0, ...Array.from(cuts).toSorted((a, b) => a - b), ids.length];
  return bounds.slice(1).map((end, at) => {
    const start = bounds[at] as number;
    const part = ids.slice(start, end);
    const table = { shape: [part.length, 2], values: part.flatMap((_, offset) => [-(start + offset), -0.5]) };
    const isLast = end === ids.length;
    return responseOf(
      [
        int32('token_ids', part),
        int32(
          'logprob_ids',
          part.flatMap((id) => [id, 1]),
          [part.length, 2],
        ),
        numberTensor('logprobs', { datatype: 'FP32', ...table }),
        ...(at === 0 || isLast ? [int32('usage', [3, end, 1, -1, -1])] : []),
        ...(isLast ? ending : []),
      ],
      isLast,
    );
  });
}

/** Everything that a client sees of a generation: the text, the logprobs, the end and the usage. */
function seen(generated: Generated, cuts: ReadonlySet<number>, { request, table }: Setting) {
  const tally = { completionTokens: 0, unfinished: 1, finishReasons: [] } as unknown as Tally;
  const { stop: stops = [], includeStopText: keepsStop = false } = request.sampling;
  const reader = new ChoiceReader({
    ...plainReader,
    tally,
    newText: () => new CompletionText({ stops, keepsStop, table, skipSpecialTokens: true, continuesText: true }),
  });
  const list = new EventList();
  reader.begin(list);
  const decoder = contract.decoder(request);
  for (const response of responsesOf(generated, cuts)) {
    decoder.push(response, reader);
    if (reader.isComplete) break;
  }
  const events = list.take();
  const deltas = events.filter((event) => event.type === 'text-delta');
  return {
    text: deltas.map(({ text }) => text).join(''),
    tokens: deltas.reduce((sum, delta) => sum + delta.tokens, 0),
    logprobs: deltas.flatMap(({ logprobs }) => logprobs ?? []),
    others: events.filter((event) => event.type !== 'text-delta'),
  };
}

interface Setting {
  readonly request: GenerateRequest;
  readonly table: TokenTable;
}

function randomCuts(length: number, random: Random): ReadonlySet<number> {
  const share = 1 + random(9);
  return new Set(Array.from({ length: length - 1 }, (_, at) => at + 1).filter(() => random(10) < share));
}

const families: TokenizerName[] = ['llama2', 'llama3', 'qwen3', 'gemma3', 'mistral_nemo', 'deepseek_v3'];

describe('a response of several tokens', () => {
  it.each(families)('is exact wherever it was cut, with any stop sequence: %s', async (family) => {
    const tokenizer = await loadTokenizer({ file: join(tokenizerFolder(family), 'tokenizer.json') });
    const table = await tokenizer.table?.();
    if (!table) throw new Error('no table');
    const random = randomFrom(7);
    const all = Array.from(await tokenizer.encode(texts.join('\n'), { addSpecialTokens: false }));
    const kinds = { eos: 0, stopped: 0, cut: 0 };
    for (let round = 0; round < 60; round++) {
      const start = random(all.length - 60);
      const ids = all.slice(start, start + 2 + random(58));
      const whole = seen({ ids, ending: [textTensor('finish_reason', ['length'])] }, new Set(), {
        request: requestOf({ logprobs: 1 }),
        table,
      }).text;
      const from = random(Math.max(1, whole.length - 4));
      const stop = round % 3 === 0 ? [] : [whole.slice(from, from + 1 + random(4)) || 'x'];
      const request = requestOf({ logprobs: 1, sampling: { stop, includeStopText: round % 5 === 0 } });
      const byToken = stop.length === 0 && round % 2 === 0;
      const ending = [textTensor('finish_reason', [byToken ? 'stop' : 'length'])];
      const expected = seen({ ids, ending }, new Set(Array.from(ids.keys()).slice(1)), { request, table });
      for (let attempt = 0; attempt < 4; attempt++) {
        const cuts = randomCuts(ids.length, random);
        expect(seen({ ids, ending }, cuts, { request, table })).toEqual(expected);
      }
      if (byToken) kinds.eos++;
      else if (stop.length > 0 && expected.tokens < ids.length) kinds.stopped++;
      else kinds.cut++;
      expect(expected.text).toBe(stop.length === 0 && !byToken ? whole : expected.text);
    }
    // Every kind of end occurred.
    expect(Math.min(kinds.eos, kinds.stopped, kinds.cut)).toBeGreaterThan(4);
  });
});
