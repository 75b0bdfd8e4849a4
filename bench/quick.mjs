/** The short form: the ratios of docs/benchmarks.md within a minute, from fewer and shorter windows. */
import { baseline, conch } from './contenders.mjs';
import { measureFirstToken, measureLoad, measureRate } from './measure.mjs';
import { alternatingPairs, warmUp } from './pairs.mjs';
import { medianOf, pairedRatio, rounded } from './report.mjs';
import { withFresh } from './session.mjs';

const TOKENS = 128;
const INTERVAL = 10;
const STREAMS = 256;
/** A whole answer, so that each stream begins and ends one in the window. */
const PACED_SECONDS = (TOKENS * INTERVAL) / 1000;
const PAIRS = 3;
/** Seconds since the gateways were started after which no further pair is begun: on an idle machine all are. */
const FULL_UNTIL = 20;
const PACED_UNTIL = 36;
const FIRST_UNTIL = 50;

const full = { streams: STREAMS, tokens: TOKENS, seconds: 1, 'warmup-seconds': 0.4 };
const paced = { streams: STREAMS, tokens: TOKENS, seconds: PACED_SECONDS, 'warmup-seconds': 0.8, 'drain-seconds': 0 };

/**
 * @param {string} name
 * @param {import('./measure.mjs').Figures[][]} pairs
 */
const shown = (name, pairs) =>
  pairs.map((figures) => `${name}: ${figures.map(loadAndCost).join(', against ')}`).join('\n');

/** @param {import('./measure.mjs').Figures} figures */
function loadAndCost({ microsecondsPerToken = 0, tokensPerSecond = 0, tokensPerRead = 0 }) {
  const load = `${tokensPerSecond.toFixed(0)} tokens/s, ${tokensPerRead.toFixed(1)} a read`;
  return `${microsecondsPerToken.toFixed(2)} µs/token (${load})`;
}

/**
 * Conch and the baseline, fresh, warm and in turn. The first token comes last: it is of a gateway that has done everything before.
 * @param {(line: string) => void} say
 */
export function measureQuickly(say) {
  const begun = performance.now();
  const before = (/** @type {number} */ seconds) => () => performance.now() - begun < seconds * 1000;
  return withFresh([conch, baseline], 0, async ({ gateways, changeInterval }) => {
    const [ours] = gateways;
    if (ours === undefined) throw new Error('Conch was not started');
    await warmUp(gateways, { ...full, cpuSeconds: 3, mostSeconds: 6 });
    const fullPairs = await alternatingPairs(gateways, full, { pairs: PAIRS, mayGoOn: before(FULL_UNTIL) });
    say(shown('full 256', fullPairs));
    changeInterval(INTERVAL);
    await warmUp(gateways, { ...paced, cpuSeconds: 0.5, mostSeconds: 1 });
    const pacedPairs = await alternatingPairs(gateways, paced, { pairs: PAIRS, mayGoOn: before(PACED_UNTIL) });
    say(shown('paced 256', pacedPairs));
    const rate = await measureRate(ours, { ...paced, streams: 1, seconds: 2 * PACED_SECONDS, 'warmup-seconds': 0.3 });
    changeInterval(0);
    const requests = await measureLoad(ours, { streams: 32, tokens: 1, seconds: 1.5, 'warmup-seconds': 1.5 });
    const first = await measureFirstToken(ours, { pairs: PAIRS, seconds: 0.4, mayGoOn: before(FIRST_UNTIL) });
    say(`measured in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
    return rounded({
      paced256_vs_grpcjs: pairedRatio(pacedPairs, 'microsecondsPerToken'),
      full256_vs_grpcjs: pairedRatio(fullPairs, 'microsecondsPerToken'),
      ttft_added_ms: first['firstTokenAdded'] ?? Number.NaN,
      throughput_vs_direct: rate['rateAgainstDirect'] ?? Number.NaN,
      us_per_token_paced256: medianOf(
        pacedPairs.map(([figures]) => figures ?? {}),
        'microsecondsPerToken',
      ),
      us_per_request: requests['microsecondsPerRequest'] ?? Number.NaN,
    });
  });
}
