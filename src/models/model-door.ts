import type { ApiError } from '../errors.ts';
import type { LoadOnDemand } from './load-on-demand.ts';
import type { ModelRegistry } from './registry.ts';
import type { RunningRequests } from './running-requests.ts';

interface DoorOptions {
  readonly registry: ModelRegistry;
  readonly running: RunningRequests;
  /** Left out: a model that is not loaded is not served. */
  readonly onDemand: LoadOnDemand | undefined;
  /** Milliseconds that a request waits for its model. */
  readonly loadTimeout: number;
}

/** A request at the door. */
interface Visitor {
  /** Ends the request before its answer is complete. */
  readonly cancel: (fault: ApiError) => void;
  /** Aborted when its client has left. */
  readonly signal: AbortSignal;
}

/** Where requests come in to a model: they are counted from here on, and one that is not loaded may be. */
export class ModelDoor {
  readonly #options: DoorOptions;

  constructor(options: DoorOptions) {
    this.#options = options;
  }

  /** Counts a request to the model of this name; the function that it gives says that the request is over. */
  async enter(name: string, { cancel, signal }: Visitor): Promise<(() => void) | undefined> {
    const { registry, running, onDemand, loadTimeout } = this.#options;
    const deadline = performance.now() + loadTimeout;
    const waitedFor = new Set<string>();
    for (let last: string | undefined; ; ) {
      const root = registry.rootOf(name);
      // Nothing may happen between the look and the count: a model without requests can be unloaded at any time.
      if (root !== undefined && registry.isOffered(root)) return running.begin(root, cancel);
      if (root === undefined || !onDemand?.canLoad(root)) return undefined;
      // Models that make room for each other, none of which has adapters: the name is nobody's.
      if (root !== last && waitedFor.has(root)) return undefined;
      last = root;
      waitedFor.add(root);
      await onDemand.wait(root, { deadline, signal });
    }
  }
}
