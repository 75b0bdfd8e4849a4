import { type Context, TraceFlags } from '@opentelemetry/api';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';

/** The queue in front of the exporter. Times in milliseconds. */
export interface BatchOptions {
  readonly delay: number;
  readonly queue: number;
  readonly size: number;
  readonly timeout: number;
}

interface ProcessorOptions {
  readonly exporter: SpanExporter;
  readonly batch: BatchOptions;
  readonly onLost: (spans: number, reason: string) => void;
}

/** Exports spans in batches. Reports spans that are lost because the queue is full, unlike OpenTelemetry's own. */
export class BoundedProcessor implements SpanProcessor {
  readonly #batches: BatchSpanProcessor;
  readonly #options: ProcessorOptions;
  #waiting = 0;

  constructor(options: ProcessorOptions) {
    this.#options = options;
    const { exporter, batch } = options;
    this.#batches = new BatchSpanProcessor({
      exporter: {
        export: (spans, callback) => {
          this.#waiting -= spans.length;
          exporter.export(spans, callback);
        },
        shutdown: () => exporter.shutdown(),
      },
      scheduledDelayMillis: batch.delay,
      maxQueueSize: batch.queue,
      maxExportBatchSize: batch.size,
      exportTimeoutMillis: batch.timeout,
    });
  }

  onStart(span: Parameters<SpanProcessor['onStart']>[0], parent: Context): void {
    this.#batches.onStart(span, parent);
  }

  onEnd(span: ReadableSpan): void {
    const { batch, onLost } = this.#options;
    // oxlint-disable-next-line no-bitwise -- flags are bits
    if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
    if (this.#waiting >= batch.queue) {
      onLost(1, 'its queue is full');
      return;
    }
    this.#waiting++;
    this.#batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.#batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#batches.shutdown();
  }
}
