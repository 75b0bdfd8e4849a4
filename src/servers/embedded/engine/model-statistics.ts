import type { ModelStatistics } from '../../../kserve/messages.ts';

interface Duration {
  count: number;
  ns: number;
}

/** Where the time of one request went, in nanoseconds. */
export interface RequestTimes {
  readonly queue: number;
  readonly compute: number;
}

const zero = (): Duration => ({ count: 0, ns: 0 });

/** Counts and durations of one model, in the terms of Triton's statistics. */
export class StatisticsRecorder {
  readonly #success = zero();
  readonly #fail = zero();
  readonly #queue = zero();
  readonly #compute = zero();
  #lastInference = 0;

  /** Records the end of a request. Triton counts cancelled requests as successes. */
  record(outcome: 'success' | 'fail' | 'cancel', { queue, compute }: RequestTimes): void {
    const total = queue + compute;
    if (outcome === 'fail') {
      add(this.#fail, total);
      return;
    }
    add(this.#success, total);
    add(this.#queue, queue);
    add(this.#compute, compute);
    this.#lastInference = Date.now();
  }

  read(name: string, version: string, memory: number): ModelStatistics {
    const { count } = this.#success;
    const compute = {
      compute_input: { count, ns: 0 },
      compute_infer: { ...this.#compute },
      compute_output: { count, ns: 0 },
    };
    return {
      name,
      version,
      last_inference: this.#lastInference,
      inference_count: count,
      execution_count: count,
      inference_stats: {
        success: { ...this.#success },
        fail: { ...this.#fail },
        queue: { ...this.#queue },
        ...compute,
        cache_hit: zero(),
        cache_miss: zero(),
      },
      batch_stats: count > 0 ? [{ batch_size: 1, ...compute }] : [],
      memory_usage: memory > 0 ? [{ type: 'CPU', id: 0, byte_size: memory }] : [],
      response_stats: {},
    };
  }
}

function add(duration: Duration, ns: number): void {
  duration.count += 1;
  duration.ns += Math.round(ns);
}
