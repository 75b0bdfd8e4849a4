import { ApiError } from '../../errors.ts';
import { DeferredInference, type EnteredInference } from '../../kserve/deferred-inference.ts';
import { PassingServer } from '../../kserve/passing-server.ts';
import type {
  CallOptions,
  InferenceServer,
  InferRequest,
  InferResponse,
  ResponseSink,
  RunningInference,
} from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import type { Admission } from '../../models/admission.ts';
import { type InferenceWatch, noWatch } from '../../request-watch.ts';
import { MeasuredInference } from './measured-inference.ts';
import { QueueFull } from './queue-full.ts';

const never = new AbortController().signal;

/** A server whose inferences wait in the queue of their model, like requests of the other APIs. */
export class AdmittedServer extends PassingServer {
  readonly #admission: Admission;

  constructor(server: InferenceServer, admission: Admission) {
    super(server);
    this.#admission = admission;
  }

  override async infer(request: InferRequest, options: CallOptions = {}): Promise<InferResponse> {
    const leave = await this.#enter(request, options);
    const inference = this.#begin(request, options);
    try {
      const response = await this.inner.infer(request, withHeaders(options, inference));
      inference.first();
      inference.end();
      return response;
    } catch (error) {
      inference.end(error);
      throw error;
    } finally {
      leave();
    }
  }

  override stream(request: InferRequest, sink: ResponseSink, options: CallOptions = {}): RunningInference {
    if (!this.#admission.isLimited(request.model)) return this.#measured(request, sink, options);
    const enter = async (): Promise<EnteredInference> => {
      const leave = await this.#enter(request, options);
      return { begin: (into) => this.#measured(request, into, options), leave };
    };
    return new DeferredInference(enter, sink);
  }

  #measured(request: InferRequest, sink: ResponseSink, options: CallOptions): RunningInference {
    if (!options.watch) return this.inner.stream(request, sink, options);
    const inference = this.#begin(request, options);
    return new MeasuredInference(inference, sink).start((into) =>
      this.inner.stream(request, into, withHeaders(options, inference)),
    );
  }

  #begin({ model }: InferRequest, { watch = noWatch }: CallOptions): InferenceWatch {
    return watch.inference({ server: this.name, model, maxTokens: undefined });
  }

  async #enter({ model }: InferRequest, { signal = never, watch = noWatch }: CallOptions): Promise<() => void> {
    try {
      return await this.#admission.enter(model, { priority: 0, signal, watch });
    } catch (error) {
      throw statusOf(ApiError.from(error));
    }
  }
}

/** Sends the trace headers of the inference, so that the server's spans become its children. */
function withHeaders(options: CallOptions, { headers }: InferenceWatch): CallOptions {
  return { ...options, metadata: { ...options.metadata, ...headers } };
}

function statusOf(error: ApiError): StatusError {
  if (error.code === 'rate_limit_exceeded') return new QueueFull(error.message, error.retryAfter ?? 1);
  const isLate = error.code === 'deadline_exceeded';
  return new StatusError(isLate ? 'DEADLINE_EXCEEDED' : 'CANCELLED', error.message, { cause: error });
}
