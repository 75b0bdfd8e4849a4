/** The flags of `npm run bench`, and what a run without any does. */
import { parseArgs } from 'node:util';

const PARTS = ['paced', 'full', 'requests', 'single'];
const WHOLE = {
  streams: '1,32,256',
  tokens: '128',
  seconds: '2.5',
  'warmup-seconds': '4',
  rounds: '3',
  'interval-ms': '10',
};
/** The model of tritonserver is slow: short answers, as those that are open at the end of a window must end before the next. */
const TRITON = { ...WHOLE, tokens: '32', seconds: '1.5', 'warmup-seconds': '0.8', rounds: '2' };

/** @param {string[]} flags */
export function readOptions(flags) {
  const text = /** @type {const} */ ({ type: 'string' });
  const { values } = parseArgs({
    args: flags,
    options: {
      streams: text,
      tokens: text,
      seconds: text,
      'warmup-seconds': text,
      rounds: text,
      'interval-ms': text,
      only: text,
      against: text,
      gateway: { type: 'string', multiple: true },
      quick: { type: 'boolean', default: false },
      triton: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const { only, against, gateway, quick, triton, json, write, ...asked } = values;
  if (only !== undefined && !PARTS.includes(only)) throw new Error(`--only takes one of ${PARTS.join(', ')}`);
  const usual = triton ? TRITON : against === undefined ? WHOLE : { ...WHOLE, rounds: '4' };
  const chosen = { ...usual, ...asked };
  const isUsual = JSON.stringify(chosen) === JSON.stringify(usual);
  return {
    against,
    gateway,
    quick,
    triton,
    json,
    rounds: Number(chosen.rounds),
    plan: {
      streams: chosen.streams.split(',').map(Number),
      tokens: Number(chosen.tokens),
      seconds: Number(chosen.seconds),
      intervalMilliseconds: Number(chosen['interval-ms']),
      warmupSeconds: Number(chosen['warmup-seconds']),
      only,
    },
    /** Whether the page and the results are written: a short or partial run must not take the place of a whole one. */
    writes: write || (isUsual && only === undefined && against === undefined && gateway === undefined),
  };
}
