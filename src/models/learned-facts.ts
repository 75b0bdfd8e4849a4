import type { ModelContracts } from '../contracts/row-contracts.ts';
import { factsIn, type VllmFacts, withFacts } from '../contracts/vllm-facts.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { StatusError } from '../kserve/status.ts';
import { firstRows } from './abilities.ts';
import type { FoundModel } from './discovery.ts';

type Ready = NonNullable<FoundModel['ready']>;

interface LearnedEntry {
  /** The model as it was detected: another object after a reload. */
  readonly ready: Ready;
  readonly facts: VllmFacts;
}

/** A model as one server has it. */
interface Copy {
  readonly server: InferenceServer;
  readonly ready: Ready;
}

/** Facts from the errors of vLLM engines, for each model of each server, until it is reloaded. */
export class LearnedFacts {
  readonly #learned = new Map<InferenceServer, Map<string, LearnedEntry>>();
  /** Cached contracts, so that the same facts give the same objects. */
  readonly #applied = new WeakMap<Ready, { readonly text: string; readonly contracts: ModelContracts }>();

  /** Learns from an error. Returns whether it had new facts. */
  learn({ server, ready }: Copy, { message }: StatusError): boolean {
    const facts = factsIn(message);
    if (!facts) return false;
    const models = this.#learned.get(server) ?? new Map<string, LearnedEntry>();
    this.#learned.set(server, models);
    const before = this.#factsOf({ server, ready });
    const now = { ...before, ...facts };
    if (JSON.stringify(now) === JSON.stringify(before)) return false;
    models.set(ready.name, { ready, facts: now });
    return true;
  }

  /** The facts of a model on several servers: the shortest context and the lowest image limit apply to all. */
  of(copies: readonly Copy[]): VllmFacts | undefined {
    const all = copies.flatMap((copy) => this.#factsOf(copy) ?? []);
    return all.length === 0 ? undefined : all.reduce(narrower);
  }

  /** The contracts of a model with the learned facts. */
  apply(contracts: ModelContracts, copies: readonly Copy[]): ModelContracts {
    const facts = this.of(copies);
    const [first] = copies;
    if (!facts || !first) return contracts;
    const text = JSON.stringify(facts);
    const known = this.#applied.get(first.ready);
    if (known?.text === text) return known.contracts;
    const taught = withFacts(contracts, facts);
    // An engine that rejects everything still keeps its contracts.
    const applied = taught.contract || firstRows(taught.rows) ? taught : contracts;
    this.#applied.set(first.ready, { text, contracts: applied });
    return applied;
  }

  /** A server may come back with other engines. */
  forgetServer(server: InferenceServer): void {
    this.#learned.delete(server);
  }

  /** A reloaded model may have other engine arguments. */
  forgetModel(name: string): void {
    for (const models of this.#learned.values()) models.delete(name);
  }

  #factsOf({ server, ready }: Copy): VllmFacts | undefined {
    const learned = this.#learned.get(server)?.get(ready.name);
    return learned?.ready === ready ? learned.facts : undefined;
  }
}

function narrower(left: VllmFacts, right: VllmFacts): VllmFacts {
  const context = least(left.context, right.context);
  const mostImages = least(left.mostImages, right.mostImages);
  return {
    ...left,
    ...right,
    ...(context === undefined ? {} : { context }),
    ...(mostImages === undefined ? {} : { mostImages }),
  };
}

function least(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.min(left, right);
}
