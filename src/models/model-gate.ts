import type { ApiError } from '../errors.ts';
import type { Admission, AdmissionRequest } from './admission.ts';
import type { LoadOnDemand } from './load-on-demand.ts';
import type { ModelRegistry } from './registry.ts';
import type { RunningRequests } from './running-requests.ts';
import { servedName } from './tagged-names.ts';

interface GateOptions {
  readonly registry: ModelRegistry;
  readonly running: RunningRequests;
  readonly admission: Admission;
  /** Undefined: only loaded models are served. */
  readonly onDemand: LoadOnDemand | undefined;
  /** Milliseconds that a request waits for its model. */
  readonly loadTimeout: number;
}

/** A request that waits for its model. */
interface ModelRequest extends AdmissionRequest {
  /** Ends the request before its response is complete. */
  readonly cancel: (error: ApiError) => void;
  /** Whether it uses only the tokenizer of the model and so counts for no limit. */
  readonly needsNoCapacity?: boolean;
}

/** Admits and counts the requests of each model, and loads models on demand. */
export class ModelGate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** The served name of a name that may have the tag of Ollama's lists. */
  servedName(name: string): string {
    return servedName(name, this.#options.registry);
  }

  /** Admits a request to the model of this name. Call the returned function when the request is over. */
  async enter(name: string, request: ModelRequest): Promise<(() => void) | undefined> {
    const { registry, running, onDemand, admission } = this.#options;
    const root = registry.rootOf(name);
    if (root === undefined || !(registry.isOffered(root) || onDemand?.canLoad(root))) return undefined;
    const needsCapacity = !request.needsNoCapacity && admission.isLimited(root);
    // Most requests need not wait.
    if (!needsCapacity && registry.isOffered(root)) return running.begin(root, request.cancel);
    const releaseCapacity = needsCapacity ? await admission.enter(root, request) : undefined;
    try {
      const end = await this.#begin(name, request);
      if (!end) releaseCapacity?.();
      return (
        end &&
        (() => {
          end();
          releaseCapacity?.();
        })
      );
    } catch (error) {
      releaseCapacity?.();
      throw error;
    }
  }

  /** Counts the request, once its model is loaded. */
  async #begin(name: string, { cancel, signal }: ModelRequest): Promise<(() => void) | undefined> {
    const { registry, running, onDemand, loadTimeout } = this.#options;
    const deadline = performance.now() + loadTimeout;
    const waitedFor: string[] = [];
    for (let last: string | undefined; ; ) {
      const root = registry.rootOf(name);
      // No await between the check and the count: a model without requests can be unloaded at any time.
      if (root !== undefined && registry.isOffered(root)) return running.begin(root, cancel);
      if (root === undefined || !onDemand?.canLoad(root)) return undefined;
      // Models that evict each other, none of which has adapters: the name is unknown.
      if (root !== last && waitedFor.includes(root)) return undefined;
      last = root;
      waitedFor.push(root);
      await onDemand.wait(root, { deadline, signal });
    }
  }
}
