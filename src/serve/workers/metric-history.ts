import type { MetricJson } from '../../telemetry/metrics/instruments.ts';
import { sumOfCounts } from '../../telemetry/metrics/merge-metrics.ts';
import { readings } from '../../telemetry/metrics/metrics.ts';

/** The name of the request for the metrics of workers. */
export const metricsRequest = 'metrics';

/** The last metrics of each worker, so that no counter decreases when a worker does not respond or has ended. */
export class MetricHistory {
  readonly #last = new Map<number, readonly MetricJson[]>();
  /** The counters of workers that have ended. */
  #ended: readonly MetricJson[] = [];
  #missed = 0;

  setMetrics(number: number, metrics: unknown): void {
    this.#last.set(number, metrics as readonly MetricJson[]);
  }

  /** A worker has ended; another one may get its number. */
  removeWorker(number: number): void {
    this.#ended = sumOfCounts([this.#ended, this.#last.get(number) ?? []]);
    this.#last.delete(number);
  }

  /** So many workers did not respond to a request. */
  addMissed(count: number): void {
    this.#missed += count;
  }

  /** The parts of the merged metrics, with this number of workers. */
  parts(workers: number): readonly (readonly MetricJson[])[] {
    const own = [
      readings.workers.json([{ labels: {}, value: workers }]),
      readings.workerAnswersMissing.json([{ labels: {}, value: this.#missed }]),
    ];
    return [...this.#last.values(), this.#ended, own];
  }
}
