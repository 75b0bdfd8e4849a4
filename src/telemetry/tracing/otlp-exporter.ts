import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/** The result of one attempt to send spans. */
export type Delivery =
  | { readonly outcome: 'accepted' }
  | {
      readonly outcome: 'refused';
      readonly reason: string;
      /** Whether another attempt may succeed. */
      readonly isTemporary: boolean;
      /** Milliseconds that the collector asks to wait (`Retry-After`). */
      readonly retryIn?: number | undefined;
    };

/** Sends bytes to a collector. */
export interface SpanTransport {
  send(body: Uint8Array, signal: AbortSignal): Promise<Delivery>;
  close(): Promise<void>;
}

interface ExporterOptions {
  readonly transport: SpanTransport;
  readonly serialize: (spans: ReadableSpan[]) => Uint8Array | undefined;
  /** Milliseconds for one attempt. */
  readonly timeout: number;
  readonly onSent: (spans: number) => void;
  readonly onLost: (spans: number, reason: string) => void;
  /** Milliseconds before the second attempt; default: one second. */
  readonly firstBackoff?: number;
}

type ExportCallback = Parameters<SpanExporter['export']>[1];

// oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the package that has the enum is not one of ours
const succeeded = 0 as Parameters<ExportCallback>[0]['code'];

const mostAttempts = 5;
const longestBackoff = 10_000;

/** Sends spans to a collector and retries for a while. Requests never wait for it. */
export class OtlpExporter implements SpanExporter {
  readonly #options: ExporterOptions;
  readonly #stop = new AbortController();

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  export(spans: ReadableSpan[], callback: ExportCallback): void {
    void this.#handOver(spans, callback);
  }

  /** Cancels running attempts without waiting. */
  async shutdown(): Promise<void> {
    this.#stop.abort();
    await this.#options.transport.close();
  }

  async #handOver(spans: ReadableSpan[], callback: ExportCallback): Promise<void> {
    const reason = await this.#deliver(spans);
    if (reason === undefined) this.#options.onSent(spans.length);
    else this.#options.onLost(spans.length, reason);
    // `onLost` reports spans that could not be sent.
    callback({ code: succeeded });
  }

  /** Why the spans are lost; undefined if they are sent. */
  async #deliver(spans: ReadableSpan[]): Promise<string | undefined> {
    const body = this.#options.serialize(spans);
    if (!body) return 'the spans could not be serialized';
    let backoff = this.#options.firstBackoff ?? 1_000;
    for (let attempt = 1; ; attempt++) {
      const delivery = await this.#attempt(body);
      if (delivery.outcome === 'accepted') return undefined;
      if (!delivery.isTemporary || attempt === mostAttempts || this.#stop.signal.aborted) return delivery.reason;
      const jittered = backoff * (0.5 + Math.random() / 2);
      await this.#pause(Math.min(delivery.retryIn ?? jittered, longestBackoff));
      backoff = Math.min(backoff * 2, longestBackoff);
    }
  }

  async #attempt(body: Uint8Array): Promise<Delivery> {
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.#options.timeout)]);
    try {
      return await this.#options.transport.send(body, signal);
    } catch (error) {
      return { outcome: 'refused', reason: reasonOf(error), isTemporary: true };
    }
  }

  #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      timer.unref();
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
