import type { ModelIndexEntry } from '../../kserve/messages.ts';
import type { InferenceServer, ParameterValue } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';

/** For so long what the servers said of their models is taken as true, in milliseconds. */
const freshFor = 1000;

/** What a request says about the server that it needs. */
interface Wanted {
  readonly model: string;
  readonly version?: string;
  readonly parameters?: Readonly<Record<string, ParameterValue>>;
}

/** Knows which servers have which models. */
export class ModelMap {
  readonly #servers: readonly InferenceServer[];
  /** The rows of each server; one that does not answer keeps its last ones, so that its own fault is what is told. */
  #rows: readonly (readonly ModelIndexEntry[])[];
  #asked: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #turn = 0;

  constructor(servers: readonly InferenceServer[]) {
    this.#servers = servers;
    this.#rows = servers.map(() => []);
  }

  /** The server for a request: one where the model is ready, by turns; a sequence always gets the same one. */
  async serverOf({ model, version = '', parameters }: Wanted): Promise<InferenceServer> {
    const [only, ...others] = this.#servers;
    if (only && others.length === 0) return only;
    const knowing = await this.knowing(model);
    const ready = knowing.filter((server) => this.#isReady(server, model, version));
    const candidates = ready.length > 0 ? ready : knowing;
    const sequence = parameters?.['sequence_id'];
    const turn = sequence ? numberOf(String(sequence)) : this.#turn++;
    const server = candidates[turn % candidates.length];
    if (!server) throw new StatusError('NOT_FOUND', `Request for unknown model: '${model}' is not found`);
    return server;
  }

  /** The servers that know a model, ready or not. */
  async knowing(model: string): Promise<InferenceServer[]> {
    await this.#refresh();
    return this.#servers.filter((_server, index) => this.#rows[index]?.some(({ name }) => name === model));
  }

  /** Something has changed: the next question is put to the servers again. */
  forget(): void {
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  #isReady(server: InferenceServer, model: string, version: string): boolean {
    const rows = this.#rows[this.#servers.indexOf(server)] ?? [];
    return rows.some(
      (row) => row.name === model && row.state === 'READY' && (version === '' || row.version === version),
    );
  }

  #refresh(): Promise<void> {
    if (this.#asked === undefined || performance.now() - this.#askedAt > freshFor) {
      this.#askedAt = performance.now();
      this.#asked = this.#ask();
    }
    return this.#asked;
  }

  async #ask(): Promise<void> {
    const settled = await Promise.allSettled(this.#servers.map((server) => server.call('RepositoryIndex', {})));
    this.#rows = settled.map((outcome, index) =>
      outcome.status === 'fulfilled' ? outcome.value.models : (this.#rows[index] ?? []),
    );
  }
}

function numberOf(text: string): number {
  let sum = 0;
  for (const letter of text) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return sum;
}
