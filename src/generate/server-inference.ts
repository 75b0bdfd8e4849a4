import type { GenerateRequest, GenerationContract } from '../contracts/contract.ts';
import { failedPart } from '../kserve/engine-failure.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { BeginInference } from '../kserve/server-group.ts';
import { StatusError } from '../kserve/status.ts';
import { WaitFault } from '../kserve/wait-fault.ts';
import type { ServedModel } from '../models/served-model.ts';
import { type InferenceWatch, type RequestWatch, retried } from '../request-watch.ts';
import type { Signal } from '../signal.ts';
import { AdapterInference } from './adapter-inference.ts';
import type { GuardedGuide, GuideGuard } from './guide-guard.ts';
import { stopInference } from './stop-inference.ts';

/** What an inference needs from its request. */
interface InferencePlace {
  readonly model: ServedModel;
  readonly signal: Signal;
  readonly watch: RequestWatch;
  /** The servers of earlier tries; undefined if there is only one try. */
  readonly usedServers: Set<InferenceServer> | undefined;
  /** Undefined if it has no guide, or guides cannot make its engine fail. */
  readonly guide: GuardedGuide | undefined;
  readonly guides: GuideGuard | undefined;
}

/** The inference of a choice on the server that was last chosen for it. */
export class ServerInference implements Pick<InferenceWatch, 'first' | 'end'> {
  readonly #request: GenerateRequest;
  readonly #place: InferencePlace;
  #watch: InferenceWatch | undefined;
  #hasBegun = false;
  server: InferenceServer | undefined;

  constructor(request: GenerateRequest, place: InferencePlace) {
    this.#request = request;
    this.#place = place;
  }

  readonly begin: BeginInference = (server, { timeout, after }, sink) => {
    const { model, signal, watch, usedServers, guide } = this.#place;
    const { contract, sentAdapter: adapter } = model;
    if (after instanceof WaitFault) stopper(this, contract, this.#request)?.(false);
    if (after !== undefined) this.#judge(after);
    this.server = server;
    usedServers?.add(server);
    guide?.began(server);
    const { maxTokens } = this.#request.sampling;
    this.#watch?.end(retried);
    this.#watch = watch.inference({ server: server.name, model: model.model, maxTokens });
    const call = { signal, timeout, metadata: this.#watch.headers };
    return adapter
      ? new AdapterInference({ server, contract, request: this.#request, adapter, call }, sink).start()
      : server.stream(contract.encode(this.#request), sink, call);
  };

  first(): void {
    this.#hasBegun = true;
    if (this.server) this.#place.guide?.responded(this.server);
    this.#watch?.first();
  }

  end(fault?: unknown): void {
    if (fault instanceof StatusError && this.server) this.#place.model.learn?.(this.server, fault);
    this.#judge(fault);
    this.#watch?.end(fault);
    this.#watch = undefined;
  }

  /** Reports the end of an inference to the quarantine: for its own guide, and for those of others. */
  #judge(fault: unknown): void {
    const { server } = this;
    const { guide, guides, model, signal } = this.#place;
    if (!server || !guides) return;
    if (!this.#hasBegun) guide?.ended(fault, server, fault === undefined || signal.aborted);
    if (failedPart(fault)) guides.engineFailed(server, model.model);
  }
}

/** Ends an inference on servers that need a stop request for it. */
export function stopper(inference: ServerInference, contract: GenerationContract, request: GenerateRequest) {
  if (!('stopRequest' in contract)) return undefined;
  return (hasBegun: boolean): void => {
    const command = contract.stopRequest?.(request);
    if (command && inference.server) void stopInference(inference.server, command, hasBegun);
  };
}
