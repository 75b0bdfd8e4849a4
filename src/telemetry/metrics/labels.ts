import { BoundedNames, otherName } from './bounded-names.ts';

/** The most names of models, servers and keys that become labels. */
const mostModels = 500;
const mostServers = 200;
const mostKeys = 200;

/** The values of labels, whose number is bounded whatever clients send. */
export class Labels {
  readonly #models = new BoundedNames(mostModels);
  readonly #servers = new BoundedNames(mostServers);
  readonly #keys = new BoundedNames(mostKeys);
  readonly #servedAs: (name: string) => string | undefined;

  /** `servedAs` gives the model that a name stands for; undefined where nobody has it. */
  constructor(servedAs: (name: string) => string | undefined) {
    this.#servedAs = servedAs;
  }

  model(name: string): string {
    const served = this.#servedAs(name);
    return served === undefined ? otherName : this.#models.label(served);
  }

  server(name: string): string {
    return this.#servers.label(name);
  }

  key(name: string): string {
    return this.#keys.label(name);
  }
}
