import { collectDefaultMetrics, Registry } from 'prom-client';
import { type Exposition, expositionFor, expositionText, expositionTypes } from './exposition.ts';
import type { MetricJson } from './instruments.ts';
import { mergeMetrics } from './merge-metrics.ts';
import { type Metrics, readings } from './metrics.ts';
import { type ServerState, serverStates, withWorstBreakers } from './server-states.ts';
import { readTritonMetrics, type TritonTarget } from './triton-metrics.ts';

/** What is computed when the metrics are read. */
export interface MetricSources {
  readonly metrics: Metrics;
  readonly version: string;
  /** The states of the servers. */
  readonly servers: () => readonly ServerState[];
  /** The metrics endpoints of the Triton servers. */
  readonly tritons: () => readonly TritonTarget[];
  /** Token counts: from the token cache, and from a tokenizer. */
  readonly tokens: () => { readonly cached: number; readonly encoded: number };
}

/** Metrics in the requested format. */
export interface WrittenMetrics {
  readonly contentType: string;
  readonly text: string;
}

/** Reads the metrics of this process, and merges those of several. */
export class MetricsReader {
  readonly #sources: MetricSources;
  readonly #process = new Registry();

  constructor(sources: MetricSources) {
    this.#sources = sources;
    // Event loop, heap, CPU time and files, with the usual names of prom-client.
    collectDefaultMetrics({ register: this.#process });
  }

  /** The metrics of this process, for `merged`. */
  async json(): Promise<readonly MetricJson[]> {
    const { metrics, version, servers } = this.#sources;
    const { cached, encoded } = this.#sources.tokens();
    const tokens = readings.tokenizerTokens.json([
      { labels: { source: 'cache' }, value: cached },
      { labels: { source: 'tokenizer' }, value: encoded },
    ]);
    const info = readings.buildInfo.json([{ labels: { version }, value: 1 }]);
    const own = (await this.#process.getMetricsAsJSON()) as unknown as readonly MetricJson[];
    // An average would hide a busy event loop among idle ones.
    const aggregated = own.map((metric) =>
      metric.name.startsWith('nodejs_eventloop_lag_') ? { ...metric, aggregator: 'max' as const } : metric,
    );
    return [info, tokens, ...metrics.json(), ...serverStates(servers()), ...aggregated];
  }

  /** The merged metrics of all processes, with those of the Triton servers. */
  async merged(parts: readonly (readonly MetricJson[])[], accept: string | undefined): Promise<WrittenMetrics> {
    const [only] = parts;
    if (only && parts.length === 1) return this.#write(only, accept);
    return this.#write(mergeMetrics(withWorstBreakers(parts)), accept);
  }

  async #write(metrics: readonly MetricJson[], accept: string | undefined): Promise<WrittenMetrics> {
    const exposition: Exposition = expositionFor(accept);
    const triton = await readTritonMetrics(this.#sources.tritons());
    const text = expositionText([...metrics, triton.up], exposition) + triton.text(exposition);
    const end = exposition === 'openmetrics' ? '# EOF\n' : '';
    return { contentType: expositionTypes[exposition], text: text + end };
  }
}
