import { percentText, rounded } from './figures.ts';
import { type LevelReport, paceText } from './report.ts';

const busyShare = 0.9;
const latestStart = 20;
const leastDelay = 1;
const mostDelay = 5;

/** Warnings about the reliability of the results of a level, in whole sentences. */
export function warningsOf(measured: LevelReport): string[] {
  const { pace, generator, request_count: count, failed_count: failed } = measured;
  const level = paceText(pace);
  const { busiest_cpu_share: share, lateness_ms: lateness = 0, loop_delay_p99_ms: delay } = generator;
  return [
    ...(share >= busyShare
      ? [
          `At ${level}, a process of the load generator used ${percentText(share)} of a core and may have limited the results. Increase --workers or run it on another machine.`,
        ]
      : []),
    ...(lateness >= latestStart
      ? [
          `At ${level}, a request started ${rounded(lateness)} ms later than planned: the load generator did not keep up.`,
        ]
      : []),
    ...(delay > longestDelay(measured)
      ? [
          `At ${level}, the event loop of the load generator was ${rounded(delay)} ms late at p99, which adds to the token latencies. Increase --workers or run it on another machine.`,
        ]
      : []),
    ...(failed > 0
      ? [`At ${level}, ${failed} of ${count + failed} requests failed. The results cover only the others.`]
      : []),
  ];
}

/** A tenth of the time between tokens. Less than a millisecond is noise. */
function longestDelay({ metrics }: LevelReport): number {
  const between = metrics.inter_token_latency?.p50;
  return between === undefined ? mostDelay : Math.min(mostDelay, Math.max(leastDelay, between / 10));
}
