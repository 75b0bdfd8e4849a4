/**
 * How many times cheaper Conch is than the baseline: the median of alternating pairs, as one JSON line. For the test that watches over it.
 *
 *   node bench/guard.mjs [--pairs 5] [--gateway SCRIPT]
 */
import { parseArgs } from 'node:util';
import { baseline, conch } from './contenders.mjs';
import { alternatingPairs, warmUp } from './pairs.mjs';
import { pairedRatio, rounded } from './report.mjs';
import { withFresh } from './session.mjs';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '5' },
    gateway: { type: 'string', default: conch.script },
  },
});
const pairs = Number(values.pairs);
const full = { streams: 256, tokens: 128, seconds: 0.7, 'warmup-seconds': 0.3 };
const paced = { streams: 256, tokens: 128, seconds: 1.28, 'warmup-seconds': 0.6, 'drain-seconds': 0 };
const contenders = [{ ...conch, script: values.gateway }, baseline];

const found = await withFresh(contenders, 0, async ({ gateways, changeInterval }) => {
  await warmUp(gateways, { ...full, cpuSeconds: 4, mostSeconds: 20 });
  const fullPairs = await alternatingPairs(gateways, full, { pairs });
  changeInterval(10);
  const pacedPairs = await alternatingPairs(gateways, paced, { pairs });
  return rounded({
    paced256_vs_grpcjs: pairedRatio(pacedPairs, 'microsecondsPerToken'),
    full256_vs_grpcjs: pairedRatio(fullPairs, 'microsecondsPerToken'),
  });
});
process.stdout.write(`${JSON.stringify(found)}\n`);
