import { percentText, rounded } from './columns.ts';
import { type LevelReport, paceText } from './report.ts';

const busyShare = 0.9;
const latestStart = 20;

/** What makes the figures of a level doubtful, in whole sentences. */
export function warningsOf({ pace, generator, request_count: count, failed_count: failed }: LevelReport): string[] {
  const level = paceText(pace);
  const { busiest_cpu_share: share, lateness_ms: lateness = 0 } = generator;
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
    ...(failed > 0
      ? [`At ${level} ${failed} of ${count + failed} requests failed: the figures are those of the others.`]
      : []),
  ];
}
