import type { MetricJson } from '../../telemetry/metrics/instruments.ts';
import { sumOfCounts } from '../../telemetry/metrics/merge-metrics.ts';
import { readings } from '../../telemetry/metrics/metrics.ts';

/** What workers are asked for their metrics with. */
export const metricsQuestion = 'metrics';

/** The metrics of workers as each last told them, so that no count falls when one does not answer or is gone. */
export class MetricHistory {
  readonly #last = new Map<number, readonly MetricJson[]>();
  /** What those that are gone had counted. */
  #gone: readonly MetricJson[] = [];
  #missed = 0;

  told(number: number, metrics: unknown): void {
    this.#last.set(number, metrics as readonly MetricJson[]);
  }

  /** A worker is gone; another one may come with its number. */
  left(number: number): void {
    this.#gone = sumOfCounts([this.#gone, this.#last.get(number) ?? []]);
    this.#last.delete(number);
  }

  /** So many workers did not answer a question. */
  missed(count: number): void {
    this.#missed += count;
  }

  /** What the metrics of all are put together from, while so many workers take requests. */
  parts(workers: number): readonly (readonly MetricJson[])[] {
    const own = [
      readings.workers.json([{ labels: {}, value: workers }]),
      readings.workerAnswersMissing.json([{ labels: {}, value: this.#missed }]),
    ];
    return [...this.#last.values(), this.#gone, own];
  }
}
