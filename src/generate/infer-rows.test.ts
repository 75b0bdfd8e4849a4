import { describe, expect, it } from 'vitest';
import { PlayedInference } from '../../test/support/played-inference.ts';
import { type InputRow, RowError, type RowsContract } from '../contracts/row-contracts.ts';
import type { InferenceServer, InferRequest, ResponseSink } from '../kserve/server.ts';
import type { ServerGroup } from '../kserve/server-group.ts';
import type { NamedModel } from '../models/served-model.ts';
import { noWatch } from '../request-watch.ts';
import { inferRows } from './infer-rows.ts';

/** A group of one server. */
function streamOn(server: InferenceServer): ServerGroup['stream'] {
  return (begin, sink) => begin(server, { timeout: undefined }, sink);
}

const row = (length: number): InputRow => ({ ids: new Int32Array(length) });
const lengthOf = (value: InputRow): number => ('ids' in value ? value.ids.length : 0);

/** Sends rows to a model that gives the length of each, and tells which went together. */
async function run(rows: readonly InputRow[], own: Partial<RowsContract>, perRow = 1) {
  const batches: number[][] = [];
  const stream = ({ id }: InferRequest, sink: ResponseSink) => {
    const response = { id, outputs: [{}], detached: () => response };
    return new PlayedInference(sink, { responses: [response] });
  };
  const contract = {
    mostTogether: 64,
    encode: ({ rows: sent }) => {
      batches.push(sent.map(lengthOf));
      return { id: 'i' } as InferRequest;
    },
    decode: (_, sent) => sent.map((each) => ({ figures: new Float32Array(perRow).fill(lengthOf(each)), width: 1 })),
    ...own,
  } as RowsContract;
  const results = await inferRows(rows, {
    model: {
      group: { stream: streamOn({ stream } as unknown as InferenceServer) },
    } as unknown as NamedModel,
    contract,
    requestId: 'i',
    padId: 0,
    width: undefined,
    field: 'input',
    pathOf: (at) => `input[${at}]`,
    finish: ({ figures }) => figures[0],
    signal: new AbortController().signal,
    watch: noWatch,
    timeout: undefined,
  });
  return { results, batches };
}

const repeated = (length: number, times: number): InputRow[] => Array.from({ length: times }, () => row(length));
const figuresPerRow = (tokens: number): number => tokens * 384;

describe('inferRows', () => {
  it('sends few rows together where they bring many figures', async () => {
    const { results, batches } = await run([...repeated(10, 100), ...repeated(512, 30)], { figuresPerRow });
    expect(batches.map(({ length }) => length)).toEqual([20, 20, 64, 26]);
    expect(results).toEqual([...Array.from({ length: 100 }, () => 10), ...Array.from({ length: 30 }, () => 512)]);
  });

  it('sends short rows in full batches, and an oversized one in its own batch', async () => {
    const short = await run(repeated(100, 1000), { figuresPerRow });
    expect(short.batches).toHaveLength(Math.ceil(1000 / 64));
    const long = await run(repeated(20_000, 2), { figuresPerRow });
    expect(long.batches).toEqual([[20_000], [20_000]]);
  });

  it.each([
    ['of one batch', { mostTogether: 20 }],
    ['of batches that come at the same time', { mostTogether: 1, figuresPerRow }],
  ])('lets others work between rows of many figures: %s', async (_, own) => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await run(repeated(1, 20), own, 200_000);
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(20);
  });

  it('names the row that cannot be sent', async () => {
    const encode = (): never => {
      throw new RowError(0, 'has 8 tokens; this model takes 4');
    };
    await expect(run([row(1), row(8)], { encode })).rejects.toMatchObject({
      code: 'backend_error',
      message: 'input[1]: has 8 tokens; this model takes 4.',
      param: 'input',
    });
  });
});
