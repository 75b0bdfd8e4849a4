import { percentText, rounded } from './figures.ts';
import { type LevelReport, paceText } from './report.ts';

const busyShare = 0.9;
const latestStart = 20;
const leastDelay = 1;
const mostDelay = 5;

/** What makes the figures of a level doubtful, in whole sentences. */
export function warningsOf(measured: LevelReport): string[] {
  const { pace, generator, request_count: count, failed_count: failed } = measured;
  const level = paceText(pace);
  const { busiest_cpu_share: share, lateness_ms: lateness = 0, loop_delay_p99_ms: delay } = generator;
  return [
    ...(share >= busyShare
      ? [
          `At ${level} a process of the load generator took ${percentText(share)} of a core: it may be what was measured. Give it more with --workers, or a machine of its own.`,
        ]
      : []),
    ...(lateness >= latestStart
      ? [
          `At ${level} a request was begun ${rounded(lateness)} ms later than planned: the load generator did not keep up.`,
        ]
      : []),
    ...(delay > longestDelay(measured)
      ? [
          `At ${level} the event loop of the load generator was ${rounded(delay)} ms late at p99, which is in the times of tokens too. Give it more with --workers, or a machine of its own.`,
        ]
      : []),
    ...(failed > 0
      ? [`At ${level} ${failed} of ${count + failed} requests failed: the figures are those of the others.`]
      : []),
  ];
}

/** A tenth of the time between tokens; less than a millisecond cannot be told from the noise of a machine. */
function longestDelay({ metrics }: LevelReport): number {
  const between = metrics.inter_token_latency?.p50;
  return between === undefined ? mostDelay : Math.min(mostDelay, Math.max(leastDelay, between / 10));
}
