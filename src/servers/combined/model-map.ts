import type { InferenceServer, ParameterValue } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import { ServerIndex } from './server-index.ts';

/** What a request says about the server that it needs. */
interface Wanted {
  readonly model: string;
  readonly version?: string;
  readonly parameters?: Readonly<Record<string, ParameterValue>>;
}

/** Knows which servers have which models. One that does not answer is waited for once, and then no more until it does. */
export class ModelMap {
  readonly #list: () => readonly InferenceServer[];
  readonly #indexes = new WeakMap<InferenceServer, ServerIndex>();

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
    const servers = await this.serversFor(wanted);
    return servers.find((server) => !this.#indexOf(server).isSilent) ?? (servers[0] as InferenceServer);
  }

  /** The servers that know a model, ready or not. */
  async knowing(model: string): Promise<InferenceServer[]> {
    const isKnown = (server: InferenceServer): boolean => this.#indexOf(server).rows.some(({ name }) => name === model);
    const answering = await this.answering();
    // Nobody else has it: one that was silent until now may.
    if (!answering.some(isKnown)) await Promise.all(this.#list().map((server) => this.#indexOf(server).refresh()));
    return this.#list().filter(isKnown);
  }

  /** The servers that answer; all of them where none does. */
  async answering(): Promise<readonly InferenceServer[]> {
    const asked = this.#list().map((server) => {
      const index = this.#indexOf(server);
      const answered = index.refresh();
      return index.isSilent ? Promise.resolve() : answered;
    });
    await Promise.all(asked);
    const servers = this.#list();
    const answering = servers.filter((server) => !this.#indexOf(server).isSilent);
    return answering.length > 0 ? answering : servers;
  }

  /** Something has changed: the next question is put to the servers again. */
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
