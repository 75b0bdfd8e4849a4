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
  readonly #list: () => readonly InferenceServer[];
  /** The rows of each server; one that does not answer keeps its last ones, so that its own fault is what is told. */
  #rows: ReadonlyMap<InferenceServer, readonly ModelIndexEntry[]> = new Map();
  #asked: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(servers: () => readonly InferenceServer[]) {
    this.#list = servers;
  }

  /** The servers that may take a request: those where the model is ready; for a sequence always the same one. */
  async serversFor({ model, version = '', parameters = {} }: Wanted): Promise<readonly InferenceServer[]> {
    const servers = this.#list();
    if (servers.length === 0) throw noServer();
    if (servers.length === 1) return servers;
    const knowing = await this.knowing(model);
    const ready = knowing.filter((server) => this.#isReady(server, model, version));
    const candidates = ready.length > 0 ? ready : knowing;
    if (candidates.length === 0)
      throw new StatusError('NOT_FOUND', `Request for unknown model: '${model}' is not found`);
    return isInSequence({ parameters }) ? [ownerOf(String(parameters['sequence_id']), candidates)] : candidates;
  }

  /** One server that has a model. */
  async serverFor(wanted: Wanted): Promise<InferenceServer> {
    const [first] = await this.serversFor(wanted);
    return first as InferenceServer;
  }

  /** The servers that know a model, ready or not. */
  async knowing(model: string): Promise<InferenceServer[]> {
    await this.#refresh();
    return this.#list().filter((server) => this.#rows.get(server)?.some(({ name }) => name === model));
  }

  /** Something has changed: the next question is put to the servers again. */
  forget(): void {
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  #isReady(server: InferenceServer, model: string, version: string): boolean {
    const rows = this.#rows.get(server) ?? [];
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
    const before = this.#rows;
    const rows = this.#list().map(async (server) => {
      const asked = server.call('RepositoryIndex', {}).then(({ models }) => models);
      return [server, await asked.catch(() => before.get(server) ?? [])] as const;
    });
    this.#rows = new Map(await Promise.all(rows));
  }
}

/** Whether a request is one of several that a server must answer in turn. */
export function isInSequence({ parameters }: Pick<Wanted, 'parameters'>): boolean {
  return Boolean(parameters?.['sequence_id']);
}

/** No address is known at the moment. */
export function noServer(): StatusError {
  return new StatusError('UNAVAILABLE', 'No inference server is known at the moment.', { unreachable: true });
}

/** The server of a sequence: the others may come and go without moving it. */
function ownerOf(sequence: string, servers: readonly InferenceServer[]): InferenceServer {
  const ranked = servers.map((server) => ({ server, rank: numberOf(`${sequence} ${server.name}`) }));
  return ranked.reduce((best, next) => (next.rank > best.rank ? next : best)).server;
}

function numberOf(text: string): number {
  let sum = 0;
  for (const letter of text) sum = Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 0x01000193) ^ (sum >>> 13);
  return sum >>> 0;
}
