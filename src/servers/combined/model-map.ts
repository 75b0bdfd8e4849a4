import type { InferenceServer, ParameterValue } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import { ServerIndex } from './server-index.ts';

/** What a request requires of its server. */
interface NamedRequest {
  readonly model: string;
  readonly version?: string;
  readonly parameters?: Readonly<Record<string, ParameterValue>>;
}

/** Knows which servers have which models. Waits once for a silent server, and then no more until it responds. */
export class ModelMap {
  readonly #list: () => readonly InferenceServer[];
  readonly #indexes = new WeakMap<InferenceServer, ServerIndex>();

  constructor(servers: () => readonly InferenceServer[]) {
    this.#list = servers;
  }

  /** The servers that may take a request: those where the model is ready; for a sequence always the same one. */
  async serversFor({ model, version = '', parameters = {} }: NamedRequest): Promise<readonly InferenceServer[]> {
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
  async serverFor(request: NamedRequest): Promise<InferenceServer> {
    const servers = await this.serversFor(request);
    return servers.find((server) => !this.#indexOf(server).isSilent) ?? (servers[0] as InferenceServer);
  }

  /** The servers that know a model, ready or not. */
  async knowing(model: string): Promise<InferenceServer[]> {
    const isKnown = (server: InferenceServer): boolean => this.#indexOf(server).rows.some(({ name }) => name === model);
    const responding = await this.responding();
    // No responding server has the model: one that was silent until now may.
    if (!responding.some(isKnown)) await Promise.all(this.#list().map((server) => this.#indexOf(server).refresh()));
    return this.#list().filter(isKnown);
  }

  /** The servers that respond; all of them if none does. */
  async responding(): Promise<readonly InferenceServer[]> {
    const refreshes = this.#list().map((server) => {
      const index = this.#indexOf(server);
      const refresh = index.refresh();
      return index.isSilent ? Promise.resolve() : refresh;
    });
    await Promise.all(refreshes);
    const servers = this.#list();
    const responding = servers.filter((server) => !this.#indexOf(server).isSilent);
    return responding.length > 0 ? responding : servers;
  }

  /** Something changed: the next lookup asks the servers again. */
  forget(): void {
    for (const server of this.#list()) this.#indexOf(server).forget();
  }

  #isReady(server: InferenceServer, model: string, version: string): boolean {
    return this.#indexOf(server).rows.some(
      (row) => row.name === model && row.state === 'READY' && (version === '' || row.version === version),
    );
  }

  #indexOf(server: InferenceServer): ServerIndex {
    const known = this.#indexes.get(server);
    if (known) return known;
    const index = new ServerIndex(server);
    this.#indexes.set(server, index);
    return index;
  }
}

/** Whether a request belongs to a sequence, which one server must process in order. */
export function isInSequence({ parameters }: Pick<NamedRequest, 'parameters'>): boolean {
  return Boolean(parameters?.['sequence_id']);
}

/** No server has an address at the moment. */
export function noServer(): StatusError {
  return new StatusError(
    'UNAVAILABLE',
    'No inference server is known at the moment: the server names do not resolve to an address.',
    { unreachable: true },
  );
}

/** The server of a sequence; added or removed other servers do not change it. */
function ownerOf(sequence: string, servers: readonly InferenceServer[]): InferenceServer {
  const ranked = servers.map((server) => ({ server, rank: numberOf(`${sequence} ${server.name}`) }));
  return ranked.reduce((best, next) => (next.rank > best.rank ? next : best)).server;
}

function numberOf(text: string): number {
  let sum = 0;
  for (const letter of text) sum = Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 0x01000193) ^ (sum >>> 13);
  return sum >>> 0;
}
